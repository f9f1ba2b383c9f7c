// SPDX-License-Identifier: Apache-2.0
// The simulated wafer: the Verilated tile, station and link end, each instantiated as often as the
// wafer has them, and the muxes of its reticles. It matches rtl/wafer/ow_wafer.sv cycle for cycle.
#ifndef OW_SIM_WAFER_H_
#define OW_SIM_WAFER_H_

#include <memory>
#include <vector>

#include "ow/device/test_chain.h"
#include "ow/device/wafer_faults.h"
#include "ow/sim/sim.h"
#include "ow/sim/sim_device.h"

namespace ow::wafer {

struct SimCounts {
  uint64_t tiles = 0;  // evaluations
  uint64_t stations = 0;
  uint64_t links = 0;
};

// As a device it has the wafer's logical rows and columns. It is dark until its fuses are set.
class WaferDevice : public SimDevice, public ChainAccess {
 public:
  explicit WaferDevice(GridShape shape) : SimDevice(shape) {}
  Device& device() { return *this; }
  virtual SimCounts counts() const = 0;
  // From now on, throws InternalError if a unit of a tile sleeps through a cycle that would change
  // it. Several times slower. BadInput if the device does not evaluate its tiles one by one.
  virtual void check_idle() = 0;
  // The pins of the chains.
  virtual std::vector<ChainPins>& pins() = 0;
};

// Full tiles, evaluated by the engine of the options with their width and threads. BadInput if the
// faults name something that does not exist, or if the wide engine is not built.
std::unique_ptr<WaferDevice> make_wafer_device(const Shape& shape, const Faults& faults = Faults(),
                                               const SimOptions& options = SimOptions());

// Tiles of `mini` (2 lanes, 8 kB, 4 colours, 3 threads), for campaigns.
std::unique_ptr<WaferDevice> make_mini_wafer_device(const Shape& shape,
                                                    const Faults& faults = Faults());

// All flip-flops of a `mini` tile, from which stuck ones are drawn.
std::vector<Register> mini_tile_registers();

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_H_
