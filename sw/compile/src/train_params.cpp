// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/train_params.h"

#include <fmt/format.h>

#include <cmath>

#include "layers/layer_kind.h"
#include "ow/base/yaml.h"
#include "params_parts.h"

namespace ow::jobs {
namespace {

constexpr int64_t kMaxSteps = 1'000'000'000;
constexpr size_t kMaxPieces = 100;
constexpr double kMaxScale = 16777216;

SchedulePiece read_piece(YamlMap piece, double low, double high) {
  using Kind = SchedulePiece::Kind;
  SchedulePiece p;
  const std::string kind = piece["kind"].one_of({"constant", "linear", "cosine", "cubic", "power"});
  p.kind = kind == "constant" ? Kind::Constant
           : kind == "linear" ? Kind::Linear
           : kind == "cosine" ? Kind::Cosine
           : kind == "cubic"  ? Kind::Cubic
                              : Kind::Power;
  if (p.kind == Kind::Constant) {
    p.from = p.to = piece["value"].real(low, high);
  } else {
    p.from = piece["from"].real(low, high);
    p.to = piece["to"].real(low, high);
  }
  p.steps = static_cast<uint64_t>(piece["steps"].integer(1, kMaxSteps));
  if (p.kind == Kind::Power) p.base = piece["base"].real(0, 1, true);
  piece.close();
  return p;
}

// A number, or a list of pieces.
Schedule read_schedule(const Yaml& value, double low, double high) {
  if (!value.is_list()) return constant_schedule(value.real(low, high));
  Schedule schedule;
  for (const Yaml& piece : value.list(1, kMaxPieces, "pieces of a schedule")) {
    schedule.push_back(read_piece(piece.map(), low, high));
  }
  return schedule;
}

void read_optimizer(YamlMap map, OptimizerOptions* o) {
  using Kind = OptimizerOptions::Kind;
  o->kind = map["kind"].one_of({"sgd", "adamw"}) == "sgd" ? Kind::Sgd : Kind::AdamW;
  o->rate = read_schedule(map["rate"], 0, 1e6);
  if (const auto decay = map.find("weight_decay")) o->weight_decay = decay->real(0, 1000);
  if (const auto norm = map.find("max_norm")) o->max_norm = norm->real(0, 1e30, true);
  if (o->kind == Kind::Sgd) {
    if (const auto momentum = map.find("momentum")) o->momentum = momentum->real(0, 1);
    if (const auto nesterov = map.find("nesterov")) {
      o->nesterov = nesterov->flag();
      if (o->nesterov && o->momentum == 0) nesterov->fail("needs a momentum above 0");
    }
  } else {
    if (const auto beta = map.find("beta1")) o->beta1 = beta->real(0, 0.999999);
    if (const auto beta = map.find("beta2")) o->beta2 = beta->real(0, 0.999999999);
    if (const auto epsilon = map.find("epsilon")) o->epsilon = epsilon->real(0, 1, true);
  }
  map.close();
}

double read_scale(const Yaml& value) {
  const double scale = value.real(1, kMaxScale);
  int exponent = 0;
  if (std::frexp(scale, &exponent) != 0.5) value.fail("must be a power of two");
  return scale;
}

// A number, or a mapping.
void read_loss_scale(const Yaml& value, LossScaleOptions* s) {
  if (!value.is_map()) {
    s->initial = read_scale(value);
    return;
  }
  YamlMap map = value.map();
  s->initial = read_scale(map["initial"]);
  if (const auto dynamic = map.find("dynamic")) s->dynamic = dynamic->flag();
  if (const auto interval = map.find("interval")) {
    s->interval = static_cast<uint64_t>(interval->integer(1, kMaxSteps));
  }
  if (const auto most = map.find("most")) {
    s->most = read_scale(*most);
    if (s->most < s->initial) most->fail(fmt::format("must not be below initial ({})", s->initial));
  }
  map.close();
}

// Steps, or every so many of a range.
UpdateTimes read_times(const Yaml& value) {
  UpdateTimes times;
  if (value.is_list()) {
    for (const Yaml& step : value.list(1, 100000, "steps")) {
      times.steps.push_back(static_cast<uint64_t>(step.integer(0, kMaxSteps)));
      const size_t n = times.steps.size();
      if (n > 1 && times.steps[n - 1] <= times.steps[n - 2]) step.fail("steps must ascend");
    }
    return times;
  }
  YamlMap map = value.map();
  times.every = static_cast<uint64_t>(map["every"].integer(1, kMaxSteps));
  if (const auto start = map.find("start")) {
    times.start = static_cast<uint64_t>(start->integer(0, kMaxSteps));
  }
  if (const auto stop = map.find("stop")) {
    times.stop = static_cast<uint64_t>(stop->integer(0, kMaxSteps));
  }
  map.close();
  return times;
}

SparsityGroup read_group(YamlMap map) {
  using Algorithm = SparsityGroup::Algorithm;
  using Init = SparsityGroup::Init;
  SparsityGroup g;
  g.pattern = map["pattern"].text();
  if (const auto algorithm = map.find("algorithm")) {
    const std::string name = algorithm->one_of({"static", "gradual", "set", "rigl"});
    g.algorithm = name == "static"    ? Algorithm::Static
                  : name == "gradual" ? Algorithm::Gradual
                  : name == "set"     ? Algorithm::Set
                                      : Algorithm::Rigl;
  }
  if (const auto init = map.find("init")) {
    const std::string name = init->one_of({"random", "magnitude", "even"});
    g.init = name == "random" ? Init::Random : name == "magnitude" ? Init::Magnitude : Init::Even;
  }
  g.density = read_schedule(map["density"], 0, 1);
  if (g.algorithm == Algorithm::Set || g.algorithm == Algorithm::Rigl) {
    if (const auto drop = map.find("drop")) g.drop = read_schedule(*drop, 0, 1);
  }
  if (g.algorithm != Algorithm::Static) g.update = read_times(map["update"]);
  map.close();
  return g;
}

void read_train(YamlMap train, TrainParams* params) {
  TrainingJob& job = params->job;
  params->steps = static_cast<uint64_t>(train["steps"].integer(1, kMaxSteps));
  job.seed = static_cast<uint64_t>(train["seed"].integer(0, INT64_MAX));
  if (const auto loss = train.find("loss")) {
    job.loss = loss->one_of(loss_names());
    if (!params->base.loss.empty()) {
      loss->fail(
          fmt::format("is '{}', and a layer of the network is its loss: one of the two", job.loss));
    }
  }
  if (const auto micro = train.find("micro_batches")) {
    job.micro_batches = static_cast<int>(micro->integer(1, 65536));
  }
  if (const auto wafers = train.find("num_wafers")) {
    params->wafers = static_cast<int>(wafers->integer(1, kMaxWafers));
  }
  read_optimizer(train["optimizer"].map(), &job.optimizer);
  if (const auto scale = train.find("loss_scale")) read_loss_scale(*scale, &job.loss_scale);
  if (const auto sparsity = train.find("sparsity")) {
    for (const Yaml& group : sparsity->list(1, 100, "groups")) {
      job.sparsity.push_back(read_group(group.map()));
    }
  }
  if (const auto every = train.find("evaluate_every")) {
    params->evaluate_every = static_cast<uint64_t>(every->integer(1, kMaxSteps));
  }
  if (const auto checkpoints = train.find("checkpoints")) {
    YamlMap map = checkpoints->map();
    params->checkpoint_every = static_cast<uint64_t>(map["every"].integer(1, kMaxSteps));
    if (const auto keep = map.find("keep")) {
      params->checkpoints_kept = static_cast<size_t>(keep->integer(1, 1000000));
    }
    map.close();
  }
  train.close();
}

// A graph that is given without a loss gets that of `train` behind its last layer.
void take_loss(const RunParams& base, TrainingJob* job) {
  if (base.graph.empty()) return;
  job->graph = base.graph;
  if (!base.loss.empty()) {
    job->loss = base.loss;
    return;
  }
  GraphLayer loss;
  loss.name = job->loss;
  while (job->graph.giver(loss.name) >= 0) loss.name += "_";
  loss.kind = job->loss;
  loss.inputs = {job->graph.layers.back().name, kTargetsTensor};
  loss.where = base.path + ": key 'train.loss'";
  job->graph.layers.push_back(loss);
}

}  // namespace

bool is_training(const std::string& path) {
  const YamlMap top(Yaml::read(path));
  return top.has("train");
}

TrainParams load_train_params(const std::string& path) {
  TrainParams params;
  RunParams& base = params.base;
  base.path = path;
  YamlMap top(Yaml::read(path));
  read_data(path, top["data"].map(), &base);
  YamlMap network = top["network"].map();
  read_network(path, network, &base);
  for (const char* key : {"weights", "training"}) {
    if (network.has(key)) network[key].fail("a training makes its own weights");
  }
  if (base.layers.back().activation != kNoActivation) {
    const char* key = base.graph.empty() ? "activations" : "layers";
    network[key].fail("the last layer's must be none: the loss comes behind it");
  }
  read_grid(top["grid"].map(), &base);
  read_train(top["train"].map(), &params);
  if (const auto time = top.find("time")) base.time = read_time(*time);
  top.close();
  const std::string& loss = base.loss.empty() ? params.job.loss : base.loss;
  if (base.data.targets && loss_part(loss).targets == TargetForm::Classes) {
    top["data"].map()["targets"].fail(fmt::format("is values, and {} takes classes", loss));
  }
  TrainingJob& job = params.job;
  job.type = base.type;
  job.layers = base.layers;
  take_loss(base, &job);
  job.grid_rows = base.grid.rows;
  job.grid_cols = base.grid.cols;
  if (base.samples > 0) job.samples = base.samples;
  return params;
}

}  // namespace ow::jobs
