// SPDX-License-Identifier: Apache-2.0
// Values into wavelets: what a stream takes most of its time for.
#ifndef OW_MEMORYX_COMPRESS_H_
#define OW_MEMORYX_COMPRESS_H_

#include <cstddef>
#include <cstdint>

#include "openwafer/grid.h"

namespace ow::memoryx {

constexpr uint32_t kIndexStep = 0x10000;  // the index is the upper half of a wavelet's data

// What is sent: all values or those that are not zero, with their values or their index alone.
enum class Sent { All, NotZero, Positions };

// Wavelets of the values that are sent, with places[i] as index of value i; returns how many. `out`
// has room for all.
size_t compress(Sent sent, const uint16_t* values, const uint32_t* places, size_t count,
                uint8_t colour, Wavelet* out);

// Where the values of a grid row stand after `deal`: each has room for so many.
inline size_t dealt_size(size_t count, size_t rows) { return (count + rows - 1) / rows; }

// Values row, row + rows, ... for each grid row behind each other: those of a row begin at
// out + row * dealt_size(count, rows).
void deal(const uint16_t* values, size_t count, size_t rows, uint16_t* out);

// How many control wavelets are among some.
size_t control_wavelets(const Wavelet* wavelets, size_t count);

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_COMPRESS_H_
