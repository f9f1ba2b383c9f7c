// SPDX-License-Identifier: Apache-2.0
// What a simulated grid or wafer needs of the host's memory, before it is taken.
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

// BadInput with the estimate and the limit if so many tiles are more than this machine, or what is
// allowed to this process, can hold. `tile_bytes`: the state of a Verilated tile.
inline void check_room(const std::string& what, double tiles, size_t tile_bytes) {
  // A tile's share of the rest: its words on the way, on a wafer its station and its reticle's
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
