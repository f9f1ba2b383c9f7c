// SPDX-License-Identifier: Apache-2.0
// What the host and kernel/products.c share. Plain C that C++ can read.
#ifndef OW_MEASURE_PRODUCTS_H_
#define OW_MEASURE_PRODUCTS_H_

#include "ow/firmware/region.h"

// The table of descriptors: those of all regions, then vectors and where they go.
enum {
  OW_PRODUCT_FIRST = OW_DSR_POOL,
  OW_PRODUCT_FIRST_OUT,
  OW_PRODUCT_SECOND,
  OW_PRODUCT_SECOND_OUT,
  OW_PRODUCT_WORDS
};

#define OW_PRODUCT_BEGIN 8192u  // tiles begin at a multiple of these cycles

#endif  // OW_MEASURE_PRODUCTS_H_
