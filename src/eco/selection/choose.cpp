// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/choose.h"

#include <algorithm>
#include <cmath>

#include "eco/base/error.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/evaluation_order.h"
#include "eco/selection/candidates.h"
#include "eco/selection/clear_gain.h"
#include "eco/selection/shape.h"

namespace eco {

// Native over ECO, by prediction.
static double predicted_gain(const Tuned& tuned) {
    if (tuned.eco <= 0) return 0;
    return gain_as_usual(tuned.native / tuned.eco, for_any_library(tuned) ? tuned.noise : 0);
}

TunedOperation parse_tuned_operation(std::string_view name) {
    if (name.starts_with('i'))
        for (const Operation operation : operations())
            if (name.substr(1) == traits(operation).name) return {operation, false};
    return {parse_operation(name), true};
}

std::string tuned_name(Operation operation, bool blocks) {
    return (blocks ? "" : "i") + std::string(traits(operation).name);
}

std::vector<Tuned> tuning_for(const Profile& profile, const std::string& library) {
    const std::string family = library.substr(0, library.find(' '));
    // Whether it has timed calls that block, and others, each by themselves.
    const auto is_nonblocking = [](const Tuned& tuned) { return tuned.operation.starts_with('i'); };
    bool exact[2] = {false, false};
    for (const Tuned& tuned : profile.tuning)
        if (tuned.mpi == library) exact[is_nonblocking(tuned)] = true;
    std::vector<Tuned> list;
    for (const Tuned& tuned : profile.tuning) {
        const bool of_this = exact[is_nonblocking(tuned)] ? tuned.mpi == library
                                                          : tuned.mpi.starts_with(family + ' ');
        if (of_this || for_any_library(tuned)) list.push_back(tuned);
    }
    return list;
}

Chooser::Chooser(const Profile& profile, Settings& settings, const std::string& library,
                 const Predictor* predictor)
    : predictor_(predictor), keep_order_(settings.keep_order) {
    const auto& subnets = profile.levels.front();
    one_subnet_ = std::all_of(subnets.begin(), subnets.end(), [](int id) { return id == 0; });
    std::size_t ignored = 0;
    std::string why;
    for (const Tuned& tuned : tuning_for(profile, library)) {
        try {
            const auto [operation, blocks] = parse_tuned_operation(tuned.operation);
            auto& entries = !blocks ? nonblocking_ : for_any_library(tuned) ? predicted_ : timed_;
            entries.push_back({operation, tuned.layout == "near", tuned.ranks_per_host > 1,
                               tuned.bytes, parse_choice(tuned.choice), predicted_gain(tuned),
                               tuned.native, tuned.eco, !tuned.predicted, tuned.derived,
                               tuned.structure, tuned.noise});
        } catch (const Error& error) {
            if (++ignored == 1) why = error.what();
        }
    }
    if (ignored > 0)
        settings.complaints.push_back(std::to_string(ignored) + " of the profile's " +
                                      std::to_string(profile.tuning.size()) +
                                      " tuning entries are ignored, the first because " + why);
    for (const auto* entries : {&timed_, &nonblocking_})
        for (const Entry& entry : *entries) most_bytes_ = std::max(most_bytes_, 4 * entry.bytes);
    if (settings.choice == "auto") return;
    if (settings.choice == "native" || settings.choice == "eco") {
        mode_ = settings.choice == "eco" ? Mode::eco : Mode::native;
        return;
    }
    try {
        fixed_ = parse_choice(settings.choice);
        mode_ = Mode::fixed;
    } catch (const Error& error) {
        settings.complaints.push_back(std::string("ECO_CHOICE is ignored: ") + error.what());
    }
}

// Whether anything but the library may run.
bool Chooser::is_open(const Request& request, Bytes bytes) const {
    return bytes <= most_bytes_ && !(keep_order_ && traits(request.operation).reduces());
}

Choice Chooser::choose(const Request& request, Bytes bytes) const {
    return explain(request, bytes).choice;
}

Explained Chooser::explain(const Request& request, Bytes bytes) const {
    Explained found{{}, Explained::Rests::setting};
    if (bytes > most_bytes_) found.rests = Explained::Rests::too_long;
    if (!is_open(request, bytes)) return found;
    switch (mode_) {
        case Mode::native:
            return found;
        case Mode::eco:
            found.choice = candidates(request, bytes).front();
            break;
        case Mode::fixed:
            found.choice = fixed_;
            break;
        case Mode::automatic:
            found = tuned(request, bytes);
            break;
    }
    if (supports(found.choice, request, bytes)) return found;
    // An operator that does not commute.
    if (found.choice.on == On::ring) {
        found.choice.on = On::ranks;
        if (supports(found.choice, request, bytes)) return found;
    }
    // Where a job cannot multicast, its sums have the bits of the jobs that can.
    const bool sum = found.choice.is_mcast() && traits(request.operation).reduces();
    found.choice = sum && supports(without_multicast(found.choice), request, bytes)
                       ? without_multicast(found.choice)
                       : Choice{};
    return found;
}

Choice scaled(Choice choice, Bytes timed, Bytes bytes, const Request& request) {
    if (choice.segments <= 1 || timed <= 0 || bytes <= 0) return choice;
    const double wanted = std::ceil(static_cast<double>(choice.segments) *
                                    static_cast<double>(bytes) / static_cast<double>(timed));
    // A program's length grows with its segments (extent.h).
    int fits = choice.segments;
    choice.segments = static_cast<int>(std::clamp(wanted, 1.0, 1.0 * most_segments(request)));
    if (choice.segments <= fits || supports(choice, request)) return choice;
    for (int least_refused = choice.segments; least_refused - fits > 1;) {
        choice.segments = fits + (least_refused - fits) / 2;
        (supports(choice, request) ? fits : least_refused) = choice.segments;
    }
    choice.segments = fits;
    return choice;
}

double distance(Bytes a, Bytes b) {
    const auto x = static_cast<double>(std::max<Bytes>(a, 1)),
               y = static_cast<double>(std::max<Bytes>(b, 1));
    return std::max(x, y) / std::min(x, y);
}

bool Chooser::is_inside(const Request& request) const {
    return request.hierarchy->one_subnet && !one_subnet_;
}

// An entry that was timed on as many hosts of each group as the communicator has, if there is one,
// else any other; among these one of the communicator's rank layout, if there is one; of these the
// one with the nearest message size.
const Chooser::Entry* Chooser::nearest(const std::vector<Entry>& entries, const Request& request,
                                       Bytes bytes) const {
    return nearest(entries, request, bytes, is_near(*request.hierarchy));
}

const Chooser::Entry* Chooser::nearest(const std::vector<Entry>& entries, const Request& request,
                                       Bytes bytes, bool near) const {
    // How a schedule fares depends on whether ranks share their host's link.
    const bool hosts_shared = ranks_per_host(*request.hierarchy) > 1;
    const Operation operation = tuned_as(request.operation);
    const Entry* best = nullptr;
    for (const Entry& entry : entries) {
        if (entry.operation != operation || (entry.bytes < 0) != (bytes < 0)) continue;
        if (entry.hosts_shared != hosts_shared) continue;
        const auto unlike = [&](const Entry& each) {
            return std::pair(each.structure != request.hierarchy->structure, each.near != near);
        };
        if (!best || unlike(entry) < unlike(*best) ||
            (unlike(entry) == unlike(*best) &&
             distance(entry.bytes, bytes) < distance(best->bytes, bytes)))
            best = &entry;
    }
    return best;
}

Explained Chooser::tuned(const Request& request, Bytes bytes) const {
    const bool inside = is_inside(request);
    const Entry *timed = inside ? nullptr : nearest(timed_, request, bytes),
                *predicted = nearest(predicted_, request, bytes);
    if (const auto untimed = untimed_here(request, bytes, timed))
        return explain_untimed(*untimed, request, bytes);
    if (inside) return {{}, Explained::Rests::inside};
    if (!timed && !predicted)
        return timed_.empty() && predicted_.empty() ? untuned(request, bytes) : Explained{};
    // If timing took ECO, prediction may know better which schedule suits a size far from it;
    // not if it took several rails, which nobody predicted.
    constexpr double far = 2;
    // Several ranks on a host: what follows from calls with one says nothing of other sizes.
    if (timed && predicted && timed->is_guess() && distance(timed->bytes, bytes) > far)
        timed = nullptr;
    // Of messages so many times as long as what was timed a clear prediction counts even where the
    // library won: it may have another algorithm there.
    constexpr Bytes much_longer = 4;
    const bool clear = predicted && predicted->gain > clear_gain(request);
    if (timed && timed->choice.is_native() && clear && bytes > much_longer * timed->bytes)
        timed = nullptr;
    const bool wins = timed ? !timed->choice.is_native() : clear;
    const auto by = [](const Entry& entry) {
        return Explained{{},
                         entry.confirmed ? Explained::Rests::timed : Explained::Rests::predicted,
                         entry.bytes,
                         entry.native,
                         entry.eco};
    };
    if (!wins) return by(timed ? *timed : *predicted);
    const bool as_timed =
        timed && (!predicted || timed->choice.rails > 0 ||
                  distance(timed->bytes, bytes) <= far * distance(predicted->bytes, bytes));
    const Entry& best = as_timed ? *timed : *predicted;
    Explained found = by(best);
    found.choice = scaled(best.choice, best.bytes, bytes, request);
    return found;
}

std::optional<Choice> Chooser::choose_nonblocking(const Request& request, Bytes bytes) const {
    if (mode_ != Mode::automatic || !is_open(request, bytes)) return std::nullopt;
    if (is_inside(request)) return std::nullopt;
    const Entry* own = nearest(nonblocking_, request, bytes);
    if (!own) return std::nullopt;
    const Entry* blocking = nearest(timed_, request, bytes);
    // That of the blocking call says more if it is of this layout or size, and the other is not.
    constexpr double far = 2;
    if (blocking && (own->near != blocking->near ||
                     distance(own->bytes, bytes) > far * distance(blocking->bytes, bytes)))
        return std::nullopt;
    const Choice choice = scaled(own->choice, own->bytes, bytes, request);
    return supports(choice, request, bytes) ? choice : Choice{};
}

// Without timings only what crosses slow links less often, on a network that has some.
Explained Chooser::untuned(const Request& request, Bytes bytes) const {
    if (one_subnet_ || traits(request.operation).blocks != Blocks::parts) return {};
    // A prefix goes from rank to rank, whatever the network.
    if (traits(request.operation).rules == Rules::prefix) return {};
    const auto best = shaped(request, bytes);
    return {best ? *best : candidates(request, bytes).front(), Explained::Rests::shape};
}

// All-to-alls of a size that not all ranks know: a window keeps long messages from overflowing a
// queue on their way, and short ones wait for none (docs/decisions/0044).
static Choice with_window(Choice choice, Bytes bytes) {
    if (bytes < 0 && choice.family() == Family::direct && choice.window == 0) choice.window = 4;
    return choice;
}

Knowledge Chooser::knowledge(const Request& request, Bytes bytes) const {
    Knowledge found;
    found.choice = choose(request, bytes);
    const bool fixed = mode_ != Mode::automatic || !is_open(request, bytes);
    const bool inside = is_inside(request);
    const Entry *timed = inside ? nullptr : nearest(timed_, request, bytes),
                *predicted = inside ? nullptr : nearest(predicted_, request, bytes);
    // On one subnet of nothing but itself a library does well: an operation that nobody timed is
    // not tried. Nor is anything tried over rails, which may not be open.
    if (fixed || (one_subnet_ && !timed) || found.choice.rails > 0) return found;
    found.open = true;
    const bool native = found.choice.is_native();
    // Between sizes that are far apart a library may change its algorithm twice.
    constexpr double near_enough = 2, sure_gain = 1.1, sure_loss = 0.95;
    const bool of_these = timed && timed->structure == request.hierarchy->structure;
    if (of_these && distance(timed->bytes, bytes) <= near_enough) {
        const bool took_native = timed->choice.is_native();
        const auto size = static_cast<double>(std::max<Bytes>(timed->bytes, 1));
        using enum Knowledge::Sure;
        const bool clear = native ? timed->gain > 0 && timed->gain < sure_loss
                                  : !took_native && timed->gain > sure_gain;
        if (timed->confirmed && clear)
            found.sure = by_timing;
        else if (!timed->confirmed && !native && !took_native && !timed->is_guess())
            found.sure = by_prediction;
        // A shorter message may take as long: what it takes besides its bytes stays.
        const double longer = static_cast<double>(std::max({bytes, timed->bytes, Bytes{1}})) / size;
        if (found.sure != no) found.expected = timed->takes() * longer;
        found.native = timed->native * longer;
    }
    const auto consider = [&](const Choice& likely) {
        const Choice choice = with_window(likely, bytes);
        const bool fits =
            !choice.is_native() && choice.rails == 0 && supports(choice, request, bytes);
        const bool fresh =
            choice != found.choice &&
            std::find(found.rivals.begin(), found.rivals.end(), choice) == found.rivals.end();
        if (fits && fresh) found.rivals.push_back(choice);
    };
    if (const auto untimed = untimed_here(request, bytes, timed))
        consider(scaled(untimed->here.best, untimed->here.bytes, bytes, request));
    else if (predicted)
        consider(scaled(predicted->choice, predicted->bytes, bytes, request));
    // A network may stop passing multicasts on. Where the library runs and nobody predicted which
    // is the best: a tree, or what stands first, and the multicast.
    const bool all_mcast = std::all_of(found.rivals.begin(), found.rivals.end(),
                                       [](const Choice& choice) { return choice.is_mcast(); });
    const bool nothing_predicted = native && found.rivals.empty();
    if (!nothing_predicted && !(found.choice.is_mcast() && all_mcast)) return found;
    const std::vector<Choice> list = candidates(request, bytes);
    const auto first = [&](bool mcast) {
        return std::find_if(list.begin(), list.end(), [=](const Choice& choice) {
            return !choice.is_native() && choice.is_mcast() == mcast;
        });
    };
    if (const auto best = shaped(request, bytes))
        consider(*best);
    else if (const auto other = first(false); other != list.end())
        consider(*other);
    if (const auto mcast = first(true); nothing_predicted && mcast != list.end()) consider(*mcast);
    return found;
}

}  // namespace eco
