// SPDX-License-Identifier: Apache-2.0
// The categories of error are part of the installed interface.
#ifndef OW_BASE_ERROR_H_
#define OW_BASE_ERROR_H_

#include "openwafer/error.h"

#endif  // OW_BASE_ERROR_H_
