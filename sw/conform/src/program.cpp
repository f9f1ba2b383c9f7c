// SPDX-License-Identifier: Apache-2.0
#include "ow/conform/program.h"

namespace ow::conform {
namespace {

constexpr uint32_t kOpImmediate = 0x13, kLui = 0x37, kLoad = 0x03, kStore = 0x23;

uint32_t u(int value) { return static_cast<uint32_t>(value); }

// x5 and x6 are free between the steps of a program.
constexpr int kFirst = 5, kSecond = 6;

}  // namespace

Descriptor Descriptor::memory(isa::TensorType type, uint32_t address, int length, int step) {
  Descriptor d;
  d.words[0] = isa::Dsr0::Kind::put(isa::DsrKind::Mem) | isa::Dsr0::Type::put(type);
  d.words[1] = address;
  d.words[2] = isa::DsrDim::Length::put(length) | isa::DsrDim::Step::put(step);
  return d;
}

Descriptor Descriptor::fabric_in(isa::TensorType type, int queue, int length) {
  Descriptor d;
  d.words[0] = isa::Dsr0::Kind::put(isa::DsrKind::FabricIn) | isa::Dsr0::Type::put(type) |
               isa::Dsr0::Queue::put(queue);
  d.words[2] = isa::DsrDim::Length::put(length);
  return d;
}

Descriptor Descriptor::fabric_out(isa::TensorType type, int queue) {
  Descriptor d;
  d.words[0] = isa::Dsr0::Kind::put(isa::DsrKind::FabricOut) | isa::Dsr0::Type::put(type) |
               isa::Dsr0::Queue::put(queue);
  return d;
}

void Program::add_immediate(int rd, int rs, int value) {
  word(u(value) << 20 | u(rs) << 15 | u(rd) << 7 | kOpImmediate);
}

void Program::load_immediate(int rd, uint32_t value) {
  const uint32_t upper = (value + 0x800) & 0xFFFFF000;
  const int lower = static_cast<int>(value - upper);
  if (upper == 0) {
    add_immediate(rd, 0, lower);
    return;
  }
  word(upper | u(rd) << 7 | kLui);
  if (lower != 0) add_immediate(rd, rd, lower);
}

void Program::load(int rd, int rs, int offset) {
  word(u(offset) << 20 | u(rs) << 15 | 2u << 12 | u(rd) << 7 | kLoad);
}

void Program::store(int rs2, int rs1, int offset) {
  const uint32_t o = u(offset);
  word((o >> 5 & 0x7F) << 25 | u(rs2) << 20 | u(rs1) << 15 | 2u << 12 | (o & 0x1F) << 7 | kStore);
}

void Program::descriptor(int dsr, uint32_t table) {
  load_immediate(kFirst, table);
  load_immediate(kSecond, u(dsr));
  word(u(kSecond) << 20 | u(kFirst) << 15 | static_cast<uint32_t>(isa::SysOp::Dsrl) << 12 |
       isa::kOpcodeSystem);
}

void Program::store_word(uint32_t address, uint32_t value) {
  load_immediate(kFirst, address);
  load_immediate(kSecond, value);
  store(kSecond, kFirst, 0);
}

void Program::tensor(isa::TensorOp op, isa::TensorType type, uint32_t ctl, uint32_t scalar) {
  load_immediate(kFirst, ctl);
  load_immediate(kSecond, scalar);
  word(static_cast<uint32_t>(op) << 25 | u(kSecond) << 20 | u(kFirst) << 15 |
       static_cast<uint32_t>(type) << 12 | isa::kOpcodeTensor);
}

}  // namespace ow::conform
