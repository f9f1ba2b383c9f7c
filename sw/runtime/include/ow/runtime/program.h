// SPDX-License-Identifier: Apache-2.0
// Programs, routes, queues, cores and counters of tiles, all through the control plane.
#ifndef OW_PROGRAM_H_
#define OW_PROGRAM_H_

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "openwafer/program.h"
#include "openwafer/route.h"
#include "ow/device/control_plane.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/elf.h"

namespace ow {

// ------------------------------------------------------------------------------------- routes --
// The routes of all colours in a grid. The host collects them, checks them, then writes them.
class RouteSet {
 public:
  explicit RouteSet(GridShape shape) : shape_(shape) {}

  // BadInput if the tile is not in the grid, the colour is not 0..23 or the mask is empty. A second
  // call replaces the route.
  void set(int row, int col, int colour, Route route);
  void set(const Rect& rect, int colour, Route route);
  // A switched colour. Also BadInput without a position, with more than 4, or with a wrong start.
  void set(int row, int col, int colour, const Switch& positions);

  // The host takes what leaves the grid at this edge port on this colour.
  void listen(Side side, int index, int colour);

  // One line per defect, for every position that a switch can reach: a route off the grid where
  // nothing listens, an output into a neighbour that never takes the colour from there, an input
  // from a neighbour that never sends there, or a cycle (with its tiles) in which wavelets can
  // block each other forever. Empty if there is no defect.
  std::vector<std::string> check() const;

  // Writes all routes, one multicast per group of equal routes in adjacent tiles. Unless told not
  // to, it first checks and throws BadInput with the first defect. The colours must be quiet. If an
  // input is not selected at the start, its neighbour starts without credits. The host's edge ports
  // always start with credits, so the host must send a tile only what it takes next.
  void apply(ControlPlane& control, bool checked = true) const;

  // The routes in effect at the start.
  const std::map<std::tuple<int, int, int>, Route>& routes() const { return routes_; }
  GridShape shape() const { return shape_; }

 private:
  using Key = std::tuple<int, int, int>;  // colour, row, col
  class Check;
  std::vector<Route> positions(const Key& key) const;
  uint32_t credit_bits(const Key& key) const;

  GridShape shape_;
  std::map<Key, Route> routes_;
  std::map<Key, Switch> switches_;
  std::set<std::tuple<int, int, int>> listeners_;  // side, index, colour
};

// Encodes a ROUTE register, and decodes it (false if the register is not enabled).
uint32_t route_word(const Route& route);
bool parse_route(uint32_t word, Route* route);

// Encodes a SWITCH register.
uint32_t switch_word(const Switch& positions);

// The neighbour's port in that direction; not for Port::Ramp.
Port opposite(Port port);
const char* port_name(Port port);

// ------------------------------------------------------------------------------------- queues --
// Binds an input queue of each tile to a colour. BadInput, with the tile, if another input queue
// has the colour: one queue serves a colour. docs/fabric.md says what happens if a program binds a
// colour twice.
void bind_inq(ControlPlane& control, const Rect& rect, int queue, int colour);
void bind_outq(ControlPlane& control, const Rect& rect, int queue, int colour);
// Binds all queues of the tiles to nothing.
void unbind_queues(ControlPlane& control, const Rect& rect);

// ------------------------------------------------------------------------------------- filters --
// Sets filter `index` of each tile. BadInput for what the registers cannot hold.
void set_filter(ControlPlane& control, const Rect& rect, int index, const Filter& filter);

// ------------------------------------------------------------------------------- program, core --
// The guard words at the lower end of a program's stack, which show whether the stack overflowed.
struct StackGuard {
  uint32_t addr = 0;
  uint32_t words = 0;
  uint32_t value = 0;  // of each
  uint32_t stack_bytes = 0;
};
// Nothing if the program was not linked with Openwafer's start-up code. BadInput, with the sizes,
// if program and stack do not fit the tile.
std::optional<StackGuard> stack_guard(const ElfImage& image, uint32_t sram_bytes);

// Writes the image, with zeroed memory and the stack's guard, into every tile of the rectangle
// (multicast) and waits until it is there. `verify` reads one tile back and compares. Returns the
// number of words written. BadInput if program and stack do not fit.
size_t load_program(ControlPlane& control, const Rect& rect, const ElfImage& image,
                    bool verify = false);

// Writes the logical coordinates into the tiles' ROW and COL registers.
void set_identity(ControlPlane& control, const Rect& rect);

// Resets the cores to `pc` and starts them; stops them after the current instruction.
void start_cores(ControlPlane& control, const Rect& rect, uint32_t pc);
void halt_cores(ControlPlane& control, const Rect& rect);

struct CoreState {
  uint32_t pc = 0;
  bool running = false;
  bool trapped = false;
  bool asleep = false;
  bool waits_tensor = false;
  bool stopped_ebreak = false;
  int cause = 0;
  uint32_t tval = 0;
  uint32_t engine_fault = 0;
};
CoreState read_core(ControlPlane& control, int row, int col);
// Decodes the words of CORE_PC, CORE_STATUS, CORE_TVAL and ENGINE_FAULT.
CoreState parse_core(uint32_t pc, uint32_t status, uint32_t tval);

// ------------------------------------------------------------------------------------ counters --
using Counters = std::array<uint64_t, kNumCounters>;  // index: enum Counter
Counters read_counters(ControlPlane& control, int row, int col);
std::vector<Counters> read_counters(ControlPlane& control, const Rect& rect);  // row by row
// Decodes the words of all counters, low and high in turn.
Counters parse_counters(const std::vector<uint32_t>& words);

// The tile's registers CONFIG, FEATURES and OPERATIONS. Values of `full` until read_features() has
// read them.
struct TileConfig {
  int lanes = 0;
  int threads = 0;
  int colours = 0;
  uint32_t sram_bytes = 0;
  uint32_t features = isa::kFull.features;
  uint32_t operations = isa::kFull.operations;
};
TileConfig read_config(ControlPlane& control, int row, int col);
void read_features(ControlPlane& control, int row, int col, TileConfig* config);
// BadInput if a switch has more positions, a tile more flows or filters, or the layout more
// descriptors or tasks than FEATURES allows.
void check_features(const Layout& layout, const TileConfig& tile);
// BadInput if the firmware uses descriptors or threads that the tile does not have.
void check_claims(const ElfImage& image, const TileConfig& tile);
// BadInput if the layout names a descriptor or a task that the firmware uses.
void check_numbers(const Layout& layout, const ElfImage& image);

}  // namespace ow

#endif  // OW_PROGRAM_H_
