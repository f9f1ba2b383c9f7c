// SPDX-License-Identifier: Apache-2.0
// `ow run`: a network on a grid, bit for bit against the golden model (docs/run.md).
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/base/progress.h"
#include "ow/check/training_job.h"
#include "ow/compile/network_run.h"
#include "ow/compile/plan_file.h"
#include "ow/compile/train_job.h"
#include "ow/compile/train_params.h"
#include "ow/golden/network.h"
#include "ow/memoryx/checkpoint.h"
#include "ow/open/board.h"
#include "ow/open/mini.h"
#include "ow/wafer/files.h"
#include "parts.h"
#include "run_report.h"
#include "run_train.h"
#include "show_plan.h"
#include "simulated_board.h"
#include "wafer.h"

namespace ow::cli {
namespace {

using jobs::RunDevice;
using jobs::RunReport;

struct Options {
  std::string params;
  std::string mode = "eval";
  std::string device = "rtl";
  std::string tiles = "full";
  std::string firmware;
  std::string weights;
  std::string save_weights;
  std::string save_outputs;
  bool check = true;
  bool validate_only = false;
  bool compile_only = false;
  std::string plan;
  bool check_idle = false;
  bool checked = false;
  size_t limit = 0;
  TrainRequest train;
  std::string record;
  std::string wafer;
  std::string defects;
  std::string map;
  std::string svg;
  bool accept_smaller = false;
};

void check_size(const Options& options, GridShape offered, GridShape wanted) {
  if (offered.rows == wanted.rows && offered.cols == wanted.cols) return;
  throw BadInput(fmt::format("{}: the wafer offers {} x {} logical tiles, {} wants {} x {}",
                             options.wafer, offered.rows, offered.cols, options.params, wanted.rows,
                             wanted.cols));
}

// The files of the wafer and what is asked of them, before anything takes time.
void check_wafer(const Options& options, const jobs::RunParams& params) {
  if (options.device != "rtl" || options.check_idle) {
    throw BadInput("--wafer: only with --device rtl and without --check-idle");
  }
  const wafer::Shape shape = wafer::read_shape(options.wafer);
  const wafer::Faults faults =
      options.defects.empty() ? wafer::Faults() : wafer::read_faults(options.defects, shape);
  GridShape offered{shape.logical_rows(), shape.logical_cols()};
  if (!options.map.empty()) {
    const wafer::Window window = wafer::read_map(options.map).window;
    offered = {window.rows, window.cols};
  }
  // The largest rectangle that works is only known when the wafer has been brought up.
  if (!options.accept_smaller) check_size(options, offered, params.grid);
  // The registers that faults name are the simulated tile's to know.
  if (options.validate_only) wafer::make_wafer_device(shape, faults);
}

// The board that an FPGA's design makes, simulated at its pins (docs/fpga.md).
constexpr const char* kSimulatedBoard = "fpga-sim";

bool on_board(const Options& options) {
  return uart::is_board(options.device) || options.device == kSimulatedBoard;
}

// Options that do not go together.
void check_combination(const Options& options) {
  if (on_board(options)) {
    if (options.check_idle || !options.record.empty() || !options.wafer.empty()) {
      throw BadInput("--device uart or fpga-sim: not with --check-idle, --record or --wafer");
    }
    if (options.checked) {
      throw BadInput("--device uart or fpga-sim: hardware has no assertions (--checked)");
    }
  }
  if (options.device == "golden" && (options.checked || options.check_idle)) {
    throw BadInput("--device golden: has no hardware to look at (--checked, --check-idle)");
  }
  // A board's tiles are those of `mini` in any case.
  const bool mini = options.tiles == "mini" && !on_board(options);
  if (mini && options.device != "rtl") throw BadInput("--tiles mini: only with --device rtl");
  if (mini && (!options.wafer.empty() || !options.record.empty() || options.checked)) {
    throw BadInput("--tiles mini: not with --wafer, --record or --checked");
  }
  if (!options.record.empty() && (options.device == "golden" || !options.wafer.empty())) {
    throw BadInput("--record: only runs of a simulated grid are recorded (no --wafer)");
  }
  if (options.wafer.empty() && !(options.defects.empty() && options.map.empty() &&
                                 options.svg.empty() && !options.accept_smaller)) {
    throw BadInput("--defects, --map, --svg, --accept-smaller: which wafer? (--wafer FILE)");
  }
}

// All but where a wafer comes from and who hears of the progress.
jobs::RunOptions run_options(const Options& options) {
  jobs::RunOptions run;
  const bool mini = options.tiles == "mini" || on_board(options);
  run.device = options.device == "golden" ? RunDevice::Golden
               : options.device == "mono" ? RunDevice::Monolithic
                                          : RunDevice::Replicated;
  run.sim.check_idle = options.check_idle;
  run.sim.checked = options.checked || options.check_idle;
  run.sim.record_file = options.record;
  if (mini) {
    run.tile = jobs::kMiniTile;
    run.make = [check = options.check_idle](GridShape grid) { return make_mini_grid(grid, check); };
  }
  run.firmware = !options.firmware.empty() ? options.firmware
                 : mini                    ? OW_FIRMWARE_DIR "/stream_layer_mini.elf"
                                           : OW_FIRMWARE_DIR "/stream_layer.elf";
  run.weights = options.weights;
  run.save_weights = options.save_weights;
  run.save_outputs = options.save_outputs;
  if (options.check) run.reference = golden::run_network;
  run.training = golden::training_run(OW_FIRMWARE_DIR "/train.elf");
  run.training.check = options.check;
  run.limit = options.limit;
  run.plan = options.plan;
  run.on_plan = [](const jobs::PlanFile& file) { print_plan(file); };
  return run;
}

// The board at the port, which must have the job's grid; or a simulated one that has it.
std::unique_ptr<Device> open_board(const Options& options, GridShape grid) {
  if (options.device == kSimulatedBoard) {
    return uart::open_board(start_simulated_board(grid));
  }
  auto device = uart::open_board(options.device);
  if (device->shape() != grid) {
    throw BadInput(fmt::format("{}: the board has {} x {} tiles, {} wants {} x {}", options.device,
                               device->shape().rows, device->shape().cols, options.params,
                               grid.rows, grid.cols));
  }
  return device;
}

void print_checked(const Options& options, const jobs::Checked& checked) {
  fmt::print("{}: valid; {} samples to run, {} to train with; {} a tile, {} bytes of it in use",
             options.params, checked.samples.samples(), checked.training_samples,
             checked.plan.capacity, checked.plan.used_bytes);
  if (checked.large_plan) fmt::print(", {} by the large layer", checked.large_plan->used_bytes);
  fmt::print("\n");
}

// The progress of each stage in turn.
class Stages {
 public:
  void update(const std::string& what, double done) {
    if (what != stage_) {
      bar_.reset();
      bar_ = std::make_unique<Progress>(what, 1000);
      stage_ = what;
    }
    bar_->update(static_cast<uint64_t>(done * 1000));
  }

 private:
  std::string stage_;
  std::unique_ptr<Progress> bar_;
};

RunReport run_with_progress(const jobs::RunParams& params, jobs::RunOptions run) {
  Stages stages;
  run.progress = [&stages](const std::string& what, double done) { stages.update(what, done); };
  return jobs::run_network(params, run);
}

// "sim:4x4" is "rtl", the grid being that of the parameters.
void take_device(Options* options, const std::string& params, GridShape grid) {
  if (on_board(*options)) return;
  const size_t colon = options->device.find(':');
  const std::string kind = options->device.substr(0, colon);
  if (kind != "sim" && kind != "rtl" && kind != "mono" && kind != "golden" &&
      kind != kSimulatedBoard) {
    throw BadInput(fmt::format(
        "--device {}: must be golden, uart:PATH[:BAUD], or rtl, sim, mono or fpga-sim, also with "
        "the grid (sim:4x4)",
        options->device));
  }
  if (colon != std::string::npos &&
      options->device.substr(colon + 1) != fmt::format("{}x{}", grid.rows, grid.cols)) {
    throw BadInput(fmt::format("--device {}: {} wants {} x {} tiles", options->device, params,
                               grid.rows, grid.cols));
  }
  options->device = kind == "sim" ? "rtl" : kind;
}

// What a training keeps in its directory: the checkpoints, and under names of their own what an
// option may put elsewhere.
void add_model_dir(const Context& context, const Options& options, std::vector<File>* read,
                   std::vector<File>* written) {
  namespace fs = std::filesystem;
  const std::string& directory = options.train.model_dir;
  if (directory.empty()) return;
  for (const std::string& path : memoryx::checkpoints_in(directory)) {
    read->push_back({"--model-dir", path});
  }
  std::vector<File> kept = {{"--model-dir", jobs::plan_path(directory), "--plan", false},
                            {"--model-dir", directory + "/metrics.jsonl", "--metrics", false}};
  if (options.mode == "predict" && options.save_outputs.empty()) {
    kept.push_back({"--model-dir", directory + "/predictions.safetensors", "", false});
  }
  // Checkpoints that are not there yet.
  for (const std::string& path : {context.json_path(), options.save_outputs, options.plan,
                                  options.train.metrics, options.record}) {
    const std::string name = fs::path(path).filename().string();
    if (name.rfind("checkpoint-", 0) != 0) continue;
    kept.push_back({"--model-dir", (fs::path(directory) / name).string(), "", false});
  }
  written->insert(written->begin(), kept.begin(), kept.end());
}

// Weights may replace those that were read. A plan's file is read as well as written, and is not
// written if its plan is used; metrics may lie in a directory that is yet to be made.
void check_files(const Context& context, const Options& options, const jobs::RunParams& params) {
  std::error_code error;
  const std::string& metrics = options.train.metrics;
  std::vector<File> read = {{"parameters", options.params},
                            {"data.file", params.data.file},
                            {"data.labels", params.data.labels},
                            {"network.weights", params.weights, "--save-weights"},
                            {"--weights", options.weights, "--save-weights"},
                            {"network.training", params.training},
                            {"--firmware", run_options(options).firmware},
                            {"--wafer", options.wafer},
                            {"--defects", options.defects},
                            {"--map", options.map}};
  std::vector<File> written = {{"--plan", options.plan, "", false},
                               {"--save-weights", options.save_weights},
                               {"--save-outputs", options.save_outputs},
                               {"--metrics", metrics, "", std::filesystem::exists(metrics, error)},
                               {"--record", options.record},
                               {"--svg", options.svg}};
  if (params.weights.empty() && options.weights.empty() && !params.training.empty()) {
    const jobs::RunParams training = jobs::load_train_params(params.training).base;
    read.push_back({"data.file of network.training", training.data.file});
    read.push_back({"data.labels of network.training", training.data.labels});
  }
  add_model_dir(context, options, &read, &written);
  context.check_files(read, written);
}

// A line that names the build command, if the grid in one piece is not in this program.
void need_monolithic() {
  if (!has_monolithic()) part_path("ow-large", "--device mono");
}

// What a training has no use for.
void check_training_options(const Options& options) {
  const auto without = [](bool given, const char* what) {
    if (given) throw BadInput(fmt::format("{}: not with a training", what));
  };
  without(options.tiles != "full", "--tiles mini");
  without(!options.weights.empty(), "--weights");
  without(!options.save_weights.empty(), "--save-weights");
  without(!options.save_outputs.empty() && options.mode != "predict", "--save-outputs");
  without(options.limit != 0, "--limit");
  without(!options.wafer.empty(), "--wafer");
  without(on_board(options), "--device uart or fpga-sim");
  if (options.mode != "eval" && options.mode != "predict") return;
  const auto only_trains = [&options](bool given, const char* what) {
    if (given) throw BadInput(fmt::format("{}: not with --mode {}", what, options.mode));
  };
  only_trains(options.train.num_steps != 0, "--num-steps");
  only_trains(!options.train.metrics.empty(), "--metrics");
  only_trains(options.train.resume, "--resume");
}

int train(Context& context, Options options) {
  check_training_options(options);
  const jobs::TrainParams params = jobs::load_train_params(options.params);
  const GridShape grid = params.base.grid;
  take_device(&options, options.params, grid);
  check_combination(options);
  check_files(context, options, params.base);
  const DeviceKind kind =
      options.device == "mono" ? DeviceKind::Monolithic : DeviceKind::Replicated;
  if (kind == DeviceKind::Monolithic && (grid.rows != 2 || grid.cols != 2)) {
    throw BadInput(fmt::format("{}: key 'grid': {} x {} tiles, the monolithic simulator is 2 x 2",
                               options.params, grid.rows, grid.cols));
  }
  if (kind == DeviceKind::Monolithic) need_monolithic();
  const SimOptions sim = run_options(options).sim;
  TrainRequest request = options.train;
  request.params = options.params;
  request.mode = options.mode;
  request.save_outputs = options.save_outputs;
  request.golden = options.device == "golden";
  request.make = [kind, sim](GridShape shape) { return make_device(kind, shape, sim); };
  request.firmware = options.firmware;
  request.check = options.check;
  request.validate_only = options.validate_only;
  request.compile_only = options.compile_only;
  request.plan = options.plan;
  request.recorded = !sim.record_file.empty();
  return run_train(context, request);
}

int run(Context& context, Options options) {
  // Before anything is read. If it is not built, other errors come first.
  if (options.device.rfind("mono", 0) == 0 && !has_monolithic() && has_part("ow-large")) {
    context.hand_over("ow-large", "--device mono");
  }
  if (jobs::is_training(options.params)) return train(context, options);
  if (!speaks_alone(options.params)) return 2;
  if (options.mode == "predict") {
    throw BadInput(
        options.params +
        ": key 'train' is missing: --mode predict is for trainings; --save-outputs gives "
        "the outputs of a network");
  }
  if (options.mode != "eval" || options.train.resume || !options.train.model_dir.empty() ||
      !options.train.metrics.empty() || options.train.num_steps != 0 || options.train.wafers != 0) {
    throw BadInput(options.params +
                   ": key 'train' is missing: --mode train, --model-dir, --num-steps, "
                   "--num-wafers, --metrics and --resume are for trainings");
  }
  const jobs::RunParams params = jobs::load_params(options.params);
  take_device(&options, options.params, params.grid);
  check_combination(options);
  check_files(context, options, params);
  if (options.device == "golden" && (!options.check || !options.save_outputs.empty())) {
    throw BadInput("--device golden: it is the check, and has no outputs of a device");
  }
  jobs::RunOptions run = run_options(options);
  if (!options.wafer.empty()) check_wafer(options, params);
  if (options.validate_only) {
    const jobs::Checked checked = jobs::check_run(params, run);
    print_checked(options, checked);
    print_plan(checked.plan_file, "to be made");
    context.result()["valid"] = true;
    return 0;
  }
  if (options.compile_only) {
    jobs::Checked checked = jobs::check_run(params, run);
    if (!checked.plan_file.usable()) checked.plan_file.keep(plan_document(params, checked));
    show_plan(context, checked.plan_file);
    return 0;
  }

  if (options.device == "mono" && params.grid == GridShape{2, 2}) need_monolithic();
  nlohmann::json bringup;
  if (on_board(options)) {
    // Before anything takes time: whether there is one, and what it has.
    const auto first = std::make_shared<std::unique_ptr<Device>>(open_board(options, params.grid));
    run.make = [&options, first](GridShape grid) {
      return *first ? std::move(*first) : open_board(options, grid);
    };
  }
  if (!options.wafer.empty()) {
    run.make = [&options, &bringup](GridShape grid) {
      wafer::WaferPart part;
      part.accept_smaller = options.accept_smaller;
      auto wafer = open_wafer({options.wafer, options.defects, options.map, part, "", {}},
                              options.svg, &bringup);
      check_size(options, wafer->shape(), grid);
      return wafer;
    };
  }
  const RunReport report = run_with_progress(params, std::move(run));
  print_report(report);
  context.result() = report_json(report);
  if (!bringup.is_null()) context.result()["wafer"] = bringup;
  return report.mismatches() == 0 ? 0 : 1;
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = context.add(
      app, "run", "Stream a network, from a file or trained, through a grid; compare with golden",
      [&context, options] { return run(context, *options); });
  sub->add_option("params,--params", options->params, "Parameters of the job (configs/*.yaml)")
      ->required()
      ->type_name("FILE");
  sub->add_option(
         "--mode", options->mode,
         "eval: the outputs of the samples; train, train_and_eval, predict (outputs into a "
         "file, no classes needed): for a file with a key 'train'")
      ->check(CLI::IsMember({"eval", "train", "train_and_eval", "predict"}))
      ->capture_default_str();
  sub->add_option("--device", options->device,
                  "rtl or sim: the replicated simulator; mono: the monolithic one (both also with "
                  "the grid, sim:4x4); golden: no RTL; uart:PATH[:BAUD]: a board at a serial port; "
                  "fpga-sim: such a board, simulated at its pins (1x2 or 2x2 tiles)")
      ->capture_default_str();
  add_train_options(sub, &options->train);
  sub->add_option("--tiles", options->tiles,
                  "full: 8 lanes, 48 kB, 24 colours; mini: 2 lanes, 8 kB, 4 colours")
      ->check(CLI::IsMember({"full", "mini"}))
      ->capture_default_str();
  sub->add_option("--weights", options->weights,
                  "The network's tensors (safetensors), instead of a training")
      ->type_name("FILE");
  sub->add_option("--save-weights", options->save_weights, "Write the network's tensors")
      ->type_name("FILE");
  sub->add_option("--save-outputs", options->save_outputs,
                  "Write what came out of the grid (safetensors: outputs [samples, outputs])")
      ->type_name("FILE");
  sub->add_flag(
      "--check,!--no-check", options->check,
      "Compare every activation with the golden model; exit status 1 if one differs (on)");
  sub->add_option("--firmware", options->firmware, "Kernel to load instead of the build's own")
      ->type_name("ELF");
  sub->add_option("--limit", options->limit, "Run only the first N samples")
      ->type_name("N")
      ->check(whole_number(1, 1000000));
  sub->add_flag("--validate-only,--validate_only", options->validate_only,
                "Check the parameters and stop");
  sub->add_flag("--compile-only,--compile_only", options->compile_only,
                "Print the plan, where everything lies and what it takes, and stop")
      ->excludes("--validate-only");
  sub->add_option("--plan", options->plan,
                  "The plan's file (JSON): used if it is of the same inputs, else made anew (a "
                  "training's else is plan.json in --model-dir)")
      ->type_name("FILE");
  sub->add_option("--wafer", options->wafer, "Run on a simulated wafer instead of a flat grid")
      ->type_name("FILE");
  sub->add_option("--defects", options->defects,
                  "What is broken in that wafer; a bring-up finds and avoids it")
      ->type_name("FILE");
  auto* map = sub->add_option("--map", options->map,
                              "Repair map of an earlier bring-up of that wafer: no bring-up now")
                  ->type_name("FILE");
  sub->add_option("--svg", options->svg, "Write a picture of the wafer as it was brought up")
      ->type_name("FILE")
      ->excludes(map);
  sub->add_flag("--accept-smaller", options->accept_smaller,
                "If the wafer is refused, run on the largest rectangle that works")
      ->excludes(map);
  sub->add_option("--record", options->record,
                  "Record the run, for waves of it afterwards (make wave RECORD=FILE)")
      ->type_name("FILE");
  sub->add_flag("--checked", options->checked,
                "Evaluate the assertions of the hardware; one that fails ends the run (status 3)");
  sub->add_flag("--check-idle", options->check_idle,
                "Evaluate what is idle too and fail if any state changes");
}

}  // namespace ow::cli
