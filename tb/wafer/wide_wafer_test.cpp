// SPDX-License-Identifier: Apache-2.0
// A wafer with defects whose tiles the wide engine evaluates: every word at the edges is the one of
// the replicated engine, in the same cycle. Bring-up, a layer, and at the end memories and
// counters, which leave at the edges, too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/compile/plan.h"
#include "ow/execute/stream_job.h"
#include "ow/open/wafer.h"
#include "ow/runtime/counters.h"
#include "ow/runtime/machine.h"
#include "ow/sim/sim.h"
#include "ow/sim/wafer.h"
#include "ow/wafer/files.h"
#include "ow/wafer/repair.h"

namespace ow::wafer {
namespace {

const std::string kConfigs = OW_SOURCE_DIR "/configs/";

struct Run {
  std::vector<EdgeEvent> events;
  std::string found;  // by bring-up
  uint64_t cycles = 0;
};

// On all logical tiles; then their counters and the first `words` of their memories are read.
Run run_layer(std::unique_ptr<Device> device, size_t words) {
  const GridShape grid = device->shape();
  const Runtime machine = make_runtime(std::move(device));
  const Network network = random_network(7, HalfType::Binary16, {{48, 12, "relu", true}}, 0.5);
  const TrainingJob work = forward_job(network, grid.rows, grid.cols, 32);
  const ElfImage firmware = read_elf(OW_FIRMWARE_DIR "/forward.elf", isa::kFull.sram_bytes);
  const jobs::Plan plan = jobs::make_forward_plan("layer", work, 0, firmware, tile_of(machine));
  jobs::StreamJob job(machine, firmware, plan, work);
  job.write_input(random_activations(3, work.type, 48, plan.batch(), -1, 1));
  job.run(false);
  ControlPlane control(device_of(machine));
  read_counters(control, whole(grid));
  control.read_rect(whole(grid), 0, words);
  return {device_of(machine).sim()->edge_log(), "", machine.cycle()};
}

std::unique_ptr<WaferDevice> bring_up_wafer(const Shape& shape, const Faults& faults,
                                            const SimOptions& options, std::string* found) {
  auto wafer = make_wafer_device(shape, faults, options);
  wafer->record_edges(true);
  const Bringup bringup =
      bring_up(*wafer, &wafer->device(), selftest_options(false, false, OW_FIRMWARE_DIR));
  EXPECT_TRUE(bringup.succeeded());
  *found = to_json(shape, bringup.defects).dump();
  return wafer;
}

Run bring_up_and_run(const SimOptions& options) {
  const Shape shape = read_shape(kConfigs + "wafer-2x2.yaml");
  const Faults faults = read_faults(kConfigs + "defects-2x2.yaml", shape);
  std::string found;
  auto wafer = bring_up_wafer(shape, faults, options, &found);
  Run run = run_layer(std::move(wafer), isa::kFull.sram_bytes / 4);
  run.found = found;
  return run;
}

// Five reticles of 64 tiles: five blocks of 64. Tiles of four of them follow those of the first.
Run bring_up_many(const SimOptions& options) {
  const Shape shape{1, 5, 7, 7, 1, 1};
  Faults faults;
  const auto add = [&faults](int reticle, Position at, TileFault::Kind kind) {
    TileFault fault;
    fault.reticle = reticle;
    fault.at = at;
    fault.kind = kind;
    faults.tiles.push_back(fault);
  };
  add(0, {0, 0}, TileFault::Kind::Memory);
  add(1, {3, 4}, TileFault::Kind::Babble);
  add(2, {7, 0}, TileFault::Kind::Silent);
  add(4, {1, 1}, TileFault::Kind::Memory);
  std::string found;
  const auto wafer = bring_up_wafer(shape, faults, options, &found);
  return {wafer->edge_log(), found, wafer->cycle()};
}

// Four reticles of 36 tiles: several blocks of 64.
Run map_and_run(const SimOptions& options) {
  const Shape shape{2, 2, 5, 5, 1, 1};
  Faults faults;
  TileFault fault;
  fault.reticle = 1;
  fault.at = {2, 3};
  fault.kind = TileFault::Kind::Babble;
  faults.tiles.push_back(fault);
  fault = {};
  fault.reticle = 2;
  fault.at = {5, 0};
  fault.kind = TileFault::Kind::Silent;
  faults.tiles.push_back(fault);
  auto wafer = make_wafer_device(shape, faults, options);
  wafer->record_edges(true);
  const Repair repair = repair_wafer(shape, faults.expected(shape));
  if (!repair.map) throw InternalError(repair.reason);
  apply_map(*wafer, *repair.map);
  return run_layer(std::move(wafer), 2048);
}

void compare(Run (*run)(const SimOptions&), const std::vector<const char*>& engines) {
  const Run expected = run(SimOptions());
  ASSERT_GT(expected.events.size(), 10'000u);
  for (const char* engine : engines) {
    for (const int threads : {1, 2}) {
      SimOptions options;
      parse_engine("test", engine, &options);
      options.threads = threads;
      if (!has_wide(options.width)) continue;
      const std::string name = fmt::format("{}, {} threads", engine, threads);
      const Run got = run(options);
      EXPECT_EQ(got.found, expected.found) << name;
      EXPECT_EQ(got.cycles, expected.cycles) << name;
      size_t same = 0;
      while (same < std::min(got.events.size(), expected.events.size()) &&
             got.events[same] == expected.events[same]) {
        ++same;
      }
      EXPECT_EQ(same, expected.events.size())
          << name << ": cycle "
          << expected.events[std::min(same, expected.events.size() - 1)].cycle;
      EXPECT_EQ(got.events.size(), expected.events.size()) << name;
    }
  }
}

const std::vector<const char*> kAll = {"wide-512", "wide-256", "wide-64"};

TEST(WideWafer, BringUpAndALayerOnAWaferWithDefects) { compare(bring_up_and_run, kAll); }
TEST(WideWafer, ALayerOnAWaferOfSeveralBlocks) { compare(map_and_run, kAll); }
TEST(WideWafer, BringUpOfAWaferOfFiveBlocks) { compare(bring_up_many, {"wide-64"}); }

}  // namespace
}  // namespace ow::wafer
