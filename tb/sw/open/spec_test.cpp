// SPDX-License-Identifier: Apache-2.0
// The strings of machines: what each is, what it refuses, and which of them the flags of `ow`
// write.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/open/machine.h"
#include "ow/wafer/bringup.h"
#include "ow/wafer/files.h"
#include "temporary_file.h"

namespace ow {
namespace {

const std::string kWafer = OW_SOURCE_DIR "/configs/wafer-2x2.yaml";  // 4 x 4 logical tiles

// What is said about it; empty if nothing is.
std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const BadInput& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  }
  return "";
}

std::string refused(const std::string& text) {
  return refusal([&] { parse_machine(text, "--machine " + text); });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MachineSpec, EveryKindHasAString) {
  const std::pair<const char*, MachineKind> kinds[] = {
      {"golden", MachineKind::Golden},       {"sim", MachineKind::Sim},
      {"sim:4x4", MachineKind::Sim},         {"sim-mini", MachineKind::SimMini},
      {"mini:2x3", MachineKind::SimMini},    {"mono", MachineKind::Mono},
      {"mono:2x2", MachineKind::Mono},       {"wafer:w.yaml", MachineKind::Wafer},
      {"uart:/dev/tty", MachineKind::Board}, {"uart:/dev/tty:9600", MachineKind::Board},
      {"fpga-sim", MachineKind::FpgaSim},    {"fpga-sim:1x2", MachineKind::FpgaSim}};
  for (const auto& [text, kind] : kinds) {
    const MachineSpec spec = parse_machine(text, text);
    EXPECT_EQ(spec.kind, kind) << text;
    EXPECT_EQ(spec.text, text);
    const bool mini =
        kind == MachineKind::SimMini || kind == MachineKind::Board || kind == MachineKind::FpgaSim;
    EXPECT_EQ(spec.has_mini_tiles(), mini) << text;
  }
  EXPECT_EQ(parse_machine("mini:2x3", "").grid, (GridShape{2, 3}));
  EXPECT_FALSE(parse_machine("sim", "").grid);
  const MachineSpec wafer =
      parse_machine("wafer:w.yaml,defects=d.yaml,window=2x3@1,0,accept-smaller", "");
  EXPECT_EQ(wafer.wafer.wafer, "w.yaml");
  EXPECT_EQ(wafer.wafer.defects, "d.yaml");
  EXPECT_TRUE(wafer.wafer.part.accept_smaller);
  ASSERT_TRUE(wafer.wafer.part.window);
  EXPECT_EQ(wafer.wafer.part.window->row, 1);
  EXPECT_EQ(parse_machine("wafer:w.yaml,map=m.json", "").wafer.map, "m.json");
  for (const char* text : {"sim", "sim:4x4", "mono", "mono:2x2"}) {
    const MachineSpec spec = parse_machine(std::string(text) + ",record=a\\,b.owr", "");
    EXPECT_EQ(spec.record_file, "a,b.owr");
    EXPECT_EQ(spec.text, text);
  }
  EXPECT_EQ(parse_machine("wafer:w\\,record=x", "").wafer.wafer, "w,record=x");
}

TEST(MachineSpec, OtherStringsAreRefusedInALineThatSaysWhatThereIs) {
  for (const char* text : {"", "fpga", "usb:/tmp", "uart", ":4x4", "golden4", "rtl", "wafer"}) {
    EXPECT_TRUE(has(refused(text), std::string("--machine ") + text +
                                       ": must be sim:ROWSxCOLUMNS, sim-mini:ROWSxCOLUMNS"))
        << refused(text);
  }
  for (const char* grid : {"4", "", "4x", "x4", "4x4x4", "-1x2", "12345x1", "/tmp"}) {
    EXPECT_TRUE(has(refused(std::string("sim:") + grid),
                    std::string(": grid '") + grid + "': must be ROWSxCOLUMNS, as 4x4"))
        << grid;
  }
  EXPECT_EQ(refused("wafer:w,defect=x"),
            "--machine wafer:w,defect=x: option 'defect=x' is unknown; there are defects=FILE, "
            "map=FILE, window=ROWSxCOLUMNS[@ROW,COLUMN], accept-smaller, engine=NAME, threads=N");
  EXPECT_TRUE(has(refused("wafer:w,engine=fast"), "engine 'fast': must be replicated"));
  EXPECT_TRUE(has(refused("wafer:w,engine=auto"), "a wafer has replicated or wide"));
  EXPECT_TRUE(has(refused("wafer:w,threads=2"), "threads= is only for engine=wide"));
  EXPECT_TRUE(has(refused("wafer:w,engine=wide,threads=0"), "threads '0': must be 1 to 256"));
  EXPECT_TRUE(has(refused("wafer:w,engine=wide,engine=wide"), "'engine' is given twice"));
  const MachineSpec wide = parse_machine("wafer:w,engine=wide-256,threads=2", "test");
  EXPECT_EQ(wide.wafer.sim.engine, Engine::Wide);
  EXPECT_EQ(wide.wafer.sim.width, 256);
  EXPECT_EQ(wide.wafer.sim.threads, 2);
  EXPECT_TRUE(has(refused("wafer:"), "which wafer?"));
  EXPECT_EQ(refused("sim:4x4,record="), "--machine sim:4x4,record=: record= needs a file");
  for (const char* text : {"sim-mini:1x1", "golden", "fpga-sim:1x1", "uart:/dev/tty", "wafer:w"}) {
    const std::string name = std::string(text) + ",record=r.owr";
    EXPECT_EQ(refused(name),
              "--machine " + name + ": only a simulated grid of full tiles is recorded");
  }
  EXPECT_TRUE(
      has(refused("sim:4x4,recorded=x"), "option 'recorded=x': must be engine=, threads=,"));
  EXPECT_TRUE(has(refused("sim:4x4,engine=fast"), "engine 'fast': must be replicated, auto, wide"));
  EXPECT_TRUE(has(refused("sim:4x4,lockstep"), "lockstep is only for engine=wide"));
  EXPECT_TRUE(has(refused("sim:4x4,engine=auto,lockstep"), "lockstep is only for engine=wide"));
  for (const char* option : {"engine=wide", "threads=2", "lockstep", "split=2", "save=f", "every=9",
                             "restore=f", "record=f"}) {
    const std::string twice = std::string(option) + ",threads=1," + option;
    const std::string key = twice.substr(0, twice.find_first_of("=,"));
    EXPECT_TRUE(has(refused("sim:4x4," + twice), "'" + key + "' is given twice")) << option;
  }
  EXPECT_TRUE(has(refused("sim:4x4,engine=wide,engine=replicated"), "'engine' is given twice"));
  EXPECT_TRUE(has(refused("sim:4x4,split=0"), "split '0': must be processes, 1 to 999"));
  EXPECT_TRUE(has(refused("sim:4x4,engine=wide,threads=0"), "threads '0': must be 1 to 256"));
  EXPECT_TRUE(has(refused("sim:4x4,save="), "save= needs a file"));
  EXPECT_TRUE(has(refused("sim:4x4,every=9"), "every= is only for save="));
  EXPECT_TRUE(has(refused("sim:4x4,save=f,every=0"), "every '0': must be cycles, 1 to"));
  EXPECT_TRUE(has(refused("wafer:w,map=m,accept-smaller"), "not with window or accept-smaller"));
}

TEST(MachineSpec, AnOptionThatAGridLacksIsNamed) {
  for (const char* option :
       {"engine=wide", "threads=2", "lockstep", "split=2", "save=f", "every=9", "restore=f"}) {
    const std::string key = std::string(option).substr(0, std::string(option).find('=') + 1);
    for (const char* kind : {"sim-mini", "mini:2x2", "mono", "golden", "fpga-sim:1x1"}) {
      const std::string name = std::string(kind) + "," + option;
      EXPECT_EQ(refused(name),
                "--machine " + name + ": " + (key.empty() ? option : key) + " is only for sim");
    }
  }
}

// An option after a file's name is not taken for a part of it, and no part is passed over.
TEST(MachineSpec, EveryPartBetweenCommasIsAnOption) {
  for (const char* text : {"sim:4x4,", "sim:4x4,engine=wide,", "sim:4x4,,engine=wide",
                           "sim,save=f,", "sim,record=f,", "mono,record=f,", "sim-mini,"}) {
    EXPECT_TRUE(has(refused(text), ": option '': must be engine=, threads=, lockstep,")) << text;
  }
  EXPECT_TRUE(has(refused("sim:4x4,lockstep=1"), ": option 'lockstep=1': must be engine=,"));
  EXPECT_TRUE(has(refused("sim:4x4,threads"), ": option 'threads': must be engine=,"));
  const MachineSpec spec = parse_machine("sim:4x4,record=r,engine=wide", "test");
  EXPECT_EQ(spec.record_file, "r");
  EXPECT_EQ(spec.engine, Engine::Wide);
  for (const char* option : {"record", "save", "restore"}) {
    const std::string name = std::string("sim,") + option + "=a,b";
    EXPECT_EQ(refused(name),
              "--machine " + name +
                  ": option 'b': must be engine=, threads=, lockstep, split=, save=, every=, "
                  "restore= or record=; a comma in a file's name is written \\,");
  }
  // Another backslash is a part of the name, as in a wafer's.
  EXPECT_EQ(parse_machine("sim,record=a\\b", "").record_file, "a\\b");
}

TEST(MachineSpec, AGridHasAnEngineAndThreads) {
  const MachineSpec plain = parse_machine("sim:4x4", "test");
  EXPECT_EQ(plain.engine, Engine::Replicated);
  EXPECT_EQ(plain.split, 1);
  const MachineSpec wide =
      parse_machine("sim:4x4,threads=3,record=a\\,b,engine=wide-256,split=2", "test");
  EXPECT_EQ(wide.engine, Engine::Wide);
  EXPECT_EQ(wide.width, 256);
  EXPECT_EQ(wide.threads, 3);
  EXPECT_EQ(wide.split, 2);
  EXPECT_EQ(wide.record_file, "a,b");
  ASSERT_TRUE(wide.grid.has_value());
  EXPECT_EQ(wide.grid->cols, 4);
  const MachineSpec saved = parse_machine("sim,save=a\\,b,every=50,restore=c,record=d", "test");
  EXPECT_EQ(saved.save_file, "a,b");
  EXPECT_EQ(saved.save_every, 50u);
  EXPECT_EQ(saved.restore_file, "c");
  EXPECT_EQ(saved.record_file, "d");
}

TEST(MachineSpec, FlagsWriteTheSameString) {
  const auto text = [](const std::function<void(MachineFlags*)>& set) {
    MachineFlags flags;
    set(&flags);
    return machine_of(flags).text;
  };
  using Flags = MachineFlags;
  EXPECT_EQ(text([](Flags*) {}), "sim");
  EXPECT_EQ(text([](Flags* f) { f->machine = "mono:2x2"; }), "mono:2x2");
  EXPECT_EQ(text([](Flags* f) { f->device = "rtl"; }), "sim");
  EXPECT_EQ(text([](Flags* f) { f->device = "rtl:4x4"; }), "sim:4x4");
  EXPECT_EQ(text([](Flags* f) { f->device = "golden"; }), "golden");
  EXPECT_EQ(text([](Flags* f) { f->device = "uart:/dev/tty:9600"; }), "uart:/dev/tty:9600");
  EXPECT_EQ(text([](Flags* f) { f->tiles = "full"; }), "sim");
  EXPECT_EQ(text([](Flags* f) { f->tiles = "mini"; }), "sim-mini");
  EXPECT_EQ(text([](Flags* f) {
              f->tiles = "mini";
              f->device = "sim:2x2";
            }),
            "sim-mini:2x2");
  EXPECT_EQ(text([](Flags* f) {
              f->tiles = "mini";
              f->device = "fpga-sim";
            }),
            "fpga-sim")
      << "a board's tiles are mini in any case";
  EXPECT_EQ(text([](Flags* f) { f->wafer = "w.yaml"; }), "wafer:w.yaml");
  EXPECT_EQ(text([](Flags* f) {
              f->wafer = "w.yaml";
              f->device = "rtl";
              f->defects = "d.yaml";
              f->window = "2x2@0,1";
              f->accept_smaller = true;
            }),
            "wafer:w.yaml,defects=d.yaml,window=2x2@0,1,accept-smaller");
  EXPECT_EQ(text([](Flags* f) {
              f->wafer = "w.yaml";
              f->map = "m.json";
            }),
            "wafer:w.yaml,map=m.json");
  // A comma or a backslash in a file's name is no end of it.
  MachineFlags odd;
  odd.wafer = "a,b\\c.yaml";
  odd.defects = "x\\,y";
  const MachineSpec spec = machine_of(odd);
  EXPECT_EQ(spec.text, "wafer:a\\,b\\\\c.yaml,defects=x\\\\\\,y");
  EXPECT_EQ(spec.wafer.wafer, odd.wafer);
  EXPECT_EQ(spec.wafer.defects, odd.defects);
  EXPECT_EQ(parse_machine("wafer:a\\b.yaml", "").wafer.wafer, "a\\b.yaml");
}

TEST(MachineSpec, FlagsThatDoNotGoTogetherAreRefused) {
  const auto said = [](const std::function<void(MachineFlags*)>& set) {
    MachineFlags flags;
    set(&flags);
    return refusal([&] { machine_of(flags); });
  };
  using Flags = MachineFlags;
  EXPECT_EQ(said([](Flags* f) {
              f->machine = "sim";
              f->defects = "d";
            }),
            "--machine: not with --defects, which writes a part of it");
  EXPECT_EQ(said([](Flags* f) {
              f->machine = "sim";
              f->device = "rtl";
            }),
            "--machine: not with --device, which writes a part of it");
  EXPECT_EQ(said([](Flags* f) { f->map = "m"; }), "--map: which wafer? (--wafer FILE)");
  EXPECT_EQ(said([](Flags* f) { f->accept_smaller = true; }),
            "--accept-smaller: which wafer? (--wafer FILE)");
  EXPECT_EQ(said([](Flags* f) {
              f->wafer = "w";
              f->device = "mono";
            }),
            "--wafer: not with --device mono");
  EXPECT_EQ(said([](Flags* f) {
              f->wafer = "w";
              f->tiles = "mini";
            }),
            "--tiles mini: not with --wafer");
  for (const char* device : {"mono", "golden"}) {
    EXPECT_EQ(
        said([&](Flags* f) {
          f->device = device;
          f->tiles = "mini";
        }),
        std::string("--tiles mini: not with --device ") + device + ", only with a simulated grid");
  }
  EXPECT_EQ(said([](Flags* f) {
              f->wafer = "w";
              f->map = "m";
              f->window = "1x1";
            }),
            "--wafer: a map says which tiles there are: not with window or accept-smaller");
}

TEST(MachineSpec, WhatAMachineCannotDoIsRefusedByItsName) {
  struct Case {
    const char* machine;
    std::string refused;  // of checked, idle, recorded, drawn, trains
  };
  const Case cases[] = {{"golden", "cird"},       {"sim", "d"},         {"mono", "d"},
                        {"sim-mini", "crdt"},     {"wafer:w", "cirt"},  {"wafer:w,map=m", "cirdt"},
                        {"uart:/dev/x", "cirdt"}, {"fpga-sim", "cirdt"}};
  for (const Case& c : cases) {
    const MachineSpec spec = parse_machine(c.machine, std::string("--machine ") + c.machine);
    std::string refused;
    for (const char use : std::string("cirdt")) {
      MachineUse wanted;
      (use == 'c'   ? wanted.checked
       : use == 'i' ? wanted.check_idle
       : use == 'r' ? wanted.recorded
       : use == 'd' ? wanted.drawn
                    : wanted.trains) = true;
      const std::string why = refusal([&] { check_use(spec, wanted); });
      if (why.empty()) continue;
      refused += use;
      EXPECT_EQ(why.rfind(spec.name + ": ", 0), 0u) << why;
    }
    EXPECT_EQ(refused, c.refused) << c.machine;
  }
}

TEST(Machine, HasTheGridOfItsJobOrIsRefused) {
  const auto said = [](const std::string& text, GridShape grid) {
    return refusal([&] { Machine(parse_machine(text, text), {}).fit(grid, "job.yaml"); });
  };
  EXPECT_EQ(said("sim", {3, 5}), "");
  EXPECT_EQ(said("sim:3x5", {3, 5}), "");
  EXPECT_EQ(said("sim:2x2", {4, 4}), "sim:2x2: job.yaml wants 4 x 4 tiles");
  EXPECT_EQ(said("golden:2x2", {4, 4}), "golden:2x2: job.yaml wants 4 x 4 tiles");
  EXPECT_EQ(said("mono", {2, 2}), "");
  EXPECT_EQ(said("mono", {4, 4}),
            "mono: the monolithic simulator is 2 x 2, job.yaml wants 4 x 4 tiles");
  const std::string wafer = "wafer:" + kWafer;
  EXPECT_EQ(said(wafer, {4, 4}), "");
  EXPECT_EQ(said(wafer, {2, 4}),
            kWafer + ": the wafer offers 4 x 4 logical tiles, job.yaml wants 2 x 4");
  EXPECT_EQ(said(wafer + ",accept-smaller", {2, 4}), "") << "known when it is brought up";
  EXPECT_EQ(said(wafer + ",window=2x4@1,0", {2, 4}), "");
  EXPECT_EQ(said(wafer + ",window=2x4@1,0", {4, 4}),
            kWafer + ": the wafer offers 2 x 4 logical tiles, job.yaml wants 4 x 4");
  EXPECT_TRUE(has(said("wafer:/no/such.yaml", {4, 4}), "/no/such.yaml: cannot be read"));
  EXPECT_TRUE(has(said(wafer + ",defects=/no/such.yaml", {4, 4}), "/no/such.yaml: cannot be read"));
  EXPECT_TRUE(has(said(wafer + ",map=/no/such.json", {4, 4}), "/no/such.json: cannot be read"));
}

TEST(Machine, OpensWhatItsStringSays) {
  EXPECT_EQ(Machine(parse_machine("sim:2x3", ""), {}).device()->shape(), (GridShape{2, 3}));
  Machine mini(parse_machine("sim-mini", ""), {});
  mini.fit({1, 2}, "job.yaml");
  EXPECT_EQ(mini.device()->shape(), (GridShape{1, 2}));
  EXPECT_EQ(mini.device()->shape(), (GridShape{1, 2})) << "a new one with each call";
  const auto said = [](const std::string& text) {
    return refusal([&] { Machine(parse_machine(text, text), {}).device(); });
  };
  EXPECT_EQ(said("sim"), "sim: needs the grid, as sim:2x2");
  EXPECT_EQ(said("golden"), "golden: is a model, and no machine");
  EXPECT_TRUE(has(said("fpga-sim:1x2"), "has no simulated board"));
}

// A map instead of a bring-up: of this very wafer, with the logical tiles that it has.
TEST(Machine, TakesAWafersSavedMap) {
  const wafer::Shape shape = wafer::read_shape(kWafer);
  const wafer::Repair repair = wafer::repair_wafer(shape, wafer::Defects(shape));
  ASSERT_TRUE(repair.map);
  const std::string map = temporary_file("map.json", json_text(wafer::to_json(*repair.map)));
  Machine machine(parse_machine("wafer:" + kWafer + ",map=" + map, "wafer"), {});
  machine.fit({4, 4}, "job.yaml");
  EXPECT_EQ(machine.device()->shape(), (GridShape{4, 4}));
  EXPECT_EQ(refusal([&] {
              machine.fit({2, 2}, "job.yaml");
            }),
            kWafer + ": the wafer offers 4 x 4 logical tiles, job.yaml wants 2 x 2");
}

}  // namespace
}  // namespace ow
