// SPDX-License-Identifier: Apache-2.0
#include "ow/uart/frame.h"

#include <array>

namespace ow::uart {
namespace {

std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t x = i;
    for (int bit = 0; bit < 8; ++bit) x = x >> 1 ^ ((x & 1) != 0 ? isa::kHostCrcPolynomial : 0);
    table[i] = x;
  }
  return table;
}

void put(uint8_t byte, Bytes* out) {
  if (byte == kFlag || byte == kEscape) {
    out->push_back(kEscape);
    byte ^= kEscapeFlip;
  }
  out->push_back(byte);
}

constexpr size_t kLongest = kHeaderBytes + kPayloadMax + kCrcBytes;

}  // namespace

uint32_t crc32_byte(uint32_t crc, uint8_t data) {
  static const std::array<uint32_t, 256> table = crc_table();
  return crc >> 8 ^ table[(crc ^ data) & 0xFF];
}

void encode(const Frame& frame, Bytes* out) {
  uint32_t crc = ~uint32_t{0};
  const auto add = [&](uint8_t byte) {
    crc = crc32_byte(crc, byte);
    put(byte, out);
  };
  out->push_back(kFlag);
  const int turn = frame.turn & ((1 << isa::kHostTurnBits) - 1);
  add(static_cast<uint8_t>(static_cast<int>(frame.kind) | turn << isa::kHostKindBits |
                           (frame.nack ? 1 << isa::kHostNackBit : 0)));
  add(frame.session);
  add(frame.seq);
  add(frame.ack);
  for (const uint8_t byte : frame.payload) add(byte);
  for (uint32_t rest = ~crc, i = 0; i < kCrcBytes; ++i, rest >>= 8) {
    put(static_cast<uint8_t>(rest), out);
  }
  out->push_back(kFlag);
}

std::optional<Decoder::Event> Decoder::decode(uint8_t byte) {
  if (byte != kFlag) {
    if (byte == kEscape) {
      broken_ = broken_ || escaped_;
      escaped_ = true;
      return std::nullopt;
    }
    if (bytes_.size() == kLongest) broken_ = true;
    if (!broken_) bytes_.push_back(escaped_ ? byte ^ kEscapeFlip : byte);
    escaped_ = false;
    return std::nullopt;
  }
  std::optional<Event> event;
  if (!bytes_.empty() || broken_) {
    event.emplace();
    uint32_t crc = ~uint32_t{0};
    for (const uint8_t b : bytes_) crc = crc32_byte(crc, b);
    event->valid = !broken_ && !escaped_ && crc == isa::kHostCrcGood &&
                   bytes_.size() >= kHeaderBytes + kCrcBytes;
    if (event->valid) {
      Frame& f = event->frame;
      f.kind = static_cast<Kind>(bytes_[0] & ((1 << isa::kHostKindBits) - 1));
      f.turn = bytes_[0] >> isa::kHostKindBits & ((1 << isa::kHostTurnBits) - 1);
      f.nack = (bytes_[0] >> isa::kHostNackBit & 1) != 0;
      f.session = bytes_[1];
      f.seq = bytes_[2];
      f.ack = bytes_[3];
      f.payload.assign(bytes_.begin() + kHeaderBytes, bytes_.end() - kCrcBytes);
    }
  }
  bytes_.clear();
  escaped_ = broken_ = false;
  return event;
}

}  // namespace ow::uart
