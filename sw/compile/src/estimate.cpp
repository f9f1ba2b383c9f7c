// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/estimate.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "estimate_samples.h"
#include "ow/base/rng.h"
#include "ow/memoryx/schedule.h"
#include "ow/memoryx/sparsity.h"

namespace ow::jobs {
namespace {

int owned(int n, int row, int rows) { return n > row ? (n - row + rows - 1) / rows : 0; }

// The output that stands at place p of a stream: owner by owner.
int output_at(int outputs, int rows, int p) {
  for (int owner = 0;; ++owner) {
    const int count = owned(outputs, owner, rows);
    if (p < count) return p * rows + owner;
    p -= count;
  }
}

// .. the other way round: the place of an output.
int place_of(int outputs, int rows, int j) {
  const int share = outputs / rows, left = outputs % rows, owner = j % rows;
  return share * owner + std::min(owner, left) + j / rows;
}

// Counts by place in the stream and grid row.
struct Counts {
  int rows = 0;
  std::vector<uint32_t> number;
  uint32_t at(int row, int p) const {
    return number[static_cast<size_t>(p) * static_cast<size_t>(rows) + static_cast<size_t>(row)];
  }
};

WeightCount counted(std::shared_ptr<const Counts> counts) {
  return [counts](int row, int p) { return counts->at(row, p); };
}

// Of n weights, those that are kept: a sum of draws where they are few, else their normal
// distribution.
uint32_t draw_kept(Rng* rng, int n, double density) {
  constexpr int kFew = 32, kUniforms = 12;
  if (density >= 1) return static_cast<uint32_t>(n);
  if (n <= kFew) {
    uint32_t kept = 0;
    for (int k = 0; k < n; ++k) kept += rng->uniform() < density ? 1 : 0;
    return kept;
  }
  double normal = -kUniforms / 2.0;
  for (int k = 0; k < kUniforms; ++k) normal += rng->uniform();
  const double value = n * density + normal * std::sqrt(n * density * (1 - density));
  return static_cast<uint32_t>(std::lround(std::clamp(value, 0.0, static_cast<double>(n))));
}

WeightCount drawn(int inputs, int outputs, int rows, double density, Rng* rng) {
  auto counts = std::make_shared<Counts>();
  counts->rows = rows;
  counts->number.reserve(static_cast<size_t>(outputs) * static_cast<size_t>(rows));
  for (int p = 0; p < outputs; ++p) {
    for (int r = 0; r < rows; ++r) {
      counts->number.push_back(draw_kept(rng, owned(inputs, r, rows), density));
    }
  }
  return counted(counts);
}

PhaseEstimate phase_of(const char* name, int layer, const PassTimes& times, uint64_t cycles,
                       const TimeModel& time, int samples) {
  PhaseEstimate phase;
  phase.name = name;
  phase.layer = layer;
  phase.cycles = cycles;
  phase.wavelets = times.wavelets;
  phase.engine = times.engine;
  phase.reducer = times.reducer;
  phase.ramp = times.ramp;
  const uint64_t bits = times.wavelets * kWaveletBits;
  phase.edge =
      std::max(Flow{time.edge.rate, 0}.cycles(bits), Flow{time.store.rate, 0}.cycles(bits));
  phase.samples = samples;
  return phase;
}

PhaseEstimate other(const char* name, uint64_t cycles) {
  PhaseEstimate phase;
  phase.name = name;
  phase.cycles = cycles;
  return phase;
}

uint64_t latest(const std::vector<uint64_t>& times) {
  return *std::max_element(times.begin(), times.end());
}

// Passes one behind the other, and where the grid rows' clocks stand.
class Chain {
 public:
  // Tiles are launched when `before` cycles have passed.
  Chain(const EstimateShape& shape, const TimeModel& time, const JobCosts& costs, uint64_t before)
      : shape_(shape), time_(time), costs_(costs), clock_(costs.pass, time, shape.grid.rows) {
    for (int r = 0; r < shape.grid.rows; ++r) {
      begin_.push_back(before + costs.launch +
                       costs.launch_hop * static_cast<uint64_t>(r + shape.grid.cols - 1));
    }
    now_ = before;
  }

  // The forward pass of a layer, or that of its input's deltas, in windows. Of each output that a
  // tile owns, so many vectors are masked behind them.
  void pass(const char* name, int layer, const PassShape& shape, const WeightCount& weights,
            int window, uint64_t mask_vectors, Estimate* estimate) {
    const uint64_t before = now_;
    const int rows = shape.rows, most = owned(shape.outputs, 0, rows);
    if (window <= 0) window = most;
    PassTimes sum;
    for (int first = 0; first < most; first += window) {
      // Outputs that are left, the same number in each grid row or one more in the first.
      PassShape part = shape;
      part.outputs = std::min(shape.outputs - first * rows, window * rows);
      const auto of_window = [&](int row, int p) {
        int owner = 0, place = p, begins = 0;
        for (;; ++owner) {
          const int count = owned(part.outputs, owner, rows);
          if (place < count) break;
          place -= count;
          begins += owned(shape.outputs, owner, rows);
        }
        return weights(row, begins + first + place);
      };
      const PassTimes times = clock_.run(part, of_window, begin_);
      // A window is masked while the next one's pass starts.
      const uint64_t hidden = first + window < most ? costs_.pass.start : 0;
      const auto masks = [&](int row) -> uint64_t {
        if (mask_vectors == 0) return 0;
        const auto own = static_cast<uint64_t>(owned(part.outputs, row, rows));
        const uint64_t cycles = costs_.mask + mask_vectors * own;
        return cycles > hidden ? cycles - hidden : 0;
      };
      now_ = latest(times.end) + masks(0);
      sum.wavelets += times.wavelets;
      sum.engine += times.engine;
      sum.reducer += times.reducer;
      sum.ramp += times.ramp;
      ends_ = times.end;
      for (size_t r = 0; r < begin_.size(); ++r) {
        ends_[r] += masks(static_cast<int>(r));
        begin_[r] = ends_[r] + costs_.pass.next_pass;
      }
    }
    estimate->phases.push_back(phase_of(name, layer, sum, now_ - before, time_, shape_.samples));
  }

  // All grid rows wait for each other, and go on so many cycles later.
  void meet(uint64_t cycles) { std::fill(begin_.begin(), begin_.end(), latest(begin_) + cycles); }

  // When so many wavelets of something else that grid row `row` takes from cycle `begin` on have
  // come, both in cycles from now.
  uint64_t came(int row, uint64_t wavelets, uint64_t begin) {
    const uint64_t at = clock_.take(row, wavelets, now_ + begin);
    return at > now_ ? at - now_ : 0;
  }

  // Something between passes that all grid rows wait for.
  void together(const PhaseEstimate& phase, Estimate* estimate) {
    estimate->phases.push_back(phase);
    now_ += phase.cycles;
    std::fill(begin_.begin(), begin_.end(), now_ + costs_.pass.next_pass);
  }

  const std::vector<uint64_t>& ends() const { return ends_; }
  uint64_t now() const { return now_; }

 private:
  const EstimateShape& shape_;
  const TimeModel& time_;
  const JobCosts& costs_;
  PassClock clock_;
  std::vector<uint64_t> begin_;
  std::vector<uint64_t> ends_;
  uint64_t now_ = 0;
};

bool is_whole(const std::vector<SumOrder>& orders, int layer) {
  return !orders.empty() && orders[static_cast<size_t>(layer)] == SumOrder::Whole;
}

PassShape pass_of(const EstimateShape& shape, int outputs, bool whole, bool bias) {
  PassShape pass;
  pass.rows = shape.grid.rows;
  pass.samples = shape.samples;
  pass.lanes = shape.lanes;
  pass.outputs = outputs;
  pass.ring = shape.ring;
  pass.whole = whole;
  pass.bias = bias;
  return pass;
}

void forward(const EstimateShape& shape, const JobCosts& costs, int k, const LayerWeights& weights,
             Chain* chain, Estimate* estimate) {
  const LayerShape& layer = shape.layers[static_cast<size_t>(k)];
  const bool whole = is_whole(shape.forward, k);
  if (whole) {
    const GradientShape inputs{shape.grid.rows, shape.grid.cols, shape.samples, shape.lanes,
                               layer.inputs,    false,           false};
    chain->meet(gather_cycles(costs.gradient, inputs, 0, layer.inputs, 0));
  }
  chain->pass("forward", k, pass_of(shape, layer.outputs, whole, layer.bias), weights.forward, 0, 0,
              estimate);
}

void delta(const EstimateShape& shape, int k, const LayerWeights& weights, Chain* chain,
           Estimate* estimate) {
  const int outputs = shape.layers[static_cast<size_t>(k)].inputs;
  const bool relu = shape.layers[static_cast<size_t>(k - 1)].activation == Activation::Relu;
  const auto beats = static_cast<uint64_t>(shape.samples / shape.lanes);
  chain->pass("delta", k, pass_of(shape, outputs, is_whole(shape.delta, k), false), weights.delta,
              shape.window, relu ? beats : 0, estimate);
}

uint64_t kept_of(const std::vector<LayerWeights>& weights) {
  uint64_t kept = 0;
  for (const LayerWeights& w : weights) kept += w.kept;
  return kept;
}

// Results leave from the western half of a grid row at the west edge, from the rest at the east.
uint64_t results_out(const EstimateShape& shape, const JobCosts& costs,
                     const std::vector<uint64_t>& ends) {
  const int west = shape.grid.cols / 2;
  const auto blocks = static_cast<uint64_t>(shape.grid.cols - west);
  uint64_t last = 0;
  for (int r = 0; r < shape.grid.rows; ++r) {
    const auto words =
        static_cast<uint64_t>(owned(shape.layers.back().outputs, r, shape.grid.rows)) *
        static_cast<uint64_t>(shape.samples) / 2;
    if (words == 0) continue;
    uint64_t relays = 0;
    if (blocks > 1) relays = costs.first_relay + (blocks - 2) * costs.relay;
    last = std::max(last, ends[static_cast<size_t>(r)] + costs.result + words * blocks + relays);
  }
  return last;
}

uint64_t loss_cycles(const EstimateShape& shape, const JobCosts& costs) {
  const auto n = static_cast<uint64_t>(shape.samples);
  const auto own = static_cast<uint64_t>(owned(shape.layers.back().outputs, 0, shape.grid.rows));
  return costs.loss_start + n * (costs.loss_sample * static_cast<uint64_t>(shape.grid.rows > 1) +
                                 costs.loss_value * own);
}

// The gradient of a layer, piece by piece: deltas round the column, then a product a position.
void gradient(const EstimateShape& shape, const JobCosts& costs, int k, const LayerWeights& weights,
              const TimeModel& time, Chain* chain, Estimate* estimate) {
  const LayerShape& layer = shape.layers[static_cast<size_t>(k)];
  const int piece = shape.piece > 0 ? shape.piece : layer.outputs;
  const bool last = static_cast<size_t>(k) + 1 == shape.layers.size();
  const GradientShape pass{shape.grid.rows,
                           shape.grid.cols,
                           shape.samples,
                           shape.lanes,
                           layer.outputs,
                           layer.bias,
                           last && piece >= layer.outputs};
  const GradientCosts& c = costs.gradient;
  const auto rows = static_cast<size_t>(shape.grid.rows);
  const uint64_t beats =
      std::max(c.least_beats, static_cast<uint64_t>(shape.samples / shape.lanes));
  std::vector<int> place;  // of each output in the order in which weights are counted
  for (int j = 0; j < layer.outputs; ++j) {
    place.push_back(place_of(layer.outputs, shape.grid.rows, j));
  }
  std::vector<uint64_t> wavelets(rows), engine(rows);  // of all pieces
  uint64_t cycles = 0;
  for (int first = 0; first < layer.outputs; first += piece) {
    const int count = std::min(piece, layer.outputs - first);
    const uint64_t prepare = c.prepare + (first == 0 ? c.start : 0);
    cycles += gather_cycles(c, pass, first, count, prepare) + c.launch;
    uint64_t end = cycles;
    for (size_t r = 0; r < rows; ++r) {
      uint64_t positions = 0, alone = 0;  // a row's end takes a cycle if nothing else does
      for (int j = first; j < first + count; ++j) {
        const uint32_t w = weights.forward(static_cast<int>(r), place[static_cast<size_t>(j)]);
        positions += w;
        alone += w == 0 ? 1 : 0;
      }
      const uint64_t taken = 1 + positions + static_cast<uint64_t>(count);
      const uint64_t work = positions * beats + alone;
      wavelets[r] += taken;
      engine[r] += work;
      end = std::max({end, cycles + work, chain->came(static_cast<int>(r), taken, cycles)});
    }
    cycles = end + c.drain + c.column * static_cast<uint64_t>(shape.grid.cols - 1);
  }
  PassTimes times;
  times.wavelets = times.ramp = latest(wavelets);
  times.engine = latest(engine);
  chain->together(phase_of("gradient", k, times, cycles, time, shape.samples), estimate);
}

}  // namespace

LayerWeights weights_of(const Layer& layer, int rows, bool dense) {
  auto forward = std::make_shared<Counts>();
  auto delta = std::make_shared<Counts>();
  forward->rows = delta->rows = rows;
  const auto many = static_cast<size_t>(rows);
  forward->number.assign(many * static_cast<size_t>(layer.outputs), 0);
  delta->number.assign(many * static_cast<size_t>(layer.inputs), 0);
  std::vector<size_t> place(static_cast<size_t>(layer.inputs));
  for (int p = 0; p < layer.inputs; ++p) {
    place[static_cast<size_t>(output_at(layer.inputs, rows, p))] = static_cast<size_t>(p);
  }
  LayerWeights w;
  for (int p = 0; p < layer.outputs; ++p) {
    const int j = output_at(layer.outputs, rows, p);
    for (int i = 0; i < layer.inputs; ++i) {
      if (!dense && half_is_zero(layer.weight(j, i))) continue;
      ++forward->number[static_cast<size_t>(p) * many + static_cast<size_t>(i % rows)];
      ++delta->number[place[static_cast<size_t>(i)] * many + static_cast<size_t>(j % rows)];
      ++w.kept;
    }
  }
  w.forward = counted(forward);
  w.delta = counted(delta);
  return w;
}

LayerWeights drawn_weights(const LayerShape& layer, int rows, double density, uint64_t seed) {
  Rng rng(seed);
  LayerWeights w;
  w.forward = drawn(layer.inputs, layer.outputs, rows, density, &rng);
  w.delta = drawn(layer.outputs, layer.inputs, rows, density, &rng);
  w.kept = static_cast<uint64_t>(std::llround(density * layer.inputs * layer.outputs));
  return w;
}

std::vector<LayerWeights> training_weights(const TrainingJob& job, uint64_t step) {
  std::vector<LayerWeights> weights;
  for (size_t k = 0; k < job.layers.size(); ++k) {
    const LayerShape& layer = job.layers[k];
    memoryx::TensorSpec spec;
    spec.name = weight_name(k);
    spec.shape = {static_cast<uint64_t>(layer.outputs), static_cast<uint64_t>(layer.inputs)};
    const int group = memoryx::group_of(job.sparsity, spec);
    const double density =
        group < 0 ? 1 : memoryx::value_at(job.sparsity[static_cast<size_t>(group)].density, step);
    weights.push_back(drawn_weights(layer, job.grid_rows, density, job.seed + k));
  }
  return weights;
}

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

EstimateShape shape_of(const StreamPlan& plan) {
  EstimateShape shape{plan.grid, plan.samples, plan.tile.lanes, plan.ring(), {}, 0, 0, {}, {}, {}};
  for (const LayerPlan& layer : plan.layers) shape.layers.push_back(layer.shape);
  return shape;
}

EstimateShape shape_of(const TrainPlan& plan) {
  return {plan.grid,
          plan.samples,
          plan.tile.lanes,
          plan.ring(),
          plan.layers,
          static_cast<int>(plan.gather_rows),
          static_cast<int>(plan.window),
          plan.forward,
          plan.delta,
          plan.loss};
}

Estimate estimate_inference(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                            const TimeModel& time, const JobCosts& costs) {
  Estimate estimate;
  Chain chain(shape, time, costs, 0);
  for (size_t k = 0; k < shape.layers.size(); ++k) {
    forward(shape, costs, static_cast<int>(k), weights[k], &chain, &estimate);
  }
  estimate.cycles = results_out(shape, costs, chain.ends());
  estimate.phases.push_back(other("results", estimate.cycles - chain.now()));
  estimate.tiles = static_cast<uint64_t>(shape.grid.rows) * static_cast<uint64_t>(shape.grid.cols);
  estimate.lanes = shape.lanes;
  estimate.multiply_adds = kept_of(weights) * static_cast<uint64_t>(shape.samples) *
                           static_cast<uint64_t>(shape.grid.cols);
  return estimate;
}

Estimate estimate_training(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                           const TimeModel& time, const JobCosts& costs) {
  Estimate estimate;
  const uint64_t samples = samples_in(shape, costs);
  Chain chain(shape, time, costs, samples);
  const auto depth = static_cast<int>(shape.layers.size());
  estimate.phases.push_back(other("samples", samples));
  for (int k = 0; k < depth; ++k) {
    forward(shape, costs, k, weights[static_cast<size_t>(k)], &chain, &estimate);
  }
  chain.together(other("loss", loss_cycles(shape, costs)), &estimate);
  for (int k = depth; k-- > 0;) {
    const auto at = static_cast<size_t>(k);
    gradient(shape, costs, k, weights[at], time, &chain, &estimate);
    if (k > 0) delta(shape, k, weights[at], &chain, &estimate);
  }
  uint64_t parameters = kept_of(weights);
  for (const LayerShape& layer : shape.layers) {
    parameters += layer.bias ? static_cast<uint64_t>(layer.outputs) : 0;
  }
  const auto rows = static_cast<uint64_t>(shape.grid.rows);
  estimate.phases.push_back(other("update", time.optimizer.cycles((parameters + rows - 1) / rows)));
  // Samples are loaded while the step before it runs.
  estimate.cycles = std::max(chain.now() + estimate.phases.back().cycles,
                             time.samples.cycles((sample_bits(shape) + rows - 1) / rows));
  estimate.tiles = rows * static_cast<uint64_t>(shape.grid.cols);
  estimate.lanes = shape.lanes;
  const uint64_t batch =
      static_cast<uint64_t>(shape.samples) * static_cast<uint64_t>(shape.grid.cols);
  // Forward and gradient of all layers, deltas of all but the first.
  estimate.multiply_adds = (3 * kept_of(weights) - weights.front().kept) * batch;
  return estimate;
}

TimeModel time_of(const TimeOptions& options, const EstimateShape& shape,
                  const std::vector<LayerWeights>& weights, bool training) {
  if (!options.wants_needs()) return make_time(options, {});
  const Estimate ideal =
      training ? estimate_training(shape, weights, {}) : estimate_inference(shape, weights, {});
  return make_time(options, needs_of(shape, ideal));
}

// A row of weights is taken at the engine's rate, however long its reducers are: that is the rate
// at which a pass must get them so as not to wait for any.
TimeNeeds needs_of(const EstimateShape& shape, const Estimate& ideal) {
  TimeNeeds needs;
  for (const PhaseEstimate& phase : ideal.phases) {
    if (phase.wavelets == 0) continue;
    const uint64_t cycles = std::max(phase.engine, phase.wavelets);
    // wavelets / cycles above what stands there
    if (needs.weight_cycles == 0 || phase.wavelets * needs.weight_cycles > needs.weights * cycles) {
      needs.weights = phase.wavelets;
      needs.weight_cycles = cycles;
    }
    if (phase.name == "gradient") needs.gradients += phase.wavelets;
  }
  const auto rows = static_cast<uint64_t>(shape.grid.rows);
  needs.samples = (sample_bits(shape) + rows - 1) / rows;
  needs.step_cycles = ideal.cycles;
  return needs;
}

}  // namespace ow::jobs
