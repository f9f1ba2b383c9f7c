// SPDX-License-Identifier: Apache-2.0
// Wavelets in at the edges of a small grid, wavelets out: routes, multicast, switches, filters. The
// core of a tile takes no part.
#include <fmt/format.h>

#include "maker.h"
#include "ow/isa/isa.h"

namespace ow::conform {
namespace {

using isa::Control;
using isa::Position;
using isa::reg::Route;
using isa::reg::Switch;
using RegFilter = isa::reg::Filter;

enum Port : uint32_t { kNorth, kEast, kSouth, kWest, kRamp };
constexpr char kSide[] = "nesw";
constexpr int kCycles = 20000;

uint32_t bit(Port port) { return 1u << port; }

uint32_t position(Port in, uint32_t outs) {
  return Position::InPort::put(in) | Position::OutMask::put(outs);
}

uint32_t route(Port in, uint32_t outs) {
  return Route::Enable::put(1) | Route::Position::put(position(in, outs));
}

Needs grid(int rows, int columns, int colours, std::vector<std::string> more = {}) {
  Needs needs;
  needs.features = {"fabric"};
  needs.features.insert(needs.features.end(), more.begin(), more.end());
  needs.rows = rows;
  needs.columns = columns;
  needs.colours = colours;
  return needs;
}

void begin_grid(Maker* m, int rows, int columns) {
  m->ask(fmt::format("reset {} {}", rows, columns));
}

void set_route(Maker* m, int row, int col, int colour, uint32_t value, const Rules& rules = {}) {
  m->ask(write_line(row, col, Route::address(colour), {value}), rules);
}

std::vector<Word> data(Maker* m, int count) {
  std::vector<Word> words;
  for (int k = 0; k < count; ++k) words.push_back({false, m->word()});
  return words;
}

void run(Maker* m) { m->ask(fmt::format("run {}", kCycles)); }

// One colour in a straight line, in every direction, then round each corner of one tile.
void make_routes(Maker* m) {
  m->begin("fabric.routes.one_tile", "Each input of a router to each output beyond the tile.",
           grid(1, 1, 1), {"F5", "F36"});
  begin_grid(m, 1, 1);
  for (uint32_t in = 0; in < kRamp; ++in) {
    for (uint32_t out = 0; out < kRamp; ++out) {
      if (in == out) continue;
      set_route(m, 0, 0, 0, route(static_cast<Port>(in), bit(static_cast<Port>(out))));
      m->ask(send_line(kSide[in], 0, 0, data(m, 5)), {"F1"});
      run(m);
      m->ask(take_line(kSide[out], 0, 0), {"F5"});
    }
  }
  m->begin("fabric.routes.order",
           "A colour keeps its order over several tiles, whatever the wavelets hold.",
           grid(2, 2, 1), {"F5", "F1"});
  begin_grid(m, 2, 2);
  set_route(m, 0, 0, 0, route(kWest, bit(kEast)));
  set_route(m, 0, 1, 0, route(kWest, bit(kSouth)));
  set_route(m, 1, 1, 0, route(kNorth, bit(kWest)));
  set_route(m, 1, 0, 0, route(kEast, bit(kWest)));
  std::vector<Word> words = data(m, 40);
  for (int k = 0; k < 32; ++k) words.push_back({k % 5 == 4, 1u << k});
  for (Word& word : words) {
    if (word.control) word.data &= ~Control::Commands::kMask;
  }
  m->ask(send_line('w', 0, 0, words));
  run(m);
  m->ask(take_line('w', 1, 0), {"F1", "F5"});
}

void make_multicast(Maker* m) {
  m->begin("fabric.multicast", "A wavelet goes to all outputs of its route, once to each.",
           grid(2, 2, 2), {"F7"});
  begin_grid(m, 2, 2);
  const uint32_t fork = bit(kEast) | bit(kSouth) | bit(kNorth);
  set_route(m, 0, 0, 1, route(kWest, fork));
  set_route(m, 0, 1, 1, route(kWest, bit(kEast) | bit(kNorth)));
  set_route(m, 1, 0, 1, route(kNorth, bit(kWest) | bit(kSouth)));
  m->ask(send_line('w', 0, 1, data(m, 30)));
  run(m);
  for (const auto& [side, index] : {std::pair{'n', 0}, {'n', 1}, {'e', 0}, {'w', 1}, {'s', 0}}) {
    m->ask(take_line(side, index, 1), {"F7"});
  }
  m->begin("fabric.multicast.held",
           "A branch that is held up does not lose or double the wavelets of the others.",
           grid(1, 2, 2), {"F7"});
  begin_grid(m, 1, 2);
  set_route(m, 0, 0, 0, route(kWest, bit(kEast) | bit(kSouth)));
  set_route(m, 0, 1, 0, route(kWest, bit(kEast)));
  m->ask("hold s 0 0 1");
  m->ask(send_line('w', 0, 0, data(m, 2)));
  run(m);
  m->ask(take_line('e', 0, 0), {"F7"});
  m->ask("hold s 0 0 0");
  m->ask(send_line('w', 0, 0, data(m, 20)));
  run(m);
  m->ask(take_line('e', 0, 0), {"F7"});
  m->ask(take_line('s', 0, 0), {"F7"});
}

void make_new_routes(Maker* m) {
  m->begin("fabric.routes.moved",
           "Wavelets that a router holds follow a new route, even if copies of them were sent.",
           grid(1, 1, 1, {"credits"}), {"F48"});
  begin_grid(m, 1, 1);
  set_route(m, 0, 0, 0, route(kWest, bit(kEast) | bit(kSouth)));
  m->ask("hold s 0 0 1");
  m->expect(send_line('w', 0, 0, {{false, 1}, {false, 2}, {false, 3}, {false, 4}}), "");
  run(m);
  // The south has taken as many as it has credits, the east one more.
  m->expect(take_line('s', 0, 0), "d1 d2");
  m->expect(take_line('e', 0, 0), "d1 d2 d3");
  set_route(m, 0, 0, 0, route(kWest, bit(kNorth)));
  run(m);
  m->expect(take_line('n', 0, 0), "d3 d4", {"F48"});
  m->expect(take_line('e', 0, 0), "", {"F48"});
  m->ask("hold s 0 0 0");
  run(m);
  m->expect(take_line('s', 0, 0), "", {"F48"});
}

void make_colours(Maker* m) {
  constexpr int kColours = 4;
  m->begin("fabric.colours",
           "Colours keep apart: each has its route, and a held one does not stop the others.",
           grid(1, 2, kColours), {"F45", "F5"});
  begin_grid(m, 1, 2);
  for (int c = 0; c < kColours; ++c) {
    set_route(m, 0, 0, c, route(kWest, bit(kEast)));
    set_route(m, 0, 1, c, route(kWest, bit(c % 2 == 0 ? kEast : kSouth)));
  }
  m->ask("hold e 0 0 1");
  for (int c = 0; c < kColours; ++c) m->ask(send_line('w', 0, c, data(m, 4 + c)));
  run(m);
  for (int c = 1; c < kColours; ++c)
    m->ask(take_line(c % 2 == 0 ? 'e' : 's', c % 2 == 0 ? 0 : 1, c), {"F45"});
  m->ask("hold e 0 0 0");
  run(m);
  // What was taken before it was held is no matter: all of it comes.
  m->ask(take_line('e', 0, 0), {"F5"});
}

void make_dropped(Maker* m) {
  m->begin("fabric.routes.late", "A wavelet waits for its route; a route without outputs discards.",
           grid(1, 1, 2), {"F46", "F47", "F49"});
  begin_grid(m, 1, 1);
  m->ask(send_line('n', 0, 0, data(m, 2)));
  run(m);
  set_route(m, 0, 0, 0, route(kNorth, bit(kSouth)));
  run(m);
  m->ask(take_line('s', 0, 0), {"F46"});
  set_route(m, 0, 0, 1, route(kWest, 0));
  m->ask(send_line('w', 0, 1, data(m, 20)));
  run(m);
  set_route(m, 0, 0, 1, route(kWest, bit(kEast)));
  m->ask(send_line('w', 0, 1, data(m, 3)));
  run(m);
  m->ask(take_line('e', 0, 1), {"F47"});
}

// An edge that takes nothing has room for the credits of the colour, and no more.
void make_credits(Maker* m) {
  m->begin("fabric.credits",
           "A held edge gets as many wavelets as a colour has credits; the rest follows.",
           grid(1, 2, 1, {"credits"}), {"F2", "F25"});
  begin_grid(m, 1, 2);
  for (int col = 0; col < 2; ++col) set_route(m, 0, col, 0, route(kWest, bit(kEast)));
  m->ask("hold e 0 0 1");
  m->ask(send_line('w', 0, 0, data(m, 24)));
  run(m);
  m->ask(take_line('e', 0, 0), {"F2"});
  m->ask("hold e 0 0 0");
  run(m);
  m->ask(take_line('e', 0, 0), {"F25"});
}

// A wavelet at a port that is not its colour's input.
void make_misroute(Maker* m) {
  m->begin("fabric.misroute",
           "A wavelet at another port than the input is dropped and stops its colour until ROUTE "
           "is written.",
           grid(1, 1, 2, {"registers"}), {"F6"});
  begin_grid(m, 1, 1);
  set_route(m, 0, 0, 0, route(kWest, bit(kEast)));
  set_route(m, 0, 0, 1, route(kWest, bit(kEast)));
  m->ask(send_line('n', 0, 0, data(m, 1)));
  run(m);
  m->ask(read_line(0, 0, isa::reg::RtMisroute::kAddress, 1), {"F6"});
  m->ask(send_line('w', 0, 0, data(m, 1)));
  m->ask(send_line('w', 0, 1, data(m, 3)));
  run(m);
  m->ask(take_line('e', 0, 0), {"F6"});
  m->ask(take_line('e', 0, 1), {"F45"});
  set_route(m, 0, 0, 0, route(kWest, bit(kEast)));
  run(m);
  m->ask(read_line(0, 0, isa::reg::RtMisroute::kAddress, 1), {"F6"});
  m->ask(take_line('e', 0, 0), {"F6"});
}

// Switches: one input, outputs that change. Commands of a list, slot 0 first.
uint32_t commands(const std::vector<uint32_t>& slots) {
  uint32_t word = 0;
  for (size_t k = 0; k < slots.size(); ++k) word |= Control::Commands::put(k, slots[k]);
  return word;
}

constexpr uint32_t kAdvance = 1, kReset = 2, kTeardown = 3, kNoce = 4;

struct Switched {
  const char* name;
  const char* about;
  uint32_t pop, ring, last;
  std::vector<std::vector<uint32_t>> lists;
  Rules rules;
};

// Tile (0, 0) hands on to (0, 1), both with positions east, south, north. Each command is followed
// by data.
void make_switch(Maker* m, const Switched& s) {
  m->begin(std::string("switches.") + s.name, s.about, grid(1, 2, 1, {"switches"}), s.rules);
  begin_grid(m, 1, 2);
  for (int col = 0; col < 2; ++col) {
    const uint32_t first = route(kWest, bit(kEast)) | Route::Obey::put(1) |
                           Route::PopMode::put(s.pop) | Route::Ring::put(s.ring);
    m->ask(write_line(0, col, Switch::address(0),
                      {Switch::Position1::put(position(kWest, bit(kSouth))) |
                       Switch::Position2::put(position(kWest, bit(kEast) | bit(kNorth))) |
                       Switch::Last::put(s.last)}));
    set_route(m, 0, col, 0, first);
  }
  for (const std::vector<uint32_t>& list : s.lists) {
    std::vector<Word> words = {{true, commands(list) | Control::Identity::put(m->pick(64))}};
    for (const Word& word : data(m, 2)) words.push_back(word);
    m->ask(send_line('w', 0, 0, words));
    run(m);
  }
  for (const auto& [side, index] : {std::pair{'e', 0}, {'s', 0}, {'s', 1}, {'n', 0}, {'n', 1}}) {
    m->ask(take_line(side, index, 0), s.rules);
  }
  for (int col = 0; col < 2; ++col) m->ask(read_line(0, col, Switch::address(0), 1), {"F59"});
}

void make_switches(Maker* m) {
  const std::vector<uint32_t> a = {kAdvance}, r = {kReset}, none = {};
  make_switch(m, {"advance",
                  "Advance goes from position to position, and stays at the last.",
                  0,
                  0,
                  2,
                  {a, a, a, a},
                  {"F9", "F60"}});
  make_switch(m, {"ring",
                  "With ring, advance goes from the last position to the first.",
                  0,
                  1,
                  2,
                  {a, a, a, a, a},
                  {"F9"}});
  make_switch(m, {"reset", "Reset goes to position 0.", 0, 0, 2, {a, r, a, a, r}, {"F9"}});
  make_switch(m, {"leaves_first",
                  "A command leaves on the position that it found.",
                  0,
                  1,
                  1,
                  {a, a, a},
                  {"F62"}});
  make_switch(m, {"pop_always",
                  "Mode 1: slot i is for the i-th router.",
                  1,
                  1,
                  2,
                  {{kAdvance, 0}, {0, kAdvance}, {kAdvance, kAdvance}},
                  {"F64"}});
  make_switch(m, {"pop_moved",
                  "Mode 2: a slot leaves if it moved the switch.",
                  2,
                  0,
                  1,
                  {{kAdvance, 0}, {kAdvance, 0}, {kReset, kAdvance}},
                  {"F64"}});
  make_switch(m, {"pop_moved_wrap",
                  "A slot that leaves goes to the end of the list.",
                  2,
                  1,
                  2,
                  {{kAdvance, kReset, 0, 0, kAdvance}, {kAdvance}},
                  {"F64"}});
  make_switch(m, {"pop_empty",
                  "Mode 3: an empty slot leaves too.",
                  3,
                  0,
                  2,
                  {{0, kAdvance}, {0, 0, kAdvance}},
                  {"F64"}});
  make_switch(m, {"no_commands",
                  "A control wavelet without commands moves nothing.",
                  0,
                  1,
                  2,
                  {none, none, a},
                  {"F56"}});
}

// Colours that do not obey, that are stopped, and what registers show of them.
void make_other_switches(Maker* m) {
  constexpr int kAll = 24;
  m->begin("switches.every_colour", "Every colour can obey.", grid(1, 1, kAll, {"switches"}),
           {"F66"});
  begin_grid(m, 1, 1);
  for (int c = 0; c < kAll; ++c) {
    m->ask(
        write_line(0, 0, Switch::address(c),
                   {Switch::Position1::put(position(kWest, bit(kSouth))) | Switch::Last::put(1)}));
    set_route(m, 0, 0, c, route(kWest, bit(kEast)) | Route::Obey::put(1));
    m->ask(send_line('w', 0, c,
                     {{false, m->word()}, {true, commands({kAdvance})}, {false, m->word()}}));
  }
  run(m);
  for (int c = 0; c < kAll; ++c) {
    m->ask(take_line('e', 0, c), {"F66"});
    m->ask(take_line('s', 0, c), {"F66"});
  }

  m->begin("switches.deaf", "A colour that does not obey passes commands on unchanged.",
           grid(1, 1, 1, {"switches"}), {"F65"});
  begin_grid(m, 1, 1);
  set_route(m, 0, 0, 0, route(kWest, bit(kEast)));
  m->ask(send_line('w', 0, 0, {{true, commands({kAdvance, kTeardown})}, {false, 7}}));
  run(m);
  m->ask(take_line('e', 0, 0), {"F65"});

  m->begin("switches.teardown",
           "A teardown stops the colour, and the registers show it, until both are written again.",
           grid(1, 1, 2, {"switches"}), {"F11"});
  begin_grid(m, 1, 1);
  const uint32_t obeys = route(kWest, bit(kEast)) | Route::Obey::put(1);
  set_route(m, 0, 0, 1, obeys);
  m->ask(send_line('w', 0, 1, {{false, 1}, {true, commands({kTeardown})}, {false, 2}, {false, 3}}));
  run(m);
  m->ask(take_line('e', 0, 1), {"F11", "F62"});
  m->ask(read_line(0, 0, isa::reg::RtTorn::kAddress, 1), {"F11"});
  set_route(m, 0, 0, 1, obeys);
  m->ask(write_line(0, 0, Switch::address(1), {0}));
  run(m);
  m->ask(take_line('e', 0, 1), {"F70"});

  m->begin("switches.registers",
           "ROUTE shows the position in effect; SWITCH hides positions 1 to 3.",
           grid(1, 1, 1, {"switches"}), {"F59"});
  begin_grid(m, 1, 1);
  const uint32_t positions = Switch::Position1::put(position(kNorth, bit(kSouth))) |
                             Switch::Last::put(1) | Switch::Current::put(1);
  m->ask(write_line(0, 0, Switch::address(0), {positions}));
  set_route(m, 0, 0, 0, obeys | Route::Ring::put(1) | Route::PopMode::put(2));
  m->ask(read_line(0, 0, Route::address(0), 1), {"F59"});
  m->ask(read_line(0, 0, Switch::address(0), 1), {"F59"});
}

}  // namespace

void make_fabric(Maker* m) {
  make_routes(m);
  make_multicast(m);
  make_new_routes(m);
  make_colours(m);
  make_dropped(m);
  make_credits(m);
  make_misroute(m);
  make_switches(m);
  make_other_switches(m);
}

}  // namespace ow::conform
