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

// What a tile has beside its state if it is a Verilated one or on a wafer: its words under way, its
// station, its share of its reticle's links.
constexpr size_t kBesideTile = 16384;

// BadInput, with estimate and limit, if this many tiles need more memory than this process may use.
// Of the computer's memory each of `processes` has the same share.
inline void check_room(const std::string& what, double tiles, size_t tile_bytes, int processes = 1,
                       size_t beside_tile = kBesideTile) {
  const double need = tiles * static_cast<double>(tile_bytes + beside_tile);
  double room = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / processes;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    room = std::min(room, static_cast<double>(limit.rlim_cur));
  }
  if (need <= room) return;
  throw BadInput(
      fmt::format("{}: {:.0f} tiles need about {:.1f} GB of memory, the limit here is "
                  "{:.1f} GB{}",
                  what, tiles, need / 1e9, room / 1e9,
                  processes > 1 ? fmt::format(" for each of {} processes", processes) : ""));
}

}  // namespace ow::sim

#endif  // OW_SIM_ROOM_H_
