// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/estimate.h"

#include <algorithm>
#include <cmath>

#include "estimate_samples.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/memoryx/memoryx.h"
#include "ow/memoryx/update_time.h"
#include "ow/tensor/distribution.h"

namespace ow::jobs {
namespace {

PhaseEstimate other(const char* name, uint64_t cycles) {
  PhaseEstimate phase;
  phase.name = name;
  phase.cycles = cycles;
  return phase;
}

// A pass of a layer by its name; "" for one that is none.
std::string pass_name(Phase::Part part) {
  switch (part) {
    case Phase::Part::Forward:
      return "forward";
    case Phase::Part::Gradient:
      return "gradient";
    case Phase::Part::Delta:
      return "delta";
    default:
      return "";
  }
}

// Whether a phase takes a step of the streams: a matrix, a vector whose gradient leaves, or a
// table.
bool takes_step(const PhaseCost& cost) {
  if (const auto* work = std::get_if<WorkCost>(&cost)) return !work->leaves.empty();
  if (const auto* gather = std::get_if<GatherCost>(&cost)) return !gather->sums.empty();
  if (const auto* send = std::get_if<SendCost>(&cost)) return send->table;
  return true;
}

// The phases of a micro-batch or of a network's run, one after the other.
class Walk {
 public:
  Walk(const EstimateShape& shape, const std::vector<LayerWeights>& weights, const TimeModel& time,
       PhaseClock* clock, Estimate* estimate)
      : shape_(shape), weights_(weights), time_(time), clock_(*clock), estimate_(*estimate) {}

  // `arrive`: by parameter, its weights reach the edge in this cycle or later; empty: they do at
  // once. `updates`, if not null, gets the gradients.
  void run(const std::vector<uint64_t>& arrive, memoryx::UpdateTime* updates) {
    std::vector<uint64_t> before = clock_.ends();
    size_t next = 0;
    for (const EstimateShape::CostedPhase& phase : shape_.phases) {
      PhaseStream stream;
      const memoryx::StreamStep* step = nullptr;
      if (takes_step(phase.cost)) {
        step = &shape_.streams.at(next++);
        stream = stream_of(*step);
        if (!arrive.empty() && step->pass == memoryx::Pass::Forward) {
          clock_.hold(arrive[step->parameter]);
        }
      }
      const PhaseTimes times = clock_.run(phase.cost, stream);
      if (updates != nullptr && step != nullptr) {
        for (size_t r = 0; r < times.leaving.size(); ++r) {
          const PhaseTimes::Leaving& of = times.leaving[r];
          updates->leave(static_cast<int>(r), step->parameter, of.numbers, of.from, of.came);
        }
      }
      const std::vector<uint64_t> now = clock_.ends();
      add(phase, times, before, now);
      before = now;
    }
  }

 private:
  PhaseStream stream_of(const memoryx::StreamStep& step) const {
    PhaseStream stream;
    const std::optional<size_t> at = shape_.layer_of[step.parameter];
    if (!at) return stream;
    const LayerShape& layer = shape_.layers[*at];
    const bool delta = step.pass == memoryx::Pass::Delta;
    stream.weights = delta ? weights_[*at].delta : weights_[*at].forward;
    stream.outputs = delta ? layer.inputs : layer.outputs;
    stream.first = step.first;
    stream.count = step.count > 0 ? step.count : stream.outputs - step.first;
    return stream;
  }

  // Neighbours of the same part and layer are one phase of the estimate.
  void add(const EstimateShape::CostedPhase& phase, const PhaseTimes& times,
           const std::vector<uint64_t>& before, const std::vector<uint64_t>& now) {
    const std::string pass = pass_name(phase.part);
    const int layer = pass.empty() ? -1 : static_cast<int>(phase.layer);
    const std::string name = !pass.empty()                     ? pass
                             : phase.part == Phase::Part::Loss ? "loss"
                                                               : "results";
    std::vector<PhaseEstimate>& all = estimate_.phases;
    if (all.empty() || all.back().name != name || all.back().layer != layer) {
      all.push_back(other(name.c_str(), 0));
      all.back().layer = layer;
      all.back().samples = shape_.samples;
      rows_.assign(now.size(), 0);
    }
    PhaseEstimate& to = all.back();
    for (size_t r = 0; r < now.size(); ++r) {
      rows_[r] += now[r] - before[r];
      to.cycles = std::max(to.cycles, rows_[r]);
    }
    to.wavelets += times.wavelets;
    to.engine += times.engine;
    to.reducer += times.reducer;
    to.ramp += times.ramp;
    to.edge = (to.wavelets * time_.period_in() + kTimeUnit - 1) / kTimeUnit;
  }

  const EstimateShape& shape_;
  const std::vector<LayerWeights>& weights_;
  const TimeModel& time_;
  PhaseClock& clock_;
  Estimate& estimate_;
  std::vector<uint64_t> rows_;  // cycles of the last phase of the estimate, by grid row
};

uint64_t latest(const PhaseClock& clock) {
  const std::vector<uint64_t> ends = clock.ends();
  return *std::max_element(ends.begin(), ends.end());
}

ClockShape clock_shape(const EstimateShape& shape) {
  return {shape.grid, shape.samples, shape.lanes, shape.ring};
}

// Useful multiplications of a sample: each weight once in each pass over it.
uint64_t multiply_adds(const EstimateShape& shape, const std::vector<LayerWeights>& weights) {
  uint64_t all = 0;
  for (const memoryx::StreamStep& step : shape.streams) {
    const std::optional<size_t> layer = shape.layer_of[step.parameter];
    if (step.pass == memoryx::Pass::Rows) continue;
    if (layer && step.first == 0) all += weights[*layer].kept;
  }
  return all;
}

// A micro-batch of a step.
struct Part {
  uint64_t begin = 0;   // first write of its samples; its streams may cross the edge before
  bool biases = false;  // biases come before it, in cycle biases_at or later
  bool reduces = false;
  uint64_t biases_at = 0;
  std::vector<uint64_t> arrive;  // as of Walk
};

// The end of its passes, and how long the links have been idle by then.
struct Over {
  uint64_t end = 0;
  uint64_t spare = 0;
};

Over passes(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
            const TimeModel& time, const JobCosts& costs, const Part& part, Estimate* estimate,
            memoryx::UpdateTime* updates) {
  const uint64_t biases = part.biases ? biases_in(shape, costs) : 0;
  const uint64_t samples = samples_in(shape, costs);
  const uint64_t launched = std::max(part.begin + samples, part.biases_at) + biases + costs.step;
  PhaseClock clock(clock_shape(shape), time, part.reduces, launched, costs.tile);
  clock.hold(part.biases_at);  // weights cross after them
  estimate->phases.push_back(other("samples", samples + biases + costs.step));
  updates->begin();
  Walk(shape, weights, time, &clock, estimate).run(part.arrive, updates);
  estimate->phases.push_back(other("end", costs.end));
  const uint64_t end = latest(clock) + costs.end;
  return {end, time.period_in() > 0 ? end - std::min(end, clock.streamed()) : 0};
}

void run_network(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                 const TimeModel& time, const JobCosts& costs, Estimate* estimate) {
  PhaseClock clock(clock_shape(shape), time, false, 0, costs.tile);
  clock.hold(time.store.latency + time.edge.latency);
  Walk(shape, weights, time, &clock, estimate).run({}, nullptr);
  estimate->cycles = estimate->one_by_one = latest(clock);
}

void train(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
           const TimeModel& time, const JobCosts& costs, Estimate* estimate) {
  const auto rows = static_cast<uint64_t>(shape.grid.rows);
  const auto batches = static_cast<uint64_t>(shape.micro_batches);
  const std::vector<size_t> streamed = memoryx::taken_first(shape.streams);
  memoryx::UpdateTime updates(time.optimizer, shape.grid.rows, streamed);
  // The first micro-batch if nothing holds it, one in the middle of a step, and the last one.
  Part first, next, last;
  first.biases = true;
  first.reduces = last.reduces = batches == 1;
  Over over = passes(shape, weights, time, costs, first, estimate, &updates);
  const uint64_t alone = over.end;
  Estimate of_next;
  uint64_t between = 0;
  if (batches > 1) {
    next.begin = last.begin = over.spare;
    between = passes(shape, weights, time, costs, next, &of_next, &updates).end - next.begin;
    last.reduces = true;
    Estimate of_last;
    over = passes(shape, weights, time, costs, last, &of_last, &updates);
  }
  const uint64_t end = over.end;
  estimate->cycles = end - last.begin;
  if (time.modelled()) {
    // The weights of the next step, which begins where this one ends. Cycles count from when the
    // links have finished this step.
    const memoryx::WeightTimes times = updates.times(memoryx::updates_wait(shape.job));
    const uint64_t biases = bias_words(shape) * time.period_in() / kTimeUnit;
    const uint64_t free = end - over.spare;
    const auto behind = [free](uint64_t cycle) { return std::max(cycle, free) - free; };
    first.begin = over.spare;
    for (const memoryx::ReadyTime& weight : times.streamed) {
      first.arrive.push_back(behind(weight.ready + time.way_in()));
    }
    if (bias_words(shape) > 0) {
      first.biases_at = behind(times.resident.ready + time.way_in()) + biases;
    }
    Estimate held;
    memoryx::UpdateTime own = updates;
    estimate->cycles = passes(shape, weights, time, costs, first, &held, &own).end - first.begin;
  }
  if (batches > 1) estimate->cycles += (batches - 2) * between + end - last.begin;
  // Samples are loaded while the micro-batch before them runs.
  const uint64_t load = time.samples.cycles((sample_bits(shape) + rows - 1) / rows);
  estimate->cycles = std::max(estimate->cycles, batches * load);
  estimate->one_by_one = alone + (batches - 1) * (between + load);
  const uint64_t out = updates.last() - std::min(updates.last(), time.way_out());
  if (out > end) {
    estimate->phases.push_back(other("leaving", out - end));
    estimate->one_by_one += out - end;
  }
  estimate->phases.push_back(other("update", updates.alone()));
  const uint64_t way = time.way_out() + time.way_in();
  if (load > 0) estimate->phases.push_back(other("loading", load));
  if (way > 0) estimate->phases.push_back(other("latency", way));
  estimate->one_by_one += updates.alone() + load + way;
}

// The phases of the job on its grid. Their places in a tile change no cost.
EstimateShape lowered(TrainingJob job, const TileConfig& tile, const Choices& choices) {
  EstimateShape shape;
  shape.choices = choices;
  shape.grid = {job.grid_rows, job.grid_cols};
  shape.samples = job.samples;
  shape.lanes = tile.lanes;
  shape.layers = job.layers;
  const Graph graph = graph_of(job);
  const GraphLowering lowering(graph, job, tile.lanes, choices);
  const Draft& draft = lowering.draft();
  for (size_t k = 0; k < draft.phases(); ++k) {
    shape.phases.push_back({draft.part(k), draft.layer(k), draft.cost(k)});
  }
  shape.streams = lowering.step_streams();
  shape.layer_of.resize(graph.parameters.size());
  for (const Op& op : graph.ops) {
    if (find_lowering(op.kind)->streamed == nullptr) continue;
    std::optional<size_t>& layer = shape.layer_of[op.parameters[0]];
    if (!layer) layer = lowering.matrix(op);
  }
  for (const GraphLowering::Vector& vector : lowering.vectors()) {
    shape.vectors.push_back(static_cast<int>(graph.parameters[vector.parameter].rows) *
                            vector.copies);
  }
  for (size_t v = 0; v < graph.values.size(); ++v) {
    if (lowering.values()[v]) shape.values.push_back(graph.values[v].features);
  }
  shape.outputs = static_cast<int>(lowering.features(lowering.output()));
  shape.job = std::move(job);
  return shape;
}

}  // namespace

std::string PhaseEstimate::bound() const {
  if (wavelets == 0) return "";
  const uint64_t sums = std::max(reducer, ramp);
  if (edge > engine && edge > sums) return "edge";
  return engine >= sums ? "engine" : "reducer";
}

double PhaseEstimate::needed_bits() const {
  const uint64_t own = std::max({engine, reducer, uint64_t{1}});
  return static_cast<double>(wavelets * kWaveletBits) / static_cast<double>(own);
}

uint64_t PhaseEstimate::samples_at(double bits) const {
  return static_cast<uint64_t>(std::ceil(needed_bits() / bits * samples));
}

double Estimate::utilisation() const {
  const double most = static_cast<double>(cycles) * static_cast<double>(tiles) * lanes;
  return most == 0 ? 0 : static_cast<double>(multiply_adds) / most;
}

EstimateShape shape_of(const Plan& plan, const TrainingJob& job, int wafers) {
  TrainingJob own = job;
  own.forward = plan.forward;
  own.delta = plan.delta;
  own.samples = plan.samples;
  EstimateShape shape = lowered(std::move(own), plan.tile, plan.choices);
  shape.ring = plan.ring();
  shape.micro_batches = std::max(1, job.micro_batches / std::max(1, wafers));
  return shape;
}

EstimateShape on_grid(const EstimateShape& shape, GridShape grid) {
  TrainingJob job = shape.job;
  job.grid_rows = grid.rows;
  job.grid_cols = grid.cols;
  Choices choices = shape.choices;
  const auto rows = static_cast<uint32_t>(grid.rows);
  choices.piece = std::max(choices.piece / rows, 1u) * rows;  // a piece begins in the first row
  TileConfig tile = kFullTile;
  tile.lanes = shape.lanes;
  EstimateShape other = lowered(std::move(job), tile, choices);
  other.ring = shape.ring;
  other.micro_batches = shape.micro_batches;
  return other;
}

uint64_t activation_bytes(const EstimateShape& shape, bool stay) {
  constexpr uint64_t kHalfBytes = 2;
  const auto bytes = [&](int features) {
    return static_cast<uint64_t>(owned_elements(features, 0, shape.grid.rows)) *
           static_cast<uint64_t>(shape.samples) * kHalfBytes;
  };
  uint64_t all = 0, widest = 0;
  for (const int features : shape.values) all += bytes(features);
  for (const LayerShape& layer : shape.layers) {
    widest = std::max(widest, bytes(layer.inputs) + bytes(layer.outputs));
  }
  return stay ? all : widest;
}

Estimate estimate_job(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                      const TimeModel& time, const JobCosts& costs) {
  Estimate estimate;
  if (shape.training()) {
    train(shape, weights, time, costs, &estimate);
  } else {
    run_network(shape, weights, time, costs, &estimate);
  }
  estimate.tiles = static_cast<uint64_t>(shape.grid.rows) * static_cast<uint64_t>(shape.grid.cols);
  estimate.lanes = shape.lanes;
  estimate.multiply_adds = multiply_adds(shape, weights) * static_cast<uint64_t>(shape.samples) *
                           static_cast<uint64_t>(shape.grid.cols) *
                           static_cast<uint64_t>(shape.micro_batches);
  return estimate;
}

}  // namespace ow::jobs
