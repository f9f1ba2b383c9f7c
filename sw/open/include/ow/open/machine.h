// SPDX-License-Identifier: Apache-2.0
// Machines by their description: one string says which machine, and which grid or wafer it has.
// ow::open and the program `ow` read the same strings.
#ifndef OW_OPEN_MACHINE_H_
#define OW_OPEN_MACHINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ow/device/device.h"
#include "ow/open/wafer.h"
#include "ow/sim/sim.h"
#include "ow/uart/wire.h"

namespace ow {

enum class MachineKind {
  Golden,   // golden: the model alone, no machine
  Sim,      // sim: a simulated grid of full tiles
  SimMini,  // sim-mini, mini: of the tiles of `mini`
  Mono,     // mono: full tiles, Verilated as a whole
  Wafer,    // wafer:FILE[,OPTION]...: a simulated wafer
  Board,    // uart:PATH[:BAUD]: a board at a serial port
  FpgaSim   // fpga-sim: such a board, simulated at its pins
};

struct MachineSpec {
  MachineKind kind = MachineKind::Sim;
  std::string text = "sim";
  std::string name = "--machine sim";   // begins errors: what was typed
  std::optional<GridShape> grid;        // as in "sim:4x4"; a job has its own
  wafer::WaferSource wafer;             // of Wafer
  Engine engine = Engine::Replicated;   // of Sim
  int width = 0, threads = 1;           // of Sim, as SimOptions has them
  bool lockstep = false;                // of the wide engine
  int split = 1;                        // of Sim: processes that simulate the grid together
  std::string save_file, restore_file;  // of Sim, with save_every as SimOptions has them
  uint64_t save_every = 0;
  std::string record_file;  // of Sim and Mono: a recording of the run; empty: none

  bool has_mini_tiles() const {
    return kind == MachineKind::SimMini || kind == MachineKind::Board ||
           kind == MachineKind::FpgaSim;
  }
};

// The strings are golden; sim, sim-mini (or mini), mono and fpga-sim, each also with
// :ROWSxCOLUMNS; wafer:FILE with the options of wafer::parse_source; uart:PATH[:BAUD]. After sim
// may follow ,engine=NAME (parse_engine), ,threads=N, ,lockstep, ,split=K, ,save=FILE,
// ,every=CYCLES and ,restore=FILE; after sim and mono ,record=FILE. A comma in a file's name has a
// backslash before it. BadInput, which begins with `name`, for anything else.
MachineSpec parse_machine(const std::string& text, const std::string& name);

// The flags of `ow` for a machine. Each one except `machine` writes a part of the string.
struct MachineFlags {
  std::optional<std::string> machine;  // the whole string; excludes all others
  std::optional<std::string> device;   // any string without a wafer; rtl is sim
  std::string tiles;                   // full, or mini: sim becomes sim-mini
  std::string wafer;                   // wafer:FILE
  std::string defects;                 // ,defects=FILE
  std::string map;                     // ,map=FILE
  std::string window;                  // ,window=ROWSxCOLUMNS[@ROW,COLUMN]
  bool accept_smaller = false;         // ,accept-smaller
};

// Without a flag it is sim. BadInput for flags that do not go together.
MachineSpec machine_of(const MachineFlags& flags);

// What a command wants from a machine besides running.
struct MachineUse {
  bool checked = false;     // the assertions of the hardware (--checked)
  bool check_idle = false;  // (--check-idle)
  bool recorded = false;    // (--record)
  bool drawn = false;       // a picture of the bring-up (--svg)
  bool trains = false;      // the job is a training
};

// BadInput if the machine cannot do that.
void check_use(const MachineSpec& spec, const MachineUse& use);

struct MachineOptions {
  SimOptions sim;        // of a simulated grid; one that is split needs its ranks (ranks.h)
  std::string firmware;  // directory of the self-test that a wafer is brought up with
  std::function<void(const std::string&)> on_step;  // called when a step of a bring-up begins
  std::function<void(const wafer::ReadyWafer&)> on_wafer;  // called after it, also if it failed
  // Makes the wire to a simulated board with this grid. Without it there is no fpga-sim.
  std::function<std::unique_ptr<uart::Wire>(GridShape)> simulated_board;
};

// A machine that can be opened.
class Machine {
 public:
  Machine(MachineSpec spec, MachineOptions options);

  const MachineSpec& spec() const { return spec_; }

  // The machine must have this grid, which the file `job` wants. Reads a wafer's files. BadInput if
  // the grid is known and differs.
  void fit(GridShape grid, const std::string& job);

  // BadInput if the faults of a wafer name what it does not have.
  void check_faults() const;

  // Opens a board now, for the first call of device(). A missing board is then found before a long
  // job begins.
  void connect();

  // Returns a new machine, ready to run. BadInput if it has another grid than the job; DeviceFault
  // if it does not answer or cannot be repaired.
  std::unique_ptr<Device> device();

 private:
  std::unique_ptr<Device> open_wafer() const;
  void check_size(GridShape offered) const;
  void check_split(GridShape grid) const;

  MachineSpec spec_;
  MachineOptions options_;
  std::optional<GridShape> wanted_;
  std::string job_;
  std::unique_ptr<Device> connected_;
};

}  // namespace ow

#endif  // OW_OPEN_MACHINE_H_
