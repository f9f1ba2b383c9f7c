// SPDX-License-Identifier: Apache-2.0
// Counters of a tile. A program looks at a counter and at the cycle count, waits in a loop, and
// looks again: what a cycle counts as stays the same in between. The documents are right here, not
// the model, which has no cycles.
#include "tile_test.h"

namespace ow::conform {
namespace {

using isa::Counter;
using Op = isa::TensorOp;
using Type = isa::TensorType;
namespace reg = isa::reg;
constexpr uint32_t kData = TileTest::kData, kResult = TileTest::kResult, kCache = TileTest::kCache;
constexpr uint32_t kRowEnd = isa::Control::RowEnd::kMask, kEnd = isa::Control::StreamEnd::kMask;
constexpr uint32_t kNop = 0x00000013, kWfi = 0x10500073;
// Cycles of the loop at least, and how far a counter may lie beside the cycle count, which is read
// an instruction later.
constexpr int kTurns = 600, kBeside = 48, kTask = 17;

uint32_t address_of(Counter counter) { return reg::Counter::address(static_cast<int>(counter)); }

struct Reading {
  int counter, cycle;
};

void look(TileTest* t, Counter counter, Reading into) {
  t->p.load_immediate(9, address_of(counter));
  t->p.load(into.counter, 9, 0);
  t->read_cycle(into.cycle);
}

constexpr Reading kBefore = {18, 19}, kAfter = {20, 21};

// Word 0 of the results: how much the counter grew; word 1: the cycle count less that.
void store(TileTest* t) {
  t->store_difference(kBefore.counter, kAfter.counter, 0);
  const auto subtract = [&](int rd, int a, int b) {
    t->p.word(0x40000033u | static_cast<uint32_t>(b) << 20 | static_cast<uint32_t>(a) << 15 |
              static_cast<uint32_t>(rd) << 7);
  };
  subtract(23, kAfter.cycle, kBefore.cycle);
  t->store_difference(22, 23, 1);
}

void wait(TileTest* t) {
  t->p.load_immediate(7, kTurns);
  t->p.add_immediate(7, 7, -1);
  t->p.word(0xFE039EE3);  // bne x7, x0, -4
}

// `counter` grows with the cycles while what the program has begun waits.
void grows(TileTest* t, Counter counter, const Rules& rules) {
  wait(t);  // until it waits for good
  look(t, counter, kBefore);
  wait(t);
  look(t, counter, kAfter);
  store(t);
  t->start();
  t->expect(kResult, 2, fmt::format("{:x}..{:x} 0..{:x}", kTurns, 100 * kTurns, kBeside), rules);
}

void make_stalls(Maker* m) {
  TileTest t(m);
  t.begin("counters.no_work", "A cycle without an instruction counts as without work.",
          {"counters"}, {"I141", "I142"});
  grows(&t, Counter::NoWork, {"I142"});

  t.begin("counters.stall_input", "A thread that waits for its input stalls on it.",
          {"counters", "f16", "fabric"}, {"I141", "I145"});
  int in = t.add(Descriptor::fabric_in(Type::F16, 0, 8));
  t.tensor(Op::Mov, Type::F16, t.memory(Type::F16, kData, 8, 2), in, TileTest::kNone,
           TileTest::thread(1));
  t.bind_input(0);
  grows(&t, Counter::StallInput, {"I145"});
  // Nothing else has counted meanwhile.
  t.send(0, t.halves(4));
  t.run();
  t.expect(address_of(Counter::StallOutput), 1, "0", {"I141"});
  t.expect(address_of(Counter::StallRow), 1, "0", {"I141"});

  t.begin("counters.stall_output", "A thread that waits for its output stalls on it.",
          {"counters", "f16", "fabric", "credits"}, {"I141", "I144"});
  const int out = t.add(Descriptor::fabric_out(Type::F16, 0));
  t.tensor(Op::Mov, Type::F16, out, t.memory(Type::F16, kData, 400, 2), TileTest::kNone,
           TileTest::thread(1));
  t.bind_output(0);
  m->ask(fmt::format("hold e 0 {} 1", TileTest::kOut));
  grows(&t, Counter::StallOutput, {"I144"});
  t.expect(address_of(Counter::StallInput), 1, "0", {"I141"});

  for (const Counter counter : {Counter::StallRow, Counter::ReducerWait}) {
    const bool row = counter == Counter::StallRow;
    t.begin(row ? "counters.stall_row" : "counters.reducer_wait",
            "A row that a drain holds stalls the weights; the drain waits for its neighbour.",
            {"counters", "fabric", "f16", "mixed", "rows"},
            row ? Rules{"I141", "I143"} : Rules{"I146"});
    using A = isa::RedAction;
    t.p.store_word(reg::RedAcc::kAddress, reg::RedAcc::Samples::put(8) | reg::RedAcc::Ring::put(1));
    t.p.store_word(reg::RedCount::kAddress, 2);
    t.p.store_word(reg::RedPhase::kAddress, reg::RedPhase::Period::put(1));
    t.p.store_word(reg::RedActEq::kAddress,
                   A::Enable::put(1) | A::Memory::put(1) | A::In0::put(1) | A::In0Q::put(1));
    t.p.store_word(reg::RedDst::kAddress, 0x1800);
    t.p.store_word(reg::RedPitch::kAddress, 32);
    t.p.tensor(Op::Drain, Type::F32, TileTest::thread(2));
    const int x = t.memory(Type::F16, kData, 8, 2, 0, 16);
    const int sums = t.memory(Type::F32, kCache, 8, 4, 1, 0);
    in = t.add(Descriptor::fabric_in(Type::F16, 0, 0));
    t.tensor(Op::Axpyw, Type::Mixed, sums, x, in, TileTest::thread(1));
    t.bind_input(0);
    t.bind_input(1);
    t.fill(kData, t.halves(16));
    t.send(0, {{false, 0x3C00},
               {false, 0x13C00},
               {true, kRowEnd},
               {false, 0x3C00},
               {true, kRowEnd | kEnd}});
    grows(&t, counter, row ? Rules{"I143"} : Rules{"I146"});
    t.send(1, std::vector<uint32_t>(16, 0x3F800000));
    t.run();
    t.expect(address_of(Counter::Weights), 1, "3", {"I148"});
    t.expect(address_of(Counter::ReducerElements), 1, "10", {"I148"});
    t.expect(address_of(Counter::StallOutput), 1, "0", {"I141"});
  }
}

// A core that sleeps until it is told, on a tile where nothing moves.
void make_sleep(Maker* m) {
  TileTest t(m);
  t.begin("counters.asleep", "A core that sleeps counts it, clocked or not.", {"counters"},
          {"I146", "I147"});
  t.p.store_word(reg::TaskEntry::address(kTask), TileTest::kCode);
  look(&t, Counter::Asleep, kBefore);
  t.p.word(kWfi);
  look(&t, Counter::Asleep, kAfter);
  store(&t);
  t.start(2000);
  t.fill(reg::TaskActivate::kAddress, {1u << kTask});
  t.run();
  t.expect(kResult, 2, fmt::format("1..{:x} 0..{:x}", 1000000, kBeside), {"I146", "I147"});
  t.expect(address_of(Counter::StallInput), 1, "0", {"I141"});
}

void make_events(Maker* m) {
  TileTest t(m);
  t.begin("counters.events", "Instructions and wavelets are counted one by one.",
          {"counters", "f16", "fabric"}, {"I148"});
  // Wavelets of two elements each.
  constexpr int kFirst = 20, kSecond = 15, kOut = 21, kNops = 150;
  const int in = t.add(Descriptor::fabric_in(Type::F16, 0, 2 * (kFirst + kSecond)));
  const int out = t.add(Descriptor::fabric_out(Type::F16, 0));
  const int x = t.memory(Type::F16, kData, 2 * (kFirst + kSecond), 2);
  t.tensor(Op::Mov, Type::F16, x, in, TileTest::kNone, TileTest::thread(1));
  t.tensor(Op::Mov, Type::F16, out, t.memory(Type::F16, kData + 0x100, 2 * kOut, 2));
  look(&t, Counter::Instructions, kBefore);
  for (int k = 0; k < kNops; ++k) t.p.word(kNop);
  look(&t, Counter::Instructions, kAfter);
  store(&t);
  t.fill(kData, t.halves(200));
  t.bind_input(0);
  t.bind_output(0);
  t.start();
  t.send(0, t.halves(kFirst));
  t.run();
  // A look is four instructions: two for the address, the loads of both counts.
  t.expect(kResult, 1, fmt::format("{:x}", kNops + 4), {"I148"});
  t.expect(address_of(Counter::WaveletsIn), 1, fmt::format("{:x}", kFirst), {"I148"});
  t.send(0, t.halves(kSecond));
  t.run();
  t.expect(address_of(Counter::WaveletsIn), 1, fmt::format("{:x}", kFirst + kSecond), {"I148"});
  t.expect(address_of(Counter::WaveletsOut), 1, fmt::format("{:x}", kOut), {"I148"});
  t.take(0);
}

}  // namespace

void make_counters(Maker* m) {
  make_stalls(m);
  make_sleep(m);
  make_events(m);
}

}  // namespace ow::conform
