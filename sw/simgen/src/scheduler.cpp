// SPDX-License-Identifier: Apache-2.0
#include "scheduler.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"

namespace ow::simgen {
namespace {

constexpr size_t kNone = SIZE_MAX;

}  // namespace

Scheduler::Scheduler(const Design& design, const Plan& plan, const Labels& labels,
                     const PlanOptions& options)
    : design_(design), plan_(plan), labels_(labels), options_(options) {
  const size_t bits = design.logic.nodes().size();
  giver_.assign(bits, kNone);
  owner_.assign(bits, kNone);
  writes_of_.assign(design.banks.size(), kNone);
  seen_.assign(bits, 0);
  read_of_.assign(bits, {0, 0});
  readers_.assign(plan.groups.size(), 0);
  cone_readers_.assign(plan.groups.size(), 0);
  saved_.assign(plan.groups.size(), 0);
  states_.resize(labels.count());
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    const Group& group = plan.groups[g];
    for (const size_t r : group.registers) owner_[plan.registers[r].q] = g;
    if (group.bank >= 0) writes_of_[static_cast<size_t>(group.bank)] = g;
  }
  for (size_t b = 0; b < design.banks.size(); ++b) {
    for (size_t p = 0; p < design.banks[b].reads.size(); ++p) {
      for (const Bit bit : design.banks[b].reads[p].data) read_of_[bit] = {b, p + 1};
    }
  }
  order();
  make_items();
}

// -------------------------------------------------------------------------------------- steps --
// Depth first, without recursion.
void Scheduler::visit(Bit root) {
  std::vector<std::pair<Bit, bool>> stack = {{root, false}};
  while (!stack.empty()) {
    const auto [bit, inputs_done] = stack.back();
    stack.pop_back();
    const auto [bank, port] = read_of_[bit];
    Step step;
    if (port != 0) {
      step = {Step::Kind::Read, bank, port - 1};
    } else if (plan_.cover.has(bit)) {
      step = {Step::Kind::Table, bit, 0};
    } else {
      continue;
    }
    if (inputs_done) {
      Entry entry;
      entry.step = step;
      entry.label = port != 0 ? labels_.of_read(bank, port - 1) : labels_.of_table(bit);
      if (port == 0) giver_[bit] = items_.size();
      if (port != 0) {
        for (const Bit data : design_.banks[bank].reads[port - 1].data)
          giver_[data] = items_.size();
      }
      items_.push_back(std::move(entry));
      continue;
    }
    if (seen_[bit] != 0) {
      if (giver_[bit] == kNone) refuse_loop(stack);
      continue;
    }
    seen_[bit] = 1;
    if (port != 0) {
      for (const Bit data : design_.banks[bank].reads[port - 1].data) seen_[data] = 1;
    }
    stack.push_back({bit, true});
    const std::vector<Bit> inputs = bits_of(step, design_, plan_);
    for (size_t k = inputs.size(); k-- > 0;) stack.push_back({inputs[k], false});
  }
}

// Only a bank's word is not made of what was made before it.
void Scheduler::refuse_loop(const std::vector<std::pair<Bit, bool>>& open) const {
  for (size_t k = open.size(); k-- > 0;) {
    const auto [bank, port] = read_of_[open[k].first];
    if (!open[k].second || port == 0) continue;
    throw BadInput(fmt::format("{}: what this bank gives leads to its address, a loop of logic",
                               design_.banks[bank].name));
  }
  throw InternalError("logic has a loop");
}

void Scheduler::order() {
  for (const Bit wake : plan_.wakes) visit(wake);
  for (size_t g = 0; g < plan_.groups.size(); ++g) {
    for (const Bit bit : bits_of({Step::Kind::Commit, g, 0}, design_, plan_)) visit(bit);
  }
  members_ = items_.size();
}

// -------------------------------------------------------------------------------- dependences --
// Whether what an item waits for counts for its condition.
bool Scheduler::counts_outside(Item item) const {
  const Entry& entry = items_[item];
  if (entry.gate || entry.label == kAlways) return false;
  if (item < members_) return true;
  return entry.step.kind == Step::Kind::Commit && commits_with_cone(entry.step.index);
}

void Scheduler::wait_for(Item item, Item other) {
  if (other == kNone) return;
  ++items_[item].waits;
  items_[other].followers.push_back(item);
  const size_t label = items_[item].label;
  if (counts_outside(item) && !is_member(other, label)) ++states_[label].outside;
}

// What an item waits for and whose registers it reads, for the values of these bits.
void Scheduler::connect(Item item, const std::vector<Bit>& bits) {
  Entry& entry = items_[item];
  std::vector<Item> givers;
  std::vector<size_t> groups;
  for (const Bit bit : bits) {
    if (giver_[bit] != kNone) givers.push_back(giver_[bit]);
    if (owner_[bit] != kNone) groups.push_back(owner_[bit]);
  }
  std::sort(givers.begin(), givers.end());
  givers.erase(std::unique(givers.begin(), givers.end()), givers.end());
  for (const Item giver : givers) wait_for(item, giver);
  groups.insert(groups.end(), entry.reads.begin(), entry.reads.end());
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  const bool commits = entry.step.kind == Step::Kind::Commit && !entry.gate;
  if (commits) {
    groups.erase(std::remove(groups.begin(), groups.end(), entry.step.index), groups.end());
  }
  entry.reads = std::move(groups);
}

void Scheduler::make_items() {
  make_condition_items();
  make_commits();
  for (Item item = 0; item < items_.size(); ++item) {
    Entry& entry = items_[item];
    if (entry.gate) continue;
    std::vector<Bit> bits = bits_of(entry.step, design_, plan_);
    // A block tests its condition, so each of its steps reads what that tests.
    for (const Condition::Term& term : plan_.conditions[entry.label].terms) {
      bits.insert(bits.end(), term.enables.begin(), term.enables.end());
      // A read needs to know which tiles are awake.
      if (entry.step.kind == Step::Kind::Read) bits.push_back(plan_.wakes[term.unit]);
    }
    if (entry.step.kind == Step::Kind::Read) entry.reads.push_back(writes_of_[entry.step.index]);
    connect(item, bits);
    if (entry.label != kAlways) wait_for(item, gates_[entry.label]);
    if (item < members_ && entry.label != kAlways) {
      states_[entry.label].members.push_back(item);
      ++states_[entry.label].left;
    }
    for (const size_t group : items_[item].reads) {
      ++readers_[group];
      if (is_member(item, labels_.of_group(group)) && commits_with_cone(group)) {
        ++cone_readers_[group];
      }
    }
  }
}

void Scheduler::make_condition_items() {
  flags_.assign(plan_.wakes.size(), kNone);
  for (size_t u = 1; u < plan_.wakes.size(); ++u) {
    flags_[u] = items_.size();
    items_.emplace_back();
    items_.back().step = {Step::Kind::Flag, u, 0};
  }
  gates_.assign(labels_.count(), kNone);
  for (size_t l = 1; l < labels_.count(); ++l) {
    gates_[l] = items_.size();
    items_.emplace_back();
    items_.back().gate = true;
    items_.back().label = l;
    std::vector<Item> others;
    for (const Condition::Term& term : plan_.conditions[l].terms) {
      others.push_back(flags_[term.unit]);
      for (const Bit enable : term.enables) others.push_back(giver_[enable]);
    }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (const Item other : others) wait_for(gates_[l], other);
  }
}

void Scheduler::make_commits() {
  for (size_t g = 0; g < plan_.groups.size(); ++g) {
    commits_.push_back(items_.size());
    items_.emplace_back();
    items_.back().step = {Step::Kind::Commit, g, 0};
    items_.back().label = labels_.of_group(g);
  }
}

// --------------------------------------------------------------------------------------- order --
std::vector<Block> Scheduler::run() {
  for (Item item = 0; item < items_.size(); ++item) {
    if (items_[item].waits == 0 && !items_[item].done) become_ready(item);
  }
  for (size_t l = 1; l < states_.size(); ++l) offer(l);
  while (run_label() || run_commit() || run_always() || run_part() || run_save()) {
  }
  for (const Entry& entry : items_) {
    if (!entry.done) throw InternalError("a step of the plan waits for ever");
  }
  return std::move(blocks_);
}

void Scheduler::become_ready(Item item) {
  Entry& entry = items_[item];
  if (entry.gate) {
    finish(item);
  } else if (item < members_) {
    if (entry.label == kAlways) {
      always_.push(item);
    } else {
      states_[entry.label].ready.push_back(item);
    }
  } else if (entry.step.kind != Step::Kind::Commit) {
    urgent_.push(item);
  } else if (!commits_with_cone(entry.step.index)) {
    if (readers_[entry.step.index] == 0) {
      urgent_.push(item);
    } else {
      held_.insert(entry.step.index);
    }
  }
}

// A condition whose members miss nothing, and whose commit may follow.
void Scheduler::offer(size_t label) {
  const State& state = states_[label];
  if (label == kAlways || state.outside != 0) return;
  const int group = labels_.only_group(label);
  if (group >= 0) {
    const auto g = static_cast<size_t>(group);
    if (items_[commits_[g]].done || saved_[g] != 0) return;
    if (commit_waits(g)) {
      held_.insert(g);
      return;
    }
    held_.erase(g);
  } else if (state.left == 0) {
    return;
  }
  whole_.insert({state.members.empty() ? 0 : state.members.front(), label});
}

void Scheduler::append(const Step& step, size_t label) {
  const bool commits = step.kind == Step::Kind::Commit || step.kind == Step::Kind::Save;
  if (blocks_.empty() || blocks_.back().condition != label ||
      (!commits && blocks_.back().steps.size() >= options_.block)) {
    blocks_.push_back({label, {}});
  }
  blocks_.back().steps.push_back(step);
}

void Scheduler::emit(Item item) {
  Entry& entry = items_[item];
  append(entry.step, entry.label);
  if (item < members_ && entry.label != kAlways) --states_[entry.label].left;
  finish(item);
}

void Scheduler::finish(Item item) {
  items_[item].done = true;
  release(item);
  const std::vector<Item> followers = std::move(items_[item].followers);
  for (const Item follower : followers) {
    Entry& entry = items_[follower];
    if (counts_outside(follower) && !is_member(item, entry.label)) {
      if (--states_[entry.label].outside == 0) offer(entry.label);
    }
    if (--entry.waits == 0) become_ready(follower);
  }
}

// The registers that an item read may be written as far as it is concerned.
void Scheduler::release(Item item) {
  const std::vector<size_t> groups = std::move(items_[item].reads);
  items_[item].reads.clear();
  for (const size_t g : groups) {
    const size_t label = labels_.of_group(g);
    const bool cone = commits_with_cone(g);
    --readers_[g];
    if (cone && is_member(item, label)) --cone_readers_[g];
    if (saved_[g] != 0) {
      if (readers_[g] == 0) urgent_.push(commits_[g]);
    } else if (cone) {
      if (!commit_waits(g)) offer(label);
    } else if (readers_[g] == 0 && held_.erase(g) != 0) {
      urgent_.push(commits_[g]);
    }
  }
}

void Scheduler::run_members(size_t label) {
  for (const Item member : states_[label].members) {
    if (!items_[member].done) emit(member);
  }
  states_[label].ready.clear();
}

bool Scheduler::run_label() {
  if (whole_.empty()) return false;
  const size_t label = whole_.begin()->second;
  whole_.erase(whole_.begin());
  run_members(label);
  const int group = labels_.only_group(label);
  if (group >= 0 && !items_[commits_[static_cast<size_t>(group)]].done) {
    emit(commits_[static_cast<size_t>(group)]);
  }
  return true;
}

bool Scheduler::run_commit() {
  if (urgent_.empty()) return false;
  const Item item = urgent_.front();
  urgent_.pop();
  emit(item);
  return true;
}

bool Scheduler::run_always() {
  if (always_.empty()) return false;
  const Item item = always_.top();
  always_.pop();
  emit(item);
  return true;
}

// The ready tables of the condition that has most of them.
bool Scheduler::run_part() {
  size_t most = 0, chosen = kAlways;
  for (size_t l = 1; l < states_.size(); ++l) {
    if (states_[l].ready.size() <= most || states_[l].left == 0) continue;
    most = states_[l].ready.size();
    chosen = l;
  }
  if (most == 0) return false;
  std::vector<Item>& ready = states_[chosen].ready;
  while (!ready.empty()) {
    const Item item = ready.back();
    ready.pop_back();
    if (!items_[item].done) emit(item);
  }
  return true;
}

// Two groups read each other's registers: the values of one are kept aside. A bank is none of them,
// as only reads wait for it, which wait for no commit.
bool Scheduler::run_save() {
  if (held_.empty()) return false;
  const size_t g = *held_.begin();
  held_.erase(held_.begin());
  if (plan_.groups[g].bank >= 0) throw InternalError("a bank's writes wait for ever");
  const size_t label = labels_.of_group(g);
  if (commits_with_cone(g)) run_members(label);
  // Its enable may be written before it commits, so all of the unit is saved and committed.
  saved_[g] = 1;
  items_[commits_[g]].label = labels_.of_unit(plan_.groups[g].unit);
  append({Step::Kind::Save, g, 0}, items_[commits_[g]].label);
  release(commits_[g]);
  if (readers_[g] == 0) urgent_.push(commits_[g]);
  return true;
}

}  // namespace ow::simgen
