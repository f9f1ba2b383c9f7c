// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/spmv_format.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "openwafer/tile/spmv.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/isa/isa.h"

namespace ow::bench {
namespace {

// Words 2 and 3 of a descriptor.
uint32_t dim(uint32_t length, uint32_t step) {
  return isa::DsrDim::Length::put(length) | isa::DsrDim::Step::put(step);
}

using golden::Type;
using golden::Weight;

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

Shape shape_of(Type type) {
  if (type == Type::F32) return {2, 1.05, 4, 2};
  return {8, 1.8, 2, 4};
}

// Orders the entries of up to `width` pieces that share beats so that the elements of x that a
// beat gathers lie in different banks, or in the same word.
void schedule(std::vector<std::vector<Weight>*>& pieces, const Shape& shape, uint32_t x_word) {
  std::vector<std::vector<Weight>> left;
  size_t longest = 0;
  for (std::vector<Weight>* p : pieces) {
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
      std::vector<Weight>& from = left[lane];
      if (from.empty()) continue;
      size_t best = 0;
      uint32_t best_cost = ~0u;
      for (size_t k = 0; k < from.size(); ++k) {
        const uint32_t word = x_word + from[k].index / shape.per_word;
        const uint32_t cost = taken.count(word) != 0 ? 0 : 1 + load[word % 8];
        if (cost < best_cost) {
          best_cost = cost;
          best = k;
        }
      }
      const uint32_t word = x_word + from[best].index / shape.per_word;
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

struct Laid {
  SpmvTile::Slice slice;
  std::vector<std::pair<uint32_t, uint32_t>> segments;
  std::vector<Weight> stream;  // by diagonals, with padding
  uint32_t rows = 0;           // elements of y
  size_t nonzeros = 0;
};

// A slice from its pieces, longest first.
Laid lay_out(std::vector<std::vector<Weight>> pieces, bool long_row, const Shape& shape,
             uint32_t x_word) {
  Laid laid;
  laid.rows = long_row ? 1 : static_cast<uint32_t>(pieces.size());
  for (const auto& p : pieces) laid.nonzeros += p.size();
  for (size_t first = 0; first < pieces.size(); first += shape.width) {
    std::vector<std::vector<Weight>*> group;
    for (size_t k = first; k < std::min<size_t>(pieces.size(), first + shape.width); ++k) {
      group.push_back(&pieces[k]);
    }
    schedule(group, shape, x_word);
  }
  std::vector<uint32_t> counts;
  for (size_t d = 0; d < std::max<size_t>(pieces[0].size(), 1); ++d) {
    uint32_t count = 0;
    while (count < pieces.size() && pieces[count].size() > d) ++count;
    counts.push_back(d == 0 ? static_cast<uint32_t>(pieces.size()) : count);
  }
  laid.segments = join(counts, shape);
  size_t d = 0;
  for (const auto& [width, diagonals] : laid.segments) {
    for (uint32_t k = 0; k < diagonals; ++k, ++d) {
      for (uint32_t p = 0; p < width; ++p) {
        // Padding takes an element of x that a neighbour takes anyway.
        if (pieces[p].size() <= d) {
          const uint32_t near = d < pieces[0].size() ? pieces[0][d].index : 0;
          pieces[p].push_back({near, 0});
        }
        laid.stream.push_back(pieces[p][d]);
      }
    }
  }
  laid.slice.long_row = long_row;
  laid.slice.pieces = std::move(pieces);
  return laid;
}

uint32_t image_bytes(const std::vector<Laid>& slices, const Shape& shape) {
  size_t entries = 0;
  size_t words = sizeof(ow_spmv_head) / 4;
  for (size_t s = 0; s < slices.size(); s += kStreams) {
    size_t segments = 1;
    for (size_t k = s; k < std::min(slices.size(), s + kStreams); ++k) {
      segments = std::max(segments, slices[k].segments.size());
    }
    words += kStreams * (sizeof(ow_spmv_slice) + segments * sizeof(ow_spmv_segment)) / 4;
  }
  for (const Laid& l : slices) entries += l.stream.size();
  return static_cast<uint32_t>(4 * words + entries * (shape.value_bytes + 2) +
                               2 * kStreams * (64 + 48));
}

void put(std::vector<uint32_t>* words, uint32_t byte, uint32_t bytes, uint32_t value) {
  if (byte / 4 >= words->size()) words->resize(byte / 4 + 1, 0);
  const uint32_t mask = bytes == 4 ? ~0u : 0xFFFFu << (8 * (byte % 4));
  uint32_t& w = (*words)[byte / 4];
  w = (w & ~mask) | (value << (8 * (byte % 4)) & mask);
}

SpmvTile make_image(std::vector<Laid> slices, const Shape& shape, uint32_t address) {
  SpmvTile tile;
  const uint32_t rounds = static_cast<uint32_t>((slices.size() + kStreams - 1) / kStreams);
  std::vector<uint32_t> table;
  std::vector<Weight> stream[kStreams];
  uint32_t y = 0;
  for (uint32_t r = 0; r < rounds; ++r) {
    const Laid* side[kStreams];
    size_t segments = 0;
    for (uint32_t h = 0; h < kStreams; ++h) {
      const size_t k = size_t{r} * kStreams + h;
      side[h] = k < slices.size() ? &slices[k] : nullptr;
      if (side[h] != nullptr) segments = std::max(segments, side[h]->segments.size());
    }
    segments = std::max<size_t>(segments, 1);
    for (uint32_t h = 0; h < kStreams; ++h) {
      const Laid* l = side[h];
      const uint32_t pieces = l == nullptr ? 0 : static_cast<uint32_t>(l->slice.pieces.size());
      table.push_back(pieces == 0 ? 0 : dim(pieces, 4));
      table.push_back(dim(l == nullptr ? 0 : l->rows, shape.value_bytes));
      table.push_back(y * shape.value_bytes);
      table.push_back(l != nullptr && l->slice.long_row ? 1 : 0);
      table.push_back(static_cast<uint32_t>(segments));
      if (l == nullptr) continue;
      SpmvTile::Slice slice = l->slice;
      slice.y_offset = y;
      tile.slices.push_back(slice);
      y += l->rows;
      tile.nonzeros += l->nonzeros;
      tile.padding += l->stream.size() - l->nonzeros;
      stream[h].insert(stream[h].end(), l->stream.begin(), l->stream.end());
    }
    for (size_t k = 0; k < segments; ++k) {
      for (const Laid* l : side) {
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
  tile.y_elements = y;
  // Values and indices of the streams start in different slots of 16 bytes of a line of 64.
  const auto align = [&](uint32_t a, uint32_t slot) {
    return ((address + a + 63) & ~63u) - address + 16 * slot;
  };
  ow_spmv_head head{};
  head.rounds = rounds;
  uint32_t at = static_cast<uint32_t>(sizeof head + 4 * table.size());
  for (uint32_t h = 0; h < kStreams; ++h) {
    const uint32_t n = static_cast<uint32_t>(stream[h].size());
    const uint32_t values = align(at, h);
    const uint32_t indices = align(values + n * shape.value_bytes, (h + 2) % 4);
    at = indices + 2 * n;
    for (uint32_t k = 0; k < n; ++k) {
      put(&tile.words, values + k * shape.value_bytes, shape.value_bytes, stream[h][k].value);
      put(&tile.words, indices + 2 * k, 2, stream[h][k].index);
    }
    head.values[h] = address + values;
    head.indices[h] = address + indices;
  }
  tile.words.resize(std::max<size_t>(tile.words.size(), (at + 3) / 4), 0);
  std::memcpy(tile.words.data(), &head, sizeof head);
  std::copy(table.begin(), table.end(), tile.words.begin() + sizeof head / 4);
  return tile;
}

uint32_t encode(Type type, double v) {
  const float f = static_cast<float>(v);
  uint32_t bits = 0;
  static_assert(sizeof f == sizeof bits, "float has 32 bits");
  std::memcpy(&bits, &f, sizeof bits);
  return type == Type::F32 ? bits : golden::convert(Type::F32, Type::F16, bits);
}

}  // namespace

size_t SparseMatrix::nonzeros() const {
  size_t n = 0;
  for (const auto& r : row) n += r.size();
  return n;
}

SparseMatrix read_matrix_market(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{1} << 30;
  std::istringstream in(read_bytes(path, kMaxBytes));
  std::string line;
  int number = 0;
  const auto fail = [&](const std::string& what) {
    throw BadInput(fmt::format("{}:{}: {}", path, number, what));
  };
  const auto next = [&] {
    while (std::getline(in, line)) {
      ++number;
      if (!line.empty() && line[0] != '%') return true;
    }
    return false;
  };
  if (!std::getline(in, line)) fail("empty file");
  number = 1;
  std::istringstream banner(line);
  std::string tag, object, form, field, symmetry;
  banner >> tag >> object >> form >> field >> symmetry;
  if (tag != "%%MatrixMarket" || object != "matrix" || form != "coordinate") {
    fail("not a Matrix Market coordinate file");
  }
  const bool pattern = field == "pattern";
  if (!pattern && field != "real" && field != "integer") fail("field must be real or pattern");
  const bool symmetric = symmetry == "symmetric";
  if (!symmetric && symmetry != "general") fail("must be general or symmetric");
  SparseMatrix m;
  m.name = path.substr(path.find_last_of('/') + 1);
  m.name = m.name.substr(0, m.name.find('.'));
  size_t entries = 0;
  if (!next()) fail("sizes are missing");
  std::istringstream sizes(line);
  if (!(sizes >> m.rows >> m.cols >> entries) || m.rows == 0 || m.cols == 0) {
    fail("bad sizes");
  }
  if (m.cols > 65536) fail("more than 65,536 columns: indices have 16 bits");
  m.row.resize(m.rows);
  for (size_t k = 0; k < entries; ++k) {
    if (!next()) fail("entries are missing");
    std::istringstream entry(line);
    uint32_t i = 0;
    uint32_t j = 0;
    double v = 1;
    if (!(entry >> i >> j) || (!pattern && !(entry >> v)) || i == 0 || j == 0 || i > m.rows ||
        j > m.cols) {
      fail("bad entry");
    }
    if (v == 0) continue;
    m.row[i - 1].emplace_back(j - 1, v);
    if (symmetric && i != j) m.row[j - 1].emplace_back(i - 1, v);
  }
  for (auto& r : m.row) std::sort(r.begin(), r.end());
  return m;
}

namespace {

// Cuts the rows of a matrix, longest first, into tiles.
class Planner {
 public:
  Planner(const SparseMatrix& matrix, Type type, uint32_t address, uint32_t bytes,
          uint32_t x_address)
      : matrix_(matrix),
        shape_(shape_of(type)),
        address_(address),
        bytes_(bytes),
        x_word_(x_address / 8) {
    plan_.type = type;
  }

  SpmvPlan run() {
    choose_scale();
    choose_order();
    while (position_ < matrix_.rows) plan_.tiles.push_back(next_tile());
    return std::move(plan_);
  }

 private:
  void choose_scale() {
    double largest = 0;
    for (const auto& r : matrix_.row) {
      for (const auto& [col, v] : r) largest = std::max(largest, std::abs(v));
    }
    if (largest > 0) plan_.scale = std::exp2(std::floor(-std::log2(largest)));
  }

  // x in the order of the rows, if that makes sense.
  void choose_order() {
    plan_.order.resize(matrix_.rows);
    std::iota(plan_.order.begin(), plan_.order.end(), 0u);
    std::stable_sort(plan_.order.begin(), plan_.order.end(), [&](uint32_t a, uint32_t b) {
      return matrix_.row[a].size() > matrix_.row[b].size();
    });
    plan_.x_position.resize(matrix_.cols);
    std::iota(plan_.x_position.begin(), plan_.x_position.end(), 0u);
    if (matrix_.rows != matrix_.cols) return;
    for (uint32_t k = 0; k < matrix_.rows; ++k) plan_.x_position[plan_.order[k]] = k;
  }

  size_t length(uint32_t position) const { return matrix_.row[plan_.order[position]].size(); }
  std::vector<Weight> entries(uint32_t position) const {
    std::vector<Weight> out;
    for (const auto& [col, v] : matrix_.row[plan_.order[position]]) {
      out.push_back({plan_.x_position[col], encode(plan_.type, v * plan_.scale)});
    }
    return out;
  }
  Laid long_row(uint32_t position) const {
    const std::vector<Weight> row = entries(position);
    std::vector<std::vector<Weight>> pieces(kSlice);
    for (size_t k = 0; k < row.size(); ++k) pieces[k % kSlice].push_back(row[k]);
    return lay_out(std::move(pieces), true, shape_, x_word_);
  }
  Laid slice(uint32_t first, uint32_t rows) const {
    std::vector<std::vector<Weight>> pieces;
    for (uint32_t k = first; k < first + rows; ++k) pieces.push_back(entries(k));
    return lay_out(std::move(pieces), false, shape_, x_word_);
  }
  bool fits(const std::vector<Laid>& slices) const {
    uint32_t rows = 0;
    for (const Laid& l : slices) rows += (l.rows + 3) & ~3u;
    return image_bytes(slices, shape_) + rows * shape_.value_bytes <= bytes_;
  }

  SpmvTile next_tile() {
    const uint32_t first_row = position_;
    std::vector<Laid> slices;
    if (take_long_rows(&slices)) take_short_rows(&slices);
    if (position_ == first_row) throw BadInput(matrix_.name + ": a slice does not fit the tile");
    SpmvTile tile = make_image(std::move(slices), shape_, address_);
    tile.first_row = first_row;
    return tile;
  }

  // False if the tile is full.
  bool take_long_rows(std::vector<Laid>* slices) {
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
  void take_short_rows(std::vector<Laid>* slices) {
    for (uint32_t rows = most_rows(*slices); rows != 0; rows -= std::min(rows, shape_.width)) {
      std::vector<Laid> with = with_rows(*slices, rows);
      if (!fits(with)) continue;
      *slices = std::move(with);
      position_ += rows;
      break;
    }
  }

  // More than these do not fit, however they are laid.
  uint32_t most_rows(const std::vector<Laid>& slices) const {
    size_t room = bytes_ - std::min(bytes_, image_bytes(slices, shape_));
    uint32_t rows = 0;
    while (position_ + rows < matrix_.rows) {
      const size_t more = length(position_ + rows) * (shape_.value_bytes + 2) + shape_.value_bytes;
      if (more > room) break;
      room -= more;
      ++rows;
    }
    return rows;
  }

  // The next rows in slices besides, as many for A as for B.
  std::vector<Laid> with_rows(const std::vector<Laid>& slices, uint32_t rows) const {
    std::vector<Laid> with = slices;
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

  const SparseMatrix& matrix_;
  const Shape shape_;
  const uint32_t address_, bytes_, x_word_;
  SpmvPlan plan_;
  uint32_t position_ = 0;  // of the first row that is in no tile yet
};

}  // namespace

SpmvPlan make_spmv_plan(const SparseMatrix& matrix, Type type, uint32_t address, uint32_t bytes,
                        uint32_t x_address) {
  return Planner(matrix, type, address, bytes, x_address).run();
}

golden::Vec spmv(Type type, const SpmvTile& tile, const golden::Vec& x) {
  golden::Vec y(tile.y_elements, 0);
  for (const SpmvTile::Slice& slice : tile.slices) {
    golden::Vec sums;
    for (const auto& piece : slice.pieces) {
      uint32_t sum = 0;
      for (const Weight& w : piece) {
        sum = golden::apply(golden::Op::Fma, type, w.value, x.at(w.index), sum);
      }
      sums.push_back(sum);
    }
    const Type to = golden::source_type(type);
    if (slice.long_row) {
      y[slice.y_offset] =
          golden::reduce(golden::Op::Sum, Type::F32, to, sums.data(), nullptr, sums.size());
    } else {
      for (size_t k = 0; k < sums.size(); ++k) {
        y[slice.y_offset + k] = to == Type::F32 ? sums[k] : golden::convert(Type::F32, to, sums[k]);
      }
    }
  }
  return y;
}

}  // namespace ow::bench
