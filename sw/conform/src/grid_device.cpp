// SPDX-License-Identifier: Apache-2.0
#include "ow/conform/grid_device.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "ow/base/error.h"
#include "ow/conform/program.h"
#include "ow/isa/isa.h"

namespace ow::conform {
namespace {

using isa::TensorOp;
using isa::TensorType;

// Where a call has its code, descriptors and operands in SRAM.
constexpr uint32_t kCode = 0x100, kTable = 0x200, kOperands = 0x400, kOperandBytes = 0x600;
constexpr uint32_t kMostElements = 256;
constexpr uint64_t kMostCycles = 2000000;

template <typename E>
std::optional<E> named(const std::string& name, int count) {
  for (int k = 0; k < count; ++k) {
    const char* known = isa::name_of(static_cast<E>(k));
    if (known != nullptr && name == known) return static_cast<E>(k);
  }
  return std::nullopt;
}

int bytes_of(TensorType type) {
  switch (type) {
    case TensorType::I8:
      return 1;
    case TensorType::F32:
    case TensorType::I32:
      return 4;
    default:
      return 2;
  }
}

bool is_mixed(TensorType type) { return type == TensorType::Mixed || type == TensorType::MixedB; }

bool is_reduction(TensorOp op) {
  return op == TensorOp::Dot || op == TensorOp::Sum || op == TensorOp::RMax || op == TensorOp::RMin;
}

std::vector<uint32_t> packed(const uint32_t* elements, size_t count, int bytes) {
  std::vector<uint32_t> words((count * static_cast<size_t>(bytes) + 3) / 4);
  for (size_t k = 0; k < count; ++k) {
    const size_t at = k * static_cast<size_t>(bytes);
    const uint32_t mask = bytes == 4 ? 0xFFFFFFFF : (1u << 8 * bytes) - 1;
    words[at / 4] |= (elements[k] & mask) << (8 * (at % 4));
  }
  return words;
}

std::vector<uint32_t> unpacked(const std::vector<uint32_t>& words, size_t count, int bytes) {
  std::vector<uint32_t> elements(count);
  for (size_t k = 0; k < count; ++k) {
    const size_t at = k * static_cast<size_t>(bytes);
    const uint32_t mask = bytes == 4 ? 0xFFFFFFFF : (1u << 8 * bytes) - 1;
    elements[k] = words[at / 4] >> (8 * (at % 4)) & mask;
  }
  return elements;
}

}  // namespace

ow::Device& GridDevice::grid() {
  if (!grid_) throw Refused("reset comes first");
  return *grid_;
}

void GridDevice::reset(GridShape shape) {
  plane_.reset();
  grid_.reset();
  grid_ = make_(shape);
  plane_ = std::make_unique<ControlPlane>(*grid_);
  for_calls_ = false;
}

void GridDevice::write(int row, int col, uint32_t address, const std::vector<uint32_t>& words) {
  grid();
  plane_->write_tile(row, col, address, words);
  plane_->fence({row, col, 1, 1});
}

std::vector<uint32_t> GridDevice::read(int row, int col, uint32_t address, size_t count) {
  grid();
  return plane_->read_tile(row, col, address, count);
}

void GridDevice::send(Side side, int index, int colour, const std::vector<Word>& words) {
  std::vector<Wavelet> sent;
  for (const Word& word : words)
    sent.push_back({static_cast<uint8_t>(colour), word.control, word.data});
  grid().send(side, index, sent);
}

std::vector<Word> GridDevice::take(Side side, int index, int colour) {
  std::vector<Word> words;
  for (const Arrival& a : grid().take_arrivals(side, index, colour)) {
    words.push_back({a.wavelet.ctrl, a.wavelet.data});
  }
  return words;
}

void GridDevice::hold(Side side, int index, int colour, bool held) {
  if (!grid().can_hold()) throw Refused("hold");
  grid().hold(side, index, colour, held);
}

uint64_t GridDevice::run(uint64_t cycles) {
  const uint64_t before = grid().cycle();
  grid().run(cycles);
  return grid().cycle() - before;
}

void GridDevice::run_program(const std::vector<uint32_t>& program) {
  using isa::reg::CoreCtrl;
  using isa::reg::CoreStatus;
  plane_->write_tile(0, 0, kCode, program);
  plane_->write_tile(0, 0, isa::reg::CorePc::kAddress, kCode);
  plane_->write_tile(0, 0, CoreCtrl::kAddress, CoreCtrl::Reset::put(1) | CoreCtrl::Run::put(1));
  for (uint64_t waited = 0; waited < kMostCycles; waited += 2000) {
    grid().run(2000);
    const uint32_t status = plane_->read_tile(0, 0, CoreStatus::kAddress);
    if (CoreStatus::Running::get(status)) continue;
    if (CoreStatus::Ebreak::get(status)) return;
    break;
  }
  throw Refused(fmt::format("the tile stopped: ERROR 0x{:x}",
                            plane_->read_tile(0, 0, isa::reg::Error::kAddress)));
}

std::vector<uint32_t> GridDevice::call(const Call& call) {
  const auto op = named<TensorOp>(call.op, 64);
  const auto type = named<TensorType>(call.type, 8), result = named<TensorType>(call.result, 8);
  if (!op || !type || !result || call.count == 0 || call.count > kMostElements ||
      call.operands.size() % call.count != 0 || call.operands.size() / call.count > 3) {
    throw Refused("call " + call.op + " " + call.type);
  }
  if (!for_calls_) {
    reset({1, 1});
    for_calls_ = true;
  }
  const auto n = static_cast<int>(call.count);
  const size_t operands = call.operands.size() / call.count;
  const TensorType source =
      is_mixed(*type) ? (*type == TensorType::Mixed ? TensorType::F16 : TensorType::BF16) : *type;
  const uint32_t dst_at = kOperands + 2 * kOperandBytes;
  std::vector<uint32_t> table;
  const auto put = [&](const Descriptor& d) {
    table.insert(table.end(), d.words, d.words + isa::kNumDsrWords);
  };
  put(Descriptor::memory(*result, dst_at, n, bytes_of(*result)));
  for (uint32_t k = 0; k < 2; ++k) {
    put(Descriptor::memory(source, kOperands + k * kOperandBytes, n, bytes_of(source)));
  }
  plane_->write_tile(0, 0, kTable, table);
  for (size_t k = 0; k < operands; ++k) {
    const int bytes = k == 2 ? bytes_of(*result) : bytes_of(source);
    plane_->write_tile(0, 0, kOperands + static_cast<uint32_t>(k) * kOperandBytes,
                       packed(&call.operands[k * call.count], call.count, bytes));
  }
  Program program;
  constexpr int kDst = 0, kA = 1, kB = 2;
  const int none = static_cast<int>(isa::kNumDsrs) - 1;
  for (int dsr = 0; dsr < 3; ++dsr)
    program.descriptor(dsr, kTable + static_cast<uint32_t>(dsr) * 4 * isa::kNumDsrWords);
  using Ctl = isa::TensorCtl;
  program.tensor(*op, *type,
                 Ctl::Dst::put(kDst) | Ctl::A::put(kA) | Ctl::B::put(operands > 1 ? kB : none));
  program.fence_i();
  program.stop();
  run_program(program.words());
  const size_t results = is_reduction(*op) ? 1 : call.count;
  const auto bytes = static_cast<size_t>(bytes_of(*result));
  return unpacked(plane_->read_tile(0, 0, dst_at, (results * bytes + 3) / 4), results,
                  bytes_of(*result));
}

}  // namespace ow::conform
