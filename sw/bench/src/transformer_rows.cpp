// SPDX-License-Identifier: Apache-2.0
// `ow bench transformer`: language models that are trained from scratch on the characters of a
// novel, on the RTL and by golden.
#include <fmt/format.h>

#include <ctime>
#include <string>
#include <utility>

#include "ow/base/error.h"
#include "ow/check/training_job.h"
#include "ow/execute/run_job.h"
#include "ow/sim/sim.h"
#include "train_jobs.h"

namespace ow::bench {
namespace {

// A job's training and evaluation; adds the rows NAME_loss and NAME_seconds, these of processors.
void measure_job(Rows* rows, const TransformerBench& bench, const std::string& name,
                 const std::string& file, bool rtl) {
  const std::string loss = "transformer." + name + "_loss";
  const jobs::TrainParams params = jobs::read_job(file).training();
  const Progress bar = rows->progress(name);
  jobs::RunOptions run = golden::training_run(bench.firmware + "/train.elf");
  run.larger_firmware = jobs::training_programs(bench.firmware, params.job.type);
  run.mode = jobs::TrainMode::TrainAndEval;
  run.read_text = bench.read_text;
  run.check = rtl;
  if (rtl) run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  uint64_t cycles = 0;
  run.on_step = [&](const jobs::TrainStep& step) {
    cycles = step.cycles;
    bar(static_cast<double>(step.step + 1) / static_cast<double>(step.steps));
  };
  const std::clock_t begin = std::clock();
  const jobs::TrainReport r = run_training(params, run);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  nlohmann::json raw = report_json(r);
  raw["held_out_characters"] = r.evaluations.back().samples;
  raw["processor_seconds"] = seconds;
  if (rtl) {
    if (r.compared == 0 || r.mismatches() != 0) {
      rows->fault(loss, fmt::format("{} numbers differ from golden", r.mismatches()));
    }
    const std::string differs = rows->cycles("step of " + name, cycles);
    if (!differs.empty()) raw["baseline"] = differs;
  }
  rows->add(loss, r.evaluations.back().loss, raw);
  rows->add("transformer." + name + "_seconds", seconds, std::move(raw));
}

}  // namespace

void measure_transformer(Rows* rows, const TransformerBench& bench) {
  if (!bench.read_text) {
    throw BadInput("bench transformer: this program has no tokenizers (scripts/bootstrap text)");
  }
  if (rows->wants_any({"transformer.novel_loss", "transformer.novel_seconds"})) {
    measure_job(rows, bench, "novel", bench.novel, true);
  }
  if (rows->wants_any({"transformer.tiny_loss", "transformer.tiny_seconds"})) {
    measure_job(rows, bench, "tiny", bench.tiny, false);
  }
}

}  // namespace ow::bench
