// SPDX-License-Identifier: Apache-2.0
// What the simulated devices share: edge ports, the cycle count, the run loop.
#ifndef OW_SRC_SIM_DEVICE_H_
#define OW_SRC_SIM_DEVICE_H_

#include <memory>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/edge_ports.h"
#include "ow/device/sim_control.h"
#include "ow/sim/recording.h"
#include "ow/sim/sim.h"

namespace ow {

class SimDevice : public Device, public SimControl {
 public:
  explicit SimDevice(GridShape shape);

  GridShape shape() const override { return shape_; }
  uint64_t cycle() const override { return cycle_; }
  int send_credits(Side side, int index, int colour) const override;
  std::vector<Arrival> take_arrivals(Side side, int index, int colour) override;
  size_t available(Side side, int index, int colour) const override;
  bool can_hold() const override { return true; }
  void hold_credits(Side side, int index, int colour, bool held) override;
  bool tells_quiet() const override { return true; }
  SimControl* sim() override { return this; }
  size_t offer(Side side, int index, const Wavelet* wavelets, size_t count) override;
  size_t queued(Side side, int index, int colour) const override;
  size_t queued(Side side, int index) const override;
  size_t queued() const override { return ports_.pending(); }
  Pause advance(uint64_t max_cycles) override;

  void step() override;
  RunStatus run_each(uint64_t max_cycles, const std::function<bool()>& done) override;
  void record_edges(bool on) override { ports_.record(on); }
  const std::vector<EdgeEvent>& edge_log() const override { return ports_.log(); }
  void set_link(Side side, int index, int colour,
                const std::optional<EdgeLinkOptions>& options) override;
  EdgeLink& link(Side side, int index) override { return ports_.link(ports_.port(side, index)); }
  void set_exit(Side side, int index, int colour,
                const std::optional<EdgeExitOptions>& options) override;
  EdgeExit& exit(Side side, int index) override { return ports_.exit(ports_.port(side, index)); }

  // Records the words that come in at the edges. Call it before the first cycle.
  void record_run(const std::string& path);
  // Runs a recording from its first cycle. BadInput if its shape differs, DeviceFault if other
  // words leave than in the recorded run.
  void replay(const Recording& recording);

 protected:
  // Clocks the grid once. `in` holds the words of the edge inputs in this cycle, indexed like the
  // ports of EdgePorts; `out` gets the edge outputs of the next cycle.
  virtual void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) = 0;
  // Whether no tile can change before an edge input does. The caller checks edge outputs.
  virtual bool grid_quiet() const = 0;

  static int checked_colour(int colour);
  // Whether nothing moves before the host sends something.
  bool quiet() const;

  GridShape shape_;
  EdgePorts ports_;

 private:
  void clock();

  uint64_t cycle_ = 0;
  std::vector<uint64_t> in_;
  std::vector<uint64_t> out_;
  std::unique_ptr<Recorder> recorder_;
};

// A grid of tiles in the replicated engine.
std::unique_ptr<SimDevice> make_simulator(GridShape shape, const SimOptions& options = {});
// In the wide engine. BadInput if its library is not built, the processor lacks the instructions of
// the width that the options name, or the options ask for what only the replicated engine has.
std::unique_ptr<SimDevice> make_wide(GridShape shape, const SimOptions& options = {});

}  // namespace ow

#endif  // OW_SRC_SIM_DEVICE_H_
