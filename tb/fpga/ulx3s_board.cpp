// SPDX-License-Identifier: Apache-2.0
#include "ulx3s_board.h"

#include <algorithm>
#include <utility>

namespace ow::fpga {
namespace {

constexpr uint64_t kOscillatorHalf = kSecond / 50'000'000;
// The adapter's own clock, a quarter of a percent fast, is 48 MHz: 3 Mbaud is a sixteenth of it.
constexpr double kAdapterHz = 48e6;
constexpr double kAdapterFast = 1.0025;
constexpr auto kAdapterPeriod = static_cast<uint64_t>(kSecond / (kAdapterHz * kAdapterFast));
constexpr size_t kAdapterBytes = 256;

}  // namespace

Ulx3sBoard::Ulx3sBoard(std::unique_ptr<Ulx3sPins> pins, double baud)
    : pins_(std::move(pins)),
      baud_(baud),
      transmitter_(baud / kAdapterHz),
      receiver_(baud / kAdapterHz) {
  pins_->eval(0);
}

// To the next event of the oscillator, the adapter or the board.
void Ulx3sBoard::step() {
  const bool was_a = pins_->clk_a, was_b = pins_->clk_b;
  time_ = std::min({oscillator_at_, adapter_at_, pins_->next()});
  if (time_ == oscillator_at_) {
    oscillator_at_ += kOscillatorHalf;
    pins_->oscillator = !pins_->oscillator;
  }
  if (time_ == adapter_at_) {
    adapter_at_ += kAdapterPeriod;
    tick();
  }
  pins_->eval(time_);
  measure(was_a, was_b);
}

void Ulx3sBoard::tick() {
  if (transmitter_.idle() && !to_board_.empty()) {
    transmitter_.send(to_board_.front());
    to_board_.pop_front();
  }
  pins_->txd = transmitter_.clock();
  uint8_t byte = 0;
  if (receiver_.clock(pins_->rxd, &byte)) to_host_.push_back(byte);
}

void Ulx3sBoard::measure(bool was_a, bool was_b) {
  if (pins_->clk_a && !was_a) {
    if (times_.first == 0) {
      times_.first = time_;
    } else {
      ++times_.periods;
      times_.shortest = std::min(times_.shortest, time_ - rose_a_);
      times_.longest = std::max(times_.longest, time_ - rose_a_);
    }
    times_.last = rose_a_ = time_;
    ++cycles_;
  }
  if (pins_->clk_b && !was_b && times_.first != 0) {
    ++times_.lags;
    times_.least_lag = std::min(times_.least_lag, time_ - rose_a_);
    times_.most_lag = std::max(times_.most_lag, time_ - rose_a_);
  }
}

bool Ulx3sBoard::run_until(const std::function<bool()>& holds, uint64_t limit) {
  const uint64_t end = time_ + limit;
  while (!holds()) {
    if (time_ >= end) return false;
    step();
  }
  return true;
}

size_t Ulx3sBoard::write(const uint8_t* data, size_t count) {
  const size_t n = std::min(count, kAdapterBytes - std::min(kAdapterBytes, to_board_.size()));
  to_board_.insert(to_board_.end(), data, data + n);
  return n;
}

size_t Ulx3sBoard::read(uint8_t* data, size_t count, double seconds) {
  const auto limit = static_cast<uint64_t>(std::max(seconds, 0.0) * kSecond);
  run_until([this] { return !to_host_.empty(); }, limit + kAdapterPeriod);
  const size_t n = std::min(count, to_host_.size());
  std::copy_n(to_host_.begin(), n, data);
  to_host_.erase(to_host_.begin(), to_host_.begin() + static_cast<std::ptrdiff_t>(n));
  return n;
}

}  // namespace ow::fpga
