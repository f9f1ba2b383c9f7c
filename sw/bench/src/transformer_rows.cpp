// SPDX-License-Identifier: Apache-2.0
// `ow bench transformer`: language models that are trained from scratch on the characters of a
// novel, on the RTL and by golden; sequences of other lengths.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/check/training_job.h"
#include "ow/compile/lowering.h"
#include "ow/execute/run_job.h"
#include "ow/golden/train.h"
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

// Multiply-adds of a step that any computer needs: each weight of a matrix once in each pass.
uint64_t multiply_adds(const TrainingJob& job) {
  const Graph graph = graph_of(job);
  uint64_t weights = 0;
  for (const Op& op : graph.ops) {
    if (jobs::find_lowering(op.kind)->streamed == nullptr) continue;
    const Parameter& matrix = graph.parameters[op.parameters[0]];
    weights += uint64_t{matrix.rows} * matrix.columns;
  }
  constexpr uint64_t kPasses = 3;
  return kPasses * weights * job.micro_batch();
}

// A step of a larger model on the RTL, each weight beside golden.
void measure_wide(Rows* rows, const TransformerBench& bench) {
  const jobs::TrainParams params = jobs::read_job(bench.wide).training();
  const Progress bar = rows->progress("a wide model");
  jobs::RunOptions run = golden::training_run(bench.firmware + "/train.elf");
  run.larger_firmware = jobs::training_programs(bench.firmware, params.job.type);
  run.read_text = bench.read_text;
  run.mode = jobs::TrainMode::Train;
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  const jobs::TrainReport r = run_training(params, run);
  if (r.compared == 0 || r.mismatches() != 0) {
    rows->fault("transformer.wide_cycles",
                fmt::format("{} numbers differ from golden", r.mismatches()));
  }
  nlohmann::json raw = report_json(r);
  const std::string differs = rows->cycles("step of wide", r.cycles);
  if (!differs.empty()) raw["baseline"] = differs;
  const double beats = static_cast<double>(r.cycles) * params.job.grid_rows * params.job.grid_cols *
                       jobs::kFullTile.lanes;
  rows->add("transformer.wide_cycles", static_cast<double>(r.cycles) / 1e6, raw);
  rows->add("transformer.wide_useful", 100 * static_cast<double>(multiply_adds(params.job)) / beats,
            std::move(raw));
}

// The job of `tiny` on 4 x 4 tiles, a sequence of 64 slots a micro-batch, beside golden.
class Tiny {
 public:
  explicit Tiny(const TransformerBench& bench)
      : job_(job_of(bench)),
        program_(jobs::program_of(job_, jobs::training_programs(bench.firmware, job_.type),
                                  jobs::kFullTile)),
        grid_(make_runtime(make_device(DeviceKind::Replicated, {job_.grid_rows, job_.grid_cols})),
              program_, jobs::make_plan("tiny", job_, program_, jobs::kFullTile)),
        memory_(job_, {}),
        golden_(job_) {
    memory_.begin();
  }

  // Cycles of a micro-batch: sample n of the sequences.
  uint64_t cycles(const Sequences& of, size_t n) {
    const auto slots = static_cast<std::ptrdiff_t>(job_.micro_batch());
    const auto part = [&](const std::vector<int>& all) {
      const auto first = all.begin() + slots * static_cast<std::ptrdiff_t>(n);
      return std::vector<int>(first, first + slots);
    };
    Tokens tokens{part(of.ids), {}};
    const std::vector<int> starts = part(of.starts);
    for (size_t s = 0; s < starts.size(); s += kSlotGroup) tokens.starts.push_back(starts[s]);
    const ow::Targets targets{part(of.targets), {}};
    const jobs::TrainRun run = grid_.train(memory_, tokens, targets);
    different_ |= run.outputs.values != golden_.run(tokens, targets).outputs.back().values;
    memory_.gradient_sum().finish();
    return run.cycles;
  }
  bool different() const { return different_; }  // from golden

 private:
  static TrainingJob job_of(const TransformerBench& bench) {
    TrainingJob job = jobs::read_job(bench.tiny).training().job;
    job.grid_cols = 4;
    job.samples = job.sequence / job.grid_cols;
    return jobs::with_sum_orders(job);
  }

  TrainingJob job_;
  ElfImage program_;
  jobs::TrainGrid grid_;
  memoryx::MemoryX memory_;
  golden::Trainer golden_;
  bool different_ = false;
};

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
  Tiny tiny(bench);
  uint64_t cycles = 0;
  int taken = 0;
  for (size_t k = 0; k < kRun; ++k) {
    const size_t n = k * samples / kRun;
    cycles += tiny.cycles(packed, n);
    taken += real(packed, n);
    bar(static_cast<double>(k + 1) / (kRun + 1));
  }
  const uint64_t of_full = tiny.cycles(full, 0);
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
    measure_wide(rows, bench);
  }
  if (rows->wants("transformer.lengths")) measure_lengths(rows, bench);
}

}  // namespace ow::bench
