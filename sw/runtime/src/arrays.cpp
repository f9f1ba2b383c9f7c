// SPDX-License-Identifier: Apache-2.0
// Arrays of a program's tiles: where they are, and copies of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime_state.h"

namespace ow {
namespace {

// The smallest rectangle that contains both.
Rect around(const Rect& a, const Rect& b) {
  const int row = std::min(a.row, b.row), col = std::min(a.col, b.col);
  return Rect{row, col, std::max(a.row + a.rows, b.row + b.rows) - row,
              std::max(a.col + a.cols, b.col + b.cols) - col};
}

}  // namespace

// A copy that keeps the machine alive.
static std::shared_ptr<Event::State> kept(Runtime::State* machine,
                                          std::shared_ptr<Event::State> copy) {
  Event::State* state = copy.get();
  const auto both =
      std::make_shared<std::pair<std::shared_ptr<Runtime::State>, std::shared_ptr<Event::State>>>(
          machine->shared_from_this(), std::move(copy));
  return {both, state};
}

Run::State::Array Run::State::array(const std::string& name, ElementType type,
                                    const std::optional<Rect>& only, const Rect& area) const {
  check_loaded();
  if (only && !fits(*only, {area.rows, area.cols})) {
    throw BadInput(fmt::format("'{}' in {}: the {} has {} x {} tiles", name, rect_text(*only),
                               area == rect ? "program" : "run", area.rows, area.cols));
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
  Array array{nullptr, box, std::vector<uint32_t>(tiles_of(box))};
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
    for (int r = t.rect.row; r < t.rect.row + t.rect.rows; ++r) {
      for (int c = t.rect.col; c < t.rect.col + t.rect.cols; ++c) {
        array.addr[static_cast<size_t>((r - box.row) * box.cols + c - box.col)] = e->addr;
      }
    }
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

std::shared_ptr<Event::State> Run::State::write(const std::string& name, ElementType type,
                                                const void* data, size_t count,
                                                const Mapping& mapping, const Rect& area) {
  const auto [array, spread] = target(name, type, count, mapping, area);
  const size_t size = element_bytes(type);
  const auto* from = static_cast<const uint8_t*>(data);
  ControlPlane& control = machine->control();
  const size_t bytes = spread.tile_size() * size;
  const size_t words_of_tile = (bytes + 3) / 4;
  std::vector<std::vector<uint32_t>> last;  // words of the tiles that the array shares with others
  if (bytes % 4 != 0) {
    std::vector<ControlPlane::ReadRequest> reads;
    for (size_t t = 0; t < array.addr.size(); ++t) {
      const int n = static_cast<int>(t);
      reads.push_back({array.rect.row + n / array.rect.cols, array.rect.col + n % array.rect.cols,
                       array.addr[t] + 4 * static_cast<uint32_t>(words_of_tile - 1), 1});
    }
    last = control.read_many(reads);
  }
  auto bulk = std::make_unique<Bulk>(control, machine->info().sram_bytes);
  for (int r = 0; r < array.rect.rows; ++r) {
    for (int c = 0; c < array.rect.cols; ++c) {
      const auto tile = static_cast<size_t>(r * array.rect.cols + c);
      std::vector<uint32_t> words(words_of_tile, 0);
      auto* to = reinterpret_cast<uint8_t*>(words.data());
      if (!last.empty()) words.back() = last[tile][0];  // what shares the word stays as it is
      for (const size_t at : spread.of(r, c)) {
        if (at == Spread::kNone) {
          std::memset(to, 0, size);
        } else {
          std::memcpy(to, from + at * size, size);
        }
        to += size;
      }
      bulk->write(array.rect.row + r, array.rect.col + c, array.addr[tile], std::move(words));
    }
  }
  return machine->copy(std::move(bulk), nullptr);
}

Event Run::write_bytes(const std::string& name, ElementType type, const void* data, size_t count,
                       const Mapping& mapping) {
  return Event(kept(state_->machine, state_->write(name, type, data, count, mapping, area_)));
}

Event Run::read_bytes(const std::string& name, ElementType type, void* data, size_t count,
                      const Mapping& mapping, std::shared_ptr<void> keep) {
  const State::Array array = state_->array(name, type, mapping.only, area_);
  const Spread spread(*array.shape, array.rect, mapping);
  if (count != spread.size()) throw InternalError("read of another size than the array's");
  const size_t size = element_bytes(type);
  Runtime::State& machine = *state_->machine;
  auto bulk = std::make_unique<Bulk>(machine.control(), machine.info().sram_bytes);
  auto words = std::make_shared<std::vector<std::vector<uint32_t>>>(array.addr.size());
  for (int r = array.rect.rows - 1; r >= 0; --r) {
    for (int c = array.rect.cols - 1; c >= 0; --c) {
      // If tiles hold the same, only the first one is read.
      const bool wanted =
          mapping.each || ((r == 0 || mapping.row_dim >= 0) && (c == 0 || mapping.col_dim >= 0));
      if (!wanted || !spread.any(r, c)) continue;
      const auto tile = static_cast<size_t>(r * array.rect.cols + c);
      (*words)[tile].resize((spread.tile_size() * size + 3) / 4);
      bulk->read(array.rect.row + r, array.rect.col + c, array.addr[tile], &(*words)[tile]);
    }
  }
  const Rect rect = array.rect;
  auto* to = static_cast<uint8_t*>(data);
  return Event(kept(&machine, machine.copy(std::move(bulk), [words, rect, spread, size, to, keep] {
    for (size_t tile = 0; tile < words->size(); ++tile) {
      if ((*words)[tile].empty()) continue;
      const auto* from = reinterpret_cast<const uint8_t*>((*words)[tile].data());
      for (const size_t at :
           spread.of(static_cast<int>(tile) / rect.cols, static_cast<int>(tile) % rect.cols)) {
        if (at != Spread::kNone) std::memcpy(to + at * size, from, size);
        from += size;
      }
    }
  })));
}

}  // namespace ow
