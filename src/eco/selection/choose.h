// SPDX-License-Identifier: BSD-3-Clause
// Turns a profile's tuning, the settings and a request into the choice for one call. The result
// depends only on data that all ranks have equally, so all choose alike. Called by job and measure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eco/base/settings.h"
#include "eco/planners/planner.h"
#include "eco/selection/predictor.h"
#include "eco/topology/profile.h"

namespace eco {

// A tuning entry's operation: "bcast"; "ibcast" of calls that do not block.
struct TunedOperation {
    Operation operation;
    bool blocks = true;
};
// Throws Error{usage} that lists the names.
TunedOperation parse_tuned_operation(std::string_view name);
std::string tuned_name(Operation operation, bool blocks);

// The entries that count for a library, by family and version ("openmpi 5.0.11"): those timed with
// another version only if there are none with this one, with another family never; and what was
// predicted, for all.
std::vector<Tuned> tuning_for(const Profile& profile, const std::string& library);

// The choice that was timed with a message of `timed` bytes for one of `bytes`: with segments of
// the same length, or longer where there would be more of them than the request allows. Supported
// if `choice` is.
Choice scaled(Choice choice, Bytes timed, Bytes bytes, const Request& request);

// How many times the longer of two messages is as long as the shorter: 1 or more. A ratio, as all
// machines round it alike, logarithms they may not, and ranks must agree.
double distance(Bytes a, Bytes b);

// What the profile says of one call's choices.
struct Knowledge {
    Choice choice;  // what choose() gives
    // Whether anything else may run: not if a setting names the choice.
    bool open = false;
    // Why `choice` is sure near this size: both were timed, with a clear result; or ECO's was
    // predicted to win by more than predictions err.
    enum class Sure { no, by_prediction, by_timing } sure = Sure::no;
    Seconds expected = 0;  // what `choice` takes, where it is sure
    Seconds native = 0;    // what the library takes, where it was timed near this size
    // What may be faster than `choice`: the best by prediction; where nothing was predicted and the
    // library runs, the planner's first and the multicast; if all of these multicast, the planner's
    // first without. Never the library.
    std::vector<Choice> rivals;
};

// What choose() gives, and what that rests on.
struct Explained {
    enum class Rests {
        setting,    // ECO_CHOICE, or ECO_KEEP_ORDER
        too_long,   // the message; the library runs
        inside,     // all ranks are in one of several subnets, where nothing was timed and nothing
                    // can be predicted: the library runs until programs have learned
        timed,      // both were timed
        predicted,  // ECO's choice was predicted; the library timed, or predicted as well
        shape,      // the profile has no tuning: the groups' shapes alone
        nothing,    // nothing is known of this operation; the library runs
    };
    Choice choice;
    Rests rests = Rests::nothing;
    // Of `timed` and `predicted`: the entry's size, and its times.
    Bytes bytes = 0;
    Seconds native = 0, eco = 0;
};

class Chooser {
public:
    // library: the one that runs. What was predicted counts where nothing was timed.
    // A choice in the settings that makes no sense is complained of in settings.complaints.
    // predictor: for communicators on whose hosts nothing was timed; must stay; null: what was
    // timed on others counts there.
    Chooser(const Profile& profile, Settings& settings, const std::string& library,
            const Predictor* predictor = nullptr);

    // bytes: message size, or -1 where not all ranks know it. Native where nothing better is known.
    Choice choose(const Request& request, Bytes bytes) const;
    Explained explain(const Request& request, Bytes bytes) const;

    // For calls that do not block, from the profile's entries for such calls alone; nothing where
    // it has none near this size. Then the choice of the blocking call is what is known.
    std::optional<Choice> choose_nonblocking(const Request& request, Bytes bytes) const;

    // What choose() gives, and what could run instead; for learning while programs run.
    Knowledge knowledge(const Request& request, Bytes bytes) const;

private:
    struct Entry {
        Operation operation;
        bool near, hosts_shared;
        Bytes bytes;
        Choice choice;
        double gain;          // native time over ECO's, by prediction
        Seconds native, eco;  // as in the profile
        bool confirmed;       // both the library and the choice were timed
        bool derived;         // not even the library was
        std::string structure;
        double noise;  // as in the profile

        // From calls with one rank on each host, for several (measure/shared_hosts.h).
        bool is_guess() const { return derived && hosts_shared; }
        // What `choice` took, or would.
        Seconds takes() const { return choice.is_native() ? native : eco; }
    };

    // Whether all ranks are in one of several subnets: nothing was timed there.
    bool is_inside(const Request& request) const;
    const Entry* nearest(const std::vector<Entry>& entries, const Request& request,
                         Bytes bytes) const;
    const Entry* nearest(const std::vector<Entry>& entries, const Request& request, Bytes bytes,
                         bool near) const;
    bool is_open(const Request& request, Bytes bytes) const;
    Explained tuned(const Request& request, Bytes bytes) const;
    // Of hosts on which nothing was timed: what the simulator says of them, and what was timed
    // elsewhere that says most; null: nothing.
    struct Untimed {
        PredictedHere here;
        const Entry* elsewhere = nullptr;
    };
    // Given the nearest entry, or null. Nothing where it is of these hosts, or none can be told.
    std::optional<Untimed> untimed_here(const Request& request, Bytes bytes,
                                        const Entry* timed) const;
    const Entry* timed_elsewhere(const Request& request, Bytes bytes, const Entry* timed) const;
    Explained explain_untimed(const Untimed& untimed, const Request& request, Bytes bytes) const;
    Explained untuned(const Request& request, Bytes bytes) const;

    const Predictor* predictor_;
    std::vector<Entry> timed_, predicted_;  // of calls that block
    std::vector<Entry> nonblocking_;
    // Native above it, so far from what was timed that nobody knows what is fast; memory has a
    // limit of its own (planners/scratch.h). Far below what an int counts.
    Bytes most_bytes_ = Bytes{64} << 20;
    bool one_subnet_;
    bool keep_order_;
    enum class Mode { automatic, native, eco, fixed } mode_ = Mode::automatic;
    Choice fixed_;
};

}  // namespace eco
