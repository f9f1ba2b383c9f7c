// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the network's 16-bit type, on encodings; each operation rounds once.
#ifndef OW_GOLDEN_HALVES_H_
#define OW_GOLDEN_HALVES_H_

#include <cstdint>

#include "ow/golden/formats.h"
#include "ow/golden/nonlinear.h"
#include "ow/tensor/half.h"

namespace ow::golden {

struct Halves {
  HalfType type;
  bool f16() const { return type == HalfType::Binary16; }

  uint16_t add(uint16_t a, uint16_t b) const { return f16() ? f16_add(a, b) : bf16_add(a, b); }
  uint16_t sub(uint16_t a, uint16_t b) const { return f16() ? f16_sub(a, b) : bf16_sub(a, b); }
  uint16_t mul(uint16_t a, uint16_t b) const { return f16() ? f16_mul(a, b) : bf16_mul(a, b); }
  uint16_t fma(uint16_t a, uint16_t b, uint16_t c) const {
    return f16() ? f16_fma(a, b, c) : bf16_fma(a, b, c);
  }
  uint16_t min(uint16_t a, uint16_t b) const { return f16() ? f16_min(a, b) : bf16_min(a, b); }
  uint16_t max(uint16_t a, uint16_t b) const { return f16() ? f16_max(a, b) : bf16_max(a, b); }
  uint16_t exp(uint16_t a) const { return f16() ? nlf_f16(Nlf::kExp, a) : nlf_bf16(Nlf::kExp, a); }
  uint16_t sigmoid(uint16_t a) const {
    return f16() ? nlf_f16(Nlf::kSigmoid, a) : nlf_bf16(Nlf::kSigmoid, a);
  }
  // a * b + c with c and the result in fp32, rounded once.
  uint32_t mixed(uint16_t a, uint16_t b, uint32_t c) const {
    return f16() ? mixed_fma(a, b, c) : mixedb_fma(a, b, c);
  }
  uint16_t round(double x) const { return f16() ? round_to_f16(x) : round_to_bf16(x); }
  static uint16_t negative(uint16_t a) { return a ^ 0x8000; }
};

}  // namespace ow::golden

#endif  // OW_GOLDEN_HALVES_H_
