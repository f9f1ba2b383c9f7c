// SPDX-License-Identifier: Apache-2.0
#include "block.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "ow/base/error.h"
#include "ow/device/link_word.h"

namespace ow::wide {
namespace {

constexpr int kResetCycles = 4;
constexpr int kReleaseCycles = 2;
constexpr size_t kLargePage = size_t{1} << 21;
constexpr std::array<const char*, kSides> kSideNames = {"n", "e", "s", "w"};

size_t find(const ow_wide_bit* list, int count, const std::string& signal, int bit) {
  for (int k = 0; k < count; ++k) {
    if (list[k].bit == bit && signal == list[k].signal) return static_cast<size_t>(k);
  }
  throw InternalError(fmt::format("the tile's model has no {}[{}]", signal, bit));
}

}  // namespace

TilePorts::TilePorts(const ow_wide_names& names) {
  reset = find(names.inputs, names.input_count, "rst_i", 0);
  idle = find(names.outputs, names.output_count, "idle_o", 0);
  for (int bit = 0; bit < 48; ++bit) {
    cycle.push_back(find(names.inputs, names.input_count, "cycle_i", bit));
  }
  for (size_t side = 0; side < kSides; ++side) {
    for (int bit = 0; bit < kLinkBits; ++bit) {
      link_in[side].push_back(
          find(names.inputs, names.input_count, fmt::format("link_{}_i", kSideNames[side]), bit));
      const size_t output =
          find(names.outputs, names.output_count, fmt::format("link_{}_o", kSideNames[side]), bit);
      if (names.outputs[output].reg < 0) throw InternalError("a link's output is no register");
      link_out[side].push_back(static_cast<size_t>(names.outputs[output].reg));
    }
  }
}

Memory::Memory(size_t bytes) : bytes_((bytes + kLargePage - 1) / kLargePage * kLargePage) {
  void* const memory =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw BadInput(fmt::format("the simulated grid needs more memory than there is: {} MB more",
                               bytes_ >> 20));
  }
  madvise(memory, bytes_, MADV_HUGEPAGE);
  data_ = static_cast<uint8_t*>(memory);
}
Memory::~Memory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}
Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

Block::Block(const ow_wide_code& code, const TilePorts& ports, const Lanes& present,
             uint8_t* scratch)
    : code_(code),
      ports_(ports),
      bytes_(static_cast<size_t>(code.width) / 8),
      words_(static_cast<size_t>(code.width) / 64),
      state_(code.state_bytes),
      present_(present) {
  auto** const pointers = reinterpret_cast<uint64_t**>(state_.data() + code.banks);
  for (int b = 0; b < code.names->bank_count; ++b) {
    const auto words = static_cast<size_t>(code.names->banks[b].words);
    banks_.emplace_back(words * sizeof(uint64_t) * static_cast<size_t>(code.width));
    pointers[b] = reinterpret_cast<uint64_t*>(banks_.back().data());
  }
  std::memset(input(ports.reset), 0xFF, bytes_);
  for (int k = 0; k < kResetCycles; ++k) clock(0, scratch);
  std::memset(input(ports.reset), 0, bytes_);
  for (int k = 0; k < kReleaseCycles; ++k) clock(0, scratch);
}

void Block::set_cycle(uint64_t cycle) {
  const uint64_t changed = cycle ^ cycle_;
  for (size_t bit = 0; bit < ports_.cycle.size(); ++bit) {
    if ((changed >> bit & 1) == 0) continue;
    std::memset(input(ports_.cycle[bit]), (cycle >> bit & 1) != 0 ? 0xFF : 0, bytes_);
  }
  cycle_ = cycle;
}

void Block::clock(uint64_t cycle, uint8_t* scratch) {
  set_cycle(cycle);
  code_.cycle(state_.data(), scratch);
  look();
}

void Block::look() {
  constexpr uint64_t kValid = kLinkWaveletValid | kLinkCreditValid;
  for (int side = 0; side < kSides; ++side) {
    uint64_t any = 0;
    for (size_t bit = 0; bit < kLinkBits; ++bit) {
      if ((kValid >> bit & 1) == 0) continue;
      const uint64_t* const lanes = sent(side, bit);
      for (size_t k = 0; k < words_; ++k) any |= lanes[k] & present_.word[k];
    }
    sends_[static_cast<size_t>(side)] = any != 0;
  }
}

bool Block::idle() {
  const uint64_t* const lanes = output(ports_.idle);
  for (size_t k = 0; k < words_; ++k) {
    if ((~lanes[k] & present_.word[k]) != 0) return false;
  }
  return true;
}

}  // namespace ow::wide
