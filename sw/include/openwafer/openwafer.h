// SPDX-License-Identifier: Apache-2.0
// The whole installed interface of host programs.
#ifndef OPENWAFER_OPENWAFER_H_
#define OPENWAFER_OPENWAFER_H_

#include "openwafer/runtime.h"
#include "openwafer/sparse.h"

#endif  // OPENWAFER_OPENWAFER_H_
