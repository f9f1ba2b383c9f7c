// SPDX-License-Identifier: Apache-2.0
// What a machine is called, what it says of itself, and what does not fit it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "messages.h"
#include "openwafer/openwafer.h"
#include "ow/base/file.h"
#include "ow/device/control_plane.h"
#include "ow/isa/isa.h"
#include "ow/open/mini.h"
#include "ow/open/wafer.h"
#include "ow/runtime/machine.h"
#include "ow/sim/sim.h"
#include "ow/wafer/files.h"

namespace ow {
namespace {

const std::string kMini = OW_KERNEL_DIR "/mini_kernel.elf";
const std::string kClaims = OW_KERNEL_DIR "/claims_kernel.elf";
const std::string kLibrary = OW_KERNEL_DIR "/library_kernel.elf";

TEST(Machines, AWafersNameSaysWhatIsBrokenAndWhatIsWanted) {
  wafer::WaferSource source = wafer::parse_source("a.yaml");
  EXPECT_EQ(source.wafer, "a.yaml");
  EXPECT_TRUE(source.defects.empty() && source.map.empty() && !source.part.window);
  source = wafer::parse_source("a.yaml,accept-smaller,window=2x3@1,0,defects=d=1.yaml");
  EXPECT_EQ(source.defects, "d=1.yaml");
  EXPECT_TRUE(source.part.accept_smaller);
  ASSERT_TRUE(source.part.window);
  EXPECT_EQ(source.part.window->row, 1);
  EXPECT_EQ(source.part.window->col, 0);
  EXPECT_EQ(source.part.window->cols, 3);
  EXPECT_EQ(wafer::parse_source("a.yaml,window=2x3").part.window->rows, 2);
  EXPECT_EQ(wafer::parse_source("a.yaml,map=m.json").map, "m.json");
  const auto refusal = [](const std::string& spec) {
    return message([&] { open("wafer:" + spec); });
  };
  EXPECT_EQ(
      refusal("a.yaml,defect=x"),
      "machine 'wafer:a.yaml,defect=x': option 'defect=x' is unknown; there are "
      "defects=FILE, map=FILE, window=ROWSxCOLUMNS[@ROW,COLUMN], accept-smaller, engine=NAME, "
      "threads=N");
  EXPECT_EQ(refusal("a.yaml,defects="),
            "machine 'wafer:a.yaml,defects=': 'defects=': defects= needs "
            "a value");
  EXPECT_TRUE(has(refusal("a.yaml,defects"), "defects= needs a value"));
  EXPECT_TRUE(has(refusal("a.yaml,accept-smaller=1"), "accept-smaller has no value"));
  EXPECT_TRUE(has(refusal("a.yaml,defects=a,defects=b"), "'defects' is given twice"));
  EXPECT_TRUE(has(refusal("a.yaml,window=0x2"), "'window=0x2': must be ROWSxCOLUMNS or"));
  EXPECT_TRUE(has(refusal("a.yaml,window=1x2@1"), "'window=1x2@1': must be ROWSxCOLUMNS or"));
  EXPECT_TRUE(has(refusal("a.yaml,"), "option '' is unknown"));
  EXPECT_TRUE(has(refusal(",defects=a"), "which wafer?"));
  EXPECT_TRUE(has(refusal(""), "which wafer?"));
  EXPECT_TRUE(has(refusal("a.yaml,map=m,accept-smaller"), "not with window or accept-smaller"));
  EXPECT_TRUE(has(refusal("a.yaml,map=m,window=1x1"), "not with window or accept-smaller"));
  EXPECT_TRUE(has(message([] { open("sim-mini:0x1"); }), "rows of a reticle must be from 1"));
  EXPECT_TRUE(has(message([] { open("simmini:1x1"); }),
                  "must be sim:ROWSxCOLUMNS, sim-mini:ROWSxCOLUMNS, mono:ROWSxCOLUMNS"));
}

// Nearly two terabytes of Verilated tiles, one of those in blocks.
// Fails if a size without bound ends in bad_alloc or a crash.
TEST(Machines, AGridThatNoMemoryHoldsIsRefusedWithTheEstimate) {
  for (const std::string engine : {"replicated", "auto", "wide"}) {
    const std::string text = message([&] { open("sim:4096x4096,engine=" + engine); });
    if (engine == "wide" && !has_wide()) {
      EXPECT_TRUE(has(text, "engine=wide: not built")) << text;
      continue;
    }
    EXPECT_TRUE(has(text, "grid of 4096 x 4096 tiles: 16777216 tiles need about ")) << text;
    EXPECT_TRUE(has(text, " GB of memory, the limit here is ")) << text;
  }
}

// One reticle of 1 x 1 tiles with a spare row and column: good, with its first tile broken, with
// too many.
TEST(Machines, ABrokenWaferIsRepairedOrRefused) {
  const std::string dir = ::testing::TempDir();
  const std::string shape = dir + "machines_wafer.yaml", defects = dir + "machines_defects.yaml";
  const std::string map = dir + "machines_map.json";
  write_file(shape,
             "wafer: {reticle_rows: 1, reticle_columns: 1}\n"
             "reticle: {rows: 1, columns: 1, spare_rows: 1, spare_columns: 1}\n");
  const auto broken = [](std::vector<std::string> tiles) {
    std::string text = "tiles:\n";
    for (const std::string& tile : tiles) {
      text += "  - {reticle: [0, 0], tile: [" + tile + "], fault: silent}\n";
    }
    return text;
  };
  const auto runs = [](Runtime machine) {
    ow::Run run = machine.load(Program(kLibrary), Rect{});
    run.write("vector", std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8});
    run.launch("add", 8, 10).wait();
    return run.read<int32_t>("vector") == std::vector<int32_t>{11, 12, 13, 14, 15, 16, 17, 18};
  };
  write_file(defects, broken({"0, 0"}));
  {
    Runtime machine = open("wafer:" + shape + ",defects=" + defects);
    EXPECT_EQ(machine.grid(), (GridShape{1, 1}));
    EXPECT_TRUE(runs(machine));
  }
  wafer::WaferSource source = wafer::parse_source(shape + ",defects=" + defects);
  source.firmware = OPENWAFER_FIRMWARE;
  const wafer::ReadyWafer ready = wafer::ready_wafer(source);
  write_file(map, wafer::to_json(*ready.bringup->map()).dump());
  EXPECT_TRUE(runs(open("wafer:" + shape + ",defects=" + defects + ",map=" + map)));
  write_file(defects, broken({"0, 0", "0, 1", "1, 0", "1, 1"}));
  EXPECT_TRUE(has(message([&] { open("wafer:" + shape + ",defects=" + defects); }),
                  "the wafer cannot be repaired"));
  EXPECT_THROW(open("wafer:" + shape + ",defects=" + shape), BadInput);
}

TEST(Machines, MiniSaysWhatItHasAndRunsWhatFits) {
  Runtime machine = open("sim-mini:2x2");
  const MachineInfo& info = machine.info();
  EXPECT_EQ(info.grid, (GridShape{2, 2}));
  EXPECT_EQ(info.lanes, 2);
  EXPECT_EQ(info.colours, 4);
  EXPECT_EQ(info.threads, 3);
  EXPECT_EQ(info.sram_bytes, 8192u);
  EXPECT_EQ(info.queues, 4);
  EXPECT_EQ(info.descriptors, 16);
  EXPECT_EQ(info.tasks, 32);
  EXPECT_EQ(info.positions, 1);
  EXPECT_EQ(info.filters, 0);
  EXPECT_EQ(info.fifos, 0);
  EXPECT_FALSE(info.counters);
  Layout layout({2, 2});
  layout.broadcast("x", Side::North);
  layout.chain("sum", Side::East, false, true);
  ow::Run run = machine.load(Program(kMini, layout));
  std::vector<f16> x;
  for (int i = 0; i < 16; ++i) x.push_back(f16(i));
  run.send("x", x);
  run.launch("add").wait();
  // What came of a part that did not come whole can be taken afterwards.
  EXPECT_TRUE(has(message([&] { run.receive<f16>("sum", 10); }), "4 of 5 wavelets came"));
  const std::vector<f16> sums = run.receive<f16>("sum", 8);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(sums[i], f16(8 + 2.0 * static_cast<double>(i % 8)));
  EXPECT_EQ(message([&] { run.profile(); }), "profile: these tiles have no counters");
}

// What sleeps in a tile of `mini` would do nothing, also where an operation is given up on its way
// and where the host writes what the core would read next.
TEST(Machines, MiniSleepsOnlyWhereNothingChanges) {
  auto grid = make_mini_grid({1, 1}, true);
  {
    ControlPlane control(*grid);
    for (int task = 0; task < 32; ++task) {
      control.write(Rect{}, isa::reg::TaskEntry::address(task),
                    4u * static_cast<uint32_t>(task) + 8);
      control.fence(Rect{});
      grid->run(50);
    }
  }
  Runtime machine = make_runtime(std::move(grid));
  for (int k = 0; k < 4; ++k) {
    ow::Run run = machine.load(Program(kMini));
    EXPECT_TRUE(has(message([&] { run.launch("beyond").wait(); }), "0x100000"));
  }
}

// The entries are in a memory that answers a cycle later, also to reads of one after the other.
TEST(Machines, MiniReadsBackTheEntriesOfItsTasks) {
  auto grid = make_mini_grid({1, 1}, true);
  ControlPlane control(*grid);
  std::vector<uint32_t> entries;
  for (uint32_t task = 0; task < 32; ++task) {
    entries.push_back(task % 5 == 0 ? 0 : 4 * task + 8);  // some are never written
    if (entries.back() != 0) {
      control.write(Rect{}, isa::reg::TaskEntry::address(static_cast<int>(task)), entries.back());
    }
  }
  control.fence(Rect{});
  EXPECT_EQ(control.read_tile(0, 0, isa::reg::TaskEntry::address(0), 32), entries);
}

// A launch that waits for data keeps later ones from beginning: two of them are kept, a third would
// be lost.
TEST(Machines, ALaunchThatCannotBeginIsAnError) {
  Runtime machine = open("sim-mini:1x1");
  Layout layout({1, 1});
  layout.broadcast("x", Side::North);
  layout.chain("sum", Side::East, false, true);
  ow::Run run = machine.load(Program(kMini, layout));
  run.launch("add");
  run.launch("add");
  const std::string text = message([&] { run.launch("add"); });
  EXPECT_TRUE(has(text, "'add' cannot be launched, as what was launched before has not begun"))
      << text;
  EXPECT_TRUE(has(text, "nothing moves any more")) << text;
  run.send("x", std::vector<f16>(16, f16(1.0)));  // and the two go on
  run.wait();
  EXPECT_EQ(run.receive<f16>("sum", 16), std::vector<f16>(16, f16(1.0)));
}

TEST(Machines, WhatMiniHasNotIsRefusedInOneLine) {
  Runtime machine = open("sim-mini:1x2");
  const auto refusal = [&](const std::string& elf, const Layout& layout) {
    return message([&] { machine.load(Program(elf, layout)); });
  };
  Layout queues({1, 2});
  const int colour = queues.colour("c");
  for (int k = 0; k < 5; ++k) queues.tile_sends("q" + std::to_string(k), 0, 1, colour);
  EXPECT_EQ(refusal(kMini, queues),
            "layout: 'q4' is flow number 5 out of tile (0, 1), the machine has 4 queues for them");
  Layout colours({1, 2});
  for (int k = 0; k < 5; ++k) {
    const std::string name = "q" + std::to_string(k);
    const int c = colours.colour(name);
    colours.route(0, 0, c, Route{Port::West, kOutW});
    colours.host_sends(name, Side::West, 0, 0, c);
  }
  EXPECT_EQ(refusal(kMini, colours), "layout: 5 colours pass tile (0, 0): the machine has 4");
  Layout switches({1, 2});
  switches.scatter("x", Side::West);
  EXPECT_EQ(refusal(kMini, switches),
            "layout: 'x' has 2 positions in tile (0, 0), the machine has 1");
  const std::string library = refusal(kClaims, Layout({1, 2}));
  EXPECT_EQ(
      library.substr(library.rfind('/') + 1),
      "claims_kernel.elf: 'kernel_library' has descriptors 10 to 30, the machine has 16 (0 to "
      "15)");
  EXPECT_TRUE(has(message([&] { machine.load(Program(kLibrary)); }), "8192"));
}

}  // namespace
}  // namespace ow
