// SPDX-License-Identifier: Apache-2.0
#include "tile_cells.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ow/base/error.h"

namespace ow::sim {
namespace {

// Registers that only a tile with InputRegs has stand in generate blocks of this name.
constexpr char kInputs[] = "gen_inputs.";
constexpr const char* kLinks[] = {"u_router.gen_inputs.link_n_q", "u_router.gen_inputs.link_e_q",
                                  "u_router.gen_inputs.link_s_q", "u_router.gen_inputs.link_w_q"};
constexpr char kCycle[] = "gen_inputs.cycle_q";

// "ow_tile__DOT__u_x__DOT__gen_y__BRA__1__KET____DOT__z_q" is u_x.gen_y[1].z_q.
std::string name_of(std::string name) {
  const auto replace = [&name](const std::string& from, const char* to) {
    for (size_t at = name.find(from); at != std::string::npos; at = name.find(from, at)) {
      name.replace(at, from.size(), to);
    }
  };
  replace("__BRA__", "[");
  replace("__KET__", "]");
  replace("__DOT__", ".");
  // The register of an output may be known where the instance is: "u_x.__Vcellout__u_y__z_o".
  const std::string out = "__Vcellout__";
  if (const size_t at = name.find(out); at != std::string::npos) {
    name.erase(at, out.size());
    name.replace(name.rfind("__"), 2, ".");
  }
  return name.substr(name.find('.') + 1);
}

}  // namespace

TileCells::TileCells(const Model<Vow_tile>& model) {
  constexpr size_t kNone = SIZE_MAX;
  for (size_t& link : links_) link = kNone;
  cycle_ = kNone;
  std::vector<Cell> cells = model.cells();
  for (const Cell& other : model.others()) cells.push_back(other);
  for (const Cell& cell : cells) {
    const size_t bytes = static_cast<size_t>(cell.stride) / 8;
    StateSignal signal{name_of(cell.name), cell.size / bytes, cell.bits};
    const auto offset = static_cast<size_t>(cell.data - model.state());
    Place place{offset, signal.elements, bytes, layout_.words(), signal.element_words()};
    if (signal.name.find(kInputs) == std::string::npos) {
      places_.push_back(place);
      layout_.add(std::move(signal));
      continue;
    }
    for (size_t side = 0; side < 4; ++side) {
      if (signal.name == kLinks[side]) links_[side] = offset;
    }
    if (signal.name == kCycle) cycle_ = offset;
    inputs_.push_back(place);
  }
  for (const size_t link : links_) {
    if (link == kNone) throw InternalError("a Verilated tile has no register of a link's input");
  }
  if (cycle_ == kNone) throw InternalError("a Verilated tile has no register of the cycle");
}

void TileCells::read(const Model<Vow_tile>& model, uint64_t* words) const {
  std::memset(words, 0, layout_.words() * sizeof *words);
  for (const Place& p : places_) {
    const uint8_t* from = model.state() + p.offset;
    uint64_t* to = words + p.first;
    for (size_t k = 0; k < p.elements; ++k, from += p.bytes, to += p.element_words) {
      std::memcpy(to, from, p.bytes);
    }
  }
}

void TileCells::read_next(Model<Vow_tile>* model, uint64_t* words) const {
  uint8_t* const state = model->state();
  const std::vector<uint8_t> before(state, state + model->state_bytes());
  Vow_tile* const m = model->get();
  m->link_n_i = m->link_e_i = m->link_s_i = m->link_w_i = 0;
  model->clock_both_edges();
  read(*model, words);
  std::copy(before.begin(), before.end(), state);
}

void TileCells::write(Model<Vow_tile>* model, const uint64_t* words) const {
  for (const Place& p : places_) {
    uint8_t* to = model->state() + p.offset;
    const uint64_t* from = words + p.first;
    for (size_t k = 0; k < p.elements; ++k, to += p.bytes, from += p.element_words) {
      std::memcpy(to, from, p.bytes);
    }
  }
}

void TileCells::begin(Model<Vow_tile>* model, uint64_t cycle, const uint64_t* in) const {
  uint8_t* const state = model->state();
  for (const Place& p : inputs_) std::memset(state + p.offset, 0, p.elements * p.bytes);
  std::memcpy(state + cycle_, &cycle, sizeof cycle);
  for (size_t side = 0; side < 4; ++side) {
    std::memcpy(state + links_[side], &in[side], sizeof in[side]);
  }
  Vow_tile* const m = model->get();
  m->cycle_i = cycle;
  m->link_n_i = in[0];
  m->link_e_i = in[1];
  m->link_s_i = in[2];
  m->link_w_i = in[3];
  m->clk_i = 0;
  model->settle();
  model->evaluate();
}

}  // namespace ow::sim
