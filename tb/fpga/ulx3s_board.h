// SPDX-License-Identifier: Apache-2.0
// A ULX3S at its pins: the oscillator, FIRE1 and a USB adapter around the Verilated board, whose
// own clocks come from the model of its PLL. To the host it is a wire. Times are in femtoseconds.
#ifndef OW_TB_FPGA_ULX3S_BOARD_H_
#define OW_TB_FPGA_ULX3S_BOARD_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "ow/fpga/adapter.h"
#include "ow/uart/wire.h"
#include "verilated.h"

namespace ow::fpga {

constexpr uint64_t kSecond = 1'000'000'000'000'000;
constexpr uint64_t kMicrosecond = kSecond / 1'000'000;

// The Verilated board, whatever its parameters.
class Ulx3sPins {
 public:
  virtual ~Ulx3sPins() = default;
  bool oscillator = false, fire1 = false, txd = true;
  bool rxd = true, clk_a = false, clk_b = false, wifi_gpio0 = false;
  unsigned leds = 0;
  // Evaluates at this time, which does not go back; next() is the model's own next event.
  virtual void eval(uint64_t time) = 0;
  virtual uint64_t next() = 0;
  // What LED 0 counts, 26 bits.
  virtual void set_alive(unsigned count) = 0;
};

template <class Top>
class VerilatedUlx3s : public Ulx3sPins {
 public:
  ~VerilatedUlx3s() override { top_.final(); }
  void eval(uint64_t time) override {
    context_.time(time);
    top_.clk_25mhz_i = oscillator;
    top_.btn_reset_i = fire1;
    top_.ftdi_txd_i = txd;
    top_.eval();
    rxd = top_.ftdi_rxd_o != 0;
    clk_a = top_.clk_a_o != 0;
    clk_b = top_.clk_b_o != 0;
    wifi_gpio0 = top_.wifi_gpio0_o != 0;
    leds = top_.led_o;
  }
  uint64_t next() override { return top_.eventsPending() ? top_.nextTimeSlot() : UINT64_MAX; }
  void set_alive(unsigned count) override {
    top_.rootp->ow_ulx3s_bench__DOT__u_board__DOT__u_top__DOT__alive_q = count;
  }

 private:
  struct Context : VerilatedContext {
    Context() { threads(1); }
  };
  Context context_;
  Top top_{&context_, "board"};
};

// Periods of the first clock and delays of the second clock after the first, since the last time
// that they were forgotten.
struct ClockTimes {
  uint64_t periods = 0, first = 0, last = 0;  // of the first clock: rising edges
  uint64_t shortest = UINT64_MAX, longest = 0;
  uint64_t lags = 0, least_lag = UINT64_MAX, most_lag = 0;
};

class Ulx3sBoard : public uart::Wire {
 public:
  Ulx3sBoard(std::unique_ptr<Ulx3sPins> pins, double baud);

  size_t write(const uint8_t* data, size_t count) override;
  size_t read(uint8_t* data, size_t count, double seconds) override;
  double now() override { return static_cast<double>(time_) / kSecond; }
  double rate() const override { return baud_ / 10; }
  double latency() const override { return 0; }
  std::string description() const override { return "a simulated ULX3S"; }

  Ulx3sPins& pins() { return *pins_; }
  bool led(int n) const { return (pins_->leds >> n & 1) != 0; }
  uint64_t time() const { return time_; }
  uint64_t cycles() const { return cycles_; }  // rising edges of the first clock
  void forget_times() { times_ = {}; }
  const ClockTimes& times() const { return times_; }
  // Until it holds, or for so long; whether it holds.
  bool run_until(const std::function<bool()>& holds, uint64_t limit);
  void run(uint64_t time) {
    run_until([] { return false; }, time);
  }

 private:
  void step();
  void tick();
  void measure(bool was_a, bool was_b);

  std::unique_ptr<Ulx3sPins> pins_;
  const double baud_;
  Transmitter transmitter_;
  Receiver receiver_;
  std::deque<uint8_t> to_board_, to_host_;
  ClockTimes times_;
  uint64_t time_ = 0, cycles_ = 0;
  uint64_t rose_a_ = 0;                          // when the first clock last did
  uint64_t oscillator_at_ = 0, adapter_at_ = 0;  // their next events
};

}  // namespace ow::fpga

#endif  // OW_TB_FPGA_ULX3S_BOARD_H_
