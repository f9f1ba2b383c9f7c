// SPDX-License-Identifier: Apache-2.0
#include "ow/simgen/plan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "labels.h"
#include "scheduler.h"

namespace ow::simgen {
namespace {

bool before(const Register& a, const Register& b) {
  return std::tie(a.name.signal, a.name.bit) < std::tie(b.name.signal, b.name.bit);
}

size_t unit_of(Bit wake, std::vector<Bit>* wakes) {
  const auto at = std::find(wakes->begin(), wakes->end(), wake);
  if (at != wakes->end()) return static_cast<size_t>(at - wakes->begin());
  wakes->push_back(wake);
  return wakes->size() - 1;
}

// Registers with one enable are one group and stand side by side. Those whose enable is that of
// their unit are groups of one, so that each can be written when its own readers have been.
void make_groups(const Design& design, Plan* plan) {
  plan->wakes = {kTrue};
  std::vector<Register> registers = design.registers;
  std::sort(registers.begin(), registers.end(), before);
  std::map<std::pair<Bit, Bit>, std::vector<Register>> together;
  std::vector<std::vector<Register>> lists;
  std::map<std::pair<Bit, Bit>, size_t> list_of;
  for (Register& r : registers) {
    const std::pair<Bit, Bit> key = {r.wake, r.enable};
    const bool alone = r.enable == r.wake || r.enable == kFalse;
    const auto at = list_of.find(key);
    if (alone || at == list_of.end()) {
      if (!alone) list_of[key] = lists.size();
      lists.push_back({std::move(r)});
    } else {
      lists[at->second].push_back(std::move(r));
    }
  }
  for (std::vector<Register>& list : lists) {
    Group group;
    group.enable = list.front().enable;
    group.unit = unit_of(list.front().wake, &plan->wakes);
    for (Register& r : list) {
      group.registers.push_back(plan->registers.size());
      plan->registers.push_back(std::move(r));
    }
    if (group.enable != kFalse) plan->groups.push_back(std::move(group));
  }
}

// The writes of a bank happen if any bit of any port is enabled.
void make_bank_groups(Design* design, Plan* plan) {
  for (size_t b = 0; b < design->banks.size(); ++b) {
    Word enables;
    for (const Bank::Write& write : design->banks[b].writes) {
      enables.insert(enables.end(), write.enable.begin(), write.enable.end());
    }
    std::sort(enables.begin(), enables.end());
    enables.erase(std::unique(enables.begin(), enables.end()), enables.end());
    Group group;
    group.enable = or_of(&design->logic, enables);
    group.unit = unit_of(common_wake(design->banks[b].writes), &plan->wakes);
    group.bank = static_cast<int>(b);
    plan->groups.push_back(std::move(group));
  }
}

void make_outputs(const Design& design, Plan* plan) {
  std::map<Bit, size_t> registers;
  for (size_t r = 0; r < plan->registers.size(); ++r) registers[plan->registers[r].q] = r;
  for (const DesignPort& port : design.ports) {
    if (port.input) continue;
    for (size_t k = 0; k < port.bits.size(); ++k) {
      const auto at = registers.find(port.bits[k]);
      if (at == registers.end()) continue;
      plan->outputs.push_back({port.name, static_cast<int>(k), at->second});
    }
  }
}

std::vector<Bit> needed(const Design& design, const Plan& plan) {
  std::vector<Bit> bits = plan.wakes;
  for (const DesignPort& port : design.ports) {
    if (!port.input) bits.insert(bits.end(), port.bits.begin(), port.bits.end());
  }
  for (const Group& group : plan.groups) {
    bits.push_back(group.enable);
    for (const size_t r : group.registers) bits.push_back(plan.registers[r].d);
  }
  for (const Bank& bank : design.banks) {
    for (const Bank::Read& read : bank.reads) {
      bits.insert(bits.end(), read.address.begin(), read.address.end());
    }
    for (const Bank::Write& write : bank.writes) {
      for (const Word* word : {&write.address, &write.enable, &write.data}) {
        bits.insert(bits.end(), word->begin(), word->end());
      }
    }
  }
  return bits;
}

}  // namespace

std::vector<Bit> bits_of(const Step& step, const Design& design, const Plan& plan) {
  switch (step.kind) {
    case Step::Kind::Table: {
      const Node& table = plan.cover.tables[step.index];
      return {table.in.begin(), table.in.begin() + table.inputs};
    }
    case Step::Kind::Flag:
      return {plan.wakes[step.index]};
    case Step::Kind::Read:
      return design.banks[step.index].reads[step.port].address;
    case Step::Kind::Commit:
    case Step::Kind::Save:
      break;
  }
  const Group& group = plan.groups[step.index];
  std::vector<Bit> bits = {group.enable};
  for (const size_t r : group.registers) bits.push_back(plan.registers[r].d);
  if (group.bank < 0) return bits;
  for (const Bank::Write& write : design.banks[static_cast<size_t>(group.bank)].writes) {
    for (const Word* word : {&write.address, &write.enable, &write.data}) {
      bits.insert(bits.end(), word->begin(), word->end());
    }
  }
  return bits;
}

Plan plan(Design* design, const PlanOptions& options) {
  Plan plan;
  make_groups(*design, &plan);
  make_bank_groups(design, &plan);
  make_outputs(*design, &plan);
  plan.cover = cover(design->logic, needed(*design, plan));
  const Labels labels(*design, plan, options);
  for (size_t k = 0; k < labels.count(); ++k) plan.conditions.push_back(labels.condition(k));
  plan.blocks = Scheduler(*design, plan, labels, options).run();
  return plan;
}

}  // namespace ow::simgen
