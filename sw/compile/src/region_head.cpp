// SPDX-License-Identifier: Apache-2.0
// The tiles of the head; what tiles of all regions have in common.
#include "region_entries.h"
#include "region_tile.h"

namespace ow::jobs {
namespace {

uint32_t bits_of(double x) {
  const auto value = static_cast<float>(x);
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

std::vector<uint32_t> dealt_list(int count, int parts, int part, int length) {
  std::vector<uint32_t> list;
  for (int i = part; i < count; i += parts) list.push_back(static_cast<uint32_t>(i));
  if (length >= 0) list.resize(static_cast<size_t>(length), UINT32_MAX);
  return list;
}

Residual residual_entries(RegionMemory& m, const LanguageModel& model, const LanguagePlan& plan,
                          int row, int col) {
  const LanguageShape& shape = model.shape;
  const int half = m.half();
  ow_region& p = m.parameters();
  p.rows = static_cast<uint32_t>(plan.region.rows);
  p.columns = static_cast<uint32_t>(plan.region.cols);
  p.inverse_rows = static_cast<uint32_t>(((uint64_t{1} << 32) + p.rows - 1) / p.rows);
  p.features = dealt_of(shape.width, plan.region.rows, row);
  p.share = bits_of(1.0 / shape.width);
  p.epsilon = bits_of(shape.epsilon);
  m.from(OW_DSR_ROW_IN, half, OW_FLOW_ROW, 0, OW_TAGGED);
  m.from(OW_DSR_UP_IN, half, OW_FLOW_UP, 0, OW_TAGGED);
  // The program sets the lengths of these.
  m.from(OW_DSR_JOIN_IN, OW_F32, OW_FLOW_JOIN, 1);
  m.to(OW_DSR_JOIN_OUT, OW_F32, OW_FLOW_JOIN, 1);
  m.from(OW_DSR_WORDS_IN, OW_F32, OW_FLOW_UP, 1);
  m.to(OW_DSR_WORDS_OUT, OW_F32, OW_FLOW_UP, 1);
  if (row > 0 || col > 0) {
    m.from(OW_WORDS_COMMAND_IN, OW_I32, OW_FLOW_COMMAND, OW_COMMAND_WORDS);
    m.row(OW_WORDS_COMMAND, OW_I32, m.take(4 * OW_COMMAND_WORDS), OW_COMMAND_WORDS);
  }
  if (col > 0) return {};
  // Packets: a command, which only tile (0, 0) sends, and the residual.
  const uint32_t words = (p.features + 1) / 2, header = 4 * OW_COMMAND_WORDS;
  const bool leads = row == 0;
  const uint32_t sent = words + (leads ? OW_COMMAND_WORDS : 0);
  const uint32_t before = leads ? header : 0;
  const uint32_t in = m.take(before + 4 * words), out = m.take(before + 4 * words);
  m.from(OW_DSR_NEXT_IN, OW_I32, OW_FLOW_NEXT, sent);
  m.to(OW_DSR_NEXT_OUT, OW_I32, OW_FLOW_NEXT, sent);
  m.row(OW_DSR_PACKET_IN, OW_I32, in, sent);
  m.row(OW_DSR_PACKET_OUT, OW_I32, out, sent);
  return {in + before, out + before};
}

namespace {

size_t norm(int number) { return static_cast<size_t>(OW_WORDS_NORM + number - OW_NORM_FIRST); }

}  // namespace

void norm_entries(RegionMemory& m, const std::vector<RegionStep>& steps) {
  const uint32_t n = m.parameters().features;
  std::vector<RegionMemory::Steps> alone, with_product;
  for (const RegionStep step : steps) {
    alone.push_back({step, step});
    with_product.push_back({step, static_cast<RegionStep>(step + 1)});
  }
  const uint32_t normal = m.take(2ull * n, with_product);
  const uint32_t wide = m.take(4ull * n, alone), numbers = m.take(24, alone);
  m.row(norm(OW_NORM_VARIANCE), OW_F32, numbers, 1);
  m.entry(norm(OW_NORM_SCALE)) = OW_WORDS_MEM1(OW_F32, numbers + 4, 1, 0);
  m.row(norm(OW_NORM_MINUS_HALF), OW_F32, numbers + 8, 1);
  m.row(norm(OW_NORM_SUM), OW_F32, numbers + 12, 1);
  m.row(norm(OW_NORM_ERROR), OW_F32, numbers + 16, 1);
  m.row(norm(OW_NORM_ROOT), OW_BF16, numbers + 20, 1);
  m.row(norm(OW_NORM_WIDE), OW_F32, wide, n);
  m.row(norm(OW_NORM_NORMAL), m.half(), normal, n);
}

void norm_of(RegionMemory& m, const LanguageModel& model, const LanguagePlan& plan, int row,
             uint32_t x, const std::vector<uint16_t>& gain, size_t x_entry) {
  const uint32_t n = m.parameters().features;
  std::vector<uint16_t> mine;
  for (const uint32_t f : dealt_list(model.shape.width, plan.region.rows, row, -1)) {
    mine.push_back(gain[f]);
  }
  const uint32_t gains = m.take(2ull * n);
  if (m.fits()) m.put(gains, mine);
  m.row(x_entry, m.half(), x, n);
  m.row(x_entry + 1, m.half(), gains, n);
}

void normal_entry(RegionMemory& m, size_t entry) {
  m.to(entry, m.half(), OW_FLOW_ROW, m.parameters().features, OW_TAGGED | OW_CLOSE(1, 1));
}

RegionMemory head_tile(const LanguageModel& model, const LanguagePlan& plan, int row, int col,
                       const FreeMemory& memory) {
  const LanguageShape& shape = model.shape;
  const int rows = plan.region.rows, columns = plan.region.cols;
  RegionMemory m(memory, model.type, OW_HEAD_WORDS);
  const int half = m.half();
  ow_region& p = m.parameters();
  const Residual x = residual_entries(m, model, plan, row, col);
  if (col == 0) {
    norm_entries(m, {kNorm});
    norm_of(m, model, plan, row, x.inbox, model.norm, norm(OW_NORM_X));
    normal_entry(m, OW_WORDS_HEAD_NORMAL_OUT);
  }
  const std::vector<uint32_t> features = dealt_list(shape.width, rows, row, -1);
  const std::vector<uint32_t> tokens = dealt_list(
      shape.vocabulary, columns, col, static_cast<int>(dealt_of(shape.vocabulary, columns, 0)));
  const auto width = static_cast<size_t>(shape.width);
  p.tokens = dealt_of(shape.vocabulary, columns, col);
  p.logits = m.gemv({{&model.embedding, width, tokens, features}}, 4);
  p.embedding = p.logits.matrix.address;
  p.outputs = p.logits.y_pass_bytes / 4;
  if (!model.head.empty()) p.logits = m.gemv({{&model.head, width, tokens, features}}, 4);
  const auto embed = [](int n) { return static_cast<size_t>(OW_WORDS_EMBED + n - OW_EMBED_FIRST); };
  const auto find = [](int n) { return static_cast<size_t>(OW_WORDS_FIND + n - OW_FIND_FIRST); };
  m.entry(embed(OW_EMBED_COLUMN)) =
      OW_WORDS_MEM1(half, p.embedding, p.features, static_cast<int32_t>(2 * p.outputs));
  if (col == 0) m.row(embed(OW_EMBED_RESIDUAL), half, x.residual, p.features);
  m.from(embed(OW_EMBED_IN), half, OW_FLOW_LEFT, p.features);
  m.to(embed(OW_EMBED_OUT), half, OW_FLOW_LEFT, p.features);
  m.from(find(OW_FIND_BEST_IN), OW_I32, OW_FLOW_LEFT, 2);
  m.from(find(OW_FIND_ANSWER_IN), OW_I32, OW_FLOW_ANSWER, 2);
  m.row(find(OW_FIND_ANSWER), OW_I32, m.take(8), 2);
  if (row == 0 && col == 0) {
    m.from(OW_WORDS_COMMAND_IN, OW_I32, OW_FLOW_HOST, OW_COMMAND_WORDS);
    m.row(OW_WORDS_COMMAND, OW_I32, m.take(4 * OW_COMMAND_WORDS), OW_COMMAND_WORDS);
  }
  if (row + 1 == rows) {
    m.take_outputs(&p.logits);
    const uint32_t y = p.logits.y, whole = p.tokens / OW_LOGIT_ROW, tail = p.tokens % OW_LOGIT_ROW;
    p.logit_maxima = m.take(4ull * (whole + 1));
    m.rows(find(OW_FIND_ROWS), OW_F32, y, OW_LOGIT_ROW, 4, whole, 4 * OW_LOGIT_ROW);
    m.row(find(OW_FIND_MAXIMA), OW_F32, p.logit_maxima, whole);
    m.row(find(OW_FIND_TAIL), OW_F32, y + 4 * OW_LOGIT_ROW * whole, tail);
    m.row(find(OW_FIND_TAIL_MAXIMUM), OW_F32, p.logit_maxima + 4 * whole, 1);
    uint32_t behind = 0;
    for (int c = col + 1; c < columns; ++c) behind += dealt_of(shape.vocabulary, columns, c);
    m.row(find(OW_FIND_LOGITS), OW_I32, y, p.tokens);
    m.to(find(OW_FIND_LOGITS_OUT), OW_I32, OW_FLOW_LOGITS, p.tokens);
    m.from(find(OW_FIND_LOGITS_IN), OW_I32, OW_FLOW_LOGITS, behind);
    m.to(find(OW_FIND_LOGITS_PAST), OW_I32, OW_FLOW_LOGITS, behind);
  }
  return m;
}

}  // namespace ow::jobs
