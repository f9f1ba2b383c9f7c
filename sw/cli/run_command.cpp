// SPDX-License-Identifier: Apache-2.0
#include "run_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "machine_options.h"
#include "ow/base/error.h"
#include "ow/check/training_job.h"
#include "ow/memoryx/checkpoint.h"
#include "parts.h"
#include "plan_report.h"
#include "text_data.h"

namespace ow::cli {
namespace {

using jobs::TrainMode;

TrainMode mode_of(const std::string& word) {
  return word == "train"     ? TrainMode::Train
         : word == "eval"    ? TrainMode::Eval
         : word == "predict" ? TrainMode::Predict
                             : TrainMode::TrainAndEval;
}

void add_training_options(CLI::App* sub, RunCommand* c) {
  sub->add_option("--model-dir,--model_dir", c->run.model_dir,
                  "Checkpoints and metrics of a training")
      ->type_name("DIR");
  sub->add_option("--num-steps,--num_steps", c->run.num_steps,
                  "Train at most so many steps in this run")
      ->type_name("K")
      ->check(whole_number(1, 1000000000));
  sub->add_option("--num-wafers,--num_wafers,--num_csx", c->wafers,
                  "Wafers that share a training's micro-batches; the same bits for any number")
      ->type_name("N")
      ->check(whole_number(1, jobs::kMaxWafers));
  sub->add_flag("--resume", c->resume,
                "Go on from the newest checkpoint in --model-dir; --resume=auto begins if there is "
                "none")
      ->check(CLI::Validator(
          [](std::string& word) {
            if (word == "true" || word == "auto") return std::string();
            return fmt::format("must stand alone or be --resume=auto, not --resume={}", word);
          },
          ""));
  sub->add_option("--metrics", c->run.metrics,
                  "File of a training's metrics, a line of JSON a step (else metrics.jsonl in "
                  "--model-dir)")
      ->type_name("FILE");
}

void add_network_options(CLI::App* sub, RunCommand* c) {
  sub->add_option("--weights", c->run.weights,
                  "The network's tensors (safetensors, .npz), instead of a training")
      ->type_name("FILE");
  sub->add_option("--save-weights", c->run.save_weights,
                  "Write the network's tensors (safetensors)")
      ->type_name("FILE");
  sub->add_option("--limit", c->run.limit, "Run only the first N samples")
      ->type_name("N")
      ->check(whole_number(1, 1000000));
}

void add_machine_options(CLI::App* sub, RunCommand* c) {
  add_machine(sub, &c->machine);
  sub->add_option("--device", c->machine.device, "Short for --machine; rtl is sim");
  sub->add_option("--tiles", c->machine.tiles,
                  "mini: --machine sim-mini, tiles of 2 lanes, 8 kB, 4 colours; full: 8 lanes, "
                  "48 kB, 24 colours")
      ->check(CLI::IsMember({"full", "mini"}));
  add_wafer_flags(sub, &c->machine);
  auto* map = sub->add_option("--map", c->machine.map,
                              "Repair map of an earlier bring-up of that wafer: no bring-up now")
                  ->type_name("FILE");
  sub->get_option("--accept-smaller")->excludes(map);
  sub->add_option("--svg", c->svg, "Write a picture of the wafer as it was brought up")
      ->type_name("FILE")
      ->excludes(map);
  sub->add_option("--record", c->sim.record_file,
                  "Record the run, for waves of it afterwards (make wave RECORD=FILE)")
      ->type_name("FILE");
  sub->add_flag("--checked", c->sim.checked,
                "Evaluate the assertions of the hardware; one that fails ends the run (status 3)");
  sub->add_flag("--check-idle", c->sim.check_idle,
                "Evaluate what is idle too and fail if any state changes");
}

void check_training_options(const RunCommand& c, const MachineSpec& machine, const jobs::Job& job) {
  const auto without = [](bool given, const char* what) {
    if (given) throw BadInput(fmt::format("{}: not with a training", what));
  };
  without(!c.run.weights.empty(), "--weights");
  without(!c.run.save_weights.empty(), "--save-weights");
  without(!c.run.save_outputs.empty() && c.mode != "predict", "--save-outputs");
  without(c.run.limit != 0, "--limit");
  if (!c.sim.record_file.empty() && job.training().wafers > 1) {
    throw BadInput((machine.record_file.empty() ? "--record" : machine.name) +
                   ": only a training on one wafer is recorded");
  }
  if (!(machine.save_file + machine.restore_file).empty() && job.training().wafers > 1) {
    throw BadInput(machine.name + ": only a training on one wafer is saved");
  }
  if (machine.split > 1 && job.training().wafers > 1) {
    throw BadInput(machine.name + ": only a training on one wafer is split");
  }
  if (c.mode != "eval" && c.mode != "predict") return;
  const auto only_trains = [&c](bool given, const char* what) {
    if (given) throw BadInput(fmt::format("{}: not with --mode {}", what, c.mode));
  };
  only_trains(c.run.num_steps != 0, "--num-steps");
  only_trains(!c.run.metrics.empty(), "--metrics");
  only_trains(!c.resume.empty(), "--resume");
}

void check_network_options(const RunCommand& c, const MachineSpec& machine) {
  const auto refuse = [&c](const char* what) {
    throw BadInput(fmt::format("{}: key 'train' is missing: {}", c.job, what));
  };
  if (c.mode == "predict") {
    refuse("--mode predict is for trainings; --save-outputs gives the outputs of a network");
  }
  if (c.mode != "eval" || !c.resume.empty() || !c.run.model_dir.empty() || !c.run.metrics.empty() ||
      c.run.num_steps != 0 || c.wafers != 0) {
    refuse(
        "--mode train, --model-dir, --num-steps, --num-wafers, --metrics and --resume are for "
        "trainings");
  }
  if (machine.kind == MachineKind::Golden && !c.run.check) {
    throw BadInput(machine.name + ": it is the check: --no-check leaves nothing to run");
  }
}

}  // namespace

void add_run_options(CLI::App* sub, RunCommand* c) {
  sub->add_option(
         "params,--params", c->job,
         "The job (configs/*.yaml), or a pipe (/dev/stdin), whose paths are taken from the "
         "current directory")
      ->required()
      ->type_name("FILE");
  sub->add_option(
         "--mode", c->mode,
         "eval: the outputs of the samples; train, train_and_eval, predict (outputs into a "
         "file, no classes needed): for a file with a key 'train'")
      ->check(CLI::IsMember({"eval", "train", "train_and_eval", "predict"}))
      ->capture_default_str();
  add_machine_options(sub, c);
  add_training_options(sub, c);
  add_network_options(sub, c);
  sub->add_option("--heat-map", c->heat_map,
                  "Write a picture of the tiles: how busy they were, what they sent, what they "
                  "waited for")
      ->type_name("FILE");
  sub->add_option("--save-outputs", c->run.save_outputs,
                  "Write what came out of the grid, or of the golden model (safetensors: outputs "
                  "[samples, outputs])")
      ->type_name("FILE");
  sub->add_flag(
      "--check,!--no-check", c->run.check,
      "Compare every activation with the golden model; exit status 1 if one differs (on)");
  sub->add_option("--firmware", c->run.firmware, "Kernel to load instead of the build's own")
      ->type_name("ELF");
  sub->add_flag("--validate-only,--validate_only", c->validate_only,
                "Check the parameters and stop");
  sub->add_flag("--compile-only,--compile_only", c->compile_only,
                "Print the plan, where everything lies and what it takes, and stop")
      ->excludes("--validate-only");
  sub->add_option("--plan", c->run.plan,
                  "The plan's file (JSON): used if it is of the same inputs, else made anew (a "
                  "training's else is plan.json in --model-dir)")
      ->type_name("FILE");
}

void find_tokenizers(const Context& context, const jobs::Job& job, const std::string& file,
                     bool joined) {
  if (job.base().data.format != DataFormat::Text || read_text_data != nullptr) return;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw BadInput(file + ": data.format: text must stand in a file, not come from a pipe");
  }
  if (joined) throw BadInput(file + ": data.format: text in a split grid: start ow-text, not ow");
  context.hand_over("ow-text", "data.format: text");
}

void take_recording(const MachineSpec& machine, RunCommand* c) {
  if (machine.record_file.empty()) return;
  if (!c->sim.record_file.empty()) {
    throw BadInput(machine.name + ": not with --record, which names a recording too");
  }
  c->sim.record_file = machine.record_file;
}

void check_options(const RunCommand& c, const MachineSpec& machine, const jobs::Job& job) {
  MachineUse use;
  use.checked = c.sim.checked;
  use.check_idle = c.sim.check_idle;
  use.recorded = !c.sim.record_file.empty();
  use.drawn = !c.svg.empty();
  use.trains = job.is_training();
  check_use(machine, use);
  if (!c.heat_map.empty() && (machine.kind == MachineKind::Golden || machine.has_mini_tiles())) {
    throw BadInput(machine.name + ": it has no counters (--heat-map)");
  }
  if (job.is_training()) {
    check_training_options(c, machine, job);
  } else {
    check_network_options(c, machine);
  }
}

void complete(const MachineSpec& machine, const jobs::Job& job, RunCommand* c) {
  jobs::RunOptions& run = c->run;
  c->sim.checked = c->sim.checked || c->sim.check_idle;
  run.mode = mode_of(c->mode);
  // Without a directory even `auto` asks for one.
  run.resume = c->resume == "true" ||
               (c->resume == "auto" &&
                (run.model_dir.empty() || !memoryx::checkpoints_in(run.model_dir).empty()));
  run.until = c->validate_only  ? jobs::Until::Checked
              : c->compile_only ? jobs::Until::Planned
                                : jobs::Until::Done;
  if (machine.has_mini_tiles()) run.tile = jobs::kMiniTile;
  const jobs::RunOptions models = golden::network_run("", "");
  run.reference = models.reference;
  run.model = models.model;
  run.train_reference = models.train_reference;
  if (read_text_data != nullptr) run.read_text = read_text_data;
  run.train_firmware = jobs::training_programs(firmware_dir(), job.base().type);
  if (run.firmware.empty()) {
    if (job.is_training()) run.larger_firmware = run.train_firmware;
    if (!job.is_training() && !machine.has_mini_tiles()) {
      run.larger_firmware = {firmware_dir() + "/forward_graph.elf"};
    }
    run.firmware = firmware_dir() + (job.is_training()          ? "/train.elf"
                                     : machine.has_mini_tiles() ? "/forward_mini.elf"
                                                                : "/forward.elf");
  }
  const bool keeps = job.is_training() && jobs::trains(run.mode) && run.until == jobs::Until::Done;
  if (run.plan.empty() && keeps && !run.model_dir.empty()) {
    run.plan = jobs::plan_path(run.model_dir);
  }
  run.on_plan = [](const jobs::PlanFile& file) { print_plan(file); };
}

}  // namespace ow::cli
