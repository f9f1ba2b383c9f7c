// SPDX-License-Identifier: Apache-2.0
// Random synchronous designs, written as C, compiled and run in all widths that this machine has:
// each tile has inputs of its own, and each register must be that of the design word by word.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ow/base/temporary_directory.h"
#include "ow/simgen/emit.h"
#include "ow_wide_model.h"
#include "random_netlist.h"
#include "seed.h"

namespace ow::simgen {
namespace {

constexpr int kCycles = 60;
constexpr size_t kInputs = 12;
constexpr size_t kCompared = 9;  // tiles, spread over the vector

std::vector<int> widths() {
  std::vector<int> all = {64};
  if (__builtin_cpu_supports("avx2") != 0) all.push_back(256);
  if (__builtin_cpu_supports("avx512f") != 0) all.push_back(512);
  return all;
}

const char* machine_flag(int width) {
  return width == 512 ? "-mavx512f" : width == 256 ? "-mavx2" : "";
}

// The code of a model in one width, from a shared library.
class Library {
 public:
  Library(const std::string& directory, int width, int files) {
    const std::string path = fmt::format("{}/model_{}.so", directory, width);
    std::string command = fmt::format(
        "cc -std=gnu11 -O1 -shared -fPIC -Wall -Werror -DOW_WIDE={} {} -I{} -I{} -o {} {}/banks.c "
        "{}/model_names.c",
        width, machine_flag(width), OW_SIMGEN_RUNTIME, directory, path, OW_SIMGEN_RUNTIME,
        directory);
    for (int k = 0; k < files; ++k) command += fmt::format(" {}/model_{}.c", directory, k);
    if (std::system(command.c_str()) != 0) return;
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) return;
    code = static_cast<const ow_wide_code*>(
        dlsym(handle_, fmt::format("model_code_{}", width).c_str()));
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  const ow_wide_code* code = nullptr;

 private:
  void* handle_ = nullptr;
};

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
  uint64_t word(size_t bank, size_t tile, size_t index) const {
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

Netlist random_design(uint64_t seed) {
  Builder builder(seed);
  builder.input("a_i", kInputs);
  const char* const types[] = {"$dff", "$dffe", "$sdff", "$sdffe", "$sdffce"};
  for (int k = 0; k < 12; ++k) {
    builder.registers(types[builder.below(5)], 1 + builder.below(9), builder.below(2) != 0);
    for (int n = 0; n < 6; ++n) builder.logic();
    if (k % 4 == 0)
      builder.memory(3 + builder.below(14), 1 + builder.below(12), builder.below(2) != 0);
  }
  return builder.finish();
}

// The lane of a tile that is compared: the first and the last one are among them.
size_t lane_of(size_t tile, size_t width) { return tile * (width - 1) / (kCompared - 1); }

// The first difference, or nothing.
std::string difference(const Netlist& netlist, std::vector<ReferenceModel>* tiles, State* state,
                       const ow_wide_code& code) {
  const ow_wide_names& names = *code.names;
  const auto width = static_cast<size_t>(code.width);
  std::map<std::pair<std::string, int>, Net> nets;
  for (const auto& [net, name] : netlist.names) nets[{name.signal, name.bit}] = net;
  for (size_t t = 0; t < tiles->size(); ++t) {
    const size_t lane = lane_of(t, width);
    for (size_t r = 0; r < static_cast<size_t>(names.register_count); ++r) {
      const ow_wide_bit& bit = names.registers[r];
      const std::string signal = bit.signal;
      bool expected;
      if (signal.rfind("memory", 0) == 0) {
        const size_t open = signal.find('[');
        expected =
            ((*tiles)[t].memory(signal.substr(0, open))[std::stoul(signal.substr(open + 1))] >>
                 bit.bit &
             1) != 0;
      } else {
        expected = (*tiles)[t].net(nets.at({signal, bit.bit}));
      }
      if (state->reg(r, lane) != expected)
        return fmt::format("tile {}: {}[{}]", t, signal, bit.bit);
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
    const std::string found = difference(netlist, &tiles, &state, code);
    ASSERT_EQ(found, "") << "OW_SEED=" << seed << ", width " << code.width << ", cycle " << cycle;
  }
}

TEST(Model, RandomDesignsHaveTheSameStateInEachWidth) {
  for (uint64_t round = 0; round < 2; ++round) {
    const uint64_t seed = test_seed(1) + round;
    const Netlist netlist = random_design(seed);
    BlastOptions options;
    options.bank_bits = 60;  // so that some memories are banks and others registers
    Design design = blast(netlist, options);
    PlanOptions small;
    small.block = 20;
    small.least_group = 1 + 3 * round;
    small.most_enables = 1 + 2 * round;
    small.least_tables = 1 + 4 * round;
    const Plan order = plan(&design, small);
    const TemporaryDirectory directory;
    emit(design, order, {"model", directory.path(), 2, 50});
    for (const int width : widths()) {
      const Library library(directory.path(), width, 2);
      ASSERT_NE(library.code, nullptr) << "the C of seed " << seed << " does not compile";
      for (const bool few : {false, true}) run(netlist, *library.code, seed, few);
    }
  }
}

}  // namespace
}  // namespace ow::simgen
