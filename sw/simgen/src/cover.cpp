// SPDX-License-Identifier: Apache-2.0
#include "ow/simgen/cover.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace ow::simgen {
namespace {

constexpr size_t kCuts = 8;  // kept of a node, besides the one that is the node itself
constexpr int kFlowPasses = 3;
constexpr int kAreaPasses = 2;
constexpr float kTable = 1;  // the cost of one
constexpr std::array<uint8_t, 3> kVariables = {kTableA, kTableB, kTableC};

struct Cut {
  std::array<Bit, 3> leaves{};  // in order
  uint8_t size = 0;
  uint8_t table = 0;  // of the node over the leaves
};

// The leaves of both, in order. False if there are more than three.
bool merge(Cut* into, const Cut& with) {
  std::array<Bit, 6> all{};
  const auto end =
      std::set_union(into->leaves.begin(), into->leaves.begin() + into->size, with.leaves.begin(),
                     with.leaves.begin() + with.size, all.begin());
  const auto size = static_cast<size_t>(end - all.begin());
  if (size > 3) return false;
  std::copy(all.begin(), end, into->leaves.begin());
  into->size = static_cast<uint8_t>(size);
  return true;
}

// A cut's table over other leaves, of which its own are a part.
uint8_t widen(const Cut& cut, const Cut& over) {
  std::array<uint8_t, 3> inputs{};
  for (size_t k = 0; k < cut.size; ++k) {
    const auto at = std::find(over.leaves.begin(), over.leaves.begin() + over.size, cut.leaves[k]);
    inputs[k] = kVariables[static_cast<size_t>(at - over.leaves.begin())];
  }
  return compose(cut.table, inputs);
}

// Leaves out those leaves on which the table does not depend.
void reduce(Cut* cut) {
  Cut less;
  std::array<uint8_t, 3> places{};
  for (size_t k = 0; k < cut->size; ++k) {
    if (!depends(cut->table, static_cast<int>(k))) continue;
    places[k] = kVariables[less.size];
    less.leaves[less.size++] = cut->leaves[k];
  }
  less.table = compose(cut->table, places);
  *cut = less;
}

class Mapper {
 public:
  Mapper(const Logic& logic, const std::vector<Bit>& needed)
      : logic_(logic),
        needed_(needed),
        cuts_(logic.nodes().size()),
        best_(cuts_.size()),
        flow_(cuts_.size(), 0),
        readers_(cuts_.size(), 0) {}

  Cover run() {
    for (const Node& node : logic_.nodes()) {
      for (size_t k = 0; k < node.inputs; ++k) ++readers_[node.in[k]];
    }
    for (const Bit bit : needed_) ++readers_[bit];
    for (int pass = 0; pass < kFlowPasses; ++pass) {
      for (Bit n = kTrue + 1; n < cuts_.size(); ++n) choose_by_flow(n, pass == 0);
      count_readers();
    }
    for (int pass = 0; pass < kAreaPasses; ++pass) {
      for (Bit n = kTrue + 1; n < cuts_.size(); ++n) choose_by_area(n);
    }
    return take();
  }

 private:
  bool is_leaf(Bit n) const { return logic_.node(n).inputs == 0; }

  float flow_of(const Cut& cut) const {
    float flow = kTable;
    for (size_t k = 0; k < cut.size; ++k) flow += flow_[cut.leaves[k]];
    return flow;
  }

  // All cuts of a node: one of each input, merged.
  void enumerate(Bit n) {
    const Node& node = logic_.node(n);
    std::vector<Cut> found;
    const auto choices = [&](size_t k) {
      std::vector<Cut> cuts;
      if (k >= node.inputs) return std::vector<Cut>(1);
      const Bit in = node.in[k];
      cuts.push_back({{in}, 1, kTableA});
      cuts.insert(cuts.end(), cuts_[in].begin(), cuts_[in].end());
      return cuts;
    };
    const std::array<std::vector<Cut>, 3> of = {choices(0), choices(1), choices(2)};
    for (const Cut& a : of[0]) {
      for (const Cut& b : of[1]) {
        Cut both = a;
        if (!merge(&both, b)) continue;
        for (const Cut& c : of[2]) {
          Cut cut = both;
          if (!merge(&cut, c)) continue;
          cut.table = compose(node.table, {widen(a, cut), widen(b, cut), widen(c, cut)});
          reduce(&cut);
          found.push_back(cut);
        }
      }
    }
    keep(&found);
    cuts_[n] = std::move(found);
  }

  // The cheapest, each set of leaves once.
  void keep(std::vector<Cut>* found) {
    std::sort(found->begin(), found->end(), [](const Cut& x, const Cut& y) {
      return std::tie(x.size, x.leaves) < std::tie(y.size, y.leaves);
    });
    found->erase(std::unique(found->begin(), found->end(),
                             [](const Cut& x, const Cut& y) {
                               return x.size == y.size && x.leaves == y.leaves;
                             }),
                 found->end());
    std::stable_sort(found->begin(), found->end(),
                     [this](const Cut& x, const Cut& y) { return flow_of(x) < flow_of(y); });
    if (found->size() > kCuts) found->resize(kCuts);
  }

  void choose_by_flow(Bit n, bool first) {
    if (is_leaf(n)) return;
    if (first) enumerate(n);
    float least = 0;
    for (size_t k = 0; k < cuts_[n].size(); ++k) {
      const float flow = flow_of(cuts_[n][k]);
      if (k != 0 && flow >= least) continue;
      best_[n] = static_cast<uint8_t>(k);
      least = flow;
    }
    flow_[n] = least / static_cast<float>(std::max(readers_[n], 1u));
  }

  const Cut& chosen(Bit n) const { return cuts_[n][best_[n]]; }

  // How many tables read each bit with the cuts that are chosen now. Bits that nobody reads keep a
  // count of 0.
  void count_readers() {
    std::fill(readers_.begin(), readers_.end(), 0);
    for (const Bit bit : needed_) ++readers_[bit];
    for (Bit n = static_cast<Bit>(cuts_.size()); n-- > kTrue + 1;) {
      if (is_leaf(n) || readers_[n] == 0) continue;
      for (size_t k = 0; k < chosen(n).size; ++k) ++readers_[chosen(n).leaves[k]];
    }
  }

  // The tables that would become free if nobody read the cut's leaves (or needed if someone did).
  unsigned give_up(const Cut& cut) {
    unsigned area = 1;
    for (size_t k = 0; k < cut.size; ++k) {
      const Bit leaf = cut.leaves[k];
      if (--readers_[leaf] == 0 && !is_leaf(leaf)) area += give_up(chosen(leaf));
    }
    return area;
  }
  unsigned take_up(const Cut& cut) {
    unsigned area = 1;
    for (size_t k = 0; k < cut.size; ++k) {
      const Bit leaf = cut.leaves[k];
      if (readers_[leaf]++ == 0 && !is_leaf(leaf)) area += take_up(chosen(leaf));
    }
    return area;
  }

  void choose_by_area(Bit n) {
    if (is_leaf(n) || readers_[n] == 0) return;
    give_up(chosen(n));
    unsigned least = 0;
    for (size_t k = 0; k < cuts_[n].size(); ++k) {
      const unsigned area = take_up(cuts_[n][k]);
      give_up(cuts_[n][k]);
      if (k != 0 && area >= least) continue;
      best_[n] = static_cast<uint8_t>(k);
      least = area;
    }
    take_up(chosen(n));
  }

  Cover take() const {
    Cover cover;
    cover.tables.resize(cuts_.size());
    cover.is_table.assign(cuts_.size(), 0);
    for (Bit n = kTrue + 1; n < cuts_.size(); ++n) {
      if (is_leaf(n) || readers_[n] == 0) continue;
      cover.tables[n] = {chosen(n).table, chosen(n).size, chosen(n).leaves};
      cover.is_table[n] = 1;
      cover.order.push_back(n);
    }
    return cover;
  }

  const Logic& logic_;
  const std::vector<Bit>& needed_;
  std::vector<std::vector<Cut>> cuts_;
  std::vector<uint8_t> best_;
  std::vector<float> flow_;
  std::vector<unsigned> readers_;
};

}  // namespace

Cover cover(const Logic& logic, const std::vector<Bit>& needed) {
  return Mapper(logic, needed).run();
}

}  // namespace ow::simgen
