// SPDX-License-Identifier: Apache-2.0
// The self-test of a tile (docs/bring-up.md) on its netlist, 511 faulty tiles beside a good one.
#ifndef OW_FAULTS_TESTER_H_
#define OW_FAULTS_TESTER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ow/dft/simulator.h"
#include "ow/isa/isa.h"
#include "ow/runtime/elf.h"

namespace ow::faults {

// A tile between its station and its four neighbours. The station is a model: it gives and takes
// one word every few cycles, without the commands of the chain.
class TileUnderTest {
 public:
  TileUnderTest(const Plan& plan, const std::vector<Fault>& faults, uint64_t power_up);

  Simulation& simulation() { return sim_; }
  void set_reset(bool reset) { sim_.set_port(*reset_, reset ? 1 : 0); }
  // One cycle. Before it, set_link() sets what the neighbours send.
  void settle();
  void clock();
  // What the tile sends at a side (N E S W).
  const Word& sent(int side, int bit) const { return sim_.value(out_[side]->bits[bit]); }
  void set_link(int side, int bit, const Word& value) {
    sim_.set_input(in_[side]->bits[bit], value);
  }
  void quiet_links();

  // The station sends a word to the endpoint. The word is lost if the one before was not taken.
  void push(uint32_t word, bool last);
  // The word that the endpoint shows now, 0 where there is none; take_endpoint_word() removes it.
  std::array<Word, 32> endpoint_word() const;
  void take_endpoint_word() { take_ = true; }
  // The 32-bit word at an address of the SRAM, without a look by the tile.
  std::array<Word, 32> memory_word(uint32_t addr) const;
  // Simulation::retire, between cycles.
  void retire(const Word& machines);

 private:
  Simulation sim_;
  const Port *reset_, *cycle_, *test_, *req_valid_, *req_, *req_ready_, *rsp_valid_, *rsp_,
      *rsp_ready_;
  const Port* in_[4];
  const Port* out_[4];
  uint64_t now_ = 0;
  Word pushed_ = all_machines(false);
  bool take_ = false;
};

constexpr int kLinkBits = isa::Link::kBits;

// What the steps of the self-test find.
struct Step {
  std::string name;
  uint64_t found = 0;
  uint64_t cycles = 0;
};
struct SelftestOptions {
  ElfImage selftest;               // selftest.elf
  std::vector<ElfImage> thorough;  // OW_SELFTEST_THOROUGH
  uint64_t power_up = 1;
  int threads = 1;
  // Called when a step of a batch has ended: faults tried and found so far.
  std::function<void(const std::string& step, uint64_t tried, uint64_t found)> progress;
};
struct SelftestRun {
  std::vector<int> found_by;  // per fault: the step, or -1 if it escaped
  std::vector<Step> steps;
  std::vector<uint32_t> signatures;  // of the good machine, to compare with the RTL's
};
// Runs the steps one after the other, each for the faults that those before have not found.
// DeviceFault if the good machine does not pass.
SelftestRun run_selftest(const Netlist& netlist, const std::vector<Fault>& faults,
                         const SelftestOptions& options);

}  // namespace ow::faults

#endif  // OW_FAULTS_TESTER_H_
