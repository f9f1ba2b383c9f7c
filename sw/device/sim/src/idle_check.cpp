// SPDX-License-Identifier: Apache-2.0
#include "idle_check.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace ow::sim {

// Before the comparison the time is set back to that of the last evaluation; nothing came on the
// links in it.
std::string IdleCheck::unchanged(size_t tile, Model<Vow_tile>* model, uint64_t cycle) {
  Model<Vow_tile>& m = *model;
  const uint8_t* const state = m.state();
  const uint64_t last_cycle = m->cycle_i;
  const auto outputs = [&] {
    return std::array<uint64_t, 5>{m->link_n_o, m->link_e_o, m->link_s_o, m->link_w_o, m->idle_o};
  };
  m->link_n_i = m->link_e_i = m->link_s_i = m->link_w_i = 0;
  m.evaluate();
  const std::array<uint64_t, 5> outputs_before = outputs();
  before_.assign(state, state + m.state_bytes());
  for (const uint64_t time : {cycle, last_cycle}) {
    m->cycle_i = time;
    both_edges_ ? m.clock_both_edges() : m.clock();
  }
  m.evaluate();
  ++evaluations_;
  std::string changed;
  if (std::memcmp(before_.data(), state, before_.size()) != 0) {
    for (const Cell& c : m.cells()) {
      if (std::memcmp(before_.data() + (c.data - state), c.data, c.size) != 0) {
        changed = c.name;
        break;
      }
    }
    if (changed.empty() && settled_[tile] != 0) changed = "a signal that is no register";
  }
  if (changed.empty() && outputs() != outputs_before) changed = "an output";
  settled_[tile] = 1;
  if (changed.empty()) return "";
  return fmt::format(" changed in cycle {} although it was idle and nothing arrived: {}", cycle,
                     changed);
}

}  // namespace ow::sim
