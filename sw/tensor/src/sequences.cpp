// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/sequences.h"

#include <algorithm>
#include <map>
#include <set>

namespace ow {
namespace {

// Tokens `first` to `first + count`; the last one is only a target.
struct Piece {
  size_t first, count;
};

size_t groups_of(const Piece& piece) { return (piece.count + kSlotGroup - 1) / kSlotGroup; }

// What a document of tokens `first` to `last` gives.
void cut(size_t first, size_t last, size_t length, std::vector<Piece>* pieces) {
  for (; first < last; first += length) pieces->push_back({first, std::min(length, last - first)});
}

// The pieces of each sample.
std::vector<std::vector<Piece>> first_fit(std::vector<Piece> pieces, size_t length) {
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return groups_of(a) > groups_of(b); });
  std::vector<std::vector<Piece>> samples;
  std::map<size_t, std::set<size_t>> room;  // samples by their free groups
  for (const Piece& piece : pieces) {
    size_t sample = samples.size();
    auto free = room.end();
    for (auto at = room.lower_bound(groups_of(piece)); at != room.end(); ++at) {
      if (*at->second.begin() >= sample) continue;
      sample = *at->second.begin();
      free = at;
    }
    size_t left = length / kSlotGroup;
    if (free == room.end()) {
      samples.emplace_back();
    } else {
      left = free->first;
      free->second.erase(sample);
      if (free->second.empty()) room.erase(free);
    }
    samples[sample].push_back(piece);
    left -= groups_of(piece);
    if (left > 0) room[left].insert(sample);
  }
  return samples;
}

}  // namespace

Sequences pack_sequences(const std::vector<int>& ids, std::optional<int> end, int length) {
  const auto slots = static_cast<size_t>(length);
  std::vector<Piece> pieces;
  size_t first = 0;
  for (size_t n = 0; end && n < ids.size(); ++n) {
    if (ids[n] != *end && n + 1 < ids.size()) continue;
    cut(first, n, slots, &pieces);
    first = n + 1;
  }
  if (!end && ids.size() > slots) cut(0, (ids.size() - 1) / slots * slots, slots, &pieces);

  Sequences out;
  for (const std::vector<Piece>& sample : first_fit(std::move(pieces), slots)) {
    const size_t begin = out.ids.size();
    for (const Piece& piece : sample) {
      const auto start = static_cast<int>(out.ids.size() - begin);
      const auto from = ids.begin() + static_cast<std::ptrdiff_t>(piece.first);
      const auto count = static_cast<std::ptrdiff_t>(piece.count);
      const size_t whole = out.ids.size() + groups_of(piece) * kSlotGroup;
      out.ids.insert(out.ids.end(), from, from + count);
      out.targets.insert(out.targets.end(), from + 1, from + 1 + count);
      out.ids.resize(whole, kNoToken);
      out.targets.resize(whole, kNoToken);
      out.starts.resize(whole, start);
    }
    out.ids.resize(begin + slots, kNoToken);
    out.targets.resize(begin + slots, kNoToken);
    while (out.starts.size() < out.ids.size()) {  // empty groups
      out.starts.resize(out.starts.size() + kSlotGroup,
                        static_cast<int>(out.starts.size() - begin));
    }
  }
  return out;
}

}  // namespace ow
