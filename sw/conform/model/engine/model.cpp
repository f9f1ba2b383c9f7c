// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include "ow/golden/formats.h"
#include "ow/golden/tile_ops.h"

namespace ow_engine {

namespace golden = ow::golden;

namespace {

// Floats have two zeros.
bool is_zero(int type, uint32_t r) {
  switch (type) {
    case kF32:
      return r << 1 == 0;
    case kI32:
      return r == 0;
    case kF16:
    case kBf16:
      return (r & 0x7FFF) == 0;
    default:
      return (r & 0xFFFF) == 0;
  }
}

}  // namespace

uint32_t Machine::load(uint32_t addr, int bytes) const {
  if (addr & kAcc) return acc[(addr & 0x1FF) / 4];
  uint32_t r = 0;
  for (int k = 0; k < bytes; k++) r |= static_cast<uint32_t>(sram[addr + k]) << (8 * k);
  return r;
}

void Machine::store(uint32_t addr, int bytes, uint32_t v) {
  if (addr & kAcc) {
    acc[(addr & 0x1FF) / 4] = v;
    return;
  }
  for (int k = 0; k < bytes; k++) sram[addr + k] = v >> (8 * k);
}

uint32_t Model::compute(uint32_t a, uint32_t b, uint32_t c) {
  const auto type = static_cast<golden::Type>(i_.ty);
  if (i_.op == kMov) return a;
  if (i_.op == kCvt && i_.stoch && i_.ty == kF32 && (d_.d->type == kF16 || d_.d->type == kBf16)) {
    golden::Xoshiro128Plus random(m_->random[0], m_->random[1], m_->random[2], m_->random[3]);
    const auto number = static_cast<uint16_t>(random.next() >> 16);
    m_->random = random.state();
    return golden::convert_stochastic(static_cast<golden::Type>(d_.d->type), a, number);
  }
  if (i_.op == kCvt) return golden::convert(type, static_cast<golden::Type>(d_.d->type), a);
  const int op = i_.op == kFmag ? static_cast<int>(kFma) : i_.op;
  return golden::apply(static_cast<golden::Op>(op), type, a, b, c);
}

void Model::run(const Insn& i) {
  begin(i);
  while (!stream_ends()) {
    element();
    if (!advance()) continue;
    // The upper half of an odd last pair goes, too.
    for (const Walk* w : {&a_, &b_}) {
      if (w->half) m_->in[w->d->q].pop_front();
    }
    break;
  }
  end();
}

void Model::begin(const Insn& i) {
  i_ = i;
  a_scalar_ = i.scalar && !has_b(i.op);
  b_scalar_ = i.scalar && has_b(i.op) && !is_indexed(i.op);
  Dsr* const d = m_->dsr.data();
  a_ = {d + i.a, has_a(i.op) && !a_scalar_, d[i.a].addr, false};
  b_ = {d + i.b, has_b(i.op) && !b_scalar_, d[i.b].addr, false};
  d_ = {d + i.dst, i.op != kScatter, d[i.dst].addr, false};
  const bool of_dst = !is_red(i.op) && ((d_.used && d_.d->kind == kMem) || a_scalar_);
  space_ = of_dst ? d_.d : a_.used ? a_.d : b_.d;
  tagged_ = a_.used && a_.d->kind == kFabIn && a_.d->tag;
  count_ = {};
  b_new_ = true;
  inner_a_.clear();
  inner_b_.clear();
  out_half_ = false;
  out_index_ = 0;
}

void Model::end() {
  if (out_half_) m_->out[d_.d->q].push_back({false, out_pack_});
  if (d_.d->kind == kFabOut && d_.d->close) {
    m_->out[d_.d->q].push_back({true, d_.d->code});
  }
  for (const Walk* w : {&d_, &b_, &a_}) {
    if (w->used && w->d->kind == kMem && w->d->save) w->d->addr = w->addr & 0xFFFFFF;
  }
}

bool Model::stream_ends() {
  for (const Walk* w : {&a_, &b_}) {
    if (w->used && w->d->kind == kFabIn && skip_controls(w->d->q)) return true;
  }
  return false;
}

// Takes control wavelets at the head; true at stream end.
bool Model::skip_controls(int q) {
  if (m_->in[q].empty()) throw Starved();
  while (m_->in[q].front().ctrl) {
    const uint32_t data = m_->in[q].front().data;
    m_->in[q].pop_front();
    if (data & kStreamEnd) return true;
    if (m_->in[q].empty()) throw Starved();
  }
  return false;
}

void Model::element() {
  const int bytes = src_bytes(i_);
  const uint32_t mask = bytes == 4 ? 0xFFFFFFFF : (1u << 8 * bytes) - 1;
  if (tagged_) place();
  const uint32_t a = read_a() & mask;
  const uint32_t b = b_scalar_ ? read_b() & mask : read_b();
  if (is_red(i_.op)) {
    reduce(a, b);
    return;
  }
  if (i_.op == kScatter) {
    m_->store(element_address(b, bytes), bytes, a);
    return;
  }
  const uint32_t x = is_indexed(i_.op) ? m_->load(element_address(b, bytes), bytes) : 0;
  if (i_.op == kGather) {
    result(x);
    return;
  }
  const bool adds = is_fma(i_.op) && !(i_.fresh && count_[1] == 0);
  const uint32_t c = adds ? m_->load(d_.addr, dst_bytes(i_, *d_.d)) : 0;
  result(compute(a, i_.op == kFmag ? x : b, c));
}

void Model::place() {
  const uint32_t index = m_->in[a_.d->q].front().data >> 16;
  if (index >= d_.d->len[0]) throw Outside{0};
  d_.addr = d_.d->addr + index * static_cast<uint32_t>(d_.d->step[0]);
  b_.addr = b_.d->addr + index * static_cast<uint32_t>(b_.d->step[0]);
  b_new_ = true;
}

uint32_t Model::element_address(uint32_t index, int bytes) const {
  const uint32_t address = i_.value + index * static_cast<uint32_t>(bytes);
  if (address + static_cast<uint32_t>(bytes) > m_->sram.size()) throw Outside{address};
  return address;
}

uint32_t Model::read_a() {
  if (a_scalar_) return i_.value;
  if (!a_.used) return 0;
  const int bytes = src_bytes(i_);
  return a_.d->kind == kMem ? m_->load(a_.addr, bytes) : take(&a_, bytes);
}

uint32_t Model::read_b() {
  if (b_scalar_) return i_.value;
  if (!b_.used) return 0;
  const int bytes = is_indexed(i_.op) ? 2 : src_bytes(i_);
  if (b_.d->kind != kMem) return take(&b_, bytes);
  const bool held = b_.d->step[0] == 0 && !(b_.d->addr & kAcc);
  if (b_new_ || !held) b_held_ = m_->load(b_.addr, bytes);
  b_new_ = false;
  return b_held_;
}

uint32_t Model::take(Walk* w, int bytes) {
  if (w->d->kind == kFifo) {
    auto& fifo = m_->fifo[static_cast<size_t>(w->d->q)];
    if (fifo.empty()) throw Starved();
    const uint32_t element = fifo.front();
    fifo.pop_front();
    return element;
  }
  auto& queue = m_->in[w->d->q];
  if (queue.empty()) throw Starved();
  const uint32_t word = queue.front().data;
  if (w->d->tag) {
    queue.pop_front();
    return word & 0xFFFF;
  }
  if (bytes == 2) w->half = !w->half;
  if (bytes == 2 && w->half) return word & 0xFFFF;
  queue.pop_front();
  return bytes == 2 ? word >> 16 : word;
}

void Model::reduce(uint32_t a, uint32_t b) {
  inner_a_.push_back(a);
  inner_b_.push_back(b);
  if (space_->len[0] == 0 || count_[0] + 1 != space_->len[0]) return;
  result(golden::reduce(static_cast<golden::Op>(i_.op), static_cast<golden::Type>(i_.ty),
                        static_cast<golden::Type>(d_.d->type), inner_a_.data(), inner_b_.data(),
                        inner_a_.size()));
  inner_a_.clear();
  inner_b_.clear();
}

// Goes to the next element. True after the last one. A space without a length has no end.
bool Model::advance() {
  if (tagged_) return false;
  const bool red = is_red(i_.op);
  count_[0]++;
  bool carry = space_->len[0] != 0 && count_[0] == space_->len[0];
  a_.addr += a_.d->step[0];
  b_.addr += b_.d->step[0];
  if (!red || carry) d_.addr += d_.d->step[0];
  if (!carry) return false;
  count_[0] = 0;
  b_new_ = true;
  for (int k = 1; k < 4 && carry; k++) {
    if (space_->len[k] == 0) continue;
    step_all(k);
    count_[k]++;
    carry = count_[k] == space_->len[k];
    if (carry) count_[k] = 0;
  }
  return carry;
}

// The step of dimension k; results of a reduction have no inner dimension.
void Model::step_all(int k) {
  a_.addr += a_.d->step[k];
  b_.addr += b_.d->step[k];
  if (!is_red(i_.op)) {
    d_.addr += d_.d->step[k];
  } else if (k > 1) {
    d_.addr += d_.d->step[k - 1];
  }
}

void Model::result(uint32_t r) {
  if (d_.d->kind == kMem) {
    m_->store(d_.addr, dst_bytes(i_, *d_.d), r);
  } else if (d_.d->kind == kFifo) {
    m_->fifo[static_cast<size_t>(d_.d->q)].push_back(r);
  } else {
    send(r);
  }
}

void Model::send(uint32_t r) {
  const Dsr& d = *d_.d;
  const uint32_t index = out_index_++;
  if (d.skip && is_zero(dst_type(i_, d), r)) return;
  auto& queue = m_->out[d.q];
  if (dst_bytes(i_, d) == 4) {
    queue.push_back({false, r});
  } else if (d.tag) {
    queue.push_back({false, (r & 0xFFFF) | index << 16});
  } else if (out_half_) {
    queue.push_back({false, out_pack_ | (r & 0xFFFF) << 16});
    out_half_ = false;
  } else {
    out_pack_ = r & 0xFFFF;
    out_half_ = true;
  }
}

}  // namespace ow_engine
