// SPDX-License-Identifier: Apache-2.0
// Frames of the host's byte stream (docs/fpga.md): bytes to frames and back.
#ifndef OW_UART_FRAME_H_
#define OW_UART_FRAME_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ow/uart/numbers.h"

namespace ow::uart {

using Bytes = std::vector<uint8_t>;

struct Frame {
  Kind kind = Kind::Data;
  uint8_t turn = 0;   // times that the sender went back, modulo 16
  bool nack = false;  // asks the other end to go back to `ack`
  uint8_t session = 0;
  uint8_t seq = 0;
  uint8_t ack = 0;  // the frame expected next
  Bytes payload;
};

// CRC-32 of IEEE 802.3, least significant bit first. Starts with ~0; the result is not inverted.
uint32_t crc32_byte(uint32_t crc, uint8_t data);

// Appends the frame's bytes, with flags and escapes, to `out`.
void encode(const Frame& frame, Bytes* out);

// Finds frames in a stream of bytes.
class Decoder {
 public:
  struct Event {
    bool valid = false;
    Frame frame;  // if it is valid
  };
  // The frame that ends with this byte, right or wrong.
  std::optional<Event> decode(uint8_t byte);

 private:
  Bytes bytes_;
  bool escaped_ = false;
  bool broken_ = false;
};

}  // namespace ow::uart

#endif  // OW_UART_FRAME_H_
