// SPDX-License-Identifier: Apache-2.0
// How a job runs on a grid: the phases of a training's step, or of a forward pass alone, and where
// everything is placed. Features, samples and sums round the column are as in placement.h.
//
// Phases and buffers are the kinds' (graph_lowering.h). A buffer takes its bytes only while it
// lives (draft.h). Deltas of a value lie over the value if nothing needs it any more. Deltas of a
// ReLU's value come in windows: a window of features lies in front of the activations, and a window
// of deltas replaces activations that have masked the window before. A window costs about 150
// cycles.
//
// A plan chooses how many features a window has and how many of a column a tile gathers at a time.
// Both change no bit. It takes as few windows as possible, then as large pieces as possible.
#ifndef OW_COMPILE_PLAN_H_
#define OW_COMPILE_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ow/compile/executable.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/placement.h"
#include "ow/graph/graph.h"
#include "ow/graph/training.h"
#include "ow/memoryx/stream_schedule.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/tile_config.h"
#include "ow/tensor/distribution.h"

namespace ow::jobs {

// Where a value of the graph and its deltas are, by byte address of a tile's SRAM. 0: nowhere.
struct ValuePlan {
  std::string name;
  int features = 0;
  uint32_t addr = 0;
  uint32_t delta_addr = 0;
  bool gathered = false;  // the grid row's own deltas stand among those of all rows
  bool kept = false;      // value and deltas are still there after the last phase
};

struct Plan {
  GridShape grid;
  TileConfig tile;
  HalfType type = HalfType::Binary16;
  std::string loss = kShortLoss;   // empty: a forward pass alone, whose results leave the grid
  int samples = 0;                 // a tile
  std::vector<LayerShape> layers;  // those with matrices
  std::vector<SumOrder> forward;   // of each of them
  std::vector<SumOrder> delta;     // of the deltas of its input
  Choices choices;
  // Features of a grid row in the largest window of deltas that some layer uses; 0: there is none.
  uint32_t window = 0;

  Executable executable;
  memoryx::TrainStreams streams;
  std::vector<ValuePlan> values;  // by the graph's values; the input is the first
  int output = 0;                 // the value that the loss takes
  uint32_t targets_addr = 0;
  // Parameters that stay in the tiles: fp32, those of the features that the grid row owns.
  struct Vector {
    size_t parameter = 0;
    int copies = 1;  // of each element
    uint32_t addr = 0;
  };
  std::vector<Vector> vectors;
  // What the host writes with the samples' tokens.
  struct Feed {
    uint32_t addr = 0;
    uint32_t words = 0;
    OfTokens make;
  };
  std::vector<Feed> feeds;
  std::vector<Lookup> lookups;
  // The blocks of a tile's memory, for people.
  struct Block {
    std::string name;
    uint32_t addr = 0;
    uint32_t bytes = 0;
  };
  std::vector<Block> blocks;
  uint32_t used_bytes = 0;  // of a tile's SRAM, program and stack included

  bool of_tokens() const { return !lookups.empty(); }
  int batch() const { return samples * grid.cols; }
  int ring() const;  // accumulator rows in use
  // Of a forward pass alone: the number of tiles of a grid row whose results leave at the west
  // edge. The others leave in the east.
  int west_columns() const { return grid.cols / 2; }
  // Whether all values that have memory are still there after the last phase.
  bool all_kept() const;
  int owned(int n, int row) const { return owned_elements(n, row, grid.rows); }
  // Of the grid row that owns most.
  uint64_t most_owned(int n) const { return static_cast<uint64_t>(owned(n, 0)); }
};

// BadInput, one line that begins with `who`, if the tiles lack a unit that this type and loss need.
// Without a loss only the type counts.
void check_units(const std::string& who, HalfType type, const std::string& loss,
                 const TileConfig& tile);

// The share of a layer's weights in its mask at a step; for a static mask, at step 0. kForever:
// what the schedule comes to in the end (memoryx::value_at_last).
double density_at(const TrainingJob& job, size_t layer, uint64_t step);
// The weights of a layer that are left in the end; for a static mask, at step 0.
uint64_t kept_at_last(const TrainingJob& job, size_t layer);

// Gives the job an order of sums for each pass (N12). The orders are a rule of the network, the
// grid and the samples of a tile: the one that takes fewer cycles on a `full` tile (sum_order.h).
// They are the same on any tile, so the bits of a training do not depend on lanes or memory. A job
// that already names orders (key train.sums) is unchanged. The orders hold for the whole training,
// whatever its masks do, so they use the densities at the end of the schedules.
//
// Whole sums need room for the inputs of a column in each tile, besides all that a step keeps, a
// quarter of the widest deltas and kProgramBytes for the program. The program's real length is not
// used, so the order does not depend on a compiler. Without that room in 48 kB, sums go round the
// column. So they do in a network of tokens, which keeps more. On one grid row both orders are the
// same and are called Column. A tile that has less room than the orders need is refused by
// make_plan.
constexpr uint32_t kProgramBytes =
    8192;  // of a tile's SRAM, with stack: no program of a chain is longer
TrainingJob with_sum_orders(TrainingJob job);

// A plan with what the job says, but without phases. On one grid row all sums go round the column.
Plan begin_plan(const TrainingJob& job, const TileConfig& tile);

// BadInput, which begins with `who`, if the job does not fit the machine: samples not a multiple of
// the lanes or above the accumulator's row; too few colours or threads; a missing unit; a kind that
// tiles cannot train; more bytes than a tile has, with those of the largest buffers; whole sums of
// more features than can be gathered. With `choices` the plan has these, or is refused.
Plan make_plan(const std::string& who, const TrainingJob& job, const ElfImage& firmware,
               const TileConfig& tile, const std::optional<Choices>& choices = std::nullopt);

// The plan of a forward pass alone: a job without a loss. If the job's samples are 0, it has as
// many as fit, but no more than `count` samples on the whole grid need. BadInput as
// make_plan, and for more results than a tile can relay to the edge.
Plan make_forward_plan(const std::string& who, TrainingJob job, size_t count,
                       const ElfImage& firmware, const TileConfig& tile);

// The same places for fewer samples a tile. `job` is the plan's.
Plan with_samples(const Plan& plan, TrainingJob job, int samples);

// The programs of trainings in the firmware's folder that are for a type, the smallest first.
std::vector<std::string> training_programs(const std::string& folder, HalfType type);

// The first of these programs that has all kernels of a job, or else the last one. BadInput as
// read_elf, and as GraphLowering.
ElfImage program_of(const TrainingJob& job, const std::vector<std::string>& paths,
                    const TileConfig& tile);

// The most wavelets of a micro-batch's streams for a grid row: nothing pruned, either order of
// sums.
uint64_t train_stream_limit(const Plan& plan);

// More cycles than any step of one micro-batch takes. A longer step is a hang.
uint64_t train_cycle_limit(const Plan& plan);

}  // namespace ow::jobs

#endif  // OW_COMPILE_PLAN_H_
