// SPDX-License-Identifier: Apache-2.0
// `ow bench transformer`: language models that are trained from scratch on the characters of a
// novel, on the RTL and by golden; sequences of other lengths.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/check/training_job.h"
#include "ow/compile/estimate.h"
#include "ow/compile/lowering.h"
#include "ow/execute/run_job.h"
#include "ow/golden/train.h"
#include "ow/sim/sim.h"
#include "token_steps.h"
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

// Multiply-adds of a step: each streamed weight for each token in each of three passes (keys and
// values for each head of queries that takes them), and those of attention over the keys that a
// token has: two forward, five backward.
uint64_t multiply_adds(const TrainingJob& job) {
  constexpr uint64_t kPasses = 3, kOfAttention = 7;
  const auto length = static_cast<uint64_t>(job.sequence);
  uint64_t weights = 0, features = 0;
  for (const LayerShape& layer : job.layers) {
    weights += static_cast<uint64_t>(layer.inputs) * static_cast<uint64_t>(layer.outputs);
  }
  for (const Op& op : job.graph.ops) {
    if (!jobs::find_lowering(op.kind)->mixes) continue;
    features += static_cast<uint64_t>(job.graph.values[static_cast<size_t>(op.value)].features);
  }
  return job.micro_batch() * (kPasses * weights + kOfAttention * features * (length + 1) / 2);
}

// A step of a model on the RTL, each weight beside golden: NAME_cycles, if there is such a row, and
// NAME_useful.
void measure_step(Rows* rows, const TransformerBench& bench, const std::string& name,
                  const std::string& file) {
  const std::string useful = "transformer." + name + "_useful";
  const jobs::TrainParams params = jobs::read_job(file).training();
  const Progress bar = rows->progress("a step of " + name);
  jobs::RunOptions run = golden::training_run(bench.firmware + "/train.elf");
  run.larger_firmware = jobs::training_programs(bench.firmware, params.job.type);
  run.read_text = bench.read_text;
  run.mode = jobs::TrainMode::Train;
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  const jobs::TrainReport r = run_training(params, run);
  if (r.compared == 0 || r.mismatches() != 0) {
    rows->fault(useful, fmt::format("{} numbers differ from golden", r.mismatches()));
  }
  nlohmann::json raw = report_json(r);
  const std::string differs = rows->cycles("step of " + name, r.cycles);
  if (!differs.empty()) raw["baseline"] = differs;
  const double beats = static_cast<double>(r.cycles) * params.job.grid_rows * params.job.grid_cols *
                       jobs::kFullTile.lanes;
  const double share = 100 * static_cast<double>(multiply_adds(params.job)) / beats;
  if (name == "wide") {
    rows->add("transformer.wide_cycles", static_cast<double>(r.cycles) / 1e6, raw);
  }
  rows->add(useful, share, std::move(raw));
}

// The streamed passes of the block at some densities of its matrices, over those of dense ones.
void measure_densities(Rows* rows, const TransformerBench& bench) {
  constexpr int kVocabulary = 76;
  TrainingJob job = jobs::read_job(bench.block).training().job;
  Rng rng(rows->options().seed);
  const Sequences tokens = random_tokens(job, kVocabulary, &rng);
  const Progress bar = rows->progress("a block at some densities");
  const std::vector<int> percents = {100, 50, 20, 10};
  std::vector<double> cycles;
  job.sparsity.resize(1);
  job.sparsity[0].pattern = "h.*";
  for (const int percent : percents) {
    job.sparsity[0].density = constant_schedule(percent / 100.0);
    TokenSteps steps(job, bench.firmware);
    const jobs::TrainRun run = steps.run(tokens, 0);
    cycles.push_back(static_cast<double>(streamed_cycles(steps.plan(), run)));
    bar(static_cast<double>(cycles.size()) / static_cast<double>(percents.size()));
    if (percent == percents.front()) continue;
    const std::string name = fmt::format("transformer.density_{}", percent);
    if (steps.different()) rows->fault(name, "outputs differ from golden");
    rows->add(name, cycles.front() / cycles.back() * percent / 100,
              {{"cycles_dense", cycles.front()}, {"cycles", cycles.back()}, {"step", run.cycles}});
  }
}

// Estimates of drawn transformers.
void measure_estimates(Rows* rows, const TransformerBench& bench) {
  constexpr int kModels = 8;
  const std::string name = "transformer.estimate_error";
  const Progress bar = rows->progress("drawn transformers");
  Rng rng(rows->options().seed);
  double worst = 0;
  nlohmann::json raw = nlohmann::json::array();
  while (raw.size() < kModels) {
    int vocabulary = 0;
    const TrainingJob job = jobs::with_sum_orders(drawn_transformer(&rng, &vocabulary));
    try {
      TokenSteps steps(job, bench.firmware);
      const uint64_t took = steps.run(random_tokens(job, vocabulary, &rng), 0).cycles;
      const jobs::Estimate estimate =
          estimate_job(shape_of(steps.plan(), job), jobs::training_weights(job, 0), {});
      if (steps.different()) rows->fault(name, "outputs differ from golden");
      const double off =
          100 * (static_cast<double>(estimate.cycles) / static_cast<double>(took) - 1);
      worst = std::max(worst, std::abs(off));
      std::vector<int> widths;
      for (const LayerShape& layer : job.layers) widths.push_back(layer.outputs);
      raw.push_back({{"rows", job.grid_rows},
                     {"columns", job.grid_cols},
                     {"tokens", job.samples},
                     {"sequence", job.sequence},
                     {"widths", widths},
                     {"cycles", took},
                     {"estimate", estimate.cycles},
                     {"off", off}});
      bar(static_cast<double>(raw.size()) / kModels);
    } catch (const BadInput& /*does not fit*/) {
      continue;
    }
  }
  rows->add(name, worst, {{"models", raw}});
}

// The job of `tiny` on 4 x 4 tiles, a sequence of 64 slots a micro-batch.
TrainingJob tiny_job(const TransformerBench& bench) {
  TrainingJob job = jobs::read_job(bench.tiny).training().job;
  job.grid_cols = 4;
  job.samples = job.sequence / job.grid_cols;
  return job;
}

// Documents of random tokens, each with this many and an end.
Sequences documents(Rng* rng, const std::vector<int>& lengths, int slots) {
  constexpr int kEnd = 0, kVocabulary = 76;
  std::vector<int> ids;
  for (const int length : lengths) {
    for (int n = 0; n < length; ++n)
      ids.push_back(1 + static_cast<int>(rng->below(kVocabulary - 1)));
    ids.push_back(kEnd);
  }
  return pack_sequences(ids, kEnd, slots);
}

// Cycles of a token in sequences of drawn lengths, packed, over those in full ones.
void measure_lengths(Rows* rows, const TransformerBench& bench) {
  constexpr int kSlots = 64, kLeast = 8, kDocuments = 400;
  constexpr size_t kRun = 6;  // micro-batches, from all over the packed ones
  Rng rng(rows->options().seed);
  std::vector<int> lengths;
  for (int n = 0; n < kDocuments; ++n) {
    lengths.push_back(kLeast + static_cast<int>(rng.below(kSlots - kLeast + 1)));
  }
  const Sequences packed = documents(&rng, lengths, kSlots);
  const Sequences full = documents(&rng, {kSlots}, kSlots);
  const auto real = [](const Sequences& of, size_t n) {
    const auto first = of.ids.begin() + static_cast<std::ptrdiff_t>(n * kSlots);
    return kSlots - static_cast<int>(std::count(first, first + kSlots, kNoToken));
  };
  const size_t samples = packed.ids.size() / kSlots;
  const auto all = static_cast<double>(packed.ids.size());
  const auto tokens =
      all - static_cast<double>(std::count(packed.ids.begin(), packed.ids.end(), kNoToken));
  const Progress bar = rows->progress("sequences of drawn lengths");
  TokenSteps tiny(tiny_job(bench), bench.firmware);
  uint64_t cycles = 0;
  int taken = 0;
  for (size_t k = 0; k < kRun; ++k) {
    const size_t n = k * samples / kRun;
    cycles += tiny.run(packed, n).cycles;
    taken += real(packed, n);
    bar(static_cast<double>(k + 1) / (kRun + 1));
  }
  const uint64_t of_full = tiny.run(full, 0).cycles;
  if (tiny.different()) rows->fault("transformer.lengths", "outputs differ from golden");
  const double empty = (all - tokens) / kDocuments;
  if (empty >= kSlotGroup) rows->fault("transformer.lengths", fmt::format("{} empty slots", empty));
  const double each = static_cast<double>(cycles) / taken;
  rows->add("transformer.lengths", each / (static_cast<double>(of_full) / kSlots),
            {{"micro_batches", kRun},
             {"cycles", cycles},
             {"tokens", taken},
             {"cycles_of_64_tokens", of_full},
             {"slots_a_token", all / tokens},
             {"empty_slots_a_sequence", empty}});
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
  if (rows->wants_any({"transformer.wide_cycles", "transformer.wide_useful"})) {
    measure_step(rows, bench, "wide", bench.wide);
  }
  if (rows->wants("transformer.block_useful")) measure_step(rows, bench, "block", bench.block);
  if (rows->wants("transformer.shared_useful")) measure_step(rows, bench, "shared", bench.shared);
  if (rows->wants_any(
          {"transformer.density_50", "transformer.density_20", "transformer.density_10"})) {
    measure_densities(rows, bench);
  }
  if (rows->wants("transformer.estimate_error")) measure_estimates(rows, bench);
  if (rows->wants("transformer.lengths")) measure_lengths(rows, bench);
}

}  // namespace ow::bench
