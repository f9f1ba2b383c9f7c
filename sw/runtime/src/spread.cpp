// SPDX-License-Identifier: Apache-2.0
#include "spread.h"

#include <fmt/format.h>

#include <algorithm>

#include "openwafer/error.h"

namespace ow {

Spread::Spread(const ElfExport& array, const Rect& rect, const Mapping& mapping)
    : rect_(rect), mapping_(mapping), dims_(array.dims) {
  const int n = static_cast<int>(dims_.size());
  const std::string what = fmt::format("{} {}: ", array.name, array.shape());
  if (mapping.row_dim >= n || mapping.col_dim >= n || mapping.row_dim < -1 ||
      mapping.col_dim < -1) {
    throw BadInput(fmt::format("{}the mapping names dimensions {} and {} of {}", what,
                               mapping.row_dim, mapping.col_dim, n));
  }
  if (mapping.row_dim >= 0 && mapping.row_dim == mapping.col_dim &&
      mapping.by_row != mapping.by_col) {
    throw BadInput(
        fmt::format("{}dimension {} runs over rows and columns: both are blocks or both "
                    "are cyclic",
                    what, mapping.row_dim));
  }
  for (int d = 0; d < n; ++d) {
    host_.push_back(size_t{dims_[static_cast<size_t>(d)]} * tiles_of(d));
  }
  if (!mapping.shape.empty()) {
    if (mapping.shape.size() != host_.size()) {
      throw BadInput(
          fmt::format("{}the mapping's shape has {} dimensions", what, mapping.shape.size()));
    }
    for (size_t d = 0; d < host_.size(); ++d) {
      if (mapping.shape[d] < 1 || mapping.shape[d] > host_[d]) {
        throw BadInput(
            fmt::format("{}{} along dimension {} of the mapping's shape: must be 1 to {}", what,
                        mapping.shape[d], d, host_[d]));
      }
    }
    host_ = mapping.shape;
  }
  take_slices(what);
}

void Spread::take_slices(const std::string& what) {
  for (const size_t length : host_) part_.push_back({0, length});
  std::vector<bool> taken(host_.size(), false);
  for (const Mapping::Slice& s : mapping_.slices) {
    if (s.dim < 0 || s.dim >= static_cast<int>(host_.size())) {
      throw BadInput(fmt::format("{}a slice names dimension {} of {}", what, s.dim, host_.size()));
    }
    const auto d = static_cast<size_t>(s.dim);
    if (s.count == 0 || s.first >= host_[d] || s.count > host_[d] - s.first) {
      throw BadInput(fmt::format("{}slice of {} elements from {} along dimension {}: {} long there",
                                 what, s.count, s.first, s.dim, host_[d]));
    }
    if (taken[d]) throw BadInput(fmt::format("{}two slices along dimension {}", what, s.dim));
    taken[d] = true;
    part_[d] = {s.first, s.count};
  }
}

uint32_t Spread::tiles_of(int dim) const {
  return (dim == mapping_.row_dim ? static_cast<uint32_t>(rect_.rows) : 1) *
         (dim == mapping_.col_dim ? static_cast<uint32_t>(rect_.cols) : 1);
}

size_t Spread::size() const {
  size_t n = mapping_.each ? static_cast<size_t>(rect_.rows) * static_cast<size_t>(rect_.cols) : 1;
  for (const Range& range : part_) n *= range.count;
  return n;
}

// If a dimension runs over both, tiles are numbered row by row.
Spread::Local Spread::local(int dim, int r, int c) const {
  const bool by_row = dim == mapping_.row_dim;
  const bool by_col = dim == mapping_.col_dim;
  const size_t tile = by_row && by_col ? static_cast<size_t>(r) * static_cast<size_t>(rect_.cols) +
                                             static_cast<size_t>(c)
                      : by_row ? static_cast<size_t>(r)
                      : by_col ? static_cast<size_t>(c)
                               : 0;
  const Distribution how = by_row ? mapping_.by_row : mapping_.by_col;
  const size_t length = dims_[static_cast<size_t>(dim)];
  const bool cyclic = how == Distribution::Cyclic && (by_row || by_col);
  // Index i of the tile is index first + i * step of the host.
  const size_t step = cyclic ? tiles_of(dim) : 1;
  const size_t first = cyclic ? tile : tile * length;
  const Range& range = part_[static_cast<size_t>(dim)];
  const auto before = [&](size_t host) {  // indices of the tile below that of the host
    return host <= first ? 0 : std::min(length, (host - first + step - 1) / step);
  };
  Local local;
  local.begin = before(range.first);
  local.end = before(range.first + range.count);
  local.all = mapping_.slices.empty() ? length : local.end;
  local.host = first + local.begin * step - range.first;
  local.step = step;
  return local;
}

std::vector<Spread::Piece> Spread::of(int r, int c) const {
  const size_t n = dims_.size();
  std::vector<Local> locals;
  for (size_t d = 0; d < n; ++d) {
    locals.push_back(local(static_cast<int>(d), r, c));
    if (locals[d].begin == locals[d].all) return {};
  }
  const size_t tile =
      static_cast<size_t>(r) * static_cast<size_t>(rect_.cols) + static_cast<size_t>(c);
  const size_t tiles = static_cast<size_t>(rect_.rows) * static_cast<size_t>(rect_.cols);
  const size_t base = mapping_.each ? tile * (size() / tiles) : 0;
  std::vector<Piece> pieces;
  const auto add = [&pieces](const Piece& p) {
    if (p.count == 0) return;
    if (!pieces.empty()) {
      Piece& last = pieces.back();
      const bool none = p.host == kNone && last.host == kNone;
      const bool next =
          last.host != kNone && p.host == last.host + last.count * last.step && p.step == last.step;
      if (p.at == last.at + last.count && (none || next)) {
        last.count += p.count;
        return;
      }
    }
    pieces.push_back(p);
  };
  if (n == 0) {
    add({0, 1, base, 1});
    return pieces;
  }
  // A row along the last dimension for each index of the others.
  std::vector<size_t> index;
  for (const Local& l : locals) index.push_back(l.begin);
  const Local& last = locals.back();
  for (;;) {
    size_t at = 0, host = 0;
    bool there = true;
    for (size_t d = 0; d < n; ++d) {
      const Local& l = locals[d];
      at = at * dims_[d] + index[d];
      host = host * part_[d].count + l.host + (index[d] - l.begin) * l.step;
      there = there && (d + 1 == n || index[d] < l.end);
    }
    const size_t count = there ? last.end - last.begin : 0;
    add({at, count, base + host, last.step});
    add({at + count, last.all - last.begin - count, kNone, 1});
    size_t d = n - 1;
    while (d > 0 && ++index[d - 1] == locals[d - 1].all) {
      index[d - 1] = locals[d - 1].begin;
      --d;
    }
    if (d == 0) return pieces;
  }
}

}  // namespace ow
