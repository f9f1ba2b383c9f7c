// SPDX-License-Identifier: Apache-2.0
// The tiles of a block: weights, keys and values, descriptors.
#include <algorithm>
#include <cmath>

#include "region_entries.h"
#include "region_tile.h"
#include "rotary_turns.h"

namespace ow::jobs {
namespace {

// What a column has of the attention heads (N116).
struct ColumnHeads {
  uint32_t first = 0, heads = 0;        // of queries
  uint32_t first_kv = 0, kv_heads = 0;  // of keys and values
  uint32_t part = 0, parts = 1;         // of each of them: a share of its pairs of features
  uint32_t size = 0, part_size = 0;     // features of a head, and of its part

  ColumnHeads(const LanguageShape& shape, int columns, int col) {
    parts = static_cast<uint32_t>(parts_of_head(shape, columns));
    const auto column = static_cast<uint32_t>(col), all = static_cast<uint32_t>(columns);
    part = column % parts;
    heads = static_cast<uint32_t>(shape.heads) * parts / all;
    first = heads * (column / parts);
    const auto kv = static_cast<uint32_t>(shape.kv_heads);
    kv_heads = std::max(1u, kv / all);
    first_kv = all <= kv ? kv_heads * column : column / (all / kv);
    size = static_cast<uint32_t>(shape.head_size);
    part_size = size / parts;
  }
  // Features of some of the heads.
  std::vector<uint32_t> features(uint32_t first_head, uint32_t count) const {
    std::vector<uint32_t> list;
    const uint32_t pairs = part_size / 2;
    for (uint32_t head = first_head; head < first_head + count; ++head) {
      for (const uint32_t half : {0u, size / 2}) {
        for (uint32_t m = 0; m < pairs; ++m) list.push_back(head * size + half + part * pairs + m);
      }
    }
    return list;
  }
};

size_t entry_of(int group, int first, int number) {
  return static_cast<size_t>(group + number - first);
}
// The entry of a number of a group.
#define ENTRY(group, number) entry_of(OW_WORDS_##group, OW_##group##_FIRST, OW_##group##_##number)

// The last row makes a position's cosines, -sines and sines from `cosine` on.
void angle_entries(RegionMemory& m, const LanguageShape& shape, const ColumnHeads& column,
                   uint32_t cosine) {
  const uint32_t pairs = column.part_size / 2, all = 2 * pairs;
  const int half = m.half();
  const std::vector<uint32_t> turns = rotary_turns(shape), quarter = {1u << 30, 0};
  const auto first = turns.begin() + static_cast<ptrdiff_t>(column.part * pairs);
  const std::vector<uint32_t> steps(first, first + static_cast<ptrdiff_t>(pairs));
  const uint32_t step = m.take(4 * steps.size()), offset = m.take(4 * quarter.size());
  if (m.fits()) {
    m.put(step, steps);
    m.put(offset, quarter);
  }
  const uint32_t y = m.take(4ull * all, kTaken, kTaken);
  m.rows(ENTRY(ANGLE, STEPS), OW_I32, step, pairs, 4, 2, 0);
  m.rows(ENTRY(ANGLE, QUARTER), OW_I32, offset, pairs, 0, 2, 4);
  m.rows(ENTRY(ANGLE, TURNS), OW_I32, y, pairs, 4, 2, static_cast<int32_t>(4 * pairs));
  m.row(ENTRY(ANGLE, Y), OW_F32, y, all);
  m.row(ENTRY(ANGLE, SQUARE), OW_F32, m.take(4ull * all, kTaken, kTaken), all);
  m.row(ENTRY(ANGLE, SERIES), OW_F32, m.take(4ull * all, kTaken, kTaken), all);
  m.rows(ENTRY(ANGLE, BOTH), half, cosine, pairs, 2, 2, static_cast<int32_t>(2 * all));
  m.row(ENTRY(ANGLE, MINUS_SIN), half, cosine + 2 * pairs, pairs);
  m.row(ENTRY(ANGLE, SIN), half, cosine + 4 * pairs, pairs);
}

// What column 1 tells column 0.
void shared_angles(RegionMemory& m, uint32_t head_size, uint32_t cosine, int col) {
  const uint32_t words = (3 * head_size / 2 + 1) / 2;
  m.row(OW_WORDS_ANGLE_WORDS, OW_I32, cosine, words);
  if (col == 0) {
    m.from(OW_WORDS_ANGLE_LEFT, OW_I32, OW_FLOW_LEFT, words);
  } else {
    m.to(OW_WORDS_ANGLE_LEFT, OW_I32, OW_FLOW_LEFT, words);
  }
}

// A tile of a block while it is planned.
class BlockTile {
 public:
  BlockTile(const LanguageModel& model, const LanguagePlan& plan, size_t block, int row, int col,
            const FreeMemory& memory)
      : model_(model),
        shape_(model.shape),
        plan_(plan),
        weights_(model.blocks[block]),
        row_(row),
        col_(col),
        last_(row + 1 == plan.region.rows),
        mine_(model.shape, plan.region.cols, col),
        heads_(mine_.heads),
        kv_(mine_.kv_heads),
        group_(heads_ / kv_),
        h_(mine_.part_size),
        page_(static_cast<uint32_t>(plan.page_places)),
        signed_h_(static_cast<int32_t>(h_)),
        shares_angles_(mine_.parts == 1 && plan.region.cols > 1 && col <= 1),
        makes_angles_(last_ && (col > 0 || !shares_angles_)),
        m_(memory, model.type,
           makes_angles_     ? OW_BLOCK_ANGLE_WORDS
           : mine_.parts > 1 ? OW_BLOCK_PART_WORDS
                             : OW_BLOCK_WORDS),
        half_(m_.half()),
        p_(m_.parameters()) {
    const int columns = plan.region.cols;
    units_ = dealt_list(shape_.hidden, columns, col, -1);
    // At the same address in all tiles: the host writes it while the region works.
    p_.page_table =
        m_.take(2ull * static_cast<uint64_t>(plan.slots * plan.slot_pages), kNorm, kAdd);
    p_.slot_pages = static_cast<uint32_t>(plan.slot_pages);
    p_.page_places = page_;
    while ((1u << p_.page_bits) < page_) ++p_.page_bits;
    several_ = page_ * p_.slot_pages > OW_SCORE_PLACES;
    residual();
    products();
    if (last_) turn();
    keep();
    scores();
    values();
    if (last_) {
      divide();
      shrink();
    }
    p_.pages = m_.take(0);  // the rest of the memory
  }

  RegionMemory memory() && { return std::move(m_); }

 private:
  // The features of this row; filled up to those of the fullest row.
  std::vector<uint32_t> features(bool all) const {
    const int rows = plan_.region.rows;
    const auto most = static_cast<int>(dealt_of(shape_.width, rows, 0));
    return dealt_list(shape_.width, rows, row_, all ? most : -1);
  }
  void residual();
  void products();
  void turn();
  void keep();
  void scores();
  void values();
  void divide();
  void shrink();

  const LanguageModel& model_;
  const LanguageShape& shape_;
  const LanguagePlan& plan_;
  const LanguageModel::Block& weights_;
  const int row_, col_;
  const bool last_;
  const ColumnHeads mine_;
  const uint32_t heads_, kv_, group_;  // of queries, of keys, of queries for one of keys
  const uint32_t h_;                   // features of a head
  const uint32_t page_;                // places of a page
  const int32_t signed_h_;
  const bool shares_angles_, makes_angles_;  // with the next column; for itself or both
  RegionMemory m_;
  const int half_;
  ow_region& p_;
  std::vector<uint32_t> units_;      // of the feed-forward part
  uint32_t taken_ = 0;               // queries, keys, values of the token
  uint32_t total_ = 0;               // fp32, of each head
  uint32_t wide_ = 0;                // sums of values
  bool several_ = false;             // blocks of scores
  uint32_t cosine_ = 0, sines_ = 0;  // of the position
};

// The entry of a number of the second norm.
size_t second(int number) { return entry_of(OW_WORDS_SECOND_NORM, OW_NORM_X, number); }

void BlockTile::residual() {
  const Residual x = residual_entries(m_, model_, plan_, row_, col_);
  if (col_ > 0) return;
  norm_entries(m_, {kNorm, kNormAgain});
  norm_of(m_, model_, plan_, row_, x.inbox, weights_.attention_norm, ENTRY(NORM, X));
  norm_of(m_, model_, plan_, row_, x.residual, weights_.hidden_norm, second(OW_NORM_X));
  normal_entry(m_, OW_WORDS_NORMAL_OUT);
  m_.row(second(OW_NORM_INBOX), half_, x.inbox, p_.features);
  m_.row(second(OW_NORM_RESIDUAL), half_, x.residual, p_.features);
}

void BlockTile::products() {
  const auto width = static_cast<size_t>(shape_.width);
  const auto all_heads = static_cast<uint32_t>(shape_.heads);
  const auto all_kv = static_cast<uint32_t>(shape_.kv_heads);
  std::vector<uint16_t> three = weights_.query;  // queries, keys, values
  three.insert(three.end(), weights_.key.begin(), weights_.key.end());
  three.insert(three.end(), weights_.value.begin(), weights_.value.end());
  const std::vector<uint32_t> queries = mine_.features(mine_.first, heads_);
  std::vector<uint32_t> taken = queries;
  for (const uint32_t begin : {all_heads, all_heads + all_kv}) {
    const std::vector<uint32_t> part = mine_.features(begin + mine_.first_kv, kv_);
    taken.insert(taken.end(), part.begin(), part.end());
  }
  const auto most_units = static_cast<int>(dealt_of(shape_.hidden, plan_.region.cols, 0));
  const std::vector<uint32_t> all_units =
      dealt_list(shape_.hidden, plan_.region.cols, col_, most_units);
  const std::vector<uint32_t> in = features(false), out = features(true);
  p_.attention = m_.gemv({{&three, width, taken, in}});
  p_.output = m_.gemv({{&weights_.output, size_t{all_heads} * mine_.size, out, queries}});
  p_.hidden =
      m_.gemv({{&weights_.gate, width, all_units, in}, {&weights_.up, width, all_units, in}});
  p_.down = m_.gemv({{&weights_.down, static_cast<size_t>(shape_.hidden), out, units_}});
  if (last_) {
    m_.take_outputs(&p_.attention, kTaken, kTurn);
    m_.take_outputs(&p_.hidden, kHidden, kShrink);
  }
  if (col_ == 0) {
    m_.take_outputs(&p_.output, kOutput, kAdd);
    p_.down.y = p_.output.y;
    m_.row(second(OW_NORM_Y), half_, p_.output.y, p_.features);
  }
}

// Of the last row: queries and keys, as they come and turned.
void BlockTile::turn() {
  const uint32_t turned_heads = heads_ + kv_, y = p_.attention.y;
  const uint32_t turned = m_.take(2ull * turned_heads * h_, kTurn, kTurn);
  const uint32_t cosine = m_.take(3ull * h_ + 2, kTaken, kTurn);
  const auto halves = [&](size_t entry, uint32_t addr, int32_t other, int32_t pitch) {
    m_.entry(entry) = OW_WORDS_MEM3(half_, addr, h_ / 2, 2, 2, other, turned_heads, pitch);
  };
  halves(ENTRY(TURN, STRAIGHT), y, signed_h_, 2 * signed_h_);
  halves(ENTRY(TURN, SWAPPED), y + h_, -signed_h_, 2 * signed_h_);
  halves(ENTRY(TURN, TURNED), turned, signed_h_, 2 * signed_h_);
  halves(ENTRY(TURN, EACH_COS), cosine, 0, 0);
  halves(ENTRY(TURN, EACH_SINE), cosine + h_, signed_h_, 0);
  m_.row(ENTRY(TURN, QUERIES), half_, turned, heads_ * h_);
  m_.row(ENTRY(TURN, WORDS), OW_I32, turned, turned_heads * h_ / 2);
  m_.row(ENTRY(TURN, VALUES), OW_I32, y + 2 * turned_heads * h_, kv_ * h_ / 2);
  if (makes_angles_) angle_entries(m_, shape_, mine_, cosine);
  if (shares_angles_) shared_angles(m_, h_, cosine, col_);
}

// The token's queries, keys and values in all tiles, and their place in a page.
void BlockTile::keep() {
  const uint32_t count = (heads_ + 2 * kv_) * h_;
  taken_ = m_.take(2ull * count, kTurn, several_ ? kScoreAgain : kScore);
  p_.kv_features = kv_ * h_;
  p_.page_bytes = 4 * page_ * p_.kv_features;
  m_.row(OW_WORDS_TAKEN, OW_I32, taken_, count / 2);
  m_.row(ENTRY(KEEP, KEY), half_, taken_ + 2 * heads_ * h_, kv_ * h_);
  m_.entry(ENTRY(KEEP, KEY_PLACE)) =
      OW_WORDS_MEM1(half_, 0, kv_ * h_, static_cast<int32_t>(2 * page_));
  m_.row(ENTRY(KEEP, VALUE), half_, taken_ + 2 * (heads_ + kv_) * h_, kv_ * h_);
  m_.row(ENTRY(KEEP, VALUE_PLACE), half_, 0, kv_ * h_);
}

void BlockTile::scores() {
  const auto key_pitch = static_cast<int32_t>(2 * page_), sum_pitch = 2 * key_pitch;
  const auto group = static_cast<int32_t>(group_);
  p_.heads = heads_;
  p_.heads_of_kv = group_;
  p_.head_size = h_;
  p_.part = mine_.part;
  p_.parts = mine_.parts;
  if (p_.parts > 1) {  // the program sets the lengths
    m_.from(OW_WORDS_PART_IN, OW_F32, OW_FLOW_LEFT, 1);
    m_.to(OW_WORDS_PART_OUT, OW_F32, OW_FLOW_LEFT, 1);
    m_.from(OW_WORDS_WHOLE_IN, OW_F32, OW_FLOW_RIGHT, 1);
    m_.to(OW_WORDS_WHOLE_OUT, OW_F32, OW_FLOW_RIGHT, 1);
  }
  p_.query_scale = to_half(model_.type, 1 / std::sqrt(static_cast<double>(shape_.head_size)));
  p_.score_pitch = 2 * std::min(OW_SCORE_PLACES, page_ * p_.slot_pages);
  p_.scores = m_.take(uint64_t{heads_} * p_.score_pitch, kScore, kMix);
  const auto score_pitch = static_cast<int32_t>(p_.score_pitch);
  m_.entry(ENTRY(SCORE, KEYS)) =
      OW_WORDS_MEM4(half_, 0, page_, 2, h_, key_pitch, group_, 0, kv_, signed_h_ * key_pitch);
  m_.entry(ENTRY(SCORE, QUERY)) = OW_WORDS_MEM4(half_, taken_, page_, 0, h_, 2, group_,
                                                2 * signed_h_, kv_, 2 * signed_h_ * group);
  m_.entry(ENTRY(SCORE, SUMS)) = OW_WORDS_MEM4(OW_F32, OW_ACC_ADDR(0), page_, 4, h_, 0, group_,
                                               sum_pitch, kv_, group * sum_pitch);
  m_.rows(ENTRY(SCORE, ROWS), OW_F32, OW_ACC_ADDR(0), page_, 4, heads_, sum_pitch);
  m_.rows(ENTRY(SCORE, PAGE), half_, p_.scores, page_, 2, heads_, score_pitch);
  const uint32_t maximum = m_.take(2ull * heads_, kScore, kMix);
  total_ = m_.take(4ull * heads_, kScore, kDivide);
  m_.rows(ENTRY(SOFTMAX, SCORES), half_, p_.scores, page_, 2, heads_, score_pitch);
  m_.row(ENTRY(SOFTMAX, WIDE_MAXIMUM), OW_F32, m_.take(4ull * heads_, kScore, kMix), heads_);
  m_.row(ENTRY(SOFTMAX, MAXIMUM), half_, maximum, heads_);
  m_.rows(ENTRY(SOFTMAX, EACH_MAXIMUM), half_, maximum, 1, 0, heads_, 2);
  m_.row(ENTRY(SOFTMAX, TOTAL), OW_F32, total_, heads_);
}

// The sums of values by e^score.
void BlockTile::values() {
  const auto group = static_cast<int32_t>(group_);
  const auto value_pitch = static_cast<int32_t>(2 * p_.kv_features);
  const auto score_pitch = static_cast<int32_t>(p_.score_pitch);
  // Heads run faster than places, so that a sum is not needed again at once.
  m_.entry(ENTRY(MIX, VALUES)) =
      OW_WORDS_MEM4(half_, 0, h_, 2, group_, 0, kv_, 2 * signed_h_, page_, value_pitch);
  m_.entry(ENTRY(MIX, WEIGHTS)) = OW_WORDS_MEM4(half_, p_.scores, h_, 0, group_, score_pitch, kv_,
                                                group * score_pitch, page_, 2);
  m_.entry(ENTRY(MIX, SUMS)) = OW_WORDS_MEM4(OW_F32, OW_ACC_ADDR(0), h_, 4, group_, 4 * signed_h_,
                                             kv_, 4 * group * signed_h_, page_, 0);
  m_.row(ENTRY(MIX, ROWS), OW_F32, OW_ACC_ADDR(0), heads_ * h_);
  if (!several_ && !last_) return;
  wide_ = m_.take(4ull * heads_ * h_, several_ ? kScoreAgain : kDivide, kDivide);
  m_.row(ENTRY(MIX, WIDE), OW_F32, wide_, heads_ * h_);
}

void BlockTile::divide() {
  const uint32_t mixed = m_.take(2ull * heads_ * h_, kDivide, kOutput);
  m_.row(ENTRY(DIVIDE, HALF), OW_BF16, m_.take(2ull * heads_, kMix, kDivide), heads_);
  m_.row(ENTRY(DIVIDE, MINUS), OW_F32, m_.take(4ull * heads_, kMix, kDivide), heads_);
  m_.row(ENTRY(DIVIDE, ERROR), OW_F32, m_.take(4ull * heads_, kMix, kDivide), heads_);
  m_.rows(ENTRY(DIVIDE, MIX), OW_F32, wide_, h_, 4, heads_, 4 * signed_h_);
  m_.rows(ENTRY(DIVIDE, EACH_TOTAL), OW_F32, total_, h_, 0, heads_, 4);
  m_.row(ENTRY(DIVIDE, RESULT), half_, mixed, heads_ * h_);
  m_.row(OW_WORDS_MIXED, half_, mixed, heads_ * h_);
  m_.to(OW_WORDS_MIXED_OUT, half_, OW_FLOW_UP, heads_ * h_, OW_TAGGED | OW_CLOSE(1, 1));
}

void BlockTile::shrink() {
  const auto count = static_cast<uint32_t>(units_.size());
  const uint32_t hidden = m_.take(2ull * count, kHidden, kDown), y = p_.hidden.y;
  m_.row(ENTRY(SHRINK, GATE), half_, y, count);
  m_.row(ENTRY(SHRINK, UNIT), half_, y + p_.hidden.y_pass_bytes * p_.hidden.passes / 2, count);
  m_.row(ENTRY(SHRINK, HIDDEN), half_, hidden, count);
  m_.row(OW_WORDS_HIDDEN, half_, hidden, count);
  m_.to(OW_WORDS_HIDDEN_OUT, half_, OW_FLOW_UP, count, OW_TAGGED | OW_CLOSE(1, 1));
}

}  // namespace

RegionMemory block_tile(const LanguageModel& model, const LanguagePlan& plan, size_t block, int row,
                        int col, const FreeMemory& memory) {
  return BlockTile(model, plan, block, row, col, memory).memory();
}

}  // namespace ow::jobs
