// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/train_plan.h"
#include "ow/compile/lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/compile/sum_order.h"
#include "ow/firmware/train.h"
#include "ow/memoryx/schedule.h"
#include "ow/memoryx/sparsity.h"

namespace ow::jobs {
namespace {

constexpr uint64_t kAlign = 64;  // bytes: the SRAM's banks repeat
constexpr int kAccWordsPerLane = 16;
constexpr int kThreads = 4;  // the task thread, the weights', the drain's, the gathering one's
constexpr uint64_t kMaxElements = 65535;  // limit of a descriptor, and of the rows of a drain
constexpr uint64_t kFewRows = 64;         // of a gradient's piece: with fewer, more time goes by
                                          // beside the products
constexpr uint64_t kWindows = 4;          // of the deltas, at most, for the sake of whole sums

uint64_t up(uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

void check_job(const std::string& who, const TrainingJob& job, const TrainPlan& plan,
               const ElfImage& firmware) {
  const TileConfig& tile = plan.tile;
  if (job.layers.size() > OW_TR_MAX_LAYERS) {
    throw BadInput(fmt::format("{}: {} layers: the tiles' program takes 1 to {}", who,
                               job.layers.size(), OW_TR_MAX_LAYERS));
  }
  if (job.samples % tile.lanes != 0 || job.samples > kAccWordsPerLane * tile.lanes) {
    throw BadInput(
        fmt::format("{}: {} samples a tile: must be a multiple of the {} lanes, the "
                    "limit is {} (a row of the accumulator cache)",
                    who, job.samples, tile.lanes, kAccWordsPerLane * tile.lanes));
  }
  if (tile.threads < kThreads || tile.colours < plan.colours.count) {
    throw BadInput(fmt::format(
        "{}: {} x {} tiles need {} threads and {} colours, the limits are {} and {}", who,
        plan.grid.rows, plan.grid.cols, kThreads, plan.colours.count, tile.threads, tile.colours));
  }
  check_units(who, job.type, job.loss, tile);
  // Symbols that host and program share. Check them all now, not when one is missed.
  for (const char* symbol : {"ow_train_params", "ow_train_run", "ow_train_times"}) {
    firmware.symbol(symbol);
  }
  if (firmware.symbol("ow_stack_top") > tile.sram_bytes) {
    throw BadInput(fmt::format("{}: is built for tiles of {} bytes, the limit here is {}",
                               firmware.path, firmware.symbol("ow_stack_top"), tile.sram_bytes));
  }
}

uint64_t local(const TrainPlan& plan, int features) {
  return static_cast<uint64_t>(plan.owned(features, 0));
}

// Bytes of the samples of one feature.
uint64_t pitch(const TrainPlan& plan) { return 2 * static_cast<uint64_t>(plan.samples); }

// Bytes of the work area for the loss.
uint64_t loss_bytes(const TrainPlan& plan) {
  const auto n = static_cast<uint64_t>(plan.samples);
  const uint64_t outputs = local(plan, plan.layers.back().outputs);
  return up(4 * n * (OW_TR_LOSS_ROWS + loss_part(plan.loss).rows_an_output * outputs));
}

// Lays out what a step keeps and the least work area, from `at` on. The window has `window`
// features; with `own` there is also room for the last tensor's deltas. Returns the end.
uint64_t place(TrainPlan* plan, uint64_t at, uint64_t window, bool own) {
  const auto take = [&at](uint64_t bytes) {
    const uint64_t here = at;
    at = up(at + bytes);
    return static_cast<uint32_t>(std::min<uint64_t>(here, UINT32_MAX));
  };
  const auto features = [plan](size_t k) {
    return pitch(*plan) * local(*plan, plan->tensors[k].features);
  };
  at = up(at);
  plan->bias_addr.clear();
  for (const LayerShape& layer : plan->layers) {
    plan->bias_addr.push_back(take(layer.bias ? 4 * local(*plan, layer.outputs) : 0));
  }
  const size_t last = plan->layers.size();
  const bool classes = targets_of(plan->loss) == TargetForm::Classes;
  plan->targets_addr = take(classes ? 4 * static_cast<uint64_t>(plan->samples) : features(last));
  plan->tensors[last].addr = take(features(last));
  if (own) plan->tensors[last].delta_addr = classes ? take(features(last)) : plan->targets_addr;
  plan->window = static_cast<uint32_t>(window);
  take(window * pitch(*plan));
  for (size_t k = last; k-- > 0;) {
    TensorPlan& tensor = plan->tensors[k];
    tensor.addr = take(features(k));
    if (k > 0) tensor.delta_addr = tensor.addr - static_cast<uint32_t>(window * pitch(*plan));
  }
  const uint64_t work = loss_bytes(*plan);
  plan->work_addr = take(work);
  plan->work_words = static_cast<uint32_t>(std::min(work / 4, kMaxElements));
  plan->gather_addr = static_cast<uint32_t>(std::min<uint64_t>(at, UINT32_MAX));
  return at;
}

// Maxima over all layers.
struct Widths {
  uint64_t inputs = 1;    // per grid row
  uint64_t outputs = 1;   // of the grid
  uint64_t deltas = 0;    // that a pass gives, per grid row
  uint64_t gathered = 0;  // that passes with whole sums gather first, of the grid
};

Widths widths_of(const TrainPlan& plan) {
  Widths w;
  const auto gather = [&w](SumOrder order, int features) {
    if (order == SumOrder::Whole)
      w.gathered = std::max(w.gathered, static_cast<uint64_t>(features));
  };
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    const LayerShape& layer = plan.layers[k];
    w.inputs = std::max(w.inputs, local(plan, layer.inputs));
    w.outputs = std::max(w.outputs, static_cast<uint64_t>(layer.outputs));
    gather(plan.forward[k], layer.inputs);
    if (k == 0) continue;
    w.deltas = std::max(w.deltas, local(plan, layer.inputs));
    gather(plan.delta[k], layer.outputs);
  }
  return w;
}

// The most features that a tile can gather. Its rounds are counted in 16-bit elements, and the
// products of a piece in rows of the reducer.
uint64_t most_gathered(const TrainPlan& plan, const Widths& w) {
  const uint64_t drained = kMaxElements * static_cast<uint64_t>(plan.tile.lanes) / w.inputs;
  return std::min(drained, kMaxElements / static_cast<uint64_t>(plan.samples));
}

// Shares the rest of the memory between the window and the gathered features. There is one window
// for all features if that leaves room for the gathered features that a pass needs, or for a piece
// of useful size. Otherwise there are as few windows as possible. Returns the bytes used, or the
// bytes needed if even the least does not fit. BadInput, which begins with `who`, if whole sums
// need more features than can be gathered.
uint64_t place_all(const std::string& who, TrainPlan* plan, uint64_t begin, uint64_t end) {
  const Widths w = widths_of(*plan);
  const bool several = plan->grid.rows > 1;  // a column of one tile gathers nothing
  const uint64_t row = pitch(*plan), most = most_gathered(*plan, w);
  // If all deltas are gathered at once they are made in place.
  TensorPlan& last = plan->tensors.back();
  const auto outputs = static_cast<uint64_t>(last.features);
  const bool own = w.gathered < outputs;
  const uint64_t fixed = place(plan, begin, 0, own);
  const uint64_t least = std::max<uint64_t>(w.gathered, several ? 1 : 0);
  const uint64_t need = fixed + (least + std::min<uint64_t>(w.deltas, 1)) * row + kAlign;
  if (need > end) return need;
  if (w.gathered > most) {
    throw BadInput(fmt::format(
        "{}: a pass with whole sums gathers {} features of a column in each tile, the limit is {}",
        who, w.gathered, most));
  }
  const uint64_t rows = (end - fixed - kAlign) / row;
  uint64_t gathered =
      std::min({std::max(kFewRows, w.gathered), std::max(w.outputs, w.gathered), most});
  if (gathered > rows / 2) gathered = std::max(least, rows / 2);
  if (!several) gathered = 0;
  uint64_t window = w.deltas;
  for (uint64_t count = 2; window > rows - gathered; ++count) {
    window = (w.deltas + count - 1) / count;
    if (window == 1) break;
  }
  uint64_t at = place(plan, begin, window, own);
  const uint64_t wanted = std::min(std::max(w.outputs, w.gathered), most);
  if (!several) {
    plan->gather_rows = static_cast<uint32_t>(wanted);
    return at;
  }
  uint64_t rows_gathered = std::min(wanted, (end - at) / row);
  plan->last_gathered = rows_gathered >= outputs;
  if (plan->last_gathered) {
    if (own) {  // there is room for all of them: their own place becomes free
      at = place(plan, begin, window, false);
      rows_gathered = std::min(wanted, (end - at) / row);
    }
    last.delta_addr = plan->gather_addr;
  }
  plan->gather_rows = static_cast<uint32_t>(rows_gathered);
  return at + row * rows_gathered;
}

}  // namespace

TrainPlan begin_train_plan(const TrainingJob& job, const TileConfig& tile) {
  TrainPlan plan;
  plan.grid = {job.grid_rows, job.grid_cols};
  plan.tile = tile;
  plan.type = job.type;
  plan.loss = job.loss;
  plan.samples = job.samples;
  plan.layers = job.layers;
  plan.colours = choose_colours(plan.grid);
  // Every tile of a grid row sends to the west, where a run's results leave at both edges.
  if (plan.grid.cols == 2) plan.colours.result[1] = plan.colours.count++;
  plan.tensors.push_back({job.layers.front().inputs, 0, 0});
  for (const LayerShape& layer : job.layers) plan.tensors.push_back({layer.outputs, 0, 0});
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

int TrainPlan::ring() const { return kAccWordsPerLane * tile.lanes / samples; }

void check_units(const std::string& who, HalfType type, const std::string& loss,
                 const TileConfig& tile) {
  using isa::reg::Features, isa::reg::Operations;
  const auto need = [&](uint32_t units, uint32_t mask, const char* what) {
    if ((units & mask) != 0) return;
    throw BadInput(fmt::format("{}: the tiles have no {}, which this training needs", who, what));
  };
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
  if (type == HalfType::Bfloat16) {
    need(tile.operations, Operations::Bfloat16::kMask, "arithmetic in bfloat16");
  }
}

double density_at(const TrainingJob& job, size_t layer, uint64_t step) {
  const LayerShape& shape = job.layers[layer];
  memoryx::TensorSpec spec;
  spec.name = weight_name(shape, layer);
  spec.shape = {static_cast<uint64_t>(shape.outputs), static_cast<uint64_t>(shape.inputs)};
  const int at = memoryx::group_of(job.sparsity, spec);
  if (at < 0) return 1;
  const SparsityGroup& group = job.sparsity[static_cast<size_t>(at)];
  if (step == kForever && group.algorithm != SparsityGroup::Algorithm::Static) {
    return memoryx::value_at_last(group.density);
  }
  const bool fixed = group.algorithm == SparsityGroup::Algorithm::Static;
  if (step == 0 && group.init == SparsityGroup::Init::Zeros) return 0;
  if (step == 0 && group.init == SparsityGroup::Init::Dense) return 1;
  return memoryx::value_at(group.density, fixed ? 0 : step);
}

uint64_t kept_at_last(const TrainingJob& job, size_t layer) {
  const LayerShape& shape = job.layers[layer];
  const double all = static_cast<double>(shape.outputs) * static_cast<double>(shape.inputs);
  return static_cast<uint64_t>(density_at(job, layer, kForever) * all);
}

TrainingJob with_sum_orders(TrainingJob job) {
  if (!job.forward.empty() || !job.delta.empty() || job.layers.empty()) return job;
  job.forward.assign(job.layers.size(), SumOrder::Column);
  job.delta = job.forward;
  if (job.grid_rows < 2 || job.samples < kFullTile.lanes) return job;
  TrainPlan plan = begin_train_plan(job, kFullTile);
  const Widths w = widths_of(plan);
  const uint64_t end = kFullTile.sram_bytes;
  const uint64_t window = (w.deltas + kWindows - 1) / kWindows;
  uint64_t kept = place(&plan, kProgramBytes, window, true) + kAlign;
  // The order of sums fixes the bits. So it must not change although values now share a place with
  // the last deltas.
  if (targets_of(job.loss) == TargetForm::Values) {
    kept += up(pitch(plan) * local(plan, job.layers.back().outputs));
  }
  const uint64_t room = kept < end ? (end - kept) / pitch(plan) : 0;
  const uint64_t most = std::min(room, most_gathered(plan, w));
  const auto choose = [&](size_t k, int inputs, int outputs, bool gathered) {
    const SumPass pass{job.grid_rows, job.samples,          kFullTile.lanes, inputs,
                       outputs,       kept_at_last(job, k), gathered};
    const bool fits = static_cast<uint64_t>(inputs) <= most;
    return fits && whole_cycles(pass) < column_cycles(pass) ? SumOrder::Whole : SumOrder::Column;
  };
  for (size_t k = 0; k < job.layers.size(); ++k) {
    const LayerShape& layer = job.layers[k];
    job.forward[k] = choose(k, layer.inputs, layer.outputs, false);
    // The inputs of this pass are the deltas that the gradient pass has gathered.
    if (k > 0) job.delta[k] = choose(k, layer.outputs, layer.inputs, true);
  }
  return job;
}

TrainPlan make_train_plan(const std::string& who, const TrainingJob& job, const ElfImage& firmware,
                          const TileConfig& tile) {
  TrainPlan plan = begin_train_plan(job, tile);
  check_job(who, job, plan, firmware);
  const uint32_t end = firmware.symbol("ow_heap_end");
  const uint32_t stack = firmware.symbol("ow_stack_top") - end;
  const uint64_t used = place_all(who, &plan, firmware.symbol("ow_heap"), end);
  if (used > end) {
    throw BadInput(fmt::format(
        "{}: training layers {} with {} samples a tile on {} grid rows needs {} bytes of a tile, "
        "the limit is {}",
        who, sizes_text(job.layers), job.samples, job.grid_rows, used + stack, end + stack));
  }
  plan.used_bytes = static_cast<uint32_t>(used + stack);
  return plan;
}

uint64_t train_stream_limit(const TrainPlan& plan) {
  uint64_t wavelets = 0;
  // Wavelets of all outputs with their ends. A grid row gets its own inputs of all outputs, or all
  // inputs of its own outputs.
  const auto column = [&](int inputs, int outputs) {
    return static_cast<uint64_t>(outputs) * (local(plan, inputs) + 1);
  };
  const auto either = [&](int inputs, int outputs) {
    return std::max(column(inputs, outputs),
                    local(plan, outputs) * (static_cast<uint64_t>(inputs) + 1));
  };
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    const LayerShape& layer = plan.layers[k];
    const uint64_t piece = std::max<uint64_t>(plan.gather_rows, 1);
    const uint64_t heads = (static_cast<uint64_t>(layer.outputs) + piece - 1) / piece;
    wavelets += either(layer.inputs, layer.outputs) + column(layer.inputs, layer.outputs) + heads;
    if (k > 0) wavelets += either(layer.outputs, layer.inputs);
  }
  return wavelets;
}

uint64_t train_cycle_limit(const TrainPlan& plan) {
  constexpr uint64_t kStart = 1000000;
  constexpr uint64_t kTimes = 8;
  constexpr uint64_t kAnOutput = 400;
  const auto samples = static_cast<uint64_t>(plan.samples);
  const uint64_t beats = samples / static_cast<uint64_t>(plan.tile.lanes);
  const auto columns = static_cast<uint64_t>(plan.grid.cols);
  // Samples and targets come in through all edges; this limit is enough for a single port.
  uint64_t limit =
      kStart + kTimes * samples * columns *
                   static_cast<uint64_t>(plan.layers.front().inputs + plan.layers.back().outputs);
  for (const LayerShape& layer : plan.layers) {
    const auto inputs = static_cast<uint64_t>(layer.inputs);
    const auto outputs = static_cast<uint64_t>(layer.outputs);
    const uint64_t rows = static_cast<uint64_t>(plan.grid.rows);
    limit += kTimes * (3 * (inputs / rows + 1) * (outputs + rows) * beats +
                       (inputs + outputs) * samples + outputs * kAnOutput);
  }
  return limit;
}

}  // namespace ow::jobs
