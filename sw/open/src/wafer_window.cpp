// SPDX-License-Identifier: Apache-2.0
#include "wafer_window.h"

#include <fmt/format.h>

#include <utility>

#include "ow/base/error.h"

namespace ow::wafer {

WaferWindow::WaferWindow(std::unique_ptr<WaferDevice> wafer, const Window& window)
    : wafer_(std::move(wafer)), device_(wafer_->device()), window_(window) {}

bool WaferWindow::has_side(Side side) const {
  const GridShape all = device_.shape();
  return side == Side::North   ? window_.row == 0
         : side == Side::East  ? window_.col + window_.cols == all.cols
         : side == Side::South ? window_.row + window_.rows == all.rows
                               : window_.col == 0;
}

bool WaferWindow::is_whole() const {
  return window_.rows == device_.shape().rows && window_.cols == device_.shape().cols;
}

int WaferWindow::port(Side side, int index) const {
  const bool row = side == Side::West || side == Side::East;
  if (!has_side(side)) {
    throw BadInput(fmt::format(
        "the {} x {} tiles at ({}, {}) have no ports to the {}: the wafer goes on there",
        window_.rows, window_.cols, window_.row, window_.col, side_name(side)));
  }
  if (index < 0 || index >= (row ? window_.rows : window_.cols)) {
    throw BadInput(fmt::format("no port {} on the {} side of {} x {} tiles", index, side_name(side),
                               window_.rows, window_.cols));
  }
  return index + (row ? window_.row : window_.col);
}

size_t WaferWindow::offer(Side side, int index, const Wavelet* wavelets, size_t count) {
  return device_.offer(side, port(side, index), wavelets, count);
}
size_t WaferWindow::queued(Side side, int index, int colour) const {
  return device_.queued(side, port(side, index), colour);
}
size_t WaferWindow::queued(Side side, int index) const {
  return device_.queued(side, port(side, index));
}
int WaferWindow::send_credits(Side side, int index, int colour) const {
  return device_.send_credits(side, port(side, index), colour);
}
std::vector<Arrival> WaferWindow::take_arrivals(Side side, int index, int colour) {
  return device_.take_arrivals(side, port(side, index), colour);
}
size_t WaferWindow::available(Side side, int index, int colour) const {
  return device_.available(side, port(side, index), colour);
}
void WaferWindow::step() {
  offer_waiting();
  device_.sim()->step();
}
RunStatus WaferWindow::run_each(uint64_t max_cycles, const std::function<bool()>& done) {
  return device_.sim()->run_each(max_cycles, [&] {
    offer_waiting();
    return done();
  });
}
void WaferWindow::hold_credits(Side side, int index, int colour, bool held) {
  device_.hold(side, port(side, index), colour, held);
}
std::string WaferWindow::description() const {
  if (is_whole()) return device_.description();
  return fmt::format("{}; the {} x {} logical tiles at ({}, {})", device_.description(),
                     window_.rows, window_.cols, window_.row, window_.col);
}

std::unique_ptr<Device> window_device(std::unique_ptr<WaferDevice> wafer, const Window& window) {
  return std::make_unique<WaferWindow>(std::move(wafer), window);
}

}  // namespace ow::wafer
