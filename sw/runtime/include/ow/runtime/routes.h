// SPDX-License-Identifier: Apache-2.0
// Routes of colours through a grid of tiles: collected, checked, written.
#ifndef OW_RUNTIME_ROUTES_H_
#define OW_RUNTIME_ROUTES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "openwafer/grid.h"
#include "openwafer/route.h"
#include "ow/device/control_plane.h"

namespace ow {

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

}  // namespace ow

#endif  // OW_RUNTIME_ROUTES_H_
