// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/train_params.h"
#include "ow/compile/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ow/base/file.h"
#include "ow/base/yaml.h"
#include "ow/memoryx/schedule.h"
#include "params_parts.h"

namespace ow::jobs {
namespace {

constexpr int64_t kMaxSteps = 1'000'000'000;
constexpr size_t kMaxPieces = 100;
constexpr size_t kMaxPatterns = 100;
constexpr double kMaxScale = 16777216;

// Reads a piece that stands for several pieces, or that lasts for ever: the last one of a list.
bool read_endless(const std::string& kind, YamlMap* piece, double low, double high,
                  Schedule* schedule) {
  using Kind = SchedulePiece::Kind;
  const auto steps = [&](const char* key) {
    return static_cast<uint64_t>((*piece)[key].integer(1, kMaxSteps));
  };
  if (kind == "slope") {
    SchedulePiece p{Kind::Slope, (*piece)["from"].real(low, high), 0, kForever, 0};
    p.base = (*piece)["slope"].real(low - high, high - low);
    p.to = p.base < 0 ? low : high;
    if (p.base == 0) (*piece)["slope"].fail("must not be 0");
    if (const auto to = piece->find("to")) {
      p.to = to->real(low, high);
      if ((p.to - p.from) * p.base < 0) to->fail("lies the other way");
    }
    schedule->push_back(p);
  } else if (kind == "repeat") {
    const size_t all = schedule->size();
    if (all == 0) piece->fail("has nothing in front to be repeated");
    SchedulePiece p{Kind::Repeat, 0, 0, all, 1};
    if (const auto pieces = piece->find("pieces")) {
      p.steps = static_cast<uint64_t>(pieces->integer(1, static_cast<int64_t>(all)));
    }
    schedule->push_back(p);
  } else if (kind == "cycle") {
    const uint64_t each = steps("steps");
    uint64_t count = 0;
    for (const Yaml& value : (*piece)["values"].list(1, kMaxPieces, "values")) {
      const double v = value.real(low, high);
      schedule->push_back({Kind::Constant, v, v, each, 1});
      ++count;
    }
    schedule->push_back({Kind::Repeat, 0, 0, count, 1});
  } else if (kind == "wave") {
    const double from = (*piece)["from"].real(low, high), to = (*piece)["to"].real(low, high);
    const uint64_t half = steps("half_period");
    schedule->push_back({Kind::Cosine, from, to, half, 1});
    schedule->push_back({Kind::Cosine, to, from, half, 1});
    schedule->push_back({Kind::Repeat, 0, 0, 2, 1});
  } else {
    return false;
  }
  piece->close();
  return true;
}

SchedulePiece read_piece(const std::string& kind, YamlMap piece, double low, double high) {
  using Kind = SchedulePiece::Kind;
  SchedulePiece p;
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
  // A power gets closer to its end for ever.
  const bool open = p.kind == Kind::Power && !piece.find("steps");
  p.steps = open ? kForever : static_cast<uint64_t>(piece["steps"].integer(1, kMaxSteps));
  if (p.kind == Kind::Power) p.base = piece["base"].real(0, 1, true);
  piece.close();
  return p;
}

// A number, or a list of pieces.
Schedule read_schedule(const Yaml& value, double low, double high) {
  if (value.is_map()) value.fail("must be a number or a list of pieces");
  if (!value.is_list()) return constant_schedule(value.real(low, high));
  Schedule schedule;
  bool endless = false;
  for (const Yaml& item : value.list(1, kMaxPieces, "pieces of a schedule")) {
    if (endless) item.fail("stands behind a piece that goes on for good");
    YamlMap piece = item.map();
    const std::string kind = piece["kind"].one_of(
        {"constant", "linear", "cosine", "cubic", "power", "slope", "cycle", "wave", "repeat"});
    endless = read_endless(kind, &piece, low, high, &schedule);
    if (endless) continue;
    schedule.push_back(read_piece(kind, piece, low, high));
    endless = schedule.back().steps == kForever;
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
    if (const auto epsilon = map.find("epsilon")) {
      o->epsilon = epsilon->real(OptimizerOptions::kLeastEpsilon, 1);
    }
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
  if (value.is_list()) value.fail("must be a number or keys and values");
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

// A list of steps, or every n-th step of a range.
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
  if (!value.is_map()) value.fail("must be a list of steps, or the keys every, start and stop");
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

// Equal parts of a matrix that each keep the same number of weights.
void read_balance(YamlMap map, SparsityGroup* g) {
  const auto parts = [&](const char* key) {
    const auto value = map.find(key);
    if (!value) return false;
    if (g->balance != SparsityGroup::Balance::None)
      value->fail("is one too many: inputs or outputs");
    g->parts = static_cast<int>(value->integer(1, 65535));
    return true;
  };
  if (parts("inputs")) g->balance = SparsityGroup::Balance::Inputs;
  if (parts("outputs")) g->balance = SparsityGroup::Balance::Outputs;
  if (g->balance == SparsityGroup::Balance::None) map.fail("needs inputs or outputs");
  map.close();
}

// Whether a gradual group keeps fewer weights at one of its updates than at first. If there are too
// many updates to look at, the first ones decide.
bool prunes(const SparsityGroup& g, uint64_t steps) {
  constexpr uint64_t kLooked = 10'000;
  const double first = g.init == SparsityGroup::Init::Dense ? 1 : memoryx::value_at(g.density, 0);
  const auto falls = [&](uint64_t step) {
    return step < steps && memoryx::value_at(g.density, step) < first;
  };
  if (!g.update.steps.empty()) {
    return std::any_of(g.update.steps.begin(), g.update.steps.end(), falls);
  }
  uint64_t step = g.update.start;
  const uint64_t end = std::min(g.update.stop, steps);
  for (uint64_t k = 0; k < kLooked && step < end; ++k, step += g.update.every) {
    if (falls(step)) return true;
  }
  return step < end;
}

// Masks that should change must do so in a training of this many steps.
void check_updates(YamlMap map, const SparsityGroup& g, uint64_t steps) {
  if (const auto update = map.find("update")) {
    const UpdateTimes& t = g.update;
    const uint64_t first = t.steps.empty() ? t.start : t.steps.front();
    if (first >= std::min(t.stop, steps)) {
      update->fail(fmt::format("has no step of the training in it, which are 0 to {}", steps - 1));
    }
  }
  if (g.algorithm == SparsityGroup::Algorithm::Gradual && !prunes(g, steps)) {
    map["density"].fail("prunes nothing: at none of its updates it is below what it begins with");
  }
}

// Makes one group for each pattern.
void read_group(YamlMap map, uint64_t steps, std::vector<SparsityGroup>* groups) {
  using Algorithm = SparsityGroup::Algorithm;
  using Init = SparsityGroup::Init;
  SparsityGroup g;
  if (const auto algorithm = map.find("algorithm")) {
    const std::string name = algorithm->one_of({"static", "gradual", "set", "rigl"});
    g.algorithm = name == "static"    ? Algorithm::Static
                  : name == "gradual" ? Algorithm::Gradual
                  : name == "set"     ? Algorithm::Set
                                      : Algorithm::Rigl;
  }
  if (const auto init = map.find("init")) {
    const std::string name = init->one_of({"random", "magnitude", "even", "zeros", "dense"});
    g.init = name == "random"      ? Init::Random
             : name == "magnitude" ? Init::Magnitude
             : name == "even"      ? Init::Even
             : name == "zeros"     ? Init::Zeros
                                   : Init::Dense;
  }
  g.density = read_schedule(map["density"], 0, 1);
  if (g.algorithm == Algorithm::Set || g.algorithm == Algorithm::Rigl) {
    if (const auto drop = map.find("drop")) g.drop = read_schedule(*drop, 0, 1);
  }
  if (g.algorithm != Algorithm::Static) {
    if (const auto update = map.find("update")) g.update = read_times(*update);
    check_updates(map, g, steps);
  }
  if (const auto balance = map.find("balance")) read_balance(balance->map(), &g);
  const Yaml pattern = map["pattern"];
  map.close();
  if (pattern.is_map()) pattern.fail("must be a pattern of names or a list of them");
  const auto add = [&](const Yaml& name) {
    groups->push_back(g);
    groups->back().pattern = name.text();
  };
  if (!pattern.is_list()) return add(pattern);
  for (const Yaml& name : pattern.list(1, kMaxPatterns, "patterns")) add(name);
}

// Where the masters are, and how many threads work on them.
void read_store(const std::string& path, YamlMap map, memoryx::MemoryOptions* memory) {
  if (const auto directory = map.find("directory")) {
    memory->store.directory = beside(path, directory->text());
  }
  if (const auto window = map.find("window")) {
    memory->store.window = static_cast<size_t>(window->integer(1, int64_t{1} << 30));
  }
  if (const auto threads = map.find("threads")) {
    memory->threads = static_cast<int>(threads->integer(1, 1024));
  }
  map.close();
}

// The order of each pass's sums: one word for all, or a list with one word a layer.
std::vector<SumOrder> read_orders(const Yaml& value, size_t layers) {
  const auto order = [](const Yaml& word) {
    return word.one_of({"column", "whole"}) == "whole" ? SumOrder::Whole : SumOrder::Column;
  };
  if (!value.is_list()) return std::vector<SumOrder>(layers, order(value));
  std::vector<SumOrder> orders;
  for (const Yaml& word : value.list(layers, layers, "words, one a layer")) {
    orders.push_back(order(word));
  }
  return orders;
}

// On one grid row both orders are the same, and are called Column.
void read_sums(YamlMap map, const RunParams& base, TrainingJob* job) {
  job->forward = read_orders(map["forward"], base.layers.size());
  job->delta = read_orders(map["delta"], base.layers.size());
  job->delta.front() = SumOrder::Column;  // nobody needs deltas of the input
  if (base.grid.rows == 1) {
    job->forward.assign(base.layers.size(), SumOrder::Column);
    job->delta = job->forward;
  }
  map.close();
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
      read_group(group.map(), params->steps, &job.sparsity);
    }
  }
  if (const auto sums = train.find("sums")) read_sums(sums->map(), params->base, &job);
  if (const auto store = train.find("store")) {
    read_store(params->base.path, store->map(), &params->memory);
  }
  if (const auto nan = train.find("on_nan")) {
    params->stops_on_nan = nan->one_of({"stop", "warn"}) == "stop";
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

// A graph without a loss gets the loss of `train` after its last layer.
void take_loss(TrainParams* params) {
  const RunParams& base = params->base;
  if (base.graph.empty()) return;
  Graph& graph = params->job.graph;
  graph = base.graph;
  if (!base.loss.empty()) {
    params->job.loss = base.loss;
    return;
  }
  Op loss;
  loss.name = loss.kind = params->job.loss;
  while (graph.value(loss.name) >= 0) loss.name += "_";
  loss.inputs = {graph.ops.back().name, kTargetsTensor};
  loss.where = base.path + ": key 'train.loss'";
  graph.add(std::move(loss));
}

// Sequences fill a micro-batch.
void check_sequence(YamlMap data, const RunParams& base, const TrainingJob& job) {
  const bool tokens =
      job.graph.values.size() > 0 && job.graph.values.front().element == Value::Element::Token;
  const int length = base.data.sequence;
  if (tokens != (length > 0)) {
    data["file"].fail(tokens ? "holds no tokens (data.format: tokens), which the network takes"
                             : "holds tokens, and the network takes numbers");
  }
  if (!tokens) return;
  const uint64_t slots = job.micro_batch();
  if (length % kSlotGroup == 0 && slots % static_cast<uint64_t>(length) == 0) return;
  data["sequence"].fail(
      fmt::format("must be a multiple of {} that divides the {} tokens of {} "
                  "grid columns",
                  kSlotGroup, slots, job.grid_cols));
}

}  // namespace

TrainParams read_training(const std::string& path, YamlMap top) {
  TrainParams params;
  RunParams& base = params.base;
  base.path = path;
  read_data(path, top["data"].map(), &base);
  YamlMap network = top["network"].map();
  read_network(path, network, &base);
  if (network.has("training")) network["training"].fail("a training makes its own weights");
  if (base.layers.back().activation != kNoActivation) {
    const char* key = base.graph.empty() ? "activations" : "layers";
    network[key].fail("the last layer's must be none: the loss comes behind it");
  }
  read_grid(top["grid"].map(), &base);
  read_train(top["train"].map(), &params);
  if (const auto time = top.find("time")) base.time = read_time(*time);
  top.close();
  const std::string& loss = base.loss.empty() ? params.job.loss : base.loss;
  if (base.data.targets && targets_of(loss) == TargetForm::Classes) {
    top["data"].map()["targets"].fail(fmt::format("is values, and {} takes classes", loss));
  }
  TrainingJob& job = params.job;
  job.type = base.type;
  job.layers = base.layers;
  take_loss(&params);
  job.grid_rows = base.grid.rows;
  job.grid_cols = base.grid.cols;
  if (base.samples > 0) job.samples = base.samples;
  check_sequence(top["data"].map(), base, job);
  if (base.data.sequence > 0) job.sequence = base.data.sequence;
  if (!base.weights.empty()) job.first = read_first_values(base.weights, graph_of(job));
  return params;
}

}  // namespace ow::jobs
