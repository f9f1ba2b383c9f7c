// SPDX-License-Identifier: Apache-2.0
// Tests of the tensor engine against an element-by-element model: random instructions on random
// threads, streamed layers, rates, faults. The same programs run with 8 and with 2 lanes and must
// leave the same bits. Operations that need a word of their own: units_test.cpp.
#include "engine_bench.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

template <typename T>
class EngineTest : public ::testing::Test {};

using Widths = ::testing::Types<Lanes8, Lanes2>;
TYPED_TEST_SUITE(EngineTest, Widths);

// A random instruction of one thread: sources in [lo, lo + 256), destination in [lo + 256,
// lo + 512), its own queues and descriptors. May also work in place.
struct Generator {
  std::mt19937* rng;
  Machine* m;
  std::deque<int> in_qs, out_qs;
  bool acc_taken = false;
  uint32_t acc_words = 32;

  uint32_t pick(uint32_t n) { return (*rng)() % n; }

  // Steps and base for a walk over lens that stays inside [lo, lo + size), in elements of e bytes.
  // red: over the results of a reduction.
  void walk(Dsr* d, const std::array<uint16_t, 4>& len, int e, uint32_t lo, uint32_t size, bool dst,
            bool red = false) {
    for (int tries = 0;; tries++) {
      const uint32_t kind = pick(8);
      d->step[0] = kind == 0 ? 0 : kind == 1 ? 2 * e : kind == 2 ? -e : e;
      if (dst && kind == 0 && pick(2)) d->step[0] = e;
      if (tries > 20) d->step[0] = 0;
      for (int k = 1; k < 4; k++) {
        // Continue, go back to the start of the vector, or anything small.
        const int back =
            -static_cast<int>(red ? std::max<int>(len[k], 1) : len[k - 1]) * d->step[k - 1];
        d->step[k] = pick(3) == 0 ? 0 : pick(2) ? back : back + e * (static_cast<int>(pick(5)) - 1);
        if (tries > 10) d->step[k] = k == 1 ? back : 0;
        if (red && tries > 20) d->step[k] = 0;
      }
      long pos = 0, low = 0, high = 0;
      std::array<uint32_t, 4> cnt{};
      for (bool carry = false; !carry;) {
        low = std::min(low, pos);
        high = std::max(high, pos);
        pos += d->step[0];
        carry = red || ++cnt[0] == len[0];
        if (carry) cnt[0] = 0;
        for (int k = 1; k < 4 && carry; k++) {
          if (len[k] == 0) continue;
          if (!red)
            pos += d->step[k];
          else if (k > 1)
            pos += d->step[k - 1];
          cnt[k]++;
          carry = cnt[k] == len[k];
          if (carry) cnt[k] = 0;
        }
      }
      const long room = static_cast<long>(size) - e - (high - low);
      if (room < 0) continue;
      d->addr = lo + static_cast<uint32_t>(-low) + pick(static_cast<uint32_t>(room) / e + 1) * e;
      return;
    }
  }

  void fill(int q, uint32_t elements, bool w32, bool end) {
    const uint32_t n = w32 ? elements : (elements + 1) / 2;
    for (uint32_t i = 0; i < n; i++) {
      if (pick(16) == 0) m->in[q].push_back({true, pick(2)});  // no stream end
      m->in[q].push_back({false, w32 ? random_f32(rng) : random_f16(rng) | random_f16(rng) << 16});
    }
    if (end) m->in[q].push_back({true, 2 | pick(2)});
  }

  // A random type of those that an operation has.
  Insn random_op() {
    constexpr int kFloats = 1 << kF16 | 1 << kBf16 | 1 << kF32, kInts = 1 << kI16 | 1 << kI32,
                  kMix = 1 << kMixed | 1 << kMixedB, kI8s = 1 << kI8;
    static const int kOps[][2] = {{kMov, kFloats | kInts | kI8s},
                                  {kAdd, kFloats | kInts},
                                  {kSub, kFloats | kInts},
                                  {kMul, kFloats | kInts},
                                  {kFma, kFloats | kMix | kInts},
                                  {kFma, kFloats | kMix},
                                  {kMax, kFloats | kInts},
                                  {kMin, kFloats | kInts},
                                  {kCvt, kFloats | kInts | kI8s},
                                  {kCvt, kFloats | kInts | kI8s},
                                  {kAnd, kInts},
                                  {kOr, kInts},
                                  {kXor, kInts},
                                  {kSll, kInts},
                                  {kSrl, kInts},
                                  {kSra, kInts},
                                  {kCmpEq, kFloats | kInts},
                                  {kCmpNe, kFloats | kInts},
                                  {kCmpLt, kFloats | kInts},
                                  {kCmpLe, kFloats | kInts},
                                  {kDot, kFloats | kI8s | 1 << kI16},
                                  {kDot, kFloats | kI8s},
                                  {kSum, kFloats | kInts | kI8s},
                                  {kRMax, kFloats | kInts},
                                  {kRMin, kFloats | kInts},
                                  {kGather, kFloats | kInts},
                                  {kScatter, kFloats | kInts},
                                  {kFmag, kFloats | kMix},
                                  {kExp, 3},
                                  {kRcp, 3},
                                  {kTanh, 3}};
    Insn i;
    const auto& op = kOps[pick(sizeof kOps / sizeof kOps[0])];
    i.op = op[0];
    do {
      i.ty = static_cast<int>(pick(8));
    } while (!(op[1] >> i.ty & 1));
    return i;
  }

  Insn make(int thread, int dsr, uint32_t lo) {
    Insn i = random_op();
    i.thread = thread;
    i.a = dsr;
    i.b = dsr + 1;
    i.dst = dsr + 2;
    i.prio = pick(4) == 0;
    i.fresh = is_fma(i.op) && pick(3) == 0;
    Dsr a, b, d;
    if (i.op == kCvt) {
      do {
        d.type = static_cast<int>(pick(7));
      } while (d.type == i.ty || d.type == kMixed);
    } else if (is_red(i.op)) {
      if (i.ty == kF16 || i.ty == kBf16 || i.ty == kF32)
        d.type = static_cast<int>(pick(3));
      else
        d.type = kI16 + static_cast<int>(pick(3));
    }
    const bool two = has_b(i.op);
    const bool indexed = is_indexed(i.op);
    const bool red = is_red(i.op);
    const int sb = src_bytes(i), nd = dst_bytes(i, d);
    const bool w32 = sb == 4;
    i.scalar = !indexed && !red && pick(5) == 0;
    i.value = w32 ? random_f32(rng) : random_f16(rng);
    if (indexed) {
      // Elements in the first quarter (scatter: of the second half), their indices in the last part
      // of the first half.
      i.value = i.op == kScatter ? lo + 256 : lo;
      for (uint32_t k = 0; k < 64; k += 2) {
        const uint32_t x = pick(128 / sb);
        m->sram[lo + 192 + k] = x;
        m->sram[lo + 193 + k] = 0;
      }
      new_indices.push_back(lo + 192);
    }
    i.done = static_cast<int>(pick(3));
    i.task = static_cast<int>(pick(32));

    std::array<uint16_t, 4> len{};
    len[0] = static_cast<uint16_t>(1 + pick(pick(4) == 0 ? 40 : 14));
    uint32_t total = len[0];
    for (int k = 1; k < 4; k++) {
      if (pick(2)) {
        len[k] = static_cast<uint16_t>(1 + pick(3));
        total *= len[k];
      }
    }
    a.save = pick(3) == 0;
    b.save = pick(3) == 0;
    d.save = pick(3) == 0;
    const bool a_imm = !two && i.scalar;
    const bool b_imm = two && i.scalar && !indexed;
    const bool with_a = has_a(i.op) && !a_imm;
    // Destination.
    const bool d_none = i.op == kScatter;
    const bool d_fab = !d_none && !is_fma(i.op) && nd > 1 && pick(3) == 0 && !out_qs.empty();
    const bool d_acc = !d_none && !d_fab && nd == 4 && !acc_taken && pick(3) == 0;
    if (d_none) d.kind = kNone;
    if (d_fab) {
      d.kind = kFabOut;
      d.q = out_qs.front();
      out_qs.pop_front();
      d.close = pick(2) != 0;
      d.code = static_cast<int>(pick(4));
      d.skip = pick(3) == 0;
      d.tag = nd == 2 && pick(3) == 0;
    }
    bool acc_src = false;
    // Sources.
    bool inf = false;
    auto source = [&](Dsr* s, bool first) {
      if (sb > 1 && pick(3) == 0 && !in_qs.empty()) {
        s->kind = kFabIn;
        s->q = in_qs.front();
        in_qs.pop_front();
        // Without a length, until stream end.
        if (first && !red && pick(3) == 0) inf = true;
        return;
      }
      if (w32 && i.op != kScatter && !acc_src && !acc_taken && pick(3) == 0) {
        acc_src = true;
        walk(s, len, 4, kAcc, acc_words * 4, false);
        return;
      }
      walk(s, len, sb, lo, indexed ? 192 : 256, false);
    };
    if (with_a) source(&a, true);
    if (indexed)
      walk(&b, len, 2, lo + 192, 64, false);
    else if (two && !b_imm)
      source(&b, false);
    if (!d_fab && !d_none) {
      walk(&d, len, nd, d_acc ? kAcc : lo + 256, d_acc ? acc_words * 4 : 256, true, red);
    }
    if (d_acc || acc_src) acc_taken = true;
    if (with_a && a.kind == kMem && !(a.addr & kAcc) && !d_fab && !d_acc && !d_none && !red &&
        sb == nd && pick(4) == 0) {
      a = d;  // in place
    }
    if (d_acc && acc_src) {
      // Source and destination must not overlap in a vector: in place, or in separate halves.
      Dsr* s = with_a && (a.addr & kAcc) ? &a : &b;
      if (red) {
        walk(s, len, 4, kAcc, acc_words * 2, false);
        walk(&d, len, 4, kAcc + acc_words * 2, acc_words * 2, true, true);
      } else {
        const int type = d.type;
        *s = d;
        d.type = type;
      }
    }
    const bool space_d = !red && (a_imm || (!d_fab && !d_none));
    Dsr* space = space_d ? &d : with_a ? &a : &b;
    if (inf && space != &a) inf = false;
    if (inf) {
      for (int k = 0; k < 4; k++) len[k] = 0;
      total = std::min(total, 30u);
      // Other operands walk on and on: keep them in place.
      if (two && !b_imm && b.kind == kMem) b.step[0] = 0;
    }
    space->len = len;
    // Elements that a stream has beyond an even number are only there if it is counted.
    if (with_a && a.kind == kFabIn) fill(a.q, total, w32, inf);
    if (two && !b_imm && b.kind == kFabIn) {
      fill(b.q, inf ? total + 1 : total, w32, false);
    }
    m->dsr[i.a] = a;
    m->dsr[i.b] = b;
    m->dsr[i.dst] = d;
    return i;
  }
  std::vector<uint32_t> new_indices;
};

// Up to 10 threads at once, each with a random instruction of its own; all of memory, the
// accumulator, the output queues and saved addresses are compared. A hash of all that was computed
// must not depend on the number of lanes.
template <typename W>
uint64_t random_threads(int in_rate, int out_rate, int disturb, int n) {
  Bench<typename W::Top> b(W::kLanes);
  std::mt19937 rng(seed() * 7919 + in_rate);
  Machine m;
  uint64_t hash = 1469598103934665603u;
  auto mix = [&](uint32_t x) { hash = (hash ^ x) * 1099511628211u; };
  load_memory(&b, &m, &rng);
  // The accumulator starts from known words: moved in by the engine.
  {
    for (int i = 0; i < 32; i++) m.acc[i] = word_at(m, i * 4);
    b.write_dsr(0, mem(0, 32, 4));
    b.write_dsr(1, mem(kAcc, 32, 4));
    Insn i;
    i.ty = kF32;
    i.dst = 1;
    b.launch(i);
    b.finish();
  }
  for (int round = 0; round < n; round++) {
    b.in_rate = b.out_rate = 100;
    b.disturb = 0;
    Generator g{&rng, &m, {}, {}, false, 32, {}};
    for (int q = 0; q < 8; q++) {
      g.in_qs.push_back(q);
      g.out_qs.push_back(7 - q);
      m.in[q].clear();
      m.out[q].clear();
      b.in[q].clear();
      b.out[q].clear();
    }
    b.done.clear();
    b.sync_done = 0;
    const int threads = 1 + static_cast<int>(rng() % 10);
    const int first = static_cast<int>(rng() % kThreads);
    std::vector<Insn> insns;
    for (int k = 0; k < threads; k++) {
      insns.push_back(g.make((first + k) % kThreads, 3 * k, 512 * k));
    }
    for (uint32_t at : g.new_indices) {
      for (uint32_t k = 0; k < 64; k += 4) b.poke(at + k, word_at(m, at + k));
    }
    for (int q = 0; q < 8; q++) b.in[q] = m.in[q];
    for (int k = 0; k < 3 * threads; k++) b.write_dsr(k, m.dsr[k]);
    b.in_rate = in_rate;
    b.out_rate = out_rate;
    b.disturb = disturb;
    int events = 0, syncs = 0;
    for (const Insn& i : insns) {
      b.launch(i);
      Model(&m).run(i);
      events += i.done != 0;
      syncs += i.thread == 0;
    }
    b.finish();
    b.in_rate = b.out_rate = 100;
    b.disturb = 0;
    EXPECT_EQ(b->fault_o, 0u) << "round " << round;
    EXPECT_EQ(static_cast<int>(b.done.size()), events);
    EXPECT_EQ(b.sync_done, syncs);
    EXPECT_EQ(b->inq_owned_o, 0);
    EXPECT_TRUE(b->idle_o);
    for (int q = 0; q < 8; q++) {
      EXPECT_TRUE(b.in[q] == m.in[q]) << "round " << round << " input queue " << q << ": "
                                      << b.in[q].size() << " left, not " << m.in[q].size();
      EXPECT_TRUE(b.out[q] == m.out[q]) << "round " << round << " output queue " << q << ": "
                                        << b.out[q].size() << " of " << m.out[q].size();
      for (const Wavelet& w : m.out[q]) mix(w.data);
    }
    for (uint32_t a = 0; a < 512u * threads; a += 4) {
      const uint32_t want = word_at(m, a);
      const uint32_t got = b.peek(a);
      mix(got);
      if (got != want) {
        const Insn& i = insns[a / 512];
        ADD_FAILURE() << "round " << round << " address " << a << ": " << std::hex << got
                      << ", not " << want << std::dec << "; op " << i.op << " type " << i.ty;
        break;
      }
    }
    for (int i = 0; i < 32; i++) {
      EXPECT_EQ(b.acc_word(i), m.acc[i]) << "round " << round << " accumulator word " << i;
    }
    for (int k = 0; k < 3 * threads; k++) {
      EXPECT_EQ(b.read_dsr(k, 1), m.dsr[k].addr) << "round " << round << " descriptor " << k;
    }
    if (::testing::Test::HasFailure()) {
      for (const Insn& i : insns) {
        std::printf("thread %d op %d type %d scalar %d value %x\n", i.thread, i.op, i.ty, i.scalar,
                    i.value);
        for (int k : {i.a, i.b, i.dst}) {
          const Dsr& d = m.dsr[k];
          std::printf(
              "  kind %d q %d addr %x len %d %d %d %d step %d %d %d %d close %d type %d skip %d "
              "tag %d\n",
              d.kind, d.q, d.addr, d.len[0], d.len[1], d.len[2], d.len[3], d.step[0], d.step[1],
              d.step[2], d.step[3], d.close, d.type, d.skip, d.tag);
        }
      }
      break;
    }
  }
  return hash;
}

TYPED_TEST(EngineTest, RandomThreadsMatchTheModelUnhindered) {
  random_threads<TypeParam>(100, 100, 0, rounds(150));
}

TYPED_TEST(EngineTest, RandomThreadsMatchTheModelUnderBackPressure) {
  random_threads<TypeParam>(30, 25, 40, rounds(150));
}

TEST(EngineBits, DoNotDependOnTheNumberOfLanes) {
  EXPECT_EQ(random_threads<Lanes8>(60, 60, 10, rounds(60)),
            random_threads<Lanes2>(60, 60, 10, rounds(60)));
}

// A streamed layer: rows with random weights, rows freed after random times, against the model.
// Returns the cycles from the first weight popped to the last row closed.
template <typename W>
uint64_t axpy(int samples, int ring, int rows, double density, int in_rate, int free_delay,
              int disturb, Bench<typename W::Top>* b, uint32_t base = 1024) {
  std::mt19937 rng(seed() + samples);
  Machine m;
  b->in_rate = b->out_rate = 100;
  b->disturb = 0;
  const int inputs = 64;
  load_memory(b, &m, &rng);
  std::deque<Wavelet> stream;
  std::vector<std::vector<uint32_t>> want;
  std::vector<bool> written;
  for (int r = 0; r < rows; r++) {
    std::vector<uint32_t> row(samples, 0);
    bool any = false;
    for (int i = 0; i < inputs; i++) {
      if (std::uniform_real_distribution<>(0, 1)(rng) >= density) continue;
      const uint16_t w = random_f16(&rng);
      stream.push_back({false, static_cast<uint32_t>(i) << 16 | w});
      for (int s = 0; s < samples; s++) {
        const uint32_t a = base + 2 * (i * samples + s);
        row[s] = ow::golden::mixed_fma(w, m.sram[a] | m.sram[a + 1] << 8, row[s]);
      }
      any = true;
    }
    want.push_back(row);
    written.push_back(any);
    if (r + 1 < rows && r % 3 == 1) stream.push_back({true, 0});  // neither end: no effect
    stream.push_back({true, r + 1 == rows && rows % 2 ? 3u : 1u});
  }
  if (rows % 2 == 0) stream.push_back({true, 2});
  stream.push_back({false, 0xDEADBEEF});  // must stay
  Dsr a = mem(base, static_cast<uint16_t>(samples), 2);
  a.len[1] = inputs;
  a.step[1] = static_cast<int16_t>(2 * samples);
  Dsr d = mem(kAcc, static_cast<uint16_t>(samples), 4);
  d.len[1] = static_cast<uint16_t>(ring);
  b->write_dsr(0, d);
  b->write_dsr(1, a);
  b->write_dsr(2, fab_in(5, 0));
  b->in[5] = stream;
  b->rows = 0;
  b->weights = 0;
  b->cause = {};
  b->row_written.clear();
  b->done.clear();
  Insn i;
  i.op = kAxpyw;
  i.ty = kMixed;
  i.thread = 1;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  i.done = 1;
  i.task = 19;
  b->in_rate = in_rate;
  b->disturb = disturb;
  b->launch(i);
  const uint64_t start = b->cycle();
  uint64_t end = start;
  int freed = 0, age = 0, slot = 0;
  for (int n = 0; freed < rows || b->busy(); n++) {
    EXPECT_LT(n, 400000) << "the stream does not end";
    if (n >= 400000) break;
    (*b)->row_free_i = 0;
    if (b->rows > freed && ++age > free_delay) {
      for (int s = 0; s < samples && b->row_written[freed]; s++) {
        const uint32_t got = b->acc_word(slot * samples + s);
        EXPECT_EQ(got, want[freed][s]) << "row " << freed << " sample " << s;
        if (got != want[freed][s]) return 0;
      }
      EXPECT_EQ(b->row_written[freed], written[freed]) << "row " << freed;
      (*b)->row_free_i = 1;
      age = 0;
      freed++;
      slot = (slot + 1) % ring;
    }
    const int before = b->rows;
    b->tick();
    if (b->rows != before) end = b->cycle();
  }
  (*b)->row_free_i = 0;
  EXPECT_EQ((*b)->fault_o, 0u);
  EXPECT_EQ(b->rows, rows);
  EXPECT_EQ(b->in[5].size(), 1u);
  EXPECT_EQ(b->done.size(), 1u);
  b->in[5].clear();
  for (int k = 0; k < 3; k++) b->tick();
  return end - start;
}

TYPED_TEST(EngineTest, AxpyRowsMatchTheModel) {
  using W = TypeParam;
  Bench<typename W::Top> b(W::kLanes);
  for (const int samples : {8, 16, 32}) {
    axpy<W>(samples, 32 / samples, 9, 0.4, 100, 0, 0, &b);
    axpy<W>(samples, 32 / samples, 8, 0.04, 60, 30, 30, &b);
    axpy<W>(samples, 1, 3, 1.0, 80, 100, 10, &b);
    axpy<W>(samples, 32 / samples, 5, 0.5, 100, 10, 10, &b, 1024 + 2 * (samples / 8));
  }
}

TEST(EngineRate, AxpyTakesFourCyclesAWeightWith32Samples) {
  Bench<VEngine8> b(8);
  const uint64_t cycles = axpy<Lanes8>(32, 4, 8, 1.0, 100, 5, 0, &b);
  // 64 weights a row, 1 cycle a row end; 4 cycles to the first beat and from the last row end.
  EXPECT_EQ(b.weights, 8 * 64);
  EXPECT_LE(cycles, 8 * (64 * 4 + 1) + 8u);
  std::printf("axpy, 32 samples: %.4f cycles a weight with row ends\n",
              static_cast<double>(cycles) / (8 * 64));
}

TEST(EngineRate, AxpyWithFewerSamplesTakesAtMostTwoCyclesAWeight) {
  for (const int samples : {8, 16}) {
    Bench<VEngine8> b(8);
    const uint64_t cycles = axpy<Lanes8>(samples, 4, 8, 1.0, 100, 5, 0, &b);
    EXPECT_LE(cycles, 8 * (64 * 2 + 1) + 8u);
    std::printf("axpy, %d samples: %.4f cycles a weight with row ends\n", samples,
                static_cast<double>(cycles) / (8 * 64));
  }
}

TEST(EngineRate, RowRingStallsOnlyWhenAllRowsAreInUse) {
  Bench<VEngine8> b(8);
  axpy<Lanes8>(32, 4, 12, 0.1, 100, 0, 0, &b);
  EXPECT_EQ(b.cause[3], 0);
  axpy<Lanes8>(32, 4, 12, 0.1, 100, 200, 0, &b);
  EXPECT_GT(b.cause[3], 500);
}

TEST(EngineRate, VectorsInMemoryRunAtTheDocumentedRate) {
  Bench<VEngine8> b(8);
  const int n = 1024;
  Insn i;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  auto run = [&](const char* name, int op, int ty, bool scalar, const Dsr& dst, const Dsr& a,
                 const Dsr& bb, double limit) {
    i.op = op;
    i.ty = ty;
    i.scalar = scalar;
    i.value = 0x3C00;
    b.beats = 0;
    const uint64_t c = cycles_of(&b, i, dst, a, bb);
    const double per_beat = static_cast<double>(c - 6) / b.beats;
    std::printf("%-42s %5d elements %4d beats %5d cycles, %.2f a beat\n", name, n, b.beats,
                static_cast<int>(c), per_beat);
    EXPECT_LE(per_beat, limit) << name;
  };
  // Banks repeat every 64 bytes: + 16, + 32 put operands on different banks.
  run("mov f16", kMov, kF16, false, mem(4096 + 16, n, 2), mem(0, n, 2), mem(0, 0, 0), 1.05);
  run("mov f16, unaligned by 2 bytes", kMov, kF16, false, mem(4096 + 18, n, 2), mem(0, n, 2),
      mem(0, 0, 0), 1.7);
  run("mov f32", kMov, kF32, false, mem(4080, n, 4), mem(0, n, 4), mem(0, 0, 0), 1.05);
  run("mov scalar", kMov, kF16, true, mem(4096, n, 2), mem(0, n, 2), mem(0, 0, 0), 1.05);
  run("add f16, different banks", kAdd, kF16, false, mem(4096 + 32, n, 2), mem(0, n, 2),
      mem(2048 + 16, n, 2), 1.3);
  run("add f16, sources on the same bank", kAdd, kF16, false, mem(4096 + 16, n, 2), mem(0, n, 2),
      mem(2048, n, 2), 2.3);
  run("fma f16, b scalar", kFma, kF16, true, mem(4096 + 16, n, 2), mem(0, n, 2), mem(0, 0, 0), 1.3);
  run("fma f16, b one element in memory", kFma, kF16, false, mem(4096 + 16, n, 2), mem(0, n, 2),
      mem(2048, 0, 0), 1.3);
  run("fma f16, three vectors", kFma, kF16, false, mem(4096 + 32, n, 2), mem(0, n, 2),
      mem(2048 + 16, n, 2), 2.4);
  EXPECT_EQ(b->fault_o, 0u);
}

// x and y at every 2-byte alignment to each other and to the banks: a beat a cycle, and what the
// streams need to slip apart.
TEST(EngineRate, AxpyRunsAtABeatACycleAtEveryAlignment) {
  Bench<VEngine8> b(8);
  const int n = 1024;
  Insn i;
  i.op = kFma;
  i.ty = kF16;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  i.scalar = true;
  i.value = 0x3C00;
  uint64_t worst = 0, sum = 0;
  for (int x = 0; x < 64; x += 2) {
    for (int y = 0; y < 64; y += 2) {
      const uint64_t c = cycles_of(&b, i, mem(4096 + y, n, 2), mem(x, n, 2), Dsr());
      sum += c;
      worst = std::max(worst, c);
      EXPECT_LE(c, 150u) << "x at " << x << ", y at " << y;
    }
  }
  std::printf("axpy of %d: %.1f cycles, at worst %d\n", n, static_cast<double>(sum) / 1024,
              static_cast<int>(worst));
}

TEST(EngineRate, StreamsRunAtOneWaveletACycle) {
  Bench<VEngine8> b(8);
  const int n = 512;
  Insn i;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  i.ty = kF32;
  uint64_t c = cycles_of(&b, i, fab_out(1), mem(0, n, 4), Dsr());
  std::printf("mov f32 memory to fabric: %d wavelets %d cycles\n", n, static_cast<int>(c));
  EXPECT_LE(c, n + 8u);
  for (int k = 0; k < n; k++) b.in[3].push_back({false, static_cast<uint32_t>(k)});
  c = cycles_of(&b, i, mem(0, n, 4), fab_in(3, n), Dsr());
  std::printf("mov f32 fabric to memory: %d wavelets %d cycles\n", n, static_cast<int>(c));
  EXPECT_LE(c, n + 8u);
  for (int k = 0; k < n; k++) b.in[3].push_back({false, static_cast<uint32_t>(k)});
  c = cycles_of(&b, i, fab_out(1), fab_in(3, n), Dsr());
  std::printf("mov f32 fabric to fabric: %d wavelets %d cycles\n", n, static_cast<int>(c));
  EXPECT_LE(c, n + 8u);
}

// Threads that wait for the fabric must cost an axpyw nothing.
TEST(EngineRate, BlockedThreadsCostTheOthersNothing) {
  Bench<VEngine8> b(8);
  for (int t = 2; t < 9; t++) {
    const int q = t == 7 ? 0 : t == 8 ? 1 : t - 2 == 5 ? 7 : t - 2;
    if (q == 5 || t > 6) continue;
    b.write_dsr(3 * t, fab_in(q, 16));
    b.write_dsr(3 * t + 1, mem(7168 + 64 * t, 16, 4));
    Insn i;
    i.ty = kF32;
    i.thread = t;
    i.a = 3 * t;
    i.dst = 3 * t + 1;
    b.launch(i);
  }
  // The bench of the axpy waits for all threads, so that it is run by hand here.
  Dsr a = mem(1024, 32, 2);
  a.step[1] = 64;
  Dsr d = mem(kAcc, 32, 4);
  d.len[1] = 4;
  b.write_dsr(0, d);
  b.write_dsr(1, a);
  b.write_dsr(2, fab_in(5, 0));
  for (int k = 0; k < 64; k++) b.in[5].push_back({false, static_cast<uint32_t>(k) << 16 | 0x3C00});
  b.in[5].push_back({true, 3});
  Insn i;
  i.op = kAxpyw;
  i.ty = kMixed;
  i.thread = 1;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  b.launch(i);
  const uint64_t start = b.cycle();
  while (b.rows == 0 && b.cycle() < start + 1000) b.tick();
  EXPECT_LE(b.cycle() - start, 64 * 4 + 8u);
  for (int t = 2; t < 7; t++) {
    EXPECT_EQ(b.thread_state(t) >> 28, 0x9u) << "waits for an input queue";
  }
}

// A stream end stops a counted transfer too; close follows what was moved.
TYPED_TEST(EngineTest, StreamEndStopsACountedTransfer) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  b.write_dsr(0, fab_in(4, 100));
  Dsr out = fab_out(6);
  out.close = true;
  out.code = 2;
  b.write_dsr(1, out);
  b.in[4] = {{false, 11}, {true, 1}, {false, 12}, {true, 2}, {false, 13}};
  Insn i;
  i.ty = kF32;
  i.dst = 1;
  b.launch(i);
  b.finish();
  EXPECT_EQ(b.sync_done, 1);
  EXPECT_EQ(b.in[4].size(), 1u);
  const std::deque<Wavelet> want = {{false, 11}, {false, 12}, {true, 2}};
  EXPECT_TRUE(b.out[6] == want);
}

TYPED_TEST(EngineTest, IdleOnlyWhenNothingMoves) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  b.write_dsr(0, mem(0, 8, 4));
  b.write_dsr(1, fab_in(2, 8));
  for (int k = 0; k < 8; k++) b.tick();
  EXPECT_TRUE(b->idle_o);
  Insn i;
  i.ty = kF32;
  i.a = 1;
  b.launch(i);
  b.thread_state(0);
  EXPECT_TRUE(b->idle_o);  // waits for the fabric
  EXPECT_EQ(b->cause_o, 1);
  b.in[2].assign(8, {false, 7});
  int moving = 0;
  for (int k = 0; k < 60 && b.sync_done == 0; k++) {
    b.tick();
    moving += !b->idle_o;
  }
  EXPECT_EQ(b.sync_done, 1);
  EXPECT_GE(moving, 8);
  b.thread_state(0);
  EXPECT_TRUE(b->idle_o);
  EXPECT_EQ(b->cause_o, 5);
}

// Each fault is reported with its thread, and the thread is free again.
TYPED_TEST(EngineTest, FaultsAreReportedAndStopTheThread) {
  struct Case {
    const char* what;
    Insn insn;
    Dsr dst, a, b;
    uint32_t cause;
  };
  auto insn = [](int op, int ty, int thread) {
    Insn i;
    i.op = op;
    i.ty = ty;
    i.thread = thread;
    i.dst = 0;
    i.a = 1;
    i.b = 2;
    i.done = 1;
    return i;
  };
  Dsr none;
  none.kind = kNone;
  Dsr indexed = mem(0, 16, 2);
  indexed.step[1] = 32;
  Dsr tagged = fab_in(1, 4);
  tagged.tag = true;
  Insn dotw = insn(kDotw, kMixed, 2);
  dotw.value = 0x40000000;
  Dsr fifo;
  fifo.kind = 4;
  const std::vector<Case> cases = {
      {"unknown operation", insn(99, kF16, 1), mem(0, 8, 2), mem(64, 8, 2), none, 1},
      {"mul of i8", insn(kMul, kI8, 2), mem(0, 8, 1), mem(64, 8, 1), mem(0, 8, 1), 1},
      {"cvt to the same type", insn(kCvt, kF16, 2), mem(0, 8, 4), mem(64, 8, 4), none, 1},
      {"no source", insn(kMov, kF16, 3), mem(0, 8, 2), none, none, 2},
      {"no second source", insn(kAdd, kF16, 3), mem(0, 8, 2), mem(0, 8, 2), none, 2},
      {"no length", insn(kMov, kF16, 4), mem(0, 0, 2), mem(64, 8, 2), none, 2},
      {"16 bits in the accumulator", insn(kAdd, kF16, 4), mem(kAcc, 8, 2), mem(64, 8, 2),
       mem(64, 8, 2), 2},
      {"misaligned", insn(kMov, kF32, 5), mem(2, 8, 4), mem(64, 8, 4), none, 2},
      {"source outside", insn(kMov, kF16, 6), mem(0, 64, 2), mem(kSramBytes - 64, 64, 2), none, 3},
      {"destination outside", insn(kMov, kF16, 7), mem(kSramBytes, 4, 2), mem(0, 4, 2), none, 3},
      {"below 0", insn(kMov, kF16, 8), mem(4, 8, -2), mem(64, 8, 2), none, 3},
      {"outside the accumulator", insn(kMov, kF32, 9), mem(kAcc + 2044, 8, 4), mem(0, 8, 4), none,
       3},
      {"axpyw with ragged samples", insn(kAxpyw, kMixed, 1), mem(kAcc, 15, 4), mem(0, 15, 2),
       fab_in(1, 0), 2},
      {"axpyw beyond memory", insn(kAxpyw, kMixed, 12), mem(kAcc, 16, 4), indexed, fab_in(1, 0), 3},
      // Addresses, and indices times steps, beyond 24 bits do not come in again from below.
      {"address of 32 bits", insn(kMov, kF16, 2), mem(0, 8, 2), mem(0x40000000, 8, 2), none, 3},
      {"negative address", insn(kMov, kF16, 2), mem(0xFFFFFFE0, 32, 2), mem(0, 32, 2), none, 3},
      {"tag beyond the length", insn(kMov, kF16, 3), mem(0, 8, 2), tagged, none, 3},
      {"tag beyond 24 bits", insn(kMov, kF16, 3), mem(0, 65535, 16384), tagged, none, 3},
      {"tag below 0", insn(kMov, kF16, 3), mem(0, 65535, -16384), tagged, none, 3},
      {"dotw beyond 24 bits", dotw, mem(0, 8, 4), mem(0, 16, 2), fab_in(1, 0), 3},
      {"FIFO of capacity 0", insn(kMov, kF16, 4), fifo, mem(0, 8, 2), none, 2},
  };
  for (const Case& c : cases) {
    Bench<typename TypeParam::Top> b(TypeParam::kLanes);
    b.write_dsr(0, c.dst);
    b.write_dsr(1, c.a);
    b.write_dsr(2, c.b);
    b.in[1].push_back({false, 0x40003C00});
    b.launch(c.insn);
    for (int k = 0; k < 300; k++) b.tick();
    EXPECT_EQ(b->fault_o, 0x80000000u | c.insn.thread << 4 | c.cause) << c.what;
    EXPECT_FALSE(b.busy()) << c.what;
    EXPECT_TRUE(b.done.empty()) << c.what;
    EXPECT_EQ(b.sync_done, 0) << c.what;
    // The thread takes another instruction.
    b.in[1].clear();
    b.write_dsr(3, mem(0, 8, 2));
    b.write_dsr(4, mem(64, 8, 2));
    Insn next = c.insn;
    next.op = kMov;
    next.ty = kF16;
    next.dst = 3;
    next.a = 4;
    b.launch(next);
    b.finish();
    EXPECT_EQ(b.done.size(), 1u) << c.what;
  }
}

// Drains go to the reducer and wait for it; nothing else of them is the engine's.
TYPED_TEST(EngineTest, DrainStartsTheReducerWhenItIsFree) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  Insn i;
  i.op = kDrain;
  i.ty = kF32;
  b->red_busy_i = 1;
  b->tensor_valid_i = 1;
  b->op_i = kDrain;
  b->ty_i = kF32;
  b->ctl_i = i.ctl();
  for (int k = 0; k < 5; k++) {
    b.tick();
    EXPECT_EQ(b.drains, 0);
  }
  b->red_busy_i = 0;
  b.launch(i);
  b.tick();
  EXPECT_EQ(b.drains, 1);
  EXPECT_EQ(b.sync_done, 1);
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::printf("seed %u\n", seed());
  return RUN_ALL_TESTS();
}
