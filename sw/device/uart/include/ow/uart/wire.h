// SPDX-License-Identifier: Apache-2.0
// A wire that carries bytes both ways: a serial port, or the pins of a simulated board.
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

  // Takes bytes to be sent and returns how many, which may be none. DeviceFault if the wire is
  // gone.
  virtual size_t write(const uint8_t* data, size_t count) = 0;
  // Bytes that have come, at most `count`; waits up to `seconds` for the first one. DeviceFault if
  // the wire is gone.
  virtual size_t read(uint8_t* data, size_t count, double seconds) = 0;
  // Seconds on the wire's clock: of the simulation, if it is simulated.
  virtual double now() = 0;
  // Bytes a second that it carries each way.
  virtual double rate() const = 0;
  // Seconds that it may hold bytes back, there and back.
  virtual double latency() const = 0;
  // Its name for messages and reports.
  virtual std::string description() const = 0;
};

// A serial port, 8N1 without flow control. BadInput if there is none at the path, it is no
// terminal, or it does not run at the rate.
std::unique_ptr<Wire> open_serial(const std::string& path, int baud);

// The rates that open_serial() takes, for messages: "9600, 19200, ...".
std::string serial_rates();

// The rate that a port is opened with if none is named.
constexpr int kDefaultBaud = 3000000;

}  // namespace ow::uart

#endif  // OW_UART_WIRE_H_
