// SPDX-License-Identifier: Apache-2.0
#include "train_swarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ow/base/error.h"
#include "ow/compile/estimate.h"
#include "ow/swarmx/bytes.h"
#include "train_samples.h"

namespace ow::jobs {
namespace {

// A grid of tiles.
class GridWafer : public TrainWafer {
 public:
  GridWafer(std::unique_ptr<Device> device, const CheckedTraining& checked,
            std::function<void()> progress)
      : device_(std::move(device)),
        control_(*device_),
        grid_(control_, checked.firmware, checked.plan) {
    grid_.on_progress(std::move(progress));
  }
  std::string description() const override { return device_->description(); }
  void set_time(const TimeModel& time) override { grid_.set_time(time); }
  TrainRun train(memoryx::WaferSide& memory, const Activations& x,
                 const Targets& targets) override {
    return grid_.train(memory, x, targets);
  }
  TrainRun forward(const memoryx::WaferSide& memory, const Activations& x) override {
    return grid_.forward(memory, x);
  }

 private:
  std::unique_ptr<Device> device_;
  ControlPlane control_;
  TrainGrid grid_;
};

}  // namespace

TrainSwarm::TrainSwarm(const TrainParams& params, const TrainRunOptions& options,
                       const CheckedTraining& checked, swarmx::Transport& transport,
                       memoryx::MemoryX* memory)
    : job_(checked.job),
      params_(params),
      checked_(checked),
      transport_(transport),
      memory_(memory),
      swarm_(checked.job, params.wafers, stream_of(checked.plan), transport, memory),
      timed_(options.make != nullptr) {
  for (int n = 0; n < swarm_.count(); ++n) {
    if (!options.make) {
      if (!options.model) throw InternalError("a training with nothing to do its passes");
      wafers_.push_back(options.model(job_));
      continue;
    }
    // One of them shows its progress, all look whether another rank has failed.
    const std::function<void()> shown = n == 0 ? options.on_progress : nullptr;
    auto progress = [this, shown] {
      transport_.check();
      swarm_.alive();
      if (shown) shown();
    };
    wafers_.push_back(
        std::make_unique<GridWafer>(options.make(params.base.grid), checked, progress));
  }
  if (memory != nullptr) set_time(memory->step());
}

void TrainSwarm::set_time(uint64_t step) {
  time_ =
      time_of(params_.base.time, shape_of(checked_.plan, job_), training_weights(job_, step), true);
  for (const auto& wafer : wafers_) wafer->set_time(time_);
}

std::string TrainSwarm::description() const {
  const std::string one = wafers_.front()->description();
  std::string text =
      swarm_.wafers() == 1 ? one : fmt::format("{} wafers: {}", swarm_.wafers(), one);
  if (transport_.ranks() > 1) text += fmt::format(", in {} ranks", transport_.ranks());
  return text;
}

void TrainSwarm::run(const std::vector<uint64_t>& numbers, const std::function<void()>& meanwhile) {
  const size_t size = job_.micro_batch();
  const int first = swarm_.first() * swarm_.share();
  results_.assign(static_cast<size_t>(swarm_.count() * swarm_.share()), Result{});
  const auto work = [&](int wafer, int micro_batch, memoryx::WaferSide& memory) {
    transport_.check();
    const Dataset part =
        samples_of(checked_.training, numbers, static_cast<size_t>(micro_batch) * size, size);
    TrainWafer& here = *wafers_[static_cast<size_t>(wafer - swarm_.first())];
    const TrainRun run =
        here.train(memory, part.activations(job_.type, 0, size), targets_of(job_, part));
    results_[static_cast<size_t>(micro_batch - first)] = {loss_of(job_, run.outputs, part.labels),
                                                          right_of(job_, run.outputs, part.labels),
                                                          run.cycles,
                                                          run.one_by_one,
                                                          run.wavelets_in,
                                                          run.gradients,
                                                          run.row_wavelets,
                                                          run.row_gradients,
                                                          run.times,
                                                          run.edge.waits(),
                                                          run.edge.late()};
  };
  swarm_.run(work, meanwhile);
}

// Of all micro-batches in their order, on rank 0.
std::vector<TrainSwarm::Result> TrainSwarm::gather() {
  swarmx::Writer out;
  out.put(results_.data(), results_.size());
  std::vector<Result> all;
  for (const swarmx::Message& message : swarm_.gather(out.take())) {
    swarmx::Reader in(message);
    const size_t before = all.size();
    all.resize(before + message.size() / sizeof(Result));
    in.get(&all[before], all.size() - before);
    in.close();
  }
  return all;
}

void TrainSwarm::step(const std::vector<uint64_t>& numbers, const std::function<void()>& meanwhile,
                      TrainStep* step) {
  swarm_.begin_step();
  run(numbers, meanwhile);
  account(gather(), step);
}

// Sums are in the order of the micro-batches, so that they are the same for any number of wafers.
void TrainSwarm::account(const std::vector<Result>& results, TrainStep* step) const {
  if (results.size() != static_cast<size_t>(job_.micro_batches)) {
    throw ProtocolError("a step without the results of all its micro-batches");
  }
  const auto share = static_cast<size_t>(swarm_.share());
  swarmx::WaferStep slowest;
  slowest.micro_batches = share;
  for (size_t w = 0; w < results.size() / share; ++w) {
    uint64_t cycles = 0, one_by_one = 0;
    TrainTimes times;
    EdgeWaits waits{}, late{};
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
      // All micro-batches have the same.
      slowest.weight_bits = r.row_wavelets * kWaveletBits * share;
      slowest.gradient_bits = r.row_gradients * kWaveletBits;
    }
    if (w > 0 && cycles <= slowest.cycles) continue;
    slowest.cycles = cycles;
    step->one_by_one = one_by_one;
    step->times = times;
    step->waits = waits;
    step->late = late;
  }
  step->wafers = swarm_.wafers();
  step->wafer_cycles = slowest.cycles;
  if (slowest.cycles == 0) return;
  const swarmx::StageTime stages = swarmx::stage_time(time_, swarm_.wafers(), slowest);
  step->broadcast_cycles = stages.broadcast;
  step->reduce_cycles = stages.reduce;
  step->cycles = slowest.cycles + stages.broadcast + stages.reduce;
  step->one_by_one += stages.broadcast + stages.reduce;
}

void TrainSwarm::run_forward() {
  const size_t size = job_.micro_batch(), samples = checked_.held_out.samples();
  const auto first = static_cast<uint64_t>(swarm_.first());
  const uint64_t batches = swarm_.round().batches;
  const uint64_t mine = batches - std::min(batches, first);
  forward_.assign(std::min(mine, static_cast<uint64_t>(swarm_.count())), {});
  swarm_.run([&](int wafer, int batch, memoryx::WaferSide& memory) {
    transport_.check();
    const size_t begin = static_cast<size_t>(batch) * size;
    const Dataset part = part_of(checked_.held_out, begin, std::min(size, samples - begin));
    const auto here = static_cast<size_t>(wafer - swarm_.first());
    TrainRun run = wafers_[here]->forward(memory, part.activations(job_.type, 0, part.samples()));
    forward_[here] = {run.cycles, run.row_wavelets, std::move(run.outputs)};
  });
}

// Of all batches in their order, on rank 0.
std::vector<TrainSwarm::Forward> TrainSwarm::gather_forward() {
  swarmx::Writer out;
  for (const Forward& f : forward_) {
    out.put(f.cycles);
    out.put(f.row_wavelets);
    out.put(static_cast<int32_t>(f.outputs.features));
    out.put(static_cast<int32_t>(f.outputs.samples));
    out.put(f.outputs.values.data(), f.outputs.values.size());
  }
  std::vector<Forward> all;
  for (const swarmx::Message& message : swarm_.gather(out.take())) {
    swarmx::Reader in(message);
    while (!in.done()) {
      Forward f;
      f.cycles = in.get<uint64_t>();
      f.row_wavelets = in.get<uint64_t>();
      const auto features = in.get<int32_t>(), samples = in.get<int32_t>();
      if (features != job_.layers.back().outputs || samples < 1 ||
          static_cast<uint64_t>(samples) > job_.micro_batch()) {
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
  const uint64_t size = job_.micro_batch();
  const uint64_t left = (checked_.held_out.samples() + size - 1) / size - first;
  swarm_.begin_forward(first, std::min(left, static_cast<uint64_t>(swarm_.wafers())));
  run_forward();
  std::vector<Activations> outputs;
  swarmx::WaferStep slowest;
  for (Forward& f : gather_forward()) {
    slowest.cycles = std::max(slowest.cycles, f.cycles);
    slowest.weight_bits = f.row_wavelets * kWaveletBits;
    outputs.push_back(std::move(f.outputs));
  }
  if (outputs.size() != swarm_.round().batches) {
    throw ProtocolError("a forward pass without the outputs of all its batches");
  }
  *cycles = slowest.cycles;
  if (slowest.cycles > 0) {
    *cycles += swarmx::stage_time(time_, swarm_.wafers(), slowest).broadcast;
  }
  return outputs;
}

void TrainSwarm::serve() {
  bool begun = false;
  // Made for the first step: where rank 0 trains no step there may be no sample to train with.
  std::optional<memoryx::SampleOrder> order;
  while (swarm_.await()) {
    if (!begun) set_time(swarm_.step());
    begun = true;
    if (swarm_.round().forward()) {
      run_forward();
      gather_forward();
      continue;
    }
    if (!order) order.emplace(job_.seed, checked_.training.samples(), job_.batch());
    run(order->of_step(swarm_.step()), nullptr);
    gather();
  }
}

}  // namespace ow::jobs
