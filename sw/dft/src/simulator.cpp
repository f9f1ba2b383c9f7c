// SPDX-License-Identifier: Apache-2.0
#include "ow/dft/simulator.h"

#include "ow/base/error.h"
#include "ow/base/rng.h"

namespace ow::faults {
namespace {

inline Word evaluate(GateType type, const Word& a, const Word& b, const Word& c, const Word& d) {
  switch (type) {
    case GateType::Not:
      return ~a;
    case GateType::And:
      return a & b;
    case GateType::Nand:
      return ~(a & b);
    case GateType::Or:
      return a | b;
    case GateType::Nor:
      return ~(a | b);
    case GateType::Xor:
      return a ^ b;
    case GateType::Xnor:
      return ~(a ^ b);
    case GateType::Mux:
      return a ^ ((a ^ b) & c);
    case GateType::Nmux:
      return ~(a ^ ((a ^ b) & c));
    case GateType::Aoi3:
      return ~((a & b) | c);
    case GateType::Oai3:
      return ~((a | b) & c);
    case GateType::Aoi4:
      return ~((a & b) | (c & d));
    case GateType::Oai4:
      return ~((a | b) & (c | d));
  }
  return a;
}

}  // namespace

Plan::Plan(const Netlist& netlist) : netlist_(netlist) {
  const auto gates = static_cast<uint32_t>(netlist.gates.size());
  first_sink_.assign(netlist.nets + 1, 0);
  const auto each = [&](auto call) {
    for (uint32_t g = 0; g < gates; ++g) {
      const Gate& gate = netlist.gates[g];
      for (int i = 0; i < gate_inputs(gate.type); ++i) {
        bool again = false;
        for (int k = 0; k < i; ++k) again |= gate.in[k] == gate.in[i];
        if (!again) call(gate.in[i], g);
      }
    }
    for (uint32_t d = 0; d < netlist.dffs.size(); ++d) call(netlist.dffs[d].d, gates + d);
  };
  each([&](Net net, uint32_t) { ++first_sink_[net + 1]; });
  for (size_t net = 0; net < netlist.nets; ++net) first_sink_[net + 1] += first_sink_[net];
  sinks_.resize(first_sink_.back());
  std::vector<uint32_t> next(first_sink_.begin(), first_sink_.end() - 1);
  each([&](Net net, uint32_t sink) { sinks_[next[net]++] = sink; });
}

Simulation::Simulation(const Plan& plan, const std::vector<Fault>& faults, uint64_t power_up)
    : plan_(plan), netlist_(plan.netlist()) {
  if (faults.size() >= kMachines) throw BadInput("too many faults for one simulation");
  const Netlist& n = netlist_;
  values_.assign(n.nets, all_machines(false));
  values_[kOne] = all_machines(true);
  gate_stuck_.assign(n.gates.size(), -1);
  dff_stuck_.assign(n.dffs.size(), -1);
  for (size_t i = 0; i < faults.size(); ++i) {
    const Fault& f = faults[i];
    int32_t& at = f.dff ? dff_stuck_[f.cell] : gate_stuck_[f.cell];
    if (at < 0) {
      at = static_cast<int32_t>(stuck_.size());
      stuck_.emplace_back();
    }
    Stuck s = {f.pin, all_machines(false), all_machines(false)};
    set_bit(&s.mask, static_cast<int>(i + 1), true);
    if (f.value) s.ones = s.mask;
    stuck_[static_cast<size_t>(at)].push_back(s);
  }
  uint64_t random = power_up;
  const auto coin = [&] { return (mix64(random++) >> 17 & 1) != 0; };
  for (size_t i = 0; i < n.dffs.size(); ++i) {
    Word q = all_machines(coin());
    if (dff_stuck_[i] >= 0) q = with_fault(stuck_[static_cast<size_t>(dff_stuck_[i])], -1, q);
    values_[n.dffs[i].q] = q;
  }
  for (const Bank& b : n.banks) {
    Memory m;
    m.bits.resize(size_t{64} * b.rows);
    for (Word& w : m.bits) w = all_machines(coin());
    m.rdata.resize(64);
    for (size_t i = 0; i < 64; ++i) {
      m.rdata[i] = all_machines(coin());
      if (b.rdata[i] > kOne) values_[b.rdata[i]] = m.rdata[i];
    }
    memories_.push_back(std::move(m));
  }
  dirty_.assign(n.gates.size() / 64 + 1, 0);
  dirty_dffs_.assign(n.dffs.size() / 64 + 1, 0);
  for (size_t g = 0; g < n.gates.size(); ++g) dirty_[g / 64] |= uint64_t{1} << (g % 64);
  for (size_t d = 0; d < n.dffs.size(); ++d) dirty_dffs_[d / 64] |= uint64_t{1} << (d % 64);
}

inline Word Simulation::with_fault(const std::vector<Stuck>& stuck, int pin, Word value) const {
  for (const Stuck& s : stuck) {
    if (s.pin == pin) value = (value & ~s.mask) | s.ones;
  }
  return value;
}

inline void Simulation::touch(Net net) {
  const auto gates = static_cast<uint32_t>(netlist_.gates.size());
  const uint32_t end = plan_.first_sink_[net + 1];
  for (uint32_t i = plan_.first_sink_[net]; i < end; ++i) {
    const uint32_t sink = plan_.sinks_[i];
    if (sink < gates) {
      dirty_[sink / 64] |= uint64_t{1} << (sink % 64);
    } else {
      dirty_dffs_[(sink - gates) / 64] |= uint64_t{1} << ((sink - gates) % 64);
    }
  }
}

inline void Simulation::assign(Net net, const Word& value) {
  if (!any(values_[net] ^ value)) return;
  values_[net] = value;
  touch(net);
}

void Simulation::set_input(Net net, const Word& value) {
  if (net > kOne) assign(net, value);
}

void Simulation::set_port(const Port& port, uint64_t value) {
  for (size_t i = 0; i < port.bits.size(); ++i) {
    set_input(port.bits[i], all_machines((value >> i & 1) != 0));
  }
}

inline Word Simulation::compute(uint32_t gate) {
  const Gate& g = netlist_.gates[gate];
  return evaluate(g.type, values_[g.in[0]], values_[g.in[1]], values_[g.in[2]], values_[g.in[3]]);
}

Word Simulation::compute_faulty(uint32_t gate) {
  const Gate& g = netlist_.gates[gate];
  const std::vector<Stuck>& stuck = stuck_[static_cast<size_t>(gate_stuck_[gate])];
  const Word out = evaluate(
      g.type, with_fault(stuck, 0, values_[g.in[0]]), with_fault(stuck, 1, values_[g.in[1]]),
      with_fault(stuck, 2, values_[g.in[2]]), with_fault(stuck, 3, values_[g.in[3]]));
  return with_fault(stuck, -1, out);
}

void Simulation::settle() {
  // Gates are in topological order, so a gate makes only later gates dirty.
  const size_t words = dirty_.size();
  for (size_t k = 0; k < words; ++k) {
    while (dirty_[k] != 0) {
      const int bit = __builtin_ctzll(dirty_[k]);
      dirty_[k] &= dirty_[k] - 1;
      const auto gate = static_cast<uint32_t>(64 * k + static_cast<size_t>(bit));
      ++evaluations_;
      const Word out = gate_stuck_[gate] < 0 ? compute(gate) : compute_faulty(gate);
      assign(netlist_.gates[gate].out, out);
    }
  }
}

void Simulation::clock() {
  pending_.clear();
  for (size_t b = 0; b < memories_.size(); ++b) clock_bank(b);
  for (size_t k = 0; k < dirty_dffs_.size(); ++k) {
    while (dirty_dffs_[k] != 0) {
      const int bit = __builtin_ctzll(dirty_dffs_[k]);
      dirty_dffs_[k] &= dirty_dffs_[k] - 1;
      const size_t i = 64 * k + static_cast<size_t>(bit);
      const Dff& d = netlist_.dffs[i];
      Word q = values_[d.d];
      if (dff_stuck_[i] >= 0) {
        const std::vector<Stuck>& stuck = stuck_[static_cast<size_t>(dff_stuck_[i])];
        q = with_fault(stuck, -1, with_fault(stuck, 0, q));
      }
      if (any(values_[d.q] ^ q)) pending_.emplace_back(d.q, q);
    }
  }
  for (const auto& [net, value] : pending_) {
    values_[net] = value;
    touch(net);
  }
}

// One row in the machines `who`: bytes are written or the row is read.
void Simulation::access(Memory* memory, const Bank& bank, uint32_t row, const Word& who) {
  if (row >= bank.rows) row %= bank.rows;  // a row beyond the bank aliases another one
  Word* bits = &memory->bits[size_t{64} * row];
  const Word write = values_[bank.we] & who, read = who & ~values_[bank.we];
  if (any(write)) {
    for (int byte = 0; byte < 8; ++byte) {
      const Word mask = write & values_[bank.be[byte]];
      if (!any(mask)) continue;
      for (int i = 8 * byte; i < 8 * byte + 8; ++i) {
        bits[i] ^= (bits[i] ^ values_[bank.wdata[i]]) & mask;
      }
    }
  }
  if (any(read)) {
    for (int i = 0; i < 64; ++i) {
      memory->rdata[static_cast<size_t>(i)] ^=
          (memory->rdata[static_cast<size_t>(i)] ^ bits[i]) & read;
    }
  }
}

void Simulation::clock_bank(size_t index) {
  const Bank& bank = netlist_.banks[index];
  Memory* memory = &memories_[index];
  Word left = values_[bank.req];
  if (!any(left)) return;
  while (any(left)) {
    // The machines that want the same row as the first one of those left.
    int first = 0;
    for (int k = 0; k < kParts; ++k) {
      if (left[k] != 0) {
        first = 64 * k + __builtin_ctzll(left[k]);
        break;
      }
    }
    uint32_t row = 0;
    Word same = left;
    for (size_t i = 0; i < bank.addr.size(); ++i) {
      const Word& bit = values_[bank.addr[i]];
      if (bit_of(bit, first)) {
        row |= 1u << i;
        same &= bit;
      } else {
        same &= ~bit;
      }
    }
    access(memory, bank, row, same);
    left &= ~same;
  }
  for (size_t i = 0; i < 64; ++i) {
    const Net net = bank.rdata[i];
    if (net > kOne && any(values_[net] ^ memory->rdata[i])) {
      pending_.emplace_back(net, memory->rdata[i]);
    }
  }
}

void Simulation::retire(const Word& machines) {
  const auto like_good = [&](Word* w) { *w ^= unlike_good(*w) & machines; };
  for (auto& stuck : stuck_) {
    for (Stuck& s : stuck) {
      s.mask &= ~machines;
      s.ones &= ~machines;
    }
  }
  // Gates and flip-flops that wait to be computed still wait: their result is the same in machine 0
  // and in the machines that are now equal to it.
  for (Word& w : values_) like_good(&w);
  for (Memory& m : memories_) {
    for (Word& w : m.bits) like_good(&w);
    for (Word& w : m.rdata) like_good(&w);
  }
}

uint64_t Simulation::bank_word(size_t bank, uint32_t row, int machine) const {
  uint64_t word = 0;
  for (size_t i = 0; i < 64; ++i) {
    word |= static_cast<uint64_t>(bit_of(memories_[bank].bits[size_t{64} * row + i], machine)) << i;
  }
  return word;
}

}  // namespace ow::faults
