// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/pass_time.h"
#include "ow/tensor/distribution.h"

#include <algorithm>

namespace ow::jobs {
namespace {

// On one grid row all sums are whole, whatever they are called.
bool is_whole(const PassShape& shape) { return shape.whole || shape.rows == 1; }

// Cycles of a reducer: one per element, or one per two elements if it adds nothing.
uint64_t sum_cycles(const PassShape& shape) {
  const auto samples = static_cast<uint64_t>(shape.samples);
  return is_whole(shape) && !shape.bias ? samples / 2 : samples;
}

}  // namespace

// The state of a grid row's engine and reducer, output after output.
struct PassClock::Row {
  uint64_t engine = 0;          // e[p]
  uint64_t free = 0;            // the reducer has sent its last sum
  uint64_t begun = 0;           // s[p]
  uint64_t ramp = 0;            // the ramp has brought what p needs
  uint64_t sum = 0;             // e[p], as the reducer sees it
  std::vector<uint64_t> freed;  // the last `ring` of them, by p mod ring
  uint64_t wavelets = 0, beats = 0;
  size_t outputs = 0;  // outputs that are whole
};

PassClock::PassClock(const PassCosts& costs, const TimeModel& time, int rows)
    : costs_(costs), time_(time), period_(time.period_in()), edges_(static_cast<size_t>(rows)) {}

void PassClock::hold(uint64_t cycle) {
  for (Edge& edge : edges_) edge.at = std::max(edge.at, cycle * kTimeUnit);
}

uint64_t PassClock::streamed() const {
  uint64_t last = 0;
  for (const Edge& edge : edges_) last = std::max(last, edge.at / kTimeUnit);
  return last;
}

void PassClock::open(size_t row, uint64_t begin) {
  const uint64_t now = begin * kTimeUnit, ahead = time_.edge_depth * period_;
  if (now > ahead) edges_[row].at = std::max(edges_[row].at, now - ahead);
}

uint64_t PassClock::take(int row, uint64_t wavelets, uint64_t begin) {
  const auto r = static_cast<size_t>(row);
  open(r, begin);
  edges_[r].at += wavelets * period_;
  return edges_[r].at / kTimeUnit;
}

void PassClock::engine(const PassShape& shape, size_t r, size_t p, uint64_t weights, Row* at) {
  const uint64_t own_beats =
      static_cast<uint64_t>(shape.samples) / static_cast<uint64_t>(shape.lanes);
  const uint64_t beats = std::max(costs_.least_beats, own_beats);
  edges_[r].at += (weights + 1) * period_;
  const uint64_t came = edges_[r].at / kTimeUnit;
  at->ramp += weights + 1;
  at->wavelets += weights + 1;
  // The turn that a short weight leaves unused is hidden by its row's end.
  const uint64_t work = weights * beats - (weights > 0 && beats > own_beats ? 1 : 0);
  at->beats += work;
  at->engine = std::max({at->engine, at->freed[p % at->freed.size()], came}) + work;
  at->sum = at->engine + costs_.ready;
  open(r, at->engine);  // the edge is ahead by its depth at most
}

void PassClock::column(const PassShape& shape, const WeightCount& weights, std::vector<Row>* all) {
  std::vector<Row>& row = *all;
  const size_t rows = row.size();
  const auto samples = static_cast<uint64_t>(shape.samples);
  size_t p = 0;
  for (size_t owner = 0; owner < rows; ++owner) {
    const int count = owned_elements(shape.outputs, static_cast<int>(owner), shape.rows);
    for (int k = 0; k < count; ++k, ++p) {
      for (size_t r = 0; r < rows; ++r) {
        engine(shape, r, p, weights(static_cast<int>(r), static_cast<int>(p)), &row[r]);
      }
      // Round the column, from the row below the owner to the owner.
      uint64_t above = 0;
      for (size_t n = 1; n <= rows; ++n) {
        const size_t r = (owner + n) % rows;
        row[r].begun = std::max({row[r].free, row[r].sum, above});
        if (n > 1) row[r].ramp = std::max(row[r].ramp, above) + samples;
        above = row[r].begun + costs_.hop;
        if (r + 1 == rows) above += costs_.wrap_hop * (rows - 1);
      }
      uint64_t below = 0;
      for (size_t n = rows; n >= 1; --n) {
        const size_t r = (owner + n) % rows;
        uint64_t slack = costs_.slack;
        if (r + 1 == rows) slack += 2 * costs_.wrap_hop * (rows - 1);  // each router holds some
        const uint64_t held = below > slack ? below - slack : 0;
        row[r].free = std::max({row[r].begun + samples, row[r].ramp, held});
        row[r].freed[p % row[r].freed.size()] = row[r].free;
        below = row[r].free;
      }
    }
  }
}

void PassClock::whole(const PassShape& shape, const WeightCount& weights, std::vector<Row>* row) {
  size_t p = 0;
  for (size_t owner = 0; owner < row->size(); ++owner) {
    const int count = owned_elements(shape.outputs, static_cast<int>(owner), shape.rows);
    Row& at = (*row)[owner];
    for (int k = 0; k < count; ++k, ++p) {
      uint64_t all = 0;
      for (int r = 0; r < shape.rows; ++r) all += weights(r, static_cast<int>(p));
      engine(shape, owner, at.outputs, all, &at);
      at.begun = std::max(at.free, at.sum);
      at.free = at.begun + sum_cycles(shape);
      at.freed[at.outputs % at.freed.size()] = at.free;
      ++at.outputs;
    }
  }
}

PassTimes PassClock::run(const PassShape& shape, const WeightCount& weights,
                         const std::vector<uint64_t>& begin) {
  const auto rows = static_cast<size_t>(shape.rows);
  std::vector<Row> row(rows);
  for (size_t r = 0; r < rows; ++r) {
    row[r].engine = row[r].free = row[r].ramp = begin[r] + costs_.start;
    row[r].freed.assign(static_cast<size_t>(shape.ring), 0);
    open(r, begin[r]);
  }
  const bool all = is_whole(shape);
  if (all) {
    whole(shape, weights, &row);
  } else {
    column(shape, weights, &row);
  }
  PassTimes times;
  times.reducer =
      sum_cycles(shape) *
      static_cast<uint64_t>(all ? owned_elements(shape.outputs, 0, shape.rows) : shape.outputs);
  for (const Row& r : row) {
    times.end.push_back(r.free);
    times.wavelets = std::max(times.wavelets, r.wavelets);
    times.engine = std::max(times.engine, r.beats);
  }
  times.ramp = times.wavelets + (all ? 0 : times.reducer);
  return times;
}

}  // namespace ow::jobs
