// SPDX-License-Identifier: Apache-2.0
// A rectangle of a simulated wafer's logical tiles as a device of its own.
#ifndef OW_CLI_WAFER_WINDOW_H_
#define OW_CLI_WAFER_WINDOW_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ow/wafer/repair.h"
#include "ow/wafer/sim.h"

namespace ow::cli {

// Its ports are those of the wafer that lie before it; a side of the window that is not a side of
// the wafer has none (BadInput).
class WaferWindow : public Device {
 public:
  WaferWindow(std::unique_ptr<wafer::WaferDevice> wafer, const wafer::Window& window);

  GridShape shape() const override { return {window_.rows, window_.cols}; }
  uint64_t cycle() const override { return device_.cycle(); }
  using Device::send;
  void send(Side side, int index, const Wavelet* wavelets, size_t count) override;
  size_t pending_sends(Side side, int index, int colour) const override;
  size_t pending_sends(Side side, int index) const override;
  size_t pending_sends() const override { return device_.pending_sends(); }
  int send_credits(Side side, int index, int colour) const override;
  std::vector<Arrival> take(Side side, int index, int colour) override;
  size_t available(Side side, int index, int colour) const override;
  void block(Side side, int index, int colour, bool blocked) override;
  void step() override { device_.step(); }
  using Device::run;
  RunStatus run(uint64_t max_cycles, const std::function<bool()>& done) override {
    return device_.run(max_cycles, done);
  }
  uint64_t edge_wavelets_in() const override { return device_.edge_wavelets_in(); }
  uint64_t edge_wavelets_out() const override { return device_.edge_wavelets_out(); }
  void record_edges(bool on) override { device_.record_edges(on); }
  const std::vector<EdgeEvent>& edge_log() const override { return device_.edge_log(); }
  std::string description() const override;

 private:
  // The wafer's number of a port.
  int port(Side side, int index) const;

  std::unique_ptr<wafer::WaferDevice> wafer_;
  Device& device_;
  wafer::Window window_;
};

}  // namespace ow::cli

#endif  // OW_CLI_WAFER_WINDOW_H_
