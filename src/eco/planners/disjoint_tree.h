// SPDX-License-Identifier: BSD-3-Clause
// Turns a number of parts and a segment's number into one of the edge-disjoint binomial trees of a
// hypercube (Johnsson and Ho, 1989). Called by tree.h for Shape::disjoint.
#pragma once

namespace eco {

// The root is vertex 0. There is one tree along each dimension, and a segment's goes out along its
// own; along the others in turn whoever has the segment hands it on, and at last along the first
// one to the half that lacks it. With a tree further for each segment every vertex has one segment
// to send at each step. If parts are no power of two, those beyond it are paired with vertices
// other than the root's: one of the two receives for the vertex, and hands to the other, which
// sends.
class DisjointTree {
public:
    DisjointTree(int parts, int segment);

    int count() const { return dimensions_; }  // of different trees; 0 for one part
    int parent(int part) const;                // part > 0
    // After how many steps the part has the segment, in this order its parent sends to it.
    int step_of(int part) const;

private:
    int last_dimension(int vertex) const;

    int dimensions_, vertices_, paired_, first_;
};

}  // namespace eco
