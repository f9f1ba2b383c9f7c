// SPDX-License-Identifier: Apache-2.0
#include "ow/check/training_job.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ow/golden/train.h"

namespace ow::golden {
namespace {

template <typename T>
std::vector<T> copy_of(const memoryx::View<T>& view) {
  return {view.begin(), view.end()};
}

MicroBatch run_batch(const Trainer& trainer, const Samples& samples, const Targets& targets) {
  if (samples.of_tokens()) return trainer.run(samples.tokens, targets);
  return trainer.run(samples.numbers, targets);
}

Activations outputs_of(const Trainer& trainer, const Samples& samples) {
  if (samples.of_tokens()) return trainer.forward(samples.tokens).back();
  return trainer.forward(samples.numbers).back();
}

class GoldenTraining : public jobs::TrainReference {
 public:
  GoldenTraining(const TrainingJob& job, const Graph& graph) : trainer_(job, graph) {}

  void begin(const memoryx::MemoryX& memory) override {
    const memoryx::Store& store = memory.store();
    std::vector<Parameter> parameters = trainer_.parameters();
    for (size_t k = 0; k < parameters.size(); ++k) {
      Parameter& p = parameters[k];
      const size_t n = p.value.size();
      p.value = copy_of(store.weights(k, 0, n));
      if (store.moments() > 0) p.first = copy_of(store.moment(k, 0, 0, n));
      if (store.moments() > 1) p.second = copy_of(store.moment(k, 1, 0, n));
      if (store.spec(k).masked) p.mask = copy_of(store.mask(k, 0, n));
    }
    const memoryx::RunState state = memory.state();
    trainer_.restore(std::move(parameters), state.step, state.updates, state.loss_scale,
                     state.good_steps);
  }

  Activations run(const Samples& samples, const Targets& targets) override {
    batches_.push_back(run_batch(trainer_, samples, targets));
    return batches_.back().outputs.back();
  }
  void update() override {
    trainer_.update(batches_);
    batches_.clear();
  }
  const std::vector<float>& weights(size_t parameter) const override {
    return trainer_.parameters()[parameter].value;
  }
  Activations forward(const Samples& samples) const override {
    return outputs_of(trainer_, samples);
  }

 private:
  Trainer trainer_;
  std::vector<MicroBatch> batches_;
};

// The weights of a forward pass taken out of their stream again, as the tiles of all grid rows
// together see it.
class Weights {
 public:
  Weights(const TrainingJob& job, const Graph& graph, const memoryx::StreamSchedule& schedule,
          memoryx::WeightStream* stream)
      : job_(job) {
    for (const memoryx::StreamStep& step : schedule) {
      const auto& matrix = graph.parameters[step.parameter];
      passes_.push_back({static_cast<int>(matrix.rows) * step.copies,
                         static_cast<int>(matrix.columns), step.copies,
                         step.order == SumOrder::Whole,
                         std::vector<float>(matrix.rows * matrix.columns)});
    }
    const auto rows = static_cast<size_t>(job.grid_rows);
    std::vector<Place> places(rows);
    for (size_t r = 0; r < rows; ++r) begin_pass(0, static_cast<int>(r), &places[r]);
    std::vector<Wavelet> part;
    for (bool open = true; open;) {
      open = false;
      for (size_t r = 0; r < rows; ++r) {
        part.clear();
        stream->next(static_cast<int>(r), 4096, &part);
        for (const Wavelet& w : part) take(w, static_cast<int>(r), &places[r]);
        open = open || !stream->done(static_cast<int>(r));
      }
    }
  }
  std::vector<float>& of_pass(size_t k) { return passes_[k].values; }

 private:
  struct Matrix {
    int outputs, inputs, copies;
    bool whole;
    std::vector<float> values;
  };
  // Where a grid row's stream is. Round the column outputs come owner by owner; for whole sums the
  // row's own come alone.
  struct Place {
    size_t pass = 0;
    int owner = 0;
    int output = 0;
  };

  // To the first output of the next pass that has some for the grid row.
  void begin_pass(size_t pass, int row, Place* at) const {
    while (pass < passes_.size() && passes_[pass].whole && row >= passes_[pass].outputs) ++pass;
    const bool own = pass < passes_.size() && passes_[pass].whole;
    *at = {pass, own ? row : 0, own ? row : 0};
  }

  // The input of a place, where those of all grid rows stand owner by owner.
  int input_at(int inputs, int place) const {
    for (int owner = 0;; ++owner) {
      const int count = (inputs - owner + job_.grid_rows - 1) / job_.grid_rows;
      if (place < count) return place * job_.grid_rows + owner;
      place -= count;
    }
  }

  void take(const Wavelet& w, int row, Place* at) {
    constexpr unsigned kIndexAt = 16;
    if (at->pass == passes_.size()) return;  // the forward pass has all weights
    Matrix& matrix = passes_[at->pass];
    if (!w.ctrl) {
      const auto index = static_cast<int>(w.data >> kIndexAt);
      const int input =
          matrix.whole ? input_at(matrix.inputs, index) : index * job_.grid_rows + row;
      matrix.values[static_cast<size_t>(at->output / matrix.copies) *
                        static_cast<size_t>(matrix.inputs) +
                    static_cast<size_t>(input)] =
          static_cast<float>(from_half(job_.type, static_cast<uint16_t>(w.data)));
      return;
    }
    at->output += job_.grid_rows;
    if (at->output >= matrix.outputs) {
      at->output = ++at->owner;
      if (matrix.whole || at->owner >= std::min(job_.grid_rows, matrix.outputs)) {
        begin_pass(at->pass + 1, row, at);
      }
    }
  }

  const TrainingJob& job_;
  std::vector<Matrix> passes_;
};

class GoldenWafer : public jobs::TrainWafer {
 public:
  GoldenWafer(const TrainingJob& job, const memoryx::TrainStreams& streams)
      : job_(job), streams_(streams), graph_(graph_of(job)), trainer_(job) {}

  std::string description() const override { return "golden model"; }
  void set_time(const TimeModel& /*time*/) override {}

  jobs::TrainRun train(memoryx::WaferSide& memory, const Samples& samples,
                       const Targets& targets) override {
    take_weights(memory, memory.stream(streams_.step, streams_.options).get());
    MicroBatch batch = run_batch(trainer_, samples, targets);
    const memoryx::Store& store = memory.store();
    const int slot = memory.gradient_slot();
    for (size_t k = 0; k < store.tensors(); ++k) {
      store.each_window(k, [&](size_t first, size_t count) {
        const auto to = store.gradient(k, slot, first, count);
        std::copy_n(batch.gradients[k].begin() + static_cast<std::ptrdiff_t>(first), count,
                    to.begin());
      });
    }
    memory.gradient_added();
    jobs::TrainRun run;
    run.outputs = std::move(batch.outputs.back());
    return run;
  }

  jobs::TrainRun forward(const memoryx::WaferSide& memory, const Samples& samples) override {
    take_weights(memory, memory.stream(streams_.forward, streams_.options).get());
    jobs::TrainRun run;
    run.outputs = outputs_of(trainer_, samples);
    return run;
  }

 private:
  void take_weights(const memoryx::WaferSide& memory, memoryx::WeightStream* stream) {
    Weights weights(job_, graph_, streams_.forward, stream);
    const memoryx::Store& store = memory.store();
    std::vector<Parameter> parameters = trainer_.parameters();
    for (size_t k = 0; k < parameters.size(); ++k) {
      Parameter& parameter = parameters[k];
      const size_t n = parameter.value.size();
      if (!store.spec(k).matrix() || store.spec(k).table)
        parameter.value = copy_of(store.weights(k, 0, n));
      if (!parameter.mask.empty()) parameter.mask = copy_of(store.mask(k, 0, n));
    }
    for (size_t pass = 0; pass < streams_.forward.size(); ++pass) {
      const size_t k = streams_.forward[pass].parameter;
      take_pass(weights.of_pass(pass), store.spec(k).table, &parameters[k].value);
    }
    trainer_.restore(std::move(parameters), memory.step(), 0, memory.loss_scale(), 0);
  }

  // A stream has 16 bits of a weight. What is looked up in the same table has all, but only of the
  // rows that this wafer's samples use; the others are those of an earlier step.
  void take_pass(const std::vector<float>& streamed, bool table, std::vector<float>* value) const {
    const auto half = [this](float x) { return to_half(job_.type, static_cast<double>(x)); };
    for (size_t i = 0; i < value->size(); ++i) {
      float& x = (*value)[i];
      if (!table || half(x) != half(streamed[i])) x = streamed[i];
    }
  }

  TrainingJob job_;
  const memoryx::TrainStreams& streams_;
  Graph graph_;
  Trainer trainer_;
};

}  // namespace

std::unique_ptr<jobs::TrainWafer> training_wafer(const TrainingJob& job,
                                                 const memoryx::TrainStreams& streams) {
  return std::make_unique<GoldenWafer>(job, streams);
}

std::unique_ptr<jobs::TrainReference> training_reference(const TrainingJob& job,
                                                         const Graph& graph) {
  return std::make_unique<GoldenTraining>(job, graph);
}

jobs::RunOptions training_run(const std::string& firmware) {
  jobs::RunOptions run;
  run.model = training_wafer;
  run.train_reference = training_reference;
  run.firmware = firmware;
  return run;
}

jobs::RunOptions network_run(const std::string& firmware, const std::string& train_firmware) {
  jobs::RunOptions run = training_run(firmware);
  run.reference = run_forward;
  run.train_firmware = {train_firmware};
  return run;
}

}  // namespace ow::golden
