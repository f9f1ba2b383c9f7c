// SPDX-License-Identifier: Apache-2.0
#include "train_swarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ow/base/error.h"
#include "ow/compile/estimate.h"
#include "ow/execute/causes.h"
#include "ow/ranks/bytes.h"
#include "train_samples.h"

namespace ow::jobs {
namespace {

// Numbers in a message, with their count before them.
template <typename T>
void put_all(const std::vector<T>& values, ranks::Writer* out) {
  out->put(static_cast<uint64_t>(values.size()));
  out->put(values.data(), values.size());
}

template <typename T>
std::vector<T> get_all(ranks::Reader* in) {
  std::vector<T> values(in->count<T>());
  in->get(values.data(), values.size());
  return values;
}

// A wafer that is a grid of tiles.
class GridWafer : public TrainWafer {
 public:
  GridWafer(std::unique_ptr<Device> device, const CheckedTraining& checked,
            std::function<void()> progress, TileCounts* counts)
      : machine_(make_runtime(std::move(device))), grid_(machine_, checked.firmware, checked.plan) {
    grid_.on_progress(std::move(progress));
    grid_.count_tiles(counts);
  }
  std::string description() const override { return machine_.info().description; }
  void set_time(const TimeModel& time) override { grid_.set_time(time); }
  TrainRun train(memoryx::WaferSide& memory, const Samples& samples,
                 const Targets& targets) override {
    return grid_.train(memory, samples, targets);
  }
  TrainRun forward(const memoryx::WaferSide& memory, const Samples& samples) override {
    return grid_.forward(memory, samples);
  }
  void end_recording() override { machine_.end_recording(); }

 private:
  Runtime machine_;
  TrainGrid grid_;
};

// The outputs of the first `count` samples: those of empty slots are of no use.
Activations first_of(Activations y, size_t count) {
  const auto samples = static_cast<int>(count);
  if (y.samples == samples) return y;
  Activations first = Activations::zero(y.features, samples);
  for (int f = 0; f < y.features; ++f) {
    for (int s = 0; s < samples; ++s) first.at(f, s) = y.at(f, s);
  }
  return first;
}

}  // namespace

void TrainSwarm::end() {
  swarm_.end();
  for (const auto& wafer : wafers_) wafer->end_recording();
}

TrainSwarm::TrainSwarm(const TrainParams& params, const RunOptions& options,
                       const CheckedTraining& checked, ranks::Transport& transport,
                       memoryx::MemoryX* memory)
    : job_(checked.job),
      params_(params),
      checked_(checked),
      transport_(transport),
      memory_(memory),
      swarm_(checked.job, params.wafers, checked.plan.streams, transport, memory,
             params.memory.store),
      timed_(options.make != nullptr),
      stop_(options.stop),
      passed_(static_cast<size_t>(params.wafers), 0) {
  for (int n = 0; n < swarm_.count(); ++n) {
    if (!options.make) {
      if (!options.model) throw InternalError("a training with nothing to do its passes");
      wafers_.push_back(options.model(job_, swarm_.streams()));
      continue;
    }
    // The first wafer shows its progress; all check whether another rank has failed.
    const std::function<void()> shown = n == 0 ? options.on_progress : nullptr;
    auto progress = [this, shown] {
      transport_.check();
      swarm_.alive();
      if (shown) shown();
    };
    wafers_.push_back(std::make_unique<GridWafer>(options.make(params.base.grid), checked, progress,
                                                  options.counts));
  }
  if (memory != nullptr) set_time(memory->step());
}

void TrainSwarm::set_time(uint64_t step) {
  time_ = time_of(params_.base.time, shape_of(checked_.plan, job_, swarm_.wafers()),
                  training_weights(job_, step), swarmx::stages_of(swarm_.wafers()));
  for (const auto& wafer : wafers_) wafer->set_time(time_);
  if (memory_ == nullptr || !timed()) return;
  clock_ = std::make_unique<swarmx::WeightClock>(time_, checked_.plan.grid.rows,
                                                 memoryx::taken_first(swarm_.streams().step));
}

memoryx::WeightTimes TrainSwarm::times() {
  if (!clock_) return {};
  return clock_->next(memory_->updated() > 0, memoryx::updates_wait(job_));
}

std::string TrainSwarm::description() const {
  const std::string one = wafers_.front()->description();
  std::string text =
      swarm_.wafers() == 1 ? one : fmt::format("{} wafers: {}", swarm_.wafers(), one);
  if (transport_.ranks() > 1) text += fmt::format(", in {} ranks", transport_.ranks());
  return text;
}

Dataset TrainSwarm::micro_batch(const std::vector<uint64_t>& numbers, size_t n) const {
  const size_t size = job_.micro_batch_sequences();
  return samples_of(checked_.training, numbers, n * size, size);
}

Dataset TrainSwarm::held_out(size_t n) const {
  const size_t size = job_.micro_batch_sequences(), begin = n * size;
  return part_of(checked_.held_out, begin, std::min(size, checked_.held_out.samples() - begin));
}

std::vector<swarmx::TableRows> TrainSwarm::rows_of(
    size_t count, const std::function<Dataset(size_t n)>& batch) const {
  std::map<size_t, std::set<uint32_t>> used;
  const bool shared = swarm_.wafers() > 1 && checked_.plan.of_tokens();
  for (size_t n = 0; shared && n < count; ++n) {
    const Tokens tokens = samples_in(job_, batch(n)).tokens;
    for (size_t slot = 0; slot < tokens.ids.size(); ++slot) {
      if (tokens.ids[slot] == kNoToken) continue;
      for (const Lookup& l : checked_.plan.lookups) {
        used[l.tokens].insert(static_cast<uint32_t>(tokens.ids[slot]));
        if (l.positions) {
          used[*l.positions].insert(static_cast<uint32_t>(tokens.position_of(slot)));
        }
      }
    }
  }
  std::vector<swarmx::TableRows> rows;
  for (const auto& [table, of] : used) rows.push_back({table, {of.begin(), of.end()}});
  return rows;
}

void TrainSwarm::run(const std::vector<uint64_t>& numbers, const std::function<void()>& meanwhile) {
  const int first = swarm_.first() * swarm_.share();
  results_.assign(static_cast<size_t>(swarm_.count() * swarm_.share()), Result{});
  left_.assign(timed() ? static_cast<size_t>(swarm_.count()) : 0, {});
  const auto work = [&](int wafer, int batch, memoryx::WaferSide& memory) {
    transport_.check();
    const Dataset part = micro_batch(numbers, static_cast<size_t>(batch));
    TrainWafer& here = *wafers_[static_cast<size_t>(wafer - swarm_.first())];
    TrainRun run = here.train(memory, samples_in(job_, part), targets_of(job_, part));
    results_[static_cast<size_t>(batch - first)] = {loss_of(job_, run.outputs, part),
                                                    right_of(job_, run.outputs, part),
                                                    run.cycles,
                                                    run.one_by_one,
                                                    run.wavelets_in,
                                                    run.gradients,
                                                    run.times,
                                                    run.edge.waits(),
                                                    run.edge.late(),
                                                    run.counters};
    if (timed() && memory.times() != nullptr && memory.times()->reduces) {
      left_[static_cast<size_t>(wafer - swarm_.first())] = std::move(run.left);
    }
  };
  swarm_.run(work, meanwhile);
}

// Gathers the results of all micro-batches in their order, on rank 0, whose clock gets their
// gradients.
std::vector<TrainSwarm::Result> TrainSwarm::gather() {
  ranks::Writer out;
  out.put(static_cast<uint8_t>(asked_here()));
  put_all(results_, &out);
  for (const swarmx::WaferGradients& wafer : left_) {
    for (const swarmx::RowGradients& row : wafer) {
      put_all(row.runs, &out);
      put_all(row.cycles, &out);
    }
  }
  std::vector<Result> all;
  std::vector<swarmx::WaferGradients> left;
  for (const ranks::Message& message : swarm_.gather(out.take())) {
    ranks::Reader in(message);
    told_to_stop_ |= in.get<uint8_t>() != 0;
    const auto results = get_all<Result>(&in);
    all.insert(all.end(), results.begin(), results.end());
    while (!in.done()) {
      left.emplace_back(static_cast<size_t>(checked_.plan.grid.rows));
      for (swarmx::RowGradients& row : left.back()) {
        row.runs = get_all<swarmx::GradientRun>(&in);
        row.cycles = get_all<uint64_t>(&in);
      }
    }
  }
  if (clock_) clock_->gradients(left);
  return all;
}

uint64_t TrainSwarm::training_cycles() {
  const uint64_t before = std::exchange(told_, *std::max_element(passed_.begin(), passed_.end()));
  return told_ - before;
}

void TrainSwarm::step(const std::vector<uint64_t>& numbers, const std::function<void()>& meanwhile,
                      TrainStep* step) {
  const auto batches = static_cast<size_t>(job_.micro_batches);
  swarm_.begin_step(times(), rows_of(batches, [&](size_t n) { return micro_batch(numbers, n); }));
  run(numbers, meanwhile);
  account(gather(), step);
}

// Sums are in the order of the micro-batches, so they are the same for any number of wafers.
void TrainSwarm::account(const std::vector<Result>& results, TrainStep* step) {
  if (results.size() != static_cast<size_t>(job_.micro_batches)) {
    throw ProtocolError("a step without the results of all its micro-batches");
  }
  const auto share = static_cast<size_t>(swarm_.share());
  uint64_t slowest = 0;
  for (size_t w = 0; w < results.size() / share; ++w) {
    uint64_t cycles = 0, one_by_one = 0;
    TrainTimes times;
    EdgeWaits waits{}, late{};
    Counters counters{};
    for (size_t m = w * share; m < (w + 1) * share; ++m) {
      const Result& r = results[m];
      step->loss += r.loss;
      step->right += r.right;
      step->wavelets_in += r.wavelets_in;
      step->gradients += r.gradients;
      cycles += r.cycles;
      one_by_one += r.one_by_one;
      add_times(r.times, &times);
      add_waits(r.waits, &waits);
      add_waits(r.late, &late);
      add_counters({}, r.counters, &counters);
    }
    passed_[w] += cycles;
    if (w > 0 && cycles <= slowest) continue;
    slowest = cycles;
    step->one_by_one = one_by_one;
    step->times = times;
    step->waits = waits;
    step->late = late;
    step->counters = counters;
  }
  step->wafers = swarm_.wafers();
  step->cycles = training_cycles();
}

void TrainSwarm::run_forward() {
  const auto first = static_cast<uint64_t>(swarm_.first());
  const uint64_t batches = swarm_.round().batches;
  const uint64_t mine = batches - std::min(batches, first);
  forward_.assign(std::min(mine, static_cast<uint64_t>(swarm_.count())), {});
  swarm_.run([&](int wafer, int batch, memoryx::WaferSide& memory) {
    transport_.check();
    const Dataset part = held_out(static_cast<size_t>(batch));
    const auto here = static_cast<size_t>(wafer - swarm_.first());
    TrainRun run = wafers_[here]->forward(memory, samples_in(job_, part));
    run.outputs =
        first_of(std::move(run.outputs), part.samples() * static_cast<size_t>(job_.sequence));
    forward_[here] = {run.cycles, std::move(run.outputs)};
  });
}

// Gathers the results of all batches in their order, on rank 0.
std::vector<TrainSwarm::Forward> TrainSwarm::gather_forward() {
  ranks::Writer out;
  for (const Forward& f : forward_) {
    out.put(f.cycles);
    out.put(static_cast<int32_t>(f.outputs.features));
    out.put(static_cast<int32_t>(f.outputs.samples));
    out.put(f.outputs.values.data(), f.outputs.values.size());
  }
  std::vector<Forward> all;
  for (const ranks::Message& message : swarm_.gather(out.take())) {
    ranks::Reader in(message);
    while (!in.done()) {
      Forward f;
      f.cycles = in.get<uint64_t>();
      const auto features = in.get<int32_t>(), samples = in.get<int32_t>();
      if (features != checked_.plan.values[static_cast<size_t>(checked_.plan.output)].features ||
          samples < 1 || static_cast<uint64_t>(samples) > job_.micro_batch()) {
        throw ProtocolError("outputs of another network than this one");
      }
      f.outputs = Activations::zero(features, samples);
      in.get(f.outputs.values.data(), f.outputs.values.size());
      all.push_back(std::move(f));
    }
  }
  return all;
}

std::vector<Activations> TrainSwarm::forward(uint64_t first, uint64_t* cycles) {
  const uint64_t size = job_.micro_batch_sequences();
  const uint64_t left = (checked_.held_out.samples() + size - 1) / size - first;
  const uint64_t batches = std::min(left, static_cast<uint64_t>(swarm_.wafers()));
  swarm_.begin_forward(first, batches, times(),
                       rows_of(batches, [&](size_t n) { return held_out(first + n); }));
  run_forward();
  std::vector<Activations> outputs;
  for (Forward& f : gather_forward()) {
    passed_[outputs.size()] += f.cycles;  // one batch per wafer
    outputs.push_back(std::move(f.outputs));
  }
  if (outputs.size() != swarm_.round().batches) {
    throw ProtocolError("a forward pass without the outputs of all its batches");
  }
  *cycles = training_cycles();
  return outputs;
}

void TrainSwarm::serve() {
  bool begun = false;
  // Created at the first step: if rank 0 trains no step there may be no sample to train with.
  std::optional<memoryx::SampleOrder> order;
  while (swarm_.await()) {
    if (!begun) set_time(swarm_.step());
    begun = true;
    if (swarm_.round().forward()) {
      run_forward();
      gather_forward();
      continue;
    }
    if (!order) order.emplace(job_.seed, checked_.training.samples(), job_.batch_sequences());
    run(order->of_step(swarm_.step()), nullptr);
    gather();
  }
}

}  // namespace ow::jobs
