// SPDX-License-Identifier: Apache-2.0
// Programs, routes, queues, cores and counters of tiles: all of it through the control plane.
#ifndef OW_PROGRAM_H_
#define OW_PROGRAM_H_

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ow/control_plane.h"
#include "ow/elf.h"
#include "ow/tile_map.h"

namespace ow {

// ------------------------------------------------------------------------------------- routes --
enum class Port { North = 0, East = 1, South = 2, West = 3, Ramp = 4 };

constexpr uint32_t kOutN = 1u << 0;
constexpr uint32_t kOutE = 1u << 1;
constexpr uint32_t kOutS = 1u << 2;
constexpr uint32_t kOutW = 1u << 3;
constexpr uint32_t kOutRamp = 1u << 4;

struct Route {
  Port in = Port::Ramp;
  uint32_t out_mask = 0;  // kOut... bits
};

// Routes of all colours in a grid. Kept by the host, checked, then written to the tiles.
class RouteSet {
 public:
  explicit RouteSet(GridShape shape) : shape_(shape) {}

  // BadInput if the tile is not in the grid, the colour is not 0..23 or the mask is empty. A route
  // that is set again is replaced.
  void set(int row, int col, int colour, Route route);
  void set(const Rect& rect, int colour, Route route);

  // The host takes what leaves the grid at this edge port on this colour.
  void listen(Side side, int index, int colour);

  // One line for each defect: a route off the grid where nothing listens, an output into a
  // neighbour whose route of the colour has another input or none, an input from a neighbour that
  // never sends there, a cycle. Empty if there is none.
  std::vector<std::string> check() const;

  // Writes all routes: one multicast for each group of equal routes in adjacent tiles. Checks first
  // and throws BadInput with the first defect, unless told not to.
  void apply(ControlPlane& control, bool checked = true) const;

  const std::map<std::tuple<int, int, int>, Route>& routes() const { return routes_; }
  GridShape shape() const { return shape_; }

 private:
  GridShape shape_;
  std::map<std::tuple<int, int, int>, Route> routes_;  // by colour, row, col
  std::set<std::tuple<int, int, int>> listeners_;      // side, index, colour
};

// Bits of a ROUTE register, and back (false if the register is not enabled).
uint32_t route_word(const Route& route);
bool parse_route(uint32_t word, Route* route);

// Port of the neighbour in that direction; not for Port::Ramp.
Port opposite(Port port);
const char* port_name(Port port);

// ------------------------------------------------------------------------------------- queues --
void bind_inq(ControlPlane& control, const Rect& rect, int queue, int colour);
void bind_outq(ControlPlane& control, const Rect& rect, int queue, int colour);

// ------------------------------------------------------------------------------- program, core --
// Writes the image into every tile of the rectangle (multicast, the zeroed part included) and waits
// until it is there. `verify` reads one tile back and compares. Returns the words written.
size_t load_program(ControlPlane& control, const Rect& rect, const ElfImage& image,
                    bool verify = false);

// Writes the logical coordinates into the tiles' ROW and COL registers.
void set_identity(ControlPlane& control, const Rect& rect);

// Resets the cores to `pc` and lets them run; stops them after the current instruction.
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

// ------------------------------------------------------------------------------------ counters --
using Counters = std::array<uint64_t, kNumCounters>;  // index: enum Counter
Counters read_counters(ControlPlane& control, int row, int col);
std::vector<Counters> read_counters(ControlPlane& control, const Rect& rect);  // row by row

// What a build's CONFIG register says.
struct TileConfig {
  int lanes = 0;
  int threads = 0;
  int colours = 0;
  uint32_t sram_bytes = 0;
};
TileConfig read_config(ControlPlane& control, int row, int col);

}  // namespace ow

#endif  // OW_PROGRAM_H_
