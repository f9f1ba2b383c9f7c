// SPDX-License-Identifier: Apache-2.0
// The steps of a bring-up, in order (docs/bring-up.md). Each step adds defects to the probe and
// leaves the tiles as the next step needs them.
#ifndef OW_WAFER_BRINGUP_STEPS_H_
#define OW_WAFER_BRINGUP_STEPS_H_

#include "probe.h"

namespace ow::wafer {

// Asks for every station from both ends. The chains set themselves up meanwhile.
void discover(Probe& probe);
// After a reset the stations find each other again. Known defects are kept.
void wake_stations(Probe& probe);
// Resets the wafer, if the chains can, and waits until its stations and links are up again. No link
// then holds words from before.
void start_afresh(Probe& probe);
// Whether any station has a boundary scan. Stations of an FPGA's mini-grid have none
// (docs/fpga.md); its wires are assumed to work.
bool stations_scan(Probe& probe);
// Tests every wire between tiles while the tiles are in reset.
void scan_wires(Probe& probe);
// Finds the reticle-crossing links that are up, and their faulty lanes.
void read_links(Probe& probe);
// Tests every connection between the tiles of an edge and the links that are up.
void scan_edges(Probe& probe);
// Released tiles without work must be quiet.
void listen_for_noise(Probe& probe);
// Tests the endpoint of the control plane in each tile, then its memory.
void test_memories(Probe& probe);
// Runs the thorough programs, then the self-test of core and datapath.
void test_cores(Probe& probe);
// Exchanges words between neighbours.
void test_routers(Probe& probe);
// Replaces the defects in the probe's result by those found, as the repair needs them.
void collect(Probe& probe);

// A map of the window. It uses a link whose wires to the tiles could not be tested only if there is
// no other way. give_up_untested() must then show that the link works.
Repair repair(const Probe& probe, const Window& window);

// A side of a physical tile.
struct TileSide {
  int reticle = 0;
  Position at;
  int side = 0;
};
// Resets all tiles, sets the fuses, and releases the tiles of the map. The sides in `closed` are
// connected to nothing. DeviceFault if a station of the map does not answer or does not keep its
// fuses.
void set_fuses(Probe& probe, const WaferMap& map, const std::vector<TileSide>& closed = {});

// The result of an exchange between the logical neighbours of a map.
struct Verified {
  // No word goes from the first tile to the second. If both are the same, its test does not end.
  struct Failure {
    Position from;
    Position to;
    std::string text() const;
  };
  std::vector<Failure> failures;
  uint64_t wavelets = 0;  // connections, counted each way, over which everything arrives
};
// Every tile of a map sends words to each of its logical neighbours, on so many colours (1, or an
// even number), over the connections that the fuses set now. The chains load, start and read.
Verified verify_neighbours(Probe& probe, const WaferMap& map, uint32_t colours);

// Whether the map uses a connection between a tile and a link that could not be tested.
bool uses_untested(const Probe& probe, const WaferMap& map);
// Sends words between the neighbours of a map, while nothing else is connected to it. If untested
// connections are among those that fail, it gives one of them up and returns true: another map is
// needed. It gives up a tile at an end if that tile also fails without the connection, else the
// connection that explains most failures. Other failures go into the result's verification.
bool give_up_untested(Probe& probe, const WaferMap& map);

}  // namespace ow::wafer

#endif  // OW_WAFER_BRINGUP_STEPS_H_
