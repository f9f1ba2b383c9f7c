// SPDX-License-Identifier: Apache-2.0
// Checks the host memory that a simulated grid or wafer needs, before it is allocated.
#ifndef OW_SIM_ROOM_H_
#define OW_SIM_ROOM_H_

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "ow/base/error.h"

namespace ow::sim {

// BadInput, with estimate and limit, if this many tiles need more memory than the machine has or
// this process may use. `tile_bytes`: the state of a Verilated tile.
inline void check_room(const std::string& what, double tiles, size_t tile_bytes) {
  // A tile's share of the rest: its words under way and, on a wafer, its station and its reticle's
  // links.
  constexpr double kRest = 16384;
  const double need = tiles * (static_cast<double>(tile_bytes) + kRest);
  double room = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    room = std::min(room, static_cast<double>(limit.rlim_cur));
  }
  if (need <= room) return;
  throw BadInput(
      fmt::format("{}: {:.0f} tiles need about {:.1f} GB of memory, the limit here is "
                  "{:.1f}",
                  what, tiles, need / 1e9, room / 1e9));
}

}  // namespace ow::sim

#endif  // OW_SIM_ROOM_H_
