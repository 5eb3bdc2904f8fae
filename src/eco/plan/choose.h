// Turns a profile's tuning, the settings and a request into the choice for one call. Depends only
// on what all ranks know equally, so all choose alike. Called by interpose and the probe.
#pragma once

#include <string>

#include "eco/base/settings.h"
#include "eco/plan/planner.h"

namespace eco {

class Chooser {
public:
    // mpi_family: of the library that runs, since one library's tuning says nothing of another's.
    // A choice in the settings that makes no sense is complained of in settings.complaints.
    Chooser(const Profile& profile, Settings& settings, const std::string& mpi_family);

    // bytes: message size, or -1 where not all ranks know it. Native where nothing better is known.
    Choice choose(const Request& request, Bytes bytes) const;

private:
    Choice tuned(const Request& request, Bytes bytes) const;
    Choice untuned(const Request& request, Bytes bytes) const;

    struct Entry {
        Operation operation;
        bool near;
        Bytes bytes;
        Choice choice;
    };
    std::vector<Entry> entries_;
    bool one_subnet_;
    bool keep_order_;
    enum class Mode { automatic, native, eco, fixed } mode_ = Mode::automatic;
    Choice fixed_;
};

}  // namespace eco
