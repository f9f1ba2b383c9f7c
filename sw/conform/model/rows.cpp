// SPDX-License-Identifier: Apache-2.0
// Rows of sums: the instruction that adds weights to them, and the reducer that drains them.
#include <algorithm>

#include "ow/golden/formats.h"
#include "ow/golden/tile_ops.h"
#include "ow/isa/isa.h"
#include "tile.h"

namespace ow::conform {
namespace {

namespace reg = isa::reg;

uint32_t offset_of(uint32_t address) { return address - reg::kBase; }

}  // namespace

void Tile::axpyw(const ow_engine::Insn& insn) {
  const auto& dsr = machine_.dsr;
  const ow_engine::Dsr &a = dsr[static_cast<size_t>(insn.a)], &b = dsr[static_cast<size_t>(insn.b)],
                       &dst = dsr[static_cast<size_t>(insn.dst)];
  const uint32_t samples = a.len[0], ring = std::max<uint32_t>(dst.len[1], 1);
  std::vector<uint32_t> row(samples, 0);
  auto& queue = machine_.in[static_cast<size_t>(b.q)];
  for (uint32_t slot = 0;;) {
    if (queue.empty()) throw ow_engine::Starved();
    const ow_engine::Wavelet w = queue.front();
    queue.pop_front();
    if (!w.ctrl) {
      const uint32_t at =
          a.addr + (w.data >> 16) * static_cast<uint32_t>(static_cast<int32_t>(a.step[1]));
      for (uint32_t s = 0; s < samples; ++s) {
        const auto x = static_cast<uint16_t>(machine_.load(at + 2 * s, 2));
        const auto value = static_cast<uint16_t>(w.data);
        row[s] = insn.ty == ow_engine::kMixedB ? golden::mixedb_fma(value, x, row[s])
                                               : golden::mixed_fma(value, x, row[s]);
        machine_.store(dst.addr + (slot * samples + s) * 4, 4, row[s]);
      }
      continue;
    }
    if ((w.data & ow_engine::kRowEnd) != 0) {
      rows_.push_back(row);
      row.assign(samples, 0);
      slot = (slot + 1) % ring;
    }
    if ((w.data & ow_engine::kStreamEnd) != 0) return;
  }
}

// Results to memory, with their index to the fabric, or as rows for the reducer.
void Tile::dotw(const ow_engine::Insn& insn) {
  const auto& dsr = machine_.dsr;
  const ow_engine::Dsr &a = dsr[static_cast<size_t>(insn.a)], &b = dsr[static_cast<size_t>(insn.b)],
                       &dst = dsr[static_cast<size_t>(insn.dst)];
  const auto type = insn.ty == ow_engine::kMixedB ? golden::Type::BF16 : golden::Type::F16;
  const auto result = static_cast<golden::Type>(dst.type);
  const uint32_t length = a.len[0], vectors = std::max<uint32_t>(b.len[1], 1);
  const bool as_rows = dst.kind == ow_engine::kMem && (dst.addr & ow_engine::kAcc) != 0;
  std::vector<uint32_t> sums;  // of the row
  const auto close = [&] {
    sums.resize(dst.len[0]);
    rows_.push_back(sums);
    sums.clear();
  };
  const auto at = [&](uint32_t from) {
    std::vector<uint32_t> x;
    for (uint32_t k = 0; k < length; ++k) x.push_back(machine_.load(from + 2 * k, 2));
    return x;
  };
  auto& queue = machine_.in[static_cast<size_t>(b.q)];
  for (uint32_t number = 0, vector = 0;;) {
    if (queue.empty()) throw ow_engine::Starved();
    const ow_engine::Wavelet w = queue.front();
    queue.pop_front();
    if (w.ctrl) {
      if ((w.data & ow_engine::kRowEnd) != 0) vector = (vector + 1) % vectors;
      if ((w.data & ow_engine::kStreamEnd) == 0) continue;
      if (!sums.empty()) close();
      return;
    }
    const uint32_t index = w.data >> 16;
    const auto step = [](int16_t bytes) {
      return static_cast<uint32_t>(static_cast<int32_t>(bytes));
    };
    const std::vector<uint32_t> row = at(a.addr + index * step(a.step[1]));
    const std::vector<uint32_t> fixed = at(insn.value + vector * step(b.step[1]));
    const uint32_t sum =
        golden::reduce(golden::Op::Dot, type, result, row.data(), fixed.data(), length);
    if (as_rows) {
      sums.push_back(sum);
      if (sums.size() == dst.len[0]) close();
    } else if (dst.kind == ow_engine::kFabOut) {
      machine_.out[static_cast<size_t>(dst.q)].push_back({false, index << 16 | (sum & 0xFFFF)});
    } else {
      machine_.store(dst.addr + number++ * step(dst.step[0]), golden::type_bytes(result), sum);
    }
  }
}

bool Tile::drain() {
  if (!drain_) return false;
  const auto r = [&](uint32_t address) { return registers_[offset_of(address)]; };
  bool did = false;
  const uint32_t period =
      std::max<uint32_t>(reg::RedPhase::Period::get(r(reg::RedPhase::kAddress)), 1);
  const uint32_t pivot = reg::RedPhase::Pivot::get(r(reg::RedPhase::kAddress));
  const uint32_t start = r(reg::RedStart::kAddress);
  while (!rows_.empty() && drained_ < reg::RedCount::Rows::get(r(reg::RedCount::kAddress))) {
    const uint32_t phase = (reg::RedStart::Phase::get(start) + drained_) % period;
    const uint32_t action = phase < pivot ? r(reg::RedActLt::kAddress)
                            : phase <= pivot + reg::RedStart::More::get(start)
                                ? r(reg::RedActEq::kAddress)
                                : r(reg::RedActGt::kAddress);
    const ow_engine::Machine before = machine_;
    const uint32_t stored = stored_, biases = biases_;
    try {
      drain_row(action, rows_.front(), &stored_, &biases_);
    } catch (const ow_engine::Starved&) {
      machine_ = before;
      stored_ = stored;
      biases_ = biases;
      return did;
    }
    rows_.erase(rows_.begin());
    ++drained_;
    did = true;
  }
  if (drained_ < reg::RedCount::Rows::get(r(reg::RedCount::kAddress))) return did;
  complete(*drain_);
  drain_.reset();
  return true;
}

void Tile::drain_row(uint32_t action, const std::vector<uint32_t>& row, uint32_t* stored,
                     uint32_t* biases) {
  using A = isa::RedAction;
  if (!A::Enable::get(action)) return;
  const auto arriving = [&](uint32_t q) {
    for (auto& queue = machine_.in[q];;) {
      if (queue.empty()) throw ow_engine::Starved();
      const ow_engine::Wavelet w = queue.front();
      queue.pop_front();
      if (!w.ctrl) return w.data;
    }
  };
  uint32_t bias = 0;
  if (A::Bias::get(action)) {
    bias = machine_.load(registers_[offset_of(reg::RedBias::kAddress)] + 4 * (*biases)++, 4);
  }
  const bool half = A::F16::get(action) || A::Bf16::get(action), b16 = A::Bf16::get(action);
  std::vector<uint32_t> sums;
  for (const uint32_t element : row) {
    uint32_t sum = element;
    if (A::In0::get(action)) sum = golden::f32_add(sum, arriving(A::In0Q::get(action)));
    if (A::In1::get(action)) sum = golden::f32_add(sum, arriving(A::In1Q::get(action)));
    if (A::Bias::get(action)) sum = golden::f32_add(sum, bias);
    if (half) sum = b16 ? golden::f32_to_bf16(sum) : golden::f32_to_f16(sum);
    if (A::Relu::get(action)) {
      const auto h = static_cast<uint16_t>(sum);
      sum = !half ? golden::f32_relu(sum) : b16 ? golden::bf16_relu(h) : golden::f16_relu(h);
    }
    sums.push_back(sum);
  }
  const int bytes = half ? 2 : 4;
  if (A::Memory::get(action)) {
    const auto pitch = static_cast<uint32_t>(
        reg::RedPitch::Pitch::get(registers_[offset_of(reg::RedPitch::kAddress)]));
    const uint32_t at = registers_[offset_of(reg::RedDst::kAddress)] + (*stored)++ * pitch;
    for (uint32_t k = 0; k < sums.size(); ++k)
      machine_.store(at + k * static_cast<uint32_t>(bytes), bytes, sums[k]);
    return;
  }
  auto& queue = machine_.out[A::OutQ::get(action)];
  for (size_t k = 0; k < sums.size(); k += half ? 2 : 1) {
    queue.push_back(
        {false, half ? sums[k] | (k + 1 < sums.size() ? sums[k + 1] << 16 : 0) : sums[k]});
  }
}

}  // namespace ow::conform
