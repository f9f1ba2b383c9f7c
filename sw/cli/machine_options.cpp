// SPDX-License-Identifier: Apache-2.0
#include "machine_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "bringup_report.h"
#include "ow/base/progress.h"
#include "parts.h"
#include "simulated_board.h"

namespace ow::cli {
namespace {

constexpr char kLarge[] = "ow-large";  // `ow` with the grid in one piece

// The bar of a bring-up, from its first step on.
class Steps {
 public:
  void begin_next() {
    if (!bar_) bar_.emplace("bring-up", kSteps);
    bar_->update(std::min(step_++, kSteps));
  }
  void end() { bar_.reset(); }

 private:
  static constexpr uint64_t kSteps = 10;
  std::optional<Progress> bar_;
  uint64_t step_ = 0;
};

}  // namespace

void add_machine(CLI::App* sub, MachineFlags* flags) {
  sub->add_option("--machine", flags->machine,
                  "sim, sim-mini or mono, also with the grid (sim:4x4); golden; "
                  "wafer:FILE[,defects=FILE][,map=FILE][,accept-smaller]; uart:PATH[:BAUD]; "
                  "fpga-sim (docs/run.md)");
}

void add_wafer_flags(CLI::App* sub, MachineFlags* flags) {
  sub->add_option("--wafer", flags->wafer,
                  "Short for --machine wafer:FILE, a simulated wafer (configs/wafer-*.yaml)")
      ->type_name("FILE");
  sub->add_option("--defects", flags->defects,
                  "What is broken in that wafer; a bring-up finds and avoids it")
      ->type_name("FILE");
  sub->add_flag("--accept-smaller", flags->accept_smaller,
                "If the wafer is refused, take the largest rectangle that works");
}

void find_program(const Context& context, const MachineSpec& spec) {
  const bool here = spec.kind != MachineKind::Mono || has_monolithic();
  if (!here && has_part(kLarge)) context.hand_over(kLarge, spec.name);
}

void need_program(const MachineSpec& spec) {
  if (spec.kind == MachineKind::Mono && !has_monolithic()) part_path(kLarge, spec.name);
}

MachineOptions machine_options(const MachineSpec& spec, const SimOptions& sim,
                               const std::string& svg, nlohmann::json* json) {
  MachineOptions options;
  options.sim = sim;
  options.firmware = firmware_dir();
  const auto steps = std::make_shared<Steps>();
  options.on_step = [steps](const std::string&) { steps->begin_next(); };
  options.on_wafer = [steps, file = spec.wafer.wafer, svg, json](const wafer::ReadyWafer& ready) {
    steps->end();
    fmt::print("wafer       {}: {}\n", file, ready.description);
    if (!ready.bringup) return;
    print_bringup(ready.shape, *ready.bringup);
    fmt::print("simulated   {} cycles\n\n", ready.cycles);
    std::fflush(stdout);
    if (!svg.empty()) write_svg(svg, ready.shape, *ready.bringup);
    *json = bringup_json(ready.shape, *ready.bringup);
  };
  options.simulated_board = start_simulated_board;
  return options;
}

wafer::Bringup bring_up_wafer(wafer::WaferDevice& device, bool mini, bool thorough,
                              const wafer::WaferPart& part) {
  wafer::BringupOptions options = wafer::selftest_options(mini, thorough, firmware_dir());
  options.window = part.window;
  options.accept_smaller = part.accept_smaller;
  Steps steps;
  options.progress = [&](const std::string&) { steps.begin_next(); };
  return wafer::bring_up(device, &device.device(), options);
}

}  // namespace ow::cli
