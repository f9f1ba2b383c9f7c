// SPDX-License-Identifier: Apache-2.0
// What an instruction of the tensor engine means, element by element: the reference of its tests.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "instruction.h"

namespace ow_engine {

// What an instruction acts on: memory, accumulator words, queues, descriptors.
struct Machine {
  std::vector<uint8_t> sram = std::vector<uint8_t>(kSramBytes);
  std::array<uint32_t, 128> acc{};
  std::array<std::deque<Wavelet>, 8> in;
  std::array<std::deque<Wavelet>, 8> out;
  std::array<std::deque<uint32_t>, isa::kNumFifos> fifo;  // elements; a full one is no matter here
  std::array<Dsr, 32> dsr;
  std::array<uint32_t, 4> random{};  // state of the generator

  // Elements of 1, 2 or 4 bytes, in memory or in the accumulator.
  uint32_t load(uint32_t addr, int bytes) const;
  void store(uint32_t addr, int bytes, uint32_t v);
};

inline uint32_t word_at(const Machine& m, uint32_t a) { return m.load(a, 4); }

// An input queue or a FIFO is empty.
struct Starved {};

// An index leads outside memory, to this address; or it is beyond its bound.
struct Outside {
  uint32_t address;
};

class Model {
 public:
  explicit Model(Machine* m) : m_(m) {}

  // All of the instruction. Throws Starved if what it reads is not there; the machine is then of no
  // use any more.
  void run(const Insn& i);

 private:
  // An operand on its way over the space.
  struct Walk {
    Dsr* d = nullptr;
    bool used = false;  // read from memory or a queue: neither absent nor rs2
    uint32_t addr = 0;
    bool half = false;  // the lower half of the queue's head has been taken
  };

  void begin(const Insn& i);
  void end();
  bool stream_ends();
  bool skip_controls(int q);
  void element();
  // Goes where the index of the tagged wavelet at the head of a's queue says.
  void place();
  uint32_t element_address(uint32_t index, int bytes) const;
  bool advance();
  void step_all(int k);
  uint32_t read_a();
  uint32_t read_b();
  uint32_t take(Walk* w, int bytes);
  void reduce(uint32_t a, uint32_t b);
  void result(uint32_t r);
  void send(uint32_t r);
  uint32_t compute(uint32_t a, uint32_t b, uint32_t c);

  Machine* m_;
  Insn i_;
  Walk a_, b_, d_;
  const Dsr* space_ = nullptr;  // the operand whose lengths count
  std::array<uint32_t, 4> count_{};
  bool a_scalar_ = false, b_scalar_ = false;
  bool tagged_ = false;  // a's wavelets are indices and values
  bool b_new_ = true;    // a step-0 element in memory is read once an inner vector
  uint32_t b_held_ = 0;
  std::vector<uint32_t> inner_a_, inner_b_;  // a reduction's vector so far
  bool out_half_ = false;                    // a 16-bit element waits for the other one of its pair
  uint32_t out_pack_ = 0;
  uint32_t out_index_ = 0;
};

}  // namespace ow_engine
