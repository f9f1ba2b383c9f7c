// SPDX-License-Identifier: Apache-2.0
// `ow bench scale`: large grids in the two engines of the simulator, on one thread, on two, and in
// two processes. All do the same work in the same run, and what comes out is compared.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "count_instructions.h"
#include "ow/base/error.h"
#include "ow/base/temporary_directory.h"
#include "ow/bench/benches.h"
#include "ow/execute/stream_job.h"
#include "ow/golden/network.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/machine.h"
#include "ow/runtime/routes.h"
#include "ow/sim/one_tile.h"
#include "ow/sim/recording.h"
#include "ow/sim/sim.h"
#include "ow/sim/sim_device.h"
#include "ow/sim/split.h"

namespace ow::bench {
namespace {

constexpr GridShape kBlock{8, 64}, kLarge{64, 64};
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

std::unique_ptr<SimDevice> make(GridShape grid, Engine engine) {
  SimOptions options;
  options.engine = engine;
  options.checked = false;
  return engine == Engine::Wide ? make_wide(grid, options, make_tile_maker(options.checked))
                                : make_simulator(grid, options);
}

// A layer in which every tile multiplies in nearly every cycle: the state of all tiles in its
// middle, and the words that come from there on.
class Middle {
 public:
  Middle(GridShape grid, int inputs, int outputs) : grid_(grid) {
    const jobs::StreamRun whole = run_layer(make(grid, Engine::Wide), inputs, outputs);
    first_ = (whole.first_cycle + whole.last_cycle) / 2;
    last_ = whole.last_cycle;
    std::unique_ptr<SimDevice> device = make(grid, Engine::Wide);
    device->save_run(saved(), first_);
    device->record_run(recorded());
    run_layer(std::move(device), inputs, outputs);
    recording_ = read_recording(recorded());
    std::vector<Recording::Word>& words = recording_.words;
    words.erase(words.begin(), std::find_if(words.begin(), words.end(), [this](const auto& word) {
                  return word.cycle >= first_;
                }));
  }

  std::unique_ptr<SimDevice> restore(Engine engine) const {
    std::unique_ptr<SimDevice> device = make(grid_, engine);
    device->restore_tiles(saved());
    return device;
  }
  // Goes on for so many cycles. Returns the digest of the words that have left.
  uint64_t run(SimDevice* device, uint64_t cycles) const {
    const uint64_t end = device->cycle() + cycles;
    if (end > last_) throw InternalError(fmt::format("the layer ends in cycle {}", last_));
    return device->replay_until(recording_, end);
  }

 private:
  std::string saved() const { return scratch_.path() + "/saved"; }
  std::string recorded() const { return scratch_.path() + "/recorded"; }
  static jobs::StreamRun run_layer(std::unique_ptr<Device> device, int inputs, int outputs);

  GridShape grid_;
  uint64_t first_ = 0, last_ = 0;
  TemporaryDirectory scratch_;
  Recording recording_;
};

jobs::StreamRun Middle::run_layer(std::unique_ptr<Device> device, int inputs, int outputs) {
  const GridShape grid = device->shape();
  const Runtime machine = make_runtime(std::move(device));
  const TrainingJob work =
      forward_job(random_network(7, HalfType::Binary16, {{inputs, outputs, "none", true}}, 1),
                  grid.rows, grid.cols, 32);
  const ElfImage firmware = read_elf(OW_FIRMWARE_DIR "/forward.elf", isa::kFull.sram_bytes);
  const jobs::Plan plan = jobs::make_forward_plan("scale", work, 0, firmware, tile_of(machine));
  jobs::StreamJob job(machine, firmware, plan, work);
  job.write_input(random_activations(3, work.type, inputs, plan.batch(), -1, 1));
  return job.run(true);
}

Measured multiply(const Middle& middle, Engine engine, uint64_t cycles) {
  const auto device = middle.restore(engine);
  const uint64_t before = middle.run(device.get(), 1);  // all memory has been used once
  const double begin = cpu_seconds();
  const uint64_t digest = middle.run(device.get(), cycles);
  const double seconds = cpu_seconds() - begin;
  if (digest == before) throw DeviceFault("no word has left the grid: there is nothing to compare");
  return {cycles, seconds, {digest}};
}

// Each row passes wavelets from west to east; the tiles do nothing else.
std::unique_ptr<Device> begin_route(GridShape grid, Engine engine, uint64_t wavelets) {
  std::unique_ptr<Device> device = make(grid, engine);
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
  return device;
}

Measured route(GridShape grid, Engine engine, uint64_t wavelets) {
  const auto device = begin_route(grid, engine, wavelets);
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

// Tiles whose cores run a loop: add one to a word in memory. What comes out are the words.
constexpr uint32_t kCounter = 64;
const std::vector<uint32_t> kLoop = {0x04002283, 0x00128293, 0x04502023, 0xFF5FF06F};

class Loops {
 public:
  Loops(GridShape grid, const SimOptions& options, std::vector<Rect> tiles)
      : device_(make_device(DeviceKind::Replicated, grid, options)),
        control_(*device_),
        tiles_(std::move(tiles)) {
    for (const Rect& rect : tiles_) {
      control_.write(rect, 0, kLoop);
      control_.write(rect, kCounter, 0);
      start_cores(control_, rect, 0);
    }
    const Rect& last = tiles_.back();
    control_.fence({last.row + last.rows - 1, last.col + last.cols - 1, 1, 1});
  }
  void run(uint64_t cycles) { device_->run(cycles); }
  // Stops the cores.
  std::vector<uint64_t> results() {
    for (const Rect& rect : tiles_) halt_cores(control_, rect);
    std::vector<ControlPlane::ReadRequest> reads;
    for (const Rect& rect : tiles_) {
      for (int r = 0; r < rect.rows; ++r) {
        for (int c = 0; c < rect.cols; ++c) {
          reads.push_back({rect.row + r, rect.col + c, kCounter, 1});
        }
      }
    }
    std::vector<uint64_t> all;
    for (const auto& words : control_.read_many(reads)) all.push_back(words[0]);
    return all;
  }

 private:
  std::unique_ptr<Device> device_;
  ControlPlane control_;
  std::vector<Rect> tiles_;
};

Measured loops(Engine engine, const std::vector<Rect>& tiles, uint64_t cycles) {
  SimOptions options;
  options.engine = engine;
  options.checked = false;
  Loops work(kLarge, options, tiles);
  const double begin = cpu_seconds();
  work.run(cycles);
  const double seconds = cpu_seconds() - begin;
  return {cycles, seconds, work.results()};
}

// `count` tiles: the first ones row by row, 64 in a row, or far from each other.
std::vector<Rect> clustered(int count) {
  const int columns = std::min(count, kLarge.cols);
  return {{0, 0, count / columns, columns}};
}
std::vector<Rect> scattered(int count) {
  std::vector<Rect> tiles;
  const int apart = kLarge.rows * kLarge.cols / count;
  for (int n = 0; n < count; ++n) {
    tiles.push_back({n * apart / kLarge.cols, n * apart % kLarge.cols, 1, 1});
  }
  return tiles;
}

// Rows for engine=auto: over the better one of the two engines, and cycles a second.
void compare_auto(Rows* rows, const std::string& name, const std::vector<Rect>& tiles,
                  uint64_t cycles, const std::string& speed = "") {
  std::vector<std::string> names = {name};
  if (!speed.empty()) names.push_back(speed);
  if (!rows->wants_any(names)) return;
  if (!has_wide()) {
    for (const std::string& row : names) rows->not_measured(row, "make wide");
    return;
  }
  const Measured chosen = loops(Engine::Auto, tiles, cycles);
  const Measured wide = loops(Engine::Wide, tiles, cycles);
  const Measured replicated = loops(Engine::Replicated, tiles, cycles);
  if (wide.results != replicated.results || chosen.results != wide.results) {
    throw DeviceFault(name + ": the engines have other results");
  }
  const nlohmann::json raw = {{"cycles", cycles},
                              {"auto", chosen.rate(kLarge)},
                              {"wide", wide.rate(kLarge)},
                              {"replicated", replicated.rate(kLarge)}};
  rows->add(name, std::min(wide.seconds, replicated.seconds) / chosen.seconds, raw);
  if (!speed.empty()) rows->add(speed, static_cast<double>(cycles) / chosen.seconds, raw);
}

// An engine with all tiles busy, on two threads or in two processes over one: by the clock on
// the wall, the fastest of some rounds that take turns, as other work on the machine only adds
// time.
void compare_two(Rows* rows, const std::string& name, Engine engine, GridShape grid,
                 uint64_t cycles, int threads, const std::shared_ptr<GridRanks>& ranks) {
  if (!rows->wants_any({name})) return;
  if (engine == Engine::Wide && !has_wide()) return rows->not_measured(name, "make wide");
  constexpr int kRounds = 8;
  SimOptions options;
  options.engine = engine;
  options.checked = false;
  const std::vector<Rect> tiles = {{0, 0, grid.rows, grid.cols}};
  Loops one(grid, options, tiles);
  options.threads = threads;
  options.ranks = ranks;
  Loops two(grid, options, tiles);
  double fastest[2] = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  for (int n = 0; n < kRounds; ++n) {
    for (Loops* const work : {&one, &two}) {
      const auto begin = std::chrono::steady_clock::now();
      work->run(cycles);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      double& least = fastest[work == &two ? 1 : 0];
      least = std::min(least, took.count());
    }
  }
  if (one.results() != two.results()) throw DeviceFault(name + ": other results than in one");
  const double rate = static_cast<double>(cycles) * grid.rows * grid.cols / 1e6;
  rows->add(name, fastest[0] / fastest[1],
            {{"cycles", cycles}, {"one", rate / fastest[0]}, {"two", rate / fastest[1]}});
}

// A row for the wide engine, and one for its speed over that of the replicated engine. `make_work`
// makes what runs an engine.
template <typename MakeWork>
void compare(Rows* rows, const std::string& name, GridShape grid, const MakeWork& make_work) {
  if (!rows->wants_any({name, name + "_ratio"})) return;
  if (!has_wide()) {
    for (const char* end : {"", "_ratio"}) rows->not_measured(name + end, "make wide");
    return;
  }
  const std::function<Measured(Engine)> work = make_work();
  const Measured wide = work(Engine::Wide);
  const Measured replicated = work(Engine::Replicated);
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

// Host instructions of the wide engine for a tile and cycle, in some cycles of the same two works.
constexpr uint64_t kCounted = 16;  // cycles

std::optional<uint64_t> routing_instructions() {
  const auto device = begin_route(kBlock, Engine::Wide, 400);
  device->run(3 * static_cast<uint64_t>(kBlock.cols));  // words are everywhere
  return count_instructions([&device] { device->run(kCounted); });
}

std::optional<uint64_t> saturated_instructions() {
  const Middle middle(kBlock, 512, 8);
  const auto device = middle.restore(Engine::Wide);
  middle.run(device.get(), 1);
  return count_instructions([&] { middle.run(device.get(), kCounted); });
}

void count(Rows* rows, const std::string& name, std::optional<uint64_t> (*counted)()) {
  if (!rows->wants_any({name})) return;
  if (!has_wide()) return rows->not_measured(name, "make wide");
  const std::optional<uint64_t> instructions = counted();
  if (!instructions) return rows->not_measured(name, "a processor of x86-64");
  const int tiles = kBlock.rows * kBlock.cols;
  rows->add(name, static_cast<double>(*instructions) / static_cast<double>(kCounted * tiles),
            {{"cycles", kCounted}, {"tiles", tiles}});
}

// A sparse layer on all tiles of a grid by two threads of the wide engine, which is loaded, gets 32
// samples a tile, and runs. Weights are broadcast along rows, sums go round columns, outputs leave
// through all tiles of a row. Each output is compared with golden. One row for the seconds of all
// that on two processors without other work: both threads count whether they work or wait. If
// `memory` names one, another row for the most memory that the program had.
constexpr int kLayerSamples = 32, kLayerThreads = 2;
constexpr double kLayerDensity = 0.1;

void large_layer(Rows* rows, const std::string& seconds, const std::string& memory, GridShape grid,
                 int inputs, int outputs) {
  std::vector<std::string> names = {seconds};
  if (!memory.empty()) names.push_back(memory);
  if (!rows->wants_any(names)) return;
  if (!has_wide()) {
    for (const std::string& row : names) rows->not_measured(row, "make wide");
    return;
  }
  nlohmann::json raw;
  double last = cpu_seconds();
  uint64_t last_cycle = 0;
  const auto passed = [&](const char* part, uint64_t cycle) {
    const double now = cpu_seconds();
    raw["seconds"][part] = (now - last) / kLayerThreads;
    raw["cycles"][part] = cycle - last_cycle;
    last = now;
    last_cycle = cycle;
  };
  const double begin = last;
  SimOptions options;
  options.engine = Engine::Wide;
  options.threads = kLayerThreads;
  options.checked = false;
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, grid, options));
  const Network network =
      random_network(7, HalfType::Binary16, {{inputs, outputs, "none", true}}, kLayerDensity);
  const TrainingJob work = forward_job(network, grid.rows, grid.cols, kLayerSamples);
  const ElfImage firmware = read_elf(OW_FIRMWARE_DIR "/forward.elf", isa::kFull.sram_bytes);
  const jobs::Plan plan = jobs::make_forward_plan("scale", work, 0, firmware, tile_of(machine));
  const Activations input = random_activations(3, work.type, inputs, plan.batch(), -1, 1);
  jobs::StreamJob job(machine, firmware, plan, work);
  passed("load", machine.cycle());
  job.write_input(input);
  passed("input", machine.cycle());
  const jobs::StreamRun run = job.run(false);
  passed("layer", machine.cycle());
  const double all = (cpu_seconds() - begin) / kLayerThreads;
  const Activations golden = golden::run_layer(work.type, network.layers.front(), input, grid.rows);
  if (run.outputs.values != golden.values)
    throw DeviceFault(seconds + ": outputs differ from golden");
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  raw["outputs"] = run.outputs.values.size();
  raw["multiply_adds"] = run.multiply_adds;
  rows->add(seconds, all, raw);
  if (!memory.empty()) {
    rows->add(memory, static_cast<double>(used.ru_maxrss) / (1024 * 1024), raw);
  }
}

}  // namespace

void measure_scale(Rows* rows, const std::shared_ptr<GridRanks>& ranks) {
  const auto multiplies = [](GridShape grid, int inputs, int outputs, uint64_t cycles) {
    const auto middle = std::make_shared<Middle>(grid, inputs, outputs);
    return [=](Engine engine) { return multiply(*middle, engine, cycles); };
  };
  compare(rows, "scale.saturated_512", kBlock, [&] { return multiplies(kBlock, 512, 32, 4000); });
  compare(rows, "scale.saturated_4096", kLarge, [&] { return multiplies(kLarge, 4096, 8, 500); });
  compare(rows, "scale.routing_512", kBlock,
          [] { return [](Engine engine) { return route(kBlock, engine, 4000); }; });
  count(rows, "scale.instructions_saturated", saturated_instructions);
  count(rows, "scale.instructions_routing", routing_instructions);
  constexpr int kOne = 41, kTen = 410;  // percent of the tiles
  compare_auto(rows, "scale.auto_1_clustered", clustered(kOne), 6'000, "scale.few_tiles");
  compare_auto(rows, "scale.auto_1_scattered", scattered(kOne), 6'000);
  compare_auto(rows, "scale.auto_10_clustered", clustered(kTen), 4'000);
  compare_auto(rows, "scale.auto_10_scattered", scattered(kTen), 4'000);
  compare_auto(rows, "scale.auto_100", clustered(kLarge.rows * kLarge.cols), 1'000);
  large_layer(rows, "scale.layer_seconds", "", kLarge, 16384, 64);
  large_layer(rows, "scale.tiles_65536_seconds", "scale.tiles_65536_memory", {256, 256}, 1024, 64);
  compare_two(rows, "scale.two_threads_1024", Engine::Wide, {16, 64}, 400, 2, nullptr);
  compare_two(rows, "scale.two_threads_4096", Engine::Wide, kLarge, 100, 2, nullptr);
  compare_two(rows, "scale.two_threads_replicated", Engine::Replicated, kLarge, 40, 2, nullptr);
  if (ranks->count() == 2) {
    compare_two(rows, "scale.two_ranks_4096", Engine::Wide, kLarge, 100, 1, ranks);
  } else if (rows->wants_any({"scale.two_ranks_4096"})) {
    rows->not_measured("scale.two_ranks_4096", "mpirun -n 2 build/ow bench scale");
  }
}

}  // namespace ow::bench
