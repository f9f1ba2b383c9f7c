// SPDX-License-Identifier: Apache-2.0
#include "ow/fpga/sim_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "ow/base/rng.h"
#include "ow/fpga/adapter.h"

namespace ow::fpga {
namespace {

// Bytes that wait in the adapter for the wire, as in a serial port's buffer.
constexpr size_t kAdapterBytes = 256;

}  // namespace

struct SimBoard::Pins {
  Pins(std::unique_ptr<Model> m, const SimBoardOptions& o)
      : options(o),
        model(std::move(m)),
        rng(o.seed),
        transmitter(kBaud / kClockHz * (1 + o.adapter_ppm * 1e-6)),
        receiver(kBaud / kClockHz * (1 + o.adapter_ppm * 1e-6)) {
    model->rst = true;
    for (int k = 0; k < 8; ++k) clock();
    model->rst = false;
  }

  bool out() const { return cycles < out_until; }

  // Bytes of either direction go through here.
  void pass(uint8_t byte, std::deque<uint8_t>* to) {
    if (out() || rng.uniform() < options.lost) {
      ++faults;
      return;
    }
    if (rng.uniform() < options.changed) {
      ++faults;
      byte ^= static_cast<uint8_t>(1u << rng.below(8));
    }
    to->push_back(byte);
    if (rng.uniform() < options.doubled) {
      ++faults;
      to->push_back(byte);
    }
  }

  // One period, in quarters: the second clock is 90 degrees later, and hops between the clocks have
  // registers at all four edges.
  void clock() {
    if (transmitter.idle() && !to_board.empty()) {
      transmitter.send(to_board.front());
      to_board.pop_front();
    }
    model->uart_rx = transmitter.clock() || out();
    uint8_t byte = 0;
    if (receiver.clock(model->uart_tx || out(), &byte)) pass(byte, &to_host);
    for (const bool up : {true, false}) {
      model->clk_a = up;
      model->eval();
      model->clk_b = up;
      model->eval();
    }
    ++cycles;
  }

  SimBoardOptions options;
  std::unique_ptr<Model> model;
  Rng rng;
  Transmitter transmitter;
  Receiver receiver;
  std::deque<uint8_t> to_board, to_host;
  uint64_t cycles = 0, faults = 0, written = 0, out_until = 0;
};

SimBoard::SimBoard(std::unique_ptr<Model> model, const SimBoardOptions& options)
    : pins_(std::make_unique<Pins>(std::move(model), options)) {}
SimBoard::~SimBoard() = default;

size_t SimBoard::write(const uint8_t* data, size_t count) {
  Pins& p = *pins_;
  size_t n = 0;
  for (; n < count && p.to_board.size() < kAdapterBytes; ++n) {
    p.pass(data[n], &p.to_board);
    if (++p.written == p.options.out_after) {
      p.out_until = p.cycles + static_cast<uint64_t>(p.options.out_seconds * kClockHz);
    }
  }
  return n;
}

size_t SimBoard::read(uint8_t* data, size_t count, double seconds) {
  Pins& p = *pins_;
  const uint64_t end = p.cycles + 1 + static_cast<uint64_t>(std::max(seconds, 0.0) * kClockHz);
  while (p.to_host.empty() && p.cycles < end) p.clock();
  const size_t n = std::min(count, p.to_host.size());
  std::copy_n(p.to_host.begin(), n, data);
  p.to_host.erase(p.to_host.begin(), p.to_host.begin() + static_cast<std::ptrdiff_t>(n));
  return n;
}

double SimBoard::now() { return static_cast<double>(pins_->cycles) / kClockHz; }
uint64_t SimBoard::cycles() const { return pins_->cycles; }
uint64_t SimBoard::faults() const { return pins_->faults; }
unsigned SimBoard::leds() const { return pins_->model->leds; }
std::string SimBoard::description() const {
  return fmt::format("a simulated board at {:g} Mbaud", kBaud / 1e6);
}

}  // namespace ow::fpga
