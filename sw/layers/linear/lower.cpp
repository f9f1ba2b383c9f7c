// SPDX-License-Identifier: Apache-2.0
// y = W x + b: a streamed matrix, and a bias in the tiles that own the outputs.
#include <algorithm>

#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/compile/passes.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
namespace {

int copies_of(const Op& op) { return static_cast<int>(op.attributes.at("copies")); }

LayerShape shape(const Op& op, int inputs) {
  LayerShape shape;
  shape.inputs = inputs;
  shape.outputs = static_cast<int>(op.attributes.at("outputs")) * copies_of(op);
  shape.bias = op.attributes.at("bias") != 0;
  shape.name = op.name;
  return shape;
}

// An operation and the values that it joins.
struct Matrix {
  Matrix(const GraphLowering& lowering, const Op& op)
      : x(op.input_values[0]),
        y(lowering.result(op)),
        finish(lowering.finish(op) == nullptr ? nullptr : finish_part(lowering.finish(op)->kind)),
        copies(copies_of(op)),
        weight(op.parameters[0]),
        bias(op.parameters.size() > 1 ? std::optional<size_t>(op.parameters[1]) : std::nullopt) {}
  int x, y;
  const FinishPart* finish;  // or null
  int copies;
  size_t weight;
  std::optional<size_t> bias;
};

// What gathering so many features costs; `sums`: of a bias's deltas, meanwhile.
GatherCost gather_cost(const GraphLowering& l, uint32_t features, const RowCycles& sums,
                       bool in_place = false) {
  GatherCost cost;
  const Dealt dealt(features, l.rows());
  for (int r = 0; r < l.rows(); ++r) cost.words.push_back(dealt.of(r) * l.samples() / 2);
  cost.in_place = in_place;
  cost.sums = sums;
  return cost;
}

RowCycles owned(const GraphLowering& l, int value) {
  RowCycles features;
  for (int r = 0; r < l.rows(); ++r) features.push_back(l.dealt(value).of(r));
  return features;
}

// Every tile of a column gets all features of a value.
void gather(GraphLowering& l, const Rows& rows, int value, Slot to) {
  const Dealt all = l.dealt(value);
  l.draft().add(
      "gather", {rows.slot, to}, gather_cost(l, l.features(value), {}),
      [&l, rows, value, to, all](int r) {
        return ow_gather{l.at(rows, value, r), l.at(to), {all.share, all.left}, 0, 0, 0, 0};
      });
}

void forward(GraphLowering& l, const Op& op) {
  const Matrix m(l, op);
  const SumOrder order = l.order(l.job().forward, op);
  const Slot x = l.value(m.x), y = l.new_value(m.y);
  std::vector<Slot> uses = {x, y};
  Pass pass;
  pass.outputs = l.features(m.y);
  pass.flags = (m.bias ? OW_PASS_BIAS : 0u) | (m.finish == nullptr ? 0u : m.finish->flag);
  const Slot bias = m.bias ? l.vector(*m.bias, m.copies) : y;
  if (m.bias) uses.push_back(bias);
  Slot from = x;
  pass.indices = l.dealt(m.x).of(0);
  if (order == SumOrder::Whole) {
    from = l.draft().buffer("inputs of " + op.name, uint64_t{l.features(m.x)} * l.pitch());
    gather(l, {x, false}, m.x, from);
    uses.push_back(from);
    pass.indices = l.features(m.x);
    pass.flags |= OW_PASS_GATHERED;
    pass.whole = true;
  }
  const PassCost cost{pass.outputs, pass.whole, m.bias.has_value(), pass.whole};
  l.draft().add("pass", uses, cost, [&l, pass, from, y, bias](int r) {
    Pass here = pass;
    here.x = l.at(from);
    here.y = l.at(y);
    here.bias = l.at(bias);
    return pass_of_row(here, l.rows(), r);
  });
  l.forward_stream({m.weight, memoryx::Pass::Forward, order, 0, 0, std::nullopt, m.copies});
}

// The deltas of a ReLU's value become those of its input.
void mask(GraphLowering& l, const Matrix& m) {
  if (m.finish == nullptr || m.finish->mask == nullptr || l.masked(m.y)) return;
  const Slot y = l.value(m.y), delta = l.own_delta(m.y);
  l.draft().add(m.finish->mask, {y, delta}, l.elementwise(m.y, m.finish->start),
                [&l, m, y, delta](int r) {
                  return ow_gate{l.at(y), l.at(delta), l.dealt(m.y).of(r) * l.samples(), 1};
                });
}

// The gradients of the matrix and of the bias; returns where the deltas of y are gathered, if all
// of them are.
class Gradients {
 public:
  Gradients(GraphLowering& lowering, const Op& op, const Matrix& matrix, bool at_once)
      : l_(lowering),
        m_(matrix),
        delta_(lowering.delta(matrix.y)),
        all_(lowering.features(matrix.y)) {
    piece_ = at_once ? all_ : std::min(l_.choices().piece, all_);
    if (m_.bias) {
      sums_ = l_.draft().buffer("sums of " + op.name, 4 * uint64_t{l_.dealt(m_.y).of(0)});
    }
    if (l_.rows() > 1) {
      gathered_ = delta_.gathered ? delta_.slot
                                  : l_.draft().buffer("gathered deltas of " + op.name,
                                                      uint64_t{piece_} * l_.pitch());
    }
  }

  Slot gathered() const { return gathered_; }

  void add() {
    if (m_.bias) {
      l_.step_stream(
          {*m_.bias, memoryx::Pass::Gradient, SumOrder::Column, 0, 0, std::nullopt, m_.copies});
    }
    for (uint32_t from = 0; from < all_; from += piece_) {
      const uint32_t to = std::min(from + piece_, all_);
      before(from, to);
      product(from, to);
      l_.step_stream({m_.weight, memoryx::Pass::Gradient, SumOrder::Column, static_cast<int>(from),
                      static_cast<int>(to - from), std::nullopt, m_.copies});
    }
  }

 private:
  ow_biases biases(int r) const {
    const uint32_t rows = l_.dealt(m_.y).of(r);
    return {l_.at(delta_, m_.y, r), rows, l_.at(sums_), std::max(rows, 1u)};
  }

  // A piece begins with a multiple of the grid rows, so all rows have as many before it.
  void before(uint32_t from, uint32_t to) {
    const bool sums = from == 0 && m_.bias;
    std::vector<Slot> uses = {delta_.slot};
    if (sums) uses.push_back(sums_);
    const RowCycles leaves = sums ? owned(l_, m_.y) : RowCycles();
    if (l_.rows() == 1) {
      if (!sums) return;
      WorkCost cost = work(1, [](int) { return 100; });
      cost.leaves = leaves;
      l_.draft().add("biases", uses, cost, [this_ = *this](int r) { return this_.biases(r); });
      return;
    }
    uses.push_back(gathered_);
    const GatherCost cost = gather_cost(l_, to - from, leaves, delta_.gathered);
    const Dealt piece(to - from, l_.rows());
    l_.draft().add("gather", uses, cost, [self = *this, piece, from, sums](int r) {
      ow_gather p{};
      p.own = self.l_.at(self.delta_, self.m_.y, r) +
              from / static_cast<uint32_t>(self.l_.rows()) * self.l_.pitch();
      p.to = self.l_.at(self.gathered_);
      p.dealt = {piece.share, piece.left};
      if (sums) {
        const ow_biases b = self.biases(r);
        p.bias_deltas = b.deltas;
        p.bias_rows = b.rows;
        p.bias_work = b.work;
        p.bias_room = b.room;
      }
      return p;
    });
  }

  // What the phase before sends, it may still send.
  void product(uint32_t from, uint32_t to) {
    const Slot x = l_.value(m_.x);
    const bool alone = l_.rows() == 1;
    std::vector<Slot> uses = {x, delta_.slot};
    if (!alone) uses.push_back(gathered_);
    if (m_.bias) uses.push_back(sums_);
    l_.draft().add("gradient", uses, GradientCost{from == 0, !alone},
                   [self = *this, x, from, to, alone](int r) {
                     const GraphLowering& l = self.l_;
                     ow_gradient p{};
                     p.x = l.at(x);
                     p.inputs = l.dealt(self.m_.x).of(0);
                     p.deltas = alone ? l.at(self.delta_, self.m_.y, r) + from * l.pitch()
                                      : l.at(self.gathered_);
                     p.outputs = to - from;
                     p.flags =
                         (from == 0 ? OW_GRADIENT_FIRST : 0u) | (alone ? 0u : OW_GRADIENT_GATHERED);
                     return p;
                   });
  }

  GraphLowering& l_;
  const Matrix m_;
  const Rows delta_;
  const uint32_t all_;
  uint32_t piece_ = 0;
  Slot sums_, gathered_;
};

// The next window's pass begins while a mask still runs; after the last one nothing does.
WorkCost mask_cost(const GraphLowering& l, const FinishPart& finish, const Dealt& dealt,
                   bool last) {
  const auto vectors = [&](int r) { return l.beats(dealt.of(r) * uint64_t{l.samples()}); };
  WorkCost cost = work(l.rows(), [&](int r) { return finish.start + (last ? vectors(r) : 0); });
  if (last) return cost;
  for (int r = 0; r < l.rows(); ++r) cost.behind.push_back(vectors(r));
  return cost;
}

// The deltas of x: over x itself, if nothing needs it any more. Those of a ReLU's value come in
// windows that lie in front of it.
void deltas(GraphLowering& l, const Op& op, const Matrix& m, Slot gathered) {
  const SumOrder order = l.order(l.job().delta, op);
  const bool whole = order == SumOrder::Whole;
  const Op* giver = &l.graph().ops[static_cast<size_t>(l.graph().giver(op.inputs[0]))];
  const uint32_t most = l.dealt(m.x).of(0);
  const bool windows = l.has_window(m.x);
  const uint32_t window = windows ? l.window(m.x) : most;
  const Rows from = l.delta(m.y);
  Slot to = windows ? l.value(m.x) : l.delta_over(m.x, m.x);
  if (windows) to.offset -= window * l.pitch();
  for (uint32_t first = 0; first < most; first += window) {
    Pass pass;
    pass.whole = whole;
    pass.indices = whole ? l.features(m.y) : l.dealt(m.y).of(0);
    pass.outputs = std::min(window * static_cast<uint32_t>(l.rows()),
                            l.features(m.x) - first * static_cast<uint32_t>(l.rows()));
    pass.flags = whole ? OW_PASS_GATHERED : 0u;
    const uint32_t at = first * l.pitch();
    const Slot source = whole ? gathered : from.slot;
    const PassCost cost{pass.outputs, whole, false, whole};
    l.draft().add("pass", {source, to}, cost, [&l, m, pass, from, to, gathered, at](int r) {
      Pass here = pass;
      here.x = pass.whole ? l.at(gathered) : l.at(from, m.y, r);
      here.y = l.at(to) + at;
      return pass_of_row(here, l.rows(), r);
    });
    l.step_stream({m.weight, memoryx::Pass::Delta, order, static_cast<int>(first) * l.rows(),
                   static_cast<int>(pass.outputs), std::nullopt, m.copies});
    if (!windows) continue;
    const Slot x = l.value(m.x);
    const Dealt dealt(pass.outputs, l.rows());
    const bool last = first + window >= most;
    const FinishPart& finish = *finish_part(giver->kind);
    l.draft().add(
        finish.mask, {x, to}, mask_cost(l, finish, dealt, last),
        [&l, x, to, at, dealt, last](int r) {
          return ow_gate{l.at(x) + at, l.at(to) + at, dealt.of(r) * l.samples(), last ? 1u : 0u};
        });
  }
  if (windows) l.set_masked(m.x);
  l.give_delta(m.x, {to, false});
}

void backward(GraphLowering& l, const Op& op) {
  const Matrix m(l, op);
  mask(l, m);
  const bool whole = l.order(l.job().delta, op) == SumOrder::Whole && l.wanted(m.x);
  Gradients gradients(l, op, m, whole);
  gradients.add();
  if (!l.wanted(m.x)) return;
  l.draft().begin(Phase::Part::Delta, l.matrix(op));
  deltas(l, op, m, gradients.gathered());
}

}  // namespace

const Lowering& linear_lowerings() {
  static const StreamedPart streamed{shape};
  static const Lowering lowering{"linear", &streamed, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
