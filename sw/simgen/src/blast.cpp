// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <unordered_map>
#include <unordered_set>

#include "cells.h"
#include "checks.h"
#include "ow/base/error.h"
#include "ow/simgen/design.h"

namespace ow::simgen {
namespace {

std::regex expression_of(const std::string& state) {
  try {
    return std::regex(state);
  } catch (const std::regex_error& e) {
    throw BadInput(fmt::format("--state: '{}' is no regular expression: {}", state, e.what()));
  }
}

class Blaster {
 public:
  Blaster(const Netlist& netlist, const BlastOptions& options)
      : netlist_(netlist), options_(options), holds_state_(expression_of(options.state)) {}

  Design run() {
    find_drivers();
    make_sources();
    need_clock();
    for (const Cell* cell : memories_) make_memory(*cell);
    for (const Cell* cell : registers_) make_registers(*cell);
    for (const Cell* cell : banks_) make_bank(*cell);
    for (const Table& table : tables_) finish_table(table);
    for (const Port& port : netlist_.ports) {
      if (port.name == options_.clock) continue;
      design_.ports.push_back({port.name, port.input, words(port.bits)});
    }
    name_state();
    design_.nets.assign(values_.begin(), values_.end());
    std::sort(design_.nets.begin(), design_.nets.end());
    return std::move(design_);
  }

 private:
  struct Driver {
    const Cell* cell = nullptr;
    size_t bit = 0;
  };

  // Each driver of nets, whatever it is, says so here.
  void drive(const std::string& what, const std::vector<Net>& nets) {
    for (const Net net : nets) {
      if (net < 0) throw BadInput(fmt::format("{}: drives a constant", what));
      if (!driven_.insert(net).second) {
        throw BadInput(fmt::format("{}: has two drivers", netlist_.name(net)));
      }
    }
  }

  void find_drivers() {
    for (const Cell& cell : netlist_.cells) {
      check(cell);
      if (cell.type == "$scopeinfo") continue;
      const bool logic = is_combinational(cell), memory = cell.type == "$mem_v2";
      const std::vector<Net>& nets = cell.port(logic ? "Y" : memory ? "RD_DATA" : "Q");
      drive(fmt::format("cell {} ({})", cell.name, cell.type), nets);
      if (memory) {
        memories_.push_back(&cell);
      } else if (register_type(cell) != nullptr) {
        registers_.push_back(&cell);
      } else {
        auto& drivers = logic ? drivers_ : latches_;
        for (size_t k = 0; k < nets.size(); ++k) drivers[nets[k]] = {&cell, k};
      }
    }
  }

  // Inputs, registers and what banks give.
  void make_sources() {
    values_[kNetZero] = kFalse;
    values_[kNetOne] = kTrue;
    for (const Port& port : netlist_.ports) {
      if (!port.input) continue;
      drive(fmt::format("port {}", port.name), port.bits);
      if (port.name == options_.clock) {
        if (port.bits.size() != 1)
          throw BadInput(fmt::format("{}: is a clock of {} bits", port.name, port.bits.size()));
        clock_ = port.bits[0];
        continue;
      }
      for (const Net net : port.bits) values_[net] = design_.logic.source();
    }
    for (const Cell* cell : registers_) {
      for (const Net net : cell->port("Q")) values_[net] = design_.logic.source();
    }
    for (const Cell* cell : memories_) {
      if (!is_bank(*cell)) continue;
      for (const Net net : cell->port("RD_DATA")) values_[net] = design_.logic.source();
    }
  }

  // Else a clock that is the constant 0 would be taken for the one that is not there.
  void need_clock() const {
    const auto written = [](const Cell* memory) { return memory->number("WR_PORTS") > 0; };
    const bool needed =
        !registers_.empty() || std::any_of(memories_.begin(), memories_.end(), written);
    if (!needed || clock_ != kNetZero) return;
    throw BadInput(fmt::format("{}: has no input {}, the clock of its registers and memories",
                               netlist_.top, options_.clock));
  }

  // ------------------------------------------------------------------------------------- logic --
  // The value of a net. Makes what drives it, and what drives that, without recursion: a chain of
  // logic may be longer than a stack.
  Bit value(Net net) {
    const auto known = values_.find(net);
    if (known != values_.end()) return known->second;
    std::vector<Net> stack = {net};
    while (!stack.empty()) {
      const Net top = stack.back();
      if (values_.count(top) != 0) {
        stack.pop_back();
        continue;
      }
      const auto driver = drivers_.find(top);
      if (driver == drivers_.end()) {
        const auto memory = reads_.find(top);
        if (memory == reads_.end()) refuse_net(top);
        make_read(top, memory->second, &stack);
        continue;
      }
      const Cell& cell = *driver->second.cell;
      const size_t bit = driver->second.bit;
      if (!wait_for(top, inputs_of(cell, bit), &stack)) make(cell, bit, top);
    }
    return values_.at(net);
  }

  [[noreturn]] void refuse_net(Net net) const {
    if (net == clock_) throw BadInput("the clock: is read by logic");
    if (latches_.count(net) != 0) {
      latches_.at(net).cell->refuse("is a latch that is read by other than a clock gate");
    }
    throw BadInput(fmt::format("{}: has no driver", netlist_.name(net)));
  }

  // Puts what `net` needs and is not known yet on the stack; false if there is nothing.
  bool wait_for(Net net, const std::vector<Net>& inputs, std::vector<Net>* stack) {
    const size_t before = stack->size();
    for (const Net input : inputs) {
      if (values_.count(input) != 0) continue;
      if (input == net || open_.count(input) != 0) {
        throw BadInput(fmt::format("{}: is part of a loop of logic", netlist_.name(input)));
      }
      stack->push_back(input);
    }
    if (stack->size() == before) {
      open_.erase(net);
      return false;
    }
    open_[net] = true;
    return true;
  }

  void make(const Cell& cell, size_t bit, Net net) {
    const auto values = [this](Net input) { return values_.at(input); };
    if (is_bitwise(cell)) {
      values_[net] = make_bit(&design_.logic, cell, bit, values);
      return;
    }
    const Word word = make_word(&design_.logic, cell, values);
    for (size_t k = 0; k < word.size(); ++k) values_[cell.port("Y")[k]] = word[k];
  }

  Word words(const std::vector<Net>& nets) {
    Word word(nets.size());
    std::transform(nets.begin(), nets.end(), word.begin(), [this](Net net) { return value(net); });
    return word;
  }

  // 1 where the clock of a cell runs: the enable of its clock gate.
  Bit wake_of(const Cell& cell, Net clock) {
    if (clock == clock_) return kTrue;
    const auto driver = drivers_.find(clock);
    if (driver != drivers_.end() && driver->second.cell->type == "$and") {
      const Cell& gate = *driver->second.cell;
      const std::vector<Net> inputs = inputs_of(gate, driver->second.bit);
      for (const size_t k : {size_t{0}, size_t{1}}) {
        const auto latch = latches_.find(inputs[1 - k]);
        if (inputs[k] == clock_ && latch != latches_.end() && opens_low(*latch->second.cell)) {
          return value(opened(*latch->second.cell, latch->second.bit));
        }
      }
    }
    cell.refuse(fmt::format("its clock {} is neither {} nor that behind a clock gate",
                            netlist_.name(clock), options_.clock));
  }

  // What the latch of a clock gate takes while it is open. Yosys may write this as a choice that
  // the clock makes.
  Net opened(const Cell& latch, size_t bit) const {
    const Net d = latch.port("D")[bit];
    const auto driver = drivers_.find(d);
    if (driver == drivers_.end() || driver->second.cell->type != "$mux") return d;
    const Cell& mux = *driver->second.cell;
    return mux.port("S").at(0) == clock_ ? mux.port("A")[driver->second.bit] : d;
  }

  bool opens_low(const Cell& latch) const {
    return latch.port("EN").at(0) == clock_ && !latch.flag("EN_POLARITY");
  }

  // ---------------------------------------------------------------------------------- registers --
  Bit with_polarity(const Cell& cell, const std::string& port, const char* parameter) {
    const Bit bit = value(cell.port(port).at(0));
    return cell.flag(parameter) ? bit : design_.logic.inverse(bit);
  }

  void make_registers(const Cell& cell) {
    const RegisterType type = *register_type(cell);
    if (!cell.flag("CLK_POLARITY")) cell.refuse("takes the falling edge of its clock");
    Logic& logic = design_.logic;
    const Bit wake = wake_of(cell, cell.port("CLK").at(0));
    Bit enable = type.enable ? with_polarity(cell, "EN", "EN_POLARITY") : kTrue;
    const Bit reset = type.reset ? with_polarity(cell, "SRST", "SRST_POLARITY") : kFalse;
    if (type.reset && !type.reset_needs_enable) enable = logic.any(enable, reset);
    enable = logic.all(enable, wake);
    const std::string begins = type.reset ? cell.digits("SRST_VALUE") : "";
    const std::vector<Net>& q = cell.port("Q");
    for (size_t k = 0; k < q.size(); ++k) {
      if (netlist_.ones.count(q[k]) != 0) cell.refuse("begins as another value than 0 (init)");
      Register r;
      r.q = values_.at(q[k]);
      r.d = value(cell.port("D")[k]);
      if (type.reset) {
        const bool one = begins[begins.size() - 1 - k] == '1';
        r.d = logic.choose(reset, one ? kTrue : kFalse, r.d);
      }
      r.enable = enable;
      r.wake = wake;
      const auto name = netlist_.names.find(q[k]);
      r.name =
          name != netlist_.names.end() ? name->second : BitName{cell.name, static_cast<int>(k)};
      design_.registers.push_back(r);
    }
  }

  // ----------------------------------------------------------------------------------- memories --
  static int64_t bits_of(const Cell& cell) { return cell.number("SIZE") * cell.number("WIDTH"); }
  bool is_bank(const Cell& cell) const {
    return bits_of(cell) >= options_.bank_bits && cell.number("WR_PORTS") > 0;
  }
  static std::vector<Net> part(const Cell& cell, const std::string& port, int64_t n,
                               int64_t width) {
    const auto first = cell.port(port).begin() + n * width;
    return {first, first + width};
  }
  static std::string memory_name(const Cell& cell) {
    std::string name = cell.digits("MEMID");
    if (name[0] == '\\') name.erase(0, 1);
    return name;
  }

  // The words of a memory that becomes registers: their present values.
  struct Table {
    const Cell* cell = nullptr;
    Word bits;  // of all words
  };

  void make_memory(const Cell& cell) {
    if (is_bank(cell)) {
      if (cell.number("OFFSET") != 0) cell.refuse("its first word is not number 0");
      banks_.push_back(&cell);
      return;
    }
    Table& table = tables_.emplace_back();
    table.cell = &cell;
    const bool writes = cell.number("WR_PORTS") > 0;
    for (int64_t n = 0; n < bits_of(cell); ++n) {
      const Bit first = cell.bit("INIT", n) ? kTrue : kFalse;
      table.bits.push_back(writes ? design_.logic.source() : first);
    }
    const int64_t width = cell.number("WIDTH");
    for (int64_t p = 0; p < cell.number("RD_PORTS"); ++p) {
      const std::vector<Net> data = part(cell, "RD_DATA", p, width);
      for (const Net net : data) reads_[net] = {tables_.size() - 1, p};
    }
  }

  struct Read {
    size_t table;
    int64_t port;
  };

  // The word that a port of a table reads; 0 before the first and beyond the last one.
  void make_read(Net net, const Read& read, std::vector<Net>* stack) {
    const Table& table = tables_[read.table];
    const int64_t width = table.cell->number("WIDTH"), size = table.cell->number("SIZE");
    const std::vector<Net> address =
        part(*table.cell, "RD_ADDR", read.port, table.cell->number("ABITS"));
    if (wait_for(net, address, stack)) return;
    Word select = words(address);
    Word bits(static_cast<size_t>(width * table.cell->number("OFFSET")), kFalse);
    bits.insert(bits.end(), table.bits.begin(), table.bits.begin() + width * size);
    size_t used = 0;  // bits of the address that lead to a word
    while (static_cast<size_t>(width) << used < bits.size()) ++used;
    const Word above(select.begin() + static_cast<std::ptrdiff_t>(std::min(used, select.size())),
                     select.end());
    select.resize(std::min(used, select.size()));
    bits.resize(static_cast<size_t>(width) << select.size(), kFalse);
    const Bit beyond = or_of(&design_.logic, above);
    Word word = pick(&design_.logic, bits, select, static_cast<size_t>(width));
    for (Bit& bit : word) bit = design_.logic.choose(beyond, kFalse, bit);
    const std::vector<Net> data = part(*table.cell, "RD_DATA", read.port, width);
    for (size_t k = 0; k < data.size(); ++k) values_[data[k]] = word[k];
  }

  std::vector<Bank::Write> writes_of(const Cell& cell) {
    std::vector<Bank::Write> writes;
    const int64_t width = cell.number("WIDTH"), address = cell.number("ABITS");
    for (int64_t p = 0; p < cell.number("WR_PORTS"); ++p) {
      Bank::Write write;
      write.wake = wake_of(cell, cell.port("WR_CLK").at(static_cast<size_t>(p)));
      write.address = words(part(cell, "WR_ADDR", p, address));
      for (const Net net : part(cell, "WR_EN", p, width)) {
        write.enable.push_back(design_.logic.all(value(net), write.wake));
      }
      write.data = words(part(cell, "WR_DATA", p, width));
      writes.push_back(std::move(write));
    }
    return writes;
  }

  void make_bank(const Cell& cell) {
    Bank bank;
    bank.name = memory_name(cell);
    bank.words = static_cast<int>(cell.number("SIZE"));
    for (int64_t p = 0; p < cell.number("RD_PORTS"); ++p) {
      bank.reads.push_back({words(part(cell, "RD_ADDR", p, cell.number("ABITS"))),
                            words(part(cell, "RD_DATA", p, cell.number("WIDTH")))});
    }
    bank.writes = writes_of(cell);
    design_.banks.push_back(std::move(bank));
  }

  // A word's registers take what is written to its address.
  void finish_table(const Table& table) {
    const std::vector<Bank::Write> writes = writes_of(*table.cell);
    if (writes.empty()) return;
    Logic& logic = design_.logic;
    const auto width = static_cast<size_t>(table.cell->number("WIDTH"));
    const std::string name = memory_name(*table.cell);
    const Bit wake = common_wake(writes);
    const auto first = static_cast<size_t>(table.cell->number("OFFSET"));
    for (size_t n = 0; n * width < table.bits.size(); ++n) {
      std::vector<Bit> here;  // whether a port writes this word
      for (const Bank::Write& write : writes) {
        Word number(write.address.size());
        for (size_t k = 0; k < number.size(); ++k) {
          number[k] = ((first + n) >> k & 1) != 0 ? kTrue : kFalse;
        }
        // A number with more bits than the address is that of a word that no port reaches.
        const bool reached = (first + n) >> number.size() == 0;
        here.push_back(reached ? equal(&logic, write.address, number) : kFalse);
      }
      for (size_t k = 0; k < width; ++k) {
        Register r;
        r.name = {fmt::format("{}[{}]", name, first + n), static_cast<int>(k)};
        r.q = r.d = table.bits[n * width + k];
        r.enable = kFalse;
        r.wake = wake;
        for (size_t p = 0; p < writes.size(); ++p) {
          const Bit takes = logic.all(here[p], writes[p].enable[k]);
          r.d = p == 0 ? writes[p].data[k] : logic.choose(takes, writes[p].data[k], r.d);
          r.enable = logic.any(r.enable, takes);
        }
        design_.registers.push_back(r);
      }
    }
  }

  // ------------------------------------------------------------------------------------- names --
  void name_state() {
    for (const Signal& signal : netlist_.signals) {
      if (!std::regex_match(signal.name, holds_state_)) continue;
      StateSignal state{signal.name, {}};
      for (const Net net : signal.bits) state.bits.push_back(state_of(net));
      design_.signals.push_back(std::move(state));
    }
    for (const Table& table : tables_) {
      const auto width = static_cast<size_t>(table.cell->number("WIDTH"));
      StateSignal state{memory_name(*table.cell), {}};
      for (size_t end = table.bits.size(); end > 0; end -= width) {
        const auto word = table.bits.begin() + static_cast<std::ptrdiff_t>(end - width);
        state.bits.insert(state.bits.end(), word, word + static_cast<std::ptrdiff_t>(width));
      }
      design_.signals.push_back(std::move(state));
    }
  }

  Bit state_of(Net net) const {
    const auto at = values_.find(net);
    if (at == values_.end()) return kNoState;
    return at->second <= kTrue || design_.logic.is_source(at->second) ? at->second : kNoState;
  }

  const Netlist& netlist_;
  const BlastOptions& options_;
  const std::regex holds_state_;
  Design design_;
  Net clock_ = kNetZero;
  std::unordered_set<Net> driven_;
  std::unordered_map<Net, Driver> drivers_;  // by combinational cells
  std::unordered_map<Net, Bit> values_;
  std::unordered_map<Net, bool> open_;  // being made: what they need is on the stack
  std::unordered_map<Net, Driver> latches_;
  std::unordered_map<Net, Read> reads_;
  std::vector<const Cell*> registers_, memories_, banks_;
  std::vector<Table> tables_;
};

}  // namespace

Bit common_wake(const std::vector<Bank::Write>& writes) {
  const Bit first = writes.front().wake;
  const auto same = [first](const Bank::Write& write) { return write.wake == first; };
  return std::all_of(writes.begin(), writes.end(), same) ? first : kTrue;
}

Design blast(const Netlist& netlist, const BlastOptions& options) {
  return Blaster(netlist, options).run();
}

}  // namespace ow::simgen
