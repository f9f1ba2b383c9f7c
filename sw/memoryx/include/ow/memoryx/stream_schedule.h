// SPDX-License-Identifier: Apache-2.0
// Which streams a wafer takes, in their order. The compiler makes the schedule from its plan;
// MemoryX and SwarmX follow it and know nothing of layers.
#ifndef OW_MEMORYX_STREAM_SCHEDULE_H_
#define OW_MEMORYX_STREAM_SCHEDULE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "ow/graph/training.h"

namespace ow::memoryx {

// What a step sends of a matrix [rows, columns].
//   Forward: its weights; its rows are the outputs.
//   Delta: the weights of its transpose; its columns are the outputs.
//   Gradient: the positions of its mask (all if it has none), without weights. All positions if the
//     training's step needs gradients outside the mask (WaferSide::needs_dense).
//   GradientOfAll: all positions.
// Of a table nothing is streamed by itself: its rows are in the tiles with the samples.
//   Rows: what leaves are the deltas of the value that was looked up (gradient_sink.h).
enum class Pass { Forward, Delta, Gradient, GradientOfAll, Rows };

// Outputs first .. first + count - 1 of a pass over a parameter. They end with a stream end. A
// vector has no stream: it is in the tiles before the stream, and a step of it sends nothing.
// With copies, each output of a matrix and each element of a vector stands there so often, one next
// to the other (docs/numerics.md, N129), and outputs are counted with them.
struct StreamStep {
  size_t parameter = 0;  // number in the store; Rows: of the table of tokens
  Pass pass = Pass::Forward;
  SumOrder order = SumOrder::Column;  // of weights; positions are the same in both
  int first = 0;
  int count = 0;                                   // 0: all outputs from `first` on
  std::optional<size_t> positions = std::nullopt;  // Rows: the table of positions
  int copies = 1;
};
bool operator==(const StreamStep& a, const StreamStep& b);

using StreamSchedule = std::vector<StreamStep>;

// Whether it sends weights, and not only positions.
bool sends_weights(const StreamStep& step);

// Whether the two steps are parts of one pass over a parameter.
bool same_pass(const StreamStep& a, const StreamStep& b);

// The pass of each step, counted from 0: a pass is a run of steps of which same_pass is true.
std::vector<size_t> passes_of(const StreamSchedule& schedule);

// The parameters of which the schedule sends weights, each once, in the order in which they are
// taken first.
std::vector<size_t> taken_first(const StreamSchedule& schedule);

// How wavelets are made.
struct StreamOptions {
  int rows = 1;        // of the grid
  bool dense = false;  // zeros are sent, too
  // Wavelets of all grid rows together that may be made ahead of the slowest row. One batch of
  // outputs is always allowed.
  size_t depth = size_t{1} << 20;
};

// The streams of a training.
struct TrainStreams {
  StreamOptions options;
  StreamSchedule step;     // of a micro-batch: all passes
  StreamSchedule forward;  // of samples that are only evaluated
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_STREAM_SCHEDULE_H_
