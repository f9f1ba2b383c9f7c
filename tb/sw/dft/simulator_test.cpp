// SPDX-License-Identifier: Apache-2.0
// The fault simulator against one machine at a time, computed the simple way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/dft/simulator.h"

namespace ow::faults {
namespace {

Netlist parse(const std::string& text) {
  std::istringstream in("openwafer-netlist 1\n" + text);
  return Netlist::read(in, "text");
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const BadInput& e) {
    return e.what();
  }
  return "";
}

// One machine: every gate in every cycle.
class Scalar {
 public:
  Scalar(const Netlist& n, const Fault* fault, const Simulation& start)
      : n_(n), fault_(fault), values_(n.nets, false) {
    values_[kOne] = true;
    for (const Dff& d : n.dffs) values_[d.q] = bit_of(start.value(d.q), 0);
    for (size_t b = 0; b < n.banks.size(); ++b) {
      banks_.emplace_back();
      for (uint32_t row = 0; row < n.banks[b].rows; ++row) {
        banks_.back().push_back(start.bank_word(b, row, 0));
      }
      for (const Net net : n.banks[b].rdata) values_[net] = bit_of(start.value(net), 0);
    }
    for (uint32_t d = 0; d < n.dffs.size(); ++d)
      values_[n.dffs[d].q] = out(true, d, values_[n.dffs[d].q]);
  }
  void set(Net net, bool value) { values_[net] = value; }
  bool value(Net net) const { return values_[net]; }
  void settle() {
    for (uint32_t g = 0; g < n_.gates.size(); ++g) {
      const Gate& gate = n_.gates[g];
      const bool a = in(g, 0), b = in(g, 1), c = in(g, 2), d = in(g, 3);
      bool y = false;
      switch (gate.type) {
        case GateType::Not:
          y = !a;
          break;
        case GateType::And:
          y = a && b;
          break;
        case GateType::Nand:
          y = !(a && b);
          break;
        case GateType::Or:
          y = a || b;
          break;
        case GateType::Nor:
          y = !(a || b);
          break;
        case GateType::Xor:
          y = a != b;
          break;
        case GateType::Xnor:
          y = a == b;
          break;
        case GateType::Mux:
          y = c ? b : a;
          break;
        case GateType::Nmux:
          y = !(c ? b : a);
          break;
        case GateType::Aoi3:
          y = !((a && b) || c);
          break;
        case GateType::Oai3:
          y = !((a || b) && c);
          break;
        case GateType::Aoi4:
          y = !((a && b) || (c && d));
          break;
        case GateType::Oai4:
          y = !((a || b) && (c || d));
          break;
      }
      values_[gate.out] = out(false, g, y);
    }
  }
  void clock() {
    std::vector<bool> next = values_;
    for (uint32_t d = 0; d < n_.dffs.size(); ++d) {
      bool v = values_[n_.dffs[d].d];
      if (fault_ != nullptr && fault_->dff && fault_->cell == d && fault_->pin == 0) {
        v = fault_->value;
      }
      next[n_.dffs[d].q] = out(true, d, v);
    }
    for (size_t b = 0; b < banks_.size(); ++b) {
      const Bank& bank = n_.banks[b];
      if (!values_[bank.req]) continue;
      uint32_t row = 0;
      for (size_t i = 0; i < bank.addr.size(); ++i) row |= uint32_t{values_[bank.addr[i]]} << i;
      uint64_t& word = banks_[b][row % bank.rows];
      for (int i = 0; i < 64; ++i) {
        if (!values_[bank.we]) {
          next[bank.rdata[i]] = (word >> i & 1) != 0;
        } else if (values_[bank.be[i / 8]]) {
          word = (word & ~(uint64_t{1} << i)) | uint64_t{values_[bank.wdata[i]]} << i;
        }
      }
    }
    values_ = next;
  }

 private:
  bool in(uint32_t gate, int pin) const {
    if (fault_ != nullptr && !fault_->dff && fault_->cell == gate && fault_->pin == pin) {
      return fault_->value;
    }
    return values_[n_.gates[gate].in[pin]];
  }
  bool out(bool dff, uint32_t cell, bool value) const {
    const bool here =
        fault_ != nullptr && fault_->dff == dff && fault_->cell == cell && fault_->pin == -1;
    return here ? fault_->value : value;
  }
  const Netlist& n_;
  const Fault* fault_;
  std::vector<bool> values_;
  std::vector<std::vector<uint64_t>> banks_;
};

// Random gates of every type, flip-flops, and a bank whose pins they drive.
std::string random_netlist(Rng* random) {
  constexpr int kInputs = 6, kDffs = 12, kGates = 91, kRows = 5;
  std::string text;
  int next = 2;
  std::vector<int> nets;
  text += "input in";
  for (int i = 0; i < kInputs; ++i) {
    text += fmt::format(" {}", next);
    nets.push_back(next++);
  }
  const int first_q = next;
  for (int i = 0; i < kDffs + 64; ++i) nets.push_back(next++);
  text += "\nblock b\n";
  const auto pick = [&] { return nets[random->below(nets.size())]; };
  const char* const types[] = {"NOT", "AND",  "NAND", "OR",   "NOR",  "XOR", "XNOR",
                               "MUX", "NMUX", "AOI3", "OAI3", "AOI4", "OAI4"};
  const int inputs[] = {1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4};
  for (int g = 0; g < kGates; ++g) {
    const size_t t = static_cast<size_t>(g) % 13;
    text += fmt::format("gate {} {}", types[t], next);
    for (int i = 0; i < inputs[t]; ++i) text += fmt::format(" {}", pick());
    text += "\n";
    nets.push_back(next++);
  }
  for (int i = 0; i < kDffs; ++i) text += fmt::format("dff {} {}\n", first_q + i, pick());
  text += fmt::format("bank {}", kRows);
  for (int i = 0; i < 2 + 8 + 3 + 64; ++i) text += fmt::format(" {}", pick());
  for (int i = 0; i < 64; ++i) text += fmt::format(" {}", first_q + kDffs + i);
  text += "\noutput out";
  for (int i = 0; i < 20; ++i) text += fmt::format(" {}", pick());
  return fmt::format("nets {}\n", next) + text + "\n";
}

TEST(FaultSimulator, EachMachineIsTheOneWithItsFault) {
  Rng random(7);
  for (int trial = 0; trial < 6; ++trial) {
    const Netlist n = parse(random_netlist(&random));
    const Plan plan(n);
    const std::vector<Fault> faults = sample_faults(n, kMachines - 1, trial);
    Simulation sim(plan, faults, 5);
    std::vector<Scalar> machines;
    machines.emplace_back(n, nullptr, sim);
    for (const Fault& f : faults) machines.emplace_back(n, &f, sim);
    const Port& in = *n.port("in");
    std::vector<bool> retired(machines.size(), false);
    for (int cycle = 0; cycle < 40; ++cycle) {
      if (cycle == 20) {
        Word some = all_machines(false);
        for (size_t m = 1; m < machines.size(); m += 2) {
          set_bit(&some, static_cast<int>(m), true);
          retired[m] = true;
        }
        sim.retire(some);
      }
      const uint64_t inputs = random.next();
      sim.set_port(in, inputs);
      sim.settle();
      for (size_t m = 0; m < machines.size(); ++m) {
        for (size_t i = 0; i < in.bits.size(); ++i) {
          machines[m].set(in.bits[i], (inputs >> i & 1) != 0);
        }
        machines[m].settle();
        for (Net net = 2; net < n.nets; ++net) {
          ASSERT_EQ(bit_of(sim.value(net), static_cast<int>(m)),
                    machines[retired[m] ? 0 : m].value(net))
              << "trial " << trial << " cycle " << cycle << " net " << net << ": "
              << (m == 0 ? "no fault" : describe(n, faults[m - 1]));
        }
      }
      for (Scalar& machine : machines) machine.clock();
      sim.clock();
    }
  }
}

TEST(FaultSimulator, FaultsAreEveryPinOnce) {
  const Netlist n =
      parse("nets 7\ninput a 2 3\nblock x\ngate AOI3 4 2 3 5\ndff 5 4\ngate NOT 6 4\noutput y 6\n");
  EXPECT_EQ(fault_count(n), 2u * (4 + 2 + 2));
  const auto all = sample_faults(n, fault_count(n), 3);
  std::set<std::string> words;
  for (const Fault& f : all) words.insert(describe(n, f));
  EXPECT_EQ(words.size(), fault_count(n));
  EXPECT_THROW(sample_faults(n, fault_count(n) + 1, 3), BadInput);
}

TEST(FaultSimulator, BadNetlistsAreRefused) {
  EXPECT_NE(error_of("nets 4\ngate AND 2 3 3\ngate NOT 3 2\n").find("loop"), std::string::npos);
  EXPECT_NE(error_of("nets 4\ninput a 2\ngate NOT 2 2\n").find("two drivers"), std::string::npos);
  EXPECT_NE(error_of("nets 4\ngate NOT 2 3\n").find("nothing drives net 3"), std::string::npos);
  EXPECT_NE(error_of("nets 4\ngate LUT 2 3\n").find("text:3"), std::string::npos);
  EXPECT_NE(error_of("nets 3\ngate NOT 2 3\n").find("net 3 of 3"), std::string::npos);
  EXPECT_NE(error_of("nets 9\ninput a 8\nnets 3\n").find("stands there twice"), std::string::npos);
  EXPECT_EQ(error_of("nets 4\ninput a 2\ngate AND 3 2 =1\n"), "");
}

}  // namespace
}  // namespace ow::faults
