// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/job_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/graph/chain.h"

namespace ow::memoryx {
namespace {

constexpr size_t kShown = 60;  // characters of a value that an error shows

class Keys {
 public:
  template <typename T>
  void add(const std::string& key, const T& value) {
    keys_.emplace_back(key, fmt::format("{}", value));
  }
  void add_flag(const std::string& key, bool value) { add(key, value ? "true" : "false"); }

  void add_schedule(const std::string& key, const Schedule& schedule) {
    using Kind = SchedulePiece::Kind;
    for (size_t k = 0; k < schedule.size(); ++k) {
      const SchedulePiece& p = schedule[k];
      std::string text;
      switch (p.kind) {
        case Kind::Constant:
          text = fmt::format("constant {}", p.from);
          break;
        case Kind::Linear:
          text = fmt::format("linear {} to {}", p.from, p.to);
          break;
        case Kind::Cosine:
          text = fmt::format("cosine {} to {}", p.from, p.to);
          break;
        case Kind::Cubic:
          text = fmt::format("cubic {} to {}", p.from, p.to);
          break;
        case Kind::Power:
          text = fmt::format("power {} to {} by {}", p.from, p.to, p.base);
          break;
        case Kind::Slope:
          text = fmt::format("slope {} to {} by {}", p.from, p.to, p.base);
          break;
        case Kind::Repeat:
          text = fmt::format("repeat {} pieces", p.steps);
          break;
      }
      // A single constant also holds after its last step.
      const bool always = (p.kind == Kind::Constant && schedule.size() == 1) ||
                          p.kind == Kind::Slope || p.kind == Kind::Repeat || p.steps == kForever;
      if (!always) text += fmt::format(", {} steps", p.steps);
      add(fmt::format("{}[{}]", key, k), text);
    }
  }

  void add_times(const std::string& key, const UpdateTimes& times) {
    if (!times.steps.empty()) {
      std::string list = "steps";
      for (const uint64_t step : times.steps) list += " " + std::to_string(step);
      add(key, list);
      return;
    }
    std::string text = fmt::format("every {} from {}", times.every, times.start);
    if (times.stop != UINT64_MAX) text += fmt::format(" to {}", times.stop);
    add(key, text);
  }

  void add_orders(const std::string& key, const std::vector<SumOrder>& orders, size_t layers) {
    for (size_t k = 0; k < layers; ++k) {
      const bool whole = !orders.empty() && orders[k] == SumOrder::Whole;
      add(fmt::format("{}[{}]", key, k), whole ? "whole" : "column");
    }
  }

  JobKeys take() { return std::move(keys_); }

 private:
  JobKeys keys_;
};

void add_network(const TrainingJob& job, Keys* keys) {
  keys->add("network.type", half_name(job.type));
  for (size_t k = 0; k < job.layers.size(); ++k) {
    const LayerShape& layer = job.layers[k];
    keys->add(fmt::format("network.layers[{}]", k),
              fmt::format("{}: {} to {}, {}, bias {}", layer_name(layer, k), layer.inputs,
                          layer.outputs, layer.activation, layer.bias));
  }
  if (!job.graph.empty() && !is_chain_of(job.graph, job.layers, job.loss)) {
    for (size_t n = 0; n < job.graph.ops.size(); ++n) {
      keys->add(fmt::format("network.graph[{}]", n), op_text(job.graph.ops[n]));
    }
  }
  keys->add("train.loss", job.loss);
}

void add_optimizer(const OptimizerOptions& o, Keys* keys) {
  const std::string at = "train.optimizer.";
  const bool adamw = o.kind == OptimizerOptions::Kind::AdamW;
  keys->add(at + "kind", adamw ? "adamw" : "sgd");
  keys->add_schedule(at + "rate", o.rate);
  keys->add(at + "weight_decay", o.weight_decay);
  keys->add(at + "max_norm", o.max_norm);
  if (adamw) {
    keys->add(at + "beta1", o.beta1);
    keys->add(at + "beta2", o.beta2);
    keys->add(at + "epsilon", o.epsilon);
  } else {
    keys->add(at + "momentum", o.momentum);
    keys->add_flag(at + "nesterov", o.nesterov);
  }
}

void add_loss_scale(const LossScaleOptions& s, Keys* keys) {
  const std::string at = "train.loss_scale.";
  keys->add(at + "initial", s.initial);
  keys->add_flag(at + "dynamic", s.dynamic);
  if (!s.dynamic) return;
  keys->add(at + "interval", s.interval);
  keys->add(at + "most", s.most);
}

void add_group(const std::string& at, const SparsityGroup& g, Keys* keys) {
  using Algorithm = SparsityGroup::Algorithm;
  using Init = SparsityGroup::Init;
  keys->add(at + "pattern", g.pattern);
  keys->add(at + "algorithm", g.algorithm == Algorithm::Static    ? "static"
                              : g.algorithm == Algorithm::Gradual ? "gradual"
                              : g.algorithm == Algorithm::Set     ? "set"
                                                                  : "rigl");
  keys->add(at + "init", g.init == Init::Random      ? "random"
                         : g.init == Init::Magnitude ? "magnitude"
                         : g.init == Init::Even      ? "even"
                         : g.init == Init::Zeros     ? "zeros"
                                                     : "dense");
  if (g.balance != SparsityGroup::Balance::None) {
    keys->add(
        at + "balance",
        fmt::format("{} {}", g.balance == SparsityGroup::Balance::Inputs ? "inputs" : "outputs",
                    g.parts));
  }
  keys->add_schedule(at + "density", g.density);
  if (g.algorithm == Algorithm::Set || g.algorithm == Algorithm::Rigl) {
    keys->add_schedule(at + "drop", g.drop);
  }
  if (g.algorithm != Algorithm::Static) keys->add_times(at + "update", g.update);
}

// Two values that differ, each cut to fit a line, from a bit before the difference.
std::string shown(const std::string& value, size_t from) {
  const size_t begin = from < kShown / 2 ? 0 : from - kShown / 2;
  std::string text = (begin > 0 ? "..." : "") + value.substr(begin, kShown);
  if (begin + kShown < value.size()) text += "...";
  return text;
}

const std::string* value_in(const JobKeys& keys, const std::string& key) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.first == key; });
  return found == keys.end() ? nullptr : &found->second;
}

}  // namespace

JobKeys job_keys(const TrainingJob& job) {
  Keys keys;
  add_network(job, &keys);
  if (job.first) keys.add("network.weights", "hash " + job.first->hash);
  keys.add("grid.rows", job.grid_rows);
  keys.add("grid.columns", job.grid_cols);
  keys.add("grid.samples_per_tile", job.samples);
  keys.add("train.seed", job.seed);
  keys.add("train.micro_batches", job.micro_batches);
  if (job.sequence > 1) keys.add("data.sequence", job.sequence);
  add_optimizer(job.optimizer, &keys);
  add_loss_scale(job.loss_scale, &keys);
  for (size_t g = 0; g < job.sparsity.size(); ++g) {
    add_group(fmt::format("train.sparsity[{}].", g), job.sparsity[g], &keys);
  }
  keys.add_orders("sums.forward", job.forward, job.layers.size());
  // The first layer's input needs no deltas.
  std::vector<SumOrder> delta = job.delta;
  if (!delta.empty()) delta.front() = SumOrder::Column;
  keys.add_orders("sums.delta", delta, job.layers.size());
  return keys.take();
}

bool take_orders(const JobKeys& keys, TrainingJob* job) {
  const auto read = [&](const char* list, std::vector<SumOrder>* orders) {
    for (size_t k = 0; k < job->layers.size(); ++k) {
      const std::string* word = value_in(keys, fmt::format("{}[{}]", list, k));
      if (word == nullptr || (*word != "column" && *word != "whole")) return false;
      orders->push_back(*word == "whole" ? SumOrder::Whole : SumOrder::Column);
    }
    return true;
  };
  std::vector<SumOrder> forward, delta;
  if (!read("sums.forward", &forward) || !read("sums.delta", &delta)) return false;
  job->forward = forward;
  job->delta = delta;
  return true;
}

Graph graph_of(const JobKeys& keys, const std::string& where) {
  Graph graph = Graph::of_tokens();
  for (size_t n = 0;; ++n) {
    const std::string* text = value_in(keys, fmt::format("network.graph[{}]", n));
    if (text == nullptr) break;
    graph.add(op_of_text(*text, where));
  }
  if (graph.empty()) throw BadInput(where + ": is of a chain of layers, not of a graph of tokens");
  return graph;
}

std::string first_difference(const JobKeys& kept, const JobKeys& wanted) {
  const auto differs = [](const std::string& key, const std::string& a, const std::string& b) {
    const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    const auto from = static_cast<size_t>(at);
    return fmt::format("key '{}' is {}, not {}", key, shown(a, from), shown(b, from));
  };
  for (const auto& [key, value] : wanted) {
    const std::string* other = value_in(kept, key);
    if (other == nullptr) return differs(key, "nothing", value);
    if (*other != value) return differs(key, *other, value);
  }
  for (const auto& [key, value] : kept) {
    if (value_in(wanted, key) == nullptr) return differs(key, value, "nothing");
  }
  return "";
}

}  // namespace ow::memoryx
