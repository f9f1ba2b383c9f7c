// SPDX-License-Identifier: Apache-2.0
// The 32-bit words of a tile's memory that a copy needs, and where its elements are in them.
#ifndef OW_SRC_TILE_WORDS_H_
#define OW_SRC_TILE_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/device/bulk.h"
#include "spread.h"

namespace ow {

class TileWords {
 public:
  // Pieces, ascending, of an array at `addr` (a multiple of 4) with elements of `size` bytes. Gaps
  // of at most `gap` words between pieces are part of the copy.
  TileWords(uint32_t addr, size_t size, std::vector<Spread::Piece> pieces, size_t gap);

  const std::vector<Bulk::Span>& spans() const { return spans_; }
  size_t count() const { return count_; }  // words of all spans
  // Between these words and the host's array. Words of a write are 0 where no element is.
  std::vector<uint32_t> pack(const void* host) const;
  void unpack(const std::vector<uint32_t>& words, void* host) const;

  // Words that hold other bytes too. `mask`: the bits of the pieces.
  struct Shared {
    uint32_t addr = 0;
    size_t word = 0;  // of `count()`
    uint32_t mask = 0;
  };
  const std::vector<Shared>& shared() const { return shared_; }
  // Takes the shared words out of spans and words.
  std::vector<Bulk::Span> whole_spans(std::vector<uint32_t>* words) const;

 private:
  void share(uint32_t addr, size_t word, uint32_t mask);

  size_t size_;
  std::vector<Spread::Piece> pieces_;
  std::vector<size_t> byte_;  // of the words: where each piece begins
  std::vector<Bulk::Span> spans_;
  size_t count_ = 0;
  std::vector<Shared> shared_;
};

}  // namespace ow

#endif  // OW_SRC_TILE_WORDS_H_
