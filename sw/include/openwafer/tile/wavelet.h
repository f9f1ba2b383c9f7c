// SPDX-License-Identifier: Apache-2.0
// The words of control wavelets, for firmware and host (docs/fabric.md).
#ifndef OPENWAFER_TILE_WAVELET_H_
#define OPENWAFER_TILE_WAVELET_H_

#include <stdint.h>

#include "openwafer/tile/isa.h"
#ifndef __cplusplus
#include "openwafer/tile/check.h"
#endif

// Bits for the consumer at the ramp: the end of an accumulator row, the end of the stream.
#define OW_ROW_END OW_CONTROL_ROW_END(1)
#define OW_STREAM_END OW_CONTROL_STREAM_END(1)

// Commands for routers on the way whose colour obeys commands: eight slots, slot 0 first. The
// colour's pop mode says which routers use a slot. With OW_NO_RAMP the router that carries a
// command out keeps the wavelet from its ramp.
//
//   ow_push_control(queue, OW_COMMAND(0, OW_ADVANCE) | OW_COMMAND(1, OW_RESET | OW_NO_RAMP));
#define OW_ADVANCE OW_COMMAND_OP(OW_SWITCH_ADV)  // to the next switch position
#define OW_RESET OW_COMMAND_OP(OW_SWITCH_RST)    // to position 0
// The colour stops until its route is written again.
#define OW_TEARDOWN OW_COMMAND_OP(OW_SWITCH_TEARDOWN)
#define OW_NO_RAMP OW_COMMAND_NOCE(1)
#define OW_COMMAND(slot, what) OW_CONTROL_COMMANDS(OW_COMMAND_SLOT_(slot), what)
#ifdef __cplusplus
#define OW_COMMAND_SLOT_(slot) (slot)
#else
#define OW_COMMAND_SLOT_(slot) OW_CHECKED(slot, 7, "a slot of commands is 0 to 7")
#endif

// Bits that no hardware reads: an order for a control task.
#define OW_IDENTITY(n) OW_CONTROL_IDENTITY(n)
#define OW_IDENTITY_OF(word) OW_CONTROL_IDENTITY_OF(word)

#endif  // OPENWAFER_TILE_WAVELET_H_
