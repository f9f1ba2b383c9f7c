// SPDX-License-Identifier: Apache-2.0
// `ow bench scale`: large grids in the two engines of the simulator, on one thread. Both engines do
// the same work in the same run, and what comes out is compared.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/bench/benches.h"
#include "ow/execute/stream_job.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/machine.h"
#include "ow/runtime/routes.h"
#include "ow/sim/sim.h"

namespace ow::bench {
namespace {

constexpr int kColour = 11;
constexpr uint64_t kLimit = 10'000'000;

// Of a processor: other work on the machine does not count.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Work that is measured: its cycles, its time, and what came out.
struct Measured {
  uint64_t cycles = 0;
  double seconds = 0;
  std::vector<uint64_t> results;
  double rate(GridShape grid) const {  // million tile-cycles a second
    return static_cast<double>(cycles) * grid.rows * grid.cols / seconds / 1e6;
  }
};

// A layer in which every tile multiplies in nearly every cycle.
Measured layer(GridShape grid, Engine engine, int inputs, int outputs) {
  SimOptions options;
  options.engine = engine;
  options.checked = false;
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, grid, options));
  const TrainingJob work =
      forward_job(random_network(7, HalfType::Binary16, {{inputs, outputs, "none", true}}, 1),
                  grid.rows, grid.cols, 32);
  const ElfImage firmware = read_elf(OW_FIRMWARE_DIR "/forward.elf", isa::kFull.sram_bytes);
  const jobs::Plan plan = jobs::make_forward_plan("scale", work, 0, firmware, tile_of(machine));
  jobs::StreamJob job(machine, firmware, plan, work);
  job.write_input(random_activations(3, work.type, inputs, plan.batch(), -1, 1));
  const double begin = cpu_seconds();
  const jobs::StreamRun run = job.run(true);
  Measured measured{run.cycles(), cpu_seconds() - begin, {run.first_cycle, run.last_cycle}};
  measured.results.insert(measured.results.end(), run.outputs.values.begin(),
                          run.outputs.values.end());
  return measured;
}

// What a layer with more outputs takes more: launching and the clocks that tiles report are in
// both.
Measured stream(GridShape grid, Engine engine, int inputs, int few, int many) {
  const Measured less = layer(grid, engine, inputs, few);
  Measured more = layer(grid, engine, inputs, many);
  more.cycles -= less.cycles;
  more.seconds -= less.seconds;
  return more;
}

// Each row passes wavelets from west to east; the tiles do nothing else.
Measured route(GridShape grid, Engine engine, uint64_t wavelets) {
  SimOptions options;
  options.engine = engine;
  options.checked = false;
  const auto device = make_device(DeviceKind::Replicated, grid, options);
  ControlPlane control(*device);
  RouteSet routes(grid);
  routes.set(whole(grid), kColour, {Port::West, kOutE});
  for (int r = 0; r < grid.rows; ++r) routes.listen(Side::East, r, kColour);
  routes.apply(control);
  control.fence(whole(grid));
  device->run(kLimit);
  for (int r = 0; r < grid.rows; ++r) {
    std::vector<Wavelet> words(wavelets);
    for (uint64_t n = 0; n < wavelets; ++n) {
      words[n].colour = kColour;
      words[n].data = static_cast<uint32_t>(n * 64 + static_cast<uint64_t>(r));
    }
    device->send(Side::West, r, words);
  }
  const uint64_t first = device->cycle();
  const double begin = cpu_seconds();
  device->run(kLimit);
  Measured measured{device->cycle() - first, cpu_seconds() - begin, {}};
  for (int r = 0; r < grid.rows; ++r) {
    for (const Arrival& arrival : device->take_arrivals(Side::East, r, kColour)) {
      measured.results.push_back(arrival.cycle << 32 | arrival.wavelet.data);
    }
  }
  return measured;
}

// Whether the library of the wide engine is built.
bool has_wide() {
  SimOptions options;
  options.engine = Engine::Wide;
  try {
    make_device(DeviceKind::Replicated, {1, 1}, options);
  } catch (const BadInput&) {
    return false;
  }
  return true;
}

// A row for the wide engine, and one for its speed over that of the replicated engine.
template <typename Work>
void compare(Rows* rows, const std::string& name, GridShape grid, const Work& work) {
  if (!rows->wants_any({name, name + "_ratio"})) return;
  if (!has_wide()) {
    for (const char* end : {"", "_ratio"}) rows->not_measured(name + end, "make wide");
    return;
  }
  const Measured wide = work(grid, Engine::Wide);
  const Measured replicated = work(grid, Engine::Replicated);
  if (wide.results != replicated.results) {
    throw DeviceFault(name + ": the two engines have other results");
  }
  const nlohmann::json raw = {{"cycles", wide.cycles},
                              {"tiles", grid.rows * grid.cols},
                              {"wide", wide.rate(grid)},
                              {"replicated", replicated.rate(grid)}};
  rows->add(name, wide.rate(grid), raw);
  rows->add(name + "_ratio", wide.rate(grid) / replicated.rate(grid), raw);
}

}  // namespace

void measure_scale(Rows* rows) {
  compare(rows, "scale.saturated_512", {8, 64},
          [](GridShape grid, Engine engine) { return stream(grid, engine, 512, 8, 72); });
  compare(rows, "scale.saturated_4096", {64, 64},
          [](GridShape grid, Engine engine) { return stream(grid, engine, 4096, 2, 10); });
  compare(rows, "scale.routing_512", {8, 64},
          [](GridShape grid, Engine engine) { return route(grid, engine, 4000); });
}

}  // namespace ow::bench
