// SPDX-License-Identifier: BSD-3-Clause
// Finds which choices of a class are worth comparing while programs run, and whether the profile
// and earlier runs leave anything to learn about them. Depends only on data that all ranks have
// equally. Called by job/learning.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eco/learn/class_learner.h"
#include "eco/learn/learned.h"
#include "eco/selection/choose.h"

namespace eco {

// How a class begins: places among its choices, and what is known of them.
struct Beginning {
    std::size_t preferred = 0;  // runs while nothing more is known
    // The library's own, with which the preferred one is compared before all are; no_arm: none, or
    // earlier jobs compared the two.
    std::size_t library = no_arm;
    ClassLearner::Start start = ClassLearner::Start::sure;
    Seconds expected = 0;  // what the preferred one should take at most; 0: not known
};

struct Rivals : Beginning {
    std::vector<Choice> choices;  // the first runs where nothing is learned; each once
    bool worth_learning = false;  // there is more than one choice
};

// learned: of this library and network. least: the class's least size, or -1. may_vary: whether
// any other choice may run (data movement, and reductions whose bits do not depend on the order of
// evaluation); otherwise only choices with the profile's order are compared, so that the bits are
// the same in every job (planners/evaluation_order.h).
Rivals find_rivals(const Chooser& chooser, const std::vector<LearnedClass>& learned,
                   const Request& request, Bytes least, bool may_vary);

// The same for non-blocking calls, which learn from such calls alone. usual: what runs them where
// nothing is learned. can_run: whether a choice can run without blocking.
Rivals find_nonblocking_rivals(const Chooser& chooser, const std::vector<LearnedClass>& learned,
                               const Request& request, Bytes least, bool may_vary,
                               const Choice& usual,
                               const std::function<bool(const Choice&)>& can_run);

// How a class begins that has two choices: a plan by its name, and the library (in this order).
// runs: whether the plan does where nothing is learned.
Beginning begin_plan(const std::vector<LearnedClass>& learned, LearnedClass named,
                     const std::string& plan, bool runs);

// What identifies a class among the learned ones; without arms. blocks: false for non-blocking
// calls.
LearnedClass describe_class(const Request& request, Bytes least, const std::string& library,
                            bool blocks = true);

}  // namespace eco
