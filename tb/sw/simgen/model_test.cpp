// SPDX-License-Identifier: Apache-2.0
// Synchronous designs, random ones and small ones, written as C, compiled and run in all widths
// that this machine has. Each tile has inputs of its own and begins with a state of its own, as
// after a restore. Each register must be that of the design word by word.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "draws.h"
#include "library.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/temporary_directory.h"
#include "ow/simgen/blif.h"
#include "ow/simgen/emit.h"
#include "ow_wide_model.h"
#include "random_netlist.h"
#include "seed.h"

namespace ow::simgen {
namespace {

constexpr int kCycles = 60;
constexpr size_t kInputs = 12;
constexpr size_t kCompared = 9;  // tiles, spread over the vector

// The state of a model's block.
class State {
 public:
  explicit State(const ow_wide_code& code)
      : code_(code), state_(make(code.state_bytes)), scratch_(make(code.scratch_bytes)) {
    auto** const banks = reinterpret_cast<uint64_t**>(state_.get() + code.banks);
    for (int b = 0; b < code.names->bank_count; ++b) {
      const auto words = static_cast<size_t>(code.names->banks[b].words * code.width);
      words_.emplace_back(words, 0);
      banks[b] = words_.back().data();
    }
  }
  // All but the pointers to the banks.
  void take(const State& from) {
    std::memcpy(state_.get(), from.state_.get(), code_.banks);
    for (size_t b = 0; b < words_.size(); ++b) {
      std::copy(from.words_[b].begin(), from.words_[b].end(), words_[b].begin());
    }
  }
  void set_active(size_t tile, bool value) { set(&at(code_.active, 0, tile), tile, value); }
  void set_input(size_t index, size_t tile, bool value) {
    set(&at(code_.inputs, index, tile), tile, value);
  }
  bool reg(size_t index, size_t tile) {
    return (at(code_.registers, index, tile) >> tile % 64 & 1) != 0;
  }
  void set_reg(size_t index, size_t tile, bool value) {
    set(&at(code_.registers, index, tile), tile, value);
  }
  uint64_t& word(size_t bank, size_t tile, size_t index) {
    return words_[bank][tile * static_cast<size_t>(code_.names->banks[bank].words) + index];
  }
  void clock() {
    for (int k = 0; k < code_.part_count; ++k) code_.parts[k](state_.get(), scratch_.get());
  }

 private:
  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };
  static std::unique_ptr<uint8_t, Free> make(size_t bytes) {
    const size_t rounded = (bytes + 64) / 64 * 64;
    auto* const memory = static_cast<uint8_t*>(std::aligned_alloc(64, rounded));
    std::memset(memory, 0, rounded);
    return std::unique_ptr<uint8_t, Free>(memory);
  }
  static void set(uint64_t* word, size_t tile, bool value) {
    *word = (*word & ~(uint64_t{1} << tile % 64)) | uint64_t{value} << tile % 64;
  }
  uint64_t& at(size_t offset, size_t index, size_t tile) {
    return *reinterpret_cast<uint64_t*>(
        state_.get() + offset + index * static_cast<size_t>(code_.width) / 8 + tile / 64 * 8);
  }

  const ow_wide_code& code_;
  std::unique_ptr<uint8_t, Free> state_, scratch_;
  std::vector<std::vector<uint64_t>> words_;
};

// Banks are read and written in the same cycle, also by an address that another bank gave; some
// registers are the enable of their own group.
Netlist random_design(uint64_t seed) {
  Builder builder(seed);
  builder.input("a_i", kInputs);
  const char* const types[] = {"$dff", "$dffe", "$sdff", "$sdffe", "$sdffce"};
  std::vector<Net> given;  // by the last memory
  for (int k = 0; k < 12; ++k) {
    Cell& state =
        builder.registers(types[builder.below(5)], 1 + builder.below(9), builder.below(2) != 0);
    if (builder.below(4) == 0) state.ports["EN"] = {state.ports["Q"][0]};
    for (int n = 0; n < 6; ++n) builder.logic();
    if (k % 3 != 0) continue;
    const size_t words = 3 + builder.below(14), width = 1 + builder.below(12);
    const bool gated = builder.below(2) != 0;
    Cell& memory = builder.memory(words, width, gated, 1 + builder.below(2), 1 + builder.below(2));
    if (!given.empty() && builder.below(2) != 0) {
      for (Net& net : memory.ports["RD_ADDR"]) net = given[builder.below(given.size())];
    }
    given = memory.ports["RD_DATA"];
    if (builder.below(2) != 0) {
      Cell& taken = builder.registers(types[builder.below(5)], given.size(), false);
      taken.ports["D"] = given;
    }
  }
  return builder.finish();
}

// The lane of a tile that is compared: the first and the last one are among them.
size_t lane_of(size_t tile, size_t width) { return tile * (width - 1) / (kCompared - 1); }

// Where the reference has a register of the model: a net, or a bit of a word of a memory.
class Twin {
 public:
  Twin(const Netlist& netlist, const ow_wide_bit& bit) : bit_(bit.bit) {
    const std::string signal = bit.signal;
    if (signal.rfind("memory", 0) == 0) {
      const size_t open = signal.find('[');
      memory_ = signal.substr(0, open);
      word_ = std::stoul(signal.substr(open + 1));
      return;
    }
    for (const auto& [net, name] : netlist.names) {
      if (name.signal == signal && name.bit == bit.bit) net_ = net;
    }
    if (net_ == kNetZero) throw InternalError(fmt::format("no net is {}[{}]", signal, bit_));
  }
  bool get(ReferenceModel* tile) const {
    return memory_.empty() ? tile->net(net_) : (tile->memory(memory_)[word_] >> bit_ & 1) != 0;
  }
  void set(ReferenceModel* tile, bool value) const {
    if (memory_.empty()) return tile->set_net(net_, value);
    uint64_t& word = tile->memory(memory_)[word_];
    word = (word & ~(uint64_t{1} << bit_)) | uint64_t{value} << bit_;
  }

 private:
  std::string memory_;
  size_t word_ = 0;
  int bit_;
  Net net_ = kNetZero;
};

std::vector<Twin> twins_of(const Netlist& netlist, const ow_wide_names& names) {
  std::vector<Twin> twins;
  for (int r = 0; r < names.register_count; ++r) twins.emplace_back(netlist, names.registers[r]);
  return twins;
}

// Gives all tiles of the block a state at random, and the same to those that are compared.
void begin_anywhere(const std::vector<Twin>& twins, std::vector<ReferenceModel>* tiles,
                    State* state, const ow_wide_code& code, Rng* rng) {
  const auto width = static_cast<size_t>(code.width);
  for (size_t t = 0; t < width; ++t) {
    for (size_t r = 0; r < twins.size(); ++r) state->set_reg(r, t, rng->uniform() < 0.5);
    for (size_t b = 0; b < static_cast<size_t>(code.names->bank_count); ++b) {
      const ow_wide_bank& bank = code.names->banks[b];
      for (size_t w = 0; w < static_cast<size_t>(bank.words); ++w) {
        state->word(b, t, w) = rng->next() >> (64 - bank.bits);
      }
    }
  }
  for (size_t k = 0; k < kCompared; ++k) {
    const size_t lane = lane_of(k, width);
    for (size_t r = 0; r < twins.size(); ++r) twins[r].set(&(*tiles)[k], state->reg(r, lane));
    for (size_t b = 0; b < static_cast<size_t>(code.names->bank_count); ++b) {
      std::vector<uint64_t>& words = (*tiles)[k].memory(code.names->banks[b].name);
      for (size_t w = 0; w < words.size(); ++w) words[w] = state->word(b, lane, w);
    }
  }
}

// The first difference, or nothing.
std::string difference(const std::vector<Twin>& twins, std::vector<ReferenceModel>* tiles,
                       State* state, const ow_wide_code& code) {
  const ow_wide_names& names = *code.names;
  for (size_t t = 0; t < tiles->size(); ++t) {
    const size_t lane = lane_of(t, static_cast<size_t>(code.width));
    for (size_t r = 0; r < twins.size(); ++r) {
      if (state->reg(r, lane) == twins[r].get(&(*tiles)[t])) continue;
      return fmt::format("tile {}: {}[{}]", t, names.registers[r].signal, names.registers[r].bit);
    }
    for (size_t b = 0; b < static_cast<size_t>(names.bank_count); ++b) {
      const std::vector<uint64_t>& words = (*tiles)[t].memory(names.banks[b].name);
      for (size_t w = 0; w < words.size(); ++w) {
        if (state->word(b, lane, w) != words[w]) {
          return fmt::format("tile {}: {} word {}", t, names.banks[b].name, w);
        }
      }
    }
  }
  return "";
}

// Registers of all tiles that have neither their old value nor the next one.
size_t lost(State* before, State* after, State* all_active, const ow_wide_code& code) {
  size_t count = 0;
  for (size_t r = 0; r < static_cast<size_t>(code.names->register_count); ++r) {
    for (size_t t = 0; t < static_cast<size_t>(code.width); ++t) {
      const bool now = after->reg(r, t);
      count += now != before->reg(r, t) && now != all_active->reg(r, t) ? 1 : 0;
    }
  }
  return count;
}

// Only those that are compared are `active`, or all.
void run(const Netlist& netlist, const ow_wide_code& code, uint64_t seed, bool few) {
  Rng rng(seed);
  State state(code), before(code), all_active(code);
  const auto width = static_cast<size_t>(code.width);
  for (size_t t = 0; t < width; ++t) state.set_active(t, !few);
  for (size_t k = 0; k < kCompared; ++k) state.set_active(lane_of(k, width), true);
  std::vector<ReferenceModel> tiles(kCompared, ReferenceModel(netlist));
  const std::vector<Twin> twins = twins_of(netlist, *code.names);
  begin_anywhere(twins, &tiles, &state, code, &rng);
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    for (size_t t = 0; t < width; ++t) {
      const auto value = static_cast<uint64_t>(rng.uniform() * (1 << kInputs));
      for (size_t k = 0; k < kInputs; ++k) state.set_input(k, t, (value >> k & 1) != 0);
      for (size_t k = 0; k < kCompared; ++k) {
        if (lane_of(k, width) == t) tiles[k].set("a_i", value);
      }
    }
    for (ReferenceModel& tile : tiles) tile.clock();
    before.take(state);
    all_active.take(state);
    for (size_t t = 0; t < width; ++t) all_active.set_active(t, true);
    all_active.clock();
    state.clock();
    EXPECT_EQ(lost(&before, &state, &all_active, code), 0u) << "OW_SEED=" << seed;
    const std::string found = difference(twins, &tiles, &state, code);
    ASSERT_EQ(found, "") << "OW_SEED=" << seed << ", width " << code.width << ", cycle " << cycle;
  }
}

// In these widths, with all tiles active and with few.
void run_in(const std::vector<int>& widths, const Netlist& netlist,
            const BlastOptions& blast_options, const PlanOptions& plan_options, uint64_t seed) {
  Design design = blast(netlist, blast_options);
  const Plan order = plan(&design, plan_options);
  const TemporaryDirectory directory;
  emit(design, order, {"model", directory.path(), 2, 50});
  for (const int width : widths) {
    const Library library(directory.path(), width, 2);
    ASSERT_NE(library.code, nullptr) << "the C of seed " << seed << " does not compile";
    for (const bool few : {false, true}) run(netlist, *library.code, seed, few);
  }
}

// What is wrong with the order of a cycle is so in each width, and the narrowest compiles fastest.
void run_narrow(const Netlist& netlist, const BlastOptions& options = {}) {
  run_in({64}, netlist, options, {}, test_seed(1));
}

TEST(Model, RandomDesignsHaveTheSameStateInEachWidth) {
  for (const uint64_t seed : test_seeds(1, draws(16))) {
    BlastOptions banks;
    banks.bank_bits = 60;  // so that some memories are banks and others registers
    PlanOptions small;
    small.block = 20;
    small.least_group = 1 + seed % 2 * 3;
    small.most_enables = 1 + seed % 3 * 2;
    small.least_tables = 1 + seed % 4 * 2;
    run_in(widths(), random_design(seed), banks, small, seed);
  }
}

// `width` nets of the input.
std::vector<Net> some(const std::vector<Net>& input, size_t width) {
  std::vector<Net> nets(width);
  for (size_t k = 0; k < width; ++k) nets[k] = input[k % input.size()];
  return nets;
}

TEST(Model, AWordIsReadBeforeItIsWrittenInTheSameCycle) {
  Builder builder(test_seed(1));
  const std::vector<Net> a = builder.input("a_i", kInputs);
  Cell& bank = builder.memory(512, 64, false);
  bank.ports["RD_ADDR"] = bank.ports["WR_ADDR"] = some(a, 9);
  bank.ports["WR_EN"] = std::vector<Net>(64, a[9]);
  bank.ports["WR_DATA"] = some(a, 64);
  const std::vector<Net> data = bank.ports["RD_DATA"];
  builder.registers("$dff", 64, false).ports["D"] = data;
  run_narrow(builder.finish(0));
}

TEST(Model, ARegisterMayBeTheEnableOfItsGroup) {
  Builder builder(test_seed(1));
  const std::vector<Net> a = builder.input("a_i", kInputs);
  Cell& state = builder.registers("$dffe", 8, false);
  state.parameters["EN_POLARITY"] = "1";
  state.ports["EN"] = {state.ports["Q"][0]};
  state.ports["D"] = some(a, 8);
  run_narrow(builder.finish(0));
}

// Two groups with enables that are seldom 1 take each other's registers, and logic that is
// evaluated only then.
TEST(Model, GroupsMayTakeEachOthersRegisters) {
  Builder builder(test_seed(1));
  const std::vector<Net> a = builder.input("a_i", kInputs);
  std::vector<Net> enables;
  for (const size_t first : {size_t{0}, size_t{5}}) {
    Cell& all = builder.cell_of("$reduce_and", 5);
    all.ports["A"] = {a.begin() + static_cast<std::ptrdiff_t>(first),
                      a.begin() + static_cast<std::ptrdiff_t>(first) + 5};
    enables.push_back(all.ports["Y"][0]);
  }
  std::vector<std::vector<Net>> states;
  for (const Net enable : enables) {
    Cell& state = builder.registers("$dffe", 6, false);
    state.parameters["EN_POLARITY"] = "1";
    state.ports["EN"] = {enable};
    states.push_back(state.ports["Q"]);
  }
  std::vector<std::vector<Net>> next;
  for (const char* type : {"$xor", "$xnor"}) {
    Cell& cell = builder.cell_of(type, 6);
    cell.ports["A"] = states[0];
    cell.ports["B"] = states[1];
    next.push_back(cell.ports["Y"] = builder.fresh(6));
  }
  Netlist netlist = builder.finish(0);
  for (Cell& cell : netlist.cells) {
    for (size_t k = 0; k < 2; ++k) {
      if (cell.type != "$dffe" || cell.ports["Q"] != states[k]) continue;
      cell.ports["D"] = next[k];
      cell.ports["D"][0] = states[1 - k][0];
    }
  }
  run_narrow(netlist);
}

// The first bank's word goes to registers, and is the second one's address. What the second one
// gives goes to registers with another enable.
TEST(Model, ABankMayGiveTheAddressOfAnother) {
  Builder builder(test_seed(1));
  const std::vector<Net> a = builder.input("a_i", kInputs);
  Cell& sum = builder.cell_of("$xor", 8);
  sum.ports["A"] = some(a, 5);
  sum.ports["B"] = {a[5], a[6], a[7], a[8], a[9]};
  std::vector<Net> address = sum.ports["Y"] = builder.fresh(5);
  for (const Net enable : {a[10], a[11]}) {
    Cell& bank = builder.memory(32, 8, false);
    bank.ports["RD_ADDR"] = address;
    bank.ports["WR_EN"] = std::vector<Net>(8, a[0]);
    bank.ports["WR_ADDR"] = some(a, 5);
    bank.ports["WR_DATA"] = some(a, 8);
    const std::vector<Net> data = bank.ports["RD_DATA"];
    address.assign(data.begin(), data.begin() + 5);
    Cell& taken = builder.registers("$dffe", 8, false);
    taken.ports["D"] = data;
    taken.ports["EN"] = {enable};
  }
  BlastOptions banks;
  banks.bank_bits = 60;
  run_narrow(builder.finish(0), banks);
}

// Two bits lead to four words. The others keep what they have.
TEST(Model, AWordBeyondTheAddressIsNeverWritten) {
  Builder builder(test_seed(1));
  const std::vector<Net> a = builder.input("a_i", kInputs);
  Cell& memory = builder.memory(8, 4, false);
  memory.parameters["ABITS"] = "10";
  memory.ports["RD_ADDR"] = {a[0], a[1]};
  memory.ports["WR_ADDR"] = {a[2], a[3]};
  memory.ports["WR_EN"] = std::vector<Net>(4, a[4]);
  memory.ports["WR_DATA"] = {a[5], a[6], a[7], a[8]};
  const std::vector<Net> data = memory.ports["RD_DATA"];
  builder.registers("$dff", 4, false).ports["D"] = data;
  run_narrow(builder.finish(0));
}

// What a register that is never enabled would take is no table.
TEST(Blif, ReadsNoNetThatNothingDrives) {
  Builder builder(test_seed(1));
  const std::vector<Net> a = builder.input("a_i", 3);
  for (const Net enable : {kNetZero, kNetOne}) {
    Cell& either = builder.cell_of("$or", 1);
    either.ports["A"] = {a[0]};
    either.ports["B"] = {enable == kNetZero ? a[1] : a[2]};
    const std::vector<Net> y = either.ports["Y"] = builder.fresh(1);
    Cell& state = builder.registers("$dffe", 1, false);
    state.parameters["EN_POLARITY"] = "1";
    state.ports["EN"] = {enable};
    state.ports["D"] = y;
  }
  Design design = blast(builder.finish(0));
  const Plan order = plan(&design);
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/tables.blif";
  write_blif(design, order, path);
  std::set<std::string> driven, read;
  std::istringstream lines(read_text(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> nets;
    for (std::string word; words >> word;) nets.push_back(word);
    if (nets.front() == ".inputs") driven.insert(nets.begin() + 1, nets.end());
    if (nets.front() != ".names") continue;
    driven.insert(nets.back());
    read.insert(nets.begin() + 1, nets.end() - 1);
  }
  for (const std::string& net : read) EXPECT_EQ(driven.count(net), 1u) << net;
  EXPECT_EQ(driven.count("register':state1[0]"), 1u);
}

TEST(Plan, EvaluatesNoOutputThatIsNoRegister) {
  Builder builder(test_seed(1));
  builder.input("a_i", 8);
  const std::vector<Net> y = builder.cell_of("$add", 8).ports["Y"];
  builder.output("y_o", y);
  const std::vector<Net> q = builder.registers("$dff", 2, false).ports["Q"];
  builder.output("q_o", {y[0], q[0], q[1]});
  Netlist netlist = builder.finish(0);
  netlist.cells.back().ports["D"] = {q[1], q[0]};
  Design design = blast(netlist);
  const Plan order = plan(&design);
  ASSERT_EQ(order.outputs.size(), 2u);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(order.outputs[k].port, "q_o");
    EXPECT_EQ(order.outputs[k].bit, static_cast<int>(k) + 1);
    EXPECT_EQ(order.registers[order.outputs[k].reg].name.bit, static_cast<int>(k));
  }
  for (const Block& block : order.blocks) {
    for (const Step& step : block.steps) EXPECT_NE(step.kind, Step::Kind::Table);
  }
}

}  // namespace
}  // namespace ow::simgen
