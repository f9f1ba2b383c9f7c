// SPDX-License-Identifier: Apache-2.0
// The reducer against the golden formats: random rows, actions, arrivals and back-pressure, the
// rates that its header promises, and a chain of four. OW_SEED in the environment chooses the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "Vow_reduce2.h"
#include "Vow_reduce8.h"
#include "ow/golden/formats.h"
#include "ow/isa/isa.h"
#include "verilated.h"

namespace {

namespace golden = ow::golden;

uint64_t seed() {
  const char* text = std::getenv("OW_SEED");
  const uint64_t s = text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
  std::printf("OW_SEED=%llu\n", static_cast<unsigned long long>(s));
  return s;
}

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

void set_word(QData& port, int i, uint32_t value) {
  port &= ~(0xFFFFFFFFull << (32 * i));
  port |= static_cast<QData>(value) << (32 * i);
}
template <size_t kWords>
void set_word(VlWide<kWords>& port, int i, uint32_t value) {
  port[i] = value;
}

constexpr int kSramBytes = 49152;
constexpr int kQueueDepth = 8;

// A reducer with models of what stands around it: accumulator ring, queues, memory.
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
  std::deque<Row> rows;  // that the engine will finish
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
  void start(int kind, int task) {
    top_.start_i = 1;
    top_.start_kind_i = static_cast<uint8_t>(kind);
    top_.start_task_i = static_cast<uint8_t>(task);
    step();
    top_.start_i = 0;
  }
  bool busy() const { return top_.busy_o; }
  uint8_t owned() const { return top_.inq_owned_o; }
  bool fault() const { return top_.fault_o; }
  int fault_cause() const { return top_.fault_cause_o; }
  uint32_t fault_addr() const { return top_.fault_addr_o; }
  void halt(bool on) { top_.halt_i = on; }
  bool has_space(int queue) const { return in[queue].size() < kQueueDepth; }

  void step() {
    // The engine closes a row.
    top_.row_closed_i = 0;
    const int words = ring > 0 ? samples / kLanes : 0;
    if (!rows.empty() && in_use_ < ring && chance(p_row)) {
      const Row& row = rows.front();
      for (int e = 0; e < samples; ++e) {
        acc_[next_row_ * words * kLanes + e] = row.written ? row.sums[e] : 0xDEADBEEF;
      }
      top_.row_closed_i = 1;
      top_.row_closed_written_i = row.written;
      closing_.push_back(next_row_);
      next_row_ = (next_row_ + 1) % ring;
      ++in_use_;
      rows.pop_front();
    }
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
    top_.clk_i = 0;
    top_.eval();
    for (int e = 0; e < kLanes; ++e) {
      set_word(top_.acc_rdata_i, e, acc_[top_.acc_raddr_o * kLanes + e]);
    }
    top_.mem_gnt_i = top_.mem_req_o && chance(p_gnt);
    top_.eval();
    // Outputs of this cycle.
    const bool read_granted = top_.mem_gnt_i && !top_.mem_we_o;
    const uint32_t addr = top_.mem_addr_o;
    if (top_.mem_gnt_i && top_.mem_we_o) {
      EXPECT_LT(addr, static_cast<uint32_t>(kSramBytes));
      for (int b = 0; b < 8; ++b) {
        if ((top_.mem_be_o >> b & 1) != 0) {
          memory[addr + b] = static_cast<uint8_t>(top_.mem_wdata_o >> (8 * b));
        }
      }
    }
    uint64_t read_data = 0;
    if (read_granted) {
      for (int b = 7; b >= 0; --b) read_data = read_data << 8 | memory[addr + b];
    }
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
      EXPECT_EQ(top_.red_data_o >> 32, 0u) << "the reducer sends data wavelets only";
      outq[top_.red_q_o].push_back(static_cast<uint32_t>(top_.red_data_o));
    }
    elements += top_.ev_elem_o;
    waits += top_.wait_o;
    if (top_.reg_addr_i == reg::RedStatus::kOffset) {
      status_cause_seen |= 1 << reg::RedStatus::Waits::get(top_.reg_rdata_o);
    }
    const bool was_idle = top_.idle_o;
    const uint32_t before = top_.reg_rdata_o;
    const bool push = top_.red_push_o;
    top_.clk_i = 1;
    top_.eval();
    ++cycles;
    if (was_idle) {
      EXPECT_FALSE(push) << "idle, yet a wavelet left";
      EXPECT_EQ(before, top_.reg_rdata_o) << "idle, yet the status changed";
      EXPECT_FALSE(top_.done_valid_o || top_.row_free_o) << "idle, yet an event came";
    }
    top_.mem_rvalid_i = read_granted;
    top_.mem_rdata_i = read_granted ? read_data : 0;
    if (top_.row_free_o) {
      // The engine may use the row at once.
      ASSERT_FALSE(closing_.empty());
      for (int e = 0; e < samples; ++e) acc_[closing_.front() * words * kLanes + e] = 0x0BADBAD0;
      closing_.pop_front();
      --in_use_;
    }
    if (top_.done_valid_o) {
      ++done;
      done_kind = top_.done_kind_o;
      done_task = top_.done_task_o;
    }
  }

  bool chance(int percent) { return percent >= 100 || static_cast<int>(rng() % 100) < percent; }

 private:
  VerilatedContext context_;
  V top_{&context_};
  std::array<uint32_t, 16 * kLanes> acc_{};
  std::deque<int> closing_;
  int in_use_ = 0;
  int next_row_ = 0;
};

uint32_t random_sum(std::mt19937_64& rng) {
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

// One random drain: what comes out must be what the formats say.
template <class B>
void random_drain(B& bench, std::mt19937_64& rng) {
  const int lanes = B::kLaneCount;
  const int words = 1 + static_cast<int>(rng() % 4);
  const int samples = words * lanes;
  const int ring = 1 + static_cast<int>(rng() % (16 / words));
  const int count = static_cast<int>(rng() % 20);
  const int period = 1 + static_cast<int>(rng() % 5);
  const int pivot = static_cast<int>(rng() % (period + 1));  // period: no phase is equal
  const int first = static_cast<int>(rng() % 2 != 0 ? rng() % period : 0);
  const int more = static_cast<int>(rng() % 2 != 0 ? rng() % 3 : rng() % 8 == 0 ? 65535 : 0);
  std::array<Action, 3> actions;
  const int in0 = static_cast<int>(rng() % 8);
  const int in1 = (in0 + 1 + static_cast<int>(rng() % 7)) % 8;
  for (Action& a : actions) {
    a.enable = rng() % 8 != 0;
    a.in0 = rng() % 2 != 0 ? in0 : -1;
    a.in1 = rng() % 2 != 0 ? in1 : -1;
    a.memory = rng() % 2 != 0;
    a.out = static_cast<int>(rng() % 8);
    a.bias = rng() % 2 != 0;
    a.f16 = rng() % 2 != 0;
    a.relu = rng() % 2 != 0;
    a.bf16 = rng() % 2 != 0;
  }
  // The stored rows of a drain have one element size, so that a pitch makes sense.
  for (Action& a : actions) a.f16 = a.memory ? actions[0].f16 : a.f16;
  const int element = actions[0].f16 ? 2 : 4;
  const uint32_t bias_addr = 4 * static_cast<uint32_t>(rng() % 64);
  const uint32_t dst = 8192 + static_cast<uint32_t>(element) * static_cast<uint32_t>(rng() % 64);
  const int gap = element * static_cast<int>(rng() % 5);
  const int pitch = (samples * element + gap) * (rng() % 2 != 0 ? 1 : -1);
  for (int i = 0; i < 64; ++i) {
    const uint32_t b = random_sum(rng);
    std::memcpy(&bench.memory[bias_addr + 4 * i], &b, 4);
  }

  // What must come.
  std::array<std::vector<uint32_t>, 8> want_sent;
  std::vector<uint8_t> want_memory = bench.memory;
  std::array<std::deque<uint64_t>, 8> arrivals;
  int stored = 0;
  int biased = 0;
  uint64_t elements = 0;
  for (int j = 0; j < count; ++j) {
    Row row;
    row.written = rng() % 8 != 0;
    for (int e = 0; e < samples; ++e) row.sums.push_back(random_sum(rng));
    const int phase = (first + j) % period;
    const Action& a = actions[phase < pivot ? 0 : phase <= pivot + more ? 1 : 2];
    if (a.enable) {
      uint32_t bias = 0;
      if (a.bias) std::memcpy(&bias, &bench.memory[bias_addr + 4 * biased], 4);
      uint32_t half = 0;
      for (int e = 0; e < samples; ++e) {
        uint32_t v = row.written ? row.sums[e] : 0;
        for (int q : {a.in0, a.in1}) {
          if (q < 0) continue;
          const uint32_t x = random_sum(rng);
          if (rng() % 16 == 0) arrivals[q].push_back(1ull << 32 | 3);  // to be discarded
          arrivals[q].push_back(x);
          v = golden::f32_add(v, x);
        }
        if (a.bias) v = golden::f32_add(v, bias);
        if (a.f16) v = a.bf16 ? golden::f32_to_bf16(v) : golden::f32_to_f16(v);
        if (a.relu) {
          const auto h = static_cast<uint16_t>(v);
          v = !a.f16 ? golden::f32_relu(v) : a.bf16 ? golden::bf16_relu(h) : golden::f16_relu(h);
        }
        if (a.memory) {
          const int at = static_cast<int>(dst) + stored * pitch + e * element;
          std::memcpy(&want_memory[at], &v, element);
        } else if (!a.f16) {
          want_sent[a.out].push_back(v);
        } else if (e % 2 == 0) {
          half = v;
        } else {
          want_sent[a.out].push_back(v << 16 | half);
        }
        ++elements;
      }
      stored += a.memory;
      biased += a.bias;
    }
    bench.rows.push_back(std::move(row));
  }

  for (auto& s : bench.sent) s.clear();
  bench.elements = 0;
  bench.done = 0;
  bench.configure(samples, ring, count, period, pivot, actions, bias_addr, dst, pitch, first, more);
  bench.p_row = rng() % 2 != 0 ? 100 : 5;
  bench.p_gnt = rng() % 2 != 0 ? 100 : 20;
  bench.p_drain = rng() % 2 != 0 ? 100 : 30;
  const int p_arrive = rng() % 2 != 0 ? 100 : 30;
  const int kind = static_cast<int>(rng() % 3);
  const int task = static_cast<int>(rng() % 32);
  bench.start(kind, task);
  EXPECT_EQ(bench.busy(), true);
  for (int i = 0; i < 50000 && bench.done == 0; ++i) {
    for (int q = 0; q < 8; ++q) {
      if (!arrivals[q].empty() && bench.has_space(q) && bench.chance(p_arrive)) {
        bench.in[q].push_back(arrivals[q].front());
        arrivals[q].pop_front();
      }
    }
    bench.step();
  }
  ASSERT_EQ(bench.done, 1) << "the drain did not end";
  EXPECT_EQ(bench.done_kind, kind);
  EXPECT_EQ(bench.done_task, task);
  EXPECT_FALSE(bench.busy());
  EXPECT_EQ(bench.owned(), 0);
  EXPECT_EQ(bench.elements, elements);
  EXPECT_EQ(bench.read(reg::RedStatus::kOffset), static_cast<uint32_t>(count));
  bench.p_drain = 100;
  for (int i = 0; i < 20; ++i) bench.step();
  for (int q = 0; q < 8; ++q) {
    ASSERT_EQ(bench.sent[q], want_sent[q]) << "queue " << q;
    EXPECT_TRUE(arrivals[q].empty() && bench.in[q].empty()) << "left in queue " << q;
  }
  ASSERT_TRUE(bench.memory == want_memory) << "memory differs";
}

template <class B>
void random_drains(int drains) {
  std::mt19937_64 rng(seed());
  B bench;
  for (int i = 0; i < drains && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("drain " + std::to_string(i));
    random_drain(bench, rng);
  }
  // Each cause of waiting has been seen.
  EXPECT_EQ(bench.status_cause_seen & 0x3F, 0x3F);
}

using Bench8 = Bench<Vow_reduce8, 8>;
using Bench2 = Bench<Vow_reduce2, 2>;

TEST(Reduce, RandomDrainsGiveGoldenBitsWith8Lanes) { random_drains<Bench8>(300); }
TEST(Reduce, RandomDrainsGiveGoldenBitsWith2Lanes) { random_drains<Bench2>(300); }

// Cycles for 16 rows of 32 samples with their actions in turn, when nothing has to be waited for.
template <class B>
uint64_t cycles_for(const std::array<Action, 3>& actions) {
  B bench;
  const int ring = 16 * B::kLaneCount / 32;  // all that the accumulator words hold
  for (int j = 0; j < 16; ++j) bench.rows.push_back({true, std::vector<uint32_t>(32, 0x3F800000)});
  bench.configure(32, ring, 16, 3, 1, actions, 0, 4096, 128);
  bench.start(0, 0);
  const uint64_t begin = bench.cycles;
  while (bench.done == 0 && bench.cycles < begin + 10000) {
    for (int q : {0, 1}) {
      if (bench.has_space(q)) bench.in[q].push_back(0x40000000);
    }
    bench.step();
  }
  EXPECT_EQ(bench.elements, 512u);
  return bench.cycles - begin;
}

// The action of kind 0 .. 31: bit 0 in0, 1 in1, 2 bias, 3 to memory, 4 binary16 with ReLU.
Action action_of_kind(int kind) {
  Action a;
  if ((kind & 1) != 0) a.in0 = 0;
  if ((kind & 2) != 0) a.in1 = 1;
  a.bias = (kind & 4) != 0;
  a.memory = (kind & 8) != 0;
  a.f16 = a.relu = (kind & 16) != 0;
  return a;
}

template <class B>
void check_rates() {
  for (int kind = 0; kind < 32; ++kind) {
    const Action a = action_of_kind(kind);
    EXPECT_LE(cycles_for<B>({a, a, a}), 512u + 12) << "kind " << kind;
  }
}

TEST(Reduce, EveryActionPassesOneElementACycleWith8Lanes) { check_rates<Bench8>(); }
// With 2 lanes a row of 32 takes the whole ring: the next one is closed when it has been read.
TEST(Reduce, EveryActionPassesOneElementACycleWith2Lanes) {
  for (int kind = 0; kind < 32; ++kind) {
    const Action a = action_of_kind(kind);
    EXPECT_LE(cycles_for<Bench2>({a, a, a}), 512u + 16 * 2 + 12) << "kind " << kind;
  }
}

// Nothing to add and 16 bits a result: two elements a cycle, to the fabric and to memory.
TEST(Reduce, ShortElementsWithoutAnAdditionPassInPairs) {
  for (const bool memory : {false, true}) {
    Action a = action_of_kind(16);
    a.memory = memory;
    EXPECT_LE(cycles_for<Bench8>({a, a, a}), 256u + 12) << "memory " << memory;
  }
}

// A change of action costs at most what the chain of adders differs by.
TEST(Reduce, RowsOfDifferentActionsFollowEachOtherInTheChain) {
  for (int lower = 0; lower < 8; ++lower) {
    for (int equal = 0; equal < 8; ++equal) {
      const std::array<Action, 3> actions = {action_of_kind(lower), action_of_kind(equal),
                                             action_of_kind(7)};
      uint64_t held = 0;
      for (int j = 0; j < 15; ++j) {
        const int less = actions[j % 3].additions() - actions[(j + 1) % 3].additions();
        held += static_cast<uint64_t>(std::max(0, 2 * less));
      }
      EXPECT_LE(cycles_for<Bench8>(actions), 512u + held + 12) << lower << " " << equal;
    }
  }
}

// A wavelet at the head of the queues leaves 2n + 1 cycles later, n being the additions.
TEST(Reduce, LatencyIsTwoCyclesAnAddition) {
  for (int kind = 0; kind < 8; ++kind) {
    const Action a = action_of_kind(kind);
    Bench8 bench;
    bench.rows.push_back({true, std::vector<uint32_t>(8, 0x3F800000)});
    bench.configure(8, 1, 1, 1, 0, {a, a, a}, 0, 0, 0);
    bench.start(0, 0);
    for (int i = 0; i < 20; ++i) bench.step();
    if (a.in0 < 0 && a.in1 < 0) continue;  // nothing held it up
    EXPECT_EQ(bench.elements, 0u);
    bench.in[0].push_back(0x40000000);
    for (int i = 0; a.in0 >= 0 && a.in1 >= 0 && i < 5; ++i) bench.step();
    if (a.in0 >= 0 && a.in1 >= 0) {
      EXPECT_EQ(bench.in[0].size(), 1u) << "in0 taken without in1";
    }
    bench.in[1].push_back(0x40000000);
    int cycles = 0;
    while (bench.elements == 0 && cycles < 20) {
      bench.step();
      ++cycles;
    }
    EXPECT_EQ(cycles, 2 * a.additions() + 1) << "kind " << kind;
  }
}

// Sums leave unchanged, bit for bit, where nothing is added to them.
TEST(Reduce, AddingNothingChangesNoBit) {
  for (const uint32_t bits :
       {0x80000000u, 0u, 1u, 0x807FFFFFu, 0x7F800000u, 0xFF800000u, golden::kNan32, 0x3F800001u}) {
    Bench8 bench;
    const Action a;
    bench.rows.push_back({true, std::vector<uint32_t>(8, bits)});
    bench.configure(8, 1, 1, 1, 0, {a, a, a}, 0, 0, 0);
    bench.start(0, 0);
    for (int i = 0; i < 40; ++i) bench.step();
    EXPECT_EQ(bench.sent[0], std::vector<uint32_t>(8, bits));
  }
}

TEST(Reduce, ChainOfFourPassesOneWaveletACycle) {
  constexpr int kRows = 32;
  constexpr int kSamples = 32;
  std::array<Bench8, 4> chain;
  std::mt19937_64 rng(seed());
  std::vector<uint32_t> want(kRows * kSamples);
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < kRows; ++j) {
      Row row;
      for (int e = 0; e < kSamples; ++e) {
        row.sums.push_back(random_sum(rng));
        uint32_t& w = want[static_cast<size_t>(j * kSamples + e)];
        w = k == 0 ? row.sums[e] : golden::f32_add(row.sums[e], w);
      }
      chain[k].rows.push_back(row);
    }
    Action a;
    a.in0 = k == 0 ? -1 : 2;
    a.out = 3;
    chain[k].configure(kSamples, 4, kRows, 1, 0, {a, a, a}, 0, 0, 0);
    chain[k].start(0, 0);
  }
  // A hop between neighbours takes two cycles and passes one wavelet a cycle; the receiving queue
  // must have room for what is under way.
  std::array<std::array<std::deque<uint32_t>, 2>, 4> hop;
  std::vector<uint32_t> got;
  uint64_t cycle = 0;
  uint64_t first = 0;
  for (; got.size() < want.size() && cycle < 10000; ++cycle) {
    for (int k = 0; k < 4; ++k) {
      const size_t before = chain[k].sent[3].size();
      chain[k].p_drain =
          k == 3 || chain[k + 1].in[2].size() + hop[k][0].size() + hop[k][1].size() < kQueueDepth
              ? 100
              : 0;
      chain[k].step();
      if (k == 3) {
        got = chain[3].sent[3];
        if (first == 0 && !got.empty()) first = cycle;
        continue;
      }
      if (!hop[k][1].empty()) {
        chain[k + 1].in[2].push_back(hop[k][1].front());
        hop[k][1].pop_front();
      }
      std::swap(hop[k][0], hop[k][1]);
      if (chain[k].sent[3].size() > before) hop[k][0].push_back(chain[k].sent[3].back());
    }
  }
  ASSERT_EQ(got, want);
  std::printf("chain: first sum after %llu cycles, %zu sums in %llu cycles\n",
              static_cast<unsigned long long>(first), want.size(),
              static_cast<unsigned long long>(cycle - first));
  EXPECT_LE(cycle - first, want.size() + 8);
}

template <class B>
bool bad_registers(B& bench) {
  return reg::RedStatus::Error::get(bench.read(reg::RedStatus::kOffset));
}

TEST(Reduce, BadConfigurationEndsAtOnceAndSaysSo) {
  Bench8 bench;
  const Action a;
  const int bad[][3] = {{0, 1, 1}, {12, 1, 1}, {8, 0, 1}, {8, 1, 0}, {64, 4, 1}, {136, 1, 1}};
  for (const auto& b : bad) {
    bench.configure(b[0], b[1], 3, b[2], 0, {a, a, a}, 0, 0, 0);
    bench.done = 0;
    bench.ring = 0;
    bench.start(1, 9);
    bench.step();
    bench.step();
    EXPECT_EQ(bench.done, 1);
    EXPECT_FALSE(bench.busy());
    EXPECT_EQ(bad_registers(bench), true) << b[0] << " " << b[1] << " " << b[2];
  }
  // A first phase that is not below the period.
  for (const int first : {3, 4}) {
    bench.configure(8, 1, 1, 4, 0, {a, a, a}, 0, 0, 0, first);
    bench.start(1, 9);
    EXPECT_EQ(bench.busy(), first == 3);
    EXPECT_EQ(bad_registers(bench), first != 3);
    bench.rows.push_back({true, std::vector<uint32_t>(8, 0)});
    for (int i = 0; i < 30 && bench.busy(); ++i) bench.step();
    bench.rows.clear();
    EXPECT_FALSE(bench.busy());
  }
  // Addresses must be aligned to the elements; those that no action uses do not matter.
  const uint32_t misaligned[][4] = {{1, 0, 0, 1}, {2, 0, 0, 1}, {0, 2, 0, 1},
                                    {0, 0, 2, 1}, {4, 8, 4, 0}, {2, 2, 4, 0}};
  for (const auto& m : misaligned) {
    Action stores;
    stores.memory = true;
    stores.bias = true;
    stores.f16 = m[3] == 0;
    bench.configure(8, 1, 0, 1, 0, {a, stores, a}, m[2], m[0], static_cast<int>(m[1]));
    bench.start(1, 9);
    EXPECT_EQ(bad_registers(bench), m[3] != 0) << m[0] << " " << m[1] << " " << m[2];
    EXPECT_EQ(bench.fault(), m[3] != 0);
    if (m[3] != 0) {
      EXPECT_EQ(bench.fault_cause(), 1);
    }
    bench.step();
  }
  // One queue cannot be in0 and in1 of an element; in a row that is dropped it does not matter.
  Action same;
  same.in0 = same.in1 = 5;
  for (const bool enable : {true, false}) {
    same.enable = enable;
    bench.configure(8, 1, 1, 1, 0, {a, a, same}, 0, 0, 0);
    bench.start(1, 9);
    EXPECT_EQ(bench.busy(), !enable);
    EXPECT_EQ(bad_registers(bench), enable);
  }
}

TEST(Reduce, RegistersAreFixedWhileADrainRuns) {
  Bench8 bench;
  Action a;
  a.memory = true;
  bench.rows.push_back({true, std::vector<uint32_t>(8, 0x40000000)});
  bench.configure(8, 1, 2, 1, 0, {a, a, a}, 0, 0x100, 32);
  bench.start(0, 0);
  bench.write(reg::RedDst::kOffset, 0x200);
  bench.write(reg::RedPitch::kOffset, 0x7FF);
  EXPECT_TRUE(bench.fault());
  EXPECT_EQ(bench.fault_cause(), 4);
  bench.rows.push_back({true, std::vector<uint32_t>(8, 0x40400000)});
  for (int i = 0; i < 100; ++i) bench.step();
  EXPECT_EQ(bench.done, 1);
  EXPECT_EQ(bench.read(reg::RedDst::kOffset), 0x100u);
  EXPECT_EQ(bench.read(reg::RedPitch::kOffset), 32u);
  EXPECT_EQ(bench.memory[0x100 + 3], 0x40);
  EXPECT_EQ(bench.memory[0x120 + 2], 0x40);
  EXPECT_EQ(bench.memory[0x200], 0xA5);
}

TEST(Reduce, HaltTakesNothingMoreAndGoesOnWhereItWas) {
  Bench8 bench;
  Action a;
  a.in0 = 2;
  const size_t n = 32;
  for (size_t r = 0; r < n / 8; ++r) bench.rows.push_back({true, std::vector<uint32_t>(8, 0)});
  bench.configure(8, 2, n / 8, 1, 0, {a, a, a}, 0, 0, 0);
  bench.start(1, 4);
  std::vector<uint32_t> want;
  size_t given = 0;
  for (int cycle = 0; cycle < 200; ++cycle) {
    if (given < n && bench.has_space(2)) {
      want.push_back(0x3F800000u + static_cast<uint32_t>(given++));
      bench.in[2].push_back(want.back());
    }
    const bool halted = cycle % 40 >= 10 && cycle % 40 < 30;
    bench.halt(halted);
    const size_t before = bench.in[2].size();
    bench.step();
    if (halted) {
      EXPECT_EQ(bench.in[2].size(), before);
    }
  }
  EXPECT_EQ(bench.done, 1);
  EXPECT_EQ(bench.sent[0], want);
}

TEST(Reduce, AddressesBeyondMemoryAreReportedAndNotUsed) {
  Action a;
  a.bias = true;
  for (const bool store : {false, true}) {
    Bench8 bench;
    a.memory = store;
    a.bias = !store;
    bench.rows.push_back({true, std::vector<uint32_t>(8, 0x3F800000)});
    bench.configure(8, 1, 1, 1, 0, {a, a, a}, kSramBytes, kSramBytes - 16, 0);
    if (!store) bench.write(reg::RedBias::kOffset, 0xF0000000);  // more than 24 bits
    const std::vector<uint8_t> before(bench.memory.begin(), bench.memory.end() - 16);
    bench.start(0, 0);
    for (int i = 0; i < 100; ++i) bench.step();
    EXPECT_EQ(bench.done, 1);
    EXPECT_EQ(bad_registers(bench), true);
    EXPECT_TRUE(bench.fault());
    EXPECT_EQ(bench.fault_cause(), store ? 2 : 3);
    EXPECT_EQ(bench.fault_addr() & ~7u, store ? static_cast<uint32_t>(kSramBytes) : 0x600000u);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), bench.memory.begin()));
    if (!store) {
      EXPECT_EQ(bench.sent[0], std::vector<uint32_t>(8, golden::kNan32));
    }
  }
}

}  // namespace
