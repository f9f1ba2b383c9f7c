// SPDX-License-Identifier: Apache-2.0
// The host's end of a test-access chain, for tests: frames out, answers in (docs/bring-up.md).
#ifndef OW_TB_CHAIN_HOST_H_
#define OW_TB_CHAIN_HOST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ow/isa/isa.h"

namespace ow::tb {

inline uint16_t chain_crc(uint64_t bits48) {
  uint16_t crc = 0xFFFF;
  for (int i = 47; i >= 0; --i) {
    const bool bit = (bits48 >> i & 1) != 0;
    crc = static_cast<uint16_t>((crc << 1) ^ (((crc >> 15) != 0) != bit ? isa::kCrcPolynomial : 0));
  }
  return crc;
}

// The bits of a command as they are sent, the start bit first.
inline std::vector<bool> chain_frame(int column, bool write, int reg, uint32_t data) {
  using Frame = isa::ChainFrame;
  const uint64_t head = (Frame::Column::put(column) | Frame::Write::put(write) |
                         Frame::Register::put(reg) | Frame::Data::put(data)) >>
                        16;
  std::vector<bool> bits = {true};
  for (int i = 47; i >= 0; --i) bits.push_back((head >> i & 1) != 0);
  for (int i = 15; i >= 0; --i) bits.push_back((chain_crc(head) >> i & 1) != 0);
  return bits;
}

// `exchange` drives a bit into the chain's port, runs a cycle and returns the bit that came out.
using Exchange = std::function<bool(bool)>;

// Sends one command. Returns the answer's data, or nothing if none comes within the stated time.
// `spoil` is added to the CRC.
inline std::optional<uint32_t> chain_command(const Exchange& exchange, int stations, int column,
                                             bool write, int reg, uint32_t data,
                                             uint16_t spoil = 0) {
  using Frame = isa::ChainFrame;
  constexpr uint64_t kCommand = Frame::Column::kMask | Frame::Write::kMask | Frame::Register::kMask;
  const uint64_t command = Frame::Column::put(column) | Frame::Write::put(write) |
                           Frame::Register::put(reg) | Frame::Data::put(data);
  const uint64_t head = command >> 16;  // the bits that the CRC covers
  const auto crc = static_cast<uint16_t>(chain_crc(head) ^ spoil);
  exchange(true);
  for (int i = 47; i >= 0; --i) exchange((head >> i & 1) != 0);
  for (int i = 15; i >= 0; --i) exchange((crc >> i & 1) != 0);
  int left = 0;
  uint64_t in = 0;
  uint16_t in_crc = 0;
  for (int t = 0; t < 140 + 4 * stations; ++t) {
    const bool bit = exchange(false);
    if (left == 0) {
      if (bit) left = 64;
      continue;
    }
    if (left > 16) {
      in = in << 1 | static_cast<uint64_t>(bit);
    } else {
      in_crc = static_cast<uint16_t>(in_crc << 1 | static_cast<uint16_t>(bit));
    }
    if (--left == 0) {
      const uint64_t answer = in << 16;
      const bool right = chain_crc(in) == in_crc && Frame::Answer::get(answer) &&
                         (answer & kCommand) == (command & kCommand);
      if (!right) return std::nullopt;
      return static_cast<uint32_t>(Frame::Data::get(answer));
    }
  }
  return std::nullopt;
}

}  // namespace ow::tb

#endif  // OW_TB_CHAIN_HOST_H_
