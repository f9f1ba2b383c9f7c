// SPDX-License-Identifier: Apache-2.0
#include "region_tile.h"

#include <algorithm>
#include <cstring>

#include "ow/base/error.h"

namespace ow::jobs {
namespace {

constexpr uint32_t kMostOutputs = 128;  // fp32 sums in the accumulator cache

uint32_t up_to(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

RegionMemory::RegionMemory(const FreeMemory& memory, HalfType type, size_t entries)
    : memory_(memory), type_(type), end_(memory.addr), entries_(entries) {
  parameters_.entries = static_cast<uint32_t>(entries);
  take(entries * sizeof entries_[0]);
  memory_.bytes -= (memory.addr + memory.bytes) % 16;
}

int RegionMemory::half() const { return type_ == HalfType::Bfloat16 ? OW_BF16 : OW_F16; }

uint32_t RegionMemory::take(uint64_t bytes) {
  const uint64_t at = (end_ + 15) / 16 * 16;
  end_ = at + bytes;
  return static_cast<uint32_t>(at);
}

// The place nearest to the end at which nothing lies that is needed in the same steps.
uint32_t RegionMemory::take(uint64_t bytes, const std::vector<Steps>& when) {
  const uint64_t top = uint64_t{memory_.addr} + memory_.bytes;
  bytes = (bytes + 15) / 16 * 16;
  uint64_t begin = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (const Shared& other : areas_) {
      const bool at_once = std::any_of(when.begin(), when.end(), [&](const Steps& s) {
        return s.from <= other.when.to && other.when.from <= s.to;
      });
      if (!at_once || begin >= other.end || other.begin >= begin + bytes) continue;
      begin = other.end;
      moved = true;
    }
  }
  for (const Steps& steps : when) areas_.push_back({begin, begin + bytes, steps});
  shared_ = std::max(shared_, begin + bytes);
  return static_cast<uint32_t>(top - std::min(top, begin + bytes));
}

void RegionMemory::put(uint32_t addr, const std::vector<uint32_t>& words) {
  const size_t at = (addr - memory_.addr) / 4;
  if (words_.size() < at + words.size()) words_.resize(at + words.size());
  std::copy(words.begin(), words.end(), words_.begin() + static_cast<ptrdiff_t>(at));
}

void RegionMemory::put(uint32_t addr, const std::vector<uint16_t>& halves) {
  std::vector<uint32_t> words((halves.size() + 1) / 2);
  for (size_t i = 0; i < halves.size(); ++i) {
    words[i / 2] |= static_cast<uint32_t>(halves[i]) << (i % 2 * 16);
  }
  put(addr, words);
}

ow_gemv RegionMemory::gemv(const std::vector<TileMatrix>& groups, uint32_t y_bytes) {
  const auto outputs = static_cast<uint32_t>(groups.front().outputs.size());
  const auto inputs = static_cast<uint32_t>(groups.front().inputs.size());
  const uint32_t passes = (outputs + kMostOutputs - 1) / kMostOutputs;
  const uint32_t each = up_to((outputs + passes - 1) / passes, 8);
  std::vector<uint16_t> halves;
  for (const TileMatrix& matrix : groups) {
    for (uint32_t pass = 0; pass < passes; ++pass) {
      for (const uint32_t in : matrix.inputs) {
        for (uint32_t o = pass * each; o < (pass + 1) * each; ++o) {
          const uint32_t out = o < outputs ? matrix.outputs[o] : UINT32_MAX;
          halves.push_back(out == UINT32_MAX ? uint16_t{0}
                                             : (*matrix.values)[out * matrix.width + in]);
        }
      }
    }
  }
  const uint32_t addr = take(2 * halves.size());
  if (fits()) put(addr, halves);
  ow_gemv gemv{};
  gemv.matrix = OW_WORDS_INDEXED(half(), addr, each, inputs, 2 * each);
  gemv.sums = OW_WORDS_MEM2(OW_F32, OW_ACC_ADDR(0), each, 4, 1, 4 * each);
  gemv.row = OW_RED_ACC_SAMPLES(each) | OW_RED_ACC_RING(1);
  gemv.passes = passes * static_cast<uint32_t>(groups.size());
  gemv.pass_bytes = 2 * inputs * each;
  gemv.y_pass_bytes = y_bytes * each;
  return gemv;
}

void RegionMemory::row(size_t entry, int type, uint32_t addr, uint32_t length) {
  const uint32_t bytes = type == OW_F32 || type == OW_I32 ? 4 : 2;
  if (length > 0) entries_[entry] = OW_WORDS_MEM1(type, addr, length, bytes);
}

void RegionMemory::rows(size_t entry, int type, uint32_t addr, uint32_t length, int32_t stride,
                        uint32_t count, int32_t pitch) {
  if (length == 0 || count == 0) return;
  entries_[entry] = OW_WORDS_MEM2(type, addr, length, stride, count, pitch);
}

void RegionMemory::from(size_t entry, int type, ow_region_flow flow, uint32_t length,
                        uint32_t flags) {
  entries_[entry] = OW_WORDS_FABRIC_IN(type, 0, length, flags);
  entries_[entry].address = flow;
}

void RegionMemory::to(size_t entry, int type, ow_region_flow flow, uint32_t length,
                      uint32_t flags) {
  if (length == 0) return;
  entries_[entry] = OW_WORDS_FABRIC_OUT(type, 0, length, flags);
  entries_[entry].address = flow;
}

RegionTile RegionMemory::tile() const {
  RegionTile tile;
  tile.parameters.resize(sizeof parameters_ / 4);
  std::memcpy(tile.parameters.data(), &parameters_, sizeof parameters_);
  const size_t table = entries_.size() * sizeof entries_[0];
  tile.memory = words_;
  tile.memory.resize(std::max(tile.memory.size(), table / 4));
  std::memcpy(tile.memory.data(), entries_.data(), table);
  return tile;
}

}  // namespace ow::jobs
