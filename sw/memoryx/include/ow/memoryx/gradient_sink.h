// SPDX-License-Identifier: Apache-2.0
// The gradients of a micro-batch on their way into the store, number by number as they arrive from
// the grid rows. Only windows of the store are mapped, at most one a grid row, so no memory grows
// with the number of gradients.
//
// A schedule's steps of gradients say in which order a grid row sends them. Of a matrix it sends
// those of its inputs (i % rows), at the positions that the step streams: outputs owner by owner,
// each in ascending input, and then zeros until the step has whole groups of `lanes` numbers. Of a
// vector it sends its own elements in ascending order. Of a table it sends deltas, two in a number
// (tables.h). Grid rows need not keep step. Numbers of copies are held until all are there, and are
// then added in ascending order.
#ifndef OW_MEMORYX_GRADIENT_SINK_H_
#define OW_MEMORYX_GRADIENT_SINK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ow/memoryx/store.h"
#include "ow/memoryx/stream_schedule.h"
#include "ow/memoryx/tables.h"
#include "ow/memoryx/wafer_side.h"

namespace ow::memoryx {

struct GradientOptions {
  int rows = 1;   // of the grid
  int lanes = 1;  // the numbers of a matrix's step are filled up to a multiple of this
  const Tokens* tokens = nullptr;  // of the micro-batch; needed if the schedule has tables
};

// How many numbers each grid row sends in a micro-batch.
struct GradientCounts {
  std::vector<uint64_t> meant;
  std::vector<uint64_t> sent;  // with what fills up
};
GradientCounts gradient_counts(const WaferSide& memory, const StreamSchedule& schedule,
                               const GradientOptions& options);

class GradientSink {
 public:
  // For the micro-batch that comes next. `memory` must outlive it.
  GradientSink(WaferSide& memory, const StreamSchedule& schedule, const GradientOptions& options);

  // What a number was.
  struct Taken {
    bool filling = false;  // it only filled up a step
    size_t parameter = 0;
    bool updated = false;  // its weight is in the mask
  };
  // Takes the next number of a grid row. ProtocolError if the row has sent all.
  Taken take(int row, float value);
  // The grid row has sent all of its numbers.
  bool done(int row) const {
    const Row& at = rows_[static_cast<size_t>(row)];
    return at.step == steps_.size() && at.filling == 0;
  }
  // Adds the micro-batch to the step. ProtocolError if a grid row has not sent all.
  void finish();

 private:
  // Inputs first_input .. end_input - 1 of outputs first .. end - 1. A vector is one output.
  struct Step {
    size_t parameter;
    size_t width;  // inputs of an output
    int first;
    int end;
    int first_input;
    int end_input;
    bool matrix;
    bool masked;
    bool all;    // positions outside the mask, too
    bool again;  // an earlier step brought gradients of another use: these are added
    std::optional<size_t> table;  // of a table: its place in tables_
    std::optional<size_t> held;   // with copies: its place in held_
    size_t copies;
  };
  // Gradients of a parameter's copies, [copies][elements].
  struct Held {
    size_t parameter;
    size_t copies;
    std::vector<float> values;
  };
  struct Window {
    size_t parameter;
    size_t first;
    View<float> gradient;
    std::optional<View<uint8_t>> mask;

    bool has(size_t of, size_t element) const {
      return parameter == of && element >= first && element - first < gradient.size();
    }
  };
  // The next number of a grid row.
  struct Row {
    size_t step = 0;
    int owner = 0;
    int output = 0;
    int input = 0;
    uint64_t sent = 0;     // numbers of the step so far
    uint64_t filling = 0;  // numbers that still fill up the step before
    std::shared_ptr<Window> window;
  };

  void add_step(const StreamStep& step);
  bool came_before(const StreamStep& step, int first) const;
  void put_held();
  void begin_step(size_t r, Row* row) const;
  void settle(size_t r);
  bool find(size_t r, Row* row);
  bool in_mask(Row* row, const Step& step, size_t element);
  // The row has taken a number.
  Taken gone_on(size_t r, const Taken& taken);
  // Opens the window with an element of a parameter.
  const Window& window(Row* row, const Step& step, size_t element);

  WaferSide& memory_;
  const GradientOptions options_;
  const int slot_;
  std::vector<Step> steps_;
  std::vector<TableGradients> tables_;
  std::vector<Held> held_;
  std::vector<Row> rows_;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_GRADIENT_SINK_H_
