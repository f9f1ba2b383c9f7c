// SPDX-License-Identifier: Apache-2.0
// Attention of the heads that a grid row has, or two of them share. Keys and values move along the
// grid row, tile by tile (docs/numerics.md, N111 and N112).
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

// What a tile must know of the tokens of its grid column (OW_SLOTS_ ...), for its queries from slot
// `from` of the tile on.
std::vector<uint32_t> slots_of(const Tokens& tokens, int column, int samples, int from,
                               HalfType type) {
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
  const bool goes_on = next < all && start(next + from) < next;
  put(column - start(first + from) / samples);
  put(goes_on ? column + 1 - start(next + from) / samples : 0);
  put(goes_on ? start(next + from) - first : 0);
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
        heads(l.heads_of_row(op)),
        size(l.features(op.value) / static_cast<uint32_t>(op.attributes.at("heads"))),
        width(heads == 0 ? l.samples() / 2 : l.samples()),
        scale(to_half(l.job().type, 1 / std::sqrt(static_cast<double>(size)))) {
    const int samples = l.job().samples;
    const HalfType type = l.job().type;
    if (halves() && samples % (2 * kSlotGroup) != 0) {
      throw BadInput(
          fmt::format("{}: {} samples a tile, of which two tiles that share a head take "
                      "half each: must be a multiple of {}",
                      op.where, samples, 2 * kSlotGroup));
    }
    const auto groups = static_cast<uint32_t>(samples / kSlotGroup);
    slots = l.feed("slots of tokens", OW_SLOTS_STARTS + groups,
                   [samples, type, shared = halves(), sharing = l.rows() / 2](const Tokens& tokens,
                                                                              int row, int column) {
                     const int from = shared ? row / sharing * samples / 2 : 0;
                     return slots_of(tokens, column, samples, from, type);
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
    const float wide = from_half(l.job().type, scale);
    std::memcpy(&p.wide_scale, &wide, sizeof wide);
    return p;
  }
  // For a tile that shares its head: `of` has places from `at` on for what of its queries, keys and
  // values all features are there.
  ow_attention_halves shared(const GraphLowering& l, int row, uint32_t at) const {
    ow_attention_halves p{};
    p.of = parameters(l);
    p.q = p.of.q;
    p.k = p.of.k;
    p.v = p.of.v;
    p.part = row < l.rows() / 2 ? 0 : 1;
    p.of.heads = 1;
    p.of.q = p.of.queries = p.of.y = p.of.dq = at;
    p.of.k = p.of.q + query_bytes();
    p.of.v = p.of.k + OW_ATTENTION_HEAD_BYTES(l.samples(), size);
    return p;
  }
  bool halves() const { return heads == 0; }
  uint64_t query_bytes() const { return OW_ATTENTION_HEAD_BYTES(width, size); }
  // Of queries, keys and values of all features.
  uint64_t shared_bytes(const GraphLowering& l) const {
    return halves() ? query_bytes() + 2 * OW_ATTENTION_HEAD_BYTES(l.samples(), size) : 0;
  }
  uint64_t kept_bytes() const { return uint64_t{halves() ? 1 : heads} * 6 * width; }
  int value;
  Slot q, k, v, slots;
  uint32_t heads, size;  // heads of a tile; 0: a half
  uint32_t width;        // queries of a tile
  uint16_t scale;
};

// Cycles of the kernels for a head, instruction by instruction, of the tile that has most to do:
// its slots are those of one sequence, which lies in so many tiles: the longest that the job has.
// The core sets descriptors while instructions work; what it costs is what does not go on beside
// them.
class HeadCycles {
 public:
  // Of `width` queries of the tile, the last ones.
  HeadCycles(uint64_t samples, uint64_t width, uint64_t size, uint64_t blocks)
      : n_(samples), w_(width), h_(size), blocks_(blocks) {}

  uint64_t forward() {
    begin();
    for (block_ = 0; block_ < blocks_; ++block_) {
      if (block_ > 0) all_ += std::max<uint64_t>(h_ * n_ + 40 - kScores, 200);  // arrives
      scores();
      maxima();
      powers();
      weighted(1, w_ / 2, true);
      each_part([this](uint64_t rows, bool first) { weighted(rows, rows * w_ / 2, first); });
    }
    all_ += 260;  // inverses
    run(h_ * w_ / 2);
    run(h_ * w_ / 8);
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
    run(h_ * w_ / 2);
    run(h_ * w_ / 8);
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
    const uint64_t most = 128 / w_;
    for (uint64_t done = 0; done < h_; done += most) work(std::min(most, h_ - done), done == 0);
  }
  // Queries and keys of the pieces of a block.
  template <typename Work>
  void each_piece(const Work& work) const {
    if (!own()) return work(w_, n_);
    for (uint64_t key = 0; key < n_; key += 8) work(std::min(w_, n_ - key), uint64_t{8});
  }
  // A fill of the cache.
  template <typename Work>
  void each_fill(uint64_t width, uint64_t keys, const Work& work) const {
    const uint64_t most = 128 / width;
    for (uint64_t done = 0; done < keys; done += most) work(std::min(most, keys - done));
  }

  void begin() {
    all_ += 500;
    run(h_ * w_ / 8);
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
    run(w_ / 8);
    each_piece([this](uint64_t width, uint64_t keys) {
      all_ += kPieceRows;
      run(keys * std::max(width / 8, kRow));
    });
    if (own()) return;
    run(w_ / 8);
    run(w_ / 2);
    run(w_ / 4);
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
    engine += kRun + rows * w_ / 4;
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

  const uint64_t n_, w_, h_, blocks_;
  uint64_t block_ = 0;
  uint64_t all_ = 0;
};

uint64_t tiles_of_sequence(const GraphLowering& l) {
  const auto sequence = static_cast<uint64_t>(l.job().sequence);
  return std::max<uint64_t>(1, (sequence + l.samples() - 1) / l.samples());
}

// Rows of as many queries, and of all keys, that two tiles exchange, and the sums of both halves
// for keys and values.
uint64_t exchange_cycles(const GraphLowering& l, const Common& c, uint64_t queries, uint64_t keys,
                         bool sums) {
  constexpr uint64_t kHop = 60;
  if (!c.halves()) return 0;
  const uint64_t hops = static_cast<uint64_t>(l.rows()) / 2, n = l.samples(), rows = c.size / 2;
  const auto once = [&](uint64_t words) { return 120 + words + hops * (kHop + words); };
  return queries * once(rows * n / 4) + keys * once(rows * n / 2) + (sums ? 2 * once(rows * n) : 0);
}

std::string kept_name(const Op& op) { return "maxima and sums of " + op.name; }

void forward(GraphLowering& l, const Op& op) {
  const Common c(l, op);
  const Slot y = l.new_value(op.value);
  l.need_value(op.value);
  const Slot kept = l.keep(kept_name(op), c.kept_bytes());
  const auto before = static_cast<uint32_t>(c.halves() ? c.shared_bytes(l) : c.query_bytes());
  const Slot area =
      l.draft().buffer("work area of " + op.name,
                       uint64_t{before} + OW_ATTENTION_WORK(l.samples(), c.width, c.size));
  const WorkCost cost = work(l.rows(), [&](int /*row*/) {
    HeadCycles head(l.samples(), c.width, c.size, tiles_of_sequence(l));
    return 40 + std::max(c.heads, 1u) * head.forward() + exchange_cycles(l, c, 2, 2, false);
  });
  const std::vector<Slot> uses = {c.q, c.k, c.v, c.slots, y, kept, area};
  const auto places = [=, &l](ow_attention* p) {
    p->kept = l.at(kept);
    p->work = l.at(area) + before;
  };
  if (c.halves()) {
    l.draft().add("attention_halves", uses, cost, [=, &l](int row) {
      ow_attention_halves p = c.shared(l, row, l.at(area));
      places(&p.of);
      p.y = l.at(y);
      return p;
    });
    return;
  }
  l.draft().add("attention", uses, cost, [=, &l](int /*row*/) {
    ow_attention p = c.parameters(l);
    places(&p);
    p.y = l.at(y);
    p.queries = l.at(area);
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
  const uint64_t own = in_place ? 0 : c.query_bytes();
  const auto before = static_cast<uint32_t>(c.halves() ? c.shared_bytes(l) + c.query_bytes() : own);
  const uint64_t area_bytes =
      uint64_t{before} + OW_ATTENTION_BACKWARD_WORK(l.samples(), c.width, c.size);
  const Slot area = l.draft().buffer("work area of " + op.name, area_bytes);
  const Slot dq = deltas[0], dk = deltas[1], dv = deltas[2];
  const WorkCost cost = work(l.rows(), [&](int /*row*/) {
    HeadCycles head(l.samples(), c.width, c.size, tiles_of_sequence(l));
    return 40 + std::max(c.heads, 1u) * head.backward() + exchange_cycles(l, c, 4, 2, true);
  });
  const std::vector<Slot> uses = {c.q, c.k, c.v, c.slots, y, kept, delta.slot, area, dq, dk, dv};
  const auto places = [=, &l](ow_attention* p) {
    p->kept = l.at(kept);
    p->work = l.at(area) + before;
    p->dk = l.at(dk);
    p->dv = l.at(dv);
  };
  if (c.halves()) {
    l.draft().add("attention_halves_deltas", uses, cost, [=, &l](int row) {
      ow_attention_halves p = c.shared(l, row, l.at(area));
      places(&p.of);
      p.of.delta = p.of.work - static_cast<uint32_t>(c.query_bytes());
      // The result is needed before the sums of keys and values are.
      p.of.y = l.at(area) +
               static_cast<uint32_t>(area_bytes - OW_ATTENTION_PART_BYTES(l.samples(), c.size));
      p.y = l.at(y);
      p.delta = l.at(delta, c.value, row);
      p.dq = l.at(dq);
      return p;
    });
  } else {
    l.draft().add("attention_deltas", uses, cost, [=, &l](int row) {
      ow_attention p = c.parameters(l);
      places(&p);
      p.queries = in_place ? p.q : l.at(area);
      p.y = l.at(y);
      p.delta = l.at(delta, c.value, row);
      p.dq = l.at(dq);
      return p;
    });
  }
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
