// All-to-all without anybody in between: each pair of ranks exchanges its own blocks, near ones
// first, all at once or a window of exchanges at a time.
#include <algorithm>

#include "eco/plan/planner.h"

namespace eco {

Program plan_direct(const Choice& choice, const Request& request, Rank me) {
    const int ranks = request.ranks(), segments = segments_of(choice);
    const auto& order = request.hierarchy->ring;
    const int place = static_cast<int>(std::find(order.begin(), order.end(), me) - order.begin());
    Builder builder(request, segments);
    builder.copy(input, output, pieces_of({me * ranks + me}, segments));
    std::vector<std::int32_t> received;
    for (int step = 1; step < ranks; ++step) {
        const Rank to = order[static_cast<std::size_t>((place + step) % ranks)];
        const Rank from = order[static_cast<std::size_t>((place - step + ranks) % ranks)];
        const auto wait = [&] {
            const int before = step - 1 - choice.window;
            if (choice.window > 0 && before >= 0)
                builder.wait_also_for(received[static_cast<std::size_t>(before)]);
        };
        wait();
        builder.send(to, input, pieces_of({me * ranks + to}, segments));
        builder.recv(from, output, pieces_of({from * ranks + me}, segments));
        received.push_back(builder.last_task());
    }
    return builder.finish();
}

}  // namespace eco
