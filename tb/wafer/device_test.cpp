// SPDX-License-Identifier: Apache-2.0
// The simulated wafer does in every cycle what the Verilated ow_wafer does: two reticles of one
// tile, from reset over the chains and the training of the link to control plane and streams.
#include <gtest/gtest.h>
#include <verilated.h>

#include <memory>
#include <random>

#include "Vow_wafer12.h"
#include "openwafer/error.h"
#include "ow/device/control_plane.h"
#include "ow/device/link_word.h"
#include "ow/device/reticle_mesh.h"
#include "ow/device/sim_control.h"
#include "ow/runtime/routes.h"
#include "ow/sim/sim_device.h"
#include "ow/sim/wafer.h"
#include "ow/wafer/repair.h"

namespace ow::wafer {
namespace {

const Shape kShape{1, 2, 1, 1, 0, 0};

// The monolithic wafer with the same interfaces.
class Monolithic : public WaferDevice {
 public:
  Monolithic() : WaferDevice({1, 2}), pins_(4) {
    Verilated::threadContextp(&context_);
    model_ = std::make_unique<Vow_wafer12>(&context_, "wafer");
    model_->clk_i = 0;
    model_->rst_i = 1;
    model_->cycle_i = 0;
    const uint64_t zero[8] = {};
    put(zero);
    model_->eval();
    for (int k = 0; k < 4; ++k) clock();
    model_->rst_i = 0;
  }
  ~Monolithic() override {
    Verilated::threadContextp(&context_);
    model_->final();
    model_.reset();
  }
  std::string description() const override { return "ow_wafer"; }
  uint64_t evaluations() const override { return 0; }
  SimCounts counts() const override { return {}; }
  void check_idle() override {
    throw ow::BadInput("check_idle: a wafer in one piece never sleeps");
  }
  std::vector<ChainPins>& pins() override { return pins_; }
  const Shape& wafer_shape() const override { return kShape; }
  void wait_cycles(uint64_t cycles) override {
    for (uint64_t i = 0; i < cycles; ++i) step();
  }
  void run_chains(std::vector<ChainJob>* jobs) override {
    drive_chains(
        kShape, &pins_, [this] { step(); }, jobs);
  }
  bool idle() const { return model_->idle_o != 0; }

 protected:
  void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) override {
    Verilated::threadContextp(&context_);
    model_->cycle_i = cycle;
    put(in);
    model_->chain_w_i = static_cast<uint8_t>(pins_[0].in | pins_[2].in << 1);
    model_->chain_e_i = static_cast<uint8_t>(pins_[1].in | pins_[3].in << 1);
    clock();
    get(model_->north_o.data(), 2, out + ports_.first(Side::North));
    out[ports_.first(Side::East)] = model_->east_o;
    get(model_->south_o.data(), 2, out + ports_.first(Side::South));
    out[ports_.first(Side::West)] = model_->west_o;
    for (int d = 0; d < 2; ++d) {
      pins_[static_cast<size_t>(2 * d)].near = (model_->chain_w_near_o >> d & 1) != 0;
      pins_[static_cast<size_t>(2 * d)].skip = (model_->chain_w_skip_o >> d & 1) != 0;
      pins_[static_cast<size_t>(2 * d + 1)].near = (model_->chain_e_near_o >> d & 1) != 0;
      pins_[static_cast<size_t>(2 * d + 1)].skip = (model_->chain_e_skip_o >> d & 1) != 0;
    }
  }
  bool grid_quiet() const override { return idle(); }

 private:
  static void get(const uint32_t* wide, int count, uint64_t* words) {
    for (int k = 0; k < count; ++k) {
      words[k] = 0;
      for (int b = 0; b < kLinkBits; ++b) {
        const int at = k * kLinkBits + b;
        words[k] |= static_cast<uint64_t>(wide[at / 32] >> (at % 32) & 1) << b;
      }
    }
  }
  void put(const uint64_t* in) {
    const auto pair = [](uint32_t* wide, const uint64_t* words) {
      wide[0] = wide[1] = wide[2] = 0;
      for (int at = 0; at < 2 * kLinkBits; ++at) {
        wide[at / 32] |= static_cast<uint32_t>(words[at / kLinkBits] >> (at % kLinkBits) & 1)
                         << (at % 32);
      }
    };
    pair(model_->north_i.data(), in + ports_.first(Side::North));
    pair(model_->south_i.data(), in + ports_.first(Side::South));
    model_->east_i = in[ports_.first(Side::East)];
    model_->west_i = in[ports_.first(Side::West)];
  }
  void clock() {
    model_->clk_i = 0;
    model_->eval();
    model_->clk_i = 1;
    model_->eval();
  }
  VerilatedContext context_;
  std::unique_ptr<Vow_wafer12> model_;
  std::vector<ChainPins> pins_;
};

// Everything that can be seen from outside, in order.
struct Seen {
  std::vector<std::optional<uint32_t>> answers;
  std::vector<uint64_t> cycles;
  std::vector<uint32_t> words;
  std::vector<EdgeEvent> edges;
};

// One sequence that both wafers run.
class Exercise {
 public:
  explicit Exercise(WaferDevice* wafer) : wafer_(*wafer), device_(wafer->device()) {}

  Seen run() {
    device_.sim()->record_edges(true);
    use_chains();
    train_link();
    switch_mesh();
    ControlPlane control(device_);
    copy(control);
    set_routes(control);
    stream();
    single();
    seen_.edges = device_.sim()->edge_log();
    return seen_;
  }

 private:
  static ChainCommand write(int reg, uint32_t data) { return {0, true, reg, data}; }
  static ChainCommand read(int reg) { return {0, false, reg, 0}; }

  void run_chains(std::vector<ChainJob> jobs) {
    wafer_.run_chains(&jobs);
    for (const ChainJob& job : jobs) {
      seen_.answers.insert(seen_.answers.end(), job.answers.begin(), job.answers.end());
    }
    seen_.cycles.push_back(device_.cycle());
  }
  // The same in both reticles.
  void chain(const std::vector<ChainCommand>& commands, bool from_east) {
    std::vector<ChainJob> jobs(2);
    for (int d = 0; d < 2; ++d) {
      jobs[static_cast<size_t>(d)].where = {d, 0, from_east};
      jobs[static_cast<size_t>(d)].commands = commands;
    }
    run_chains(std::move(jobs));
  }

  void use_chains() {
    chain({read(kStationId), read(kStationId), read(kStationId)}, false);
    chain({read(kStationId), read(kStationId), write(kStationControl, kStationRun | kStationTest)},
          true);
    // A packet to the tile's endpoint through its station: its configuration.
    using Command = isa::PacketCommand;
    constexpr uint32_t kToEdge =
        isa::PacketHeader::Negative::put(1) | isa::PacketHeader::ToEdge::put(1);
    chain({write(kStationPush, Command::Operation::put(isa::PacketOp::Read) | Command::Tag::put(5) |
                                   Command::Count::put(1)),
           write(kStationPush, isa::reg::Config::kAddress), write(kStationPush, kToEdge),
           write(kStationPushLast, kToEdge), read(kStationPopState), pop_command(0, true),
           pop_command(0, false), pop_command(0, true), read(kStationPop), read(kStationPopState),
           pop_command(0, false), read(kStationPopState)},
          false);
    // Scan of the edges, with patterns that carry no wavelet into the link.
    chain({write(kStationControl, 0), write(kStationPatternLow, 0x1234),
           write(kStationScan, kScanEnable), read(kStationScan), write(kStationScan, 0),
           write(kStationPatternLow, 0), read(isa::station::CaptureHigh::address(1))},
          true);
  }

  void train_link() {
    wafer_.wait_cycles(5000);
    namespace link = isa::link;
    for (const uint32_t word : {link::State::kAddress, link::Replays::kAddress,
                                link::RxMap::kAddress, link::Delays::kAddress}) {
      const auto at = [&](int side) {
        return isa::station::Link::Side::put(side) | isa::station::Link::Number::put(word);
      };
      chain({write(kStationLink, at(1)), read(kStationLinkStatus), write(kStationLink, at(3)),
             read(kStationLinkStatus)},
            false);
    }
  }

  void switch_mesh() {
    const Repair repair = repair_wafer(kShape, Defects(kShape));
    std::vector<ChainJob> jobs(2);
    for (int d = 0; d < 2; ++d) {
      const ReticleFuses f = fuses(*repair.map, d);
      jobs[static_cast<size_t>(d)].where = {d, 0, d != 0};
      jobs[static_cast<size_t>(d)].commands = {write(kStationTileFuse, f.tile[0]),
                                               write(kStationRowFuse, f.row[0]),
                                               write(kStationControl, kStationRun)};
    }
    run_chains(std::move(jobs));
  }

  // Over the control plane and the link.
  void copy(ControlPlane& control) {
    control.write(whole(device_.shape()), 0x100, {1, 2, 3, 4, 5, 6, 7});
    for (const auto& words : control.read_rect(whole(device_.shape()), 0x100, 7)) {
      seen_.words.insert(seen_.words.end(), words.begin(), words.end());
    }
  }

  void set_routes(ControlPlane& control) {
    RouteSet routes(device_.shape());
    for (int c = 0; c < 2; ++c) {
      routes.set(0, c, 0, {Port::West, kOutE});
      routes.set(0, c, 1, {Port::East, kOutW});
      routes.set(0, c, 2, {Port::North, kOutS});
    }
    routes.listen(Side::East, 0, 0);
    routes.listen(Side::West, 0, 1);
    for (int c = 0; c < 2; ++c) routes.listen(Side::South, c, 2);
    routes.apply(control);
    control.fence(whole(device_.shape()));
  }

  // Both ways and through.
  void stream() {
    std::mt19937 random(7);
    std::vector<Wavelet> a, b, n;
    for (int i = 0; i < 300; ++i) {
      a.push_back({0, random() % 4 == 0, static_cast<uint32_t>(random()) & ~0x03FFFFFCu});
      b.push_back({1, false, static_cast<uint32_t>(random())});
      n.push_back({2, false, static_cast<uint32_t>(random())});
    }
    device_.send(Side::West, 0, a);
    device_.send(Side::East, 0, b);
    device_.send(Side::North, 0, n);
    device_.send(Side::North, 1, n);
    device_.hold(Side::East, 0, 0, true);
    wafer_.wait_cycles(200);
    device_.hold(Side::East, 0, 0, false);
    wafer_.wait_cycles(1000);
    for (const Arrival& x : device_.take_arrivals(Side::East, 0, 0))
      seen_.words.push_back(x.wavelet.data);
    EXPECT_EQ(device_.take_arrivals(Side::West, 0, 1).size(), b.size());
    EXPECT_EQ(device_.take_arrivals(Side::South, 0, 2).size(), n.size());
    EXPECT_EQ(device_.take_arrivals(Side::South, 1, 2).size(), n.size());
  }

  // Alone, in odd and in even cycles, over a link that has slept.
  void single() {
    for (int i = 0; i < 8; ++i) {
      wafer_.wait_cycles(static_cast<uint64_t>(300 + i % 3));
      device_.send(Side::West, 0, {{0, false, static_cast<uint32_t>(i)}});
      wafer_.wait_cycles(static_cast<uint64_t>(301 + i / 4));
      device_.send(Side::East, 0, {{1, false, static_cast<uint32_t>(i)}});
    }
    wafer_.wait_cycles(300);
    EXPECT_EQ(device_.take_arrivals(Side::East, 0, 0).size(), 8u);
    EXPECT_EQ(device_.take_arrivals(Side::West, 0, 1).size(), 8u);
  }

  WaferDevice& wafer_;
  Device& device_;
  Seen seen_;
};

TEST(WaferDevice, IsTheVerilatedWaferCycleByCycle) {
  Monolithic reference;
  const Seen expected = Exercise(&reference).run();
  const auto wafer = make_mini_wafer_device(kShape);
  const Seen seen = Exercise(wafer.get()).run();
  EXPECT_EQ(seen.cycles, expected.cycles);
  EXPECT_EQ(seen.answers, expected.answers);
  EXPECT_EQ(seen.words, expected.words);
  ASSERT_EQ(seen.edges.size(), expected.edges.size());
  for (size_t i = 0; i < seen.edges.size(); ++i) {
    ASSERT_EQ(seen.edges[i], expected.edges[i])
        << "event " << i << " in cycle " << expected.edges[i].cycle;
  }
  EXPECT_GT(expected.words.size(), 300u);
  EXPECT_EQ(wafer->device().run(2000), RunStatus::Quiet);
  // Idle parts were skipped.
  EXPECT_LT(wafer->counts().tiles, 2 * wafer->device().cycle());
  EXPECT_LT(wafer->counts().stations, 2 * wafer->device().cycle());
}

}  // namespace
}  // namespace ow::wafer
