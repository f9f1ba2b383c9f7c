// SPDX-License-Identifier: Apache-2.0
// The writer of the format of openwafer/tile/spmv.h: orders rows, cuts them into parts, and lays
// out each part as slices of segments.
#include "openwafer/sparse.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "openwafer/error.h"
#include "openwafer/tile/spmv.h"
#include "ow/isa/isa.h"

namespace ow {
namespace {

// An entry as the tile has it.
struct Entry {
  uint32_t index;  // in x
  uint32_t bits;   // of the value
};
using Piece = std::vector<Entry>;  // entries that are added up in this order

// Words 2 and 3 of a descriptor.
uint32_t dim(uint32_t length, uint32_t step) {
  return isa::DsrDim::Length::put(length) | isa::DsrDim::Step::put(step);
}

constexpr uint32_t kSlice = OW_SPMV_SLICE;
constexpr uint32_t kStreams = OW_SPMV_STREAMS;
constexpr uint32_t kLongRow = 32;  // entries from which a row has slices of its own

// Costs in cycles that decide how diagonals are joined into segments.
constexpr double kLaunch = 20;

struct Shape {
  uint32_t width;  // entries a beat
  double beat;     // cycles a beat
  uint32_t value_bytes;
  uint32_t per_word;  // elements of x in a bank's word
};

Shape shape_of(ElementType type) {
  if (type == ElementType::F32) return {2, 1.05, 4, 2};
  return {8, 1.8, 2, 4};
}

// Orders the entries of up to `width` pieces that share beats so that the elements of x that a beat
// gathers lie in different banks, or in the same word.
void spread_over_banks(std::vector<Piece*>& pieces, const Shape& shape) {
  std::vector<Piece> left;
  size_t longest = 0;
  for (Piece* p : pieces) {
    left.push_back(*p);
    longest = std::max(longest, p->size());
    p->clear();
  }
  std::vector<size_t> lanes(left.size());
  for (size_t d = 0; d < longest; ++d) {
    std::set<uint32_t> taken;
    uint32_t load[8] = {};
    std::iota(lanes.begin(), lanes.end(), size_t{0});
    std::stable_sort(lanes.begin(), lanes.end(),
                     [&](size_t a, size_t b) { return left[a].size() < left[b].size(); });
    for (const size_t lane : lanes) {
      Piece& from = left[lane];
      if (from.empty()) continue;
      size_t best = 0;
      uint32_t best_cost = ~0u;
      for (size_t k = 0; k < from.size(); ++k) {
        const uint32_t word = from[k].index / shape.per_word;
        const uint32_t cost = taken.count(word) != 0 ? 0 : 1 + load[word % 8];
        if (cost < best_cost) {
          best_cost = cost;
          best = k;
        }
      }
      const uint32_t word = from[best].index / shape.per_word;
      if (taken.insert(word).second) ++load[word % 8];
      pieces[lane]->push_back(from[best]);
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(best));
    }
  }
}

// Joins diagonals (counts not ascending) into segments (pieces, diagonals) at the least cost.
std::vector<std::pair<uint32_t, uint32_t>> join(const std::vector<uint32_t>& counts,
                                                const Shape& shape) {
  const size_t n = counts.size();
  std::vector<double> cost(n + 1, 0);
  std::vector<size_t> end(n + 1, n);
  for (size_t i = n; i-- > 0;) {
    cost[i] = 1e30;
    const double beats = std::ceil(static_cast<double>(counts[i]) / shape.width) * shape.beat;
    for (size_t j = i + 1; j <= n; ++j) {
      const double c = std::max(kLaunch, beats * static_cast<double>(j - i)) + 2 + cost[j];
      if (c < cost[i]) {
        cost[i] = c;
        end[i] = j;
      }
    }
  }
  std::vector<std::pair<uint32_t, uint32_t>> out;
  for (size_t i = 0; i < n; i = end[i]) {
    out.emplace_back(counts[i], static_cast<uint32_t>(end[i] - i));
  }
  return out;
}

// A slice: up to kSlice rows, or the pieces of one long row.
struct Slice {
  bool long_row = false;
  uint32_t pieces = 0;
  std::vector<std::pair<uint32_t, uint32_t>> segments;
  Piece stream;       // by diagonals, with padding
  uint32_t rows = 0;  // elements of y
  size_t entries = 0;
};

// A slice from its pieces, longest first.
Slice lay_out(std::vector<Piece> pieces, bool long_row, const Shape& shape) {
  Slice slice;
  slice.rows = long_row ? 1 : static_cast<uint32_t>(pieces.size());
  for (const auto& p : pieces) slice.entries += p.size();
  for (size_t first = 0; first < pieces.size(); first += shape.width) {
    std::vector<Piece*> group;
    for (size_t k = first; k < std::min<size_t>(pieces.size(), first + shape.width); ++k) {
      group.push_back(&pieces[k]);
    }
    spread_over_banks(group, shape);
  }
  std::vector<uint32_t> counts;
  for (size_t d = 0; d < std::max<size_t>(pieces[0].size(), 1); ++d) {
    uint32_t count = 0;
    while (count < pieces.size() && pieces[count].size() > d) ++count;
    counts.push_back(d == 0 ? static_cast<uint32_t>(pieces.size()) : count);
  }
  slice.segments = join(counts, shape);
  size_t d = 0;
  for (const auto& [width, diagonals] : slice.segments) {
    for (uint32_t k = 0; k < diagonals; ++k, ++d) {
      for (uint32_t p = 0; p < width; ++p) {
        // Padding takes an element of x that a neighbour takes anyway.
        if (pieces[p].size() <= d) {
          const uint32_t near = d < pieces[0].size() ? pieces[0][d].index : 0;
          pieces[p].push_back({near, 0});
        }
        slice.stream.push_back(pieces[p][d]);
      }
    }
  }
  slice.long_row = long_row;
  slice.pieces = static_cast<uint32_t>(pieces.size());
  return slice;
}

uint32_t image_bytes(const std::vector<Slice>& slices, const Shape& shape) {
  size_t entries = 0;
  size_t words = sizeof(ow_spmv_head) / 4;
  for (size_t s = 0; s < slices.size(); s += kStreams) {
    size_t segments = 1;
    for (size_t k = s; k < std::min(slices.size(), s + kStreams); ++k) {
      segments = std::max(segments, slices[k].segments.size());
    }
    words += kStreams * (sizeof(ow_spmv_slice) + segments * sizeof(ow_spmv_segment)) / 4;
  }
  for (const Slice& l : slices) entries += l.stream.size();
  return static_cast<uint32_t>(4 * words + entries * (shape.value_bytes + 2) +
                               2 * kStreams * (64 + 48));
}

void set_bytes(std::vector<uint32_t>* words, uint32_t byte, uint32_t bytes, uint32_t value) {
  if (byte / 4 >= words->size()) words->resize(byte / 4 + 1, 0);
  const uint32_t mask = bytes == 4 ? ~0u : 0xFFFFu << (8 * (byte % 4));
  uint32_t& w = (*words)[byte / 4];
  w = (w & ~mask) | (value << (8 * (byte % 4)) & mask);
}

// The image of a part. Addresses in it count from its beginning.
SpmvPart make_image(const std::vector<Slice>& slices, const Shape& shape) {
  SpmvPart part;
  const uint32_t rounds = static_cast<uint32_t>((slices.size() + kStreams - 1) / kStreams);
  std::vector<uint32_t> table;
  Piece stream[kStreams];
  uint32_t y = 0;
  for (uint32_t r = 0; r < rounds; ++r) {
    const Slice* side[kStreams];
    size_t segments = 0;
    for (uint32_t h = 0; h < kStreams; ++h) {
      const size_t k = size_t{r} * kStreams + h;
      side[h] = k < slices.size() ? &slices[k] : nullptr;
      if (side[h] != nullptr) segments = std::max(segments, side[h]->segments.size());
    }
    segments = std::max<size_t>(segments, 1);
    for (uint32_t h = 0; h < kStreams; ++h) {
      const Slice* l = side[h];
      const uint32_t pieces = l == nullptr ? 0 : l->pieces;
      table.push_back(pieces == 0 ? 0 : dim(pieces, 4));
      table.push_back(dim(l == nullptr ? 0 : l->rows, shape.value_bytes));
      table.push_back(y * shape.value_bytes);
      table.push_back(l != nullptr && l->long_row ? 1 : 0);
      table.push_back(static_cast<uint32_t>(segments));
      if (l == nullptr) continue;
      y += l->rows;
      part.entries += l->entries;
      part.padding += l->stream.size() - l->entries;
      stream[h].insert(stream[h].end(), l->stream.begin(), l->stream.end());
    }
    for (size_t k = 0; k < segments; ++k) {
      for (const Slice* l : side) {
        if (l == nullptr || k >= l->segments.size()) {
          table.push_back(0);
          table.push_back(0);
        } else {
          const auto [width, diagonals] = l->segments[k];
          table.push_back(dim(width, 4));
          table.push_back(dim(diagonals, 0u - width * 4));
        }
      }
    }
  }
  part.rows = y;
  // Values and indices of the streams start in different slots of 16 bytes of a line of 64.
  const auto align = [](uint32_t a, uint32_t slot) { return ((a + 63) & ~63u) + 16 * slot; };
  ow_spmv_head head{};
  head.rounds = rounds;
  uint32_t at = static_cast<uint32_t>(sizeof head + 4 * table.size());
  for (uint32_t h = 0; h < kStreams; ++h) {
    const uint32_t n = static_cast<uint32_t>(stream[h].size());
    const uint32_t values = align(at, h);
    const uint32_t indices = align(values + n * shape.value_bytes, (h + 2) % 4);
    at = indices + 2 * n;
    for (uint32_t k = 0; k < n; ++k) {
      set_bytes(&part.words, values + k * shape.value_bytes, shape.value_bytes, stream[h][k].bits);
      set_bytes(&part.words, indices + 2 * k, 2, stream[h][k].index);
    }
    head.values[h] = values;
    head.indices[h] = indices;
  }
  part.words.resize(std::max<size_t>(part.words.size(), (at + 3) / 4), 0);
  std::memcpy(part.words.data(), &head, sizeof head);
  std::copy(table.begin(), table.end(), part.words.begin() + sizeof head / 4);
  return part;
}

uint32_t encode(ElementType type, double v) {
  if (type == ElementType::F16) return to_half(HalfType::Binary16, v);
  const float f = static_cast<float>(v);
  uint32_t bits = 0;
  static_assert(sizeof f == sizeof bits, "float has 32 bits");
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}

void check_matrix(const CsrMatrix& m) {
  const auto refuse = [](const std::string& what) { throw BadInput("sparse matrix: " + what); };
  if (m.rows == 0 || m.cols == 0) refuse(fmt::format("{} x {} is empty", m.rows, m.cols));
  if (m.cols > 65536) refuse(fmt::format("{} columns: must be at most 65,536", m.cols));
  if (m.row_start.size() != size_t{m.rows} + 1) {
    refuse(fmt::format("{} starts of {} rows: must be {}", m.row_start.size(), m.rows, m.rows + 1));
  }
  if (m.column.size() != m.value.size()) {
    refuse(fmt::format("{} columns of entries and {} values", m.column.size(), m.value.size()));
  }
  if (m.row_start.front() != 0 || m.row_start.back() != m.column.size() ||
      !std::is_sorted(m.row_start.begin(), m.row_start.end())) {
    refuse(fmt::format("starts of rows must ascend from 0 to {}", m.column.size()));
  }
  for (size_t k = 0; k < m.column.size(); ++k) {
    if (m.column[k] >= m.cols) {
      refuse(fmt::format("entry {} has column {} of {}", k, m.column[k], m.cols));
    }
    if (!std::isfinite(m.value[k])) refuse(fmt::format("entry {} is not finite", k));
  }
}

// Cuts the rows of a matrix, longest first, into parts.
class Planner {
 public:
  Planner(const CsrMatrix& matrix, ElementType type, const SpmvRoom& room)
      : matrix_(matrix), shape_(shape_of(type)), room_(room) {
    plan_.type = type;
  }

  SpmvPlan plan() {
    choose_scale();
    choose_order();
    while (position_ < matrix_.rows) plan_.parts.push_back(next_part());
    return std::move(plan_);
  }

 private:
  void choose_scale() {
    double largest = 0;
    for (const double v : matrix_.value) largest = std::max(largest, std::abs(v));
    if (largest > 0) plan_.scale = std::exp2(std::floor(-std::log2(largest)));
  }

  // x in the order of the rows, if that makes sense.
  void choose_order() {
    std::vector<uint32_t>& order = plan_.row_order;
    order.resize(matrix_.rows);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return row_length(a) > row_length(b); });
    plan_.x_position.resize(matrix_.cols);
    std::iota(plan_.x_position.begin(), plan_.x_position.end(), 0u);
    if (matrix_.rows != matrix_.cols) return;
    for (uint32_t k = 0; k < matrix_.rows; ++k) plan_.x_position[order[k]] = k;
  }

  size_t row_length(uint32_t row) const {
    return matrix_.row_start[row + 1] - matrix_.row_start[row];
  }
  size_t length(uint32_t position) const { return row_length(plan_.row_order[position]); }
  Piece entries(uint32_t position) const {
    const uint32_t row = plan_.row_order[position];
    Piece out;
    for (size_t k = matrix_.row_start[row]; k < matrix_.row_start[row + 1]; ++k) {
      out.push_back({plan_.x_position[matrix_.column[k]],
                     encode(plan_.type, matrix_.value[k] * plan_.scale)});
    }
    return out;
  }
  Slice long_row(uint32_t position) const {
    const Piece row = entries(position);
    std::vector<Piece> pieces(kSlice);
    for (size_t k = 0; k < row.size(); ++k) pieces[k % kSlice].push_back(row[k]);
    return lay_out(std::move(pieces), true, shape_);
  }
  Slice slice(uint32_t first, uint32_t rows) const {
    std::vector<Piece> pieces;
    for (uint32_t k = first; k < first + rows; ++k) pieces.push_back(entries(k));
    return lay_out(std::move(pieces), false, shape_);
  }
  bool fits(const std::vector<Slice>& slices) const {
    uint64_t rows = 0, y_elements = 0;
    for (const Slice& l : slices) {
      rows += l.rows;
      y_elements += (l.rows + 3) & ~3u;
    }
    const uint64_t image = image_bytes(slices, shape_);
    return rows <= room_.rows && image <= room_.image_bytes &&
           image + y_elements * shape_.value_bytes <= room_.bytes;
  }

  SpmvPart next_part() {
    const uint32_t first_row = position_;
    std::vector<Slice> slices;
    if (take_long_rows(&slices)) take_short_rows(&slices);
    if (position_ == first_row) {
      throw BadInput(
          fmt::format("sparse matrix: row {} has {} entries, more than the room for a part",
                      plan_.row_order[position_], length(position_)));
    }
    SpmvPart part = make_image(slices, shape_);
    part.first_row = first_row;
    return part;
  }

  // False if the part is full.
  bool take_long_rows(std::vector<Slice>* slices) {
    while (position_ < matrix_.rows && length(position_) >= kLongRow) {
      slices->push_back(long_row(position_));
      if (!fits(*slices)) {
        slices->pop_back();
        return false;
      }
      ++position_;
    }
    return true;
  }

  // As many as fit, in slices of about the same size.
  void take_short_rows(std::vector<Slice>* slices) {
    for (uint32_t rows = most_rows(*slices); rows != 0; rows -= std::min(rows, shape_.width)) {
      std::vector<Slice> with = with_rows(*slices, rows);
      if (!fits(with)) continue;
      *slices = std::move(with);
      position_ += rows;
      break;
    }
  }

  // More than these do not fit, however they are laid.
  uint32_t most_rows(const std::vector<Slice>& slices) const {
    const uint64_t image = image_bytes(slices, shape_);
    uint64_t entries = 0;
    uint32_t rows = 0;
    while (position_ + rows < matrix_.rows && rows < room_.rows) {
      entries += length(position_ + rows);
      const uint64_t bytes = image + entries * (shape_.value_bytes + 2);
      const uint64_t y_bytes = uint64_t{rows + 1} * shape_.value_bytes;
      if (bytes > room_.image_bytes || bytes + y_bytes > room_.bytes) break;
      ++rows;
    }
    return rows;
  }

  // These slices and the next rows, with as many slices for A as for B.
  std::vector<Slice> with_rows(const std::vector<Slice>& slices, uint32_t rows) const {
    std::vector<Slice> with = slices;
    uint32_t n = (rows + kSlice - 1) / kSlice;
    if ((slices.size() + n) % 2 != 0 && rows >= 2 * kSlice) ++n;
    for (uint32_t k = 0, at = position_; k < n; ++k) {
      uint32_t size = (position_ + rows - at + n - k - 1) / (n - k);
      size = std::min({(size + 7) / 8 * 8, kSlice, position_ + rows - at});
      if (size == 0) break;
      with.push_back(slice(at, size));
      at += size;
    }
    return with;
  }

  const CsrMatrix& matrix_;
  const Shape shape_;
  const SpmvRoom room_;
  SpmvPlan plan_;
  uint32_t position_ = 0;  // of the first row that is in no part yet
};

}  // namespace

std::vector<uint32_t> SpmvPart::image(size_t size) const {
  if (words.size() > size) {
    throw BadInput(
        fmt::format("sparse matrix: a part of {} words for an array of {}", words.size(), size));
  }
  std::vector<uint32_t> array = words;
  array.resize(size, 0);
  return array;
}

SpmvPlan pack_spmv(const CsrMatrix& matrix, ElementType type, const SpmvRoom& room) {
  if (type != ElementType::F16 && type != ElementType::F32) {
    throw BadInput(
        fmt::format("sparse matrix: elements are {}, must be f16 or f32", element_name(type)));
  }
  check_matrix(matrix);
  return Planner(matrix, type, room).plan();
}

}  // namespace ow
