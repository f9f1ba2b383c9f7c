// SPDX-License-Identifier: Apache-2.0
// Descriptors as words, for tile programs and for the host (C and C++). A program loads all words
// of one with one instruction, ow_dsr_load (openwafer/tile/tile.h), from a table that it has as
// constants, or that the host has written:
//
//   static const struct ow_dsr_words table[] = {OW_WORDS_MEM1(OW_F16, OW_ADDR(x), 64, 2),
//                                               OW_WORDS_FABRIC_OUT(OW_F16, 1, 64, 0)};
//   ow_dsr_load(X, &table[0]);
//
// OW_WORDS_* initialise a struct. Arguments may be known only at run time, and are evaluated once
// or twice. In C, constants that do not fit their field stop the compilation; in C++ they are cut
// off. `type` is one of enum ow_type (openwafer/tile/isa.h).
#ifndef OPENWAFER_TILE_DSR_H_
#define OPENWAFER_TILE_DSR_H_

#include <stdint.h>

#include "openwafer/tile/isa.h"
#ifdef __cplusplus
#define OW_DSR_CHECKED_(n, limit, text) ((uint32_t)(n))
#else
#include "openwafer/tile/check.h"
#define OW_DSR_CHECKED_(n, limit, text) OW_CHECKED(n, limit, text)
#endif

// In memory: words 0 to 5, aligned to 4 bytes.
struct ow_dsr_words {
  uint32_t kind;     // OW_WORD_MEM and so on, with flags
  uint32_t address;  // byte address; of a FIFO its base
  uint32_t dim[4];   // OW_WORD_DIM; 0: no such dimension
};

// ------------------------------------------------------------------------------- one word -------
#define OW_WORD_MEM(type) (OW_DSR0_KIND(OW_KIND_MEM) | OW_DSR0_TY(type))
#define OW_WORD_FABRIC_IN(type, queue) \
  (OW_DSR0_KIND(OW_KIND_FABRIC_IN) | OW_WORD_QUEUE_(type, queue))
#define OW_WORD_FABRIC_OUT(type, queue) \
  (OW_DSR0_KIND(OW_KIND_FABRIC_OUT) | OW_WORD_QUEUE_(type, queue))
#define OW_WORD_FIFO(type, fifo)                   \
  (OW_DSR0_KIND(OW_KIND_FIFO) | OW_DSR0_TY(type) | \
   OW_DSR0_QUEUE_NO(OW_DSR_CHECKED_(fifo, 3, "a FIFO register is 0 to 3")))
#define OW_WORD_QUEUE_(type, queue) \
  (OW_DSR0_TY(type) | OW_DSR0_QUEUE_NO(OW_DSR_CHECKED_(queue, 7, "a queue is 0 to 7")))

// Flags, combined with a kind by |.
// At completion the advanced address is written to the descriptor.
#define OW_SAVE_ADDRESS OW_DSR0_SAVE_ADDRESS(1)
// fabric out: append a control wavelet with these bits at the end
#define OW_CLOSE(stream_end, row_end)                                                    \
  (OW_DSR0_CLOSE(1) |                                                                    \
   OW_DSR0_CLOSE_ROW_END(OW_DSR_CHECKED_(row_end, 1, "row_end of OW_CLOSE is 0 or 1")) | \
   OW_DSR0_CLOSE_STREAM_END(OW_DSR_CHECKED_(stream_end, 1, "stream_end of OW_CLOSE is 0 or 1")))
// fabric out: zeros (also -0) are not sent
#define OW_SKIP_ZEROS OW_DSR0_SKIP(1)
// fabric: a wavelet is an index (high half) and a 16-bit value. Out: the index of the element. In:
// the element goes to the destination's address + index * its step_0.
#define OW_TAGGED OW_DSR0_TAG(1)

// Byte address of fp32 word n of the accumulator cache.
#define OW_ACC_ADDR(n) ((1u << OW_ACC_ADDR_BIT) + 4u * (n))

// A dimension. `step` is the hardware's: of dimension k > 0 it is added each time the dimensions
// below have come to their end.
#define OW_WORD_DIM(length, step)                                                               \
  (OW_DIM_LENGTH(OW_DSR_CHECKED_(length, 0xFFFF, "the length of a dimension is 0 to 65,535")) | \
   OW_WORD_STEP_(step))
// The same with at least one element.
#define OW_WORD_MEM_DIM_(length, step)                                                             \
  (OW_DIM_LENGTH(OW_DSR_CHECKED_((length)-1, 0xFFFE, "the length of a dimension is 1 to 65,535") + \
                 1) |                                                                              \
   OW_WORD_STEP_(step))
#define OW_WORD_STEP_(step)                                                                 \
  OW_DIM_STEP(OW_DSR_CHECKED_((int32_t)(step) + 0x8000, 0xFFFF,                             \
                              "a step (a stride less what the dimensions below walked) is " \
                              "-32,768 to 32,767 bytes") -                                  \
              0x8000u)

// -------------------------------------------------------------------------- whole descriptors ----
#define OW_WORDS(kind, addr, dim0, dim1, dim2, dim3)             \
  {                                                              \
    (kind), (uint32_t)(addr), { (dim0), (dim1), (dim2), (dim3) } \
  }

// Memory of one to four dimensions. A stride is the distance in bytes between elements whose index
// in that dimension differs by one.
#define OW_WORDS_MEM1(type, addr, len0, stride0) \
  OW_WORDS(OW_WORD_MEM(type), addr, OW_WORD_MEM_DIM_(len0, stride0), 0, 0, 0)
#define OW_WORDS_MEM2(type, addr, len0, stride0, len1, stride1)      \
  OW_WORDS(OW_WORD_MEM(type), addr, OW_WORD_MEM_DIM_(len0, stride0), \
           OW_WORD_OUTER_(len1, stride1, len0, stride0), 0, 0)
#define OW_WORDS_MEM3(type, addr, len0, stride0, len1, stride1, len2, stride2) \
  OW_WORDS(OW_WORD_MEM(type), addr, OW_WORD_MEM_DIM_(len0, stride0),           \
           OW_WORD_OUTER_(len1, stride1, len0, stride0),                       \
           OW_WORD_OUTER_(len2, stride2, len1, stride1), 0)
#define OW_WORDS_MEM4(type, addr, len0, stride0, len1, stride1, len2, stride2, len3, stride3) \
  OW_WORDS(OW_WORD_MEM(type), addr, OW_WORD_MEM_DIM_(len0, stride0),                          \
           OW_WORD_OUTER_(len1, stride1, len0, stride0),                                      \
           OW_WORD_OUTER_(len2, stride2, len1, stride1),                                      \
           OW_WORD_OUTER_(len3, stride3, len2, stride2))
#define OW_WORD_OUTER_(length, stride, inner_length, inner_stride) \
  OW_WORD_MEM_DIM_(length, (int32_t)(stride) - (int32_t)(inner_length) * (int32_t)(inner_stride))

// Operand a of axpyw and dotw: `samples` consecutive 16-bit elements for each index, `pitch` bytes
// from one index to the next (the step of dimension 1).
#define OW_WORDS_INDEXED(type, addr, samples, indices, pitch)     \
  OW_WORDS(OW_WORD_MEM(type), addr, OW_WORD_MEM_DIM_(samples, 2), \
           OW_WORD_MEM_DIM_(indices, pitch), 0, 0)
// Operand b of dotw: as ow_dsr_vectors.
#define OW_WORDS_VECTORS(type, queue, vectors, pitch) \
  OW_WORDS(OW_WORD_FABRIC_IN(type, queue), 0, 0, OW_WORD_MEM_DIM_(vectors, pitch), 0, 0)

// The fabric. Length 0 of fabric in: until a control wavelet with the stream-end bit. `flags` of
// fabric in: OW_TAGGED or 0; of fabric out: OW_CLOSE(...), OW_SKIP_ZEROS, OW_TAGGED, or 0.
#define OW_WORDS_FABRIC_IN(type, queue, length, flags) \
  OW_WORDS(OW_WORD_FABRIC_IN(type, queue) | (flags), 0, OW_WORD_DIM(length, 0), 0, 0, 0)
#define OW_WORDS_FABRIC_OUT(type, queue, length, flags) \
  OW_WORDS(OW_WORD_FABRIC_OUT(type, queue) | (flags), 0, OW_WORD_DIM(length, 0), 0, 0, 0)

// A FIFO of `capacity` elements at `base`, in FIFO register `fifo` (0 to 3). To load it empties it.
#define OW_WORDS_FIFO(type, fifo, base, capacity) \
  OW_WORDS(OW_WORD_FIFO(type, fifo), base, OW_WORD_MEM_DIM_(capacity, 0), 0, 0, 0)

#endif  // OPENWAFER_TILE_DSR_H_
