// SPDX-License-Identifier: Apache-2.0
// The tensor engine under test with its queues, and what else its tests share: the two widths,
// random numbers, the cycles of one instruction.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#if OW_OTHER_SIZES
#include "VEngine2.h"
#endif
#include "VEngine8.h"
#include "instruction.h"
#include "model.h"
#include "random_numbers.h"
#include "verilated.h"

namespace ow_engine {

// The device under test with its queues. V is the Verilated top.
template <typename V>
class Bench {
 public:
  explicit Bench(int lanes) : lanes_(lanes), ctx_(new VerilatedContext), v_(new V(ctx_.get())) {
    v_->rst_i = 1;
    for (int i = 0; i < 3; i++) tick();
    v_->rst_i = 0;
  }
  ~Bench() { v_->final(); }

  V* operator->() { return v_.get(); }
  uint64_t cycle() const { return cycle_; }
  int lanes() const { return lanes_; }

  // Traffic: chance in percent that a wavelet is there, that an output queue is drained, that the
  // core's ports ask for memory, in each cycle.
  int in_rate = 100, out_rate = 100, disturb = 0;
  // Input queues that get nothing more and output queues that are not drained, one bit each.
  uint32_t held_in = 0, held_out = 0;
  std::array<std::deque<Wavelet>, 8> in, out;
  std::vector<std::pair<int, int>> done;  // kind, task
  int sync_done = 0, rows = 0, weights = 0, beats = 0, drains = 0;
  uint64_t last_push = 0;  // the cycle after which the last wavelet was in its output queue
  uint64_t launched = 0;   // the cycle after the last launch
  std::vector<bool> row_written;
  std::array<int, isa::reg::Counter::kCount> cause{};  // cycles, by counter
  std::mt19937 rng{1};

  bool chance(int percent) { return percent >= 100 || static_cast<int>(rng() % 100) < percent; }

  // One cycle: inputs settle, outputs are sampled, then the clock edge.
  void tick() {
    drive_queues();
    drive_core();
    v_->clk_i = 0;
    v_->eval();
    waits_ = v_->lsu_req_i && !v_->lsu_gnt_o;
    const uint32_t pop = v_->inq_pop_o;
    const bool push = v_->push_o;
    const int push_q = v_->push_q_o;
    const Wavelet pushed{v_->push_ctrl_o != 0, v_->push_data_o};
    count_events();
    v_->clk_i = 1;
    v_->eval();
    cycle_++;
    move_queues(pop);
    if (push) {
      ASSERT_LT(fill_[push_q].size(), 8u);
      fill_[push_q].push_back(pushed);
      last_push = cycle_;
    }
  }

  void write_dsr(int idx, const Dsr& d) {
    write_dsr(idx, d,
              {isa::DsrWord::Kind, isa::DsrWord::Address, isa::DsrWord::Dim0, isa::DsrWord::Dim1,
               isa::DsrWord::Dim2, isa::DsrWord::Dim3});
  }
  void write_dsr(int idx, const Dsr& d, std::initializer_list<isa::DsrWord> words) {
    for (const auto w : words) {
      v_->dsr_we_i = 1;
      v_->dsr_idx_i = idx;
      v_->dsr_word_i = static_cast<uint8_t>(w);
      v_->dsr_wdata_i = d.word(w);
      v_->eval();
      for (int n = 0; !v_->dsr_ready_o; n++) {
        ASSERT_LT(n, 100000) << "descriptor stays locked";
        tick();
        v_->clk_i = 0;
        v_->eval();
      }
      tick();
      v_->dsr_we_i = 0;
    }
  }
  uint32_t read_dsr(int idx, int word) {
    v_->dsr_idx_i = idx;
    v_->dsr_word_i = word;
    v_->eval();
    return v_->dsr_rdata_o;
  }
  void launch(const Insn& i) {
    v_->tensor_valid_i = 1;
    v_->op_i = i.op;
    v_->ty_i = i.ty;
    v_->ctl_i = i.ctl();
    v_->scalar_i = i.value;
    v_->clk_i = 0;
    v_->eval();
    for (int n = 0; !v_->tensor_ready_o && !v_->tensor_quick_o; n++) {
      ASSERT_LT(n, 100000) << "instruction is not taken";
      tick();
      v_->clk_i = 0;
      v_->eval();
    }
    const bool quick = v_->tensor_quick_o;  // launched in this cycle, else in the one before
    tick();
    launched = quick ? cycle_ : cycle_ - 1;
    v_->tensor_valid_i = 0;
  }
  uint32_t thread_state(int t) {
    v_->thread_sel_i = t;
    v_->clk_i = 0;
    v_->eval();
    return v_->thread_state_o;
  }
  bool active(int t) { return isa::reg::Thread::Active::get(thread_state(t)); }
  bool busy() {
    for (int t = 0; t < kThreads; t++) {
      if (active(t)) return true;
    }
    return false;
  }
  bool queues_empty() const {
    for (const auto& f : fill_) {
      if (!f.empty()) return false;
    }
    return true;
  }
  // Runs until no thread is active, the output queues are drained and no result is under way.
  void finish(int limit = 200000) {
    for (int n = 0; busy() || !queues_empty() || !v_->idle_o; n++) {
      ASSERT_LT(n, limit) << "threads do not end";
      tick();
    }
  }
  void poke(uint32_t addr, uint32_t data) {
    v_->ctl_req_i = 1;
    v_->ctl_we_i = 1;
    v_->ctl_addr_i = addr;
    v_->ctl_wdata_i = data;
    access();
  }
  uint32_t peek(uint32_t addr) {
    v_->ctl_req_i = 1;
    v_->ctl_we_i = 0;
    v_->ctl_addr_i = addr;
    access();
    return v_->ctl_rdata_o;
  }
  // A load of the core.
  uint32_t load(uint32_t addr) {
    load_ = true;
    load_addr_ = addr;
    for (bool granted = false; !granted;) {
      drive_core();
      v_->clk_i = 0;
      v_->eval();
      granted = v_->lsu_gnt_o && v_->lsu_addr_i == addr;
      tick();
    }
    load_ = false;
    v_->clk_i = 0;
    v_->eval();
    return v_->lsu_rdata_o;
  }
  uint32_t acc_word(int i) {
    v_->acc_raddr_i = i / lanes_;
    v_->clk_i = 0;
    v_->eval();
    return word_of(v_->acc_rdata_o, i % lanes_);
  }

 private:
  void drive_queues() {
    uint32_t levels = 0;
    for (int q = 0; q < 8; q++) {
      // One wavelet arrives a cycle at most, and a queue holds eight.
      if (present_[q] < std::min<std::size_t>(8, in[q].size()) && (held_in >> q & 1) == 0 &&
          chance(in_rate)) {
        present_[q]++;
      }
      const Wavelet w = present_[q] > 0 ? in[q].front() : Wavelet{false, 0};
      set_bit(&v_->inq_valid_i, q, present_[q] > 0);
      set_bit(&v_->inq_more_i, q, present_[q] > 1);
      set_bit(&v_->inq_ctrl_i, q, w.ctrl);
      v_->inq_data_i[q] = w.data;
      levels |= static_cast<uint32_t>(fill_[q].size()) << (4 * q);
    }
    v_->outq_level_i = levels;
  }
  void drive_core() {
    bool asks = load_;
    uint32_t addr = load_addr_;
    v_->fetch_req_i = 0;
    if (disturb != 0 && !load_) {
      asks = chance(disturb);
      addr = rng() % kSramBytes & ~3u;
      v_->fetch_req_i = chance(disturb);
      v_->fetch_addr_i = rng() % kSramBytes & ~7u;
    }
    if (waits_) return;  // a load is held until it is granted
    v_->lsu_req_i = asks;
    v_->lsu_addr_i = addr;
  }
  void count_events() {
    if (v_->done_valid_o) done.emplace_back(v_->done_kind_o, v_->done_task_o);
    sync_done += v_->sync_done_o;
    weights += v_->ev_weight_o;
    beats += v_->ev_beat_o;
    drains += v_->red_start_o;
    if (!v_->rst_i) cause[v_->cause_o]++;
    if (v_->row_closed_o) {
      rows++;
      row_written.push_back(v_->row_written_o);
    }
  }
  void move_queues(uint32_t pop) {
    for (int q = 0; q < 8; q++) {
      if (pop >> q & 1) {
        ASSERT_GT(present_[q], 0u);
        in[q].pop_front();
        present_[q]--;
      }
      if (!fill_[q].empty() && (held_out >> q & 1) == 0 && chance(out_rate)) {
        out[q].push_back(fill_[q].front());
        fill_[q].pop_front();
      }
    }
  }
  static void set_bit(CData* x, int i, bool v) { *x = (*x & ~(1 << i)) | v << i; }
  static uint32_t word_of(const QData& x, int i) { return x >> (32 * i); }
  template <std::size_t N>
  static uint32_t word_of(const VlWide<N>& x, int i) {
    return x[i];
  }
  void access() {
    v_->clk_i = 0;
    v_->eval();
    for (int n = 0; !v_->ctl_gnt_o; n++) {
      ASSERT_LT(n, 1000) << "memory is not granted";
      tick();
      v_->clk_i = 0;
      v_->eval();
    }
    tick();
    v_->ctl_req_i = 0;
    v_->ctl_we_i = 0;
  }

  int lanes_;
  std::unique_ptr<VerilatedContext> ctx_;
  std::unique_ptr<V> v_;
  std::array<std::size_t, 8> present_{};  // wavelets that have arrived
  std::array<std::deque<Wavelet>, 8> fill_;
  uint64_t cycle_ = 0;
  bool load_ = false;  // the core asks for a word, and not only to disturb
  uint32_t load_addr_ = 0;
  bool waits_ = false;  // the core's load was not granted
};

struct Lanes8 {
  using Top = VEngine8;
  static constexpr int kLanes = 8;
};
#if OW_OTHER_SIZES
struct Lanes2 {
  using Top = VEngine2;
  static constexpr int kLanes = 2;
};
// Tests that run with either; every day with 8 lanes.
using Widths = ::testing::Types<Lanes8, Lanes2>;
#else
using Widths = ::testing::Types<Lanes8>;
#endif

template <typename B>
inline void load_memory(B* b, Machine* m, std::mt19937* rng) {
  for (uint32_t a = 0; a < kSramBytes; a += 4) {
    const uint32_t w =
        (*rng)() % 4 == 0 ? random_f32(rng) : random_f16(rng) | random_f16(rng) << 16;
    for (int k = 0; k < 4; k++) m->sram[a + k] = w >> (8 * k);
    b->poke(a, w);
  }
}

// Cycles that one instruction takes from launch to its end.
template <typename B>
uint64_t cycles_of(B* b, const Insn& i, const Dsr& dst, const Dsr& a, const Dsr& bb) {
  b->write_dsr(i.dst, dst);
  b->write_dsr(i.a, a);
  b->write_dsr(i.b, bb);
  b->launch(i);
  const uint64_t start = b->launched;
  for (int n = 0; n < 100000 && b->thread_state(i.thread) >> 31; n++) b->tick();
  return b->cycle() - start;
}

}  // namespace ow_engine
