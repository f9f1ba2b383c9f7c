// SPDX-License-Identifier: Apache-2.0
// Turns values into wavelets. A stream spends most of its time here.
#ifndef OW_MEMORYX_COMPRESS_H_
#define OW_MEMORYX_COMPRESS_H_

#include <cstddef>
#include <cstdint>

#include "openwafer/grid.h"

namespace ow::memoryx {

constexpr uint32_t kIndexStep = 0x10000;  // the index is the upper half of a wavelet's data

// What is sent: all values, the values that are not zero, or the positions without values.
enum class Sent { All, NotZero, Positions };

// Writes the wavelets of the values that are sent, with places[i] as the index of value i, and
// returns their number. `out` has room for all values.
size_t compress(Sent sent, const uint16_t* values, const uint32_t* places, size_t count,
                Wavelet* out);

// The room of each grid row in the output of `deal`.
inline size_t dealt_size(size_t count, size_t rows) { return (count + rows - 1) / rows; }

// Deals values row, row + rows, ... to each grid row. Those of a row begin at out + row *
// dealt_size(count, rows).
void deal(const uint16_t* values, size_t count, size_t rows, uint16_t* out);

// Counts the control wavelets.
size_t control_wavelets(const Wavelet* wavelets, size_t count);

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_COMPRESS_H_
