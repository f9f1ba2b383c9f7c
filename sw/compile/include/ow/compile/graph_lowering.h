// SPDX-License-Identifier: Apache-2.0
// The phases of a graph: forward through its operations; then, if it ends with a loss, that and
// backward, else what sends the last value to the edge.
// Kinds add their phases (sw/layers/<kind>/lower.cpp); this class gives them values, deltas and
// parameters, and decides what shares memory.
#ifndef OW_COMPILE_GRAPH_LOWERING_H_
#define OW_COMPILE_GRAPH_LOWERING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "openwafer/grid.h"
#include "ow/compile/draft.h"
#include "ow/graph/graph.h"
#include "ow/graph/training.h"
#include "ow/memoryx/stream_schedule.h"

namespace ow::jobs {

// Features dealt over grid rows, sorted by owner: the host's arithmetic of owners.
struct Dealt {
  uint32_t share = 0, left = 0;
  Dealt(uint32_t features, int rows)
      : share(features / static_cast<uint32_t>(rows)),
        left(features % static_cast<uint32_t>(rows)) {}
  uint32_t of(int row) const { return share + (static_cast<uint32_t>(row) < left ? 1 : 0); }
  // Of the grid rows above.
  uint32_t before(int row) const {
    const auto r = static_cast<uint32_t>(row);
    return share * r + (r < left ? r : left);
  }
};

// Values that are computed twice, so that they need not stay from the forward pass to the backward
// one: none; those of parts in which samples do not meet (the feed-forward part of a transformer);
// those of all parts but the last one (its block); those of all. A part lies between two values
// through which alone all that comes later depends on what is before. A part in which samples meet
// ends where they do: that value stays, and what follows it is computed again with the next part.
enum class Recompute { None, Ffn, Block, All };
inline constexpr Recompute kPolicies[] = {Recompute::None, Recompute::Ffn, Recompute::Block,
                                          Recompute::All};
constexpr const char* recompute_name(Recompute policy) {
  constexpr const char* kNames[] = {"none", "ffn", "block", "all"};
  return kNames[static_cast<size_t>(policy)];
}

// What a lowering may choose without changing a bit.
struct Choices {
  uint32_t piece = UINT32_MAX;   // features of a column that are gathered at a time, at most; a
                                 // multiple of the grid rows
  uint32_t window = UINT32_MAX;  // features of a grid row in a window of masked deltas, at most
  Recompute recompute = Recompute::None;
  // What the loss takes leaves the grid before its deltas take its place; else it stays. Only if
  // can_leave().
  bool outputs_leave = false;
  // Phases that come several times stand in the list once, which takes some cycles, and buffers lie
  // so that it is short.
  bool in_turns = false;
};

// Features of a value in a tile: 16-bit numbers, a row of the tile's samples each.
struct Rows {
  Slot slot;
  bool gathered = false;  // the grid row's own stand in their place among those of all rows
};

// A value that the host writes with the samples: rows of tables, looked up by tokens and, if
// learned, by positions (ow/memoryx/tables.h).
struct Lookup {
  int value = 0;
  size_t tokens = 0;  // parameters
  std::optional<size_t> positions;
};

// Words that the host writes with the samples, made from the tokens of a micro-batch.
using OfTokens = std::function<std::vector<uint32_t>(const Tokens& tokens, int row, int column)>;

class GraphLowering {
 public:
  // The job's orders are those of the graph's matrices. BadInput, beginning with the operation's
  // place, for a kind that tiles cannot run, or train if there is a loss.
  GraphLowering(const Graph& graph, const TrainingJob& job, int lanes, const Choices& choices);

  // ---- What came out.
  Draft& draft() { return draft_; }
  const Draft& draft() const { return draft_; }
  size_t forward_phases() const { return forward_; }  // of the forward pass: the first ones
  const memoryx::StreamSchedule& forward_streams() const { return forward_streams_; }
  const memoryx::StreamSchedule& step_streams() const { return step_streams_; }
  int output() const { return graph_.last_value(); }
  bool can_leave() const;
  bool outputs_leave() const { return choices_.outputs_leave && can_leave(); }
  Slot targets() const { return targets_; }
  // A parameter that stays in the tiles: fp32, those of the features that the grid row owns.
  struct Vector {
    size_t parameter;
    int copies;  // of each element, next to each other
    Slot slot;
  };
  const std::vector<Vector>& vectors() const { return vectors_; }
  struct Feed {
    std::string name;
    Slot slot;
    uint32_t words;
    OfTokens make;
  };
  const std::vector<Feed>& feeds() const { return feeds_; }
  const std::vector<Lookup>& lookups() const { return lookups_; }
  const std::map<std::string, Side>& chains() const { return chains_; }
  // Where values and their deltas are; empty for one that is nowhere.
  const std::vector<std::optional<Slot>>& values() const { return values_; }
  const std::vector<std::optional<Rows>>& deltas() const { return deltas_; }

  // ---- For kinds.
  const Graph& graph() const { return graph_; }
  const TrainingJob& job() const { return job_; }
  const Choices& choices() const { return choices_; }
  int rows() const { return job_.grid_rows; }
  int lanes() const { return lanes_; }
  uint32_t samples() const { return static_cast<uint32_t>(job_.samples); }
  uint32_t pitch() const { return 2 * samples(); }  // bytes of a feature
  uint32_t features(int value) const;
  Dealt dealt(int value) const { return {features(value), rows()}; }
  uint64_t bytes(int value) const { return uint64_t{dealt(value).of(0)} * pitch(); }
  // Vectors of 16-bit elements, one a cycle.
  uint64_t beats(uint64_t elements) const {
    const auto lanes = static_cast<uint64_t>(lanes_);
    return (elements + lanes - 1) / lanes;
  }
  // `start` cycles, and one for each vector of the tile's part of a value.
  WorkCost elementwise(int value, uint64_t start) const {
    return work(rows(),
                [&](int row) { return start + beats(dealt(value).of(row) * uint64_t{samples()}); });
  }
  uint32_t at(Slot slot) const { return draft_.at(slot); }
  uint32_t at(const Rows& rows, int value, int row) const;
  // Heads of which a tile has all features; 0: two grid rows share one. BadInput if the rows do not
  // divide the operation's heads in one of these ways.
  uint32_t heads_of_row(const Op& op) const;
  // The operation's number among those with a matrix, and its order of sums.
  size_t matrix(const Op& op) const;
  SumOrder order(const std::vector<SumOrder>& orders, const Op& op) const;
  // The activation that a streamed pass does with each of its outputs; null for none. The value is
  // then the activation's.
  const Op* finish(const Op& op) const;
  int result(const Op& op) const;

  Slot value(int value) const { return *values_.at(static_cast<size_t>(value)); }
  // Memory for the value of the operation that is lowered.
  Slot new_value(int value);
  // For its deltas the window in front of a value is used.
  bool has_window(int value) const;
  uint32_t window(int value) const;  // features of a grid row
  Slot vector(size_t parameter, int copies = 1);
  // Memory for the value of the operation that is lowered, which the host writes.
  Slot looked_up(const Lookup& lookup);
  // Memory for words of the tokens, from the first phase to the last one. Operations that give the
  // same name share it.
  Slot feed(const std::string& name, uint32_t words, const OfTokens& make);
  // A flow from each tile to its neighbour on that side, which the program has by this name.
  void chain(const std::string& name, Side towards) { chains_[name] = towards; }
  // Memory that the forward pass leaves for the backward one, by name.
  Slot keep(const std::string& name, uint64_t bytes);
  Slot kept(const std::string& name) const { return kept_.at(name); }
  // The streams that the phases take, in their order.
  void forward_stream(const memoryx::StreamStep& step);
  void step_stream(const memoryx::StreamStep& step) { step_streams_.push_back(step); }

  bool wanted(int value) const;  // something before it is trained
  bool alone(int value) const;   // one operation takes it
  // The operation that gives the value needs it for its deltas, so they cannot lie over it.
  void need_value(int value) { needed_.insert(value); }
  bool value_needed(int value) const { return needed_.count(value) > 0; }
  // Memory for the deltas of `value`: over another value of as many features, or over itself, if
  // nothing needs that any more once the operation has read it.
  Slot delta_over(int value, int over);
  // The deltas of the operation's value: to read, or to change.
  const Rows& delta(int value) const { return *deltas_.at(static_cast<size_t>(value)); }
  bool masked(int value) const { return masked_.at(static_cast<size_t>(value)); }
  void set_masked(int value) { masked_.at(static_cast<size_t>(value)) = true; }
  Slot own_delta(int value);
  // An operation has computed deltas of an input, or gives its own value's deltas to one.
  void give_delta(int value, const Rows& rows);
  void pass_delta(int from, int to);
  // The tiles' parts of a value go to the edge: all in the west, or to the nearer one. `table`:
  // they are deltas of looked-up rows, a step of the streams.
  void send(int value, const Rows& rows, bool west, bool table);

 private:
  void find_finishes();
  // Sets parts_: those that are computed again.
  void find_parts();
  void compute_again();
  void forward();
  void backward();
  void loss();
  size_t takers(int value) const;
  // For reports of time: its own number among those with a matrix, or that of the next one; after
  // the last one that of the last one.
  size_t layer(const Op& op) const;

  const Graph& graph_;
  const TrainingJob& job_;
  const int lanes_;
  Choices choices_;
  Draft draft_;
  size_t forward_ = 0;
  memoryx::StreamSchedule forward_streams_, step_streams_;
  std::vector<std::optional<Slot>> values_;  // by value
  std::vector<std::optional<Rows>> deltas_;
  std::vector<bool> masked_;  // deltas of an activation's value that are its input's already
  std::vector<bool> moves_;
  std::vector<const Op*> finish_;  // by operation
  std::vector<bool> finished_;     // by operation: done by the pass before it
  std::vector<Vector> vectors_;
  std::vector<Feed> feeds_;
  std::vector<Lookup> lookups_;
  std::map<std::string, Side> chains_;
  std::set<int> needed_;
  std::map<std::string, Slot> kept_;
  // Operations from the first one up to the one that ends the part, whose value stays.
  struct Part {
    size_t first, end;
  };
  std::vector<Part> parts_;  // in the order of the graph; backward takes the last one off
  bool again_ = false;       // a part is computed again
  Slot targets_;
  size_t op_ = 0;  // that is lowered
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_GRAPH_LOWERING_H_
