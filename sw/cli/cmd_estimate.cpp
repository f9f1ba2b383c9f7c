// SPDX-License-Identifier: Apache-2.0
// `ow estimate`: what a job costs, before it runs (docs/training.md).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli.h"
#include "language_report.h"
#include "machine_files.h"
#include "machine_options.h"
#include "ow/base/error.h"
#include "ow/compile/estimate.h"
#include "ow/compile/job.h"
#include "ow/swarmx/swarm.h"
#include "ow/swarmx/weight_clock.h"
#include "parts.h"

namespace ow::cli {
namespace {

using jobs::Estimate;
using jobs::EstimateShape;
using jobs::LayerWeights;
using jobs::PhaseEstimate;

struct Options {
  std::string job;
  MachineFlags machine;
  std::optional<double> density;  // of weights of which no file is named; none: all are kept
  std::optional<uint64_t> step;   // of a training; none: the first
  int wafers = 0;                 // 0: as the job says
  LanguageQuestion language;      // instead of a job
};

// What is estimated, of a job of either kind.
struct Work {
  bool mini = false;  // on tiles of `mini`
  int wafers = 1;
  bool activations_stay = true;
  EstimateShape shape;
  uint32_t used_bytes = 0;
  uint32_t sram_bytes = 0;
  TimeOptions time;
  // Weights for a grid of so many rows.
  std::function<std::vector<LayerWeights>(int rows)> weights;
};

Work inference_work(const jobs::RunParams& params, const MachineSpec& machine, const Options& o) {
  if (o.wafers != 0) throw BadInput("--num-wafers: " + o.job + " is no training");
  if (o.step) throw BadInput("--step: " + o.job + " is no training");
  if (o.density && !params.weights.empty()) {
    throw BadInput("--density: " + o.job + " names the file of its weights");
  }
  const bool mini = machine.has_mini_tiles();
  const TileConfig tile = mini ? jobs::kMiniTile : jobs::kFullTile;
  TrainingJob run = jobs::job_of(params);
  std::vector<std::string> programs = {firmware_dir() +
                                       (mini ? "/forward_mini.elf" : "/forward.elf")};
  if (!mini) programs.push_back(firmware_dir() + "/forward_graph.elf");
  const ElfImage firmware = jobs::program_of(run, programs, tile);
  constexpr size_t kMany = size_t{1} << 30;
  const jobs::Plan plan = jobs::make_forward_plan(params.path + ": keys 'network' and 'grid'", run,
                                                  kMany, firmware, tile);
  Work job;
  job.mini = mini;
  job.shape = shape_of(plan, run);
  job.activations_stay = plan.all_kept();
  job.used_bytes = plan.used_bytes;
  job.sram_bytes = plan.tile.sram_bytes;
  job.time = params.time;
  if (!params.weights.empty()) {
    run.first = jobs::read_first_values(params.weights, graph_of(run), run.type);
  }
  job.weights = [run, density = o.density.value_or(1)](int rows) mutable {
    run.grid_rows = rows;
    if (run.first) return jobs::weights_of(run, false);
    std::vector<LayerWeights> weights;
    for (size_t k = 0; k < run.layers.size(); ++k) {
      weights.push_back(jobs::drawn_weights(run.layers[k], rows, density, k + 1));
    }
    return weights;
  };
  return job;
}

Work training_work(const jobs::TrainParams& params, const Options& o) {
  if (o.density) {
    throw BadInput("--density: " + o.job + " is a training, which has its own (--step)");
  }
  TrainingJob training = jobs::with_sum_orders(params.job);
  const ElfImage firmware = jobs::program_of(
      training, jobs::training_programs(firmware_dir(), training.type), jobs::kFullTile);
  const jobs::Plan plan = jobs::make_plan(params.base.path, training, firmware, jobs::kFullTile);
  Work job;
  job.wafers = o.wafers > 0 ? o.wafers : params.wafers;
  swarmx::check_wafers(params.base.path, job.wafers, training.micro_batches, 1);
  job.shape = shape_of(plan, training, job.wafers);
  job.used_bytes = plan.used_bytes;
  job.sram_bytes = plan.tile.sram_bytes;
  job.time = params.base.time;
  job.weights = [training, step = o.step.value_or(0)](int rows) mutable {
    training.grid_rows = rows;
    return jobs::training_weights(training, step);
  };
  return job;
}

std::string name_of(const EstimateShape& shape, const PhaseEstimate& phase) {
  if (phase.layer < 0) return phase.name;
  const LayerShape& layer = shape.layers[static_cast<size_t>(phase.layer)];
  return fmt::format("{} {}x{}", phase.name, layer.inputs, layer.outputs);
}

// Weights that a tile would hold if they stayed: 16 bits each, and with what is pruned an index.
void residency(const Work& job, const std::vector<LayerWeights>& weights, nlohmann::json* json) {
  uint64_t kept = 0, all = 0;
  for (const LayerWeights& w : weights) kept += w.kept;
  for (const LayerShape& layer : job.shape.layers) {
    all += static_cast<uint64_t>(layer.inputs) * static_cast<uint64_t>(layer.outputs);
  }
  const auto rows = static_cast<uint64_t>(job.shape.grid.rows);
  const uint64_t bytes = (std::min(kept * 4, all * 2) + rows - 1) / rows;
  const uint64_t left = job.sram_bytes > job.used_bytes ? job.sram_bytes - job.used_bytes : 0;
  fmt::print(
      "memory      {} of {} bytes of a tile of `{}`, program and stack included; weights would "
      "take "
      "{} more: {}\n",
      job.used_bytes, job.sram_bytes, job.mini ? "mini" : "full", bytes,
      bytes <= left ? "they would fit, and are streamed nevertheless" : "they must be streamed");
  const uint64_t activations = activation_bytes(job.shape, job.activations_stay);
  fmt::print("activations {} bytes of a tile, {} a sample\n", activations,
             activations / static_cast<uint64_t>(job.shape.samples));
  (*json)["activation_bytes_a_tile"] = activations;
  (*json)["tile_bytes"] = job.used_bytes;
  (*json)["sram_bytes"] = job.sram_bytes;
  (*json)["weights"] = all;
  (*json)["kept"] = kept;
  (*json)["weight_bytes_a_tile"] = bytes;
  (*json)["resident_would_fit"] = bytes <= left;
}

void phases(const Work& job, const Estimate& timed, const TimeModel& time, nlohmann::json* json) {
  const double wse = static_cast<double>(wse_time().edge.rate) / kTimeUnit;
  fmt::print("\n{:<22} {:>12} {:>12} {:>12} {:>12} {:>9} {:>10} {:>12}\n", "phase", "cycles",
             "engine", "reducer", "edge", "bound", "bits/cycle", "wse: samples");
  for (const PhaseEstimate& p : timed.phases) {
    nlohmann::json line = {{"name", p.name}, {"cycles", p.cycles}};
    if (p.wavelets == 0) {
      fmt::print("{:<22} {:>12}\n", name_of(job.shape, p), p.cycles);
    } else {
      fmt::print("{:<22} {:>12} {:>12} {:>12} {:>12} {:>9} {:>10.2f} {:>12}\n",
                 name_of(job.shape, p), p.cycles, p.engine, p.reducer, p.edge, p.bound(),
                 p.needed_bits(), p.samples_at(wse));
      line.update({{"layer", p.layer},
                   {"wavelets", p.wavelets},
                   {"engine", p.engine},
                   {"reducer", p.reducer},
                   {"edge", p.edge},
                   {"bound", p.bound()},
                   {"needed_bits", p.needed_bits()},
                   {"wse_samples", p.samples_at(wse)}});
    }
    (*json)["phases"].push_back(line);
  }
  fmt::print("{:<22} {:>12}   utilisation {:.1f} %", job.shape.training() ? "step" : "batch",
             timed.cycles, 100 * timed.utilisation());
  if (job.shape.micro_batches > 1) fmt::print(", {} micro-batches", job.shape.micro_batches);
  if (timed.one_by_one > timed.cycles) {
    fmt::print("; {} cycles one by one, {} saved by overlap", timed.one_by_one,
               timed.one_by_one - timed.cycles);
  }
  fmt::print("\n\n");
  (*json)["cycles"] = timed.cycles;
  (*json)["cycles_one_by_one"] = timed.one_by_one;
  (*json)["utilisation"] = timed.utilisation();
  double needed = 0;
  uint64_t samples = 0;
  for (const PhaseEstimate& p : timed.phases) {
    needed = std::max(needed, p.needed_bits());
    samples = std::max(samples, p.samples_at(wse));
  }
  (*json)["needed_bits"] = needed;
  (*json)["wse_samples"] = samples;
  fmt::print("no stall    from {:.2f} bits a cycle and edge row on", needed);
  if (time.edge.bounded()) {
    fmt::print("; here are {:.2f}", static_cast<double>(time.edge.rate) / kTimeUnit);
  }
  const int most = 16 * job.shape.lanes;
  fmt::print("\nwse         {:.2f} bits: from {} samples a tile on{}\n", wse, samples,
             samples > static_cast<uint64_t>(most)
                 ? fmt::format(", above the {} that an accumulator row holds", most)
                 : "");
}

// The same samples a tile on larger grids: more columns take more samples, more rows share the
// features; with nothing outside that has to be waited for, and with an edge of so many bits a row
// as here, or as of the preset `wse` where the job models none.
void projection(const Work& job, const TimeModel& time, nlohmann::json* json) {
  const TimeModel outside = time.modelled() ? time : wse_time(swarmx::stages_of(job.wafers));
  const GridShape grids[] = {{4, 4}, {16, 16}, {64, 64}, {256, 256}, {750, 1200}};
  fmt::print("\n{:<12} {:>9} {:>14} {:>14} {:>12} {:>12} {:>14} {:>12}\n", "grid", "tiles",
             "samples", "cycles", "utilisation", "activations", time.modelled() ? "edge" : "wse",
             "utilisation");
  for (const GridShape grid : grids) {
    if (grid.rows < job.shape.grid.rows || grid.cols < job.shape.grid.cols) continue;
    const std::string name = fmt::format("{} x {}", grid.rows, grid.cols);
    EstimateShape shape;
    try {
      shape = on_grid(job.shape, grid);
    } catch (const BadInput& refused) {
      fmt::print("{:<12} {}\n", name, refused.what());
      (*json)["projection"].push_back(
          {{"rows", grid.rows}, {"columns", grid.cols}, {"refused", refused.what()}});
      continue;
    }
    const std::vector<LayerWeights> weights = job.weights(grid.rows);
    const Estimate e = estimate_job(shape, weights, {});
    const Estimate held = estimate_job(shape, weights, outside);
    const uint64_t samples = static_cast<uint64_t>(shape.samples) *
                             static_cast<uint64_t>(grid.cols) *
                             static_cast<uint64_t>(shape.micro_batches * job.wafers);
    const uint64_t bytes = activation_bytes(shape, job.activations_stay);
    fmt::print("{:<12} {:>9} {:>14} {:>14} {:>11.1f}% {:>12} {:>14} {:>11.1f}%\n", name, e.tiles,
               samples, e.cycles, 100 * e.utilisation(), bytes, held.cycles,
               100 * held.utilisation());
    (*json)["projection"].push_back({{"rows", grid.rows},
                                     {"columns", grid.cols},
                                     {"tiles", e.tiles},
                                     {"samples", samples},
                                     {"cycles", e.cycles},
                                     {"utilisation", e.utilisation()},
                                     {"activation_bytes_a_tile", bytes},
                                     {"cycles_with_edge", held.cycles},
                                     {"utilisation_with_edge", held.utilisation()}});
  }
}

int run(Context& context, const Options& o) {
  if (!o.language.model.empty()) {
    if (!o.job.empty()) throw BadInput("--model and a job: estimate one of them");
    LanguageQuestion question = o.language;
    question.wafers = std::max(1, o.wafers);
    return estimate_model(context, question);
  }
  if (o.job.empty()) throw BadInput("a job or --model is missing");
  const MachineSpec spec = machine_of(o.machine);
  if (spec.kind == MachineKind::Golden) throw BadInput(spec.name + ": takes no cycles");
  if (!spec.record_file.empty()) throw BadInput(spec.name + ": an estimate records nothing");
  if (!(spec.save_file + spec.restore_file).empty()) {
    throw BadInput(spec.name + ": an estimate has no run to save or restore");
  }
  const jobs::Job read = jobs::read_job(o.job, false);
  MachineUse use;
  use.trains = read.is_training();
  check_use(spec, use);
  std::vector<File> files = files_of(spec).read;
  files.push_back({"parameters", o.job});
  files.push_back({"network.weights", read.base().weights});
  context.check_files(files, {});
  Machine(spec, {}).fit(read.base().grid, o.job);
  const Work job = read.is_training() ? training_work(read.training(), o)
                                      : inference_work(read.network(), spec, o);
  const std::vector<LayerWeights> weights = job.weights(job.shape.grid.rows);
  const TimeModel time = time_of(job.time, job.shape, weights, swarmx::stages_of(job.wafers));
  nlohmann::json& json = context.result();
  fmt::print("{:<11} {} x {} tiles, {} samples a tile\n",
             job.shape.training() ? "training" : "inference", job.shape.grid.rows,
             job.shape.grid.cols, job.shape.samples);
  if (job.wafers > 1) fmt::print("wafers      {}\n", job.wafers);
  json["wafers"] = job.wafers;
  json["micro_batches"] = job.shape.micro_batches;
  json["training"] = job.shape.training();
  json["grid"] = {{"rows", job.shape.grid.rows}, {"columns", job.shape.grid.cols}};
  json["samples_a_tile"] = job.shape.samples;
  residency(job, weights, &json);
  phases(job, estimate_job(job.shape, weights, time), time, &json);
  projection(job, time, &json);
  return 0;
}

}  // namespace

void add_estimate(CLI::App& app, Context& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      context.add(app, "estimate",
                  "What a job costs before it runs: memory, cycles a phase, edge, larger grids",
                  [o, &context] { return run(context, *o); });
  command
      ->add_option("params,--params", o->job,
                   "The job (configs/*.yaml), or a pipe (/dev/stdin), whose paths are taken from "
                   "the current directory")
      ->type_name("FILE");
  add_machine(command, &o->machine);
  command
      ->add_option("--density", o->density,
                   "Share of the weights that are kept, where the job names no file of weights (1)")
      ->check(real_number(0, 1));
  command
      ->add_option("--num-wafers,--num_wafers,--num_csx,--wafers", o->wafers,
                   "Of a training: so many wafers share a step's micro-batches (the job's); of a "
                   "language model: so many hold its regions (1)")
      ->check(whole_number(1, 1024));
  command->add_option("--step", o->step, "Of a training: with the densities of this step (0)")
      ->check(whole_number(0, 1'000'000'000));
  LanguageQuestion* language = &o->language;
  command
      ->add_option("--model", language->model,
                   "Instead of a job: a language model's folder, of which config.json is read")
      ->type_name("DIR");
  command
      ->add_option("--tiles", language->tiles,
                   "Of a language model: the fastest regions on a wafer of so many tiles")
      ->check(whole_number(1, 100'000'000));
  command
      ->add_option("--region", language->region,
                   "Of a language model: tiles of a region (else by --tiles or the model's shape)")
      ->type_name("RxC");
  command
      ->add_option("--position", language->position,
                   "Of a language model: the token's position (128)")
      ->check(whole_number(0, 1'000'000'000));
}

}  // namespace ow::cli
