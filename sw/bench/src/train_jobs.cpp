// SPDX-License-Identifier: Apache-2.0
// Trainings on the RTL: M1, M2, M7.rtl and M8 of `ow bench train`.
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/bench/benches.h"
#include "ow/check/training_job.h"
#include "ow/compile/job.h"
#include "ow/measure/weight_search.h"
#include "ow/sim/sim.h"
#include "ow/tensor/half.h"
#include "scratch.h"
#include "train_jobs.h"

namespace ow::bench {
namespace {

using jobs::TrainMode;
using jobs::TrainParams;
using jobs::TrainReport;

enum class On { Rtl, Golden };

// What was found of a training's weights in the SRAM of its wafer.
struct Found {
  Device* wafer = nullptr;
  uint64_t searches = 0;  // of all tiles
  uint64_t runs = 0;      // that were looked for, in all searches
  uint64_t places = 0;    // that hold some of them
};

// The golden model as the reference, which behind the first and the last step of the tiles, before
// the update, looks for the weights of the step in every tile's SRAM.
class SearchingReference : public jobs::TrainReference {
 public:
  SearchingReference(const TrainingJob& job, const Graph& graph, uint64_t steps, Found* found)
      : job_(job), steps_(steps), found_(*found), golden_(golden::training_reference(job, graph)) {}

  void begin(const memoryx::MemoryX& memory) override { golden_->begin(memory); }
  Activations run(const Activations& x, const ow::Targets& targets) override {
    return golden_->run(x, targets);
  }
  void update() override {
    ++step_;
    if (step_ == 1 || step_ == steps_) search();
    golden_->update();
  }
  const std::vector<float>& weights(size_t parameter) const override {
    return golden_->weights(parameter);
  }
  Activations forward(const Activations& x) const override { return golden_->forward(x); }

 private:
  void search() {
    Network network;
    size_t parameter = 0;
    for (const LayerShape& shape : job_.layers) {
      Layer layer;
      static_cast<LayerShape&>(layer) = shape;
      for (const float w : golden_->weights(parameter)) {
        layer.weights.push_back(to_half(job_.type, static_cast<double>(w)));
      }
      parameter += shape.bias ? 2 : 1;
      network.layers.push_back(std::move(layer));
    }
    const WeightSearch search(network, job_.grid_rows);
    ControlPlane control(*found_.wafer);
    ++found_.searches;
    found_.runs += search.runs();
    found_.places += search.found(&control);
  }

  const TrainingJob job_;
  const uint64_t steps_;
  Found& found_;
  const std::unique_ptr<jobs::TrainReference> golden_;
  uint64_t step_ = 0;
};

// `found`: if given, of a training on the RTL and of one wafer.
TrainReport train(const TrainParams& params, const TrainBench& bench, On device, TrainMode mode,
                  const Progress& bar, Found* found = nullptr) {
  jobs::RunOptions run;
  run.mode = mode;
  run.firmware = bench.firmware;
  run.train_reference = golden::training_reference;
  run.model = golden::training_wafer;
  if (device == On::Rtl) {
    run.make = [found](GridShape grid) {
      auto wafer = make_device(DeviceKind::Replicated, grid);
      if (found != nullptr) found->wafer = wafer.get();
      return wafer;
    };
  }
  if (found != nullptr) {
    run.train_reference = [&params, found](const TrainingJob& job, const Graph& graph) {
      return std::make_unique<SearchingReference>(job, graph, params.steps, found);
    };
  }
  run.on_step = [&bar](const jobs::TrainStep& step) {
    bar(static_cast<double>(step.step + 1) / static_cast<double>(step.steps));
  };
  return run_training(params, run);
}

nlohmann::json raw_of(const TrainReport& r) {
  nlohmann::json raw = {{"steps", r.steps},           {"skipped", r.skipped},
                        {"weights", r.weights},       {"kept", r.kept},
                        {"compared", r.compared},     {"different", r.different},
                        {"first_loss", r.first_loss}, {"last_loss", r.last_loss},
                        {"seconds", r.seconds},       {"cycles", r.cycles}};
  raw["cycles_of_parts"] = {{"forward", r.times.forward},
                            {"loss", r.times.loss},
                            {"gradients", r.times.gradients},
                            {"deltas", r.times.deltas}};
  if (!r.first_difference.empty()) raw["first_difference"] = r.first_difference;
  return raw;
}

// The calling thread, and those that it starts, on two of the machine's cores until it ends.
class TwoCores {
 public:
  TwoCores() {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) {
      throw InternalError("the cores of this process are not known");
    }
    cpu_set_t two;
    CPU_ZERO(&two);
    for (size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++core) {
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &two);
    }
    count_ = CPU_COUNT(&two);
    if (sched_setaffinity(0, sizeof two, &two) != 0) {
      throw InternalError("this process cannot be kept to two cores");
    }
  }
  TwoCores(const TwoCores&) = delete;
  TwoCores& operator=(const TwoCores&) = delete;
  ~TwoCores() { sched_setaffinity(0, sizeof before_, &before_); }

  int count() const { return count_; }  // 1 on a machine that has no more

 private:
  cpu_set_t before_;
  int count_ = 0;
};

void digits(Rows* rows, const TrainBench& bench) {
  constexpr uint64_t kMostSteps = 300;
  constexpr size_t kOneIn = 10;  // of the weights is left, at most
  const TrainParams params = jobs::read_job(bench.params).training();
  const TwoCores cores;
  const TrainReport r =
      train(params, bench, On::Rtl, TrainMode::TrainAndEval, rows->progress("digits"));
  const jobs::Evaluation& e = r.evaluations.back();
  if (r.steps > kMostSteps) rows->fault("M1", fmt::format("{} steps", r.steps));
  if (r.kept * kOneIn > r.weights) {
    rows->fault("M1", fmt::format("{} of {} weights are kept at the end", r.kept, r.weights));
  }
  nlohmann::json raw = raw_of(r);
  raw["cores"] = cores.count();
  raw["right"] = e.right;
  raw["images"] = e.samples;
  size_t compared = 0, different = 0;
  for (const jobs::Evaluation& each : r.evaluations) {
    compared += each.compared;
    different += each.different;
  }
  raw["outputs_compared"] = compared;
  raw["outputs_different"] = different;
  if (r.compared == 0 || compared == 0) rows->fault("M1.bits", "nothing was compared");
  rows->add("M1", 100.0 * e.accuracy(), raw);
  rows->add("M1.bits", static_cast<double>(r.different + different), raw);
  rows->add("M1.time", r.seconds, raw);
}

// M2: what the digits job does not have.
std::vector<std::pair<std::string, TrainParams>> kinds(const TrainParams& digits) {
  using Algorithm = SparsityGroup::Algorithm;
  TrainParams base = digits;
  base.steps = 50;
  base.job.sparsity.clear();
  std::vector<std::pair<std::string, TrainParams>> all;
  all.emplace_back("dense", base);
  TrainParams bfloat16 = digits;
  bfloat16.steps = 50;
  bfloat16.job.type = HalfType::Bfloat16;
  all.emplace_back("bfloat16", bfloat16);
  TrainParams rigl = base;
  rigl.job.sparsity.resize(1);
  SparsityGroup& group = rigl.job.sparsity.front();
  group.pattern = "*.weight";
  group.algorithm = Algorithm::Rigl;
  group.density = constant_schedule(0.1);
  group.update.start = 5;
  group.update.every = 5;
  all.emplace_back("RigL", rigl);
  TrainParams micro = base;
  micro.job.micro_batches = 3;
  micro.job.optimizer.max_norm = 0.5;
  micro.job.loss_scale.initial = 131072;
  micro.job.loss_scale.dynamic = true;
  micro.job.loss_scale.interval = 10;
  all.emplace_back("micro-batches, clipping, overflow", micro);
  return all;
}

void other_kinds(Rows* rows, const TrainBench& bench) {
  uint64_t different = 0;
  nlohmann::json raw;
  for (const auto& [name, params] : kinds(jobs::read_job(bench.params).training())) {
    const TrainReport r = train(params, bench, On::Rtl, TrainMode::Train, rows->progress(name));
    different += r.different;
    raw.push_back(raw_of(r));
    raw.back()["name"] = name;
    if (params.job.loss_scale.dynamic && r.skipped == 0) {
      rows->fault("M2", name + ": no step overflowed");
    }
  }
  rows->add("M2", static_cast<double>(different), {{"runs", raw}});
}

void put_word(std::string* text, uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) text->push_back(static_cast<char>(word >> shift));
}

// Images of 28 x 28 with ten classes, as IDX files: for each class a fixed picture of soft spots,
// shifted and with noise.
void write_images(const std::string& directory, uint64_t seed, uint32_t count) {
  constexpr int kSide = 28, kClasses = 10, kSpots = 6, kLastSpot = 20;
  Rng rng(seed);
  int spots[kClasses][kSpots][2];
  for (auto& picture : spots) {
    for (auto& spot : picture) {
      for (int& place : spot) place = 4 + static_cast<int>(rng.below(kLastSpot));
    }
  }
  std::string images, labels;
  put_word(&images, 0x00000803);
  for (const uint32_t size : {count, uint32_t{kSide}, uint32_t{kSide}}) put_word(&images, size);
  put_word(&labels, 0x00000801);
  put_word(&labels, count);
  for (uint32_t n = 0; n < count; ++n) {
    const auto label = static_cast<int>(rng.below(kClasses));
    const int dy = static_cast<int>(rng.below(5)) - 2, dx = static_cast<int>(rng.below(5)) - 2;
    labels.push_back(static_cast<char>(label));
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        int value = static_cast<int>(rng.below(64));
        for (const auto& spot : spots[label]) {
          const int v = y - dy - spot[0], u = x - dx - spot[1];
          value += std::max(0, 190 - 30 * (v * v + u * u));
        }
        images.push_back(static_cast<char>(std::min(value, 255)));
      }
    }
  }
  write_file(directory + "/images-idx3-ubyte", images);
  write_file(directory + "/labels-idx1-ubyte", labels);
}

// A network on such images: adamw, masks of `density`.
TrainParams image_job(const std::string& directory, GridShape grid, int samples,
                      const std::vector<int>& sizes, double density) {
  TrainParams p;
  p.base.path = "M8";
  p.base.data.file = directory + "/images-idx3-ubyte";
  p.base.data.labels = directory + "/labels-idx1-ubyte";
  p.base.data.format = DataFormat::Idx;
  p.base.data.scale = 255;
  p.base.held_out = jobs::RunParams::HeldOut{4, 3};
  for (size_t k = 0; k + 1 < sizes.size(); ++k) {
    const std::string f = k + 2 < sizes.size() ? "relu" : "none";
    p.base.layers.push_back({sizes[k], sizes[k + 1], f, true});
  }
  p.base.grid = grid;
  p.job.layers = p.base.layers;
  p.job.grid_rows = grid.rows;
  p.job.grid_cols = grid.cols;
  p.job.samples = samples;
  p.job.optimizer.rate = constant_schedule(0.002);
  p.job.loss_scale.initial = 256;
  if (density < 1) {
    p.job.sparsity.resize(1);
    p.job.sparsity[0].pattern = "*.weight";
    p.job.sparsity[0].density = constant_schedule(density);
  }
  return p;
}

// A tile that holds a weight, or a search that looked for none, is a fault of the row.
void judge_search(Rows* rows, const std::string& row, const Found& found, nlohmann::json* raw) {
  (*raw)["sram_searches"] = found.searches;
  (*raw)["runs_of_weights"] = found.runs;
  (*raw)["places_with_weights"] = found.places;
  if (found.searches == 0 || found.runs == 0) {
    rows->fault(row, "no tile was searched for weights");
  }
  if (found.places > 0) {
    rows->fault(row, fmt::format("{} places in the tiles' SRAM hold weights", found.places));
  }
}

void images(Rows* rows, const TrainBench& bench) {
  const Scratch scratch;
  write_images(scratch.path(), rows->options().seed, 4096);
  TrainParams p = image_job(scratch.path(), {4, 4}, 32, {784, 128, 10}, 0.1);
  p.steps = 20;
  Found found;
  const TrainReport rtl =
      train(p, bench, On::Rtl, TrainMode::TrainAndEval, rows->progress("784-128-10, RTL"), &found);
  p.steps = 2000;
  const TrainReport golden =
      train(p, bench, On::Golden, TrainMode::TrainAndEval, rows->progress("784-128-10, golden"));
  nlohmann::json raw = {{"rtl", raw_of(rtl)}, {"golden", raw_of(golden)}};
  raw["rtl"]["accuracy"] = rtl.evaluations.back().accuracy();
  raw["golden"]["accuracy"] = golden.evaluations.back().accuracy();
  judge_search(rows, "M8", found, &raw["rtl"]);
  rows->add(
      "M8",
      static_cast<double>(rtl.different + golden.different + rtl.evaluations.back().different),
      raw);

  // 16-bit weights of 4 times the SRAM of 2 x 2 tiles.
  constexpr size_t kTimes = 4;
  TrainParams large = image_job(scratch.path(), {2, 2}, 8, {784, 512, 10}, 1);
  large.steps = 3;
  Found of_large;
  const TrainReport r = train(large, bench, On::Rtl, TrainMode::Train,
                              rows->progress("784-512-10 on 2x2"), &of_large);
  raw = raw_of(r);
  judge_search(rows, "M8.large", of_large, &raw);
  raw["sram_bytes"] = size_t{4} * jobs::kFullTile.sram_bytes;
  raw["weight_bytes"] = 2 * r.weights;
  if (2 * r.weights < kTimes * 4 * jobs::kFullTile.sram_bytes) {
    rows->fault("M8.large", fmt::format("{} weights are not {} times the SRAM", r.weights, kTimes));
  }
  rows->add("M8.large", static_cast<double>(r.different), raw);
}

// The job of M7.rtl: small, with a checkpoint every second step.
TrainParams small_job(const std::string& directory) {
  TrainParams p = image_job(directory, {2, 2}, 8, {784, 16, 10}, 0.1);
  p.steps = 40;
  p.checkpoint_every = 2;
  return p;
}

std::string newest(const std::string& directory) {
  const std::vector<std::string> all = memoryx::checkpoints_in(directory);
  return all.empty() ? "" : read_text(all.front());
}

jobs::RunOptions on_rtl(const TrainBench& bench, const std::string& directory) {
  jobs::RunOptions run;
  run.firmware = bench.firmware;
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  run.check = false;
  run.model_dir = directory;
  return run;
}

// Trains in a process of its own, which is killed some time after it has written the checkpoint of
// `step`. Whether that was before its end.
bool train_and_kill(const TrainParams& p, const jobs::RunOptions& run, uint64_t step,
                    unsigned wait_us) {
  const pid_t child = fork();
  if (child < 0) throw InternalError("a process cannot be made");
  if (child == 0) {
    try {
      run_training(p, run);
    } catch (const std::exception&) {
      _exit(1);
    }
    _exit(0);
  }
  constexpr int kTries = 600;
  const std::string reached = memoryx::checkpoint_path(run.model_dir, step);
  int status = 0;
  for (int k = 0; k < kTries && !std::filesystem::exists(reached); ++k) {
    if (waitpid(child, &status, WNOHANG) == child) return false;
    usleep(100000);
  }
  const bool came = std::filesystem::exists(reached);
  if (came) usleep(wait_us);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return came && WIFSIGNALED(status);
}

// M7.rtl
void kills(Rows* rows, const TrainBench& bench) {
  constexpr int kKills = 2;
  const Scratch scratch;
  write_images(scratch.path(), rows->options().seed, 256);
  const TrainParams p = small_job(scratch.path());
  const Progress bar = rows->progress("kills");
  const std::string whole = scratch.path() + "/whole";
  run_training(p, on_rtl(bench, whole));
  Rng rng(rows->options().seed);
  int survived = 0;
  nlohmann::json raw;
  for (int k = 0; k < kKills; ++k) {
    bar(static_cast<double>(k + 1) / (kKills + 1));
    jobs::RunOptions run = on_rtl(bench, scratch.path() + "/killed-" + std::to_string(k));
    const uint64_t step = 2 + 2 * rng.below(8);
    const auto wait_us = static_cast<unsigned>(rng.below(300000));
    const bool killed = train_and_kill(p, run, step, wait_us);
    if (memoryx::checkpoints_in(run.model_dir).empty()) {
      rows->fault("M7.rtl", fmt::format("no checkpoint of step {} within a minute", step));
      return;
    }
    run.resume = true;
    const TrainReport r = run_training(p, run);
    const bool same = newest(run.model_dir) == newest(whole);
    survived += killed && same ? 1 : 0;
    raw.push_back({{"killed", killed}, {"resumed_at", r.first_step}, {"same", same}});
  }
  rows->add("M7.rtl", survived, {{"kills", raw}});
}

}  // namespace

void measure_train_jobs(Rows* rows, const TrainBench& bench) {
  if (rows->wants("M1")) digits(rows, bench);
  if (rows->wants("M2")) other_kinds(rows, bench);
  if (rows->wants("M5")) measure_swarm_time(rows, bench);
  if (rows->wants("M6")) measure_swarm_bits(rows, bench);
  if (rows->wants("M7")) kills(rows, bench);
  if (rows->wants("M8")) images(rows, bench);
}

}  // namespace ow::bench
