// SPDX-License-Identifier: Apache-2.0
// `ow run`: a network or a training on a machine, bit for bit against the golden model
// (docs/run.md).
#include <memory>
#include <optional>

#include "cli.h"
#include "heat_map.h"
#include "machine_options.h"
#include "ow/base/stop_signals.h"
#include "ow/execute/run_job.h"
#include "ow/execute/tile_counts.h"
#include "ow/open/machine.h"
#include "ow/open/ranks.h"
#include "plan_report.h"
#include "ranks.h"
#include "run_command.h"
#include "run_report.h"
#include "text_data.h"

namespace ow::cli {
namespace {

int run(Context& context, RunCommand c) {
  const MachineSpec spec = machine_of(c.machine);
  take_recording(spec, &c);
  find_program(context, spec);
  if (spec.split > 1) {
    int status = 0;
    c.sim.ranks = join_ranks(spec.split, spec.name, &status);
    if (!c.sim.ranks) {
      context.write_nothing();
      return status;
    }
  }
  jobs::Job job = jobs::read_job(c.job, c.run.weights.empty());
  find_tokenizers(context, job, c.job, spec.split > 1);
  return in_ranks(job, spec.split > 1, [&](ranks::Transport* ranks) {
    const bool speaks = ranks == nullptr || ranks->rank() == 0;
    if (!speaks) context.write_nothing();
    if (job.is_training() && c.wafers > 0) job.set_wafers(c.wafers);
    check_options(c, spec, job);
    complete(spec, job, &c);
    check_files(&context, c, spec, job);
    c.run.transport = ranks;
    if (speaks) c.run.on_warning = print_warning;

    nlohmann::json bringup;
    Machine machine(spec, machine_options(spec, c.sim, c.svg, &bringup));
    machine.fit(job.base().grid, c.job);
    if (spec.kind != MachineKind::Golden) c.run.make = [&](GridShape) { return machine.device(); };
    // Ranks do not wait for what only the first one prints.
    if (c.run.until != jobs::Until::Done && !speaks) return 0;
    if (c.run.until == jobs::Until::Checked) machine.check_faults();
    if (c.run.until == jobs::Until::Done) {
      need_program(spec);
      machine.connect();
    }

    jobs::Compiled compiled = jobs::compile(job, c.run);
    if (c.run.until == jobs::Until::Checked) {
      print_valid(context, job, compiled);
      return 0;
    }
    if (c.run.until == jobs::Until::Planned) {
      jobs::PlanFile& plan = compiled.plan_file();
      if (!plan.usable()) plan.keep(jobs::plan_document(job, compiled));
      show_plan(context, plan);
      return 0;
    }

    std::optional<StopSignals> signals;
    if (job.is_training() && jobs::trains(c.run.mode) && !c.run.model_dir.empty()) {
      signals.emplace("asked to end: after this step, with a checkpoint; again: at once");
      c.run.stop = [&] { return signals->asked(); };
    }
    jobs::TileCounts counts;
    if (!c.heat_map.empty()) c.run.counts = &counts;
    const jobs::Report report = execute_shown(job, compiled, c.run, speaks);
    if (!speaks) return 0;
    if (!c.heat_map.empty()) write_heat_map(c.heat_map, c.job, counts);
    const int status = print_report(context, report, c.run.mode);
    if (!bringup.is_null()) context.result()["wafer"] = bringup;
    return status;
  });
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* sub = context.add(
      app, "run", "Stream a network, from a file or trained, through a grid; compare with golden",
      [&context, command] { return run(context, *command); });
  add_run_options(sub, command.get());
}

}  // namespace ow::cli
