// SPDX-License-Identifier: Apache-2.0
// A shared library that has wires (`edge`, `step`) under the kit: the Verilated tile of `full`.
// This program is that library, too.
#include <gtest/gtest.h>

#include <memory>

#include "Vow_tile.h"
#include "model.h"
#include "openwafer/conform.h"
#include "ow/conform/judge.h"
#include "ow/conform/make.h"
#include "ow/isa/isa.h"

namespace {

struct Wires {
  ow::sim::Context context;
  std::unique_ptr<ow::sim::Model<Vow_tile>> tile;
  uint64_t in[4] = {}, out[4] = {};
  uint64_t cycle = 0;
  bool stuck = false;  // fault: bit 31 of the data to the east is 0
};

int reset(void* self, int rows, int columns) {
  Wires& w = *static_cast<Wires*>(self);
  if (rows != 1 || columns != 1) return 1;
  w.tile = std::make_unique<ow::sim::Model<Vow_tile>>(&w.context, "tile");
  w.tile->reset_both_edges(4);
  (*w.tile)->rst_i = 0;
  for (int k = 0; k < 2; ++k) w.tile->clock_both_edges();  // the reset is registered twice
  std::fill_n(w.out, 4, 0);
  w.cycle = 0;
  return 0;
}

int edge(void* self, int side, int, uint64_t in, uint64_t* out) {
  Wires& w = *static_cast<Wires*>(self);
  w.in[side] = in;
  *out = w.out[side];
  return 0;
}

int step(void* self) {
  Wires& w = *static_cast<Wires*>(self);
  auto& tile = *w.tile;
  tile->link_n_i = w.in[0];
  tile->link_e_i = w.in[1];
  tile->link_s_i = w.in[2];
  tile->link_w_i = w.in[3];
  tile->cycle_i = w.cycle++;
  tile.clock_both_edges();
  w.out[0] = tile->link_n_o;
  w.out[1] = tile->link_e_o;
  w.out[2] = tile->link_s_o;
  w.out[3] = tile->link_w_o;
  if (w.stuck) w.out[1] &= ~ow::isa::Link::Wavelet::put(ow::isa::Wavelet::Data::put(1u << 31));
  return 0;
}

}  // namespace

extern "C" const ow_conform_device* ow_conform_open(const char* arguments) {
  static Wires wires;
  static ow_conform_device device = {};
  wires.stuck = std::string(arguments) == "stuck";
  device.interface = OW_CONFORM_INTERFACE;
  device.self = &wires;
  device.reset = reset;
  device.edge = edge;
  device.step = step;
  return &device;
}

namespace ow::conform {
namespace {

Report judged(const char* arguments, const char* tests) {
  static const Suite suite = make_suite(1, std::string(OW_SOURCE_DIR) + "/docs");
  const DeviceFile device = parse_device_file("name: wires\nprofiles: [full]\n", "wires.yaml");
  JudgeOptions options;
  options.filter = tests;
  options.day = "2026-01-01";
  // The program itself.
  return judge(suite, device, make_library_door("", arguments).get(), options);
}

TEST(Wires, ATileAtItsWiresKeepsTheRulesOfFabricAndControlPlane) {
  for (const char* tests : {"fabric.", "control.", "filters."}) {
    const Report report = judged("", tests);
    for (const Outcome& outcome : report.outcomes)
      EXPECT_NE(outcome.verdict, Verdict::Failed) << outcome.test << ": " << outcome.why;
  }
  EXPECT_TRUE(judged("", "control.words").conforms());
}

TEST(Wires, AWireThatIsStuckBreaksARuleOfLinks) {
  const Report report = judged("stuck", "fabric.routes");
  EXPECT_EQ(report.rules.at("F5").verdict, Verdict::Failed);
}

}  // namespace
}  // namespace ow::conform
