// SPDX-License-Identifier: Apache-2.0
// The 16-bit floating-point types are part of the installed interface.
#ifndef OW_TENSOR_HALF_H_
#define OW_TENSOR_HALF_H_

#include "openwafer/number.h"

#endif  // OW_TENSOR_HALF_H_
