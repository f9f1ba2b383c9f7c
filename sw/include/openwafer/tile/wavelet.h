// SPDX-License-Identifier: Apache-2.0
// The words of control wavelets, for firmware and host (docs/fabric.md).
#ifndef OPENWAFER_TILE_WAVELET_H_
#define OPENWAFER_TILE_WAVELET_H_

#include <stdint.h>

#ifndef __cplusplus
#include "openwafer/tile/check.h"
#endif

// What the consumer at the ramp acts on: the end of an accumulator row, the end of the stream.
#define OW_ROW_END (1u << 0)
#define OW_STREAM_END (1u << 1)

// What routers on the way do whose colour obeys commands: eight slots, slot 0 first; the colour's
// pop mode says which routers a slot is for. OW_NO_RAMP, or'ed to a command, keeps the wavelet from
// the ramp of the router that carries it out.
//
//   ow_push_control(queue, OW_COMMAND(0, OW_ADVANCE) | OW_COMMAND(1, OW_RESET | OW_NO_RAMP));
#define OW_ADVANCE 1u   // to the next switch position
#define OW_RESET 2u     // to position 0
#define OW_TEARDOWN 3u  // the colour stops until its route is written again
#define OW_NO_RAMP 4u
#define OW_COMMAND(slot, what) ((uint32_t)(what) << (2 + 3 * OW_COMMAND_SLOT_(slot)))
#ifdef __cplusplus
#define OW_COMMAND_SLOT_(slot) (slot)
#else
#define OW_COMMAND_SLOT_(slot) OW_CHECKED(slot, 7, "a slot of commands is 0 to 7")
#endif

// Bits that no hardware looks at: what a control task is told.
#define OW_IDENTITY_SHIFT 26
#define OW_IDENTITY(n) ((uint32_t)(n) << OW_IDENTITY_SHIFT)
#define OW_IDENTITY_OF(word) ((uint32_t)(word) >> OW_IDENTITY_SHIFT)

#endif  // OPENWAFER_TILE_WAVELET_H_
