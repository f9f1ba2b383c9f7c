/* SPDX-License-Identifier: Apache-2.0 */
/* A device under the conformance kit, as a shared library: it defines ow_conform_open.
 * docs/conformance.md says what each function must do.
 *
 * A function that the device does not have is NULL. There are four sets:
 *   call                            arithmetic alone
 *   send, take, hold, run           a grid whose edges take and give wavelets
 *   edge, step                      a grid at its wires: the kit does the credits, and builds the
 * set above with reset, write and read beside the last two.
 *   ends, clock                     the two ends of a link; the kit is the wires and the routers
 *
 * Functions return 0, or another number if the device cannot do that. */
#ifndef OPENWAFER_CONFORM_H_
#define OPENWAFER_CONFORM_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OW_CONFORM_INTERFACE 2

/* A wavelet at an edge, on the colour of the call. */
struct ow_conform_word {
  uint32_t data;
  uint32_t control; /* 0 or 1 */
};

/* One clock of an end of a link (docs/links.md). In: what comes from its tile and on its lanes;
 * `word` is a command: bit 0 resets the end, bit 1 trains it, bit 2 keeps it off, bit 3 reads the
 * word of the status in bits 13:8. Out: what the end drives after this clock; `word` is the word
 * that was read last. Lane l of group g is bit l of lanes[g]. */
struct ow_conform_end {
  uint64_t tile;
  uint64_t lanes[2];
  uint32_t word;
};

/* Sides: 0 north, 1 east, 2 south, 3 west. `index` is the grid column of north and south ports, the
 * grid row of east and west ports. */
struct ow_conform_device {
  int interface; /* OW_CONFORM_INTERFACE */
  void* self;    /* first argument of each function */
  void (*close)(void* self);

  /* A grid of so many tiles after its reset, with nothing in memory. */
  int (*reset)(void* self, int rows, int columns);
  /* Words of a tile's SRAM, or its registers from 0xF0000000 on. The address is a multiple of 4.
   * NULL at the wires: the kit then uses the control plane. */
  int (*write)(void* self, int row, int column, uint32_t address, const uint32_t* words,
               size_t count);
  int (*read)(void* self, int row, int column, uint32_t address, uint32_t* words, size_t count);

  /* Wavelets enter the grid in the order of the calls for each port and colour. */
  int (*send)(void* self, int side, int index, int colour, const struct ow_conform_word* words,
              size_t count);
  /* What has left the grid there since the last call, at most `room`; returns the number, or -1. */
  long (*take)(void* self, int side, int index, int colour, struct ow_conform_word* words,
               size_t room);
  /* While it is held, the edge takes nothing of the colour. */
  int (*hold)(void* self, int side, int index, int colour, int held);
  /* Until nothing moves, or for so many cycles. Returns the cycles, or 0 if the device does not
   * count. */
  uint64_t (*run)(void* self, uint64_t cycles);

  /* A link word (docs/fabric.md, F1) in each direction: `in` is what the port gets in this cycle,
   * `*out` what the grid drives in the same cycle. */
  int (*edge)(void* self, int side, int index, uint64_t in, uint64_t* out);
  /* One cycle. */
  int (*step)(void* self);

  /* `count` elements of an operation: operands a, then b, then c, `count` each. Reductions have one
   * result. Names are those of docs/isa.md ("fma", "mixed"); `result` is the type of the result. */
  int (*call)(void* self, const char* op, const char* type, const char* result, size_t count,
              const uint32_t* operands, uint32_t* results);

  /* Two ends of a link after a reset, of `full` or of `mini`. Their cycle count begins at 0. */
  int (*ends)(void* self, int mini);
  /* One clock of both ends. */
  int (*clock)(void* self, const struct ow_conform_end* in, struct ow_conform_end* out);
};

/* Exported by the library. `arguments` come from the command line. NULL: the device cannot be
 * opened. */
const struct ow_conform_device* ow_conform_open(const char* arguments);

#ifdef __cplusplus
}
#endif

#endif /* OPENWAFER_CONFORM_H_ */
