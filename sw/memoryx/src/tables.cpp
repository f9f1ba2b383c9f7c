// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/tables.h"

#include "ow/base/error.h"
#include "ow/memoryx/round.h"
#include "ow/tensor/distribution.h"

namespace ow::memoryx {
namespace {

View<float> row_of(const Store& store, size_t table, int row) {
  const TensorSpec& spec = store.spec(table);
  if (row < 0 || static_cast<uint64_t>(row) >= spec.shape[0]) {
    throw InternalError("a token or a position outside " + spec.name);
  }
  return store.weights(table, static_cast<size_t>(row) * spec.shape[1], spec.shape[1]);
}

}  // namespace

Activations looked_up(const Store& store, HalfType type, size_t table,
                      std::optional<size_t> positions, const Tokens& tokens) {
  const size_t width = store.spec(table).shape[1];
  Activations x = Activations::zero(static_cast<int>(width), static_cast<int>(tokens.ids.size()));
  std::vector<float> sum(width);
  std::vector<uint16_t> rounded(width);
  for (size_t s = 0; s < tokens.ids.size(); ++s) {
    if (tokens.ids[s] == kNoToken) continue;
    const View<float> row = row_of(store, table, tokens.ids[s]);
    sum.assign(row.begin(), row.end());
    if (positions) {
      const View<float> place = row_of(store, *positions, tokens.position_of(s));
      for (size_t f = 0; f < width; ++f) sum[f] += place[f];
    }
    round_half(type, sum.data(), width, rounded.data());
    for (size_t f = 0; f < width; ++f) {
      x.at(static_cast<int>(f), static_cast<int>(s)) = rounded[f];
    }
  }
  return x;
}

TableGradients::TableGradients(const Store& store, const TrainingJob& job, const StreamStep& step,
                               const Tokens& tokens)
    : store_(store),
      job_(job),
      tokens_(tokens),
      width_(store.spec(step.parameter).shape[1]),
      sums_{{step.parameter, {}}} {
  if (step.positions) sums_.push_back({*step.positions, {}});
}

uint64_t TableGradients::pairs(const TrainingJob& job, size_t width, int row) {
  const int own = owned_elements(static_cast<int>(width), row, job.grid_rows);
  return static_cast<uint64_t>(own) * job.micro_batch() / 2;
}

void TableGradients::add(Sums* sums, size_t row, size_t feature, float delta) const {
  std::vector<float>& of = sums->rows[row];
  of.resize(width_);
  of[feature] += delta;
}

void TableGradients::take(int row, uint64_t number, uint32_t pair) {
  const auto samples = static_cast<uint64_t>(job_.samples);
  const uint64_t element = 2 * number, of_column = 2 * pairs(row) / job_.grid_cols;
  const uint64_t column = element / of_column, local = element % of_column / samples;
  const auto feature =
      static_cast<size_t>(local * static_cast<uint64_t>(job_.grid_rows)) + static_cast<size_t>(row);
  for (size_t half = 0; half < 2; ++half) {
    const size_t slot = column * samples + element % samples + half;
    const int token = tokens_.ids[slot];
    if (token == kNoToken) continue;
    const float delta = from_half(job_.type, static_cast<uint16_t>(pair >> (16 * half)));
    add(&sums_[0], static_cast<size_t>(token), feature, delta);
    if (sums_.size() == 1) continue;
    add(&sums_[1], static_cast<size_t>(tokens_.position_of(slot)), feature, delta);
  }
}

void TableGradients::put(int slot, bool again) const {
  put(sums_[0], slot, again);
  if (sums_.size() > 1) put(sums_[1], slot, false);
}

// A row that no token uses has +0.
void TableGradients::put(const Sums& sums, int slot, bool again) const {
  const size_t parameter = sums.parameter;
  store_.each_window(parameter, [&](size_t first, size_t count) {
    const View<float> gradient = store_.gradient(parameter, slot, first, count);
    for (size_t i = 0; i < count; ++i) {
      const auto row = sums.rows.find((first + i) / width_);
      const float sum = row == sums.rows.end() ? 0.0f : row->second[(first + i) % width_];
      gradient[i] = again ? sum + gradient[i] : sum;
    }
  });
}

}  // namespace ow::memoryx
