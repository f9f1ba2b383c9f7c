// SPDX-License-Identifier: Apache-2.0
// The tiles of a block: weights, keys and values, descriptors.
#include <cmath>
#include <numeric>

#include "region_entries.h"
#include "region_tile.h"
#include "rotary_tables.h"

namespace ow::jobs {
namespace {

// What a column has of the attention heads.
struct ColumnHeads {
  uint32_t first = 0, heads = 0;        // of queries
  uint32_t first_kv = 0, kv_heads = 0;  // of keys and values

  ColumnHeads(const LanguageShape& shape, int columns, int col) {
    heads = static_cast<uint32_t>(shape.heads / columns);
    first = heads * static_cast<uint32_t>(col);
    if (columns <= shape.kv_heads) {
      kv_heads = static_cast<uint32_t>(shape.kv_heads / columns);
      first_kv = kv_heads * static_cast<uint32_t>(col);
    } else {
      kv_heads = 1;
      first_kv = static_cast<uint32_t>(col / (columns / shape.kv_heads));
    }
  }
};

std::vector<uint32_t> run(uint32_t first, uint32_t count) {
  std::vector<uint32_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

// The tables of angles, and where the last row makes a position's cosines and sines: -sin before
// sin.
void angle_entries(RegionMemory& m, const LanguageShape& shape, int positions, uint32_t cosine,
                   uint32_t sines) {
  ow_region& p = m.parameters();
  const auto pairs = static_cast<uint32_t>(shape.head_size / 2);
  p.fine_bits = fine_bits(shape);
  p.angle_bytes = 4 * pairs;
  const uint32_t fine = 1u << p.fine_bits;
  const uint32_t coarse = (static_cast<uint32_t>(positions) + fine - 1) / fine;
  const std::vector<uint32_t> tables = rotary_tables(shape, positions);
  const uint32_t at = m.take(4 * tables.size());
  if (m.fits()) m.put(at, tables);
  const size_t angle = OW_WORDS_ANGLE;
  m.row(angle + OW_ANGLE_COARSE_COS, OW_F32, at, pairs);
  m.row(angle + OW_ANGLE_COARSE_SIN, OW_F32, at + coarse * p.angle_bytes, pairs);
  m.row(angle + OW_ANGLE_FINE_COS, OW_F32, at + 2 * coarse * p.angle_bytes, pairs);
  m.row(angle + OW_ANGLE_FINE_SIN, OW_F32, at + (2 * coarse + fine) * p.angle_bytes, pairs);
  m.row(angle + OW_ANGLE_WIDE_COS, OW_F32, m.take(4ull * pairs), pairs);
  m.row(angle + OW_ANGLE_WIDE_SIN, OW_F32, m.take(4ull * pairs), pairs);
  m.row(angle + OW_ANGLE_COS, m.half(), cosine, pairs);
  m.row(angle + OW_ANGLE_SIN, m.half(), sines + 2 * pairs, pairs);
  m.row(angle + OW_ANGLE_MINUS_SIN, m.half(), sines, pairs);
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
        h_(static_cast<uint32_t>(shape_.head_size)),
        signed_h_(shape_.head_size),
        m_(memory, model.type, OW_BLOCK_WORDS),
        half_(m_.half()),
        p_(m_.parameters()) {
    const int columns = plan.region.cols;
    units_ = dealt_list(shape_.hidden, columns, col, -1);
    // At the same address in all tiles: the host writes it while the region works.
    p_.page_table = m_.take(2ull * static_cast<uint64_t>(plan.slots * plan.slot_pages));
    p_.slot_pages = static_cast<uint32_t>(plan.slot_pages);
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
  const int32_t signed_h_;
  RegionMemory m_;
  const int half_;
  ow_region& p_;
  std::vector<uint32_t> units_;      // of the feed-forward part
  uint32_t taken_ = 0;               // queries, keys, values of the token
  uint32_t total_ = 0;               // fp32, of each head
  uint32_t cosine_ = 0, sines_ = 0;  // of the position
};

void BlockTile::residual() {
  const Residual x = residual_entries(m_, model_, plan_, row_, col_);
  if (col_ > 0) return;
  norm_entries(m_, model_, plan_, row_, x.inbox, weights_.attention_norm, OW_WORDS_NORM);
  norm_entries(m_, model_, plan_, row_, x.residual, weights_.hidden_norm, OW_WORDS_SECOND_NORM);
  normal_entry(m_, OW_WORDS_NORMAL_OUT);
  m_.row(OW_WORDS_SECOND_NORM + OW_NORM_INBOX, half_, x.inbox, p_.features);
  m_.row(OW_WORDS_SECOND_NORM + OW_NORM_RESIDUAL, half_, x.residual, p_.features);
}

void BlockTile::products() {
  const auto width = static_cast<size_t>(shape_.width);
  const auto all_heads = static_cast<uint32_t>(shape_.heads);
  const auto all_kv = static_cast<uint32_t>(shape_.kv_heads);
  std::vector<uint16_t> three = weights_.query;  // queries, keys, values
  three.insert(three.end(), weights_.key.begin(), weights_.key.end());
  three.insert(three.end(), weights_.value.begin(), weights_.value.end());
  const std::vector<uint32_t> queries = run(mine_.first * h_, heads_ * h_);
  std::vector<uint32_t> taken = queries;
  for (const uint32_t begin : {all_heads, all_heads + all_kv}) {
    const std::vector<uint32_t> part = run((begin + mine_.first_kv) * h_, kv_ * h_);
    taken.insert(taken.end(), part.begin(), part.end());
  }
  const auto most_units = static_cast<int>(dealt_of(shape_.hidden, plan_.region.cols, 0));
  const std::vector<uint32_t> all_units =
      dealt_list(shape_.hidden, plan_.region.cols, col_, most_units);
  const std::vector<uint32_t> in = features(false), out = features(true);
  p_.attention = m_.gemv({{&three, width, taken, in}});
  p_.output = m_.gemv({{&weights_.output, size_t{all_heads} * h_, out, queries}});
  p_.hidden =
      m_.gemv({{&weights_.gate, width, all_units, in}, {&weights_.up, width, all_units, in}});
  p_.down = m_.gemv({{&weights_.down, static_cast<size_t>(shape_.hidden), out, units_}});
  if (last_) {
    m_.take_outputs(&p_.attention);
    m_.take_outputs(&p_.hidden);
  }
  if (col_ == 0) {
    m_.take_outputs(&p_.output);
    p_.down.y = p_.output.y;
    m_.row(OW_WORDS_SECOND_NORM + OW_NORM_Y, half_, p_.output.y, p_.features);
  }
}

// Of the last row: queries and keys, as they come and turned.
void BlockTile::turn() {
  const uint32_t turned_heads = heads_ + kv_, y = p_.attention.y;
  const uint32_t turned = m_.take(2ull * turned_heads * h_);
  const size_t turn = OW_WORDS_TURN;
  cosine_ = m_.take(h_);
  sines_ = m_.take(2ull * h_);
  const auto halves = [&](size_t number, uint32_t addr, int32_t other, int32_t pitch) {
    m_.entry(turn + number) = OW_WORDS_MEM3(half_, addr, h_ / 2, 2, 2, other, turned_heads, pitch);
  };
  halves(OW_TURN_STRAIGHT, y, signed_h_, 2 * signed_h_);
  halves(OW_TURN_SWAPPED, y + h_, -signed_h_, 2 * signed_h_);
  halves(OW_TURN_TURNED, turned, signed_h_, 2 * signed_h_);
  halves(OW_TURN_EACH_COS, cosine_, 0, 0);
  halves(OW_TURN_EACH_SINE, sines_, signed_h_, 0);
  m_.row(turn + OW_TURN_QUERIES, half_, turned, heads_ * h_);
  m_.row(turn + OW_TURN_ALL, half_, turned, turned_heads * h_);
  m_.to(turn + OW_TURN_UP_OUT, half_, OW_FLOW_UP, turned_heads * h_);
  m_.row(turn + OW_TURN_VALUES, half_, y + 2 * turned_heads * h_, kv_ * h_);
  m_.to(turn + OW_TURN_VALUES_UP_OUT, half_, OW_FLOW_UP, kv_ * h_);
  angle_entries(m_, shape_, plan_.positions, cosine_, sines_);
}

// The token's queries, keys and values in all tiles, and their place in a page.
void BlockTile::keep() {
  const uint32_t count = (heads_ + 2 * kv_) * h_;
  const size_t turn = OW_WORDS_TURN;
  taken_ = m_.take(2ull * count);
  p_.kv_features = kv_ * h_;
  p_.value_offset = 2 * OW_PAGE_PLACES * p_.kv_features;
  p_.page_bytes = 2 * p_.value_offset;
  m_.row(OW_WORDS_TAKEN, half_, taken_, count);
  m_.from(OW_WORDS_TAKEN_IN, half_, OW_FLOW_UP, count);
  m_.row(turn + OW_TURN_KEY, half_, taken_ + 2 * heads_ * h_, kv_ * h_);
  m_.entry(turn + OW_TURN_KEY_PLACE) = OW_WORDS_MEM1(half_, 0, kv_ * h_, 2 * OW_PAGE_PLACES);
  m_.row(turn + OW_TURN_VALUE, half_, taken_ + 2 * (heads_ + kv_) * h_, kv_ * h_);
  m_.row(turn + OW_TURN_VALUE_PLACE, half_, 0, kv_ * h_);
}

void BlockTile::scores() {
  const int32_t key_pitch = 2 * OW_PAGE_PLACES, sum_pitch = 4 * OW_PAGE_PLACES;
  const auto group = static_cast<int32_t>(group_);
  const size_t turn = OW_WORDS_TURN, softmax = OW_WORDS_SOFTMAX;
  p_.heads = heads_;
  p_.heads_of_kv = group_;
  p_.head_size = h_;
  p_.query_scale = to_half(model_.type, 1 / std::sqrt(static_cast<double>(h_)));
  p_.score_pitch = 2 * OW_PAGE_PLACES * p_.slot_pages;
  p_.scores = m_.take(uint64_t{heads_} * p_.score_pitch);
  const auto score_pitch = static_cast<int32_t>(p_.score_pitch);
  m_.entry(turn + OW_TURN_KEYS) = OW_WORDS_MEM4(half_, 0, OW_PAGE_PLACES, 2, h_, key_pitch, group_,
                                                0, kv_, signed_h_ * key_pitch);
  m_.entry(turn + OW_TURN_QUERY) = OW_WORDS_MEM4(half_, taken_, OW_PAGE_PLACES, 0, h_, 2, group_,
                                                 2 * signed_h_, kv_, 2 * signed_h_ * group);
  m_.entry(turn + OW_TURN_SUMS) = OW_WORDS_MEM4(OW_F32, OW_ACC_ADDR(0), OW_PAGE_PLACES, 4, h_, 0,
                                                group_, sum_pitch, kv_, group * sum_pitch);
  m_.rows(turn + OW_TURN_SUM_ROWS, OW_F32, OW_ACC_ADDR(0), OW_PAGE_PLACES, 4, heads_, sum_pitch);
  m_.rows(turn + OW_TURN_PAGE_SCORES, half_, p_.scores, OW_PAGE_PLACES, 2, heads_, score_pitch);
  const uint32_t maximum = m_.take(2ull * heads_);
  total_ = m_.take(4ull * heads_);
  m_.rows(softmax + OW_SOFTMAX_SCORES, half_, p_.scores, OW_PAGE_PLACES, 2, heads_, score_pitch);
  m_.row(softmax + OW_SOFTMAX_MAXIMUM, half_, maximum, heads_);
  m_.rows(softmax + OW_SOFTMAX_EACH_MAXIMUM, half_, maximum, 1, 0, heads_, 2);
  m_.from(softmax + OW_SOFTMAX_IN, half_, OW_FLOW_JOIN, heads_);
  m_.to(softmax + OW_SOFTMAX_OUT, half_, OW_FLOW_JOIN, heads_);
  m_.from(softmax + OW_SOFTMAX_UP_IN, half_, OW_FLOW_UP, heads_);
  m_.to(softmax + OW_SOFTMAX_UP_OUT, half_, OW_FLOW_UP, heads_);
  m_.row(softmax + OW_SOFTMAX_TOTAL, OW_F32, total_, heads_);
}

// The sums of values by e^score.
void BlockTile::values() {
  const size_t mix = OW_WORDS_MIX - OW_SOFTMAX_GROUP;
  const auto group = static_cast<int32_t>(group_);
  const auto value_pitch = static_cast<int32_t>(2 * p_.kv_features);
  const auto score_pitch = static_cast<int32_t>(p_.score_pitch);
  m_.entry(mix + OW_MIX_VALUES) =
      OW_WORDS_MEM4(half_, 0, h_, 2, OW_PAGE_PLACES, value_pitch, group_, 0, kv_, 2 * signed_h_);
  m_.entry(mix + OW_MIX_WEIGHTS) = OW_WORDS_MEM4(half_, p_.scores, h_, 0, OW_PAGE_PLACES, 2, group_,
                                                 score_pitch, kv_, group * score_pitch);
  m_.entry(mix + OW_MIX_SUMS) = OW_WORDS_MEM4(OW_F32, OW_ACC_ADDR(0), h_, 4, OW_PAGE_PLACES, 0,
                                              group_, 4 * signed_h_, kv_, 4 * group * signed_h_);
  m_.row(mix + OW_MIX_ROWS, OW_F32, OW_ACC_ADDR(0), heads_ * h_);
  m_.from(mix + OW_MIX_TOTAL_IN, OW_F32, OW_FLOW_JOIN, heads_);
  m_.to(mix + OW_MIX_TOTAL_OUT, OW_F32, OW_FLOW_JOIN, heads_);
  m_.from(mix + OW_MIX_IN, OW_F32, OW_FLOW_JOIN, heads_ * h_);
  m_.to(mix + OW_MIX_OUT, OW_F32, OW_FLOW_JOIN, heads_ * h_);
}

void BlockTile::divide() {
  const size_t divide = OW_WORDS_DIVIDE;
  const uint32_t wide = m_.take(4ull * heads_ * h_), mixed = m_.take(2ull * heads_ * h_);
  m_.row(OW_WORDS_MIX - OW_SOFTMAX_GROUP + OW_MIX_WIDE, OW_F32, wide, heads_ * h_);
  m_.row(divide + OW_DIVIDE_HALF, OW_BF16, m_.take(2ull * heads_), heads_);
  m_.row(divide + OW_DIVIDE_MINUS, OW_F32, m_.take(4ull * heads_), heads_);
  m_.row(divide + OW_DIVIDE_ERROR, OW_F32, m_.take(4ull * heads_), heads_);
  m_.rows(divide + OW_DIVIDE_MIX, OW_F32, wide, h_, 4, heads_, 4 * signed_h_);
  m_.rows(divide + OW_DIVIDE_EACH_TOTAL, OW_F32, total_, h_, 0, heads_, 4);
  m_.row(divide + OW_DIVIDE_RESULT, half_, mixed, heads_ * h_);
  m_.row(OW_WORDS_MIXED, half_, mixed, heads_ * h_);
  m_.to(OW_WORDS_MIXED_OUT, half_, OW_FLOW_UP, heads_ * h_, OW_TAGGED | OW_CLOSE(1, 1));
}

void BlockTile::shrink() {
  const size_t shrink = OW_WORDS_SHRINK;
  const auto count = static_cast<uint32_t>(units_.size());
  const uint32_t hidden = m_.take(2ull * count);
  m_.row(shrink + OW_SHRINK_GATE, half_, p_.hidden.y, count);
  m_.row(shrink + OW_SHRINK_UNIT, half_,
         p_.hidden.y + p_.hidden.y_pass_bytes * p_.hidden.passes / 2, count);
  m_.row(shrink + OW_SHRINK_HIDDEN, half_, hidden, count);
  m_.row(OW_WORDS_HIDDEN, half_, hidden, count);
  m_.to(OW_WORDS_HIDDEN_OUT, half_, OW_FLOW_UP, count, OW_TAGGED | OW_CLOSE(1, 1));
}

}  // namespace

RegionMemory block_tile(const LanguageModel& model, const LanguagePlan& plan, size_t block, int row,
                        int col, const FreeMemory& memory) {
  return BlockTile(model, plan, block, row, col, memory).memory();
}

}  // namespace ow::jobs
