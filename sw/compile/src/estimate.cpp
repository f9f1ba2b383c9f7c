// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/estimate.h"

#include <algorithm>
#include <cmath>

#include "estimate_samples.h"
#include "gradient_exits.h"
#include "ow/compile/lowering.h"
#include "ow/memoryx/memoryx.h"
#include "ow/memoryx/update_time.h"
#include "ow/tensor/distribution.h"

namespace ow::jobs {
namespace {

// The place of output j in a stream, owner by owner.
int place_of(int outputs, int rows, int j) {
  const int share = outputs / rows, left = outputs % rows, owner = j % rows;
  return share * owner + std::min(owner, left) + j / rows;
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
  phase.edge = (times.wavelets * time.period_in() + kTimeUnit - 1) / kTimeUnit;
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

// A sequence of passes, and the clocks of the grid rows.
class Chain {
 public:
  // Tiles are launched after `before` cycles.
  Chain(const EstimateShape& shape, const TimeModel& time, const JobCosts& costs, uint64_t before)
      : shape_(shape), time_(time), costs_(costs), clock_(costs.pass, time, shape.grid.rows) {
    for (int r = 0; r < shape.grid.rows; ++r) {
      begin_.push_back(before + costs.launch +
                       costs.launch_hop * static_cast<uint64_t>(r + shape.grid.cols - 1));
    }
    now_ = before;
  }

  // The forward pass of a layer, or the pass of its input's deltas, in windows. After them,
  // `mask_vectors` vectors are masked for each output that a tile owns.
  void pass(const char* name, int layer, const PassShape& shape, const WeightCount& weights,
            int window, uint64_t mask_vectors, Estimate* estimate) {
    const uint64_t before = now_;
    const int rows = shape.rows, most = owned_elements(shape.outputs, 0, rows);
    if (window <= 0) window = most;
    PassTimes sum;
    for (int first = 0; first < most; first += window) {
      // The outputs that are left: the same number in each grid row, or one more in the first rows.
      PassShape part = shape;
      part.outputs = std::min(shape.outputs - first * rows, window * rows);
      const auto of_window = [&](int row, int p) {
        int owner = 0, place = p, begins = 0;
        for (;; ++owner) {
          const int count = owned_elements(part.outputs, owner, rows);
          if (place < count) break;
          place -= count;
          begins += owned_elements(shape.outputs, owner, rows);
        }
        return weights(row, begins + first + place);
      };
      const PassTimes times = clock_.run(part, of_window, begin_);
      // A window is masked while the next one's pass starts.
      const uint64_t hidden = first + window < most ? costs_.pass.start : 0;
      const auto masks = [&](int row) -> uint64_t {
        if (mask_vectors == 0) return 0;
        const auto own = static_cast<uint64_t>(owned_elements(part.outputs, row, rows));
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

  // All grid rows wait for each other and continue `cycles` later.
  void meet(uint64_t cycles) { std::fill(begin_.begin(), begin_.end(), latest(begin_) + cycles); }

  // Streams that are not computed yet do not come before this cycle.
  void hold(uint64_t cycle) { clock_.hold(cycle); }

  // The cycle in which all streams have come.
  uint64_t streamed() const { return clock_.streamed(); }

  // The cycle in which `wavelets` other wavelets have come, if grid row `row` takes them from cycle
  // `begin` on. Both cycles count from now.
  uint64_t came(int row, uint64_t wavelets, uint64_t begin) {
    const uint64_t at = clock_.take(row, wavelets, now_ + begin);
    return at > now_ ? at - now_ : 0;
  }

  // A phase between passes that all grid rows wait for.
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
  const FinishPart* finish = finish_part(shape.layers[static_cast<size_t>(k - 1)].activation);
  const auto beats = static_cast<uint64_t>(shape.samples / shape.lanes);
  chain->pass("delta", k, pass_of(shape, outputs, is_whole(shape.delta, k), false), weights.delta,
              shape.window, finish == nullptr ? 0 : finish->delta_cycles * beats, estimate);
}

uint64_t kept_of(const std::vector<LayerWeights>& weights) {
  uint64_t kept = 0;
  for (const LayerWeights& w : weights) kept += w.kept;
  return kept;
}

// Results of the western half of a grid row leave at the west edge, the others at the east edge.
uint64_t results_out(const EstimateShape& shape, const JobCosts& costs,
                     const std::vector<uint64_t>& ends) {
  const int west = shape.grid.cols / 2;
  const auto blocks = static_cast<uint64_t>(shape.grid.cols - west);
  uint64_t last = 0;
  for (int r = 0; r < shape.grid.rows; ++r) {
    const auto words =
        static_cast<uint64_t>(owned_elements(shape.layers.back().outputs, r, shape.grid.rows)) *
        static_cast<uint64_t>(shape.samples) / 2;
    if (words == 0) continue;
    uint64_t relays = 0;
    if (blocks > 1) relays = costs.first_relay + (blocks - 2) * costs.relay;
    last = std::max(last, ends[static_cast<size_t>(r)] + costs.result + words * blocks + relays);
  }
  return last;
}

uint64_t loss_cycles(const EstimateShape& shape) {
  const LossCosts& costs = loss_part(shape.loss).costs;
  const auto beats = static_cast<uint64_t>((shape.samples + shape.lanes - 1) / shape.lanes);
  const auto own =
      static_cast<uint64_t>(owned_elements(shape.layers.back().outputs, 0, shape.grid.rows));
  const auto hops = static_cast<uint64_t>(shape.grid.rows - 1);
  return costs.start.at(beats) + hops * costs.hop.at(beats) + own * costs.value.at(beats);
}

// The gradient of a layer, piece by piece: deltas round the column, then a product for each
// position.
void gradient(const EstimateShape& shape, const JobCosts& costs, int k, const LayerWeights& weights,
              const TimeModel& time, Chain* chain, Exits* exits, Estimate* estimate,
              memoryx::UpdateTime* updates) {
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
  const memoryx::LayerParameters parameters =
      memoryx::parameters_of(shape.layers)[static_cast<size_t>(k)];
  const auto own = [&](int n, int row) {
    return static_cast<uint64_t>(owned_elements(n, row, shape.grid.rows));
  };
  const uint64_t beats =
      std::max(c.least_beats, static_cast<uint64_t>(shape.samples / shape.lanes));
  std::vector<int> place;  // of each output, in the order in which weights are counted
  for (int j = 0; j < layer.outputs; ++j) {
    place.push_back(place_of(layer.outputs, shape.grid.rows, j));
  }
  std::vector<uint64_t> wavelets(rows), engine(rows);  // of all pieces
  uint64_t cycles = 0;
  for (int first = 0; first < layer.outputs; first += piece) {
    const int count = std::min(piece, layer.outputs - first);
    const uint64_t prepare = c.prepare + (first == 0 ? c.start : 0);
    const uint64_t begin = chain->now() + cycles;
    cycles += gather_cycles(c, pass, first, count, prepare) + c.launch;
    const uint64_t products = chain->now() + cycles;
    uint64_t end = cycles;
    std::vector<uint64_t> left(rows);  // gradients
    const auto lanes = static_cast<uint64_t>(shape.lanes);
    for (size_t r = 0; r < rows; ++r) {
      uint64_t positions = 0, alone = 0;  // outputs without a product: the row's end takes a cycle
      for (int j = first; j < first + count; ++j) {
        const uint32_t w = weights.forward(static_cast<int>(r), place[static_cast<size_t>(j)]);
        positions += w;
        alone += w == 0 ? 1 : 0;
      }
      const uint64_t taken = 1 + positions + static_cast<uint64_t>(count);
      const uint64_t work = positions * beats + alone;
      wavelets[r] += taken;
      engine[r] += work;
      left[r] = positions;
      const auto row = static_cast<int>(r);
      end = std::max({end, cycles + work, chain->came(row, taken, cycles)});
      if (layer.bias && first == 0) {
        const uint64_t biases = own(layer.outputs, row);
        exits->leave(row, biases, begin);
        const uint64_t came = exits->came(row, products);
        updates->leave(row, parameters.bias, biases, begin, came);
      }
      // Gradients leave as whole rows of the reducer.
      const uint64_t sent = exits->leave(row, (positions + lanes - 1) / lanes * lanes, products);
      end = std::max(end, sent - std::min(sent, chain->now()));
    }
    cycles = end + c.drain + c.column * static_cast<uint64_t>(shape.grid.cols - 1);
    for (int r = 0; r < shape.grid.rows; ++r) {
      const uint64_t came = exits->came(r, chain->now() + cycles);
      updates->leave(r, parameters.weight, left[static_cast<size_t>(r)], products, came);
    }
  }
  PassTimes times;
  times.wavelets = times.ramp = latest(wavelets);
  times.engine = latest(engine);
  chain->together(phase_of("gradient", k, times, cycles, time, shape.samples), estimate);
}

// A micro-batch of a step.
struct Part {
  uint64_t begin = 0;   // first write of its samples; its streams may cross the edge before
  bool biases = false;  // biases come before it, in cycle biases_at or later
  bool reduces = false;
  uint64_t biases_at = 0;
  std::vector<uint64_t> arrive;  // by layer: its weights reach the edge in this cycle or later
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
  Chain chain(shape, time, costs,
              std::max(part.begin + samples, part.biases_at) + biases + costs.step);
  Exits exits(time, shape.grid.rows, part.reduces);
  const auto depth = static_cast<int>(shape.layers.size());
  chain.hold(part.biases_at);  // weights cross after them
  estimate->phases.push_back(other("samples", samples + biases + costs.step));
  for (int k = 0; k < depth; ++k) {
    if (!part.arrive.empty()) chain.hold(part.arrive[static_cast<size_t>(k)]);
    forward(shape, costs, k, weights[static_cast<size_t>(k)], &chain, estimate);
  }
  chain.together(other("loss", loss_cycles(shape)), estimate);
  updates->begin();
  for (int k = depth; k-- > 0;) {
    const auto at = static_cast<size_t>(k);
    gradient(shape, costs, k, weights[at], time, &chain, &exits, estimate, updates);
    if (k > 0) delta(shape, k, weights[at], &chain, estimate);
  }
  const auto hops = static_cast<uint64_t>(shape.grid.cols - 1);
  chain.together(other("end", costs.last_word + costs.last_hop * hops), estimate);
  const uint64_t end = chain.now();
  return {end, time.period_in() > 0 ? end - std::min(end, chain.streamed()) : 0};
}

uint64_t sum_of(const std::vector<PhaseEstimate>& phases) {
  uint64_t cycles = 0;
  for (const PhaseEstimate& phase : phases) cycles += phase.cycles;
  return cycles;
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

EstimateShape shape_of(const StreamPlan& plan) {
  EstimateShape shape;
  shape.grid = plan.grid;
  shape.samples = plan.samples;
  shape.lanes = plan.tile.lanes;
  shape.ring = plan.ring();
  for (const LayerPlan& layer : plan.layers) shape.layers.push_back(layer.shape);
  return shape;
}

EstimateShape shape_of(const TrainPlan& plan, const TrainingJob& job, int wafers) {
  return {plan.grid,
          plan.samples,
          plan.tile.lanes,
          plan.ring(),
          plan.layers,
          static_cast<int>(plan.gather_rows),
          static_cast<int>(plan.window),
          plan.forward,
          plan.delta,
          plan.loss,
          memoryx::updates_wait(job),
          std::max(1, job.micro_batches / std::max(1, wafers))};
}

uint64_t activation_bytes(const EstimateShape& shape, bool stay) {
  constexpr uint64_t kHalfBytes = 2;
  const auto bytes = [&](int features) {
    return static_cast<uint64_t>(owned_elements(features, 0, shape.grid.rows)) *
           static_cast<uint64_t>(shape.samples) * kHalfBytes;
  };
  uint64_t all = bytes(shape.layers.front().inputs), widest = 0;
  for (const LayerShape& layer : shape.layers) {
    all += bytes(layer.outputs);
    widest = std::max(widest, bytes(layer.inputs) + bytes(layer.outputs));
  }
  return stay ? all : widest;
}

Estimate estimate_inference(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                            const TimeModel& time, const JobCosts& costs) {
  Estimate estimate;
  Chain chain(shape, time, costs, 0);
  chain.hold(time.store.latency + time.edge.latency);
  for (size_t k = 0; k < shape.layers.size(); ++k) {
    forward(shape, costs, static_cast<int>(k), weights[k], &chain, &estimate);
  }
  estimate.cycles = results_out(shape, costs, chain.ends());
  estimate.phases.push_back(other("results", estimate.cycles - chain.now()));
  estimate.one_by_one = estimate.cycles;
  estimate.tiles = static_cast<uint64_t>(shape.grid.rows) * static_cast<uint64_t>(shape.grid.cols);
  estimate.lanes = shape.lanes;
  estimate.multiply_adds = kept_of(weights) * static_cast<uint64_t>(shape.samples) *
                           static_cast<uint64_t>(shape.grid.cols);
  return estimate;
}

Estimate estimate_training(const EstimateShape& shape, const std::vector<LayerWeights>& weights,
                           const TimeModel& time, const JobCosts& costs) {
  Estimate estimate;
  const auto rows = static_cast<uint64_t>(shape.grid.rows);
  const auto batches = static_cast<uint64_t>(shape.micro_batches);
  std::vector<size_t> streamed;  // by layer
  for (const auto& layer : memoryx::parameters_of(shape.layers)) streamed.push_back(layer.weight);
  memoryx::UpdateTime updates(time.optimizer, shape.grid.rows, streamed);
  // The first micro-batch if nothing holds it, one in the middle of a step, and the last one.
  Part first, next, last;
  first.biases = true;
  first.reduces = last.reduces = batches == 1;
  Over over = passes(shape, weights, time, costs, first, &estimate, &updates);
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
  estimate.cycles = end - last.begin;
  if (time.modelled()) {
    // The weights of the next step, which begins where this one ends. Cycles count from when the
    // links have finished this step.
    const memoryx::WeightTimes times = updates.times(shape.updates_wait);
    const uint64_t biases = bias_words(shape) * time.period_in() / kTimeUnit;
    const uint64_t free = end - over.spare;
    const auto behind = [free](uint64_t cycle) { return std::max(cycle, free) - free; };
    first.begin = over.spare;
    for (const size_t weight : streamed) {
      first.arrive.push_back(behind(times.streamed[weight].ready + time.way_in()));
    }
    if (bias_words(shape) > 0) {
      first.biases_at = behind(times.resident.ready + time.way_in()) + biases;
    }
    Estimate held;
    memoryx::UpdateTime own = updates;
    estimate.cycles = passes(shape, weights, time, costs, first, &held, &own).end - first.begin;
  }
  if (batches > 1) estimate.cycles += (batches - 2) * between + end - last.begin;
  // Samples are loaded while the micro-batch before them runs.
  const uint64_t load = time.samples.cycles((sample_bits(shape) + rows - 1) / rows);
  estimate.cycles = std::max(estimate.cycles, batches * load);
  estimate.one_by_one = sum_of(estimate.phases) + (batches - 1) * (sum_of(of_next.phases) + load);
  const uint64_t out = updates.last() - std::min(updates.last(), time.way_out());
  if (out > end) {
    estimate.phases.push_back(other("leaving", out - end));
    estimate.one_by_one += out - end;
  }
  estimate.phases.push_back(other("update", updates.alone()));
  const uint64_t way = time.way_out() + time.way_in();
  if (load > 0) estimate.phases.push_back(other("loading", load));
  if (way > 0) estimate.phases.push_back(other("latency", way));
  estimate.one_by_one += updates.alone() + load + way;
  estimate.tiles = rows * static_cast<uint64_t>(shape.grid.cols);
  estimate.lanes = shape.lanes;
  const uint64_t batch =
      static_cast<uint64_t>(shape.samples) * static_cast<uint64_t>(shape.grid.cols) * batches;
  // Forward and gradient of all layers, deltas of all but the first.
  estimate.multiply_adds = (3 * kept_of(weights) - weights.front().kept) * batch;
  return estimate;
}

}  // namespace ow::jobs
