// SPDX-License-Identifier: Apache-2.0
// Trainings of transformers. The rules of the backward passes in double precision against central
// differences; then golden, with its 16-bit roundings, against these rules.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "exact.h"
#include "ow/base/rng.h"
#include "ow/golden/train.h"
#include "ow/graph/kind.h"
#include "seed.h"
#include "token_draws.h"

namespace ow::golden {
namespace {

struct Model {
  int width, heads, kv_heads, hidden, layers, vocabulary, positions;
};

// Adds operations whose parameters have the names of the operation.
struct Builder {
  void add(const std::string& name, const std::string& kind, std::vector<std::string> inputs,
           std::map<std::string, double> options = {}, const std::string& table = "") {
    ow::Op op{name, kind, std::move(inputs), std::move(options), name, {}};
    if (!table.empty()) op.shared = {{"weight", table}};
    graph.add(op);
  }
  void linear(const std::string& name, const std::string& input, int outputs, bool bias,
              int copies = 1) {
    add(name, "linear", {input}, {{"outputs", outputs}, {"bias", bias}, {"copies", copies}});
  }
  Graph graph = Graph::of_tokens();
};

// Learned positions, layer norms, gelu, biases; the head is tied to the embedding.
Graph gpt2(const Model& m) {
  Builder b;
  b.add("wte", "embedding", {"input"},
        {{"vocabulary", m.vocabulary}, {"width", m.width}, {"positions", m.positions}});
  std::string x = "wte";
  for (int n = 0; n < m.layers; ++n) {
    const std::string h = "h." + std::to_string(n) + ".";
    b.add(h + "ln_1", "layer_norm", {x});
    for (const char* part : {"q", "k", "v"}) b.linear(h + part, h + "ln_1", m.width, true);
    b.add(h + "attn", "attention", {h + "q", h + "k", h + "v"}, {{"heads", m.heads}});
    b.linear(h + "proj", h + "attn", m.width, true);
    b.add(h + "mid", "add", {x, h + "proj"});
    b.add(h + "ln_2", "layer_norm", {h + "mid"});
    b.linear(h + "fc", h + "ln_2", m.hidden, true);
    b.add(h + "act", "gelu", {h + "fc"});
    b.linear(h + "out", h + "act", m.width, true);
    b.add(h + "sum", "add", {h + "mid", h + "out"});
    x = h + "sum";
  }
  b.add("ln_f", "layer_norm", {x});
  b.add("head", "linear", {"ln_f"}, {{"outputs", m.vocabulary}, {"bias", 0}}, "wte.weight");
  b.add("loss", "softmax_cross_entropy", {"head", "targets"});
  return b.graph;
}

// Rotary positions, RMS norms, grouped heads, a gated feed-forward part, no biases.
Graph llama(const Model& m) {
  Builder b;
  b.add("embed", "embedding", {"input"}, {{"vocabulary", m.vocabulary}, {"width", m.width}});
  std::string x = "embed";
  const int size = m.width / m.heads, copies = m.heads / m.kv_heads;
  const std::map<std::string, double> turns = {{"heads", m.heads}, {"positions", m.positions}};
  for (int n = 0; n < m.layers; ++n) {
    const std::string h = "layers." + std::to_string(n) + ".";
    b.add(h + "norm_1", "rms_norm", {x});
    b.linear(h + "q", h + "norm_1", m.width, false);
    b.linear(h + "k", h + "norm_1", m.kv_heads * size, false, copies);
    b.linear(h + "v", h + "norm_1", m.kv_heads * size, false, copies);
    b.add(h + "q_turned", "rotary", {h + "q"}, turns);
    b.add(h + "k_turned", "rotary", {h + "k"}, turns);
    b.add(h + "attn", "attention", {h + "q_turned", h + "k_turned", h + "v"}, {{"heads", m.heads}});
    b.linear(h + "o", h + "attn", m.width, false);
    b.add(h + "mid", "add", {x, h + "o"});
    b.add(h + "norm_2", "rms_norm", {h + "mid"});
    b.linear(h + "gate", h + "norm_2", m.hidden, false);
    b.linear(h + "up", h + "norm_2", m.hidden, false);
    b.add(h + "silu", "silu", {h + "gate"});
    b.add(h + "product", "mul", {h + "silu", h + "up"});
    b.linear(h + "down", h + "product", m.width, false);
    b.add(h + "sum", "add", {h + "mid", h + "down"});
    x = h + "sum";
  }
  b.add("norm", "rms_norm", {x});
  b.linear("head", "norm", m.vocabulary, false);
  b.add("loss", "softmax_cross_entropy", {"head", "targets"});
  return b.graph;
}

// The kinds that neither of them has.
Graph perceptron(const Model& m, const char* loss, std::map<std::string, double> options) {
  Builder b;
  b.add("embed", "embedding", {"input"}, {{"vocabulary", m.vocabulary}, {"width", m.width}});
  b.linear("up", "embed", m.hidden, true);
  b.add("kept", "relu", {"up"});
  b.linear("head", "kept", m.vocabulary, true);
  b.add("loss", loss, {"head", "targets"}, std::move(options));
  return b.graph;
}
Graph squares(const Model& m) { return perceptron(m, "mean_squared_error", {}); }
Graph smooth(const Model& m) {
  return perceptron(m, "vocabulary_cross_entropy", {{"smoothing", 0.1}});
}

// Without a rotation, a bias of the keys moves all scores of a query by the same number.
bool has_no_slope(const std::string& name) {
  const std::string end = ".k.bias";
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

struct Form {
  const char* name;
  Graph (*graph)(const Model&);
};
constexpr Form kForms[] = {{"gpt2", gpt2}, {"llama", llama}};

TrainingJob job_of(HalfType type, int rows, int columns, int samples, uint64_t seed) {
  TrainingJob job;
  job.type = type;
  job.grid_rows = rows;
  job.grid_cols = columns;
  job.samples = samples;
  job.seed = seed;
  return job;
}

// Gains near 1 and biases near 0, as after some steps of a training. Matrices have a variance of
// 1 / (2 inputs), near that of the usual first weights of a transformer.
void move_parameters(const Graph& graph, Trainer* trainer, Rng* rng) {
  std::vector<Parameter> all = trainer->parameters();
  for (size_t k = 0; k < all.size(); ++k) {
    const bool vector = graph.parameters[k].form == ow::Parameter::Form::Vector;
    for (float& w : all[k].value) {
      w = vector ? w + static_cast<float>(0.4 * rng->uniform() - 0.2) : w / 2;
    }
  }
  trainer->restore(all, 0, 0, trainer->loss_scale(), 0);
}

TEST(Transformer, BackwardIsTheSlopeOfTheLossOfEveryParameter) {
  std::set<std::string> kinds;
  for (const Form& form :
       {kForms[0], kForms[1], Form{"squares", squares}, Form{"smooth", smooth}}) {
    const Graph graph = form.graph({16, 4, 2, 16, 1, 8, 32});
    for (const ow::Op& op : graph.ops) kinds.insert(op.kind);
    const TrainingJob job = job_of(HalfType::Binary16, 2, 2, 16, 3);
    Trainer trainer(job, graph);
    Rng rng(5);
    move_parameters(graph, &trainer, &rng);
    TokenBatch batch(job, 8, 32, &rng);
    batch.targets.values = Activations::zero(8, static_cast<int>(job.micro_batch()));
    for (uint16_t& t : batch.targets.values.values) t = to_half(job.type, rng.uniform());
    ExactGraph exact(graph, trainer.parameters());
    const auto slopes = exact.gradients(batch.tokens, batch.targets);
    for (size_t k = 0; k < slopes.size(); ++k) {
      double largest = 0, worst = 0;
      for (size_t i = 0; i < slopes[k].size(); ++i) {
        constexpr double kStep = 1e-5;
        double& w = exact.parameters[k][i];
        const double before = w;
        w = before + kStep;
        const double up = exact.loss(batch.tokens, batch.targets);
        w = before - kStep;
        const double down = exact.loss(batch.tokens, batch.targets);
        w = before;
        largest = std::max(largest, std::fabs(slopes[k][i]));
        worst = std::max(worst, std::fabs((up - down) / (2 * kStep) - slopes[k][i]));
      }
      const std::string& name = trainer.parameters()[k].name;
      EXPECT_EQ(largest < 1e-12, has_no_slope(name)) << form.name << ", " << name;
      EXPECT_LT(worst, 1e-6 * std::max(largest, 1e-4)) << form.name << ", " << name;
    }
  }
  const std::vector<std::string> all = kind_names();
  EXPECT_EQ(kinds, std::set<std::string>(all.begin(), all.end()));
}

// What 16 bits cost: the distance of a parameter's gradient from the exact one, in its size.
struct Cost {
  double all = 0, worst = 0;
  std::string name;
};

Cost cost_of(const Trainer& trainer, const MicroBatch& golden,
             const std::vector<std::vector<double>>& exact, double samples) {
  Cost cost;
  double off_all = 0, size_all = 0;
  for (size_t k = 0; k < exact.size(); ++k) {
    double off = 0, size = 0;
    for (size_t i = 0; i < exact[k].size(); ++i) {
      const double g = golden.gradients[k][i] / (samples * trainer.loss_scale());
      off += (g - exact[k][i]) * (g - exact[k][i]);
      size += exact[k][i] * exact[k][i];
    }
    off_all += off;
    size_all += size;
    const std::string& name = trainer.parameters()[k].name;
    if (has_no_slope(name) || std::sqrt(off / size) <= cost.worst) continue;
    cost.worst = std::sqrt(off / size);
    cost.name = name;
  }
  cost.all = std::sqrt(off_all / size_all);
  return cost;
}

TEST(Transformer, GoldensGradientsAreExactButForSixteenBits) {
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    for (const Form& form : kForms) {
      for (const uint64_t seed : test_seeds({1, 2, 3})) {
        SCOPED_TRACE(std::string(form.name) + ", OW_SEED=" + std::to_string(seed));
        const Graph graph = form.graph({32, 4, 2, 48, 2, 40, 64});
        TrainingJob job = job_of(type, 2, 4, 16, seed);
        job.loss_scale.initial = 256;
        Trainer trainer(job, graph);
        Rng rng(seed);
        move_parameters(graph, &trainer, &rng);
        const TokenBatch batch(job, 40, 64, &rng);
        const MicroBatch golden = trainer.run(batch.tokens, batch.targets);
        const ExactGraph exact(graph, trainer.parameters());
        const double counted = static_cast<double>(job.batch() - golden.ignored);
        const Cost cost =
            cost_of(trainer, golden, exact.gradients(batch.tokens, batch.targets), counted);
        const double unit = type == HalfType::Binary16 ? 1 : 8;  // 11 bits against 8
        EXPECT_NEAR(golden.loss, exact.loss(batch.tokens, batch.targets), 0.003 * unit);
        EXPECT_LT(cost.all, 0.003 * unit);
        EXPECT_LT(cost.worst, 0.006 * unit) << cost.name;
      }
    }
  }
}

}  // namespace
}  // namespace ow::golden
