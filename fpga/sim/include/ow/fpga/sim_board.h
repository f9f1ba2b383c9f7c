// SPDX-License-Identifier: Apache-2.0
// The FPGA's design on a board, simulated at its pins: two clocks, a reset, and a UART that is
// driven and sampled bit by bit. To the host it is a wire like any other.
#ifndef OW_FPGA_SIM_BOARD_H_
#define OW_FPGA_SIM_BOARD_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ow/fpga/model.h"
#include "ow/uart/wire.h"

namespace ow::fpga {

// Clock of the simulated design (fpga/CMakeLists.txt).
constexpr double kClockHz = 50e6;
constexpr double kBaud = 12.5e6;

struct SimBoardOptions {
  // Probability that a byte is lost, doubled, or gets a wrong bit on the wire, in either direction.
  double lost = 0, doubled = 0, changed = 0;
  uint64_t seed = 1;
  double adapter_ppm = 5000;  // the adapter's clock is faster than the board's by this much
  // The cable is out for this time (seconds of the board's clock), after this many bytes to the
  // board.
  double out_seconds = 0;
  uint64_t out_after = 0;
};

class SimBoard : public uart::Wire {
 public:
  explicit SimBoard(std::unique_ptr<Model> model, const SimBoardOptions& options = {});
  ~SimBoard() override;

  size_t write(const uint8_t* data, size_t count) override;
  size_t read(uint8_t* data, size_t count, double seconds) override;
  double now() override;
  double rate() const override { return kBaud / 10; }
  double latency() const override { return 0; }
  std::string description() const override;

  uint64_t cycles() const;
  uint64_t faults() const;  // of bytes, until now
  unsigned leds() const;    // as ow_fpga_top's led_o

 private:
  struct Pins;
  std::unique_ptr<Pins> pins_;
};

}  // namespace ow::fpga

#endif  // OW_FPGA_SIM_BOARD_H_
