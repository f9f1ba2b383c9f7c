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

bool Tile::ramp_takes(int colour) {
  if (queue_of(colour) >= 0) return true;
  stop_by(isa::ErrorSource::Ramp, 1, static_cast<uint32_t>(colour), 0);
  return false;
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
    const auto other = registers_.find(offset);
    *value = !trapped                          ? other == registers_.end() ? 0 : other->second
             : address == reg::Error::kAddress ? error
                                               : iss_.pc();
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
    for (auto& fifo : machine_.fifo) fifo.clear();
    for (const uint32_t error : {reg::EngineFault::kAddress, reg::Error::kAddress,
                                 reg::ErrorAddr::kAddress, reg::ErrorPc::kAddress})
      registers_.erase(offset_of(error));
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
  } else if (address == reg::Request::kAddress) {
    if (by_core) requests_.push_back(value);
  } else if (const auto k = index_in<reg::Prng>(offset, 4)) {
    if (std::any_of(waiting_.begin(), waiting_.end(), [](const Insn& i) { return i.stoch; })) {
      stop_by(isa::ErrorSource::Regs, 2, 0, address);
    } else {
      machine_.random[*k] = value;
    }
  } else if (const auto q = index_in<reg::Push>(offset, kQueues)) {
    if (by_core) machine_.out[*q].push_back({false, value});
  } else if (const auto c = index_in<reg::PushCtrl>(offset, kQueues)) {
    if (by_core) machine_.out[*c].push_back({true, value});
  } else if (const auto bound = index_in<reg::Inq>(offset, kQueues)) {
    const auto colour = static_cast<int>(reg::Inq::Colour::get(value));
    const int other_queue = queue_of(colour);
    if (reg::Inq::Enable::get(value) && other_queue != static_cast<int>(*bound) &&
        other_queue >= 0 && queue_is_read(other_queue)) {
      stop_by(isa::ErrorSource::Ramp, 4, static_cast<uint32_t>(colour), address);
      return;
    }
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

std::vector<uint32_t> Tile::take_requests() {
  std::vector<uint32_t> words;
  words.swap(requests_);
  return words;
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
  if (there && (instruction & 0x7F) == isa::kOpcodeSystem) {
    step_descriptor(instruction);
  } else {
    iss_.step();
  }
  only_sram_ = false;
  if (iss_.stopped()) running_ = false;
  return true;
}

}  // namespace ow::conform
