// Where ECO's other parts are, seen from the running `eco` file itself: in a build tree
// (build/PRESET/bin/eco) or installed (PREFIX/bin/eco). So either can be moved as a whole.
// Called by exec.h, probe.h and cockpit.h.
#pragma once

#include <string>
#include <vector>

#include "eco/launch/family.h"

namespace eco {

std::string own_path();

// Each throws Error (environment) where the part is missing.
std::string preload_object(Family family);
std::string probe_program(Family family);
std::string cockpit_python();

// Becomes the program; returns only where that fails, with errno set.
void start(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace eco
