// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "ow/base/error.h"
#include "ow/compile/lowering.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
namespace {

constexpr int kAccWordsPerLane = 16;
constexpr int kForwardThreads = 3;        // the task thread, the weights', the drain's
constexpr int kThreads = 4;               // and the gathering one's
constexpr int64_t kMaxRelayed = 65535;    // words: what a descriptor counts
constexpr uint32_t kMaxElements = 65535;  // limit of a descriptor, and of the rows of a drain
constexpr uint32_t kFewRows = 64;  // of a piece: with fewer, more time goes by beside the products

void check_job(const std::string& who, const TrainingJob& job, const Plan& plan,
               const ElfImage& firmware) {
  const TileConfig& tile = plan.tile;
  if (job.samples < tile.lanes || job.samples % tile.lanes != 0 ||
      job.samples > kAccWordsPerLane * tile.lanes) {
    throw BadInput(
        fmt::format("{}: {} samples a tile: must be a multiple of the {} lanes, the "
                    "limit is {} (a row of the accumulator cache)",
                    who, job.samples, tile.lanes, kAccWordsPerLane * tile.lanes));
  }
  const bool forward = job.loss.empty();
  const int colours = colours_of(plan.grid, forward ? Exit::BothSides : Exit::West);
  const int threads = forward ? kForwardThreads : kThreads;
  if (tile.colours < colours) {
    throw BadInput(fmt::format("{}: {} x {} tiles need {} colours, the limit is {}", who,
                               plan.grid.rows, plan.grid.cols, colours, tile.colours));
  }
  if (tile.threads < threads) {
    throw BadInput(
        fmt::format("{}: needs {} threads, the limit is {}", who, threads, tile.threads));
  }
  check_units(who, job.type, job.loss, tile);
  if (firmware.symbol("ow_stack_top") > tile.sram_bytes) {
    throw BadInput(fmt::format("{}: is built for tiles of {} bytes, the limit here is {}",
                               firmware.path, firmware.symbol("ow_stack_top"), tile.sram_bytes));
  }
}

// The most features that a tile can gather. Its rounds are counted in 16-bit elements, and the
// products of a piece in rows of the reducer.
uint32_t most_gathered(const Plan& plan) {
  uint64_t inputs = 1;
  for (const LayerShape& layer : plan.layers) {
    inputs = std::max(inputs, plan.most_owned(layer.inputs));
  }
  const uint64_t drained = uint64_t{kMaxElements} * static_cast<uint64_t>(plan.tile.lanes) / inputs;
  return static_cast<uint32_t>(
      std::min<uint64_t>(drained, kMaxElements / static_cast<uint32_t>(plan.samples)));
}

// BadInput if a pass with whole sums gathers more.
void check_whole(const std::string& who, const Plan& plan) {
  const uint32_t most = most_gathered(plan);
  const auto check = [&](SumOrder order, int features) {
    if (order != SumOrder::Whole || static_cast<uint32_t>(features) <= most) return;
    throw BadInput(fmt::format(
        "{}: a pass with whole sums gathers {} features of a column in each tile, the limit is {}",
        who, features, most));
  };
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    check(plan.forward[k], plan.layers[k].inputs);
    if (k > 0) check(plan.delta[k], plan.layers[k].outputs);
  }
}

// A step's phases with these choices, placed.
struct Placed {
  std::unique_ptr<GraphLowering> lowering;
  std::vector<Phase> phases;
  std::vector<PhaseTurns> turns;
  Slot list;
  uint64_t end = 0;  // of the bytes used
};

// With `keep` no buffer takes the bytes of another, so all can be read after the step.
Placed place(const Graph& graph, const TrainingJob& job, const Plan& plan, const Choices& choices,
             bool keep, uint32_t begin, uint32_t end) {
  Placed placed;
  placed.lowering = std::make_unique<GraphLowering>(graph, job, plan.tile.lanes, choices);
  Draft& draft = placed.lowering->draft();
  if (keep) {
    for (size_t k = 0; k < draft.buffers().size(); ++k) draft.kept({k, 0});
  }
  placed.end = draft.place(begin, false);
  // Of a chain the largest value and its neighbours often take less if it is placed first.
  if (!graph.has_loss()) {
    const uint64_t other = draft.place(begin, false, true);
    if (other >= placed.end) draft.place(begin, false);
    placed.end = std::min(placed.end, other);
  }
  if (choices.in_turns && placed.end <= end) placed.end = draft.place(begin, true);
  placed.phases = draft.list();
  if (choices.in_turns && placed.end <= end)
    placed.turns = turns_of(placed.phases, placed.lowering->forward_phases());
  const uint64_t bytes = uint64_t{list_bytes(placed.phases, placed.turns)} +
                         ends_bytes(placed.phases, placed.lowering->forward_phases());
  placed.list = draft.buffer("list of phases", bytes);
  draft.put(placed.list, static_cast<uint32_t>(placed.end));
  placed.end += bytes;
  return placed;
}

// Features of a grid row in the widest window that there can be; 0: there is none.
uint32_t widest_window(const GraphLowering& lowering) {
  uint32_t most = 0;
  for (int v = 1; v < static_cast<int>(lowering.graph().values.size()); ++v) {
    if (lowering.has_window(v)) most = std::max(most, lowering.dealt(v).of(0));
  }
  return most;
}

class Planner {
 public:
  Planner(std::string who, const TrainingJob& job, const ElfImage& firmware, Plan plan)
      : who_(std::move(who)),
        job_(job),
        graph_(graph_of(job)),
        firmware_(firmware),
        plan_(std::move(plan)),
        begin_(firmware.symbol("ow_heap")),
        end_(firmware.symbol("ow_heap_end")) {}

  // Whether a place for everything is found.
  bool fits(const std::optional<Choices>& choices) {
    check_whole(who_, plan_);
    return choices ? tries(*choices) : search();
  }

  // After fits(). BadInput if nothing fits.
  Plan take() {
    if (!best_) refuse();
    check_kernels(firmware_, best_->phases);
    fill();
    return std::move(plan_);
  }

 private:
  bool forward() const { return !graph_.has_loss(); }

  // Words that pass the tile that relays most in a grid row.
  int64_t relayed() const {
    if (!forward()) return 0;
    const auto words = static_cast<int64_t>(plan_.most_owned(graph_.outputs())) * job_.samples / 2;
    const int west = plan_.west_columns();
    return words * std::max(std::max(west, plan_.grid.cols - west) - 1, 1);
  }

  bool tries(const Choices& choices) {
    for (const bool keep : {true, false}) {
      if (keep && (choices.recompute != Recompute::None || choices.in_turns)) continue;
      Placed placed = place(graph_, job_, plan_, choices, keep, begin_, end_);
      kept_ = keep;
      const bool fits = placed.end <= end_ && relayed() <= kMaxRelayed;
      if (!least_ || placed.end < least_->end) least_ = placed_of(placed);
      if (!fits) continue;
      best_ = std::move(placed);
      chosen_ = choices;
      return true;
    }
    return false;
  }

  // Policies that compute something else twice than the ones before.
  std::vector<Recompute> policies() const {
    std::vector<Recompute> all;
    size_t phases = 0;
    for (const Recompute recompute : kPolicies) {
      const GraphLowering l(graph_, job_, plan_.tile.lanes, {UINT32_MAX, UINT32_MAX, recompute});
      if (l.draft().phases() > phases) all.push_back(recompute);
      phases = l.draft().phases();
    }
    return all;
  }

  // As few windows as possible with pieces of a useful size, then as large pieces as possible, with
  // as little as possible computed twice; small pieces only if nothing else fits.
  bool search() {
    if (forward()) return tries({});
    constexpr std::pair<bool, bool> kSaves[] = {{false, false}, {false, true}, {true, true}};
    const GraphLowering widest(graph_, job_, plan_.tile.lanes, {});
    const uint32_t window = widest_window(widest);
    uint32_t outputs = 1;
    for (const LayerShape& layer : plan_.layers) {
      outputs = std::max(outputs, static_cast<uint32_t>(layer.outputs));
    }
    const auto rows = static_cast<uint32_t>(plan_.grid.rows);
    const uint32_t all = std::min(outputs, most_gathered(plan_));
    std::vector<uint32_t> pieces = {all};
    for (uint32_t piece = all / 2; piece > rows; piece = piece * 3 / 4) {
      pieces.push_back(piece / rows * rows);
    }
    if (all > rows) pieces.push_back(rows);
    const uint32_t few = std::min(kFewRows, all);
    const std::vector<Recompute> recompute = policies();
    for (const bool useful : {true, false}) {
      for (const Recompute policy : recompute) {
        for (const auto& [leave, in_turns] : kSaves) {
          if (leave && !widest.can_leave()) continue;
          for (uint32_t count = 1; count <= std::max(window, 1u); ++count) {
            const uint32_t features = (window + count - 1) / count;
            if (count > 1 && features == (window + count - 2) / (count - 1)) continue;
            for (const uint32_t piece : pieces) {
              if ((piece >= few) != useful) continue;
              if (tries({piece, std::max(features, 1u), policy, leave, in_turns})) return true;
            }
          }
        }
      }
    }
    return false;
  }

  struct Need {
    uint64_t end;
    std::vector<Draft::Buffer> buffers;
  };
  static Need placed_of(const Placed& placed) {
    return {placed.end, placed.lowering->draft().buffers()};
  }

  [[noreturn]] void refuse() const {
    const uint32_t stack = firmware_.symbol("ow_stack_top") - end_;
    if (least_->end <= end_) {
      throw BadInput(fmt::format(
          "{}: {} outputs with {} samples a tile on {} grid columns: a tile would relay {} words, "
          "the limit is {}",
          who_, graph_.outputs(), job_.samples, job_.grid_cols, relayed(), kMaxRelayed));
    }
    std::vector<Draft::Buffer> largest = least_->buffers;
    std::stable_sort(largest.begin(), largest.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    std::string what;
    for (size_t k = 0; k < std::min<size_t>(largest.size(), 3); ++k) {
      what += fmt::format("{}{} {}", k == 0 ? "" : ", ", largest[k].name, largest[k].bytes);
    }
    throw BadInput(fmt::format(
        "{}: {} {} with {} samples a tile on {} grid rows needs {} bytes of a tile, the limit is "
        "{} (largest: {})",
        who_, forward() ? "running layers" : "training layers", sizes_text(job_.layers),
        job_.samples, job_.grid_rows, least_->end + stack, end_ + stack, what));
  }

  void fill() {
    const GraphLowering& l = *best_->lowering;
    const Draft& draft = l.draft();
    plan_.executable = executable_of(l, draft.at(best_->list), best_->turns);
    plan_.streams.options.rows = plan_.grid.rows;
    plan_.streams.forward = l.forward_streams();
    plan_.streams.step = l.step_streams();
    plan_.output = l.output();
    if (!forward()) plan_.targets_addr = draft.at(l.targets());
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      ValuePlan value;
      value.name = graph_.values[v].name;
      value.features = graph_.values[v].features;
      value.kept = kept_;
      if (l.values()[v]) {
        value.addr = draft.at(*l.values()[v]);
        value.kept = kept_ || (forward() && stays(draft, l.values()[v]->buffer));
      }
      if (l.deltas()[v]) {
        value.delta_addr = draft.at(l.deltas()[v]->slot);
        value.gathered = l.deltas()[v]->gathered;
      }
      plan_.values.push_back(std::move(value));
      if (!l.has_window(static_cast<int>(v))) continue;
      plan_.window = std::max(plan_.window, l.window(static_cast<int>(v)));
    }
    for (const GraphLowering::Vector& v : l.vectors()) {
      plan_.vectors.push_back({v.parameter, v.copies, draft.at(v.slot)});
    }
    for (const GraphLowering::Feed& f : l.feeds()) {
      plan_.feeds.push_back({draft.at(f.slot), f.words, f.make});
    }
    plan_.lookups = l.lookups();
    plan_.choices = chosen_;
    plan_.choices.outputs_leave = l.outputs_leave();
    for (const Draft::Buffer& b : draft.buffers()) {
      plan_.blocks.push_back(
          {b.name, static_cast<uint32_t>(b.addr), static_cast<uint32_t>(b.bytes)});
    }
    const uint32_t stack = firmware_.symbol("ow_stack_top") - end_;
    plan_.used_bytes = static_cast<uint32_t>(best_->end) + stack;
  }

  // Whether no buffer that is used later lies over it. Of a forward pass alone a buffer has one
  // value.
  static bool stays(const Draft& draft, size_t buffer) {
    const Draft::Buffer& mine = draft.buffers()[buffer];
    return std::none_of(draft.buffers().begin(), draft.buffers().end(), [&](const auto& other) {
      return other.first != SIZE_MAX && other.first > mine.last &&
             other.addr < mine.addr + mine.bytes && mine.addr < other.addr + other.bytes;
    });
  }

  const std::string who_;
  const TrainingJob& job_;
  const Graph graph_;
  const ElfImage& firmware_;
  Plan plan_;
  const uint32_t begin_, end_;  // of the memory for the job
  std::optional<Placed> best_;
  std::optional<Need> least_;
  Choices chosen_;
  bool kept_ = false;
};

}  // namespace

Plan begin_plan(const TrainingJob& job, const TileConfig& tile) {
  Plan plan;
  plan.grid = {job.grid_rows, job.grid_cols};
  plan.tile = tile;
  plan.type = job.type;
  plan.loss = job.loss;
  plan.samples = job.samples;
  plan.layers = job.layers;
  const auto orders = [&](const std::vector<SumOrder>& of) {
    if (of.empty() || plan.grid.rows == 1) {
      return std::vector<SumOrder>(job.layers.size(), SumOrder::Column);
    }
    return of;
  };
  plan.forward = orders(job.forward);
  plan.delta = orders(job.delta);
  return plan;
}

int Plan::ring() const { return ring_of(samples, tile.lanes); }

bool Plan::all_kept() const {
  return std::all_of(values.begin(), values.end(),
                     [](const ValuePlan& v) { return v.addr == 0 || v.kept; });
}

void check_units(const std::string& who, HalfType type, const std::string& loss,
                 const TileConfig& tile) {
  using isa::reg::Features, isa::reg::Operations;
  const auto need = [&](uint32_t units, uint32_t mask, const char* what) {
    if ((units & mask) != 0) return;
    throw BadInput(fmt::format("{}: the tiles have no {}, which this {} needs", who, what,
                               loss.empty() ? "network" : "training"));
  };
  if (type == HalfType::Bfloat16) {
    need(tile.operations, Operations::Bfloat16::kMask,
         "arithmetic in bfloat16 (the limit is binary16)");
  }
  if (loss.empty()) return;
  need(tile.features, Features::Fp32::kMask, "arithmetic in fp32");
  need(tile.features, Features::DotwRows::kMask, "row ends in dotw");
  need(tile.operations, Operations::Int16::kMask, "16-bit integers");
  need(tile.operations, Operations::Compare::kMask, "comparisons");
  need(tile.operations, Operations::Reductions::kMask, "reductions");
  for (const LossUnit& unit : loss_part(loss).units) {
    const bool feature = unit.features != 0;
    need(feature ? tile.features : tile.operations, feature ? unit.features : unit.operations,
         unit.what);
  }
}

Plan make_plan(const std::string& who, const TrainingJob& job, const ElfImage& firmware,
               const TileConfig& tile, const std::optional<Choices>& choices) {
  Plan plan = begin_plan(job, tile);
  check_job(who, job, plan, firmware);
  Planner planner(who, job, firmware, std::move(plan));
  planner.fits(choices);
  return planner.take();
}

Plan make_forward_plan(const std::string& who, TrainingJob job, size_t count,
                       const ElfImage& firmware, const TileConfig& tile) {
  const bool chosen = job.samples != 0;
  if (!chosen) job.samples = most_samples(count, {job.grid_rows, job.grid_cols}, tile);
  for (;; job.samples -= tile.lanes) {
    Plan plan = begin_plan(job, tile);
    check_job(who, job, plan, firmware);
    Planner planner(who, job, firmware, std::move(plan));
    if (planner.fits({}) || chosen || job.samples == tile.lanes) return planner.take();
  }
}

Plan with_samples(const Plan& plan, TrainingJob job, int samples) {
  job.samples = samples;
  const Graph graph = graph_of(job);
  GraphLowering lowering(graph, job, plan.tile.lanes, plan.choices);
  Draft& draft = lowering.draft();
  for (size_t k = 0; k < draft.buffers().size(); ++k) draft.put({k, 0}, plan.blocks[k].addr);
  Plan fewer = plan;
  fewer.samples = samples;
  fewer.executable = executable_of(lowering, plan.executable.list_addr);
  return fewer;
}

std::vector<std::string> training_programs(const std::string& folder, HalfType type) {
  std::vector<std::string> paths = {folder + "/train.elf", folder + "/train_graph.elf"};
  const char* of_type = type == HalfType::Bfloat16 ? "_bf16" : "";
  for (const char* name : {"gpt", "gpt_vocabulary", "gpt_halves", "llama", "llama_vocabulary",
                           "llama_halves", "all"}) {
    paths.push_back(fmt::format("{}/train_{}{}.elf", folder, name, of_type));
  }
  return paths;
}

ElfImage program_of(const TrainingJob& job, const std::vector<std::string>& paths,
                    const TileConfig& tile) {
  TrainingJob least = job;
  if (least.samples == 0) least.samples = tile.lanes;
  const Graph graph = graph_of(least);
  const GraphLowering lowering(graph, least, tile.lanes, {});
  const Draft& draft = lowering.draft();
  ElfImage image;
  for (const std::string& path : paths) {
    image = read_elf(path, tile.sram_bytes);
    size_t has = 0;
    while (has < draft.phases() && has_kernel(image, draft.kernel(has))) ++has;
    if (has == draft.phases()) break;
  }
  return image;
}

}  // namespace ow::jobs
