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

// A program of the self-test, and what it does in a working tile (good_run()).
struct SelftestProgram {
  ElfImage image;
  uint32_t signature = 0;
  uint64_t cycles = 0;  // it ends within these
};

struct BringupOptions {
  SelftestProgram selftest;               // selftest.elf; it also tests the routers
  std::vector<SelftestProgram> thorough;  // run before `selftest`
  uint32_t exchange_colours = 1;          // on which neighbours exchange words: 1 or an even number
  isa::Configuration tile = isa::kFull;   // sizes of a tile
  std::function<void(const std::string&)> progress;  // called when a step begins
  std::optional<Window> window;  // only these logical tiles; none: the whole wafer
  bool accept_smaller = false;  // if the repair is refused: set up and verify the largest rectangle
};

// A defect in words: where it is and how it was seen.
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
  int reason = 0;              // why it is down (docs/links.md)
  std::vector<int> lanes_out;  // faulty lanes: out of the reticle, into it
  std::vector<int> lanes_in;
};

struct Bringup {
  Bringup(const Shape& shape) : defects(shape) {}

  Defects defects;  // the input of the repair
  std::vector<Finding> findings;
  std::vector<LinkState> links;
  Repair repair;   // of the wafer or of the window; if refused: a reason and no map
  Window largest;  // if refused: the largest rectangle that works (rows = 0: none)
  std::optional<WaferMap> smaller;        // its map, with accept_smaller
  std::vector<std::string> verification;  // errors of the test over the repaired mesh
  uint64_t wires_scanned = 0;             // connections tested, over all settings of the muxes
  uint64_t wavelets_verified = 0;
  bool succeeded() const { return map() != nullptr && verification.empty(); }
  // The map that the fuses were set to. Null if the wafer was refused.
  const WaferMap* map() const { return repair.map ? &*repair.map : smaller ? &*smaller : nullptr; }
};

// Runs all steps. `device` is the same wafer and is needed for the verification. Without a device
// the bring-up ends after the fuses.
Bringup bring_up(ChainAccess& chain, Device* device, const BringupOptions& options);

// Sets the fuses of the map of an earlier bring-up and releases its tiles.
// DeviceFault if a station that the map needs does not answer.
void apply_map(ChainAccess& chain, const WaferMap& map);

// Traffic over the logical mesh: the control plane to every tile, then words on four colours
// through every connection, both ways. Returns the errors in words.
std::vector<std::string> verify_mesh(Device& device, uint64_t* wavelets);

// What a program of the self-test leaves in a working tile, and after how many cycles. `chain`
// belongs to a wafer of one tile without defects.
SelftestProgram good_run(ChainAccess& chain, const ElfImage& image);

}  // namespace ow::wafer

#endif  // OW_WAFER_BRINGUP_H_
