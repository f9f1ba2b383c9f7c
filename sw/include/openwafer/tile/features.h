// SPDX-License-Identifier: Apache-2.0
// Which tensor operations this tile has, from its registers FEATURES and OPERATIONS. For kernels
// that run in several tile configurations. Any other operation is illegal (docs/isa.md).
#ifndef OW_FEATURES_H_
#define OW_FEATURES_H_

#include "openwafer/tile/tile.h"

// The types in which the tile computes, one bit each. A tile moves elements of any type; OW_I8 only
// if it computes in it.
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

// Whether the tile has an operation (OW_OP_*) in a type that docs/isa.md lists for it. For a cast
// or a reduction, `type` is the source; the result may be any of ow_types() or OW_F32.
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
