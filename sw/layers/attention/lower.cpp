// SPDX-License-Identifier: Apache-2.0
// Attention of the heads that a grid row has. Keys and values move along the grid row, tile by
// tile (docs/numerics.md, N111 and N112).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../attention/attention.h"
#include "ow/base/error.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/tensor/half.h"

namespace ow::jobs {
namespace {

uint32_t heads_of_row(const GraphLowering& l, const Op& op) {
  const auto heads = static_cast<uint32_t>(op.attributes.at("heads"));
  const auto rows = static_cast<uint32_t>(l.rows());
  if (heads % rows != 0) {
    throw BadInput(fmt::format("{}: {} heads on {} grid rows: must be a multiple of them", op.where,
                               heads, rows));
  }
  return heads / rows;
}

// What the tiles of a grid column must know of their tokens (OW_SLOTS_ ...).
std::vector<uint32_t> slots_of(const Tokens& tokens, int column, int samples, HalfType type) {
  std::vector<uint32_t> words;
  const uint32_t never = type == HalfType::Bfloat16 ? 0xFF80 : 0xFC00, same = 0x8000;
  for (int key = 0; key < kSlotGroup; ++key) {
    for (int query = 0; query < kSlotGroup; query += 2) {
      words.push_back((query < key ? never : same) | (query + 1 < key ? never : same) << 16);
    }
  }
  const int first = column * samples, next = first + samples;
  const auto all = static_cast<int>(tokens.ids.size());
  const auto start = [&](int slot) { return tokens.start_of(static_cast<size_t>(slot)); };
  const auto put = [&](int number) { words.push_back(static_cast<uint32_t>(number)); };
  const bool goes_on = next < all && start(next) < next;
  put(column - start(first) / samples);
  put(goes_on ? column + 1 - start(next) / samples : 0);
  put(goes_on ? start(next) - first : 0);
  for (int slot = first; slot < next; slot += kSlotGroup) put(start(slot) - first);
  return words;
}

// What both passes share.
struct Common {
  Common(GraphLowering& l, const Op& op)
      : value(op.value),
        q(l.value(op.input_values[0])),
        k(l.value(op.input_values[1])),
        v(l.value(op.input_values[2])),
        heads(heads_of_row(l, op)),
        size(l.features(op.value) / static_cast<uint32_t>(op.attributes.at("heads"))),
        scale(to_half(l.job().type, 1 / std::sqrt(static_cast<double>(size)))) {
    const int samples = l.job().samples;
    const HalfType type = l.job().type;
    const auto groups = static_cast<uint32_t>(samples / kSlotGroup);
    slots = l.feed("slots of tokens", OW_SLOTS_STARTS + groups,
                   [samples, type](const Tokens& tokens, int column) {
                     return slots_of(tokens, column, samples, type);
                   });
    l.chain("keys", Side::East);
  }
  ow_attention parameters(const GraphLowering& l) const {
    ow_attention p{};
    p.q = l.at(q);
    p.k = l.at(k);
    p.v = l.at(v);
    p.slots = l.at(slots);
    p.heads = heads;
    p.size = size;
    p.scale = scale;
    return p;
  }
  int value;
  Slot q, k, v, slots;
  uint32_t heads, size;
  uint16_t scale;
};

// Cycles of the kernels for a head, instruction by instruction, of the tile that has most to do:
// its slots are those of one sequence, which lies in so many tiles: the longest that the job has.
// The core sets descriptors while instructions work; what it costs is what does not go on beside
// them.
class HeadCycles {
 public:
  HeadCycles(uint64_t samples, uint64_t size, uint64_t blocks)
      : n_(samples), h_(size), blocks_(blocks) {}

  uint64_t forward() {
    begin();
    for (block_ = 0; block_ < blocks_; ++block_) {
      if (block_ > 0) all_ += std::max<uint64_t>(h_ * n_ + 40 - kScores, 200);  // arrives
      scores();
      maxima();
      powers();
      weighted(1, n_ / 2, true);
      each_part([this](uint64_t rows, bool first) { weighted(rows, rows * n_ / 2, first); });
    }
    all_ += 260;  // inverses
    run(h_ * n_ / 2);
    run(h_ * n_ / 8);
    return all_;
  }

  uint64_t backward() {
    begin();
    for (block_ = 0; block_ < blocks_; ++block_) {
      scores();
      powers();
      slopes();
      each_part([this](uint64_t rows, bool first) { weighted(rows, 0, first); });
      all_ += own() ? 100 : 600;  // the next block begins to come
      keys();
      keys();
    }
    run(h_ * n_ / 2);
    run(h_ * n_ / 8);
    return all_;
  }

 private:
  static constexpr uint64_t kRun = 20;  // an instruction, besides its elements
  static constexpr uint64_t kRow = 11;  // a row that waits for the one before
  static constexpr uint64_t kScores = 230, kPieceScores = 150;  // descriptors of products
  static constexpr uint64_t kRows = 50, kPieceRows = 70;        // those of rows of scores
  void run(uint64_t cycles) { all_ += kRun + cycles; }
  bool own() const { return block_ == 0; }
  // A vector of sums in the cache is there again after two cycles.
  static uint64_t beats(uint64_t width) { return std::max<uint64_t>(width / 8, 2); }

  template <typename Work>
  void each_part(const Work& work) const {
    const uint64_t most = 128 / n_;
    for (uint64_t done = 0; done < h_; done += most) work(std::min(most, h_ - done), done == 0);
  }
  // Queries and keys of the pieces of a block.
  template <typename Work>
  void each_piece(const Work& work) const {
    if (!own()) return work(n_, n_);
    for (uint64_t width = n_; width > 0; width -= 8) work(width, uint64_t{8});
  }
  // A fill of the cache.
  template <typename Work>
  void each_fill(uint64_t width, uint64_t keys, const Work& work) const {
    const uint64_t most = 128 / width;
    for (uint64_t done = 0; done < keys; done += most) work(std::min(most, keys - done));
  }

  void begin() {
    all_ += 500;
    run(h_ * n_ / 8);
  }
  void scores() {
    all_ += own() ? 270 : kScores;
    each_piece([this](uint64_t width, uint64_t keys) {
      all_ += own() ? kPieceScores : 0;
      each_fill(width, keys, [&](uint64_t rows) {
        run(rows * h_ * beats(width));
        run(rows * width / 8);
      });
    });
  }
  void maxima() {
    all_ += kRows;
    run(n_ / 8);
    each_piece([this](uint64_t width, uint64_t keys) {
      all_ += kPieceRows;
      run(keys * std::max(width / 8, kRow));
    });
    if (own()) return;
    run(n_ / 8);
    run(n_ / 2);
    run(n_ / 4);
  }
  void powers() {
    all_ += kRows;
    each_piece([this](uint64_t width, uint64_t keys) {
      all_ += kPieceRows;
      run(keys * width / 8);
      run(keys * width / 2);
    });
  }
  // Sums of a part, which join those before; `shrink`: cycles of what these shrink by.
  void weighted(uint64_t rows, uint64_t shrink, bool first) {
    uint64_t core = first ? 280 : 200, engine = 18;
    if (own()) core = 330 + 120 * n_ / 8;
    each_piece([&](uint64_t width, uint64_t keys) { engine += kRun + rows * keys * beats(width); });
    if (!own() && shrink > 0) engine += kRun + shrink;
    engine += kRun + rows * n_ / 4;
    all_ += std::max(core, engine);
  }
  void slopes() {
    all_ += 100;
    each_piece([this](uint64_t width, uint64_t keys) {
      all_ += own() ? kPieceScores : 0;
      each_fill(width, keys, [&](uint64_t rows) {
        const uint64_t elements = rows * width;
        run(rows * h_ * beats(width));
        for (int k = 0; k < 3; ++k) run(elements / 8);
        for (int k = 0; k < 2; ++k) run(elements / 4);
        for (int k = 0; k < 2; ++k) run(elements / 2);
      });
    });
  }
  void keys() {
    each_piece([this](uint64_t width, uint64_t keys) {
      all_ += std::max<uint64_t>(100 + h_ * keys * std::max<uint64_t>(4, width / 8), 200);
    });
    all_ += std::max<uint64_t>(own() ? n_ * h_ * 2 / 7 : n_ * h_ + 60, 150);
  }

  const uint64_t n_, h_, blocks_;
  uint64_t block_ = 0;
  uint64_t all_ = 0;
};

uint64_t tiles_of_sequence(const GraphLowering& l) {
  const auto sequence = static_cast<uint64_t>(l.job().sequence);
  return std::max<uint64_t>(1, (sequence + l.samples() - 1) / l.samples());
}

std::string kept_name(const Op& op) { return "maxima and sums of " + op.name; }

void forward(GraphLowering& l, const Op& op) {
  const Common c(l, op);
  const Slot y = l.new_value(op.value);
  l.need_value(op.value);
  const Slot kept = l.keep(kept_name(op), uint64_t{c.heads} * 6 * l.samples());
  const uint64_t queries = OW_ATTENTION_HEAD_BYTES(l.samples(), c.size);
  const Slot area =
      l.draft().buffer("work area of " + op.name, queries + OW_ATTENTION_WORK(l.samples(), c.size));
  l.draft().add("attention", {c.q, c.k, c.v, c.slots, y, kept, area},
                work(l.rows(),
                     [&](int /*row*/) {
                       HeadCycles head(l.samples(), c.size, tiles_of_sequence(l));
                       return 40 + c.heads * head.forward();
                     }),
                [=, &l](int /*row*/) {
                  ow_attention p = c.parameters(l);
                  p.y = l.at(y);
                  p.kept = l.at(kept);
                  p.queries = l.at(area);
                  p.work = p.queries + static_cast<uint32_t>(queries);
                  return p;
                });
}

void backward(GraphLowering& l, const Op& op) {
  const Common c(l, op);
  const Slot y = l.value(op.value), kept = l.kept(kept_name(op));
  const Rows delta = l.delta(op.value);
  // They may lie over the inputs, each of which is read before its deltas are written.
  Slot deltas[3];
  for (size_t n = 0; n < 3; ++n) deltas[n] = l.delta_over(op.input_values[n], op.input_values[n]);
  const bool in_place = deltas[0].buffer == c.q.buffer && deltas[0].offset == c.q.offset;
  const uint64_t queries = in_place ? 0 : OW_ATTENTION_HEAD_BYTES(l.samples(), c.size);
  const Slot area = l.draft().buffer("work area of " + op.name,
                                     queries + OW_ATTENTION_BACKWARD_WORK(l.samples(), c.size));
  const Slot dq = deltas[0], dk = deltas[1], dv = deltas[2];
  l.draft().add("attention_deltas", {c.q, c.k, c.v, c.slots, y, kept, delta.slot, area, dq, dk, dv},
                work(l.rows(),
                     [&](int /*row*/) {
                       HeadCycles head(l.samples(), c.size, tiles_of_sequence(l));
                       return 40 + c.heads * head.backward();
                     }),
                [=, &l](int row) {
                  ow_attention p = c.parameters(l);
                  p.y = l.at(y);
                  p.kept = l.at(kept);
                  p.queries = in_place ? p.q : l.at(area);
                  p.work = l.at(area) + static_cast<uint32_t>(queries);
                  p.delta = l.at(delta, c.value, row);
                  p.dq = l.at(dq);
                  p.dk = l.at(dk);
                  p.dv = l.at(dv);
                  const float wide = from_half(l.job().type, c.scale);
                  std::memcpy(&p.wide_scale, &wide, sizeof wide);
                  return p;
                });
  for (size_t n = 0; n < 3; ++n) {
    if (l.wanted(op.input_values[n])) l.give_delta(op.input_values[n], {deltas[n], false});
  }
}

}  // namespace

const Lowering& attention_lowerings() {
  static const Lowering lowering{"attention", nullptr, nullptr, nullptr, forward, backward, true};
  return lowering;
}

}  // namespace ow::jobs
