#include "eco/probe/tune.h"

#include <algorithm>
#include <map>

#include "eco/base/error.h"
#include "eco/interpose/mpi_transport.h"

namespace eco {

namespace {

// A choice must be this much faster than native to be taken.
constexpr double margin = 0.95;

// Those whose size only some ranks know are timed where the user asks: their choice cannot depend
// on the size, so it must win at every one.
const std::vector<std::string> usual_operations{
    "bcast",  "barrier",   "scatter", "gather", "allgather",      "allgatherv",          "alltoall",
    "reduce", "allreduce", "scan",    "exscan", "reduce_scatter", "reduce_scatter_block"};

std::string library_name() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    native().Get_library_version(version, &length);
    const std::string text(version);
    // "Open MPI v5.0.11, package: …", "MPICH Version:      5.0.2\n…".
    const auto digit = text.find_first_of("0123456789");
    return std::string(ECO_FAMILY) + " " +
           text.substr(digit, text.find_first_not_of("0123456789.", digit) - digit);
}

struct Timed {
    Choice best;
    Seconds native = 0, eco = 0;
    double noise = 0;
    bool clear = false;                    // three of four runs beat native's median
    std::map<std::string, double> ratios;  // of every candidate, to native
};

// Candidates that lose clearly after the first rounds are not timed further.
Timed time_candidates(Trial& trial, Operation operation, Bytes bytes, MPI_Comm comm,
                      Seconds budget) {
    std::vector<Sampled> patterns{{"native", {}, {}}};
    const Request request{operation, &trial.communicator().hierarchy(), 0, true};
    for (const Choice& choice : candidates(request, trial.known_bytes() < 0 ? -1 : bytes))
        patterns.push_back({to_text(choice), choice, {}});
    interleave(trial, patterns, comm, budget / 2, 1, 8);
    const auto by_median = [](const Sampled& a, const Sampled& b) {
        return median(a.samples) < median(b.samples);
    };
    Timed timed;
    for (std::size_t i = 1; i < patterns.size(); ++i)
        timed.ratios[patterns[i].pattern] =
            median(patterns[i].samples) / median(patterns[0].samples);
    const auto best = std::min_element(patterns.begin() + 1, patterns.end(), by_median);
    std::vector<Sampled> last{{"native", {}, {}}, {best->pattern, best->choice, {}}};
    interleave(trial, last, comm, budget / 2, 3, 24, false);
    auto natives = last[0].samples;
    std::sort(natives.begin(), natives.end());
    timed.native = median(natives);
    timed.eco = median(last[1].samples);
    timed.noise = (natives[natives.size() * 3 / 4] - natives[natives.size() / 4]) / timed.native;
    auto ecos = last[1].samples;
    std::sort(ecos.begin(), ecos.end());
    timed.clear = ecos[ecos.size() * 3 / 4] < timed.native;
    timed.best = best->choice;
    timed.ratios[best->pattern] = std::max(timed.ratios[best->pattern], timed.eco / timed.native);
    return timed;
}

}  // namespace

std::vector<Tuned> tune(const Options& options, Progress& progress, double first) {
    const auto& operations = options.operations.empty() ? usual_operations : options.operations;
    const auto sizes =
        options.sizes.empty() ? std::vector<Bytes>{16, 1024, 16384, 131072} : options.sizes;
    const Seconds budget = options.budget > 0 ? options.budget : 1.5;
    const std::string library = library_name();
    std::vector<std::string> orders{"near"};
    if (session()->profile.levels.back() != std::vector<int>(session()->profile.hosts.size(), 0))
        orders.push_back("scattered:1");
    std::vector<Tuned> entries;
    double done = 0;
    const double steps = static_cast<double>(orders.size() * operations.size() * sizes.size());
    for (const auto& order : orders) {
        MPI_Comm comm = ordered_world(order);
        for (const auto& name : operations) {
            const Operation operation = parse_operation(name);
            const bool size_known = traits(operation).size_known;
            Seconds last = 0;
            Bytes last_bytes = 1;
            std::map<std::string, double> worst;  // ratio of each candidate over all sizes
            Timed any;
            for (const Bytes bytes : sizes) {
                progress.update(first + (1 - first) * done++ / steps,
                                "tuning " + name + " " + std::to_string(bytes) + " B");
                if (operation == Operation::barrier && bytes != sizes.front()) continue;
                // Long messages take long, and what is best for them scattered shows below.
                if (order != "near" && options.sizes.empty() && bytes == sizes.back()) continue;
                // Where one call would take longer than the budget, the choice of the size below
                // holds.
                const double guess =
                    last * static_cast<double>(bytes) / static_cast<double>(last_bytes);
                if (last > 0 && guess > 2 * budget) continue;
                Trial trial(operation, bytes, comm);
                const Timed timed = time_candidates(trial, operation, bytes, comm, budget);
                last = timed.native;
                last_bytes = bytes;
                const auto layout = layout_name(trial.communicator().hierarchy());
                if (!size_known) {
                    for (const auto& [choice, ratio] : timed.ratios)
                        worst[choice] = std::max(worst[choice], ratio);
                    any = timed;
                    continue;
                }
                const bool wins = timed.clear && timed.eco < margin * timed.native;
                entries.push_back(
                    {library, name, layout, operation == Operation::barrier ? 0 : bytes,
                     wins ? to_text(timed.best) : "native", timed.native, timed.eco, timed.noise});
            }
            if (size_known || worst.empty()) continue;
            // The choice cannot depend on the size, so it must win at every one.
            const auto best =
                std::min_element(worst.begin(), worst.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
            const auto layout = layout_name(communicator_of(comm)->hierarchy());
            entries.push_back({library, name, layout, -1,
                               best->second < margin ? best->first : "native", any.native,
                               any.native * best->second, any.noise});
        }
        native().Comm_free(&comm);
    }
    progress.update(1.0, "done");
    return entries;
}

}  // namespace eco
