// SPDX-License-Identifier: Apache-2.0
// The few RV32 encodings that directed tests need, by mnemonic.
#ifndef OW_TB_RV_ASM_H_
#define OW_TB_RV_ASM_H_

#include <cstdint>

#include "ow/isa/isa.h"

namespace ow::rv {

constexpr uint32_t i_type(uint32_t opcode, uint32_t f3, uint32_t rd, uint32_t rs1, int32_t imm) {
  return (static_cast<uint32_t>(imm) & 0xfff) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}
constexpr uint32_t r_type(uint32_t opcode, uint32_t f3, uint32_t f7, uint32_t rd, uint32_t rs1,
                          uint32_t rs2) {
  return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}
constexpr uint32_t kNop = 0x00000013;
constexpr uint32_t kEbreak = 0x00100073;
constexpr uint32_t kEcall = 0x00000073;
constexpr uint32_t kWfi = 0x10500073;
constexpr uint32_t kMret = 0x30200073;
constexpr uint32_t kFenceI = 0x0000100f;
constexpr uint32_t kNext =
    i_type(isa::kOpcodeSystem, static_cast<uint32_t>(isa::SysOp::Next), 0, 0, 0);
constexpr uint32_t kRet = 0x00008067;

constexpr uint32_t addi(uint32_t rd, uint32_t rs1, int32_t imm) {
  return i_type(0x13, 0, rd, rs1, imm);
}
constexpr uint32_t add(uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return r_type(0x33, 0, 0, rd, rs1, rs2);
}
constexpr uint32_t mul(uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return r_type(0x33, 0, 1, rd, rs1, rs2);
}
constexpr uint32_t div(uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return r_type(0x33, 4, 1, rd, rs1, rs2);
}
constexpr uint32_t lui(uint32_t rd, uint32_t high20) { return high20 << 12 | rd << 7 | 0x37; }
constexpr uint32_t lw(uint32_t rd, uint32_t rs1, int32_t imm) {
  return i_type(0x03, 2, rd, rs1, imm);
}
constexpr uint32_t lb(uint32_t rd, uint32_t rs1, int32_t imm) {
  return i_type(0x03, 0, rd, rs1, imm);
}
constexpr uint32_t sw(uint32_t rs2, uint32_t rs1, int32_t imm) {
  return (static_cast<uint32_t>(imm) >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | 2u << 12 |
         (static_cast<uint32_t>(imm) & 31) << 7 | 0x23;
}
constexpr uint32_t branch(uint32_t f3, uint32_t rs1, uint32_t rs2, int32_t offset) {
  const uint32_t o = static_cast<uint32_t>(offset);
  return (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
         (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7 | 0x63;
}
constexpr uint32_t beq(uint32_t rs1, uint32_t rs2, int32_t offset) {
  return branch(0, rs1, rs2, offset);
}
constexpr uint32_t bne(uint32_t rs1, uint32_t rs2, int32_t offset) {
  return branch(1, rs1, rs2, offset);
}
constexpr uint32_t jal(uint32_t rd, int32_t offset) {
  const uint32_t o = static_cast<uint32_t>(offset);
  return (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 |
         (o >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}
constexpr uint32_t csrrw(uint32_t rd, uint32_t csr, uint32_t rs1) {
  return csr << 20 | rs1 << 15 | 1u << 12 | rd << 7 | 0x73;
}
constexpr uint32_t csrrs(uint32_t rd, uint32_t csr, uint32_t rs1) {
  return csr << 20 | rs1 << 15 | 2u << 12 | rd << 7 | 0x73;
}
constexpr uint32_t dsrw(uint32_t word, uint32_t rs1, uint32_t rs2) {
  return r_type(isa::kOpcodeSystem, static_cast<uint32_t>(isa::SysOp::Dsrw), word, 0, rs1, rs2);
}
constexpr uint32_t dsrr(uint32_t word, uint32_t rd, uint32_t rs1) {
  return r_type(isa::kOpcodeSystem, static_cast<uint32_t>(isa::SysOp::Dsrr), word, rd, rs1, 0);
}
constexpr uint32_t dsrl(uint32_t rs1, uint32_t rs2) {
  return r_type(isa::kOpcodeSystem, static_cast<uint32_t>(isa::SysOp::Dsrl), 0, 0, rs1, rs2);
}
constexpr uint32_t tensor(uint32_t op, uint32_t ty, uint32_t rs1, uint32_t rs2) {
  return r_type(isa::kOpcodeTensor, ty, op, 0, rs1, rs2);
}

}  // namespace ow::rv

#endif  // OW_TB_RV_ASM_H_
