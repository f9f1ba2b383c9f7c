// SPDX-License-Identifier: Apache-2.0
// The other end of a UART, bit by bit, as a USB adapter has it. Times are in cycles of the board's
// clock. The length of the adapter's bit is a fraction of cycles, as it has its own clock.
#ifndef OW_FPGA_ADAPTER_H_
#define OW_FPGA_ADAPTER_H_

#include <cstdint>

namespace ow::fpga {

// The adapter's transmitter: drives a pin, bit by bit.
class Transmitter {
 public:
  explicit Transmitter(double bits_a_cycle) : step_(bits_a_cycle) {}
  bool idle() const { return left_ == 0; }
  void send(uint8_t byte) {
    shift_ = static_cast<uint32_t>(byte) << 1 | 1u << 9;  // start bit 0, eight bits, stop bit 1
    left_ = 10;
    phase_ = 0;
  }
  // The pin in this cycle.
  bool clock() {
    if (left_ == 0) return true;
    const bool pin = (shift_ & 1) != 0;
    phase_ += step_;
    if (phase_ >= 1) {
      phase_ -= 1;
      shift_ >>= 1;
      --left_;
    }
    return pin;
  }

 private:
  double step_, phase_ = 0;
  uint32_t shift_ = 0;
  int left_ = 0;
};

// The adapter's receiver: samples a pin in the middle of the bits.
class Receiver {
 public:
  explicit Receiver(double bits_a_cycle) : step_(bits_a_cycle) {}
  // True if a byte is complete.
  bool clock(bool pin, uint8_t* byte) {
    if (left_ == 0) {
      if (!pin) {
        left_ = 10;
        phase_ = 0.5;
        shift_ = 0;
      }
      return false;
    }
    phase_ += step_;
    if (phase_ < 1) return false;
    phase_ -= 1;
    shift_ |= static_cast<uint32_t>(pin) << (10 - left_);
    if (--left_ > 0) return false;
    *byte = static_cast<uint8_t>(shift_ >> 1);
    return (shift_ & 1) == 0 && (shift_ >> 9 & 1) != 0;
  }

 private:
  double step_, phase_ = 0;
  uint32_t shift_ = 0;
  int left_ = 0;
};

}  // namespace ow::fpga

#endif  // OW_FPGA_ADAPTER_H_
