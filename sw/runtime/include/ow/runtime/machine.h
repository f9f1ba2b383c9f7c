// SPDX-License-Identifier: Apache-2.0
// Beside the installed interface: machines made from devices (for ow::open, and for code with its
// own kind of device), and what surrounds a machine: its device and the edge ports of streams.
#ifndef OW_RUNTIME_MACHINE_H_
#define OW_RUNTIME_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "openwafer/runtime.h"
#include "ow/device/device.h"
#include "ow/runtime/counters.h"
#include "ow/runtime/tile_config.h"

namespace ow {

// Reads the machine's properties from its first tile.
Runtime make_runtime(std::unique_ptr<Device> device);

// The machine's device, for what happens outside it (time models, clocks). Its control plane is the
// machine's.
Device& device_of(const Runtime& machine);

// What the machine's tiles have; that of the first one.
const TileConfig& tile_of(const Runtime& machine);

// Lets the machine work, with its producers and consumers, until `done` returns true, nothing moves
// any more, or so many cycles have passed.
RunStatus work(const Runtime& machine, uint64_t cycles, const std::function<bool()>& done);
// From here on arrays that are written, parameters of programs too, go straight into the memories
// of a simulated machine and take no cycles; or, with false, through its ports again. BadInput if
// the machine is of another kind.
void copy_directly(const Runtime& machine, bool direct);
// Why it does not go on: the error of a stopped tile, or the hang report.
std::string fault_text(const Runtime& machine);

// A colour at an edge port of the machine.
struct StreamPort {
  Side side = Side::West;
  int index = 0;
  int colour = 0;
};
inline bool operator<(const StreamPort& a, const StreamPort& b) {
  return std::tie(a.side, a.index, a.colour) < std::tie(b.side, b.index, b.colour);
}
// The ports of a stream, in their order. BadInput if the program has no such stream.
std::vector<StreamPort> stream_ports(const Run& run, const std::string& stream);

// Run::produce for many words at a time: whenever the port has room, `make` appends up to `room`
// wavelets, or none if it has none yet, and returns false when it will never have more. It runs
// while the machine works. What a call makes is sent before the next call, on the port's colour.
using MakeWavelets = std::function<bool(size_t room, std::vector<Wavelet>* wavelets)>;
void produce_wavelets(const Run& run, const std::string& stream, size_t port, MakeWavelets make);

// The counters of a run's tiles, row by row, since their reset. Zeros if the tiles have none.
// Run::profile is for users; this is for reports that name every counter.
std::vector<Counters> tile_counters(const Run& run);

}  // namespace ow

#endif  // OW_RUNTIME_MACHINE_H_
