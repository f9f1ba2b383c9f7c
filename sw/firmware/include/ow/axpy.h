// SPDX-License-Identifier: Apache-2.0
// What the axpy kernel and its host program agree on.
#ifndef OW_AXPY_H_
#define OW_AXPY_H_

#include <stdint.h>

#define OW_AXPY_MAX 2048u  // elements

#define OW_AXPY_TASK_LAUNCH 16u  // activated by the host
#define OW_AXPY_INQ_X 0u         // input queue: x, two binary16 elements a wavelet
#define OW_AXPY_OUTQ_Y 0u        // output queue: y, likewise, closed by a control wavelet

// Symbol ow_axpy_params; written by the host before the launch.
struct ow_axpy_params {
  uint32_t n;  // elements: even, 2 to OW_AXPY_MAX
  uint32_t a;  // binary16 in the low half
};

#endif  // OW_AXPY_H_
