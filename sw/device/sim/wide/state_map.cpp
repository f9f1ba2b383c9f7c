// SPDX-License-Identifier: Apache-2.0
#include "state_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "ow/base/error.h"

namespace ow::wide {
namespace {

// Registers that at times hold something without a meaning: a choice without the value that came,
// or a word beyond the end of an array. Yosys and Verilator then take different bits.
constexpr const char* kFree[] = {"u_core.gen_pipeline.u_pipeline.u_write.insn_q",
                                 "u_core.gen_pipeline.u_pipeline.x_q",
                                 "u_engine.gen_beats.u_back.u_beats.m_q",
                                 "u_engine.gen_beats.u_back.u_execute.u_datapath.what_a_q",
                                 "u_engine.gen_beats.u_back.u_execute.u_datapath.what_n_q",
                                 "u_engine.gen_beats.u_back.u_execute.u_datapath.what_r_q",
                                 "u_engine.gen_beats.u_back.u_execute.u_flight.at_q",
                                 "u_engine.gen_beats.u_front.u_threads.u_contexts.s_ctx_q",
                                 "u_sram.unit_q"};

}  // namespace

StateMap::StateMap(const ow_wide_names& names, const StateLayout& layout)
    : words(layout.words()), known(layout.words(), 0) {
  std::map<std::string, const ow_wide_signal*> signals;
  for (int k = 0; k < names.signal_count; ++k) signals[names.signals[k].name] = &names.signals[k];
  std::map<std::string, size_t> banks_by_name;
  for (int b = 0; b < names.bank_count; ++b) {
    banks_by_name[names.banks[b].name] = static_cast<size_t>(b);
  }
  std::vector<uint8_t> found(static_cast<size_t>(names.register_count), 0);
  // Only a tile without InputRegs has registers of what leaves it, and of whether it rests.
  for (int k = 0; k < names.output_count; ++k) {
    found[static_cast<size_t>(names.outputs[k].reg)] = 1;
  }
  for (size_t s = 0; s < layout.signals().size(); ++s) {
    const StateSignal& signal = layout.signals()[s];
    const size_t first = layout.first(s);
    if (const auto bank = banks_by_name.find(signal.name); bank != banks_by_name.end()) {
      banks.push_back({bank->second, first, signal.elements});
      std::fill_n(known.begin() + static_cast<std::ptrdiff_t>(first), signal.elements,
                  ~uint64_t{0});
      continue;
    }
    const auto at = signals.find(signal.name);
    if (at == signals.end()) continue;  // nothing depends on it
    const ow_wide_signal& own = *at->second;
    const bool is_free =
        std::find(std::begin(kFree), std::end(kFree), signal.name) != std::end(kFree);
    const auto bits_of_element = static_cast<size_t>(signal.bits);
    if (static_cast<size_t>(own.bits) != signal.elements * bits_of_element) {
      throw InternalError(fmt::format("{}: {} bits in the wide model, {} in the Verilated one",
                                      signal.name, own.bits, signal.elements * bits_of_element));
    }
    for (size_t n = 0; n < static_cast<size_t>(own.bits); ++n) {
      const int place = names.places[static_cast<size_t>(own.first) + n];
      const size_t bit = n % bits_of_element;
      const size_t element = signal.elements - 1 - n / bits_of_element;
      const Bit here{static_cast<size_t>(place),
                     first + element * signal.element_words() + bit / 64,
                     static_cast<int>(bit % 64)};
      if (!is_free && (place >= 0 || place == OW_WIDE_ZERO))
        known[here.word] |= uint64_t{1} << here.bit;
      if (place == OW_WIDE_ONE)
        ones.push_back(here);  // 0 before its first write, which nobody sees
      if (place < 0) continue;
      bits.push_back(here);
      found[here.reg] = 1;
    }
  }
  for (size_t r = 0; r < found.size(); ++r) {
    const std::string name = names.registers[r].signal;
    if (found[r] != 0 || name == kIdles) continue;
    throw InternalError(
        fmt::format("{}[{}]: a Verilated tile has no such register", name, names.registers[r].bit));
  }
}

}  // namespace ow::wide
