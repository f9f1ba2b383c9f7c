// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/gradient_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ow/base/error.h"
#include "ow/tensor/distribution.h"

namespace ow::memoryx {

namespace {

// The first number from `from` on that belongs to grid row `row`.
int first_owned(int from, int row, int rows) { return from + ((row - from) % rows + rows) % rows; }

uint64_t filled(uint64_t count, int lanes) {
  const auto whole = static_cast<uint64_t>(lanes);
  return (count + whole - 1) / whole * whole;
}

struct Extent {
  int first;
  int end;
};

// Elements of a step along the dimension that it cuts.
Extent extent_of(const StreamStep& step, uint64_t size) {
  const auto all = static_cast<int>(size);
  const int end = step.count > 0 ? step.first + step.count : all;
  if (step.first < 0 || end > all || end <= step.first) {
    throw InternalError("a step of gradients outside its parameter");
  }
  return {step.first, end};
}

// Counts the mask's positions of outputs by grid row.
void count_mask(const Store& store, size_t tensor, const Extent& outputs, size_t width,
                std::vector<uint64_t>* counts) {
  const size_t begin = static_cast<size_t>(outputs.first) * width;
  const size_t end = static_cast<size_t>(outputs.end) * width;
  const size_t rows = counts->size();
  for (size_t first = begin; first < end; first += store.window()) {
    const View<uint8_t> mask = store.mask(tensor, first, std::min(store.window(), end - first));
    for (size_t k = 0; k < mask.size();) {
      const size_t input = (first + k) % width;
      const size_t stop = std::min(mask.size(), k + width - input);
      for (size_t i = input; k < stop; ++k, ++i) (*counts)[i % rows] += mask[k];
    }
  }
}

}  // namespace

GradientCounts gradient_counts(const WaferSide& memory, const StreamSchedule& schedule,
                               const GradientOptions& options) {
  const auto rows = static_cast<size_t>(options.rows);
  GradientCounts counts{std::vector<uint64_t>(rows, 0), std::vector<uint64_t>(rows, 0)};
  const Store& store = memory.store();
  for (const StreamStep& step : schedule) {
    if (sends_weights(step)) continue;
    const TensorSpec& spec = store.spec(step.parameter);
    const auto copies = static_cast<uint64_t>(step.copies);
    const Extent extent = extent_of(step, spec.shape.front() * copies);
    const bool all = step.pass == Pass::GradientOfAll || memory.needs_dense(step.parameter);
    std::vector<uint64_t> of_step(rows, 0);
    const bool table = step.pass == Pass::Rows;
    for (size_t r = 0; r < rows; ++r) {
      const auto own = [&](int n) {
        return static_cast<uint64_t>(owned_elements(n, static_cast<int>(r), options.rows));
      };
      if (table) {
        of_step[r] = TableGradients::pairs(memory.job(), spec.shape[1], static_cast<int>(r));
      } else if (!spec.matrix()) {
        of_step[r] = own(extent.end) - own(extent.first);
      } else if (all || !spec.masked) {
        of_step[r] =
            static_cast<uint64_t>(extent.end - extent.first) * own(static_cast<int>(spec.shape[1]));
      }
    }
    for (int j = extent.first; spec.masked && !all && j < extent.end; j += step.copies) {
      const int row = j / step.copies;
      const int same = std::min(extent.end, (row + 1) * step.copies) - j;
      for (int copy = 0; copy < same; ++copy) {
        count_mask(store, step.parameter, {row, row + 1}, spec.shape[1], &of_step);
      }
    }
    for (size_t r = 0; r < rows; ++r) {
      counts.meant[r] += of_step[r];
      counts.sent[r] += spec.matrix() && !table ? filled(of_step[r], options.lanes) : of_step[r];
    }
  }
  return counts;
}

GradientSink::GradientSink(WaferSide& memory, const StreamSchedule& schedule,
                           const GradientOptions& options)
    : memory_(memory),
      options_(options),
      slot_(memory.gradient_slot()),
      rows_(static_cast<size_t>(options.rows)) {
  for (const StreamStep& step : schedule) {
    if (!sends_weights(step)) add_step(step);
  }
  for (size_t r = 0; r < rows_.size(); ++r) {
    begin_step(r, &rows_[r]);
    settle(r);
  }
}

bool GradientSink::came_before(const StreamStep& step, int first) const {
  const bool matrix = memory_.store().spec(step.parameter).matrix();
  return std::any_of(steps_.begin(), steps_.end(), [&](const Step& other) {
    if (other.parameter != step.parameter || other.held) return false;
    return matrix ? other.first <= first && first < other.end
                  : other.first_input <= first && first < other.end_input;
  });
}

void GradientSink::add_step(const StreamStep& step) {
  const TensorSpec& spec = memory_.store().spec(step.parameter);
  const auto copies = static_cast<size_t>(step.copies);
  const auto [first, end] = extent_of(step, spec.shape.front() * copies);
  const bool again = came_before(step, first);
  std::optional<size_t> held;
  if (copies > 1) {
    if (first == 0) {
      held_.push_back({step.parameter, copies, std::vector<float>(spec.elements() * copies)});
    }
    held = held_.size() - 1;
  }
  if (step.pass == Pass::Rows) {
    if (options_.tokens == nullptr) throw InternalError("gradients of a table without tokens");
    tables_.emplace_back(memory_.store(), memory_.job(), step, *options_.tokens);
    steps_.push_back({step.parameter, spec.shape[1], first, end, 0, 0, false, false, true, again,
                      tables_.size() - 1, held, copies});
  } else if (spec.matrix()) {
    const bool all = step.pass == Pass::GradientOfAll || memory_.needs_dense(step.parameter);
    steps_.push_back({step.parameter, spec.shape[1], first, end, 0, static_cast<int>(spec.shape[1]),
                      true, spec.masked, all || !spec.masked, again, std::nullopt, held, copies});
  } else {
    steps_.push_back({step.parameter, spec.elements(), 0, 1, first, end, false, false, true, again,
                      std::nullopt, held, copies});
  }
}

void GradientSink::begin_step(size_t r, Row* row) const {
  row->sent = 0;
  if (row->step == steps_.size()) {
    row->window.reset();
    return;
  }
  const Step& step = steps_[row->step];
  row->owner = 0;
  row->output = first_owned(step.first, 0, options_.rows);
  row->input = first_owned(step.first_input, static_cast<int>(r), options_.rows);
}

// Goes on to the row's next number.
void GradientSink::settle(size_t r) {
  Row& row = rows_[r];
  while (row.filling == 0 && row.step < steps_.size() && !find(r, &row)) {
    if (steps_[row.step].matrix) row.filling = filled(row.sent, options_.lanes) - row.sent;
    ++row.step;
    begin_step(r, &row);
  }
}

// The next position of the step from the current place on. False if there is none.
bool GradientSink::find(size_t r, Row* row) {
  const Step& step = steps_[row->step];
  const int rows = options_.rows;
  if (step.table) return row->sent < tables_[*step.table].pairs(static_cast<int>(r));
  for (; row->owner < rows;) {
    for (; row->output < step.end; row->output += rows) {
      const size_t begin = static_cast<size_t>(row->output) / step.copies * step.width;
      for (; row->input < step.end_input; row->input += rows) {
        if (step.all) return true;
        const size_t element = begin + static_cast<size_t>(row->input);
        if (in_mask(row, step, element)) return true;
      }
      row->input = first_owned(step.first_input, static_cast<int>(r), rows);
    }
    ++row->owner;
    row->output = first_owned(step.first, row->owner, rows);
  }
  return false;
}

bool GradientSink::in_mask(Row* row, const Step& step, size_t element) {
  const Window& at = window(row, step, element);
  return (*at.mask)[element - at.first] != 0;
}

const GradientSink::Window& GradientSink::window(Row* row, const Step& step, size_t element) {
  if (row->window != nullptr && row->window->has(step.parameter, element)) return *row->window;
  row->window.reset();
  for (const Row& other : rows_) {  // grid rows that keep step share one
    if (other.window != nullptr && other.window->has(step.parameter, element)) {
      row->window = other.window;
      return *row->window;
    }
  }
  const Store& store = memory_.store();
  const size_t first = element / store.window() * store.window();
  const size_t count = std::min(store.window(), store.spec(step.parameter).elements() - first);
  std::optional<View<uint8_t>> mask;
  if (step.masked) mask.emplace(store.mask(step.parameter, first, count));
  row->window = std::make_shared<Window>(Window{
      step.parameter, first, store.gradient(step.parameter, slot_, first, count), std::move(mask)});
  return *row->window;
}

GradientSink::Taken GradientSink::take(int row, float value) {
  const auto r = static_cast<size_t>(row);
  Row& at = rows_[r];
  if (at.filling > 0) {
    --at.filling;
    settle(r);
    return {true, 0, false};
  }
  if (done(row)) throw ProtocolError(fmt::format("grid row {}: more gradients than it has", row));
  const Step& step = steps_[at.step];
  if (step.table) {
    uint32_t pair;
    std::memcpy(&pair, &value, sizeof pair);
    tables_[*step.table].take(row, at.sent++, pair);
    settle(r);
    return {false, step.parameter, true};
  }
  const auto output = static_cast<size_t>(at.output), input = static_cast<size_t>(at.input);
  const size_t element =
      step.matrix ? output / step.copies * step.width + input : input / step.copies;
  if (step.held) {
    Held& held = held_[*step.held];
    const size_t copy = (step.matrix ? output : input) % step.copies;
    held.values[copy * (held.values.size() / step.copies) + element] = value;
    const bool kept = !step.masked || in_mask(&at, step, element);
    return gone_on(r, {false, step.parameter, kept});
  }
  const Window& to = window(&at, step, element);
  float& gradient = to.gradient[element - to.first];
  gradient = step.again ? value + gradient : value;
  const bool updated = !to.mask || (*to.mask)[element - to.first] != 0;
  return gone_on(r, {false, step.parameter, updated});
}

GradientSink::Taken GradientSink::gone_on(size_t r, const Taken& taken) {
  Row& at = rows_[r];
  ++at.sent;
  at.input += options_.rows;
  settle(r);
  return taken;
}

// N129, then N115.
void GradientSink::put_held() {
  const Store& store = memory_.store();
  for (size_t k = 0; k < held_.size(); ++k) {
    const Held& held = held_[k];
    const auto same = [&](const auto& other) { return other.parameter == held.parameter; };
    const bool again =
        std::any_of(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(k), same) ||
        std::any_of(steps_.begin(), steps_.end(),
                    [&](const Step& step) { return !step.held && same(step); });
    const size_t elements = held.values.size() / held.copies;
    store.each_window(held.parameter, [&](size_t first, size_t count) {
      const View<float> gradient = store.gradient(held.parameter, slot_, first, count);
      for (size_t i = 0; i < count; ++i) {
        float sum = held.values[first + i];
        for (size_t c = 1; c < held.copies; ++c) sum += held.values[c * elements + first + i];
        gradient[i] = again ? sum + gradient[i] : sum;
      }
    });
  }
}

void GradientSink::finish() {
  for (int r = 0; r < options_.rows; ++r) {
    if (!done(r)) throw ProtocolError(fmt::format("grid row {}: fewer gradients than it has", r));
  }
  for (const Step& step : steps_) {
    if (step.table) tables_[*step.table].put(slot_, step.again);
  }
  put_held();
  memory_.gradient_added();
}

}  // namespace ow::memoryx
