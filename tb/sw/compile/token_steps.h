// SPDX-License-Identifier: Apache-2.0
// Trainings of transformers step by step, on simulated tiles against golden.
#ifndef OW_TB_SW_COMPILE_TOKEN_STEPS_H_
#define OW_TB_SW_COMPILE_TOKEN_STEPS_H_

#include <map>
#include <optional>
#include <string>

#include "../golden/token_draws.h"
#include "graph_steps.h"
#include "ow/base/rng.h"

namespace ow::jobs {

// Sequences of random lengths up to `longest`, a new batch each step.
inline void compare_tokens(const TrainingJob& job, int vocabulary, int longest, int steps,
                           const std::optional<Choices>& choices = {}) {
  Rng rng(7);
  compare_steps(
      job, steps,
      [&](int /*step*/) {
        golden::TokenBatch batch(job, vocabulary, longest, &rng);
        return StepInput{batch.tokens, batch.targets};
      },
      choices);
}

struct Model {
  int width, heads, kv_heads, hidden, layers, vocabulary, positions;
  bool biases = true;  // Llama: of every second block's keys and values
};

// Learned positions, layer norms, gelu, biases; the head is tied to the embedding.
inline Graph gpt2(const Model& m) {
  Growing g(Graph::of_tokens());
  const std::string e =
      g.with("embedding", {"input"},
             {{"vocabulary", m.vocabulary}, {"width", m.width}, {"positions", m.positions}});
  std::string x = e;
  for (int n = 0; n < m.layers; ++n) {
    const std::string in = g.element("layer_norm", {x});
    const std::string q = g.linear(in, m.width, true), k = g.linear(in, m.width, true),
                      v = g.linear(in, m.width, true);
    const std::string a = g.with("attention", {q, k, v}, {{"heads", m.heads}});
    const std::string mid = g.element("add", {x, g.linear(a, m.width, true)});
    const std::string up = g.linear(g.element("layer_norm", {mid}), m.hidden, true);
    x = g.element("add", {mid, g.linear(g.element("gelu", {up}), m.width, true)});
  }
  const std::string head =
      g.linear(g.element("layer_norm", {x}), m.vocabulary, false, e + ".weight");
  return g.end(head, "softmax_cross_entropy");
}

// Rotary positions, RMS norms, grouped heads, a gated feed-forward part.
inline Graph llama(const Model& m, const std::string& loss = "softmax_cross_entropy") {
  Growing g(Graph::of_tokens());
  const int size = m.width / m.heads, copies = m.heads / m.kv_heads;
  const std::map<std::string, double> turns = {{"heads", m.heads}, {"positions", m.positions}};
  const std::string e =
      g.with("embedding", {"input"}, {{"vocabulary", m.vocabulary}, {"width", m.width}});
  std::string x = e;
  for (int n = 0; n < m.layers; ++n) {
    const std::string in = g.element("rms_norm", {x});
    const std::map<std::string, double> kv = {
        {"outputs", m.kv_heads * size}, {"bias", m.biases ? n % 2 : 0}, {"copies", copies}};
    const std::string q = g.linear(in, m.width, false), k = g.with("linear", {in}, kv),
                      v = g.with("linear", {in}, kv);
    const std::string turned_q = g.with("rotary", {q}, turns),
                      turned_k = g.with("rotary", {k}, turns);
    const std::string a = g.with("attention", {turned_q, turned_k, v}, {{"heads", m.heads}});
    const std::string mid = g.element("add", {x, g.linear(a, m.width, false)});
    const std::string norm = g.element("rms_norm", {mid});
    const std::string gate = g.linear(norm, m.hidden, false), up = g.linear(norm, m.hidden, false);
    const std::string product = g.element("mul", {g.element("silu", {gate}), up});
    x = g.element("add", {mid, g.linear(product, m.width, false)});
  }
  return g.end(g.linear(g.element("rms_norm", {x}), m.vocabulary, false), loss);
}

}  // namespace ow::jobs

#endif  // OW_TB_SW_COMPILE_TOKEN_STEPS_H_
