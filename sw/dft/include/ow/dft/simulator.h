// SPDX-License-Identifier: Apache-2.0
// A gate-level simulator of 512 machines at once: bit i of every word is machine i. Machine 0 has
// no fault; each of the others has at most one stuck-at fault. Two values, zero delay, one clock.
//
// Only gates whose inputs have changed in some machine are computed. Flip-flops and the contents of
// banks begin with pseudo-random bits, the same in every machine, as after power-up.
#ifndef OW_FAULTS_SIMULATOR_H_
#define OW_FAULTS_SIMULATOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ow/dft/netlist.h"

namespace ow::faults {

constexpr int kMachines = 512;
constexpr int kParts = kMachines / 64;
// One bit per machine: a line of the cache.
typedef uint64_t Word __attribute__((vector_size(kMachines / 8)));

inline Word all_machines(bool bit) {
  const uint64_t x = bit ? ~uint64_t{0} : 0;
  return Word{x, x, x, x, x, x, x, x};
}
inline bool any(const Word& w) {
  return (w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]) != 0;
}
inline bool bit_of(const Word& w, int machine) {
  return (w[machine / 64] >> (machine % 64) & 1) != 0;
}
inline void set_bit(Word* w, int machine, bool bit) {
  const uint64_t mask = uint64_t{1} << (machine % 64);
  const int i = machine / 64;
  (*w)[i] = bit ? (*w)[i] | mask : (*w)[i] & ~mask;
}
// Machine 0's bit, copied to all machines.
inline Word spread_good(const Word& w) { return all_machines((w[0] & 1) != 0); }
inline Word unlike_good(const Word& w) { return w ^ spread_good(w); }

// The part of a netlist that the simulator needs, in its own order. Simulations share it.
class Plan {
 public:
  explicit Plan(const Netlist& netlist);
  const Netlist& netlist() const { return netlist_; }

 private:
  friend class Simulation;
  const Netlist& netlist_;
  // Sinks of each net: a gate, gates + a flip-flop.
  std::vector<uint32_t> first_sink_;
  std::vector<uint32_t> sinks_;
};

class Simulation {
 public:
  // Fault i is that of machine i + 1; at most 511. `power_up` seeds the first state.
  Simulation(const Plan& plan, const std::vector<Fault>& faults, uint64_t power_up);

  // An input of the block, for the next settle().
  void set_input(Net net, const Word& value);
  void set_port(const Port& port, uint64_t value);  // in all machines
  const Word& value(Net net) const { return values_[net]; }
  // Computes the logic from inputs and state.
  void settle();
  // A rising edge; the logic must have settled.
  void clock();
  void cycle() {
    settle();
    clock();
  }
  // These machines lose their fault and take machine 0's state, so they cost no more time. Call it
  // between cycles.
  void retire(const Word& machines);
  uint64_t evaluations() const { return evaluations_; }
  // A word of a bank in one machine, and a bit of it in all.
  uint64_t bank_word(size_t bank, uint32_t row, int machine) const;
  const Word& bank_bit(size_t bank, uint32_t row, uint32_t bit) const {
    return memories_[bank].bits[size_t{64} * row + bit];
  }

 private:
  struct Stuck {
    int pin;
    Word mask;
    Word ones;
  };
  struct Memory {
    std::vector<Word> bits;  // 64 per row
    std::vector<Word> rdata;
  };
  void touch(Net net);
  void assign(Net net, const Word& value);
  Word compute(uint32_t gate);
  Word compute_faulty(uint32_t gate);
  Word with_fault(const std::vector<Stuck>& stuck, int pin, Word value) const;
  void clock_bank(size_t index);
  void access(Memory* memory, const Bank& bank, uint32_t row, const Word& who);

  const Plan& plan_;
  const Netlist& netlist_;
  std::vector<Word> values_;
  std::vector<uint64_t> dirty_;       // one bit per gate
  std::vector<uint64_t> dirty_dffs_;  // one bit per flip-flop
  std::vector<int32_t> gate_stuck_;   // index of stuck_, -1: none
  std::vector<int32_t> dff_stuck_;
  std::vector<std::vector<Stuck>> stuck_;
  std::vector<Memory> memories_;
  std::vector<std::pair<Net, Word>> pending_;
  uint64_t evaluations_ = 0;
};

}  // namespace ow::faults

#endif  // OW_FAULTS_SIMULATOR_H_
