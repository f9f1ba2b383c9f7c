// SPDX-License-Identifier: Apache-2.0
// Random instructions for the threads of the tensor engine: operands of every kind that an
// instruction may have, with what they need in memory and in the queues of the model.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "model.h"

namespace ow_engine {

class RandomProgram {
 public:
  RandomProgram(std::mt19937* rng, Machine* m);

  // A random instruction of one thread: sources in [lo, lo + 256), destination in [lo + 256,
  // lo + 512), queues that no other one has, descriptors dsr to dsr + 2. May also work in place.
  Insn make(int thread, int dsr, uint32_t lo);

  // A queue that no instruction has yet, or -1.
  int take_input() { return take(&in_qs_); }
  int take_output() { return take(&out_qs_); }

  // Address of the 64 bytes of indices that have been drawn.
  const std::vector<uint32_t>& indices() const { return indices_; }

 private:
  // The instruction that is drawn, as far as it has got.
  struct Draft {
    Insn i;
    Dsr a, b, d;
    uint32_t lo = 0;
    std::array<uint16_t, 4> len{};
    uint32_t total = 1;  // elements
    bool two = false, indexed = false, red = false;
    bool with_a = false, with_b = false;  // read from memory or a queue
    bool d_none = false, d_fabric = false, d_acc = false;
    bool acc_source = false;
    bool endless = false;  // without a length, until stream end

    bool wide() const { return src_bytes(i) == 4; }
  };

  static int take(std::deque<int>* queues) {
    if (queues->empty()) return -1;
    const int q = queues->front();
    queues->pop_front();
    return q;
  }
  uint32_t pick(uint32_t n) { return (*rng_)() % n; }
  Insn random_op();
  void draw_result_type(Draft* t);
  void draw_scalar(Draft* t);
  void draw_indices(Draft* t);
  void draw_lengths(Draft* t);
  void draw_destination(Draft* t);
  void draw_source(Draft* t, Dsr* s, bool first);
  void place_operands(Draft* t);
  void separate_accumulators(Draft* t);
  void draw_streams(Draft* t);
  void walk(Dsr* d, const std::array<uint16_t, 4>& len, int e, uint32_t lo, uint32_t size, bool dst,
            bool red = false);
  void draw_steps(Dsr* d, const std::array<uint16_t, 4>& len, int e, bool dst, bool red, int tries);
  void fill(int q, uint32_t elements, bool wide, bool end);

  std::mt19937* rng_;
  Machine* m_;
  std::deque<int> in_qs_, out_qs_;
  bool acc_taken_ = false;
  std::vector<uint32_t> indices_;
};

}  // namespace ow_engine
