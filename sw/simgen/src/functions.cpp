// SPDX-License-Identifier: Apache-2.0
#include "functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ow/base/error.h"

namespace ow::simgen {
namespace {

constexpr size_t kNowhere = SIZE_MAX;

}  // namespace

Functions::Functions(const Design& design, const Plan& plan, std::string name, size_t steps)
    : design_(design), plan_(plan), name_(std::move(name)) {
  const size_t bits = design.logic.nodes().size();
  sources_.resize(bits);
  home_.assign(bits, kNowhere);
  last_.assign(bits, 0);
  in_memory_.assign(bits, 0);
  last_local_.assign(bits, kNowhere);
  slot_.assign(bits, kNowhere);
  saved_slot_.assign(plan.registers.size(), kNowhere);
  saved_.assign(plan.groups.size(), 0);
  place_sources();
  cut(steps);
  find_uses();
  assign_slots();
  step_ = 0;
  for (size_t f = 0; f <= function_of_.back(); ++f) write_function(f);
}

void Functions::place_sources() {
  sources_[kFalse] = "ZERO";
  sources_[kTrue] = "ONES";
  size_t inputs = 0;
  for (const DesignPort& port : design_.ports) {
    if (!port.input) continue;
    for (const Bit bit : port.bits) sources_[bit] = fmt::format("s->in[{}]", inputs++);
  }
  for (size_t r = 0; r < plan_.registers.size(); ++r) {
    sources_[plan_.registers[r].q] = fmt::format("q[{}]", r);
  }
  for (const Bank& bank : design_.banks) {
    first_words_.emplace_back();
    for (const Bank::Read& read : bank.reads) {
      first_words_.back().push_back(bank_bits_);
      for (const Bit bit : read.data) sources_[bit] = fmt::format("s->m[{}]", bank_bits_++);
    }
  }
}

void Functions::cut(size_t steps) {
  size_t function = 0, now = 0;
  for (const Block& block : plan_.blocks) {
    if (now >= steps) {
      ++function;
      now = 0;
    }
    function_of_.push_back(function);
    now += block.steps.size();
    for (const Step& step : block.steps) {
      if (step.kind == Step::Kind::Commit) now += plan_.groups[step.index].registers.size();
    }
  }
}

std::vector<Bit> Functions::enables_of(const Condition& condition) const {
  std::vector<Bit> bits;
  for (const Condition::Term& term : condition.terms) {
    if (!term.whole) bits.insert(bits.end(), term.enables.begin(), term.enables.end());
  }
  return bits;
}

// A value that another function reads, or that leaves the braces of its block, needs a slot.
void Functions::use(Bit bit, size_t block) {
  if (!sources_[bit].empty()) return;
  const size_t home = home_[bit];
  if (home == kNowhere) throw InternalError("a value is read before it is made");
  if (local(bit, block)) {
    last_local_[bit] = step_;
    return;
  }
  in_memory_[bit] = 1;
  last_[bit] = block;
}

// Whether a table is a local variable where the block reads it.
bool Functions::local(Bit bit, size_t block) const {
  const size_t home = home_[bit];
  return home == block ||
         (function_of_[home] == function_of_[block] && plan_.blocks[home].condition == 0);
}

void Functions::find_uses() {
  for (size_t b = 0; b < plan_.blocks.size(); ++b) {
    const Condition& condition = plan_.conditions[plan_.blocks[b].condition];
    ++step_;
    for (const Bit bit : enables_of(condition)) use(bit, b);
    for (const Step& step : plan_.blocks[b].steps) {
      ++step_;
      const bool kept = step.kind == Step::Kind::Commit && saved_[step.index] != 0;
      if (!kept) {
        for (const Bit bit : bits_of(step, design_, plan_)) use(bit, b);
      }
      if (step.kind == Step::Kind::Table) home_[step.index] = b;
      if (step.kind == Step::Kind::Save) saved_[step.index] = 1;
      if (step.kind != Step::Kind::Read) continue;
      for (const Condition::Term& term : condition.terms) use(plan_.wakes[term.unit], b);
    }
  }
}

// A slot is free again after the block that reads it last.
void Functions::assign_slots() {
  std::vector<std::vector<Bit>> born(plan_.blocks.size()), dead(plan_.blocks.size());
  for (Bit bit = 0; bit < in_memory_.size(); ++bit) {
    if (in_memory_[bit] == 0) continue;
    born[home_[bit]].push_back(bit);
    dead[last_[bit]].push_back(bit);
  }
  std::vector<size_t> free;
  for (size_t b = 0; b < plan_.blocks.size(); ++b) {
    for (const Bit bit : born[b]) {
      if (free.empty()) free.push_back(slots_++);
      slot_[bit] = free.back();
      free.pop_back();
    }
    for (const Bit bit : dead[b]) free.push_back(slot_[bit]);
  }
  for (size_t g = 0; g < saved_.size(); ++g) {
    if (saved_[g] == 0) continue;
    for (const size_t r : plan_.groups[g].registers) saved_slot_[r] = slots_++;
  }
}

// ---------------------------------------------------------------------------------------- text --
std::string Functions::value(Bit bit) const {
  if (!sources_[bit].empty()) return sources_[bit];
  return local(bit, block_) ? fmt::format("v{}", bit) : fmt::format("t[{}]", slot_[bit]);
}

// C text of the condition.
std::string Functions::test_of(const Condition& condition) const {
  std::string test;
  for (const Condition::Term& term : condition.terms) {
    if (!test.empty()) test += " || ";
    const std::string awake = term.unit == 0 ? "" : fmt::format("s->awake[{}]", term.unit);
    if (term.whole) {
      test += awake;
      continue;
    }
    std::string any = value(term.enables[0]);
    for (size_t k = 1; k < term.enables.size(); k += 2) {
      any = k + 1 < term.enables.size()
                ? fmt::format("L3({}, {}, {}, 0xfe)", any, value(term.enables[k]),
                              value(term.enables[k + 1]))
                : fmt::format("({} | {})", any, value(term.enables[k]));
    }
    test += awake.empty() ? fmt::format("ANY({}, s->active)", any)
                          : fmt::format("({} && ANY({}, s->active))", awake, any);
  }
  return test;
}

// C text of the tiles for which a condition holds.
std::string Functions::tiles_of(const Condition& condition) const {
  if (condition.terms.empty()) return "ONES";
  std::string tiles = "ZERO";
  for (const Condition::Term& term : condition.terms) {
    if (term.whole) {
      tiles = fmt::format("({} | {})", tiles, value(plan_.wakes[term.unit]));
      continue;
    }
    for (const Bit enable : term.enables) {
      tiles =
          fmt::format("L3({}, {}, {}, 0xf8)", tiles, value(enable), value(plan_.wakes[term.unit]));
    }
  }
  return tiles;
}

void Functions::write_function(size_t function) {
  std::string text = fmt::format(
      "void OW_NAME({}_f{})(OwState* restrict s, V* restrict t) {{\nV* const q = s->q;\n(void)t;\n",
      name_, function);
  const auto first = std::lower_bound(function_of_.begin(), function_of_.end(), function);
  for (auto b = static_cast<size_t>(first - function_of_.begin());
       b < function_of_.size() && function_of_[b] == function; ++b) {
    write_block(b, &text);
  }
  texts_.push_back(text + "}\n");
}

void Functions::write_block(size_t b, std::string* text) {
  block_ = b;
  const Block& block = plan_.blocks[b];
  const Condition& condition = plan_.conditions[block.condition];
  if (block.condition != 0) *text += fmt::format("if ({}) {{\n", test_of(condition));
  ++step_;
  for (const Step& step : block.steps) {
    ++step_;
    switch (step.kind) {
      case Step::Kind::Table:
        write_table(static_cast<Bit>(step.index), text);
        break;
      case Step::Kind::Flag:
        *text += fmt::format("s->awake[{}] = ANY({}, s->active);\n", step.index,
                             value(plan_.wakes[step.index]));
        break;
      case Step::Kind::Read:
        write_read(step, block.condition, text);
        break;
      case Step::Kind::Save:
        write_save(plan_.groups[step.index], text);
        break;
      case Step::Kind::Commit:
        write_commit(plan_.groups[step.index], step.index, text);
        break;
    }
  }
  if (block.condition != 0) *text += "}\n";
}

void Functions::write_table(Bit bit, std::string* text) const {
  *text += fmt::format("const V v{} = {};\n", bit, table_text(plan_.cover.tables[bit]));
  if (in_memory_[bit] != 0) *text += fmt::format("t[{}] = v{};\n", slot_[bit], bit);
}

// An instruction for any table writes its first operand, and reads its last one from a register or
// from memory. So first comes a value that nothing reads later, else one from memory; last one from
// memory.
std::string Functions::table_text(const Node& table) const {
  if (table.inputs == 0) return table.table == 0 ? "ZERO" : "ONES";
  if (table.inputs == 1) {
    const std::string in = value(table.in[0]);
    return table.table == kTableA ? in : fmt::format("L1({})", in);
  }
  constexpr std::array<uint8_t, 3> kVariables = {kTableA, kTableB, kTableC};
  std::array<size_t, 3> order = {0, 1, 2};
  const auto in_memory = [&](size_t k) {
    return !sources_[table.in[k]].empty() || !local(table.in[k], block_);
  };
  const auto rank = [&](size_t k) {  // for the first place
    if (in_memory(k)) return 1;
    return last_local_[table.in[k]] == step_ ? 2 : 0;
  };
  const auto end = order.begin() + table.inputs;
  std::iter_swap(order.begin(), std::max_element(order.begin(), end, [&](size_t x, size_t y) {
                   return rank(x) < rank(y);
                 }));
  if (table.inputs == 3 && in_memory(order[1])) std::swap(order[1], order[2]);
  std::array<uint8_t, 3> places{};
  for (size_t k = 0; k < 3; ++k) places[order[k]] = kVariables[k];
  const uint8_t ordered = compose(table.table, places);
  const std::string a = value(table.in[order[0]]), b = value(table.in[order[1]]);
  if (table.inputs == 3) {
    return fmt::format("L3({}, {}, {}, 0x{:02x})", a, b, value(table.in[order[2]]), ordered);
  }
  // Those with an instruction of their own, which writes another register than it reads.
  switch (ordered) {
    case kTableA& kTableB:
      return fmt::format("({} & {})", a, b);
    case kTableA | kTableB:
      return fmt::format("({} | {})", a, b);
    case kTableA ^ kTableB:
      return fmt::format("({} ^ {})", a, b);
    default:
      return fmt::format("L2({}, {}, 0x{:02x})", a, b,
                         compose(ordered, {kTableA, kTableC, kTableC}));
  }
}

void Functions::write_words(const char* name, const Word& word, std::string* text) const {
  *text += fmt::format("const V {}[] = {{", name);
  for (size_t k = 0; k < word.size(); ++k) *text += (k == 0 ? "" : ", ") + value(word[k]);
  *text += "};\n";
}

void Functions::write_read(const Step& step, size_t condition, std::string* text) const {
  const Bank& bank = design_.banks[step.index];
  const Bank::Read& read = bank.reads[step.port];
  *text += "{\n";
  write_words("a", read.address, text);
  *text += fmt::format("OW_NAME(ow_wide_read)(s->bank[{}], {}, {}, {}, a, {}, s->m + {});\n}}\n",
                       step.index, bank.words, tiles_of(plan_.conditions[condition]),
                       read.address.size(), read.data.size(), first_words_[step.index][step.port]);
}

std::string Functions::next_value(const Group& group, size_t r, const std::string& enable) const {
  const Register& reg = plan_.registers[r];
  if (group.enable == kTrue) return value(reg.d);
  return fmt::format("MUX({}, {}, q[{}])", enable, value(reg.d), r);
}

// What the registers take was made only if an active tile enables them. Another tile may enable
// them too, and would take what was not made.
void Functions::write_save(const Group& group, std::string* text) const {
  const std::string enable = fmt::format("({} & s->active)", value(group.enable));
  for (const size_t r : group.registers) {
    *text += fmt::format("t[{}] = {};\n", saved_slot_[r], next_value(group, r, enable));
  }
}

// A register that is written may be what another one takes, or the enable of its group. Then all
// next values are made before the first one is written.
void Functions::write_commit(const Group& group, size_t number, std::string* text) const {
  if (group.bank >= 0) return write_bank(group, text);
  if (saved_[number] != 0) {
    for (const size_t r : group.registers) {
      *text += fmt::format("q[{}] = t[{}];\n", r, saved_slot_[r]);
    }
    return;
  }
  std::vector<Bit> own;
  for (const size_t r : group.registers) own.push_back(plan_.registers[r].q);
  std::sort(own.begin(), own.end());
  const auto is_own = [&own](Bit bit) { return std::binary_search(own.begin(), own.end(), bit); };
  const bool moves =
      is_own(group.enable) ||
      std::any_of(group.registers.begin(), group.registers.end(), [&](size_t r) {
        return plan_.registers[r].d != plan_.registers[r].q && is_own(plan_.registers[r].d);
      });
  const std::string enable = value(group.enable);
  if (!moves) {
    for (const size_t r : group.registers) {
      *text += fmt::format("q[{}] = {};\n", r, next_value(group, r, enable));
    }
    return;
  }
  *text += "{\n";
  for (const size_t r : group.registers) {
    *text += fmt::format("const V n{} = {};\n", r, next_value(group, r, enable));
  }
  for (const size_t r : group.registers) *text += fmt::format("q[{}] = n{};\n", r, r);
  *text += "}\n";
}

void Functions::write_bank(const Group& group, std::string* text) const {
  const auto b = static_cast<size_t>(group.bank);
  const Bank& bank = design_.banks[b];
  for (const Bank::Write& write : bank.writes) {
    *text += "{\n";
    write_words("a", write.address, text);
    const bool whole = std::all_of(write.enable.begin(), write.enable.end(),
                                   [&write](Bit bit) { return bit == write.enable[0]; });
    const Word enable = whole ? Word{write.enable[0]} : write.enable;
    write_words("e", enable, text);
    write_words("d", write.data, text);
    *text += fmt::format("OW_NAME(ow_wide_write)(s->bank[{}], {}, {}, a, {}, {}, e, d);\n}}\n", b,
                         bank.words, write.address.size(), write.data.size(), enable.size());
  }
}

}  // namespace ow::simgen
