// SPDX-License-Identifier: Apache-2.0
#include "training_job.h"

#include <cstring>
#include <limits>
#include <type_traits>

#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/graph/kind.h"

namespace ow::conform {
namespace {

using Json = nlohmann::json;

template <typename T>
T one_of(const std::string& word, const std::vector<std::pair<const char*, T>>& words) {
  for (const auto& [name, value] : words) {
    if (word == name) return value;
  }
  throw BadInput("job: '" + word + "' is unknown");
}

// A value of a type; whole numbers only where the type is one, and in its range.
template <typename T>
T value_of(const Json& at) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const bool fits =
        at.is_number_unsigned()
            ? at.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max())
            : at.is_number_integer() && std::is_signed_v<T> &&
                  at.get<int64_t>() >= static_cast<int64_t>(std::numeric_limits<T>::min());
    if (!fits) throw BadInput("job: " + at.dump() + " is no whole number in its range");
  }
  return at.get<T>();
}

template <typename T>
void take(const Json& from, const char* key, T* value) {
  if (const auto at = from.find(key); at != from.end()) *value = value_of<T>(*at);
}

// A list of [kind, from, to, steps, base].
Schedule schedule_of(const Json& pieces) {
  using Kind = SchedulePiece::Kind;
  Schedule schedule;
  for (const Json& p : pieces) {
    schedule.push_back({one_of<Kind>(p.at(0), {{"constant", Kind::Constant},
                                               {"linear", Kind::Linear},
                                               {"cosine", Kind::Cosine},
                                               {"cubic", Kind::Cubic},
                                               {"power", Kind::Power},
                                               {"slope", Kind::Slope},
                                               {"repeat", Kind::Repeat}}),
                        p.at(1), p.at(2), value_of<uint64_t>(p.at(3)), p.at(4)});
    if (schedule.back().kind == Kind::Slope) schedule.back().steps = kForever;
    if (schedule.back().steps == 0) throw BadInput("job: a piece of no steps");
  }
  if (schedule.empty()) throw BadInput("job: a schedule without pieces");
  return schedule;
}

void take(const Json& from, const char* key, Schedule* value) {
  if (from.contains(key)) *value = schedule_of(from.at(key));
}

std::vector<SumOrder> orders_of(const Json& words) {
  std::vector<SumOrder> orders;
  for (const Json& word : words) {
    orders.push_back(
        one_of<SumOrder>(word, {{"column", SumOrder::Column}, {"whole", SumOrder::Whole}}));
  }
  return orders;
}

OptimizerOptions optimizer_of(const Json& from) {
  using Kind = OptimizerOptions::Kind;
  OptimizerOptions o;
  o.kind = one_of<Kind>(from.at("kind"), {{"sgd", Kind::Sgd}, {"adamw", Kind::AdamW}});
  take(from, "rate", &o.rate);
  take(from, "weight_decay", &o.weight_decay);
  take(from, "momentum", &o.momentum);
  take(from, "nesterov", &o.nesterov);
  take(from, "beta1", &o.beta1);
  take(from, "beta2", &o.beta2);
  take(from, "epsilon", &o.epsilon);
  take(from, "max_norm", &o.max_norm);
  return o;
}

SparsityGroup group_of(const Json& from) {
  using Group = SparsityGroup;
  using Algorithm = Group::Algorithm;
  using Init = Group::Init;
  Group g;
  g.pattern = from.at("pattern");
  g.algorithm = one_of<Algorithm>(from.at("algorithm"), {{"static", Algorithm::Static},
                                                         {"gradual", Algorithm::Gradual},
                                                         {"set", Algorithm::Set},
                                                         {"rigl", Algorithm::Rigl}});
  g.init = one_of<Init>(from.at("init"), {{"random", Init::Random},
                                          {"magnitude", Init::Magnitude},
                                          {"even", Init::Even},
                                          {"zeros", Init::Zeros},
                                          {"dense", Init::Dense}});
  take(from, "density", &g.density);
  take(from, "drop", &g.drop);
  take(from, "start", &g.update.start);
  take(from, "stop", &g.update.stop);
  take(from, "every", &g.update.every);
  take(from, "at", &g.update.steps);
  if (g.update.every == 0) throw BadInput("job: every 0 steps");
  if (from.contains("balance")) {
    g.balance = one_of<Group::Balance>(from.at("balance"), {{"inputs", Group::Balance::Inputs},
                                                            {"outputs", Group::Balance::Outputs}});
    g.parts = value_of<int>(from.at("parts"));
  }
  return g;
}

Op op_of(const Json& from) {
  Op op;
  for (const auto& [key, value] : from.items()) {
    if (key == "name") {
      op.name = op.where = value;
    } else if (key == "kind") {
      op.kind = value;
    } else if (key == "inputs") {
      op.inputs = value.get<std::vector<std::string>>();
    } else if (key == "shared") {
      op.shared = value.get<std::map<std::string, std::string>>();
    } else {
      op.attributes[key] = value;
    }
  }
  return op;
}

TrainingJob job_of(const Json& from) {
  constexpr int kMost = 4096;
  TrainingJob job;
  job.type = one_of<HalfType>(from.at("type"),
                              {{"f16", HalfType::Binary16}, {"bf16", HalfType::Bfloat16}});
  job.grid_rows = value_of<int>(from.at("grid").at(0));
  job.grid_cols = value_of<int>(from.at("grid").at(1));
  job.samples = value_of<int>(from.at("samples"));
  take(from, "micro_batches", &job.micro_batches);
  take(from, "seed", &job.seed);
  for (const int n : {job.grid_rows, job.grid_cols, job.samples, job.micro_batches}) {
    if (n < 1 || n > kMost) throw BadInput("job: a size that is not 1 to 4096");
  }
  const int features = value_of<int>(from.at("features"));
  constexpr int kMostFeatures = 1 << 20;
  if (features < 0 || features > kMostFeatures)
    throw BadInput("job: features that are not 0 to " + std::to_string(kMostFeatures));
  job.graph = features == 0 ? Graph::of_tokens() : Graph(features);
  for (const Json& op : from.at("layers")) job.graph.add(op_of(op));
  if (!job.graph.has_loss()) throw BadInput("job: its last layer is no loss");
  job.loss = job.graph.ops.back().kind;
  if (from.contains("forward")) job.forward = orders_of(from.at("forward"));
  if (from.contains("delta")) job.delta = orders_of(from.at("delta"));
  job.optimizer = optimizer_of(from.at("optimizer"));
  if (from.contains("loss_scale")) {
    const Json& scale = from.at("loss_scale");
    take(scale, "initial", &job.loss_scale.initial);
    take(scale, "dynamic", &job.loss_scale.dynamic);
    take(scale, "interval", &job.loss_scale.interval);
    take(scale, "most", &job.loss_scale.most);
  }
  if (from.contains("sparsity")) {
    for (const Json& group : from.at("sparsity")) job.sparsity.push_back(group_of(group));
  }
  return job;
}

Activations activations_of(int features, size_t samples, const std::vector<uint32_t>& words) {
  const size_t all = static_cast<size_t>(features) * samples;
  if (words.size() != all)
    throw BadInput("batch: " + std::to_string(words.size()) + " numbers, not " +
                   std::to_string(all));
  Activations x = Activations::zero(features, static_cast<int>(samples));
  for (size_t k = 0; k < words.size(); ++k) x.values[k] = static_cast<uint16_t>(words[k]);
  return x;
}

}  // namespace

TrainingJob parse_training_job(const std::string& text) {
  try {
    return job_of(parse_json(text, "job"));
  } catch (const Json::exception& e) {
    throw BadInput(std::string("job: ") + e.what());
  }
}

Batch batch_of(const TrainingJob& job, const std::vector<uint32_t>& inputs,
               const std::vector<uint32_t>& targets) {
  const size_t samples = job.micro_batch();
  const auto number = [](uint32_t word) { return static_cast<int>(word); };
  Batch batch;
  if (job.graph.features() == 1 && job.graph.values.front().element == Value::Element::Token) {
    if (inputs.size() != samples + samples / kSlotGroup) throw BadInput("batch: tokens and starts");
    Tokens& tokens = batch.samples.tokens;
    for (size_t k = 0; k < inputs.size(); ++k)
      (k < samples ? tokens.ids : tokens.starts).push_back(number(inputs[k]));
  } else {
    batch.samples.numbers = activations_of(job.graph.features(), samples, inputs);
  }
  if (find_kind(job.loss)->targets == TargetForm::Classes) {
    if (targets.size() != samples) throw BadInput("batch: a class a sample");
    for (const uint32_t word : targets) batch.targets.classes.push_back(number(word));
  } else {
    batch.targets.values = activations_of(job.graph.outputs(), samples, targets);
  }
  return batch;
}

std::vector<uint32_t> words_of(const Activations& values) {
  return {values.values.begin(), values.values.end()};
}

std::vector<uint32_t> encodings(const float* values, size_t count) {
  std::vector<uint32_t> words(count);
  if (count > 0) std::memcpy(words.data(), values, count * sizeof(float));
  return words;
}

float decoded(uint32_t word) {
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

}  // namespace ow::conform
