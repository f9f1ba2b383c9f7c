// SPDX-License-Identifier: Apache-2.0
#include "tile_blocks.h"

#include <cstring>

#include "ow/tensor/distribution.h"

namespace ow::jobs {
uint32_t float_bits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

std::vector<uint32_t> pack_block(const Activations& x, int rows, int samples, int row, int col) {
  const int local = owned_elements(x.features, row, rows);
  std::vector<uint32_t> words(static_cast<size_t>(local) * static_cast<size_t>(samples) / 2, 0);
  for (int l = 0; l < local; ++l) {
    for (int s = 0; s < samples; ++s) {
      const int sample = col * samples + s;
      if (sample >= x.samples) break;
      const uint32_t value = x.at(l * rows + row, sample);
      words[static_cast<size_t>(l * samples + s) / 2] |= value << (16 * (s % 2));
    }
  }
  return words;
}

void unpack_block(const std::vector<uint32_t>& words, int rows, int samples, int row, int col,
                  Activations* y) {
  for (size_t w = 0; w < words.size(); ++w) {
    const int element = static_cast<int>(w) * 2;
    const int feature = element / samples * rows + row;
    const int sample = col * samples + element % samples;
    if (sample < y->samples) y->at(feature, sample) = static_cast<uint16_t>(words[w]);
    if (sample + 1 < y->samples) y->at(feature, sample + 1) = static_cast<uint16_t>(words[w] >> 16);
  }
}

}  // namespace ow::jobs
