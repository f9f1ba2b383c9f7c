// SPDX-License-Identifier: Apache-2.0
// What the simulated devices share: edge ports, the cycle count, the run loop.
#ifndef OW_SIM_SIM_DEVICE_H_
#define OW_SIM_SIM_DEVICE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/edge_ports.h"
#include "ow/device/sim_control.h"
#include "ow/sim/one_tile.h"
#include "ow/sim/recording.h"
#include "ow/sim/saved_run.h"
#include "ow/sim/sim.h"
#include "ow/sim/tile_state.h"

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
  // BadInput if the run is recorded, saved or restored: the words at its edges must give it again.
  void write_memory(int row, int col, uint32_t addr, const uint32_t* words, size_t count) final;
  void end_recording() override;

  // Records the words that come in at the edges. Call it before the first cycle.
  void record_run(const std::string& path);
  // Runs a recording from its first cycle, or from that of restore_tiles(). BadInput if its shape
  // differs, DeviceFault if other words leave than in the recorded run.
  void replay(const Recording& recording);
  // The same up to a cycle. Returns the digest of the words that have left (recording.h).
  uint64_t replay_until(const Recording& recording, uint64_t end);
  // Saves the run (saved_run.h) after every so many cycles, each time instead of the last. Call it
  // before the first cycle. BadInput if the file cannot be written.
  void save_run(const std::string& path, uint64_t every);
  // Goes on with a saved run. Call it before the first cycle.
  void restore_run(const std::string& path);
  // The same for a replay(), which needs no program: it goes on at the cycle of the save.
  void restore_tiles(const std::string& path);

  // The state of tiles by name. InternalError for a device that does not give it.
  virtual const StateLayout& state_layout() const;
  // What the coming cycle begins with, of a tile by its number, row by row.
  virtual void read_tile(size_t tile, TileState* state);
  // Gives all tiles a state: what the next cycle that is clocked begins with. Asks for one tile
  // after the other, row by row.
  virtual void write_tiles(const std::function<void(size_t tile, TileState* state)>& tiles);

  // What a part of a grid is used by (split.h), and the run loop here.
  // Clocks the grid once. `in` holds the words of the edge inputs in this cycle, indexed like the
  // ports of EdgePorts; `out` gets the edge outputs of the next cycle. Cycles may be left out while
  // grid_quiet() and nothing comes in.
  virtual void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) = 0;
  // Whether no tile can change before an edge input does. The caller checks edge outputs.
  virtual bool grid_quiet() const = 0;

 protected:
  // write_memory() of a run that allows it, in a device that has_memory().
  virtual void put_memory(int row, int col, uint32_t addr, const uint32_t* words, size_t count);
  static int checked_colour(int colour);
  // Whether nothing moves before the host sends something.
  bool quiet() const;

  GridShape shape_;
  EdgePorts ports_;

 private:
  // Whether a saved run is still being repeated.
  bool repeats() const { return cycle_ < repeat_until_; }
  void clock();
  void clock_tiles();
  void load(SavedRun* saved);

  uint64_t cycle_ = 0;
  std::vector<uint64_t> in_;
  std::vector<uint64_t> out_;
  // Whether a word left the grid in the last cycle. The registers that held it changed at its end:
  // a tile whose outputs are registers (the wide engine's) was not idle, one whose inputs are
  // registers may have been. So that the cycle of rest is that of every engine, it counts.
  bool left_ = false;
  std::unique_ptr<Recorder> recorder_;
  std::string save_file_;    // empty: the run is not saved
  uint64_t save_every_ = 0;  // cycles
  std::string restored_file_;
  std::optional<EdgeLog> log_;  // of a run that is saved or was restored
  uint64_t repeat_until_ = 0;
  bool repeated_quiet_ = false;
  uint64_t digest_ = 0;  // of the words that left in a replay
};

// A grid of tiles in the replicated engine.
std::unique_ptr<SimDevice> make_simulator(GridShape shape, const SimOptions& options = {});
// In the wide engine. BadInput if its library is not built, the processor lacks the instructions of
// the width that the options name, or the options ask for what only the replicated engine has.
std::unique_ptr<SimDevice> make_wide(GridShape shape, const SimOptions& options,
                                     std::unique_ptr<TileMaker> maker);
// Rows of tiles in a block of it, for a width as SimOptions has it. BadInput likewise.
int rows_of_block(GridShape shape, int width);

}  // namespace ow

#endif  // OW_SIM_SIM_DEVICE_H_
