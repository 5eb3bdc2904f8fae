// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/circulant.h"

#include "eco/base/at.h"
#include "eco/base/check.h"

namespace eco {

namespace {

// Which blocks reach a party last, and by which neighbour: a search, depth first, over ways from
// party 0 with long skips first. Each way to a neighbour names the block that comes from there.
class BlockSearch {
public:
    // Parties are numbered once round further, so that no way leads below 0.
    BlockSearch(const std::vector<int>& skips, int party, int first_block)
        : skips_(skips),
          dimensions_(static_cast<int>(skips.size()) - 1),
          party_(skips.back() + party),
          last_place_(2 * skips.back()),
          taken_(skips.size(), false) {
        taken_[at(first_block)] = true;
    }

    // By dimension: the skip with which the way to the neighbour begins.
    std::vector<int> run() {
        search(0, dimensions_);
        ECO_CHECK(static_cast<int>(found_.size()) == dimensions_);
        return std::move(found_);
    }

private:
    int dimension() const { return static_cast<int>(found_.size()); }
    bool is_done() const { return dimension() == dimensions_; }

    // Ways that have come to `place`, and go on with this skip or a shorter one.
    void search(int place, int longest) {
        for (int skip = longest; skip >= 0; --skip) {
            if (taken_[at(skip)]) continue;
            const int next = place + skips_[at(skip)];
            if (next > party_ - skips_[at(dimension())] || next >= last_place_) continue;
            if (next <= party_ - skips_[at(dimension() + 1)]) {
                search(next, skip);
                if (is_done()) return;
            }
            if (place > party_ - skips_[at(dimension() + 1)]) return;
            last_place_ = next;
            taken_[at(skip)] = true;
            found_.push_back(skip);
            if (is_done()) return;
        }
    }

    const std::vector<int>& skips_;
    int dimensions_, party_;
    int last_place_;  // of the block found last: the next one comes from before it
    std::vector<bool> taken_;
    std::vector<int> found_;
};

}  // namespace

Circulant::Circulant(int parties) {
    skips_.push_back(parties);
    while (skips_.back() > 1) skips_.push_back((skips_.back() + 1) / 2);
    skips_ = std::vector<int>(skips_.rbegin(), skips_.rend());
}

// The dimension in which the shortest way from party 0 begins; of party 0 itself: none.
int Circulant::first_block(int party) const {
    for (int dimension = dimensions() - 1; dimension >= 0; --dimension) {
        if (party == skip(dimension)) return dimension;
        if (party > skip(dimension)) party -= skip(dimension);
    }
    return dimensions();
}

std::vector<int> Circulant::blocks_to(int party) const {
    const int first = first_block(party);
    std::vector<int> blocks = BlockSearch(skips_, party, first).run();
    for (int& block : blocks) block = block == dimensions() ? first : block - dimensions();
    return blocks;
}

}  // namespace eco
