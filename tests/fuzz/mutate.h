// SPDX-License-Identifier: BSD-3-Clause
// Turns a right input into one that is nearly right: bytes, numbers, or, where it is JSON, values
// and keys are changed, left out or doubled. The same random numbers give the same input. Called by
// fuzz.cpp.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace eco::fuzz {

using Random = std::mt19937_64;

// One of the corpus, changed in one to four places; parts may be of another of the corpus.
std::string mutate(const std::vector<std::string>& corpus, Random& random);

}  // namespace eco::fuzz
