// SPDX-License-Identifier: Apache-2.0
// What a router and a ramp keep: credits of dropped wavelets and of inputs that are not selected,
// fences, wavelets that wait for another route; bindings of queues, and what stops them.
#include "tile_test.h"

namespace ow::conform {
namespace {

using isa::Control;
using isa::Position;
using isa::reg::Route;
using isa::reg::Switch;
namespace reg = isa::reg;
constexpr uint32_t kNorth = 0, kEast = 1, kSouth = 2, kWest = 3, kRamp = 4;
constexpr int kCycles = 20000;
constexpr uint32_t kAdvance = 1, kTeardown = 3;

uint32_t position(uint32_t in, uint32_t out) {
  return Position::InPort::put(in) | Position::OutMask::put(1u << out);
}
uint32_t route(uint32_t in, uint32_t out) {
  return Route::Enable::put(1) | Route::Position::put(position(in, out));
}

void begin(Maker* m, const std::string& name, const std::string& about, int columns,
           std::vector<std::string> more, const Rules& rules) {
  Needs needs;
  needs.features = {"fabric"};
  for (std::string& feature : more) needs.features.push_back(std::move(feature));
  needs.columns = columns;
  needs.colours = 2;
  needs.queues = 2;
  needs.sram = 8192;
  m->begin(name, about, needs, rules);
  m->ask(fmt::format("reset 1 {}", columns));
}

void set(Maker* m, int col, uint32_t address, uint32_t value) {
  m->ask(write_line(0, col, address, {value}));
}
void run(Maker* m) { m->ask(fmt::format("run {}", kCycles)); }
void send(Maker* m, char side, int colour, const std::vector<Word>& words) {
  m->ask(send_line(side, 0, colour, words));
}
void take(Maker* m, char side, int colour, const std::string& right, const Rules& rules) {
  m->expect(take_line(side, 0, colour), right, rules);
}
std::vector<Word> numbers(uint32_t first, uint32_t count) {
  std::vector<Word> words;
  for (uint32_t k = 0; k < count; ++k) words.push_back({false, first + k});
  return words;
}
Word command(uint32_t what) { return {true, Control::Commands::put(0, what)}; }

// Both credits of an input go with dropped wavelets, and come back with its route.
void make_dropped(Maker* m) {
  begin(m, "fabric.dropped_credits",
        "The credits of dropped wavelets go back when a route selects their port.", 1,
        {"credits", "registers"}, {"F50", "F6"});
  set(m, 0, Route::address(0), route(kWest, kEast));
  for (const uint32_t value : {1u, 2u}) {
    send(m, 'n', 0, {{false, value}});
    run(m);
    m->expect(read_line(0, 0, reg::RtMisroute::kAddress, 1), "1", {"F6"});
    set(m, 0, Route::address(0), route(kWest, kEast));
  }
  set(m, 0, Route::address(0), route(kNorth, kEast));
  send(m, 'n', 0, numbers(16, 5));
  run(m);
  take(m, 'e', 0, "d10 d11 d12 d13 d14", {"F50"});
}

// A new route from another port stops a colour that holds wavelets. While its buffer is full, what
// comes at the new port is dropped.
void make_stopped(Maker* m) {
  begin(m, "fabric.stopped_full",
        "A new route from another port stops the colour; what finds no free slot then is dropped.",
        1, {"credits", "registers"}, {"F49", "F6"});
  set(m, 0, Route::address(0), route(kWest, kEast));
  m->ask("hold e 0 0 1");
  send(m, 'w', 0, numbers(1, 4));
  run(m);
  set(m, 0, Route::address(0), route(kNorth, kEast));
  run(m);
  m->expect(read_line(0, 0, reg::RtMisroute::kAddress, 1), "1", {"F49"});
  send(m, 'n', 0, {{false, 0x77}, {false, 0x78}});
  run(m);
  m->ask("hold e 0 0 0");
  run(m);
  take(m, 'e', 0, "d1 d2", {"F49"});
  // What was held belongs to the north now; all credits are as at the start.
  set(m, 0, Route::address(0), route(kNorth, kEast) | Route::SetCredits::put(1));
  run(m);
  take(m, 'e', 0, "d3 d4", {"F6"});
  send(m, 'n', 0, numbers(5, 3));
  run(m);
  take(m, 'e', 0, "d5 d6 d7", {"F69"});
}

// A grid full of wavelets, with half a packet on its way, is like new after a reset of all tiles.
void make_reset(Maker* m) {
  const std::string about = "A reset of all tiles at once needs no care.";
  begin(m, "fabric.reset", about, 2, {"credits", "control", "tile"}, {"F34"});
  for (int col = 0; col < 2; ++col) set(m, col, Route::address(0), route(kWest, kEast));
  m->ask("hold e 0 0 1");
  send(m, 'w', 0, numbers(1, 12));
  send(m, 'w', 1, numbers(1, 4));
  m->ask(send_line(
      'w', 0, static_cast<int>(isa::kColourReq),
      {{false, isa::PacketHeader::Near::put(1) | isa::PacketHeader::Far::put(1)}, {false, 0}}));
  run(m);
  m->ask("reset 1 2");
  for (int col = 0; col < 2; ++col) set(m, col, Route::address(0), route(kWest, kEast));
  send(m, 'w', 0, numbers(32, 6));
  run(m);
  take(m, 'e', 0, "d20 d21 d22 d23 d24 d25", {"F34"});
  take(m, 'e', 1, "", {"F34"});
  set(m, 1, 0x1000, 0x1234);
  m->expect(read_line(0, 1, 0x1000, 1), "1234", {"F34"});
}

void make_fences(Maker* m) {
  begin(m, "fabric.fences",
        "A wavelet with a command waits until its sender holds all credits, and none follows it.",
        1, {"credits", "switches"}, {"F3"});
  set(m, 0, Route::address(0), route(kWest, kEast));
  m->ask("hold e 0 0 1");
  send(m, 'w', 0, {{false, 1}, command(kAdvance), {false, 2}, {false, 3}});
  run(m);
  // One credit is left, and a fence needs both.
  take(m, 'e', 0, "d1", {"F3"});
  m->ask("hold e 0 0 0");
  run(m);
  take(m, 'e', 0, "c4 d2 d3", {"F3"});
  m->ask("hold e 0 0 1");
  send(m, 'w', 0, {command(kAdvance), {false, 4}});
  run(m);
  take(m, 'e', 0, "c4", {"F3"});
  // Without a command it flows like data.
  m->ask("hold e 0 0 0");
  run(m);
  take(m, 'e', 0, "d4", {"F3"});
  m->ask("hold e 0 0 1");
  send(m, 'w', 0, {{false, 5}, {true, 3}, {false, 6}});
  run(m);
  take(m, 'e', 0, "d5 c3", {"F37"});
  m->ask("hold e 0 0 0");
}

// Tile (0, 1) takes from the north first; what tile (0, 0) has waits until a command turns the
// switch.
void make_kept_credits(Maker* m) {
  begin(m, "switches.kept_credits",
        "An input that is not selected holds no credits, and gets them when a switch selects it.",
        2, {"credits", "switches", "registers"}, {"F69", "F10"});
  set(m, 0, Route::address(0),
      route(kWest, kEast) | Route::SetCredits::put(1) | Route::WithoutCredits::put(1u << kEast));
  set(m, 1, Switch::address(0),
      Switch::Position1::put(position(kWest, kEast)) | Switch::Last::put(1));
  set(m, 1, Route::address(0),
      route(kNorth, kEast) | Route::Obey::put(1) | Route::SetCredits::put(1) |
          Route::KeepCredits::put(1u << kWest));
  send(m, 'w', 0, numbers(1, 6));
  run(m);
  take(m, 'e', 0, "", {"F69"});
  m->ask(send_line('n', 1, 0, {{false, 0x21}, {false, 0x22}}));
  run(m);
  take(m, 'e', 0, "d21 d22", {"F69"});
  m->expect(read_line(0, 1, reg::RtMisroute::kAddress, 1), "0", {"F10"});
  m->ask(send_line('n', 1, 0, {command(kAdvance)}));
  run(m);
  take(m, 'e', 0, "c4 d1 d2 d3 d4 d5 d6", {"F69", "F10"});
  m->expect(read_line(0, 1, reg::RtMisroute::kAddress, 1), "0", {"F10"});
}

std::string error(isa::ErrorSource source, uint32_t cause, uint32_t unit) {
  using E = reg::Error;
  return fmt::format("{:x}", E::Stopped::put(1) | E::Source::put(source) | E::Cause::put(cause) |
                                 E::Unit::put(unit));
}

// The core puts two wavelets into output queue 0, and goes on.
void push(TileTest* t) {
  for (const uint32_t value : {0x31u, 0x32u}) t->p.store_word(reg::Push::address(0), value);
  t->p.store_word(TileTest::kResult, 1);
}

void make_output_queues(Maker* m) {
  constexpr int kColour = TileTest::kOut;
  TileTest t(m);
  t.begin("ramp.waits_for_its_turn",
          "An output queue of a colour that switches waits while the ramp is not the input.",
          {"fabric", "switches", "registers"}, {"F51"});
  push(&t);
  t.bind_output(0);
  t.fill(Switch::address(kColour),
         {Switch::Position1::put(position(kRamp, kEast)) | Switch::Last::put(1)});
  t.fill(Route::address(kColour), {route(kWest, kEast) | Route::Obey::put(1)});
  t.start();
  send(m, 'w', kColour, {{false, 0x41}});
  t.run();
  take(m, 'e', kColour, "d41", {"F51"});
  t.expect(reg::RtMisroute::kAddress, 1, "0", {"F51"});
  send(m, 'w', kColour, {command(kAdvance)});
  t.run();
  take(m, 'e', kColour, "c4 d31 d32", {"F51"});

  t.begin("ramp.waits_for_a_torn_colour", "An output queue waits while its colour is torn down.",
          {"fabric", "switches"}, {"F71"});
  push(&t);
  t.bind_output(0);
  t.fill(Route::address(kColour), {route(kWest, kEast) | Route::Obey::put(1)});
  send(m, 'w', kColour, {command(kTeardown)});
  t.run();
  take(m, 'e', kColour, "cc", {"F71"});
  t.start();
  t.expect(TileTest::kResult, 1, "1", {"F71"});
  take(m, 'e', kColour, "", {"F71"});
  t.fill(Route::address(kColour), {route(kRamp, kEast)});
  t.fill(Switch::address(kColour), {0});
  t.run();
  take(m, 'e', kColour, "d31 d32", {"F71", "F70"});
}

void make_input_queues(Maker* m) {
  using isa::reg::Inq;
  const auto bound = [](int colour) { return Inq::Enable::put(1) | Inq::Colour::put(colour); };
  TileTest t(m);
  const auto reader = [&](int count) {
    const int in = t.add(Descriptor::fabric_in(isa::TensorType::F16, 0, count));
    const int dst = t.memory(isa::TensorType::F16, TileTest::kData, count, 2);
    t.tensor(isa::TensorOp::Mov, isa::TensorType::F16, dst, in, TileTest::kNone,
             TileTest::thread(1));
  };
  t.begin("ramp.binding_in_use",
          "A binding does not take a colour from a queue that an instruction reads, and stops the "
          "tile.",
          {"fabric", "f16"}, {"F84"});
  reader(8);
  t.bind_input(0);
  t.start();
  t.fill(Inq::address(1), {bound(0)});
  t.run();
  t.expect(reg::Error::kAddress, 1, error(isa::ErrorSource::Ramp, 4, 0), {"F84"});
  t.expect(Inq::address(0), 2, fmt::format("{:x} 0", bound(0)), {"F84"});

  t.begin("ramp.not_bound",
          "A wavelet of a colour without a queue waits in the router and stops the tile; a binding "
          "takes it.",
          {"fabric", "f16"}, {"F82"});
  t.fill(Route::address(1), {route(kWest, kRamp)});
  send(m, 'w', 1, numbers(7, 4));
  t.run();
  t.expect(reg::Error::kAddress, 1, error(isa::ErrorSource::Ramp, 1, 1), {"F82"});
  t.fill(Inq::address(0), {bound(1)});
  reader(8);
  t.start();
  t.expect(reg::Error::kAddress, 1, "0", {"F82"});
  t.expect(TileTest::kData, 4, "7 8 9 a", {"F82"});

  t.begin("filters.held",
          "A range does not judge again what the router holds when the filter is written.",
          {"fabric", "f16", "filters"}, {"F75"});
  constexpr int kHeld = 10;  // eight in the queue, two in the router
  reader(2 * (kHeld + 2));
  t.bind_input(0);
  std::vector<Word> words;
  for (uint32_t k = 0; k < kHeld; ++k) words.push_back({false, k << 16 | k});
  send(m, 'w', 0, words);
  t.run();
  using F = isa::reg::Filter;
  t.fill(isa::reg::FilterLimits::address(0), {0x20u | 0x21u << 16});
  t.fill(F::address(0),
         {F::Colour::put(0) | F::Enable::put(1) | F::Kind::put(isa::FilterKind::Range)});
  words = {
      {false, 1u << 16}, {false, 0x20u << 16 | 5}, {false, 2u << 16}, {false, 0x21u << 16 | 6}};
  send(m, 'w', 0, words);
  t.start();
  t.read(TileTest::kData, kHeld + 2, {"F75"});
}

// A request of one word that the core of a tile sends to its neighbour.
void make_request(Maker* m) {
  using Brief = isa::PacketBrief;
  begin(m, "control.from_the_core", "A core sends a request of one word to another tile.", 2,
        {"tile", "control"}, {"F96"});
  Program p;
  p.store_word(reg::Request::kAddress,
               Brief::HopsX::put(1) | Brief::Task::put(21) | Brief::Activate::put(1));
  p.store_word(reg::Request::kAddress, Brief::Task::put(22) | Brief::Activate::put(1));
  p.stop();
  m->ask(write_line(0, 0, TileTest::kCode, p.words()));
  set(m, 0, reg::CorePc::kAddress, TileTest::kCode);
  set(m, 0, reg::CoreCtrl::kAddress, reg::CoreCtrl::Reset::put(1) | reg::CoreCtrl::Run::put(1));
  run(m);
  m->expect(read_line(0, 1, reg::TaskActivate::kAddress, 1), "200000", {"F96"});
  m->expect(read_line(0, 0, reg::TaskActivate::kAddress, 1), "400000", {"F96"});
}

}  // namespace

void make_router_states(Maker* m) {
  make_dropped(m);
  make_stopped(m);
  make_reset(m);
  make_fences(m);
  make_kept_credits(m);
}

void make_ramp_states(Maker* m) {
  make_output_queues(m);
  make_input_queues(m);
  make_request(m);
}

}  // namespace ow::conform
