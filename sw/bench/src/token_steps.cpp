// SPDX-License-Identifier: Apache-2.0
#include "token_steps.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ow/compile/lower.h"
#include "ow/compile/sum_order.h"
#include "ow/graph/family.h"
#include "ow/sim/sim.h"

namespace ow::bench {

TokenSteps::TokenSteps(const TrainingJob& job, const std::string& firmware)
    : job_(jobs::with_sum_orders(job)),
      program_(
          jobs::program_of(job_, jobs::training_programs(firmware, job_.type), jobs::kFullTile)),
      plan_(jobs::make_plan("a training", job_, program_, jobs::kFullTile)),
      grid_(make_runtime(make_device(DeviceKind::Replicated, {job_.grid_rows, job_.grid_cols})),
            program_, plan_),
      memory_(job_, {}),
      golden_(job_) {
  memory_.begin();
}

jobs::TrainRun TokenSteps::run(const Sequences& of, size_t n) {
  const auto slots = static_cast<std::ptrdiff_t>(job_.micro_batch());
  const auto part = [&](const std::vector<int>& all) {
    const auto first =
        all.begin() + static_cast<std::ptrdiff_t>(n * static_cast<size_t>(job_.sequence));
    return std::vector<int>(first, first + slots);
  };
  Tokens tokens{part(of.ids), {}};
  const std::vector<int> starts = part(of.starts);
  for (int s = 0; s < slots; s += kSlotGroup) {
    const int before = s / job_.sequence * job_.sequence;  // starts count from their sample
    tokens.starts.push_back(before + starts[static_cast<size_t>(s)]);
  }
  const ow::Targets targets{part(of.targets), {}};
  jobs::TrainRun run = grid_.train(memory_, tokens, targets);
  different_ |= run.outputs.values != golden_.run(tokens, targets).outputs.back().values;
  memory_.gradient_sum().finish();
  return run;
}

Sequences random_tokens(const TrainingJob& job, int vocabulary, Rng* rng) {
  Sequences all;
  const auto slots = static_cast<int>(job.micro_batch());
  for (int s = 0; s < slots; ++s) {
    all.ids.push_back(static_cast<int>(rng->below(static_cast<uint64_t>(vocabulary))));
    all.starts.push_back(0);
    all.targets.push_back(static_cast<int>(rng->below(static_cast<uint64_t>(vocabulary))));
  }
  return all;
}

TrainingJob drawn_transformer(Rng* rng, int* vocabulary) {
  const auto up_to = [rng](int most) {
    return 1 + static_cast<int>(rng->below(static_cast<uint64_t>(most)));
  };
  TrainingJob job;
  job.grid_rows = up_to(4);
  job.grid_cols = up_to(4);
  job.samples = kSlotGroup * up_to(4);
  job.type = up_to(2) == 1 ? HalfType::Binary16 : HalfType::Bfloat16;
  job.seed = rng->next();
  LanguageShape s;
  s.family = up_to(2) == 1 ? LanguageFamily::Gpt2 : LanguageFamily::Llama;
  const int share = s.family == LanguageFamily::Gpt2 ? 1 : up_to(2);
  s.kv_heads = job.grid_rows * up_to(2);
  s.heads = s.kv_heads * share;
  s.head_size = 2 * up_to(8);
  s.width = s.heads * s.head_size;
  s.hidden = up_to(4 * s.width);
  s.layers = up_to(2);
  s.vocabulary = *vocabulary = 1 + up_to(100);
  job.sequence = job.samples * (up_to(2) == 1 ? 1 : job.grid_cols);
  s.positions = job.sequence;
  s.epsilon = 1e-5;
  job.graph = family_graph(s, false, "a drawn transformer").graph;
  Op loss;
  loss.name = loss.kind = job.loss = "vocabulary_cross_entropy";
  loss.inputs = {job.graph.ops.back().name, kTargetsTensor};
  job.graph.add(std::move(loss));
  job.layers = jobs::lower(job.graph).layers;
  return job;
}

uint64_t streamed_cycles(const jobs::Plan& plan, const jobs::TrainRun& run) {
  const std::vector<jobs::Phase>& phases = plan.executable.phases;
  uint64_t all = 0;
  for (size_t k = 0; k < phases.size(); ++k) {
    const size_t first = k;
    bool streamed = true;
    for (;; ++k) {
      const std::string kernel = phases[k].kernel;
      streamed &= kernel == "pass" || kernel == "gather" || kernel == "gradient";
      if (jobs::leaves_end(phases, plan.executable.forward, k)) break;
    }
    if (streamed && phases[first].layer + 1 < plan.layers.size()) all += run.phases[first];
  }
  return all;
}

}  // namespace ow::bench
