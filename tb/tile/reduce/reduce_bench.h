// SPDX-License-Identifier: Apache-2.0
// The reducer under test with models of its surroundings. OW_SEED in the environment sets the seed
// of random tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <random>
#include <vector>

#include "Vow_reduce8.h"
#include "options.h"
#if OW_OTHER_SIZES
#include "Vow_reduce2.h"
#endif
#include "ow/golden/formats.h"
#include "ow/isa/isa.h"
#include "verilated.h"

namespace ow_reduce {

namespace golden = ow::golden;

inline uint64_t seed() { return ow::test_option("OW_SEED", 1); }

namespace reg = ow::isa::reg;

// The fields of an action.
struct Action {
  bool enable = true;
  int in0 = -1;  // queue, or none
  int in1 = -1;
  bool memory = false;
  int out = 0;
  bool bias = false;
  bool f16 = false;
  bool relu = false;
  bool bf16 = false;  // with f16: the 16-bit format is bfloat16

  uint32_t bits() const {
    using Word = ow::isa::RedAction;
    return Word::Enable::put(enable) | Word::In0::put(in0 >= 0) |
           Word::In0Q::put(std::max(in0, 0)) | Word::In1::put(in1 >= 0) |
           Word::In1Q::put(std::max(in1, 0)) | Word::Memory::put(memory) | Word::OutQ::put(out) |
           Word::Bias::put(bias) | Word::F16::put(f16) | Word::Relu::put(relu) |
           Word::Bf16::put(f16 && bf16);
  }
  int additions() const { return (in0 >= 0) + (in1 >= 0) + bias; }
};

struct Row {
  bool written = true;
  std::vector<uint32_t> sums;
};

inline void set_word(QData& port, int i, uint32_t value) {
  port &= ~(0xFFFFFFFFull << (32 * i));
  port |= static_cast<QData>(value) << (32 * i);
}
template <size_t kWords>
void set_word(VlWide<kWords>& port, int i, uint32_t value) {
  port[i] = value;
}

constexpr int kSramBytes = ow::isa::kFull.sram_bytes;
constexpr int kQueueDepth = 8;

// A reducer with models of its surroundings: accumulator ring, queues, memory.
template <class V, int kLanes>
class Bench {
 public:
  static constexpr int kLaneCount = kLanes;

  Bench() : memory(kSramBytes, 0xA5) {
    top_.reg_we_i = 0;
    top_.start_i = 0;
    top_.halt_i = 0;
    top_.rst_i = 1;
    for (int i = 0; i < 3; ++i) step();
    top_.rst_i = 0;
  }
  // A model unregisters itself from its thread's current context: make that its own.
  ~Bench() { Verilated::threadContextp(&context_); }

  // Probabilities in percent.
  int p_row = 100;    // a row closes when the ring has room
  int p_gnt = 100;    // memory grants
  int p_drain = 100;  // an output queue passes a wavelet on
  int samples = 0;
  int ring = 0;
  int status_cause_seen = 0;               // bits: causes that RED_STATUS showed
  std::array<std::deque<uint64_t>, 8> in;  // heads first; bit 32: control
  std::array<std::deque<uint32_t>, 8> outq;
  std::array<std::vector<uint32_t>, 8> sent;
  std::deque<Row> rows;  // the rows that the engine will finish
  std::vector<uint8_t> memory;
  std::mt19937_64 rng{1};
  int done = 0;
  int done_kind = -1;
  int done_task = -1;
  uint64_t cycles = 0;
  uint64_t elements = 0;
  uint64_t waits = 0;

  void write(uint32_t offset, uint32_t value) {
    top_.reg_we_i = 1;
    top_.reg_addr_i = static_cast<uint16_t>(offset);
    top_.reg_wdata_i = value;
    step();
    top_.reg_we_i = 0;
  }
  uint32_t read(uint32_t offset) {
    top_.reg_addr_i = static_cast<uint16_t>(offset);
    top_.eval();
    return top_.reg_rdata_o;
  }
  void configure(int n_samples, int n_ring, int count, int period, int pivot,
                 const std::array<Action, 3>& actions, uint32_t bias, uint32_t dst, int pitch,
                 int first = 0, int more = 0) {
    next_row_ = 0;
    samples = n_samples;
    ring = n_ring;
    write(reg::RedAcc::kOffset, reg::RedAcc::Samples::put(samples) | reg::RedAcc::Ring::put(ring));
    write(reg::RedCount::kOffset, reg::RedCount::Rows::put(count));
    write(reg::RedPhase::kOffset,
          reg::RedPhase::Period::put(period) | reg::RedPhase::Pivot::put(pivot));
    if (first != 0 || more != 0) {  // RED_PHASE has set both to 0
      write(reg::RedStart::kOffset,
            reg::RedStart::Phase::put(first) | reg::RedStart::More::put(more));
    }
    write(reg::RedActLt::kOffset, actions[0].bits());
    write(reg::RedActEq::kOffset, actions[1].bits());
    write(reg::RedActGt::kOffset, actions[2].bits());
    write(reg::RedBias::kOffset, bias);
    write(reg::RedDst::kOffset, dst);
    write(reg::RedPitch::kOffset, reg::RedPitch::Pitch::put(pitch));
    top_.reg_addr_i = reg::RedStatus::kOffset;
  }
  // With one adder the registers settle for one cycle first.
  void start(int kind, int task) {
    if (kOneAdder) step();
    start_at_once(kind, task);
  }
  void start_at_once(int kind, int task) {
    top_.start_i = 1;
    top_.start_kind_i = static_cast<uint8_t>(kind);
    top_.start_task_i = static_cast<uint8_t>(task);
    step();
    top_.start_i = 0;
  }
  bool busy() const { return top_.busy_o; }
  uint8_t owned() const { return top_.inq_owned_o; }
  bool fault() const { return top_.fault_o; }
  ow::isa::ReducerCause fault_cause() const {
    return static_cast<ow::isa::ReducerCause>(top_.fault_cause_o);
  }
  uint32_t fault_addr() const { return top_.fault_addr_o; }
  void halt(bool on) { top_.halt_i = on; }
  bool has_space(int queue) const { return in[queue].size() < kQueueDepth; }

  void step() {
    close_row();
    drive_queues();
    top_.red_turn_i = !kOneAdder || cycles % 4 == 1;
    top_.clk_i = 0;
    top_.eval();
    for (int e = 0; e < kLanes; ++e) {
      set_word(top_.acc_rdata_i, e, acc_[top_.acc_raddr_o * kLanes + e]);
    }
    top_.mem_gnt_i = top_.mem_req_o && chance(p_gnt);
    top_.eval();
    // Outputs of this cycle.
    const bool read_granted = top_.mem_gnt_i && !top_.mem_we_o;
    const uint64_t read_data = use_memory();
    move_queues();
    count_events();
    const Idle before{static_cast<bool>(top_.idle_o), static_cast<bool>(top_.red_push_o),
                      top_.reg_rdata_o};
    top_.clk_i = 1;
    top_.eval();
    ++cycles;
    check_idle(before);
    top_.mem_rvalid_i = read_granted;
    top_.mem_rdata_i = read_granted ? read_data : 0;
    free_row();
    if (top_.done_valid_o) {
      ++done;
      done_kind = top_.done_kind_o;
      done_task = top_.done_task_o;
    }
  }

  bool chance(int percent) { return percent >= 100 || static_cast<int>(rng() % 100) < percent; }

 private:
  struct Idle {
    bool idle, push;
    uint32_t status;
  };

  static constexpr bool kOneAdder = kLanes == 2;

  int row_words() const { return samples / kLanes * kLanes; }
  // The engine closes a row, if it has one and the ring a place.
  void close_row() {
    top_.row_closed_i = 0;
    if (rows.empty() || in_use_ >= ring || !chance(p_row)) return;
    const Row& row = rows.front();
    for (int e = 0; e < samples; ++e) {
      acc_[next_row_ * row_words() + e] = row.written ? row.sums[e] : 0xDEADBEEF;
    }
    top_.row_closed_i = 1;
    top_.row_closed_written_i = row.written;
    closing_.push_back(next_row_);
    next_row_ = (next_row_ + 1) % ring;
    ++in_use_;
    rows.pop_front();
  }
  // The engine may use a freed row at once.
  void free_row() {
    if (!top_.row_free_o) return;
    ASSERT_FALSE(closing_.empty());
    for (int e = 0; e < samples; ++e) acc_[closing_.front() * row_words() + e] = 0x0BADBAD0;
    closing_.pop_front();
    --in_use_;
  }
  void drive_queues() {
    top_.inq_valid_i = 0;
    top_.outq_ready_i = 0;
    for (int q = 0; q < 8; ++q) {
      const uint64_t head = in[q].empty() ? 0x1FFFFFFFFull : in[q].front();
      if (!in[q].empty()) top_.inq_valid_i |= static_cast<uint8_t>(1 << q);
      for (int b = 0; b < 33; ++b) {
        const int at = 33 * q + b;
        const uint32_t bit = static_cast<uint32_t>(head >> b) & 1;
        top_.inq_head_i[at / 32] =
            (top_.inq_head_i[at / 32] & ~(1u << (at % 32))) | bit << (at % 32);
      }
      if (outq[q].size() + 2 <= kQueueDepth) top_.outq_ready_i |= static_cast<uint8_t>(1 << q);
    }
  }
  // Executes a granted write, or returns the data of a granted read.
  uint64_t use_memory() {
    if (!top_.mem_gnt_i) return 0;
    const uint32_t addr = top_.mem_addr_o;
    uint64_t data = 0;
    if (top_.mem_we_o) {
      EXPECT_LT(addr, static_cast<uint32_t>(kSramBytes));
      for (int b = 0; b < 8; ++b) {
        if ((top_.mem_be_o >> b & 1) != 0) {
          memory[addr + b] = static_cast<uint8_t>(top_.mem_wdata_o >> (8 * b));
        }
      }
    } else {
      for (int b = 7; b >= 0; --b) data = data << 8 | memory[addr + b];
    }
    return data;
  }
  void move_queues() {
    for (int q = 0; q < 8; ++q) {
      if ((top_.inq_pop_o >> q & 1) != 0) {
        EXPECT_FALSE(in[q].empty());
        EXPECT_NE(owned() >> q & 1, 0) << "a queue is taken from that is not owned";
        in[q].pop_front();
      }
      if (!outq[q].empty() && chance(p_drain)) {
        sent[q].push_back(outq[q].front());
        outq[q].pop_front();
      }
    }
    if (top_.red_push_o) {
      EXPECT_NE(top_.outq_ready_i >> top_.red_q_o & 1, 0);
      EXPECT_TRUE(top_.red_turn_i) << "a push that is not its turn";
      EXPECT_EQ(top_.red_data_o >> 32, 0u) << "the reducer sends data wavelets only";
      outq[top_.red_q_o].push_back(static_cast<uint32_t>(top_.red_data_o));
    }
  }
  void count_events() {
    elements += top_.ev_elem_o;
    waits += top_.wait_o;
    if (top_.reg_addr_i == reg::RedStatus::kOffset) {
      status_cause_seen |= 1 << reg::RedStatus::Waits::get(top_.reg_rdata_o);
    }
  }
  void check_idle(const Idle& before) {
    if (!before.idle) return;
    EXPECT_FALSE(before.push) << "idle, yet a wavelet left";
    EXPECT_EQ(before.status, top_.reg_rdata_o) << "idle, yet the status changed";
    EXPECT_FALSE(top_.done_valid_o || top_.row_free_o) << "idle, yet an event came";
  }

  VerilatedContext context_;
  V top_{&context_};
  std::array<uint32_t, 16 * kLanes> acc_{};
  std::deque<int> closing_;
  int in_use_ = 0;
  int next_row_ = 0;
};

inline uint32_t random_sum(std::mt19937_64& rng) {
  const uint64_t r = rng();
  const auto x = static_cast<uint32_t>(r);
  switch ((r >> 32) % 10) {
    case 0:
      return 0;
    case 1:
      return 0x80000000;
    case 2:
      return x & 0x807FFFFF;  // subnormal
    case 3:
      return golden::kNan32;
    case 4:
      return golden::kInf32 | (x & 0x80000000);
    default:
      return (x & 0x807FFFFF) | (0x70 + ((r >> 40) & 0x1F)) << 23;
  }
}

using Bench8 = Bench<Vow_reduce8, 8>;
#if OW_OTHER_SIZES
using Bench2 = Bench<Vow_reduce2, 2>;
#endif

}  // namespace ow_reduce
