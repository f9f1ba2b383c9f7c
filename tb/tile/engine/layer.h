// SPDX-License-Identifier: Apache-2.0
// A streamed layer through the engine, against the model: rows of random weights (axpyw), read and
// freed by the bench as a reducer would.
#pragma once

#include <deque>
#include <random>
#include <vector>

#include "engine_bench.h"
#include "ow/golden/formats.h"

namespace ow_engine {

struct Layer {
  int samples, ring, rows;
  double density;        // of the weights
  int in_rate = 100;     // chance of a wavelet in a cycle, in percent
  int free_delay = 0;    // cycles from a closed row to its use
  int disturb = 0;       // chance that the core's ports ask for memory
  uint32_t base = 1024;  // of the activations
};

template <typename V>
class LayerRun {
 public:
  LayerRun(const Layer& layer, Bench<V>* bench)
      : l_(layer), b_(*bench), rng_(seed() + layer.samples) {}

  // Cycles from the first weight popped to the last row closed.
  uint64_t run() {
    b_.in_rate = b_.out_rate = 100;
    b_.disturb = 0;
    load_memory(&b_, &m_, &rng_);
    draw_weights();
    launch();
    const uint64_t start = b_.cycle();
    const uint64_t end = use_rows();
    check_end();
    return end - start;
  }

 private:
  static constexpr int kInputs = 64;
  static constexpr int kQueue = 3;  // of the weights; every tile has it
  static constexpr int kMaxCycles = 400000;

  void draw_weights() {
    for (int r = 0; r < l_.rows; r++) {
      std::vector<uint32_t> row(l_.samples, 0);
      bool any = false;
      for (int i = 0; i < kInputs; i++) {
        if (std::uniform_real_distribution<>(0, 1)(rng_) >= l_.density) continue;
        const uint16_t w = random_f16(&rng_);
        stream_.push_back({false, static_cast<uint32_t>(i) << 16 | w});
        for (int s = 0; s < l_.samples; s++) {
          const uint32_t x = m_.load(l_.base + 2 * (i * l_.samples + s), 2);
          row[s] = ow::golden::mixed_fma(w, x, row[s]);
        }
        any = true;
      }
      want_.push_back(row);
      written_.push_back(any);
      const bool last = r + 1 == l_.rows;
      if (!last && r % 3 == 1) stream_.push_back({true, kNeitherEnd});  // no effect
      stream_.push_back({true, last && l_.rows % 2 ? kRowEnd | kStreamEnd : kRowEnd});
    }
    if (l_.rows % 2 == 0) stream_.push_back({true, kStreamEnd});
    stream_.push_back({false, 0xDEADBEEF});  // must stay
  }

  void launch() {
    Dsr a = mem(l_.base, static_cast<uint16_t>(l_.samples), 2);
    a.len[1] = kInputs;
    a.step[1] = static_cast<int16_t>(2 * l_.samples);
    Dsr d = mem(kAcc, static_cast<uint16_t>(l_.samples), 4);
    d.len[1] = static_cast<uint16_t>(l_.ring);
    b_.write_dsr(0, d);
    b_.write_dsr(1, a);
    b_.write_dsr(2, fab_in(kQueue, 0));
    b_.in[kQueue] = stream_;
    b_.rows = 0;
    b_.weights = 0;
    b_.cause = {};
    b_.row_written.clear();
    b_.done.clear();
    Insn i;
    i.op = kAxpyw;
    i.ty = kMixed;
    i.thread = 1;
    i.dst = 0;
    i.a = 1;
    i.b = 2;
    i.done = 1;
    i.task = 19;
    b_.in_rate = l_.in_rate;
    b_.disturb = l_.disturb;
    b_.launch(i);
  }

  // Compares each row some time after it was closed, and frees it; the cycle of the last row's end.
  uint64_t use_rows() {
    uint64_t end = b_.cycle();
    int freed = 0, age = 0;
    for (int n = 0; freed < l_.rows || b_.busy(); n++) {
      EXPECT_LT(n, kMaxCycles) << "the stream does not end";
      if (n >= kMaxCycles) break;
      b_->row_free_i = 0;
      if (b_.rows > freed && ++age > l_.free_delay) {
        if (!row_is_right(freed)) break;
        b_->row_free_i = 1;
        age = 0;
        freed++;
      }
      const int before = b_.rows;
      b_.tick();
      if (b_.rows != before) end = b_.cycle();
    }
    b_->row_free_i = 0;
    return end;
  }

  bool row_is_right(int r) {
    EXPECT_EQ(b_.row_written[r], written_[r]) << "row " << r;
    const int slot = r % l_.ring;
    for (int s = 0; s < l_.samples && b_.row_written[r]; s++) {
      const uint32_t got = b_.acc_word(slot * l_.samples + s);
      EXPECT_EQ(got, want_[r][s]) << "row " << r << " sample " << s;
      if (got != want_[r][s]) return false;
    }
    return true;
  }

  void check_end() {
    EXPECT_EQ(b_->fault_o, 0u);
    EXPECT_EQ(b_.rows, l_.rows);
    EXPECT_EQ(b_.in[kQueue].size(), 1u);
    EXPECT_EQ(b_.done.size(), 1u);
    b_.in[kQueue].clear();
    for (int k = 0; k < 3; k++) b_.tick();
  }

  Layer l_;
  Bench<V>& b_;
  std::mt19937 rng_;
  Machine m_;
  std::deque<Wavelet> stream_;
  std::vector<std::vector<uint32_t>> want_;
  std::vector<bool> written_;
};

template <typename V>
uint64_t run_layer(const Layer& layer, Bench<V>* bench) {
  return LayerRun<V>(layer, bench).run();
}

}  // namespace ow_engine
