// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/phase_time.h"

#include <algorithm>

#include "ow/tensor/distribution.h"

namespace ow::jobs {

Exits::Exits(const TimeModel& time, int rows, bool reduces)
    : period_(time.period_out(reduces)),
      room_(time.exit_depth + static_cast<uint64_t>(kLinkCredits)),
      late_(time.way_out()),
      at_(static_cast<size_t>(rows)) {}

uint64_t Exits::leave(size_t row, uint64_t numbers, uint64_t from) {
  at_[row] = std::max(at_[row], from * kTimeUnit) + numbers * period_;
  return (at_[row] - std::min(at_[row], room_ * period_)) / kTimeUnit;
}

uint64_t Exits::came(size_t row, uint64_t cycle) const {
  return late_ + std::max(cycle, at_[row] / kTimeUnit);
}

// The state of a grid row's engine and reducer in a pass, output after output.
struct PhaseClock::Row {
  uint64_t engine = 0;          // e[p]
  uint64_t free = 0;            // the reducer has sent its last sum
  uint64_t begun = 0;           // s[p]
  uint64_t ramp = 0;            // the ramp has brought what p needs
  uint64_t sum = 0;             // e[p], as the reducer sees it
  std::vector<uint64_t> freed;  // the last `ring` of them, by p mod ring
  uint64_t wavelets = 0, beats = 0;
  size_t outputs = 0;  // outputs that are whole
};

PhaseClock::PhaseClock(const ClockShape& shape, const TimeModel& time, bool reduces,
                       uint64_t launched, const TileCosts& costs)
    : shape_(shape),
      costs_(costs),
      edge_depth_(time.edge_depth),
      period_(time.period_in()),
      edges_(static_cast<size_t>(shape.grid.rows)),
      exits_(time, shape.grid.rows, reduces) {
  for (size_t r = 0; r < edges_.size(); ++r) {
    Tile tile;
    tile.at = launched + costs.launch + costs.launch_hop * (r + columns_passed());
    tiles_.push_back(tile);
  }
}

void PhaseClock::hold(uint64_t cycle) {
  for (uint64_t& edge : edges_) edge = std::max(edge, cycle * kTimeUnit);
}

uint64_t PhaseClock::streamed() const {
  return *std::max_element(edges_.begin(), edges_.end()) / kTimeUnit;
}

std::vector<uint64_t> PhaseClock::ends() const {
  std::vector<uint64_t> ends;
  for (const Tile& tile : tiles_) ends.push_back(tile.at);
  return ends;
}

uint64_t PhaseClock::beats() const {
  return static_cast<uint64_t>((shape_.samples + shape_.lanes - 1) / shape_.lanes);
}

void PhaseClock::open(size_t row, uint64_t begin) {
  const uint64_t now = begin * kTimeUnit, ahead = edge_depth_ * period_;
  if (now > ahead) edges_[row] = std::max(edges_[row], now - ahead);
}

PhaseTimes PhaseClock::run(const PhaseCost& cost, const PhaseStream& stream) {
  if (!begun_) {
    for (Tile& tile : tiles_) tile.at += costs_.prologue;
    begun_ = true;
  }
  for (Tile& tile : tiles_) tile.at += costs_.next;
  return std::visit([&](const auto& one) { return phase(one, stream); }, cost);
}

// ---- Work of the core.

// Down the column, a sum of what came from above and of the tile's own; then back to all others.
void PhaseClock::join(uint64_t words, uint64_t cycles) {
  const size_t rows = tiles_.size();
  if (rows == 1) return;
  const uint64_t send = costs_.join_out + words;
  uint64_t sent = 0;
  for (size_t r = 0; r < rows; ++r) {
    uint64_t& at = tiles_[r].at;
    if (r > 0) at = std::max(at + costs_.join_in, sent) + cycles;
    at = sent = at + send;
  }
  for (size_t r = 0; r + 1 < rows; ++r) {
    uint64_t& at = tiles_[r].at;
    at = std::max(at + costs_.join_in, sent);
    if (r + 2 < rows) at += send;
    sent = at;
  }
}

uint64_t PhaseClock::leave_sums(size_t row, uint64_t sums, uint64_t from, uint64_t words,
                                PhaseTimes* times) {
  times->leaving.push_back({sums, from, from});
  if (sums == 0) return from;
  Tile& tile = tiles_[row];
  const uint64_t begun = from + costs_.sums;
  const uint64_t work = sums * std::max(costs_.sums_beats, beats());
  const uint64_t done = std::max(begun + words * 5 / 16, tile.drained) + work;
  const uint64_t at = std::max(begun + costs_.sums_next, done) + costs_.sums_out;
  tile.drained =
      std::max(at + costs_.column * columns_passed() + sums, exits_.leave(row, sums, done));
  times->leaving.back().came = exits_.came(row, tile.drained);
  return at;
}

PhaseTimes PhaseClock::phase(const WorkCost& cost, const PhaseStream& /*stream*/) {
  PhaseTimes times;
  for (size_t part = 0; part < cost.parts.size(); ++part) {
    if (part > 0) join(cost.words, cost.join);
    for (size_t r = 0; r < tiles_.size(); ++r) tiles_[r].at += cost.parts[part][r];
  }
  for (size_t r = 0; r < tiles_.size(); ++r) {
    Tile& tile = tiles_[r];
    if (!cost.behind.empty()) tile.drained = std::max(tile.at, tile.drained) + cost.behind[r];
    if (!cost.leaves.empty()) tile.at = leave_sums(r, cost.leaves[r], tile.at, 0, &times);
  }
  return times;
}

PhaseTimes PhaseClock::phase(const SendCost& cost, const PhaseStream& /*stream*/) {
  const int others = cost.west ? 0 : shape_.grid.cols / 2;
  const auto blocks = static_cast<uint64_t>(shape_.grid.cols - others);
  const uint64_t relays = blocks > 1 ? costs_.first_relay + (blocks - 2) * costs_.relay : 0;
  PhaseTimes times;
  for (size_t r = 0; r < tiles_.size(); ++r) {
    const uint64_t from = tiles_[r].at, words = cost.words[r] * blocks;
    if (words > 0) tiles_[r].at += costs_.send + words + relays;
    if (!cost.west) continue;
    if (words > 0) tiles_[r].at = std::max(tiles_[r].at, exits_.leave(r, words, from));
    times.leaving.push_back({words, from, exits_.came(r, tiles_[r].at)});
  }
  return times;
}

// ---- Streamed passes.

uint64_t PhaseClock::sum_cycles(const PassCost& cost) const {
  const auto samples = static_cast<uint64_t>(shape_.samples);
  return is_whole(cost) && !cost.bias ? samples / 2 : samples;
}

void PhaseClock::engine(size_t r, size_t p, uint64_t weights, Row* at) {
  const uint64_t own_beats =
      static_cast<uint64_t>(shape_.samples) / static_cast<uint64_t>(shape_.lanes);
  const uint64_t most = std::max(costs_.least_beats, own_beats);
  edges_[r] += (weights + 1) * period_;
  const uint64_t came = edges_[r] / kTimeUnit;
  at->ramp += weights + 1;
  at->wavelets += weights + 1;
  // The turn that a short weight leaves unused is hidden by its row's end.
  const uint64_t work = weights * most - (weights > 0 && most > own_beats ? 1 : 0);
  at->beats += work;
  at->engine = std::max({at->engine, at->freed[p % at->freed.size()], came}) + work;
  at->sum = at->engine + costs_.ready;
  open(r, at->engine);  // the edge is ahead by its depth at most
}

void PhaseClock::column(const PassCost& cost, const WeightCount& weights, std::vector<Row>* all) {
  std::vector<Row>& row = *all;
  const size_t rows = row.size();
  const auto samples = static_cast<uint64_t>(shape_.samples);
  size_t p = 0;
  for (size_t owner = 0; owner < rows; ++owner) {
    const int count =
        owned_elements(static_cast<int>(cost.outputs), static_cast<int>(owner), shape_.grid.rows);
    for (int k = 0; k < count; ++k, ++p) {
      for (size_t r = 0; r < rows; ++r) {
        engine(r, p, weights(static_cast<int>(r), static_cast<int>(p)), &row[r]);
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

void PhaseClock::whole(const PassCost& cost, const WeightCount& weights, std::vector<Row>* row) {
  size_t p = 0;
  for (size_t owner = 0; owner < row->size(); ++owner) {
    const int count =
        owned_elements(static_cast<int>(cost.outputs), static_cast<int>(owner), shape_.grid.rows);
    Row& at = (*row)[owner];
    for (int k = 0; k < count; ++k, ++p) {
      uint64_t all = 0;
      for (int r = 0; r < shape_.grid.rows; ++r) all += weights(r, static_cast<int>(p));
      engine(owner, at.outputs, all, &at);
      at.begun = std::max(at.free, at.sum);
      at.free = at.begun + sum_cycles(cost);
      at.freed[at.outputs % at.freed.size()] = at.free;
      ++at.outputs;
    }
  }
}

PhaseTimes PhaseClock::phase(const PassCost& cost, const PhaseStream& stream) {
  const int rows = shape_.grid.rows, first = stream.first / rows;
  const auto outputs = static_cast<int>(cost.outputs);
  // The place in the whole stream of place p in this part of it.
  const auto weights = [&](int row, int p) {
    int owner = 0, place = p, begins = 0;
    for (;; ++owner) {
      const int count = owned_elements(outputs, owner, rows);
      if (place < count) break;
      place -= count;
      begins += owned_elements(stream.outputs, owner, rows);
    }
    return stream.weights(row, begins + first + place);
  };
  std::vector<Row> row(tiles_.size());
  for (size_t r = 0; r < row.size(); ++r) {
    const Tile& tile = tiles_[r];
    uint64_t at = tile.at + costs_.start + (cost.bias ? costs_.bias : 0);
    if (cost.gathered) at = std::max(at, tile.gathered + costs_.products_start);
    row[r].engine = row[r].ramp = at;
    row[r].free = std::max(at, tile.drained);
    row[r].freed.assign(static_cast<size_t>(shape_.ring), 0);
    open(r, tile.at);
  }
  const bool all = is_whole(cost);
  if (all) {
    whole(cost, weights, &row);
  } else {
    column(cost, weights, &row);
  }
  PhaseTimes times;
  times.reducer =
      sum_cycles(cost) * static_cast<uint64_t>(all ? owned_elements(outputs, 0, rows) : outputs);
  for (size_t r = 0; r < row.size(); ++r) {
    if (row[r].wavelets == 0) {
      tiles_[r].at += costs_.empty;
      continue;
    }
    tiles_[r].at = row[r].free + costs_.end;
    tiles_[r].drained = tiles_[r].at;
    times.wavelets = std::max(times.wavelets, row[r].wavelets);
    times.engine = std::max(times.engine, row[r].beats);
  }
  times.ramp = times.wavelets + (all ? 0 : times.reducer);
  return times;
}

// ---- Gradients.

PhaseTimes PhaseClock::phase(const GatherCost& cost, const PhaseStream& /*stream*/) {
  PhaseTimes times;
  const size_t rows = tiles_.size();
  const auto words_of = [&](size_t r, size_t back) { return cost.words[(r + rows - back) % rows]; };
  std::vector<uint64_t> core(rows), begun(rows), before(rows, 0), flow(rows, 0);
  for (size_t r = 0; r < rows; ++r) {
    begun[r] = tiles_[r].at + costs_.gather;
    uint64_t at = begun[r];
    if (words_of(r, 0) > 0) at += costs_.words_out;
    if (words_of(r, 1) > 0) at += costs_.words_in;
    if (words_of(r, 0) > 0 && !cost.in_place) {
      at += costs_.words_own;
      tiles_[r].drained = std::max(at, tiles_[r].drained) + words_of(r, 0);
    }
    at += costs_.gather_mid;
    if (!cost.sums.empty()) at = leave_sums(r, cost.sums[r], at, words_of(r, 0), &times);
    core[r] = at;
  }
  for (size_t n = 1; n < rows; ++n) {
    for (size_t r = 0; r < rows; ++r) {
      const uint64_t in = words_of(r, n), out = words_of(r, n - 1);
      flow[r] = before[r];
      if (in == 0) continue;
      const uint64_t came = begun[(r + rows - 1) % rows] + costs_.word_hop;
      flow[r] = std::max(flow[r], came) + in + std::min(in, out) / 4;
      if (n == 1 && !cost.in_place) flow[r] += out * 3 / 8;
      if (n == 1 && !cost.sums.empty()) flow[r] += cost.sums[r] * beats() * 5 / 4;
    }
    before = flow;
    if (n + 1 == rows) break;
    for (size_t r = 0; r < rows; ++r) {
      uint64_t at = core[r] + costs_.round;
      if (words_of(r, n + 1) > 0) at += costs_.words_in;
      begun[r] = at = std::max(at, flow[r]);
      if (words_of(r, n) > 0) at += costs_.words_out;
      core[r] = at;
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    tiles_[r].at = core[r] + costs_.gather_end;
    tiles_[r].gathered = flow[r];
  }
  return times;
}

PhaseTimes PhaseClock::phase(const GradientCost& cost, const PhaseStream& stream) {
  PhaseTimes times;
  const int rows = shape_.grid.rows;
  const uint64_t each = std::max(costs_.product_beats, beats());
  const auto lanes = static_cast<uint64_t>(shape_.lanes);
  for (size_t r = 0; r < tiles_.size(); ++r) {
    Tile& tile = tiles_[r];
    uint64_t positions = 0, alone = 0;  // outputs without a product: the row's end takes a cycle
    int begins = 0;
    for (int owner = 0; owner < rows; ++owner) {
      const int first = owned_elements(stream.first, owner, rows);
      const int last = owned_elements(stream.first + stream.count, owner, rows);
      for (int k = first; k < last; ++k) {
        const uint32_t w = stream.weights(static_cast<int>(r), begins + k);
        positions += w;
        alone += w == 0 ? 1 : 0;
      }
      begins += owned_elements(stream.outputs, owner, rows);
    }
    const uint64_t taken = 1 + positions + static_cast<uint64_t>(stream.count);
    const uint64_t work = positions * each + alone;
    uint64_t at = tile.at + (cost.first ? costs_.products_first : 0);
    at += costs_.products;
    if (cost.gathered) at = std::max(at, tile.gathered);
    at += costs_.products_start;
    open(r, tile.at);
    edges_[r] += taken * period_;
    // Gradients leave as whole rows of the reducer.
    const uint64_t padded = (positions + lanes - 1) / lanes * lanes;
    const uint64_t sent = exits_.leave(r, padded, at);
    const uint64_t end = std::max({at + work, edges_[r] / kTimeUnit, sent});
    tile.at = tile.drained = end + costs_.drain + costs_.column * columns_passed();
    times.leaving.push_back({positions, at, exits_.came(r, tile.at)});
    times.wavelets = std::max(times.wavelets, taken);
    times.engine = std::max(times.engine, work);
  }
  times.ramp = times.wavelets;
  return times;
}

}  // namespace ow::jobs
