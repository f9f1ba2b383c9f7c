// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

#include <algorithm>

#include "ow/isa/isa.h"

namespace ow::conform {
namespace {

using ow_engine::Insn;
namespace reg = isa::reg;

constexpr int kQueues = 8;
constexpr uint32_t kSram = isa::kFull.sram_bytes;
constexpr uint32_t kResetRandom[] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A};

uint32_t offset_of(uint32_t address) { return address - reg::kBase; }

// The number of an array's register at this offset.
template <typename Array>
std::optional<uint32_t> index_in(uint32_t offset, uint32_t count) {
  const uint32_t first = Array::kAddress - reg::kBase;
  if (offset < first || (offset - first) % Array::kStride != 0 ||
      (offset - first) / Array::kStride >= count) {
    return std::nullopt;
  }
  return (offset - first) / Array::kStride;
}

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

Tile::Tile(const Wrong* wrong) : wrong_(wrong), router_(wrong), iss_(this) {
  machine_.sram.assign(kSram, 0);
  std::copy_n(kResetRandom, 4, machine_.random.begin());
  registers_[offset_of(reg::Features::kAddress)] = isa::kFull.features;
  registers_[offset_of(reg::Operations::kAddress)] = isa::kFull.operations;
  iss_.reset(0);
}

int Tile::queue_of(int colour) const {
  int queue = -1;
  for (int q = 0; q < kQueues; ++q) {
    const auto found = registers_.find(offset_of(reg::Inq::address(q)));
    if (found == registers_.end() || !reg::Inq::Enable::get(found->second)) continue;
    if (static_cast<int>(reg::Inq::Colour::get(found->second)) == colour) queue = q;
  }
  return queue;
}

void Tile::ramp(int colour, const Word& word) {
  machine_.in[static_cast<size_t>(queue_of(colour))].push_back({word.control, word.data});
}

bool Tile::fetch(uint32_t address, uint32_t* instruction) {
  if (address >= reg::kBase) return false;
  return load(address, 4, instruction);
}

bool Tile::load(uint32_t address, unsigned bytes, uint32_t* value) {
  if (address < kSram) {
    *value = machine_.load(address, static_cast<int>(bytes));
    return true;
  }
  return bytes == 4 && !only_sram_ && host_read(address, value);
}

bool Tile::store(uint32_t address, unsigned bytes, uint32_t value) {
  if (address < kSram) {
    machine_.store(address, static_cast<int>(bytes), value);
    return true;
  }
  if (bytes != 4 || address < reg::kBase || address >= reg::kBase + reg::kBytes) return false;
  write_register(offset_of(address), value, true);
  return true;
}

bool Tile::host_write(uint32_t address, uint32_t value) {
  if (address < kSram) {
    machine_.store(address, 4, value);
    return true;
  }
  if (address < reg::kBase || address >= reg::kBase + reg::kBytes) return false;
  write_register(offset_of(address), value, false);
  return true;
}

bool Tile::host_read(uint32_t address, uint32_t* value) const {
  *value = 0;
  if (address < kSram) {
    *value = machine_.load(address, 4);
    return true;
  }
  if (address < reg::kBase || address >= reg::kBase + reg::kBytes) return false;
  const uint32_t offset = offset_of(address);
  if (router_.read(offset, value)) return true;
  if (address == reg::CoreStatus::kAddress) {
    *value = status();
  } else if (address == reg::TaskActivate::kAddress) {
    *value = activated_;
  } else if (address == reg::TaskBlock::kAddress || address == reg::TaskUnblock::kAddress) {
    *value = blocked_;
  } else if (address == reg::CorePc::kAddress) {
    *value = iss_.pc();
  } else if (address == reg::CoreTval::kAddress) {
    *value = iss_.stopped() ? iss_.tval() : 0;
  } else if (address == reg::Error::kAddress || address == reg::ErrorPc::kAddress) {
    const bool trapped =
        iss_.stopped() && iss_.cause() != static_cast<uint32_t>(isa::Trap::Breakpoint);
    const uint32_t error = reg::Error::Stopped::put(1) | reg::Error::Cause::put(iss_.cause());
    *value = !trapped ? 0 : address == reg::Error::kAddress ? error : iss_.pc();
  } else if (const auto k = index_in<reg::Prng>(offset, 4)) {
    *value = machine_.random[*k];
  } else if (address == reg::Config::kAddress) {
    using C = reg::Config;
    *value = C::Lanes::put(8) | C::Sram::put(kSram / 64) |
             C::Threads::put(isa::kFull.num_threads - 1) | C::Colours::put(isa::kFull.num_colours);
  } else if (const auto found = registers_.find(offset); found != registers_.end()) {
    *value = found->second;
  }
  return true;
}

uint32_t Tile::status() const {
  using S = reg::CoreStatus;
  constexpr auto kBreak = static_cast<uint32_t>(isa::Trap::Breakpoint);
  uint32_t word = S::Running::put(running_) | S::Asleep::put(asleep_);
  if (iss_.stopped()) {
    word |=
        S::Stopped::put(1) | S::Ebreak::put(iss_.cause() == kBreak) | S::Cause::put(iss_.cause());
  }
  return word;
}

void Tile::control(uint32_t value) {
  using C = reg::CoreCtrl;
  if (C::Reset::get(value)) {
    iss_.reset(registers_[offset_of(reg::CorePc::kAddress)]);
    if (!(*wrong_)("a reset keeps the random numbers"))
      std::copy_n(kResetRandom, 4, machine_.random.begin());
    waiting_.clear();
    rows_.clear();
    drain_.reset();
    activated_ = blocked_ = 0;
    asleep_ = false;
    for (uint32_t offset = 0x200; offset < 0x300; offset += 4) registers_.erase(offset);
    for (uint32_t offset = 0x300; offset < 0x400; offset += 4) registers_.erase(offset);
  }
  if (C::ClearQueues::get(value)) {
    for (auto& queue : machine_.in) queue.clear();
    for (auto& queue : machine_.out) queue.clear();
  }
  running_ = C::Run::get(value);
}

void Tile::write_register(uint32_t offset, uint32_t value, bool by_core) {
  const uint32_t address = reg::kBase + offset;
  if (router_.write(offset, value)) return;
  if (address == reg::CoreCtrl::kAddress) {
    control(value);
  } else if (address == reg::TaskActivate::kAddress) {
    activated_ |= value;
  } else if (address == reg::TaskBlock::kAddress) {
    blocked_ |= value;
  } else if (address == reg::TaskUnblock::kAddress) {
    blocked_ &= ~value;
  } else if (const auto k = index_in<reg::Prng>(offset, 4)) {
    machine_.random[*k] = value;
  } else if (const auto q = index_in<reg::Push>(offset, kQueues)) {
    if (by_core) machine_.out[*q].push_back({false, value});
  } else if (const auto c = index_in<reg::PushCtrl>(offset, kQueues)) {
    if (by_core) machine_.out[*c].push_back({true, value});
  } else if (const auto bound = index_in<reg::Inq>(offset, kQueues)) {
    // The last binding of a colour counts (F83).
    for (int q = 0; q < kQueues; ++q) {
      uint32_t& other = registers_[offset_of(reg::Inq::address(q))];
      const bool same = reg::Inq::Colour::get(other) == reg::Inq::Colour::get(value);
      if (same && reg::Inq::Enable::get(value)) other = reg::Inq::Enable::set(other, 0);
    }
    registers_[offset] = value;
  } else {
    registers_[offset] = value;
  }
}

bool Tile::work() {
  bool did = inject();
  for (size_t k = 0; k < waiting_.size(); ++k) {
    const Insn insn = waiting_[k];
    if (!run_tensor(insn)) continue;
    waiting_.erase(waiting_.begin() + static_cast<long>(k));
    did = true;
    break;
  }
  did = drain() || did;
  if (router_.take_teardown()) activated_ |= 1u << isa::kTaskTeardown;
  constexpr int kBurst = 10000;
  for (int n = 0; n < kBurst && running_ && step_core(); ++n) did = true;
  return did;
}

bool Tile::inject() {
  bool did = false;
  for (int q = 0; q < kQueues; ++q) {
    const auto found = registers_.find(offset_of(reg::Outq::address(q)));
    if (found == registers_.end() || !reg::Outq::Enable::get(found->second)) continue;
    auto& queue = machine_.out[static_cast<size_t>(q)];
    const auto colour = static_cast<int>(reg::Outq::Colour::get(found->second));
    for (; !queue.empty(); queue.pop_front()) {
      router_.buffer(Router::kRamp, colour).push_back({queue.front().ctrl, queue.front().data});
      did = true;
    }
  }
  return did;
}

bool Tile::step_core() {
  uint32_t instruction = 0;
  const bool there = fetch(iss_.pc(), &instruction);
  bool ran = false;
  if (there && special(instruction, &ran)) return ran;
  // ow.dsrl reads no registers (I138).
  const auto dsrl = static_cast<uint32_t>(isa::SysOp::Dsrl) << 12 | isa::kOpcodeSystem;
  only_sram_ = there && (instruction & 0x707F) == dsrl;
  iss_.step();
  only_sram_ = false;
  if (iss_.stopped()) running_ = false;
  return true;
}

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
    const bool busy = std::any_of(waiting_.begin(), waiting_.end(),
                                  [&](const Insn& other) { return other.thread == insn.thread; });
    *ran = false;
    if (busy) return true;
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
  if (opcode != isa::kOpcodeSystem || funct3 != static_cast<uint32_t>(isa::SysOp::Next))
    return false;
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
    const bool read = std::any_of(waiting_.begin(), waiting_.end(), [&](const Insn& i) {
      const auto takes = [&](int dsr) {
        const ow_engine::Dsr d = dsr_of(iss_.descriptor(static_cast<unsigned>(dsr)));
        return d.kind == ow_engine::kFabIn && d.q == static_cast<int>(task % 8);
      };
      return takes(i.a) || takes(i.b);
    });
    if (!read) return static_cast<int>(task);
  }
  return -1;
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
  const auto dsr = [&](int n) { return dsr_of(iss_.descriptor(static_cast<unsigned>(n))); };
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

void Tile::stop(const Insn& insn, uint32_t cause) {
  using F = reg::EngineFault;
  registers_[offset_of(F::kAddress)] =
      F::Fault::put(1) | F::Thread::put(insn.thread) | F::Cause::put(cause);
  running_ = false;
}

bool Tile::run_tensor(const Insn& insn) {
  if (insn.op == ow_engine::kDrain) {
    if (drain_) return false;
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
