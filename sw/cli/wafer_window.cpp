// SPDX-License-Identifier: Apache-2.0
#include "wafer_window.h"

#include <fmt/format.h>

#include "ow/error.h"

namespace ow::cli {

WaferWindow::WaferWindow(std::unique_ptr<wafer::WaferDevice> wafer, const wafer::Window& window)
    : wafer_(std::move(wafer)), device_(wafer_->device()), window_(window) {}

int WaferWindow::port(Side side, int index) const {
  const GridShape all = device_.shape();
  const bool row = side == Side::West || side == Side::East;
  const bool at_edge = side == Side::North   ? window_.row == 0
                       : side == Side::East  ? window_.col + window_.cols == all.cols
                       : side == Side::South ? window_.row + window_.rows == all.rows
                                             : window_.col == 0;
  if (!at_edge) {
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

void WaferWindow::send(Side side, int index, const Wavelet* wavelets, size_t count) {
  device_.send(side, port(side, index), wavelets, count);
}
size_t WaferWindow::pending_sends(Side side, int index, int colour) const {
  return device_.pending_sends(side, port(side, index), colour);
}
size_t WaferWindow::pending_sends(Side side, int index) const {
  return device_.pending_sends(side, port(side, index));
}
int WaferWindow::send_credits(Side side, int index, int colour) const {
  return device_.send_credits(side, port(side, index), colour);
}
std::vector<Arrival> WaferWindow::take(Side side, int index, int colour) {
  return device_.take(side, port(side, index), colour);
}
size_t WaferWindow::available(Side side, int index, int colour) const {
  return device_.available(side, port(side, index), colour);
}
void WaferWindow::block(Side side, int index, int colour, bool blocked) {
  device_.block(side, port(side, index), colour, blocked);
}
std::string WaferWindow::description() const {
  return fmt::format("{}; the {} x {} logical tiles at ({}, {})", device_.description(),
                     window_.rows, window_.cols, window_.row, window_.col);
}

}  // namespace ow::cli
