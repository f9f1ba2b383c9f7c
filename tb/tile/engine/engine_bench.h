// SPDX-License-Identifier: Apache-2.0
// What the tests of the tensor engine share: descriptors and instructions, an element-by-element
// model of what an instruction means, the device under test with its queues.
//
// OW_SEED=<n> in the environment repeats a random test with another seed; OW_ROUNDS=<n> its length.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "VEngine2.h"
#include "VEngine8.h"
#include "ow/golden/formats.h"
#include "ow/golden/tile_ops.h"
#include "verilated.h"

namespace ow_engine {

constexpr uint32_t kSramBytes = 8192;
constexpr uint32_t kAcc = 0x800000;
constexpr int kThreads = 13;

enum Op {
  kMov,
  kAdd,
  kSub,
  kMul,
  kFma,
  kMax,
  kMin,
  kCvt,
  kAnd,
  kOr,
  kXor,
  kSll,
  kSrl,
  kSra,
  kAxpyw = 16,
  kDrain = 17,
  kDotw = 18,
  kCmpEq = 20,
  kCmpNe,
  kCmpLt,
  kCmpLe,
  kDot = 24,
  kSum,
  kRMax,
  kRMin,
  kGather,
  kScatter,
  kFmag,
  kRcp = 32,
  kRsqrt,
  kExp,
  kLog,
  kTanh,
  kSigmoid
};
enum Type { kF16, kBf16, kF32, kMixed, kI16, kI32, kI8, kMixedB };
enum Kind { kNone, kMem, kFabIn, kFabOut, kFifo };

struct Wavelet {
  bool ctrl;
  uint32_t data;
  bool operator==(const Wavelet& o) const { return ctrl == o.ctrl && data == o.data; }
};

struct Dsr {
  int kind = kMem;
  int type = kF16;
  int q = 0;
  bool save = false;
  bool close = false;
  int code = 0;
  bool skip = false;
  bool tag = false;
  uint32_t addr = 0;
  std::array<uint16_t, 4> len{};
  std::array<int16_t, 4> step{};

  uint32_t word(int i) const {
    if (i == 0) {
      return kind | type << 4 | q << 8 | save << 11 | close << 12 | code << 13 | skip << 15 |
             tag << 16;
    }
    if (i == 1) return addr;
    return len[i - 2] | static_cast<uint32_t>(static_cast<uint16_t>(step[i - 2])) << 16;
  }
};

struct Insn {
  int op = kMov;
  int ty = kF16;
  int thread = 0;
  int dst = 0, a = 0, b = 0;
  bool scalar = false;
  int done = 0, task = 0;
  bool stoch = false, prio = false, fresh = false;
  uint32_t value = 0;

  uint32_t ctl() const {
    return dst | a << 5 | b << 10 | scalar << 15 | thread << 16 | prio << 20 | stoch << 21 |
           fresh << 22 | done << 24 | task << 26;
  }
};

inline Dsr mem(uint32_t addr, uint16_t n, int16_t step) {
  Dsr d;
  d.addr = addr;
  d.len[0] = n;
  d.step[0] = step;
  return d;
}

inline Dsr fab_in(int q, uint16_t n) {
  Dsr d;
  d.kind = kFabIn;
  d.q = q;
  d.len[0] = n;
  return d;
}

inline Dsr fab_out(int q) {
  Dsr d;
  d.kind = kFabOut;
  d.q = q;
  return d;
}

// What an instruction means: memory, accumulator words, queues.
struct Machine {
  std::vector<uint8_t> sram = std::vector<uint8_t>(kSramBytes);
  std::array<uint32_t, 128> acc{};
  std::array<std::deque<Wavelet>, 8> in;
  std::array<std::deque<Wavelet>, 8> out;
  std::array<Dsr, 32> dsr;
};

struct Walker {
  const Dsr* d;
  uint32_t addr;
};

inline bool is_red(int op) { return op >= kDot && op <= kRMin; }
inline bool is_indexed(int op) { return op >= kGather && op <= kFmag; }
inline bool has_a(int op) { return op != kGather; }
inline bool has_b(int op) {
  return (op >= kAdd && op <= kMin) || (op >= kAnd && op <= kSra) || (op >= kCmpEq && op <= kDot) ||
         is_indexed(op);
}
inline bool is_fma(int op) { return op == kFma || op == kFmag; }
inline int bytes_of(int type) {
  return ow::golden::type_bytes(static_cast<ow::golden::Type>(type));
}
inline int src_bytes(const Insn& i) {
  return i.ty == kMixed || i.ty == kMixedB ? 2 : bytes_of(i.ty);
}
inline int dst_bytes(const Insn& i, const Dsr& d) {
  if (i.op == kCvt || is_red(i.op)) return bytes_of(d.type);
  return i.ty == kMixed || i.ty == kMixedB ? 4 : bytes_of(i.ty);
}
inline int dst_type(const Insn& i, const Dsr& d) {
  if (i.op == kCvt || is_red(i.op)) return d.type;
  return i.ty == kMixed || i.ty == kMixedB ? kF32 : i.ty;
}

// One instruction, element by element.
class Model {
 public:
  explicit Model(Machine* m) : m_(m) {}

  void run(const Insn& i) {
    const bool two = has_b(i.op);
    const bool red = is_red(i.op);
    const int sb = src_bytes(i);
    const int bb = is_indexed(i.op) ? 2 : sb;
    Dsr& da = m_->dsr[i.a];
    Dsr& db = m_->dsr[i.b];
    Dsr& dd = m_->dsr[i.dst];
    const int nd = dst_bytes(i, dd);
    const bool a_imm = !two && i.scalar;
    const bool b_imm = two && i.scalar && !is_indexed(i.op);
    const bool with_a = has_a(i.op) && !a_imm;
    const bool d_mem = dd.kind == kMem && i.op != kScatter;
    const Dsr& space = !red && (d_mem || a_imm) ? dd : with_a ? da : db;
    uint32_t aa = da.addr, ba = db.addr, ad = dd.addr;
    std::array<uint32_t, 4> cnt{};
    bool half_a = false, half_b = false;
    const bool inf = space.len[0] == 0;
    uint32_t b_held = 0;
    bool b_new = true;
    out_ = {};
    std::vector<uint32_t> va, vb;

    for (;;) {
      uint32_t a = 0, b = 0;
      bool end = false;
      if (with_a && da.kind == kFabIn) end = skip(da.q);
      if (!end && two && !b_imm && db.kind == kFabIn) end = skip(db.q);
      if (end) break;
      if (a_imm)
        a = i.value;
      else if (with_a)
        a = da.kind == kFabIn ? take(da.q, sb, &half_a) : load(aa, sb);
      if (two) {
        if (b_imm) {
          b = i.value;
        } else if (db.kind == kFabIn) {
          b = take(db.q, bb, &half_b);
        } else if (db.step[0] == 0 && !(db.addr & kAcc)) {
          if (b_new) b_held = load(ba, bb);
          b = b_held;
        } else {
          b = load(ba, bb);
        }
      }
      b_new = false;
      const uint32_t mask = sb == 4 ? 0xFFFFFFFF : (1u << 8 * sb) - 1;
      a &= mask;
      if (b_imm) b &= mask;
      cnt[0]++;
      const bool v_end = !inf && cnt[0] == space.len[0];
      if (red) {
        va.push_back(a);
        vb.push_back(b);
        if (v_end) {
          using namespace ow::golden;
          result(i, dd, ad,
                 reduce(static_cast<ow::golden::Op>(i.op), static_cast<ow::golden::Type>(i.ty),
                        static_cast<ow::golden::Type>(dd.type), va.data(), vb.data(), va.size()));
          va.clear();
          vb.clear();
        }
      } else if (i.op == kScatter) {
        store(i.value + b * sb, sb, a);
      } else {
        const uint32_t x = is_indexed(i.op) ? load(i.value + b * sb, sb) : 0;
        const uint32_t c = is_fma(i.op) && !(i.fresh && cnt[1] == 0) ? load(ad, nd) : 0;
        result(i, dd, ad,
               i.op == kGather ? x
               : i.op == kFmag ? compute(i, dd, a, x, c)
                               : compute(i, dd, a, b, c));
      }
      aa += da.step[0];
      ba += db.step[0];
      if (!red || v_end) ad += dd.step[0];
      if (inf) continue;
      bool carry = v_end;
      if (carry) {
        cnt[0] = 0;
        b_new = true;
      }
      for (int k = 1; k < 4 && carry; k++) {
        if (space.len[k] == 0) continue;
        aa += da.step[k];
        ba += db.step[k];
        if (!red)
          ad += dd.step[k];
        else if (k > 1)
          ad += dd.step[k - 1];
        cnt[k]++;
        carry = cnt[k] == space.len[k];
        if (carry) cnt[k] = 0;
      }
      if (carry) {
        if (half_a) m_->in[da.q].pop_front();
        if (half_b) m_->in[db.q].pop_front();
        break;
      }
    }
    if (out_.half) m_->out[dd.q].push_back({false, out_.pack});
    if (dd.kind == kFabOut && dd.close) {
      m_->out[dd.q].push_back({true, static_cast<uint32_t>(dd.code)});
    }
    if (d_mem && dd.save) dd.addr = ad & 0xFFFFFF;
    if (two && !b_imm && db.kind == kMem && db.save) db.addr = ba & 0xFFFFFF;
    if (with_a && da.kind == kMem && da.save) da.addr = aa & 0xFFFFFF;
  }

 private:
  // Takes control wavelets at the head; true at stream end.
  bool skip(int q) {
    while (m_->in[q].front().ctrl) {
      const uint32_t data = m_->in[q].front().data;
      m_->in[q].pop_front();
      if (data & 2) return true;
    }
    return false;
  }
  void result(const Insn& i, const Dsr& d, uint32_t addr, uint32_t r) {
    const int n = dst_bytes(i, d);
    if (d.kind == kMem) {
      store(addr, n, r);
      return;
    }
    const uint32_t index = out_.index++;
    const int type = dst_type(i, d);
    const bool flt = type == kF16 || type == kBf16 || type == kF32;
    const bool zero =
        n == 4 ? (flt ? r << 1 == 0 : r == 0) : (flt ? (r & 0x7FFF) == 0 : (r & 0xFFFF) == 0);
    if (d.skip && zero) return;
    auto& q = m_->out[d.q];
    if (n == 4) {
      q.push_back({false, r});
    } else if (d.tag) {
      q.push_back({false, (r & 0xFFFF) | index << 16});
    } else if (out_.half) {
      q.push_back({false, out_.pack | (r & 0xFFFF) << 16});
      out_.half = false;
    } else {
      out_.pack = r & 0xFFFF;
      out_.half = true;
    }
  }
  uint32_t take(int q, int bytes, bool* half) {
    const uint32_t w = m_->in[q].front().data;
    if (bytes == 4) {
      m_->in[q].pop_front();
      return w;
    }
    if (!*half) {
      *half = true;
      return w & 0xFFFF;
    }
    *half = false;
    m_->in[q].pop_front();
    return w >> 16;
  }
  uint32_t load(uint32_t addr, int bytes) {
    if (addr & kAcc) return m_->acc[(addr & 0x1FF) / 4];
    uint32_t r = 0;
    for (int k = 0; k < bytes; k++) r |= static_cast<uint32_t>(m_->sram[addr + k]) << (8 * k);
    return r;
  }
  void store(uint32_t addr, int bytes, uint32_t v) {
    if (addr & kAcc) {
      m_->acc[(addr & 0x1FF) / 4] = v;
      return;
    }
    for (int k = 0; k < bytes; k++) m_->sram[addr + k] = v >> (8 * k);
  }
  static uint32_t compute(const Insn& i, const Dsr& d, uint32_t a, uint32_t b, uint32_t c) {
    using ow::golden::Type;
    if (i.op == kMov) return a;
    if (i.op == kCvt) {
      return ow::golden::convert(static_cast<Type>(i.ty), static_cast<Type>(d.type), a);
    }
    const int op = i.op == kFmag ? static_cast<int>(kFma) : i.op;
    return ow::golden::apply(static_cast<ow::golden::Op>(op), static_cast<Type>(i.ty), a, b, c);
  }

  struct {
    bool half = false;
    uint32_t pack = 0;
    uint32_t index = 0;
  } out_;
  Machine* m_;
};

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
  std::array<std::deque<Wavelet>, 8> in, out;
  std::vector<std::pair<int, int>> done;  // kind, task
  int sync_done = 0, rows = 0, weights = 0, beats = 0, drains = 0;
  std::vector<bool> row_written;
  std::array<int, 6> cause{};
  std::mt19937 rng{1};

  bool chance(int percent) { return percent >= 100 || static_cast<int>(rng() % 100) < percent; }

  // One cycle: inputs settle, outputs are sampled, then the clock edge.
  void tick() {
    for (int q = 0; q < 8; q++) {
      // One wavelet arrives a cycle at most, and a queue holds eight.
      if (present_[q] < std::min<std::size_t>(8, in[q].size()) && chance(in_rate)) present_[q]++;
      const Wavelet w = present_[q] > 0 ? in[q].front() : Wavelet{false, 0};
      set_bit(&v_->inq_valid_i, q, present_[q] > 0);
      set_bit(&v_->inq_more_i, q, present_[q] > 1);
      set_bit(&v_->inq_ctrl_i, q, w.ctrl);
      v_->inq_data_i[q] = w.data;
    }
    uint32_t levels = 0;
    for (int q = 0; q < 8; q++) levels |= static_cast<uint32_t>(fill_[q].size()) << (4 * q);
    v_->outq_level_i = levels;
    if (disturb > 0) {
      v_->lsu_req_i = chance(disturb);
      v_->lsu_addr_i = rng() % kSramBytes & ~3u;
      v_->fetch_req_i = chance(disturb);
      v_->fetch_addr_i = rng() % kSramBytes & ~7u;
    } else {
      v_->lsu_req_i = v_->fetch_req_i = 0;
    }
    v_->clk_i = 0;
    v_->eval();
    const uint32_t pop = v_->inq_pop_o;
    const bool push = v_->push_o;
    const int push_q = v_->push_q_o;
    const Wavelet pushed{v_->push_ctrl_o != 0, v_->push_data_o};
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
    v_->clk_i = 1;
    v_->eval();
    cycle_++;
    for (int q = 0; q < 8; q++) {
      if (pop >> q & 1) {
        ASSERT_GT(present_[q], 0u);
        in[q].pop_front();
        present_[q]--;
      }
      if (!fill_[q].empty() && chance(out_rate)) {
        out[q].push_back(fill_[q].front());
        fill_[q].pop_front();
      }
    }
    if (push) {
      ASSERT_LT(fill_[push_q].size(), 8u);
      fill_[push_q].push_back(pushed);
    }
  }

  void write_dsr(int idx, const Dsr& d) {
    for (int w = 0; w < 6; w++) {
      v_->dsr_we_i = 1;
      v_->dsr_idx_i = idx;
      v_->dsr_word_i = w;
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
    for (int n = 0; !v_->tensor_ready_o; n++) {
      ASSERT_LT(n, 100000) << "instruction is not taken";
      tick();
      v_->clk_i = 0;
      v_->eval();
    }
    tick();
    v_->tensor_valid_i = 0;
  }
  uint32_t thread_state(int t) {
    v_->thread_sel_i = t;
    v_->clk_i = 0;
    v_->eval();
    return v_->thread_state_o;
  }
  bool busy() {
    for (int t = 0; t < kThreads; t++) {
      if (thread_state(t) >> 31) return true;
    }
    return false;
  }
  bool queues_empty() const {
    for (const auto& f : fill_) {
      if (!f.empty()) return false;
    }
    return true;
  }
  // Runs until no thread is active and the output queues are drained.
  void finish(int limit = 200000) {
    for (int n = 0; busy() || !queues_empty(); n++) {
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
  uint32_t acc_word(int i) {
    v_->acc_raddr_i = i / lanes_;
    v_->clk_i = 0;
    v_->eval();
    return word_of(v_->acc_rdata_o, i % lanes_);
  }

 private:
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
};

struct Lanes8 {
  using Top = VEngine8;
  static constexpr int kLanes = 8;
};
struct Lanes2 {
  using Top = VEngine2;
  static constexpr int kLanes = 2;
};
inline uint32_t seed() {
  const char* s = std::getenv("OW_SEED");
  return s != nullptr ? static_cast<uint32_t>(std::strtoul(s, nullptr, 0)) : 1;
}
inline int rounds(int n) {
  const char* s = std::getenv("OW_ROUNDS");
  return s != nullptr ? std::atoi(s) : n;
}

// Mostly ordinary numbers, some special ones.
inline uint16_t random_f16(std::mt19937* rng) {
  switch ((*rng)() % 16) {
    case 0:
      return (*rng)();
    case 1:
      return (*rng)() & 0x83FF;  // subnormal or zero
    case 2:
      return 0x8000 * ((*rng)() & 1);
    default:
      return ((*rng)() & 0x83FF) | ((*rng)() % 12 + 9) << 10;
  }
}
inline uint32_t random_f32(std::mt19937* rng) {
  if ((*rng)() % 8 == 0) return (*rng)();
  return ((*rng)() & 0x807FFFFF) | ((*rng)() % 24 + 115) << 23;
}

template <typename B>
inline void load_memory(B* b, Machine* m, std::mt19937* rng) {
  for (uint32_t a = 0; a < kSramBytes; a += 4) {
    const uint32_t w =
        (*rng)() % 4 == 0 ? random_f32(rng) : random_f16(rng) | random_f16(rng) << 16;
    for (int k = 0; k < 4; k++) m->sram[a + k] = w >> (8 * k);
    b->poke(a, w);
  }
}

inline uint32_t word_at(const Machine& m, uint32_t a) {
  return m.sram[a] | m.sram[a + 1] << 8 | m.sram[a + 2] << 16 |
         static_cast<uint32_t>(m.sram[a + 3]) << 24;
}

// Cycles that one instruction takes from launch to its end.
template <typename B>
uint64_t cycles_of(B* b, const Insn& i, const Dsr& dst, const Dsr& a, const Dsr& bb) {
  b->write_dsr(i.dst, dst);
  b->write_dsr(i.a, a);
  b->write_dsr(i.b, bb);
  b->launch(i);
  const uint64_t start = b->cycle();
  for (int n = 0; n < 100000 && b->thread_state(i.thread) >> 31; n++) b->tick();
  return b->cycle() - start;
}

}  // namespace ow_engine
