// SPDX-License-Identifier: Apache-2.0
// What reaches the ramp: filters, queues, NOCE. Data tasks and control tasks put every wavelet that
// comes into memory.
#include <fmt/format.h>

#include "maker.h"
#include "ow/conform/program.h"

namespace ow::conform {
namespace {

using isa::Control;
using isa::reg::Inq;
using isa::reg::Route;
using RegFilter = isa::reg::Filter;

constexpr uint32_t kCode = 0x100, kTask = 0x180, kControl = 0x1C0, kLog = 0x1000;
constexpr int kCycles = 20000, kLogWords = 64;
constexpr uint32_t kWest = 3, kRamp = 4, kEast = 1;

// Two tasks: a data wavelet is stored as it is, a control wavelet after a word that marks it. x8
// points at the next free word.
void load_tasks(Maker* m, int colour) {
  Program begin;
  begin.load_immediate(8, kLog);
  begin.store_word(isa::reg::TaskEntry::address(0), kTask);
  begin.store_word(isa::reg::TaskEntry::address(isa::kFirstControlTask), kControl);
  begin.word(static_cast<uint32_t>(isa::SysOp::Next) << 12 | isa::kOpcodeSystem);
  Program data;
  data.store(10, 8, 0);
  data.add_immediate(8, 8, 4);
  data.word(0x00008067);  // ret
  Program control;
  control.load_immediate(7, 0xC0DEC0DE);
  control.store(7, 8, 0);
  control.store(10, 8, 4);
  control.add_immediate(8, 8, 8);
  control.word(0x00008067);
  m->ask("reset 1 1");
  m->ask(write_line(0, 0, kCode, begin.words()));
  m->ask(write_line(0, 0, kTask, data.words()));
  m->ask(write_line(0, 0, kControl, control.words()));
  m->ask(write_line(0, 0, kLog, std::vector<uint32_t>(kLogWords, 0)));
  m->ask(write_line(0, 0, Inq::address(0), {Inq::Enable::put(1) | Inq::Colour::put(colour)}));
  m->ask(write_line(0, 0, isa::reg::CorePc::kAddress, {kCode}));
  m->ask(write_line(0, 0, isa::reg::CoreCtrl::kAddress,
                    {isa::reg::CoreCtrl::Reset::put(1) | isa::reg::CoreCtrl::Run::put(1)}));
}

Needs one_tile(std::vector<std::string> more = {}) {
  Needs needs;
  needs.features = {"fabric", "tile"};
  needs.features.insert(needs.features.end(), more.begin(), more.end());
  needs.colours = 2;
  needs.queues = 1;
  needs.sram = 8192;
  return needs;
}

uint32_t to_ramp(uint32_t more = 0) {
  return Route::Enable::put(1) |
         Route::Position::put(isa::Position::InPort::put(kWest) |
                              isa::Position::OutMask::put(1u << kRamp | more));
}

void finish(Maker* m, const Rules& rules) {
  m->ask(fmt::format("run {}", kCycles));
  m->ask(read_line(0, 0, kLog, kLogWords), rules);
}

struct Filtered {
  const char* name;
  const char* about;
  isa::FilterKind kind;
  uint32_t low, high, flags;
  Rules rules;
};

void make_filter(Maker* m, const Filtered& f) {
  m->begin(std::string("filters.") + f.name, f.about, one_tile({"filters"}), f.rules);
  load_tasks(m, 1);
  m->ask(write_line(0, 0, isa::reg::FilterLimits::address(2), {f.low | f.high << 16}));
  m->ask(write_line(0, 0, isa::reg::FilterCount::address(2), {0}));
  m->ask(write_line(0, 0, RegFilter::address(2),
                    {RegFilter::Colour::put(1) | RegFilter::Enable::put(1) |
                     RegFilter::Kind::put(f.kind) | f.flags}));
  m->ask(write_line(0, 0, Route::address(1), {to_ramp(1u << kEast)}));
  std::vector<Word> words;
  for (uint32_t k = 0; k < 24; ++k) {
    words.push_back(
        {k % 7 == 5, k % 7 == 5 ? Control::Identity::put(k) : k << 16 | (m->word() & 0xFFFF)});
  }
  m->ask(send_line('w', 0, 1, words));
  finish(m, f.rules);
  m->ask(take_line('e', 0, 1), {"F73"});
  m->ask(read_line(0, 0, isa::reg::FilterCount::address(2), 1), f.rules);
}

}  // namespace

void make_filters(Maker* m) {
  const uint32_t data = RegFilter::CountData::put(1),
                 both = data | RegFilter::CountCtrl::put(1) | RegFilter::FilterCtrl::put(1);
  make_filter(m, {"range",
                  "A range passes the indices from its least to its greatest.",
                  isa::FilterKind::Range,
                  4,
                  11,
                  0,
                  {"F78"}});
  make_filter(m, {"range_one", "A range of one index.", isa::FilterKind::Range, 9, 9, 0, {"F78"}});
  make_filter(m, {"counter",
                  "A counter passes the first K of a period.",
                  isa::FilterKind::Counter,
                  4,
                  1,
                  data,
                  {"F76"}});
  make_filter(m, {"counter_all",
                  "A counter may count and drop control wavelets too.",
                  isa::FilterKind::Counter,
                  5,
                  2,
                  both,
                  {"F76", "F79"}});
  make_filter(m, {"sparse",
                  "A sparse counter passes one wavelet, then waits for its second limit.",
                  isa::FilterKind::Sparse,
                  2,
                  5,
                  data,
                  {"F77"}});

  for (int f = 0; f < 6; ++f) {
    m->begin(fmt::format("filters.number.{}", f), "Each filter of a tile filters.",
             one_tile({"filters"}), {"F12"});
    load_tasks(m, 1);
    m->ask(write_line(0, 0, isa::reg::FilterLimits::address(f), {2u | 4u << 16}));
    m->ask(write_line(0, 0, RegFilter::address(f),
                      {RegFilter::Colour::put(1) | RegFilter::Enable::put(1) |
                       RegFilter::Kind::put(isa::FilterKind::Range)}));
    m->ask(write_line(0, 0, Route::address(1), {to_ramp()}));
    std::vector<Word> indices;
    for (uint32_t k = 0; k < 8; ++k) indices.push_back({false, k << 16 | k});
    m->ask(send_line('w', 0, 1, indices));
    finish(m, {"F12"});
  }
}

void make_ramp(Maker* m) {
  m->begin("switches.teardown_task", "A teardown activates its task; a write of SWITCH does not.",
           one_tile({"switches"}), {"F72"});
  load_tasks(m, 0);
  Program torn;
  torn.load_immediate(7, 0xDEAD0000);
  torn.store(7, 8, 0);
  torn.add_immediate(8, 8, 4);
  torn.word(0x00008067);
  m->ask(write_line(0, 0, kTask + 0x80, torn.words()));
  m->ask(fmt::format("run {}", kCycles));
  m->ask(write_line(0, 0, isa::reg::TaskEntry::address(isa::kTaskTeardown), {kTask + 0x80}));
  m->ask(write_line(0, 0, isa::reg::Switch::address(1), {isa::reg::Switch::Torn::put(1)}));
  m->ask(fmt::format("run {}", kCycles));
  m->ask(read_line(0, 0, kLog, 4), {"F72"});
  m->ask(write_line(0, 0, Route::address(0), {to_ramp() | Route::Obey::put(1)}));
  m->ask(send_line('w', 0, 0, {{false, 5}, {true, Control::Commands::put(0, 3 | 4)}}));
  finish(m, {"F72"});

  m->begin("ramp.queues",
           "A queue takes what its colour's route sends to the ramp; data and control wavelets "
           "start their tasks.",
           one_tile(), {"F82", "F58"});
  load_tasks(m, 0);
  m->ask(write_line(0, 0, Route::address(0), {to_ramp()}));
  std::vector<Word> words;
  for (uint32_t k = 0; k < 20; ++k)
    words.push_back({k % 6 == 4, k % 6 == 4 ? Control::Identity::put(k) | 3 : m->word()});
  m->ask(send_line('w', 0, 0, words));
  finish(m, {"F82", "F58", "I3"});

  Needs two = one_tile();
  two.queues = 2;
  m->begin("ramp.rebound", "A second binding takes a colour from the first queue.", two, {"F83"});
  load_tasks(m, 0);
  m->ask(write_line(0, 0, Inq::address(1), {Inq::Enable::put(1) | Inq::Colour::put(1)}));
  m->ask(write_line(0, 0, Inq::address(0), {Inq::Enable::put(1) | Inq::Colour::put(1)}), {"F83"});
  m->ask(write_line(0, 0, Route::address(1), {to_ramp()}));
  m->ask(send_line('w', 0, 1, {{false, 1}, {false, 2}, {false, 3}}));
  finish(m, {"F83"});

  m->begin("switches.noce",
           "NOCE keeps a control wavelet from the ramp of the router that carries it out.",
           one_tile({"switches"}), {"F63"});
  load_tasks(m, 0);
  m->ask(write_line(0, 0, Route::address(0), {to_ramp(1u << kEast) | Route::Obey::put(1)}));
  const auto slot = [](uint32_t bits) { return Control::Commands::put(0, bits); };
  m->ask(send_line(
      'w', 0, 0, {{true, slot(2)}, {true, slot(6)}, {false, 5}, {true, slot(6)}, {true, slot(2)}}));
  finish(m, {"F63"});
  m->ask(take_line('e', 0, 0), {"F63"});
}

}  // namespace ow::conform
