// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/graph_lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/compile/lowering.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
namespace {

size_t index(int value) { return static_cast<size_t>(value); }

const Lowering& lowering_of(const Op& op) { return *find_lowering(op.kind); }

void check_kind(const Op& op, bool trains) {
  const Lowering* kind = find_lowering(op.kind);
  if (kind != nullptr && (kind->finish != nullptr || kind->loss != nullptr)) return;
  if (kind != nullptr && (trains ? kind->backward : kind->forward) != nullptr) return;
  throw BadInput(fmt::format("{}: no program of the tiles {} layers of the kind {}", op.where,
                             trains ? "trains" : "runs", op.kind));
}

}  // namespace

GraphLowering::GraphLowering(const Graph& graph, const TrainingJob& job, int lanes,
                             const Choices& choices)
    : graph_(graph),
      job_(job),
      lanes_(lanes),
      choices_(choices),
      draft_(job.grid_rows),
      values_(graph.values.size()),
      deltas_(graph.values.size()),
      masked_(graph.values.size(), false),
      moves_(graph.values.size(), false) {
  for (const Op& op : graph.ops) {
    check_kind(op, graph.has_loss());
    if (op.value < 0) continue;
    moves_[index(op.value)] =
        !op.parameters.empty() ||
        std::any_of(op.input_values.begin(), op.input_values.end(),
                    [this](int value) { return value >= 0 && moves_[index(value)]; });
  }
  for (size_t p = 0; p < graph.parameters.size(); ++p) {
    // Their gradients are added in the order of the uses (N115), and come in the other one.
    constexpr size_t kMostUses = 2;
    size_t uses = 0;
    for (const Op& op : graph.ops) {
      uses += static_cast<size_t>(std::count(op.parameters.begin(), op.parameters.end(), p));
      if (uses > kMostUses) {
        throw BadInput(fmt::format("{}: shares '{}', which {} layers have already, the limit is {}",
                                   op.where, graph.parameters[p].name, kMostUses, kMostUses));
      }
    }
  }
  find_finishes();
  if (graph.values.front().element == Value::Element::Number) {
    values_[0] = draft_.buffer(kInputTensor, bytes(0));
    draft_.born(*values_[0]);
    if (graph.has_loss()) draft_.kept(*values_[0]);
  }
  forward();
  forward_ = draft_.phases();
  step_streams_ = forward_streams_;
  if (graph.has_loss()) {
    find_parts();
    loss();
    backward();
  } else {
    send(output(), {value(output()), false}, false, false);
  }
}

uint32_t GraphLowering::features(int value) const {
  return static_cast<uint32_t>(graph_.values[index(value)].features);
}

uint32_t GraphLowering::at(const Rows& rows, int value, int row) const {
  return at(rows.slot) + (rows.gathered ? dealt(value).before(row) * pitch() : 0);
}

size_t GraphLowering::matrix(const Op& op) const {
  size_t n = 0;
  for (const Op& other : graph_.ops) {
    if (&other == &op) break;
    n += find_lowering(other.kind)->streamed != nullptr ? 1 : 0;
  }
  return n;
}

size_t GraphLowering::layer(const Op& op) const {
  size_t last = 0;
  for (const Op& other : graph_.ops) {
    if (lowering_of(other).streamed != nullptr) last = matrix(other);
  }
  return std::min(matrix(op), last);
}

SumOrder GraphLowering::order(const std::vector<SumOrder>& orders, const Op& op) const {
  return orders.empty() || rows() == 1 ? SumOrder::Column : orders.at(matrix(op));
}

size_t GraphLowering::takers(int value) const {
  size_t n = 0;
  for (const Op& op : graph_.ops) {
    n += static_cast<size_t>(std::count(op.input_values.begin(), op.input_values.end(), value));
  }
  return n;
}

bool GraphLowering::alone(int value) const { return takers(value) == 1; }
bool GraphLowering::wanted(int value) const { return value > 0 && moves_[index(value)]; }

void GraphLowering::find_finishes() {
  finish_.assign(graph_.ops.size(), nullptr);
  finished_.assign(graph_.ops.size(), false);
  for (size_t n = 0; n < graph_.ops.size(); ++n) {
    const Op& op = graph_.ops[n];
    if (lowering_of(op).finish == nullptr) continue;
    const int giver = graph_.giver(op.inputs[0]);
    const bool behind = giver >= 0 && alone(op.input_values[0]) &&
                        lowering_of(graph_.ops[index(giver)]).streamed != nullptr;
    if (!behind) {
      throw BadInput(
          fmt::format("{}: takes '{}', which no layer with weights gives it alone: the "
                      "tiles do it behind one",
                      op.where, op.inputs[0]));
    }
    finish_[index(giver)] = &op;
    finished_[n] = true;
  }
}

const Op* GraphLowering::finish(const Op& op) const {
  return finish_[static_cast<size_t>(&op - graph_.ops.data())];
}
int GraphLowering::result(const Op& op) const {
  return finish(op) != nullptr ? finish(op)->value : op.value;
}

// A window of deltas stands in front of a value whose deltas are masked by the pass that computes
// them: a window of deltas replaces activations that have masked the window before.
bool GraphLowering::has_window(int value) const {
  if (!graph_.has_loss()) return false;
  const int giver = graph_.giver(graph_.values[index(value)].name);
  if (giver < 0 || !finished_[index(giver)] || !alone(value) || !wanted(value)) return false;
  for (const Op& op : graph_.ops) {
    if (std::count(op.input_values.begin(), op.input_values.end(), value) == 0) continue;
    return lowering_of(op).streamed != nullptr;
  }
  return false;
}

uint32_t GraphLowering::window(int value) const {
  return std::min(choices_.window, dealt(value).of(0));
}

Slot GraphLowering::new_value(int value) {
  const uint32_t front = has_window(value) ? window(value) * pitch() : 0;
  Slot slot = draft_.buffer(graph_.values[index(value)].name, front + bytes(value));
  slot.offset = front;
  values_[index(value)] = slot;
  if (value == output() && !outputs_leave()) draft_.kept(slot);
  return slot;
}

Slot GraphLowering::delta_over(int value, int over) {
  const int giver = graph_.giver(graph_.values[index(over)].name);
  const bool masks = giver >= 0 && finished_[index(giver)];  // by the value
  if (alone(over) && !value_needed(over) && !masks) return this->value(over);
  return draft_.buffer("deltas of " + graph_.values[index(value)].name, bytes(value));
}

Slot GraphLowering::vector(size_t parameter, int copies) {
  for (const Vector& v : vectors_) {
    if (v.parameter == parameter && v.copies == copies) return v.slot;
  }
  const Parameter& p = graph_.parameters[parameter];
  const Dealt all(static_cast<uint32_t>(p.rows) * static_cast<uint32_t>(copies), rows());
  const Slot slot = draft_.buffer(p.name, 4 * uint64_t{all.of(0)});
  draft_.born(slot);
  draft_.kept(slot);  // it is written again only when it has changed
  vectors_.push_back({parameter, copies, slot});
  return slot;
}

Slot GraphLowering::looked_up(const Lookup& lookup) {
  const Slot slot = new_value(lookup.value);
  draft_.born(slot);
  lookups_.push_back(lookup);
  return slot;
}

uint32_t GraphLowering::heads_of_row(const Op& op) const {
  const auto heads = static_cast<int>(op.attributes.at("heads"));
  if (heads % rows() == 0) return static_cast<uint32_t>(heads / rows());
  const auto size = static_cast<int>(features(op.value)) / heads;
  if (2 * heads != rows()) {
    throw BadInput(fmt::format("{}: {} heads on {} grid rows: must be a multiple of them, or half",
                               op.where, heads, rows()));
  }
  if (size % 2 != 0) {
    throw BadInput(
        fmt::format("{}: two grid rows share a head of {} features: must be even", op.where, size));
  }
  return 0;
}

Slot GraphLowering::feed(const std::string& name, uint32_t words, const OfTokens& make) {
  for (const Feed& f : feeds_) {
    if (f.name == name) return f.slot;
  }
  if (graph_.values.front().element != Value::Element::Token) {
    const Op& op = graph_.ops[op_];
    throw BadInput(fmt::format("{}: {} needs sequences of tokens; the network's inputs are numbers",
                               op.where, op.kind));
  }
  const Slot slot = draft_.buffer(name, 4 * uint64_t{words});
  draft_.born(slot);
  draft_.kept(slot);
  feeds_.push_back({name, slot, words, make});
  return slot;
}

Slot GraphLowering::keep(const std::string& name, uint64_t bytes) {
  return kept_[name] = draft_.buffer(name, bytes);
}

void GraphLowering::forward_stream(const memoryx::StreamStep& step) {
  (again_ ? step_streams_ : forward_streams_).push_back(step);
}

void GraphLowering::forward() {
  for (op_ = 0; op_ < graph_.ops.size(); ++op_) {
    if (finished_[op_] || graph_.ops[op_].value < 0) continue;
    const Op& op = graph_.ops[op_];
    draft_.begin(Phase::Part::Forward, layer(op));
    lowering_of(op).forward(*this, op);
  }
}

void GraphLowering::find_parts() {
  if (choices_.recompute == Recompute::None) return;
  std::vector<size_t> last_taker(graph_.values.size(), 0);
  for (size_t n = 0; n < graph_.ops.size(); ++n) {
    for (const int value : graph_.ops[n].input_values) {
      if (value >= 0) last_taker[index(value)] = n;
    }
  }
  size_t first = 0, reach = 0;  // reach: the last taker of all values before
  std::optional<size_t> mixes;
  for (size_t n = 0; n < graph_.ops.size() && graph_.ops[n].value >= 0; ++n) {
    reach = std::max(reach, last_taker[index(graph_.ops[n].value) - 1]);
    if (reach > n) {
      if (lowering_of(graph_.ops[n]).mixes) mixes = n;
      continue;
    }
    if (mixes && choices_.recompute != Recompute::Ffn) {
      parts_.push_back({first, *mixes});
      first = *mixes + 1;
      mixes.reset();
      continue;
    }
    if (first < n && !mixes) parts_.push_back({first, n});
    first = n + 1;
    mixes.reset();
  }
  if (choices_.recompute != Recompute::All && !parts_.empty()) parts_.pop_back();
}

// What only the end of the part takes is not needed again, if that gives its deltas on.
void GraphLowering::compute_again() {
  const size_t before = op_;
  const Part& of = parts_.back();
  const Op& end = graph_.ops[of.end];
  again_ = true;
  for (op_ = of.first; op_ < of.end; ++op_) {
    const Op& op = graph_.ops[op_];
    const bool last = lowering_of(end).passes && alone(result(op)) &&
                      std::count(end.input_values.begin(), end.input_values.end(), result(op)) > 0;
    if (finished_[op_] || last) continue;
    draft_.begin(Phase::Part::Forward, layer(op));
    lowering_of(op).forward(*this, op);
  }
  again_ = false;
  op_ = before;
}

void GraphLowering::send(int value, const Rows& rows, bool west, bool table) {
  SendCost cost;
  for (int r = 0; r < this->rows(); ++r) cost.words.push_back(dealt(value).of(r) * samples() / 2);
  cost.west = west;
  cost.table = table;
  draft_.begin(Phase::Part::Send, layer(graph_.ops[static_cast<size_t>(std::max(
                                      0, graph_.giver(graph_.values[index(value)].name)))]));
  draft_.add("send", {rows.slot}, cost, [this, value, rows](int r) {
    return ow_send{at(rows, value, r), dealt(value).of(r) * samples() / 2};
  });
}

bool GraphLowering::can_leave() const {
  return graph_.has_loss() && lowering_of(graph_.ops.back()).loss->in_place && alone(output());
}

// The deltas of the last value are made where they will be gathered, if all of them are.
void GraphLowering::loss() {
  const Op& op = graph_.ops.back();
  const LossPart& part = *lowering_of(op).loss;
  const int z = output();
  const Dealt all = dealt(z);
  const uint64_t row = 4 * uint64_t{samples()};
  const bool classes = targets_of(op.kind) == TargetForm::Classes;
  draft_.begin(Phase::Part::Loss, 0);
  targets_ = draft_.buffer(kTargetsTensor, classes ? row : bytes(z));
  draft_.born(targets_);
  const Slot work = draft_.buffer("work area of the loss",
                                  row * work_rows(part, static_cast<int>(samples()), all.of(0)));
  const int giver = graph_.giver(op.inputs[0]);
  if (outputs_leave()) {
    send(z, {value(z), false}, true, false);
    draft_.begin(Phase::Part::Loss, 0);
  }
  const bool gathered = !outputs_leave() && rows() > 1 && alone(z) &&
                        choices_.piece >= features(z) &&
                        lowering_of(graph_.ops[index(giver)]).streamed != nullptr &&
                        finish(graph_.ops[index(giver)]) == nullptr;
  // What an output should be is not looked at again when its delta is made.
  const Slot slot = outputs_leave() ? value(z)
                    : !classes && !gathered
                        ? targets_
                        : draft_.buffer("deltas of " + graph_.values[index(z)].name,
                                        gathered ? uint64_t{features(z)} * pitch() : bytes(z));
  deltas_[index(z)] = Rows{slot, gathered};
  draft_.add(part.kernel, {value(z), slot, targets_, work}, part.cost(*this, z),
             [this, z, all, work, &op, &part](int r) {
               ow_loss p{at(value(z)), at(delta(z), z, r), all.of(r), at(targets_), at(work), 0, 0};
               if (part.options != nullptr) part.options(op, graph_.outputs(), &p);
               return p;
             });
}

void GraphLowering::backward() {
  for (op_ = graph_.ops.size() - 1; op_-- > 0;) {
    if (finished_[op_]) continue;
    const Op& op = graph_.ops[op_];
    if (!deltas_[index(result(op))] || !moves_[index(op.value)]) continue;
    while (!parts_.empty() && op_ <= parts_.back().end) {
      const Part& part = parts_.back();
      if (op_ == part.end && lowering_of(op).passes) break;  // needs nothing of it
      if (op_ >= part.first) compute_again();
      parts_.pop_back();
    }
    draft_.begin(Phase::Part::Gradient, layer(op));
    lowering_of(op).backward(*this, op);
  }
}

// A copy, if another value has the same ones: that of the operation that is lowered, or of one that
// comes later.
Slot GraphLowering::own_delta(int value) {
  const Rows mine = delta(value);
  bool shared = mine.gathered;
  for (size_t n = 0; n <= op_; ++n) {
    const int other = graph_.ops[n].value;
    const std::optional<Rows>& theirs = deltas_[index(other)];
    shared |= other != value && theirs && theirs->slot.buffer == mine.slot.buffer;
  }
  if (!shared) return mine.slot;
  const Slot slot = draft_.buffer("deltas of " + graph_.values[index(value)].name, bytes(value));
  draft_.add("copy", {mine.slot, slot}, elementwise(value, 115), [this, mine, slot, value](int r) {
    return ow_copy{at(mine, value, r), at(slot), dealt(value).of(r) * samples()};
  });
  deltas_[index(value)] = Rows{slot, false};
  return slot;
}

void GraphLowering::give_delta(int value, const Rows& rows) {
  if (!deltas_[index(value)]) {
    deltas_[index(value)] = rows;
    return;
  }
  const Slot sum = own_delta(value);
  draft_.add("sum", {sum, rows.slot}, elementwise(value, 147), [this, sum, rows, value](int r) {
    return ow_sum{at(sum), at(rows, value, r), at(sum), dealt(value).of(r) * samples()};
  });
}

void GraphLowering::pass_delta(int from, int to) {
  if (wanted(to)) give_delta(to, delta(from));
}

}  // namespace ow::jobs
