// SPDX-License-Identifier: BSD-3-Clause
// Times what is timed whatever its benefit: short sums, messages that keep all links full, and the
// library by itself. What is timed later follows from it. Used by within_budget, in this order.
#pragma once

#include <deque>

#include "eco/measure/cell_table.h"
#include "eco/measure/deadline.h"
#include "eco/measure/lineup.h"
#include "eco/measure/protocol.h"

namespace eco {

// What is begun may take so many times as long as it is expected to: where the library was timed at
// this size; and where it was not (on magpie an allgather took 10 s instead of 2.6).
inline constexpr double slack_of_timed = 1.3, slack_of_guessed = 3;

// How long candidates are compared with the library at one size, of all time that was given.
Seconds time_of_contest(Seconds total);

// Tells what is done with a cell.
void show(Progress& progress, const Cell& cell, const char* doing);

// All members are collective over MPI_COMM_WORLD.
class FirstTimings {
public:
    // total: the budget for choices. The references must stay valid while this object is used.
    FirstTimings(CellTable& cells, std::deque<Lineup>& lineups, Seconds total, Progress& progress,
                 Countdown& deadline)
        : cells_(cells),
          lineups_(lineups),
          total_(total),
          contest_time_(time_of_contest(total)),
          progress_(progress),
          deadline_(deadline) {}

    // Whatever is predicted; those that there is no time for are chosen as others.
    void time_short_sums();

    // What keeps all links full at once, which single messages do not tell: of each operation the
    // longest message that there is time for. A multicast's may be shorter.
    void compare_full_links();

    // What programs call most comes first, in the order that most launchers give; then the shortest
    // calls, so that of the long ones more is known before they are begun.
    void time_library();

private:
    CellTable& cells_;
    std::deque<Lineup>& lineups_;
    const Seconds total_, contest_time_;
    Progress& progress_;
    Countdown& deadline_;
};

}  // namespace eco
