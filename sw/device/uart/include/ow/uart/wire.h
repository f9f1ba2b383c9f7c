// SPDX-License-Identifier: Apache-2.0
// A wire that carries bytes in both directions: a serial port, or the pins of a simulated board.
#ifndef OW_UART_WIRE_H_
#define OW_UART_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ow::uart {

class Wire {
 public:
  virtual ~Wire() = default;

  // Takes bytes to send and returns how many (perhaps none). DeviceFault if the wire is gone.
  virtual size_t write(const uint8_t* data, size_t count) = 0;
  // Bytes that have arrived, at most `count`. Waits up to `seconds` for the first one. DeviceFault
  // if the wire is gone.
  virtual size_t read(uint8_t* data, size_t count, double seconds) = 0;
  // Seconds on the wire's clock (for a simulated wire: of the simulation).
  virtual double now() = 0;
  // Bytes per second in each direction.
  virtual double rate() const = 0;
  // Seconds for which it may delay bytes, both ways together.
  virtual double latency() const = 0;
  // Its name for messages and reports.
  virtual std::string description() const = 0;
};

// A serial port, 8N1 without flow control. BadInput if the path is missing, is no terminal, or does
// not run at this rate.
std::unique_ptr<Wire> open_serial(const std::string& path, int baud);

// The rates that open_serial() takes, for messages: "9600, 19200, ...".
std::string serial_rates();

// The default rate.
constexpr int kDefaultBaud = 3000000;

}  // namespace ow::uart

#endif  // OW_UART_WIRE_H_
