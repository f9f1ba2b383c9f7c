// SPDX-License-Identifier: Apache-2.0
// The bits of a link (docs/fabric.md) as a 64-bit word; zero if the link carries nothing.
#ifndef OW_SRC_LINK_WORD_H_
#define OW_SRC_LINK_WORD_H_

#include <cstdint>

#include "ow/device/device.h"
#include "ow/isa/isa.h"

namespace ow {

constexpr int kLinkBits = isa::Link::kBits;
constexpr uint64_t kLinkMask = (uint64_t{1} << kLinkBits) - 1;
constexpr uint64_t kLinkWaveletValid = isa::Link::Wavelet::put(isa::Wavelet::Valid::kMask);
constexpr uint64_t kLinkCreditValid = isa::Link::Credit::put(isa::Credit::Valid::kMask);
constexpr uint64_t kLinkCreditMask = isa::Link::Credit::kMask;

inline uint64_t link_of_wavelet(const Wavelet& w) {
  return isa::Link::Wavelet::put(isa::Wavelet::Valid::put(1) | isa::Wavelet::Colour::put(w.colour) |
                                 isa::Wavelet::Ctrl::put(w.ctrl) | isa::Wavelet::Data::put(w.data));
}
inline uint64_t link_of_credit(int colour) {
  return isa::Link::Credit::put(isa::Credit::Valid::put(1) | isa::Credit::Colour::put(colour));
}
inline bool link_has_wavelet(uint64_t word) { return (word & kLinkWaveletValid) != 0; }
inline bool link_has_credit(uint64_t word) { return (word & kLinkCreditValid) != 0; }
inline Wavelet link_wavelet(uint64_t word) {
  const uint64_t w = isa::Link::Wavelet::get(word);
  return Wavelet{static_cast<uint8_t>(isa::Wavelet::Colour::get(w)), isa::Wavelet::Ctrl::get(w),
                 static_cast<uint32_t>(isa::Wavelet::Data::get(w))};
}
inline int link_credit_colour(uint64_t word) {
  return static_cast<int>(isa::Credit::Colour::get(isa::Link::Credit::get(word)));
}

}  // namespace ow

#endif  // OW_SRC_LINK_WORD_H_
