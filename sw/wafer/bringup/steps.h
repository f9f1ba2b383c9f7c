// SPDX-License-Identifier: Apache-2.0
// The steps of a bring-up, in their order (docs/bring-up.md). Each one adds to what the probe knows
// of the wafer and leaves the tiles as the next one expects them.
#ifndef OW_WAFER_BRINGUP_STEPS_H_
#define OW_WAFER_BRINGUP_STEPS_H_

#include "probe.h"

namespace ow::wafer {

// Asks for every station from both ends; the chains set themselves up meanwhile.
void discover(Probe& probe);
// After a reset: the stations find each other again. What is known of them stays.
void wake_stations(Probe& probe);
// Resets the wafer, if the chains can, until its stations and links are there again: no link has
// anything left of before.
void start_afresh(Probe& probe);
// Whether any station has a boundary scan. Those of an FPGA's mini-grid have none (docs/fpga.md):
// its wires are taken as good, like all else of the part.
bool stations_scan(Probe& probe);
// Every wire between tiles, while the tiles are in reset.
void scan_wires(Probe& probe);
// Which reticle-crossing links have come up, and their faulty lanes.
void read_links(Probe& probe);
// Every connection between the tiles of an edge and the links that are up.
void scan_edges(Probe& probe);
// Tiles that are released and have nothing to do must be quiet.
void listen_for_noise(Probe& probe);
// The endpoint of the control plane in each tile, then the memory self-test.
void test_memories(Probe& probe);
// The self-test of core and datapath, after the thorough programs, if there are any.
void test_cores(Probe& probe);
// Words between neighbours.
void test_routers(Probe& probe);
// What was found, as the repair takes it: into the probe's result, in place of what is there.
void collect(Probe& probe);

// A map of the window. Links whose wires to the tiles could not be tested are used only if there is
// no other way; give_up_untested() has to show then that they work.
Repair repair(const Probe& probe, const Window& window);

// A side of a physical tile.
struct TileSide {
  int reticle = 0;
  Position at;
  int side = 0;
};
// All tiles into reset, the fuses, then the tiles of the map out of reset. Nobody is joined to the
// sides of `closed`. DeviceFault if a station of the map does not answer or does not hold its
// fuses.
void set_fuses(Probe& probe, const WaferMap& map, const std::vector<TileSide>& closed = {});

// What arrives between the logical neighbours of a map.
struct Verified {
  // No word goes from one tile to the other; both are the same: it does not end its test.
  struct Failure {
    Position from;
    Position to;
    std::string text() const;
  };
  std::vector<Failure> failures;
  uint64_t wavelets = 0;  // connections, each way, over which all arrives
};
// Every tile of a map sends words on so many colours (1, or an even number) to each of its logical
// neighbours, over the connections of the fuses as they are; the chains load, start and read.
Verified verify_neighbours(Probe& probe, const WaferMap& map, uint32_t colours);

// Whether the map uses a connection between a tile and a link that could not be tested.
bool uses_untested(const Probe& probe, const WaferMap& map);
// Sends words between the neighbours of a map, while nothing else is joined to it. If some do not
// arrive and connections that could not be tested are among those that fail, gives up a tile at one
// of their ends that fails without them as well, else the connection that explains most of it, and
// returns true: another map has to be found. Otherwise what has failed is in the result's
// verification.
bool give_up_untested(Probe& probe, const WaferMap& map);

}  // namespace ow::wafer

#endif  // OW_WAFER_BRINGUP_STEPS_H_
