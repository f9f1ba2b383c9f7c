// SPDX-License-Identifier: Apache-2.0
#include "tile_words.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ow {
namespace {

// The bits of bytes begin to end - 1 of a word.
uint32_t bytes_mask(size_t begin, size_t end) {
  const uint64_t below = (uint64_t{1} << (8 * end)) - 1;
  return static_cast<uint32_t>(below & ~((uint64_t{1} << (8 * begin)) - 1));
}

}  // namespace

TileWords::TileWords(uint32_t addr, size_t size, std::vector<Spread::Piece> pieces, size_t gap)
    : size_(size), pieces_(std::move(pieces)) {
  size_t end = 0;  // of the last span, in words of the array
  for (const Spread::Piece& piece : pieces_) {
    const size_t begin_byte = piece.at * size, end_byte = begin_byte + piece.count * size;
    const size_t first = begin_byte / 4, last = (end_byte + 3) / 4;
    if (spans_.empty() || first > end + gap) {
      spans_.push_back({addr + static_cast<uint32_t>(4 * first), 0});
      end = first;
    }
    if (last > end) {
      spans_.back().words += last - end;
      count_ += last - end;
      end = last;
    }
    const auto word = [&](size_t of_array) { return count_ - (end - of_array); };
    byte_.push_back(4 * word(first) + begin_byte % 4);
    const auto share_word = [&](size_t w) {
      const uint32_t mask =
          bytes_mask(std::max(begin_byte, 4 * w) - 4 * w, std::min(end_byte, 4 * w + 4) - 4 * w);
      if (mask != ~uint32_t{0}) share(addr + static_cast<uint32_t>(4 * w), word(w), mask);
    };
    share_word(first);
    if (last > first + 1) share_word(last - 1);
  }
}

// Pieces that fill a word together share it with nobody.
void TileWords::share(uint32_t addr, size_t word, uint32_t mask) {
  if (!shared_.empty() && shared_.back().word == word) {
    shared_.back().mask |= mask;
    if (shared_.back().mask == ~uint32_t{0}) shared_.pop_back();
  } else {
    shared_.push_back({addr, word, mask});
  }
}

std::vector<uint32_t> TileWords::pack(const void* host) const {
  std::vector<uint32_t> words(count_, 0);
  auto* const bytes = reinterpret_cast<uint8_t*>(words.data());
  const auto* const from = static_cast<const uint8_t*>(host);
  for (size_t p = 0; p < pieces_.size(); ++p) {
    const Spread::Piece& piece = pieces_[p];
    if (piece.host == Spread::kNone) continue;
    uint8_t* to = bytes + byte_[p];
    for (size_t i = 0; i < piece.count; ++i, to += size_) {
      std::memcpy(to, from + (piece.host + i * piece.step) * size_, size_);
    }
  }
  return words;
}

void TileWords::unpack(const std::vector<uint32_t>& words, void* host) const {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(words.data());
  auto* const to = static_cast<uint8_t*>(host);
  for (size_t p = 0; p < pieces_.size(); ++p) {
    const Spread::Piece& piece = pieces_[p];
    if (piece.host == Spread::kNone) continue;
    const uint8_t* from = bytes + byte_[p];
    for (size_t i = 0; i < piece.count; ++i, from += size_) {
      std::memcpy(to + (piece.host + i * piece.step) * size_, from, size_);
    }
  }
}

std::vector<Bulk::Span> TileWords::whole_spans(std::vector<uint32_t>* words) const {
  if (shared_.empty()) return spans_;
  std::vector<Bulk::Span> spans;
  std::vector<uint32_t> kept;
  size_t word = 0;
  auto shared = shared_.begin();
  for (const Bulk::Span& span : spans_) {
    bool open = false;
    for (size_t i = 0; i < span.words; ++i, ++word) {
      if (shared != shared_.end() && shared->word == word) {
        ++shared;
        open = false;
        continue;
      }
      if (!open) spans.push_back({span.addr + static_cast<uint32_t>(4 * i), 0});
      open = true;
      ++spans.back().words;
      kept.push_back((*words)[word]);
    }
  }
  *words = std::move(kept);
  return spans;
}

}  // namespace ow
