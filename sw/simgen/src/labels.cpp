// SPDX-License-Identifier: Apache-2.0
#include "labels.h"

#include <algorithm>
#include <cstdint>

#include "ow/base/error.h"

namespace ow::simgen {
namespace {

constexpr size_t kNobody = SIZE_MAX;

int unit_key(size_t unit) { return -1 - static_cast<int>(unit); }

}  // namespace

Labels::Labels(const Design& design, const Plan& plan, const PlanOptions& options)
    : design_(design), cover_(plan.cover), plan_(plan), options_(options) {
  known({});
  for (size_t u = 0; u < plan.wakes.size(); ++u) {
    units_.push_back(u == 0 ? kAlways : known({unit_key(u)}));
  }
  for (size_t g = 0; g < plan.groups.size(); ++g) groups_.push_back(group_label(g));
  size_t ports = 0;
  reads_.resize(design.banks.size());
  for (size_t b = 0; b < design.banks.size(); ++b) {
    reads_[b].assign(design.banks[b].reads.size(), kNobody);
    ports += reads_[b].size();
  }
  // The address of a read has the condition of the word that is read, and may be a word of another
  // bank. So a pass finds conditions of words, and the next one those of their addresses.
  bool changes = true;
  for (size_t pass = 0; changes; ++pass) {
    if (pass > ports + 1) throw BadInput("the addresses of banks are part of a loop of logic");
    tables_.assign(design.logic.nodes().size(), kNobody);
    need_all();
    changes = spread();
  }
  raise_small();
}

size_t Labels::known(Keys keys) {
  const auto [at, added] = numbers_.emplace(keys, sets_.size());
  if (added) sets_.push_back(std::move(keys));
  return at->second;
}

size_t Labels::group_label(size_t g) {
  const Group& group = plan_.groups[g];
  const bool many = group.bank >= 0 || group.registers.size() >= options_.least_group;
  const bool plain = group.enable == plan_.wakes[group.unit];
  if (many && !plain && group.enable != kTrue) return known({static_cast<int>(g)});
  return units_[group.unit];
}

// The units of a condition's groups, whole.
size_t Labels::whole_units(size_t label) {
  Keys units;
  for (const int key : sets_[label]) {
    const size_t unit =
        key < 0 ? static_cast<size_t>(-1 - key) : plan_.groups[static_cast<size_t>(key)].unit;
    if (unit == 0) return kAlways;
    units.push_back(unit_key(unit));
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return known(std::move(units));
}

size_t Labels::both(size_t a, size_t b) {
  if (a == kNobody || a == b) return b;
  if (b == kNobody) return a;
  if (a == kAlways || b == kAlways) return kAlways;
  if (a > b) std::swap(a, b);
  const auto at = unions_.find({a, b});
  if (at != unions_.end()) return at->second;
  Keys keys;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                 std::back_inserter(keys));
  // A unit as a whole stands for its groups.
  const Keys all = keys;
  keys.erase(std::remove_if(keys.begin(), keys.end(),
                            [&](int key) {
                              return key >= 0 &&
                                     std::binary_search(
                                         all.begin(), all.end(),
                                         unit_key(plan_.groups[static_cast<size_t>(key)].unit));
                            }),
             keys.end());
  size_t label = known(keys);
  if (keys.size() > options_.most_enables) label = whole_units(label);
  unions_[{a, b}] = label;
  return label;
}

void Labels::need(Bit bit, size_t label) { tables_[bit] = both(tables_[bit], label); }

// What is needed from outside the tables.
void Labels::need_all() {
  for (const Bit wake : plan_.wakes) need(wake, kAlways);
  for (size_t g = 0; g < plan_.groups.size(); ++g) {
    const Group& group = plan_.groups[g];
    // A unit that sleeps needs no enables.
    need(group.enable, units_[group.unit]);
    for (const size_t r : group.registers) need(plan_.registers[r].d, groups_[g]);
    if (group.bank < 0) continue;
    for (const Bank::Write& write : design_.banks[static_cast<size_t>(group.bank)].writes) {
      for (const Word* word : {&write.address, &write.enable, &write.data}) {
        for (const Bit bit : *word) need(bit, groups_[g]);
      }
    }
  }
  for (size_t b = 0; b < design_.banks.size(); ++b) {
    for (size_t p = 0; p < reads_[b].size(); ++p) {
      if (reads_[b][p] == kNobody) continue;
      for (const Bit bit : design_.banks[b].reads[p].address) need(bit, reads_[b][p]);
    }
  }
}

// From readers to what they read. What banks give has its label last; whether one is another than
// before.
bool Labels::spread() {
  for (size_t k = cover_.order.size(); k-- > 0;) {
    const Bit bit = cover_.order[k];
    const Node& table = cover_.tables[bit];
    if (tables_[bit] == kNobody) continue;
    for (size_t i = 0; i < table.inputs; ++i) need(table.in[i], tables_[bit]);
  }
  bool changes = false;
  for (size_t b = 0; b < design_.banks.size(); ++b) {
    for (size_t p = 0; p < reads_[b].size(); ++p) {
      size_t label = kNobody;
      for (const Bit bit : design_.banks[b].reads[p].data) label = both(label, tables_[bit]);
      changes = changes || label != reads_[b][p];
      reads_[b][p] = label;
    }
  }
  return changes;
}

// A condition costs a test and keeps values out of registers, so few tables have none of their own.
void Labels::raise_small() {
  for (int round = 0; round < 2; ++round) {
    std::vector<size_t> members(sets_.size(), 0);
    for (const Bit bit : cover_.order) {
      if (tables_[bit] != kNobody) ++members[tables_[bit]];
    }
    for (const Bit bit : cover_.order) {
      const size_t label = tables_[bit];
      if (label == kNobody || label == kAlways || only_group(label) >= 0) continue;
      if (members[label] >= options_.least_tables) continue;
      tables_[bit] = round == 0 ? whole_units(label) : kAlways;
    }
  }
}

Condition Labels::condition(size_t label) const {
  Condition condition;
  for (const int key : sets_[label]) {
    const size_t unit =
        key < 0 ? static_cast<size_t>(-1 - key) : plan_.groups[static_cast<size_t>(key)].unit;
    auto term = std::find_if(condition.terms.begin(), condition.terms.end(),
                             [unit](const Condition::Term& t) { return t.unit == unit; });
    if (term == condition.terms.end()) {
      term = condition.terms.insert(term, Condition::Term{});
      term->unit = unit;
    }
    if (key < 0) {
      term->whole = true;
    } else {
      term->enables.push_back(plan_.groups[static_cast<size_t>(key)].enable);
    }
  }
  for (Condition::Term& term : condition.terms) {
    std::sort(term.enables.begin(), term.enables.end());
    term.enables.erase(std::unique(term.enables.begin(), term.enables.end()), term.enables.end());
  }
  return condition;
}

}  // namespace ow::simgen
