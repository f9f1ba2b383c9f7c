// SPDX-License-Identifier: Apache-2.0
// Which tensor operations this tile has, out of its registers FEATURES and OPERATIONS: for kernels
// that run in tiles of several configurations. Another one is an illegal operation (docs/isa.md).
#ifndef OW_FEATURES_H_
#define OW_FEATURES_H_

#include "openwafer/tile/tile.h"

// Types, a bit each, in which the tile computes. It moves elements of any type but OW_I8, which it
// has or has not.
static inline uint32_t ow_types(void) {
  const uint32_t tile = ow_reg_read(OW_REG_FEATURES), engine = ow_reg_read(OW_REG_OPERATIONS);
  uint32_t types = 1u << OW_F16 | 1u << OW_MIXED;
  if (OW_OPERATIONS_BFLOAT16_OF(engine)) types |= 1u << OW_BF16 | 1u << OW_MIXEDB;
  if (OW_FEATURES_FP32_OF(tile)) types |= 1u << OW_F32;
  if (OW_OPERATIONS_INT16_OF(engine)) types |= 1u << OW_I16;
  if (OW_FEATURES_INT32_OF(tile)) types |= 1u << OW_I32;
  if (OW_FEATURES_INT8_OF(tile)) types |= 1u << OW_I8;
  return types;
}

// Whether the tile has an operation (OW_OP_*) in a type that docs/isa.md has for it. Of a cast and
// of a reduction: from that type; to those of ow_types() and OW_F32.
static inline uint32_t ow_has(uint32_t op, uint32_t type) {
  const uint32_t tile = ow_reg_read(OW_REG_FEATURES), engine = ow_reg_read(OW_REG_OPERATIONS);
  const uint32_t any = 0xFFu & ~(OW_FEATURES_INT8_OF(tile) ? 0u : 1u << OW_I8);
  uint32_t types = ow_types();
  switch (op) {
    case OW_OP_MOV:
      types = any;
      break;
    case OW_OP_CVT:
      types |= 1u << OW_F32;
      break;
    case OW_OP_MAX:
    case OW_OP_MIN:
    case OW_OP_CMPEQ:
    case OW_OP_CMPNE:
    case OW_OP_CMPLT:
    case OW_OP_CMPLE:
      if (!OW_OPERATIONS_COMPARE_OF(engine)) types = 0;
      break;
    case OW_OP_DOT:
    case OW_OP_SUM:
    case OW_OP_RMAX:
    case OW_OP_RMIN:
    case OW_OP_DOTW:
      if (!OW_OPERATIONS_REDUCTIONS_OF(engine)) types = 0;
      break;
    case OW_OP_GATHER:
    case OW_OP_SCATTER:
      types = OW_FEATURES_GATHER_OF(tile) ? any : 0;
      break;
    case OW_OP_FMAG:
      if (!OW_FEATURES_GATHER_OF(tile)) types = 0;
      break;
    case OW_OP_RCP:
    case OW_OP_RSQRT:
    case OW_OP_EXP:
    case OW_OP_LOG:
    case OW_OP_TANH:
    case OW_OP_SIGMOID:
      if (!OW_FEATURES_NONLINEAR_OF(tile)) types = 0;
      break;
    default:
      break;
  }
  return types >> type & 1;
}

#endif  // OW_FEATURES_H_
