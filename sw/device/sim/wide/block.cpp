// SPDX-License-Identifier: Apache-2.0
#include "block.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "ow/base/error.h"
#include "ow/device/link_word.h"

namespace ow::wide {
namespace {

constexpr size_t kLargePage = size_t{1} << 21;
constexpr size_t kCacheLine = 64;
constexpr std::array<const char*, kSides> kSideNames = {"n", "e", "s", "w"};

size_t find(const ow_wide_bit* list, int count, const std::string& signal, int bit) {
  for (int k = 0; k < count; ++k) {
    if (list[k].bit == bit && signal == list[k].signal) return static_cast<size_t>(k);
  }
  throw InternalError(fmt::format("the tile's model has no {}[{}]", signal, bit));
}

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

// Where the banks begin in a block's memory, and where the last one ends.
std::vector<size_t> offsets_of(const ow_wide_code& code) {
  std::vector<size_t> offsets = {round_up(code.state_bytes, kCacheLine)};
  for (int b = 0; b < code.names->bank_count; ++b) {
    const auto words = static_cast<size_t>(code.names->banks[b].words * code.width);
    offsets.push_back(offsets.back() + round_up(words * sizeof(uint64_t), kCacheLine));
  }
  return offsets;
}

}  // namespace

size_t block_bytes(const ow_wide_code& code) {
  return round_up(offsets_of(code).back(), kLargePage);
}

size_t find_input(const ow_wide_names& names, const std::string& port, int bit) {
  return find(names.inputs, names.input_count, port, bit);
}

size_t find_output(const ow_wide_names& names, const std::string& port, int bit) {
  const size_t output = find(names.outputs, names.output_count, port, bit);
  return static_cast<size_t>(names.outputs[output].reg);
}

std::vector<size_t> find_all(const ow_wide_names& names, const std::string& signal) {
  const ow_wide_bit* const end = names.registers + names.register_count;
  const auto bits = std::count_if(
      names.registers, end, [&signal](const ow_wide_bit& bit) { return signal == bit.signal; });
  std::vector<size_t> all;
  for (int bit = 0; bit < std::max(static_cast<int>(bits), 1); ++bit) {
    all.push_back(find(names.registers, names.register_count, signal, bit));
  }
  return all;
}

TilePorts::TilePorts(const ow_wide_names& names) {
  idle = find_all(names, kIdles);
  for (int bit = 0; bit < 48; ++bit) cycle.push_back(find_input(names, "cycle_i", bit));
  for (size_t side = 0; side < kSides; ++side) {
    for (int bit = 0; bit < kLinkBits; ++bit) {
      link_in[side].push_back(find_input(names, fmt::format("link_{}_i", kSideNames[side]), bit));
      link_out[side].push_back(find_output(names, fmt::format("link_{}_o", kSideNames[side]), bit));
    }
  }
}

// A mapping begins at any small page. So one large page more is mapped, and what is before and
// after whole large pages is given back.
Memory::Memory(size_t bytes) : bytes_(round_up(bytes, kLargePage)) {
  const size_t mapped = bytes_ + kLargePage;
  void* const memory =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw BadInput(fmt::format("the simulated grid needs more memory than there is: {} MB more",
                               bytes_ >> 20));
  }
  auto* const first = static_cast<uint8_t*>(memory);
  const auto address = reinterpret_cast<uintptr_t>(first);
  const size_t before = round_up(address, kLargePage) - address;
  data_ = first + before;
  if (before != 0) munmap(first, before);
  munmap(data_ + bytes_, kLargePage - before);
  madvise(data_, bytes_, MADV_HUGEPAGE);
}
Memory::~Memory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}
Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

Block::Block(const ow_wide_code& code, const TilePorts& ports, const Lanes& present,
             const StateMap& map, const TileState& state)
    : code_(code),
      ports_(ports),
      bytes_(static_cast<size_t>(code.width) / 8),
      words_(static_cast<size_t>(code.width) / 64),
      memory_(block_bytes(code)),
      banks_(offsets_of(code)),
      present_(present) {
  auto** const pointers = reinterpret_cast<uint64_t**>(memory_.data() + code.banks);
  for (size_t b = 0; b + 1 < banks_.size(); ++b) {
    pointers[b] = reinterpret_cast<uint64_t*>(memory_.data() + banks_[b]);
  }
  std::copy(present.word, present.word + words_, active());
  for (auto& of_cycle : sent_) {
    for (auto& of_side : of_cycle) of_side.assign((kLinkBits + 2 * kMargin) * words_, 0);
  }
  for (const StateMap::Bit& b : map.bits) {
    const bool one = (state.words[b.word] >> b.bit & 1) != 0;
    std::memset(reg(b.reg), one ? 0xFF : 0, bytes_);
  }
  for (const StateMap::Bank& b : map.banks) {  // memory is zero
    const uint64_t* const words = state.words.data() + b.first;
    if (std::all_of(words, words + b.words, [](uint64_t word) { return word == 0; })) continue;
    for (size_t lane = 0; lane < words_ * 64; ++lane)
      std::copy(words, words + b.words, bank(b.bank, lane));
  }
}

void Block::set_cycle(uint64_t cycle) {
  const uint64_t changed = cycle ^ cycle_;
  for (size_t bit = 0; bit < ports_.cycle.size(); ++bit) {
    if ((changed >> bit & 1) == 0) continue;
    std::memset(input(ports_.cycle[bit]), (cycle >> bit & 1) != 0 ? 0xFF : 0, bytes_);
  }
  cycle_ = cycle;
}

template <typename Bits>
Lanes Block::with_word(const Bits& bits) const {
  Lanes lanes;
  for (uint64_t left = kLinkWaveletValid | kLinkCreditValid; left != 0; left &= left - 1) {
    const uint64_t* const vector = bits(static_cast<size_t>(__builtin_ctzll(left)));
    for (size_t k = 0; k < words_; ++k) lanes.word[k] |= vector[k] & present_.word[k];
  }
  return lanes;
}

// Copies what the links' registers have, if any tile of a side sends.
void Block::send(uint64_t cycle) {
  for (size_t side = 0; side < kSides; ++side) {
    const std::vector<size_t>& registers = ports_.link_out[side];
    bool& sends = sends_[cycle % 2][side];
    sends = with_word([&](size_t bit) { return reg(registers[bit]); }).any();
    if (!sends) continue;
    uint64_t* const to = sent_[cycle % 2][side].data() + kMargin * words_;
    code_.copy(reg(0), registers.data(), registers.size(), to);
  }
}

Lanes Block::senders(uint64_t cycle, int side) const {
  if (!sends(cycle, side)) return {};
  return with_word([&](size_t bit) { return sent(cycle, side, bit); });
}

bool Block::take(int side, const ow_wide_move* moves, size_t count) {
  const std::vector<size_t>& places = ports_.link_in[index(side)];
  return code_.move(moves, count, places.size(), input(0), places.data()) != 0;
}

// idle_o, after the edge: nothing changed at it.
bool Block::idle() {
  for (const size_t r : ports_.idle) {
    const uint64_t* const lanes = reg(r);
    for (size_t k = 0; k < words_; ++k) {
      if ((~lanes[k] & present_.word[k]) != 0) return false;
    }
  }
  return true;
}

Lanes Block::awake() {
  Lanes awake;
  for (const size_t r : ports_.idle) {
    const uint64_t* const lanes = reg(r);
    for (size_t k = 0; k < words_; ++k) awake.word[k] |= ~lanes[k] & present_.word[k];
  }
  return awake;
}

Lanes Block::receivers(int side) const {
  return with_word([&](size_t bit) { return taken(side, bit); });
}

void Block::put(size_t lane, uint64_t cycle, int side, uint64_t word) {
  std::vector<uint64_t>& to = sent_[cycle % 2][index(side)];
  bool& sends = sends_[cycle % 2][index(side)];
  if (!sends) std::fill(to.begin(), to.end(), uint64_t{0});
  sends = true;
  for (; word != 0; word &= word - 1) {
    const auto bit = static_cast<size_t>(__builtin_ctzll(word));
    to[(kMargin + bit) * words_ + lane / 64] |= uint64_t{1} << (lane % 64);
  }
}

uint64_t Block::taken_by(size_t lane, int side) const {
  uint64_t word = 0;
  for (size_t bit = 0; bit < kLinkBits; ++bit) {
    word |= (taken(side, bit)[lane / 64] >> (lane % 64) & 1) << bit;
  }
  return word;
}

uint64_t Block::sent_by(size_t lane, uint64_t cycle, int side) const {
  uint64_t word = 0;
  if (!sends(cycle, side)) return word;
  for (size_t bit = 0; bit < kLinkBits; ++bit) {
    word |= (sent(cycle, side, bit)[lane / 64] >> (lane % 64) & 1) << bit;
  }
  return word;
}

void Block::copy(const Block& from, size_t lane, const Lanes& to) {
  for (size_t r = 0; r < registers(); ++r) {
    uint64_t* const words = reg(r);
    const uint64_t value = from.bit(r, lane) ? ~uint64_t{0} : 0;
    for (size_t k = 0; k < words_; ++k) words[k] ^= (words[k] ^ value) & to.word[k];
  }
  for (size_t b = 0; b + 1 < banks_.size(); ++b) {
    for (size_t k = 0; k < words_ * kGroup; ++k) {
      if (to.get(k)) std::copy_n(from.bank(b, lane), bank_words(b), bank(b, k));
    }
  }
}

bool Block::same(size_t lane, const Block& other, size_t other_lane) const {
  for (size_t r = 0; r < registers(); ++r) {
    if (bit(r, lane) != other.bit(r, other_lane)) return false;
  }
  for (size_t b = 0; b + 1 < banks_.size(); ++b) {
    const uint64_t* const words = bank(b, lane);
    if (!std::equal(words, words + bank_words(b), other.bank(b, other_lane))) return false;
  }
  return true;
}

void Block::digest(size_t group, uint64_t lanes, uint64_t* digests) const {
  const auto add = [digests](size_t k, uint64_t word) {
    digests[k] = (digests[k] ^ word) * 0x9E3779B97F4A7C15u;
    digests[k] ^= digests[k] >> 29;
  };
  std::fill(digests, digests + kGroup, 0);
  uint64_t rows[kGroup];
  for (size_t first = 0; first < registers(); first += kGroup) {
    for (size_t k = 0; k < kGroup; ++k) {
      rows[k] = first + k < registers() ? reg(first + k)[group] : 0;
    }
    transpose(rows);
    for (size_t k = 0; k < kGroup; ++k) add(k, rows[k]);
  }
  for (uint64_t left = lanes; left != 0; left &= left - 1) {
    const auto k = static_cast<size_t>(__builtin_ctzll(left));
    for (size_t b = 0; b + 1 < banks_.size(); ++b) {
      const uint64_t* const words = bank(b, group * kGroup + k);
      for (size_t w = 0; w < bank_words(b); ++w) add(k, words[w]);
    }
  }
}

void Block::read(size_t lane, const StateMap& map, uint64_t cycle, TileState* state) {
  state->words.assign(map.words, 0);
  uint64_t* const words = state->words.data();
  for (const StateMap::Bit& b : map.bits) {
    words[b.word] |= uint64_t{bit(b.reg, lane)} << b.bit;
  }
  for (const StateMap::Bit& b : map.ones) words[b.word] |= uint64_t{1} << b.bit;
  for (const StateMap::Bank& b : map.banks) {
    std::memcpy(words + b.first, bank(b.bank, lane), b.words * sizeof(uint64_t));
  }
  state->idle = true;
  for (const size_t r : ports_.idle) state->idle = state->idle && bit(r, lane);
  for (int side = 0; side < kSides; ++side) {
    state->sent[index(side)] = sent_by(lane, cycle, side);
  }
}

void Block::write(size_t lane, const StateMap& map, const TileState& state) {
  for (const StateMap::Bit& b : map.bits) {
    set_bit(b.reg, lane, (state.words[b.word] >> b.bit & 1) != 0);
  }
  write_rest(lane, map, state);
}

// Bits of a word stand one after another in the map.
void Block::write_group(size_t group, uint64_t lanes, const StateMap& map,
                        const std::vector<TileState>& states) {
  uint64_t rows[kGroup];
  for (size_t first = 0, end = 0; first < map.bits.size(); first = end) {
    const size_t word = map.bits[first].word;
    while (end < map.bits.size() && map.bits[end].word == word) ++end;
    for (size_t k = 0; k < kGroup; ++k) rows[k] = (lanes >> k & 1) != 0 ? states[k].words[word] : 0;
    transpose(rows);
    for (size_t b = first; b < end; ++b) {
      uint64_t& to = reg(map.bits[b].reg)[group];
      to = (to & ~lanes) | rows[map.bits[b].bit];
    }
  }
  for (uint64_t left = lanes; left != 0; left &= left - 1) {
    const auto k = static_cast<size_t>(__builtin_ctzll(left));
    write_rest(group * kGroup + k, map, states[k]);
  }
}

// What is no register of the map.
void Block::write_rest(size_t lane, const StateMap& map, const TileState& state) {
  for (const StateMap::Bank& b : map.banks) {
    std::memcpy(bank(b.bank, lane), state.words.data() + b.first, b.words * sizeof(uint64_t));
  }
  for (const size_t r : ports_.idle) set_bit(r, lane, state.idle);
  for (size_t side = 0; side < kSides; ++side) {
    for (size_t bit = 0; bit < kLinkBits; ++bit) {
      set_bit(ports_.link_out[side][bit], lane, (state.sent[side] >> bit & 1) != 0);
    }
  }
}

// The coming cycle may be even or odd.
void Block::resume() {
  send(0);
  send(1);
}

}  // namespace ow::wide
