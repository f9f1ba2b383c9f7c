// SPDX-License-Identifier: Apache-2.0
// Arrays of a program's tiles: where they are, and copies of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime_state.h"
#include "tile_words.h"

namespace ow {

Run::State::Array Run::State::array(const std::string& name, ElementType type,
                                    const std::optional<Rect>& only, const Rect& area) const {
  check_loaded();
  if (only && !fits(*only, {area.rows, area.cols})) {
    throw BadInput(fmt::format("'{}' in {}: {} has {} x {} tiles", name, rect_text(*only),
                               title(area), area.rows, area.cols));
  }
  const Rect within =
      only ? Rect{area.row + only->row, area.col + only->col, only->rows, only->cols} : area;
  std::vector<std::pair<Tiles, const ElfExport*>> found;
  for (const Tiles& t : tiles(within)) {
    for (const ElfExport& e : t.part->image.exports()) {
      if (e.name == name) found.emplace_back(t, &e);
    }
  }
  if (found.empty()) {
    const bool elsewhere = std::any_of(parts.begin(), parts.end(), [&](const LoadedPart& part) {
      const auto& exports = part.image.exports();
      return std::any_of(exports.begin(), exports.end(),
                         [&](const ElfExport& e) { return e.name == name; });
    });
    if (!elsewhere) parts.front().image.exported(name);  // says what there is instead
    throw BadInput(fmt::format("'{}'{}: none of these tiles has it", name, where(within)));
  }
  Rect box = within;
  if (!only) {
    box = found.front().first.rect;
    for (const auto& one : found) box = around(box, one.first.rect);
  }
  Array array{nullptr, box, {}};
  size_t tiles = 0;
  for (const auto& [t, e] : found) {
    if (array.shape == nullptr) array.shape = e;
    if (e->type != type) {
      throw BadInput(fmt::format("{}: '{}' is {}, not {}", t.part->image.path, name, e->shape(),
                                 element_name(type)));
    }
    if (e->dims != array.shape->dims) {
      throw BadInput(fmt::format("'{}' is {} in {} and {} in {}", name, array.shape->shape(),
                                 found.front().first.part->image.path, e->shape(),
                                 t.part->image.path));
    }
    tiles += tiles_of(t.rect);
    array.places.push_back({t.rect, e->addr});
  }
  if (tiles != tiles_of(box)) {
    throw BadInput(only ? fmt::format("'{}': not all tiles in {} have it", name, rect_text(*only))
                        : fmt::format("the tiles that have '{}' are no rectangle: name one that "
                                      "they fill (Mapping::on_tiles, Run::on)",
                                      name));
  }
  return array;
}

size_t Run::elements(const std::string& name, ElementType type, const Mapping& mapping) const {
  const State::Array array = state_->array(name, type, mapping.only, area_);
  return Spread(*array.shape, array.rect, mapping).size();
}

Run::State::Target Run::State::target(const std::string& name, ElementType type, size_t count,
                                      const Mapping& mapping, const Rect& area) const {
  Array array = this->array(name, type, mapping.only, area);
  Spread spread(*array.shape, array.rect, mapping);
  if (count != spread.size()) {
    throw BadInput(fmt::format(
        "'{}' is {} in each of {} x {} tiles: {} elements were given, the "
        "mapping wants {}",
        name, array.shape->shape(), array.rect.rows, array.rect.cols, count, spread.size()));
  }
  return {std::move(array), std::move(spread)};
}

// -------------------------------------------------------------------------------------- copies --
namespace {

// A copy that keeps the machine alive.
std::shared_ptr<Event::State> kept(Runtime::State* machine, std::shared_ptr<Event::State> copy) {
  Event::State* state = copy.get();
  const auto both =
      std::make_shared<std::pair<std::shared_ptr<Runtime::State>, std::shared_ptr<Event::State>>>(
          machine->shared_from_this(), std::move(copy));
  return {both, state};
}

// What tiles get: one tile, or all tiles of a rectangle the same.
struct Write {
  Rect rect;
  std::vector<Bulk::Span> spans;
  std::vector<uint32_t> words;
};

// Words of a tile that hold other bytes too. They are read, changed and written back.
struct SharedWords {
  int row = 0, col = 0;
  std::vector<TileWords::Shared> at;
  std::vector<uint32_t> ours, theirs;

  std::vector<Bulk::Span> spans() const {
    std::vector<Bulk::Span> spans;
    for (const TileWords::Shared& s : at) spans.push_back({s.addr, 1});
    return spans;
  }
  std::vector<uint32_t> merged() const {
    std::vector<uint32_t> words;
    for (size_t k = 0; k < at.size(); ++k) {
      words.push_back((ours[k] & at[k].mask) | (theirs[k] & ~at[k].mask));
    }
    return words;
  }
};

struct WriteCopy {
  std::vector<Write> writes;
  std::vector<SharedWords> shared;
};

}  // namespace

std::shared_ptr<Event::State> Run::State::write(const std::string& name, ElementType type,
                                                const void* data, size_t count,
                                                const Mapping& mapping, const Rect& area) {
  check_usable();
  const auto [array, spread] = target(name, type, count, mapping, area);
  const auto copy = std::make_shared<WriteCopy>();
  const auto add = [&, &spread = spread](const Rect& rect, uint32_t addr, int r, int c) {
    const TileWords tile(addr, element_bytes(type), spread.of(r, c), 0);
    std::vector<uint32_t> words = tile.pack(data);
    if (!tile.shared().empty()) {
      SharedWords shared;
      shared.at = tile.shared();
      for (const TileWords::Shared& s : shared.at) shared.ours.push_back(words[s.word]);
      for (int i = 0; i < rect.rows * rect.cols; ++i) {
        shared.row = rect.row + i / rect.cols;
        shared.col = rect.col + i % rect.cols;
        copy->shared.push_back(shared);
      }
    }
    const std::vector<Bulk::Span> spans = tile.whole_spans(&words);
    if (!spans.empty()) copy->writes.push_back({rect, spans, std::move(words)});
  };
  for (const Array::Place& place : array.places) {
    if (spread.same()) {
      add(place.rect, place.addr, 0, 0);
      continue;
    }
    for (int i = 0; i < place.rect.rows * place.rect.cols; ++i) {
      const int row = place.rect.row + i / place.rect.cols;
      const int col = place.rect.col + i % place.rect.cols;
      add(Rect{row, col, 1, 1}, place.addr, row - array.rect.row, col - array.rect.col);
    }
  }
  std::vector<CopyStep> steps;
  if (!copy->shared.empty()) {
    steps.push_back([copy](Bulk* bulk) {
      for (SharedWords& s : copy->shared) {
        s.theirs.resize(s.at.size());
        bulk->read(s.row, s.col, s.spans(), &s.theirs);
      }
    });
  }
  steps.push_back([copy](Bulk* bulk) {
    for (Write& w : copy->writes) bulk->write(w.rect, w.spans, std::move(w.words));
    for (const SharedWords& s : copy->shared) bulk->write(s.row, s.col, s.spans(), s.merged());
  });
  return machine->copy(std::move(steps));
}

Event Run::write_bytes(const std::string& name, ElementType type, const void* data, size_t count,
                       const Mapping& mapping) {
  return Event(kept(state_->machine, state_->write(name, type, data, count, mapping, area_)));
}

Event Run::read_bytes(const std::string& name, ElementType type, void* data, size_t count,
                      const Mapping& mapping, std::shared_ptr<void> keep) {
  // A gap that is read costs less than the request for a part of its own.
  constexpr size_t kGap = 6;
  const State::Array array = state_->array(name, type, mapping.only, area_);
  const Spread spread(*array.shape, array.rect, mapping);
  if (count != spread.size()) throw InternalError("read of another size than the array's");
  struct Tile {
    int row, col;
    TileWords at;
    std::vector<uint32_t> words;
  };
  const auto tiles = std::make_shared<std::vector<Tile>>();
  for (const State::Array::Place& place : array.places) {
    for (int i = 0; i < place.rect.rows * place.rect.cols; ++i) {
      const int row = place.rect.row + i / place.rect.cols, r = row - array.rect.row;
      const int col = place.rect.col + i % place.rect.cols, c = col - array.rect.col;
      // If tiles hold the same, only the first one is read.
      const bool wanted =
          mapping.each || ((r == 0 || mapping.row_dim >= 0) && (c == 0 || mapping.col_dim >= 0));
      if (!wanted) continue;
      std::vector<Spread::Piece> pieces = spread.of(r, c);
      pieces.erase(std::remove_if(pieces.begin(), pieces.end(),
                                  [](const Spread::Piece& p) { return p.host == Spread::kNone; }),
                   pieces.end());
      if (pieces.empty()) continue;
      tiles->push_back({row, col, TileWords(place.addr, element_bytes(type), pieces, kGap), {}});
    }
  }
  // The farthest ones first.
  std::sort(tiles->begin(), tiles->end(), [](const Tile& a, const Tile& b) {
    return std::make_pair(a.row, a.col) > std::make_pair(b.row, b.col);
  });
  std::vector<CopyStep> steps;
  steps.push_back([tiles](Bulk* bulk) {
    for (Tile& tile : *tiles) {
      tile.words.resize(tile.at.count());
      bulk->read(tile.row, tile.col, tile.at.spans(), &tile.words);
    }
  });
  steps.push_back([tiles, data, keep](Bulk*) {
    for (const Tile& tile : *tiles) tile.at.unpack(tile.words, data);
  });
  return Event(kept(state_->machine, state_->machine->copy(std::move(steps))));
}

}  // namespace ow
