// SPDX-License-Identifier: Apache-2.0
// The 45 bits of a link (link_t in rtl/common/ow_pkg.sv) as a 64-bit word: zero if it carries
// nothing.
#ifndef OW_SRC_LINK_WORD_H_
#define OW_SRC_LINK_WORD_H_

#include <cstdint>

#include "ow/device.h"

namespace ow {

constexpr int kLinkBits = 45;
constexpr uint64_t kLinkMask = (uint64_t{1} << kLinkBits) - 1;
constexpr uint64_t kLinkWaveletValid = uint64_t{1} << 38;
constexpr uint64_t kLinkCreditValid = uint64_t{1} << 44;
constexpr uint64_t kLinkCreditMask = uint64_t{0x3F} << 39;

inline uint64_t link_of_wavelet(const Wavelet& w) {
  return kLinkWaveletValid | uint64_t{w.colour} << 33 | uint64_t{w.ctrl} << 32 | w.data;
}
inline uint64_t link_of_credit(int colour) {
  return kLinkCreditValid | static_cast<uint64_t>(colour) << 39;
}
inline bool link_has_wavelet(uint64_t word) { return (word & kLinkWaveletValid) != 0; }
inline bool link_has_credit(uint64_t word) { return (word & kLinkCreditValid) != 0; }
inline Wavelet link_wavelet(uint64_t word) {
  return Wavelet{static_cast<uint8_t>(word >> 33 & 31), (word >> 32 & 1) != 0,
                 static_cast<uint32_t>(word)};
}
inline int link_credit_colour(uint64_t word) { return static_cast<int>(word >> 39 & 31); }

}  // namespace ow

#endif  // OW_SRC_LINK_WORD_H_
