// SPDX-License-Identifier: Apache-2.0
// What the core hands to the engine and to the tasks, and what has to wait for what.
#include <algorithm>

#include "ow/isa/isa.h"
#include "tile.h"

namespace ow::conform {
namespace {

using ow_engine::Insn;
namespace reg = isa::reg;

constexpr int kQueues = 8;
constexpr uint32_t kSram = isa::kFull.sram_bytes;

uint32_t offset_of(uint32_t address) { return address - reg::kBase; }

ow_engine::Dsr dsr_of(const Iss::DescriptorWords& w) {
  using Kind = isa::Dsr0;
  ow_engine::Dsr d;
  d.kind = static_cast<int>(Kind::Kind::get(w[0]));
  d.type = static_cast<int>(Kind::Type::get(w[0]));
  d.q = static_cast<int>(Kind::Queue::get(w[0]));
  d.save = Kind::SaveAddress::get(w[0]);
  d.close = Kind::Close::get(w[0]);
  d.code = (Kind::CloseRowEnd::get(w[0]) ? ow_engine::kRowEnd : 0) |
           (Kind::CloseStreamEnd::get(w[0]) ? ow_engine::kStreamEnd : 0);
  d.skip = Kind::Skip::get(w[0]);
  d.tag = Kind::Tag::get(w[0]);
  d.addr = w[1];
  for (size_t k = 0; k < 4; ++k) {
    d.len[k] = static_cast<uint16_t>(isa::DsrDim::Length::get(w[2 + k]));
    d.step[k] = static_cast<int16_t>(isa::DsrDim::Step::get(w[2 + k]));
  }
  return d;
}

Insn insn_of(uint32_t word, uint32_t ctl, uint32_t value) {
  using Ctl = isa::TensorCtl;
  Insn i;
  i.op = static_cast<int>(word >> 25);
  i.ty = static_cast<int>(word >> 12 & 7);
  i.dst = static_cast<int>(Ctl::Dst::get(ctl));
  i.a = static_cast<int>(Ctl::A::get(ctl));
  i.b = static_cast<int>(Ctl::B::get(ctl));
  i.scalar = Ctl::Scalar::get(ctl);
  i.thread = static_cast<int>(Ctl::Thread::get(ctl));
  i.stoch = Ctl::Stochastic::get(ctl);
  i.fresh = Ctl::Fresh::get(ctl);
  i.done = static_cast<int>(Ctl::Done::get(ctl));
  i.task = static_cast<int>(Ctl::Task::get(ctl));
  i.value = value;
  return i;
}

}  // namespace

bool Tile::special(uint32_t word, bool* ran) {
  const uint32_t opcode = word & 0x7F, funct3 = word >> 12 & 7;
  const auto x = [&](unsigned at) { return iss_.x(word >> at & 31); };
  const bool thread_0 =
      std::any_of(waiting_.begin(), waiting_.end(), [](const Insn& i) { return i.thread == 0; });
  if (thread_0) {
    *ran = false;
    return true;
  }
  if (opcode == isa::kOpcodeTensor) {
    const Insn insn = insn_of(word, x(15), x(20));
    *ran = false;
    if (launch_waits(insn)) return true;
    if (const uint32_t cause = fault_of(insn)) {
      stop(insn, cause);
      return true;
    }
    if (!run_tensor(insn)) {
      waiting_.push_back(insn);
      if (insn.thread == 0) {
        // The core goes on when it is complete: it finds thread 0 free at the next instruction.
        iss_.go_to(iss_.pc() + 4);
        return true;
      }
    }
    iss_.go_to(iss_.pc() + 4);
    *ran = true;
    return true;
  }
  constexpr uint32_t kWfi = 0x10500073;
  if (word == kWfi && !(*wrong_)("wfi does nothing")) {
    asleep_ = ready_task() < 0;
    *ran = !asleep_;
    if (*ran) iss_.go_to(iss_.pc() + 4);
    return true;
  }
  if (opcode != isa::kOpcodeSystem) return false;
  const auto is = [&](isa::SysOp op) { return funct3 == static_cast<uint32_t>(op); };
  if (is(isa::SysOp::Dsrw) || is(isa::SysOp::Dsrl)) {
    *ran = false;
    return descriptor_is_used(x(is(isa::SysOp::Dsrw) ? 15 : 20) % isa::kNumDsrs);
  }
  if (!is(isa::SysOp::Next)) return false;
  *ran = next_task();
  asleep_ = !*ran;
  return true;
}

int Tile::ready_task() const {
  for (uint32_t task = 0; task < 32; ++task) {
    const auto entry = registers_.find(offset_of(reg::TaskEntry::address(task)));
    if (entry == registers_.end() || entry->second == 0 || (blocked_ >> task & 1) != 0) continue;
    if (task >= isa::kFirstLocalTask) {
      if ((activated_ >> task & 1) != 0) return static_cast<int>(task);
      continue;
    }
    const auto& queue = machine_.in[task % 8];
    if (queue.empty() || queue.front().ctrl != (task >= isa::kFirstControlTask)) continue;
    if (!queue_is_read(static_cast<int>(task % 8))) return static_cast<int>(task);
  }
  return -1;
}

ow_engine::Dsr Tile::dsr(int number) const {
  return dsr_of(iss_.descriptor(static_cast<unsigned>(number)));
}

bool Tile::reads_queue(const Insn& insn, int queue) const {
  const auto takes = [&](int number) {
    const ow_engine::Dsr d = dsr(number);
    return d.kind == ow_engine::kFabIn && d.q == queue;
  };
  return (ow_engine::has_a(insn.op) && takes(insn.a)) || (!insn.scalar && takes(insn.b));
}

bool Tile::queue_is_read(int queue) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Insn& i) { return reads_queue(i, queue); });
}

bool Tile::descriptor_is_used(uint32_t number) const {
  const auto n = static_cast<int>(number);
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Insn& i) { return i.dst == n || i.a == n || i.b == n; });
}

bool Tile::launch_waits(const Insn& insn) const {
  const auto by_weights = [](const Insn& i) {
    return i.op == ow_engine::kAxpyw || i.op == ow_engine::kDotw;
  };
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Insn& other) {
    if (other.thread == insn.thread || (other.stoch && insn.stoch)) return true;
    if (by_weights(other) && by_weights(insn)) return true;
    for (int q = 0; q < kQueues; ++q) {
      if (reads_queue(other, q) && reads_queue(insn, q)) return true;
    }
    return false;
  });
}

// ow.dsrw, ow.dsrr and ow.dsrl: the model of the core knows no elements of FIFOs.
void Tile::step_descriptor(uint32_t word) {
  const uint32_t funct3 = word >> 12 & 7, w = word >> 25 & 7;
  const bool reads = funct3 == static_cast<uint32_t>(isa::SysOp::Dsrr);
  const bool loads = funct3 == static_cast<uint32_t>(isa::SysOp::Dsrl);
  const uint32_t number = iss_.x(word >> (loads ? 20 : 15) & 31) % isa::kNumDsrs;
  iss_.step();
  const ow_engine::Dsr d = dsr(static_cast<int>(number));
  if (iss_.stopped() || d.kind != ow_engine::kFifo) return;
  auto& fifo = machine_.fifo[static_cast<size_t>(d.q) % isa::kNumFifos];
  if (reads && w == static_cast<uint32_t>(isa::DsrWord::Dim1)) {
    iss_.set_x(word >> 7 & 31, static_cast<uint32_t>(fifo.size()));
  } else if (!reads && (loads || w == static_cast<uint32_t>(isa::DsrWord::Dim0))) {
    fifo.clear();
  }
}

bool Tile::next_task() {
  const int ready = ready_task();
  if (ready < 0) return false;
  const auto task = static_cast<uint32_t>(ready);
  uint32_t argument = 0;
  if (task < isa::kFirstLocalTask) {
    auto& queue = machine_.in[task % 8];
    argument = queue.front().data;
    queue.pop_front();
  }
  activated_ &= ~(1u << task);
  iss_.set_x(isa::kNextLink, iss_.pc());
  iss_.set_x(isa::kNextArgument, argument);
  iss_.go_to(registers_[offset_of(reg::TaskEntry::address(task))]);
  return true;
}

// Only what the tests of faults have: an operation without the type, and sources and destinations
// of element-wise operations.
uint32_t Tile::fault_of(const Insn& insn) const {
  using ow_engine::Dsr;
  constexpr auto kIllegal = static_cast<uint32_t>(isa::EngineCause::Illegal);
  const auto op = static_cast<isa::TensorOp>(insn.op);
  const auto type = static_cast<isa::TensorType>(insn.ty);
  const bool function = op >= isa::TensorOp::Rcp && op <= isa::TensorOp::Sigmoid;
  const bool bits = op >= isa::TensorOp::And && op <= isa::TensorOp::Gate;
  if (isa::name_of(op) == nullptr) return kIllegal;
  if (function && type != isa::TensorType::F16 && type != isa::TensorType::BF16) return kIllegal;
  if (bits && type != isa::TensorType::I16 && type != isa::TensorType::I32) return kIllegal;
  if (op != isa::TensorOp::Mov) return 0;
  const Dsr a = dsr(insn.a), dst = dsr(insn.dst);
  if (insn.scalar || dst.kind != ow_engine::kMem) return 0;
  const auto bytes = static_cast<uint32_t>(ow_engine::src_bytes(insn));
  const bool memory = a.kind == ow_engine::kMem;
  if (a.kind == ow_engine::kNone || dst.len[0] == 0 || (memory && a.addr % bytes != 0)) {
    return static_cast<uint32_t>(isa::EngineCause::Descriptor);
  }
  const bool cache = (a.addr & ow_engine::kAcc) != 0;
  return memory && !cache && a.addr >= kSram ? static_cast<uint32_t>(isa::EngineCause::Address) : 0;
}

void Tile::stop(const Insn& insn, uint32_t cause, uint32_t address) {
  using F = reg::EngineFault;
  registers_[offset_of(F::kAddress)] =
      F::Fault::put(1) | F::Thread::put(insn.thread) | F::Cause::put(cause);
  stop_by(isa::ErrorSource::Engine, cause, static_cast<uint32_t>(insn.thread), address);
}

void Tile::stop_by(isa::ErrorSource source, uint32_t cause, uint32_t unit, uint32_t address) {
  using E = reg::Error;
  uint32_t& error = registers_[offset_of(E::kAddress)];
  if (error != 0) return;  // the first one stays
  error = E::Stopped::put(1) | E::Source::put(source) | E::Cause::put(cause) | E::Unit::put(unit);
  registers_[offset_of(reg::ErrorAddr::kAddress)] = address;
  registers_[offset_of(reg::ErrorPc::kAddress)] = iss_.pc();
  running_ = false;
}

bool Tile::run_tensor(const Insn& insn) {
  if (insn.op == ow_engine::kDrain) {
    if (drain_) return false;
    for (const uint32_t action :
         {reg::RedActLt::kAddress, reg::RedActEq::kAddress, reg::RedActGt::kAddress}) {
      using A = isa::RedAction;
      const uint32_t a = registers_[offset_of(action)];
      if (!A::In0::get(a) || !A::In1::get(a) || A::In0Q::get(a) != A::In1Q::get(a)) continue;
      stop_by(isa::ErrorSource::Reducer, 1, 0, 0);
      return true;
    }
    drain_ = insn;
    drained_ = stored_ = biases_ = 0;
    return true;
  }
  const ow_engine::Machine before = machine_;
  const auto rows = rows_;
  try {
    execute(insn);
  } catch (const ow_engine::Starved&) {
    machine_ = before;
    rows_ = rows;
    return false;
  } catch (const ow_engine::Outside& outside) {
    stop(insn, static_cast<uint32_t>(isa::EngineCause::Address), outside.address);
    return true;
  }
  complete(insn);
  return true;
}

void Tile::execute(const Insn& insn) {
  for (const int n : {insn.dst, insn.a, insn.b}) {
    machine_.dsr[static_cast<size_t>(n)] = dsr_of(iss_.descriptor(static_cast<unsigned>(n)));
  }
  if (insn.op == ow_engine::kAxpyw) {
    axpyw(insn);
    return;
  }
  if (insn.op == ow_engine::kDotw) {
    dotw(insn);
    return;
  }
  ow_engine::Model(&machine_).run(insn);
  for (const int n : {insn.dst, insn.a, insn.b}) {
    Iss::DescriptorWords words = iss_.descriptor(static_cast<unsigned>(n));
    if (!machine_.dsr[static_cast<size_t>(n)].save) continue;
    words[1] = machine_.dsr[static_cast<size_t>(n)].addr;
    iss_.set_descriptor(static_cast<unsigned>(n), words);
  }
}

void Tile::complete(const Insn& insn) {
  if (insn.done == static_cast<int>(isa::Done::Activate)) activated_ |= 1u << insn.task;
  if (insn.done == static_cast<int>(isa::Done::Unblock)) blocked_ &= ~(1u << insn.task);
}

}  // namespace ow::conform
