// SPDX-License-Identifier: BSD-3-Clause
// The written form of a choice, used in profiles, settings and messages:
// "tree:top=balanced,inner=star,segments=4". What is written reads as the same choice.
#pragma once

#include <string>

#include "eco/planners/choice.h"

namespace eco {

std::string to_text(const Choice& choice);

// Takes the written form, or a topology-unaware baseline's name: k2, k3, …, star, chain, binomial,
// ring, butterfly. Throws Error{usage} with one sentence.
Choice parse_choice(const std::string& text);

}  // namespace eco
