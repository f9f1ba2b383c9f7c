// SPDX-License-Identifier: Apache-2.0
#include "random_program.h"

#include <algorithm>

#include "random_values.h"

namespace ow_engine {

namespace {

constexpr uint32_t kAccWords = 32;

// How far a walk over lens goes below and above its start.
struct Extent {
  long low = 0, high = 0;
};

Extent extent_of(const Dsr& d, const std::array<uint16_t, 4>& len, bool red) {
  Extent x;
  long pos = 0;
  std::array<uint32_t, 4> cnt{};
  for (bool carry = false; !carry;) {
    x.low = std::min(x.low, pos);
    x.high = std::max(x.high, pos);
    pos += d.step[0];
    carry = red || ++cnt[0] == len[0];
    if (carry) cnt[0] = 0;
    for (int k = 1; k < 4 && carry; k++) {
      if (len[k] == 0) continue;
      if (!red) {
        pos += d.step[k];
      } else if (k > 1) {
        pos += d.step[k - 1];
      }
      cnt[k]++;
      carry = cnt[k] == len[k];
      if (carry) cnt[k] = 0;
    }
  }
  return x;
}

}  // namespace

RandomProgram::RandomProgram(std::mt19937* rng, Machine* m) : rng_(rng), m_(m) {
  for (int q = 0; q < 8; q++) {
    in_qs_.push_back(q);
    out_qs_.push_back(7 - q);
  }
}

Insn RandomProgram::make(int thread, int dsr, uint32_t lo) {
  Draft t;
  t.i = random_op();
  t.lo = lo;
  t.i.thread = thread;
  t.i.a = dsr;
  t.i.b = dsr + 1;
  t.i.dst = dsr + 2;
  t.i.prio = pick(4) == 0;
  t.i.fresh = is_fma(t.i.op) && pick(3) == 0;
  t.two = has_b(t.i.op);
  t.indexed = is_indexed(t.i.op);
  t.red = is_red(t.i.op);
  draw_result_type(&t);
  draw_scalar(&t);
  if (t.indexed) draw_indices(&t);
  t.i.done = static_cast<int>(pick(3));
  t.i.task = static_cast<int>(pick(32));
  draw_lengths(&t);
  draw_destination(&t);
  place_operands(&t);
  separate_accumulators(&t);
  draw_streams(&t);
  m_->dsr[t.i.a] = t.a;
  m_->dsr[t.i.b] = t.b;
  m_->dsr[t.i.dst] = t.d;
  return t.i;
}

// A random type of those that an operation has.
Insn RandomProgram::random_op() {
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
                                {kGate, kInts},
                                {kCmpEq, kFloats | kInts},
                                {kCmpNe, kFloats | kInts},
                                {kCmpLt, kFloats | kInts},
                                {kCmpLe, kFloats | kInts},
                                {kDot, kFloats | kI8s | 1 << kI16},
                                {kDot, kFloats | kI8s},
                                {kSum, kFloats | kInts | kI8s},
                                {kRMax, kFloats | kInts | kI8s},
                                {kRMin, kFloats | kInts | kI8s},
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

void RandomProgram::draw_result_type(Draft* t) {
  const int ty = t->i.ty;
  if (t->i.op == kCvt) {
    do {
      t->d.type = static_cast<int>(pick(7));
    } while (t->d.type == ty || t->d.type == kMixed);
  } else if (t->red) {
    const bool floats = ty == kF16 || ty == kBf16 || ty == kF32;
    t->d.type = (floats ? kF16 : kI16) + static_cast<int>(pick(3));
  }
}

void RandomProgram::draw_scalar(Draft* t) {
  t->i.scalar = !t->indexed && !t->red && pick(5) == 0;
  t->i.value = t->wide() ? random_f32(rng_) : random_f16(rng_);
  t->with_a = has_a(t->i.op) && !(t->i.scalar && !t->two);
  t->with_b = t->two && !t->i.scalar;
}

// Elements are in the first quarter, or for scatter in that of the second half. Their indices are
// in the last part of the first half.
void RandomProgram::draw_indices(Draft* t) {
  const uint32_t at = t->lo + 192;
  t->i.value = t->i.op == kScatter ? t->lo + 256 : t->lo;
  for (uint32_t k = 0; k < 64; k += 2) m_->store(at + k, 2, pick(128 / src_bytes(t->i)));
  indices_.push_back(at);
}

void RandomProgram::draw_lengths(Draft* t) {
  t->len[0] = static_cast<uint16_t>(1 + pick(pick(4) == 0 ? 40 : 14));
  t->total = t->len[0];
  for (int k = 1; k < 4; k++) {
    if (pick(2)) {
      t->len[k] = static_cast<uint16_t>(1 + pick(3));
      t->total *= t->len[k];
    }
  }
  t->a.save = pick(3) == 0;
  t->b.save = pick(3) == 0;
  t->d.save = pick(3) == 0;
}

// None, a queue, the accumulator, else memory.
void RandomProgram::draw_destination(Draft* t) {
  Dsr* d = &t->d;
  const int bytes = dst_bytes(t->i, *d);
  t->d_none = t->i.op == kScatter;
  t->d_fabric = !t->d_none && !is_fma(t->i.op) && bytes > 1 && pick(3) == 0 && !out_qs_.empty();
  t->d_acc = !t->d_none && !t->d_fabric && bytes == 4 && !acc_taken_ && pick(3) == 0;
  if (t->d_none) d->kind = kNone;
  if (!t->d_fabric) return;
  d->kind = kFabOut;
  d->q = out_qs_.front();
  out_qs_.pop_front();
  d->close = pick(2) != 0;
  d->code = (pick(2) ? kRowEnd : 0) | (pick(2) ? kStreamEnd : 0);
  d->skip = pick(3) == 0;
  d->tag = bytes == 2 && pick(3) == 0;
}

// A queue, the accumulator, else memory.
void RandomProgram::draw_source(Draft* t, Dsr* s, bool first) {
  const int bytes = src_bytes(t->i);
  if (bytes > 1 && pick(3) == 0 && !in_qs_.empty()) {
    s->kind = kFabIn;
    s->q = in_qs_.front();
    in_qs_.pop_front();
    if (first && !t->red && pick(3) == 0) t->endless = true;
    return;
  }
  if (bytes == 4 && t->i.op != kScatter && !t->acc_source && !acc_taken_ && pick(3) == 0) {
    t->acc_source = true;
    walk(s, t->len, 4, kAcc, kAccWords * 4, false);
    return;
  }
  walk(s, t->len, bytes, t->lo, t->indexed ? 192 : 256, false);
}

void RandomProgram::place_operands(Draft* t) {
  const int bytes = dst_bytes(t->i, t->d);
  if (t->with_a) draw_source(t, &t->a, true);
  if (t->indexed) {
    walk(&t->b, t->len, 2, t->lo + 192, 64, false);
  } else if (t->with_b) {
    draw_source(t, &t->b, false);
  }
  const bool d_stored = !t->d_fabric && !t->d_none;
  if (d_stored && t->d_acc) {
    walk(&t->d, t->len, bytes, kAcc, kAccWords * 4, true, t->red);
  } else if (d_stored) {
    walk(&t->d, t->len, bytes, t->lo + 256, 256, true, t->red);
  }
  if (t->d_acc || t->acc_source) acc_taken_ = true;
  const bool a_in_memory = t->with_a && t->a.kind == kMem && !(t->a.addr & kAcc);
  if (a_in_memory && d_stored && !t->d_acc && !t->red && src_bytes(t->i) == bytes && pick(4) == 0) {
    t->a = t->d;  // in place
  }
}

// Source and destination must not overlap in a vector of the accumulator: in place, or in separate
// halves.
void RandomProgram::separate_accumulators(Draft* t) {
  if (!t->d_acc || !t->acc_source) return;
  Dsr* s = t->with_a && (t->a.addr & kAcc) ? &t->a : &t->b;
  if (t->red) {
    walk(s, t->len, 4, kAcc, kAccWords * 2, false);
    walk(&t->d, t->len, 4, kAcc + kAccWords * 2, kAccWords * 2, true, true);
  } else {
    const int type = t->d.type;
    *s = t->d;
    t->d.type = type;
  }
}

// The lengths go to the operand that has the space; queues are filled with what will be taken.
void RandomProgram::draw_streams(Draft* t) {
  const bool a_scalar = t->i.scalar && !t->two;
  const bool space_of_d = !t->red && (a_scalar || (!t->d_fabric && !t->d_none));
  Dsr* space = space_of_d ? &t->d : t->with_a ? &t->a : &t->b;
  if (space != &t->a) t->endless = false;
  if (t->endless) {
    t->len = {};
    t->total = std::min(t->total, 30u);
    // Other operands have no end of their own, so they stay in place.
    if (t->with_b && t->b.kind == kMem) t->b.step[0] = 0;
  }
  space->len = t->len;
  // Only a counted stream can have an odd number of elements.
  if (t->with_a && t->a.kind == kFabIn) fill(t->a.q, t->total, t->wide(), t->endless);
  if (t->with_b && t->b.kind == kFabIn) {
    fill(t->b.q, t->endless ? t->total + 1 : t->total, t->wide(), false);
  }
}

// Steps and base for a walk over lens that stays inside [lo, lo + size), in elements of e bytes.
// red: over the results of a reduction.
void RandomProgram::walk(Dsr* d, const std::array<uint16_t, 4>& len, int e, uint32_t lo,
                         uint32_t size, bool dst, bool red) {
  for (int tries = 0;; tries++) {
    draw_steps(d, len, e, dst, red, tries);
    const Extent x = extent_of(*d, len, red);
    const long room = static_cast<long>(size) - e - (x.high - x.low);
    if (room < 0) continue;
    d->addr = lo + static_cast<uint32_t>(-x.low) + pick(static_cast<uint32_t>(room) / e + 1) * e;
    return;
  }
}

// Simpler ones after many tries, so that one of them fits.
void RandomProgram::draw_steps(Dsr* d, const std::array<uint16_t, 4>& len, int e, bool dst,
                               bool red, int tries) {
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
}

void RandomProgram::fill(int q, uint32_t elements, bool wide, bool end) {
  const uint32_t n = wide ? elements : (elements + 1) / 2;
  for (uint32_t i = 0; i < n; i++) {
    if (pick(16) == 0)
      m_->in[q].push_back({true, kNeitherEnd | (pick(2) ? kRowEnd : 0)});  // no stream end
    m_->in[q].push_back(
        {false, wide ? random_f32(rng_) : random_f16(rng_) | random_f16(rng_) << 16});
  }
  if (end) m_->in[q].push_back({true, kStreamEnd | (pick(2) ? kRowEnd : 0)});
}

}  // namespace ow_engine
