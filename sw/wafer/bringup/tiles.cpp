// SPDX-License-Identifier: Apache-2.0
// Tests of the tiles by themselves: noise, endpoints, memories, cores and datapaths.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ow/device/tile_map.h"
#include "steps.h"

namespace ow::wafer {
namespace {

namespace reg = isa::reg;

void compare_signatures(Probe& probe, const std::vector<std::optional<uint32_t>>& all,
                        uint32_t right) {
  probe.each_alive([&](int d, int p, int c) {
    if (!probe.usable_tile(d, p, c)) return;
    const auto& signature = all[probe.index(d, p, c)];
    if (!signature) {
      probe.lose(d, p, c, "the self-test of core and datapath does not end");
    } else if (*signature != right) {
      probe.lose(d, p, c,
                 fmt::format("the self-test of core and datapath gives 0x{:08x}, not 0x{:08x}",
                             *signature, right));
    }
  });
}

}  // namespace

void listen_for_noise(Probe& probe) {
  probe.begin("idle tiles");
  probe.open_batch();
  probe.each_alive([&](int d, int p, int c) {
    probe.add_command(d, p, c, true, kStationTileFuse, probe.direct(d, p, c, Setting()).word());
    probe.add_command(d, p, c, true, kStationControl, kStationRun | kStationTest);
  });
  probe.run_batch();
  std::map<std::pair<int, Position>, int> noisy;
  for (int time = 0; time < 3; ++time) {
    struct Heard {
      int reticle;
      Position from;
      Handle low;
    };
    std::vector<Heard> all;
    probe.open_batch();
    probe.each_alive([&](int d, int p, int c) {
      for (int side = 0; side < 4; ++side) {
        Position at;
        if (!probe.listens(d, p, c, side, Setting()) ||
            !probe.neighbour(p, c, side, Setting(), &at))
          continue;
        const Handle low = probe.add_command(d, p, c, false, kStationCapture + 2 * side);
        probe.add_command(d, p, c, false, kStationCapture + 2 * side + 1);
        all.push_back({d, at, low});
      }
    });
    probe.run_batch();
    for (const Heard& h : all) {
      if (probe.answer(h.low).value_or(0) != 0 || probe.answer(h.low.after(1)).value_or(0) != 0) {
        ++noisy[{h.reticle, h.from}];
      }
    }
  }
  // A tile may answer noise with credits and words of its own. So only the worst one is given up;
  // its neighbours are reset and listened to again.
  if (noisy.empty()) return;
  const auto worst = std::max_element(
      noisy.begin(), noisy.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const int most = worst->second;
  for (const auto& [where, times] : noisy) {
    if (times == most)
      probe.lose(where.first, where.second.row, where.second.col, "sends words while idle");
  }
  probe.open_batch();
  probe.each_alive(
      [&](int d, int p, int c) { probe.add_command(d, p, c, true, kStationControl, 0); });
  probe.run_batch();
  listen_for_noise(probe);
}

void test_memories(Probe& probe) {
  probe.begin("memories");
  // Start again, so nothing that noise has left in a tile stays.
  probe.open_batch();
  probe.each_alive([&](int d, int p, int c) {
    probe.add_command(d, p, c, true, kStationTileFuse, 0);
    probe.add_command(d, p, c, true, kStationControl, 0);
  });
  probe.run_batch();
  probe.start_all();
  probe.open_batch();
  std::map<size_t, Handle> configs;
  probe.each_alive([&](int d, int p, int c) {
    if (probe.usable_tile(d, p, c))
      configs[probe.index(d, p, c)] = probe.add_read(d, p, c, kRegConfig, 1);
  });
  probe.run_batch();
  const isa::Configuration& tile = probe.options.tile;
  probe.each_alive([&](int d, int p, int c) {
    const auto it = configs.find(probe.index(d, p, c));
    if (it == configs.end()) return;
    const auto config = probe.word(it->second, 0, 1);
    if (!config || reg::Config::Sram::get(*config) * isa::kConfigSramUnit != tile.sram_bytes ||
        1u << reg::Config::Banks::get(*config) != tile.sram_banks ||
        reg::Config::Colours::get(*config) != tile.num_colours)
      probe.lose(d, p, c, "its control-plane endpoint does not answer");
  });
  probe.open_batch();
  probe.broadcast(reg::Mbist::kAddress, {reg::Mbist::Start::put(1)});
  probe.run_batch();
  const uint64_t rows = tile.sram_bytes / (isa::kBankWordBytes * tile.sram_banks);
  probe.chain.wait_cycles(isa::kMbistWordCycles * rows + 64);
  probe.open_batch();
  std::map<size_t, Handle> done;
  probe.each_alive([&](int d, int p, int c) {
    if (probe.usable_tile(d, p, c))
      done[probe.index(d, p, c)] = probe.add_read(d, p, c, reg::Mbist::kAddress, 4);
  });
  probe.run_batch();
  probe.each_alive([&](int d, int p, int c) {
    const auto it = done.find(probe.index(d, p, c));
    if (it == done.end()) return;
    const auto state = probe.word(it->second, 0, 4);
    if (!state || !reg::Mbist::Done::get(*state)) {
      probe.lose(d, p, c, "its memory self-test does not end");
    } else if (reg::Mbist::Failed::get(*state) != 0) {
      probe.lose(
          d, p, c,
          fmt::format("memory: banks 0x{:02x} fail, first at row {}, bits 0x{:08x}{:08x}",
                      reg::Mbist::Failed::get(*state), probe.word(it->second, 1, 4).value_or(0),
                      probe.word(it->second, 3, 4).value_or(0),
                      probe.word(it->second, 2, 4).value_or(0)));
    }
  });
}

void test_cores(Probe& probe) {
  probe.begin("cores and datapaths");
  const auto test = [&](const SelftestProgram& program) {
    probe.load(program.image);
    compare_signatures(probe, probe.signatures(program.image, program.cycles), program.signature);
  };
  for (const SelftestProgram& program : probe.options.thorough) {
    test(program);
    probe.restart_all();  // the program leaves registers of all kinds written
  }
  test(probe.options.selftest);
}

}  // namespace ow::wafer
