// SPDX-License-Identifier: Apache-2.0
// A rectangle of a simulated wafer's logical tiles as a device of its own.
#ifndef OW_WAFER_WINDOW_H_
#define OW_WAFER_WINDOW_H_

#include <memory>
#include <string>
#include <vector>

#include "ow/device/sim_control.h"
#include "ow/open/wafer.h"

namespace ow::wafer {

class WaferWindow : public Device, public SimControl {
 public:
  WaferWindow(std::unique_ptr<WaferDevice> wafer, const Window& window);

  GridShape shape() const override { return {window_.rows, window_.cols}; }
  bool has_side(Side side) const override;
  uint64_t cycle() const override { return device_.cycle(); }
  std::string description() const override;
  int send_credits(Side side, int index, int colour) const override;
  std::vector<Arrival> take_arrivals(Side side, int index, int colour) override;
  size_t available(Side side, int index, int colour) const override;
  bool can_hold() const override { return device_.can_hold(); }
  void hold_credits(Side side, int index, int colour, bool held) override;
  bool tells_quiet() const override { return device_.tells_quiet(); }
  SimControl* sim() override { return this; }
  size_t offer(Side side, int index, const Wavelet* wavelets, size_t count) override;
  size_t queued(Side side, int index, int colour) const override;
  size_t queued(Side side, int index) const override;
  size_t queued() const override { return device_.queued(); }
  Pause advance(uint64_t max_cycles) override { return device_.advance(max_cycles); }

  void step() override;
  RunStatus run_each(uint64_t max_cycles, const std::function<bool()>& done) override;
  void record_edges(bool on) override { device_.sim()->record_edges(on); }
  // The log of the whole wafer, with the wafer's numbers of ports.
  const std::vector<EdgeEvent>& edge_log() const override { return device_.sim()->edge_log(); }
  void set_link(Side side, int index, int colour,
                const std::optional<EdgeLinkOptions>& options) override {
    device_.sim()->set_link(side, port(side, index), colour, options);
  }
  EdgeLink& link(Side side, int index) override {
    return device_.sim()->link(side, port(side, index));
  }
  void set_exit(Side side, int index, int colour,
                const std::optional<EdgeExitOptions>& options) override {
    device_.sim()->set_exit(side, port(side, index), colour, options);
  }
  EdgeExit& exit(Side side, int index) override {
    return device_.sim()->exit(side, port(side, index));
  }
  uint64_t evaluations() const override { return device_.sim()->evaluations(); }

 private:
  // The wafer's number of a port.
  int port(Side side, int index) const;
  bool is_whole() const;

  std::unique_ptr<WaferDevice> wafer_;
  Device& device_;
  Window window_;
};

}  // namespace ow::wafer

#endif  // OW_WAFER_WINDOW_H_
