// SPDX-License-Identifier: Apache-2.0
// Bring-up of a wafer: finds what is broken over the test-access chains, computes the repair, sets
// the fuses, releases the tiles and verifies the logical mesh (docs/bring-up.md).
#ifndef OW_WAFER_BRINGUP_H_
#define OW_WAFER_BRINGUP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/test_chain.h"
#include "ow/runtime/elf.h"
#include "ow/wafer/repair.h"

namespace ow::wafer {

// A program of the self-test, and what it does in a good tile: good_run().
struct SelftestProgram {
  ElfImage image;
  uint32_t signature = 0;
  uint64_t cycles = 0;  // within which it has ended
};

struct BringupOptions {
  SelftestProgram selftest;               // of selftest.elf, which is also the test of routers
  std::vector<SelftestProgram> thorough;  // run before it, if there are any
  uint32_t exchange_colours = 1;  // on which neighbours send each other words: 1, or an even number
  isa::Configuration tile = isa::kFull;              // sizes of a tile
  std::function<void(const std::string&)> progress;  // called when a step begins
  std::optional<Window> window;  // only these logical tiles; none: the whole wafer
  bool accept_smaller = false;   // if it is refused, set up and verify the largest rectangle
};

// Something that was found, in words: where and how it showed.
struct Finding {
  int reticle = 0;
  Position at;
  std::string what;
};

struct LinkState {
  int reticle = 0;
  bool south = false;
  int slot = 0;
  bool up = false;
  int reason = 0;              // why it is not (docs/links.md)
  std::vector<int> lanes_out;  // faulty: out of the reticle, into it
  std::vector<int> lanes_in;
};

struct Bringup {
  Bringup(const Shape& shape) : defects(shape) {}

  Defects defects;  // as the repair takes them
  std::vector<Finding> findings;
  std::vector<LinkState> links;
  Repair repair;   // of the whole wafer, or of the window asked for; refused: a reason and no map
  Window largest;  // if refused: the largest rectangle that works (rows = 0: none)
  std::optional<WaferMap> smaller;        // its map, if that was to be accepted
  std::vector<std::string> verification;  // what went wrong over the repaired mesh
  uint64_t wires_scanned = 0;             // connections tried, over all settings of the muxes
  uint64_t wavelets_verified = 0;
  bool succeeded() const { return map() != nullptr && verification.empty(); }
  // What the fuses were set to; nullptr if the wafer was refused.
  const WaferMap* map() const { return repair.map ? &*repair.map : smaller ? &*smaller : nullptr; }
};

// Runs all steps. `device` is the same wafer, for the verification; none: it ends with the fuses.
Bringup bring_up(ChainAccess& chain, Device* device, const BringupOptions& options);

// Sets the fuses of a map that an earlier bring-up has found, and releases its tiles.
// DeviceFault if a station that the map needs does not answer.
void apply_map(ChainAccess& chain, const WaferMap& map);

// Traffic over the logical mesh: the control plane to every tile, then words on four colours
// through every connection, each way. What is wrong, in words; empty if nothing is.
std::vector<std::string> verify_mesh(Device& device, uint64_t* wavelets);

// What a program of the self-test leaves in a good tile, and within how many cycles: `chain` is of
// a wafer of one tile without defects.
SelftestProgram good_run(ChainAccess& chain, const ElfImage& image);

}  // namespace ow::wafer

#endif  // OW_WAFER_BRINGUP_H_
