// SPDX-License-Identifier: Apache-2.0
// The order of a plan's steps.
#ifndef OW_SIMGEN_SRC_SCHEDULER_H_
#define OW_SIMGEN_SRC_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "labels.h"
#include "ow/simgen/plan.h"

namespace ow::simgen {

// A step is ready when everything that it waits for is done: the steps whose values it takes, what
// its condition tests, and for a commit all readers of its registers, or of its bank.
//
// The tables of a condition are done together as soon as nothing outside them is missing, and if it
// is that of a single group, this group's commit after them. Else the next table without a
// condition is done. Tables are in the order of a depth-first search from the registers, in the
// order of their names, so that values are used soon.
class Scheduler {
 public:
  Scheduler(const Design& design, const Plan& plan, const Labels& labels,
            const PlanOptions& options);
  std::vector<Block> run();

 private:
  using Item = size_t;

  struct Entry {
    Step step;
    size_t label = kAlways;
    bool gate = false;  // no step: what a condition tests is known
    bool done = false;
    size_t waits = 0;             // for so many others
    std::vector<Item> followers;  // that wait for this one
    std::vector<size_t> reads;    // groups whose registers or bank it reads, but for its own
  };
  // The tables and reads of a condition: its members.
  struct State {
    std::vector<Item> members;  // in order
    size_t left = 0;            // not done yet
    // Steps that are no members and that members, or the commit after them, wait for.
    size_t outside = 0;
    std::vector<Item> ready;  // some may be done
  };

  void order();
  void visit(Bit root);
  [[noreturn]] void refuse_loop(const std::vector<std::pair<Bit, bool>>& open) const;
  void make_items();
  void make_condition_items();
  void make_commits();
  void connect(Item item, const std::vector<Bit>& bits);
  void wait_for(Item item, Item other);
  bool is_member(Item item, size_t label) const {
    return item < members_ && items_[item].label == label;
  }
  bool counts_outside(Item item) const;

  bool run_label();
  bool run_commit();
  bool run_always();
  bool run_part();
  bool run_save();
  void run_members(size_t label);
  void emit(Item item);
  void append(const Step& step, size_t label);
  void finish(Item item);
  void release(Item item);
  void become_ready(Item item);
  void offer(size_t label);
  bool commit_waits(size_t group) const { return readers_[group] > cone_readers_[group]; }
  bool commits_with_cone(size_t group) const {
    return labels_.only_group(labels_.of_group(group)) >= 0;
  }

  const Design& design_;
  const Plan& plan_;
  const Labels& labels_;
  const PlanOptions& options_;
  std::vector<Entry> items_;       // tables and reads in order, then all others
  size_t members_ = 0;             // the number of tables and reads
  std::vector<Item> giver_;        // by bit: the item that gives it; kNone: a source
  std::vector<size_t> owner_;      // by bit: the group whose register it is; kNone: it is none
  std::vector<size_t> writes_of_;  // by bank: the group of its writes
  std::vector<uint8_t> seen_;      // by bit
  std::vector<std::pair<size_t, size_t>> read_of_;  // by bit: bank and port + 1; 0: none
  std::vector<Item> gates_, flags_, commits_;
  std::vector<State> states_;
  std::vector<size_t> readers_;       // by group: items that read what it writes and are not done
  std::vector<size_t> cone_readers_;  // of these, members of the group's own condition
  std::vector<uint8_t> saved_;        // by group
  std::set<std::pair<Item, size_t>> whole_;  // conditions that can be done at once, by first member
  std::queue<Item> urgent_;                  // flags, commits that can be done
  std::set<size_t> held_;                    // groups with all values that wait for readers
  std::priority_queue<Item, std::vector<Item>, std::greater<Item>> always_;
  std::vector<Block> blocks_;
};

}  // namespace ow::simgen

#endif  // OW_SIMGEN_SRC_SCHEDULER_H_
