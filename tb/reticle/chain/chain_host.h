// SPDX-License-Identifier: Apache-2.0
// The host's end of a test-access chain, for tests: frames out, answers in (docs/bring-up.md).
#ifndef OW_TB_CHAIN_HOST_H_
#define OW_TB_CHAIN_HOST_H_

#include <cstdint>
#include <functional>
#include <optional>

namespace ow::tb {

inline uint16_t chain_crc(uint64_t bits48) {
  uint16_t crc = 0xFFFF;
  for (int i = 47; i >= 0; --i) {
    const bool bit = (bits48 >> i & 1) != 0;
    crc = static_cast<uint16_t>((crc << 1) ^ (((crc >> 15) != 0) != bit ? 0x3D65 : 0));
  }
  return crc;
}

// `exchange` drives a bit into the chain's port, runs a cycle and returns the bit that came out.
using Exchange = std::function<bool(bool)>;

// One command; the answer's data, or nothing if none comes within the stated time. `spoil` is
// added to the CRC.
inline std::optional<uint32_t> chain_command(const Exchange& exchange, int stations, int column,
                                             bool write, int reg, uint32_t data,
                                             uint16_t spoil = 0) {
  const uint64_t head = static_cast<uint64_t>(column) << 39 | static_cast<uint64_t>(write) << 38 |
                        static_cast<uint64_t>(reg) << 32 | data;
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
      const bool right =
          chain_crc(in) == in_crc && in >> 47 == 1 && (in >> 32 & 0x7FFF) == (head >> 32 & 0x7FFF);
      return right ? std::optional<uint32_t>(static_cast<uint32_t>(in)) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace ow::tb

#endif  // OW_TB_CHAIN_HOST_H_
