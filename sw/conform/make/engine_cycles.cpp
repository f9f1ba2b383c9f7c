// SPDX-License-Identifier: Apache-2.0
// Cycles of the engine: what a launch, a beat and a result cost, how threads take turns. These
// tests report and never fail.
#include "tile_test.h"

namespace ow::conform {
namespace {

using Op = isa::TensorOp;
using Type = isa::TensorType;
namespace reg = isa::reg;
constexpr uint32_t kData = TileTest::kData, kCache = TileTest::kCache, kResult = TileTest::kResult;
constexpr int kBefore = 20, kAfter = 21;
// Cycles to fill and drain (I47), and the two reads of the count.
constexpr uint32_t kFill = 16 + 4;

std::string range(uint32_t low, uint32_t high) { return fmt::format("{:x}..{:x}", low, high); }
// `cycles` of work, a little more for conflicts, and what I47 allows.
std::string about(uint32_t cycles) { return range(cycles, cycles + cycles / 50 + kFill); }

// The cycles of what `emit` puts between two reads of the count.
template <typename Emit>
void timed(TileTest* t, Emit emit) {
  t->read_cycle(kBefore);
  emit();
  t->read_cycle(kAfter);
  t->store_difference(kBefore, kAfter, 0);
}

void make_launches(Maker* m) {
  struct Single {
    const char* name;
    const char* about;
    Op op;
    Type type, result;
    int length;
    uint32_t low, high;
    Rules rules;
  };
  // From the read before to the read after: a cycle for the first read, then launch to completion.
  const Single all[] = {{"one_beat",
                         "One beat: in M four cycles after the launch, complete a cycle later.",
                         Op::Add,
                         Type::F16,
                         Type::F16,
                         8,
                         6,
                         9,
                         {"I19", "I91", "I96"}},
                        {"one_function",
                         "A non-linear function: its result is there 7 cycles after M.",
                         Op::Exp,
                         Type::F16,
                         Type::F16,
                         2,
                         6,
                         8,
                         {"I94", "I96"}},
                        {"one_sum",
                         "A reduction: its result is there 14 cycles after M.",
                         Op::Sum,
                         Type::F16,
                         Type::F32,
                         8,
                         15,
                         17,
                         {"I94", "I96"}}};
  for (const Single& s : all) {
    TileTest t(m);
    t.begin_timing(std::string("timing.") + s.name, s.about,
                   {"f16", "f32", "nonlinear", "reductions", "dimensions"}, s.rules);
    const int a = t.memory(s.type, kData, s.length, 2),
              dst = t.memory(s.result, kData + 0x100, s.length, s.result == Type::F32 ? 4 : 2);
    const uint32_t word = t.prepared(s.op, s.type, dst, a, a);
    // First so that it is fetched; what it writes is in the SRAM long before the second.
    t.p.word(word);
    for (int k = 0; k < 24; ++k) t.p.add_immediate(0, 0, 0);
    timed(&t, [&] { t.p.word(word); });
    t.start();
    t.expect(kResult, 1, range(s.low, s.high), s.rules);
  }
  TileTest t(m);
  t.begin_timing("timing.microthreads",
                 "An instruction on a microthread holds the core for one cycle.",
                 {"f16", "dimensions"}, {"I91"});
  const int a = t.memory(Type::F16, kData, 8, 2), dst = t.memory(Type::F16, kData + 0x100, 8, 2);
  std::vector<uint32_t> words;
  for (int k = 1; k <= 4; ++k) {
    t.p.load_immediate(9 + k, TileTest::Ctl::Dst::put(dst) | TileTest::Ctl::A::put(a) |
                                  TileTest::Ctl::B::put(TileTest::kNone) | TileTest::thread(k));
    words.push_back(static_cast<uint32_t>(9 + k) << 15 | isa::kOpcodeTensor);
  }
  timed(&t, [&] {
    for (const uint32_t word : words) t.p.word(word);
  });
  t.start();
  t.expect(kResult, 1, range(5, 6), {"I91"});
}

// A beat that adds to what the beat before has written.
void make_sums(Maker* m) {
  constexpr int kBeats = 100;
  const auto in_cache = [](TileTest* t, Type type) {
    return t->memory(type, kCache, 8, 4, kBeats, -32);
  };
  TileTest t(m);
  t.begin_timing("timing.sums_mixed", "Mixed multiply-adds to the same sums are 2 cycles apart.",
                 {"f16", "mixed", "dimensions"}, {"I92"});
  int dst = in_cache(&t, Type::F32);
  int a = t.memory(Type::F16, kData, 8, 2, kBeats, -16);
  timed(&t, [&] {
    t.tensor(Op::Fma, Type::Mixed, dst, a, TileTest::kNone, TileTest::Ctl::Scalar::put(1), 0x3C00);
  });
  t.start();
  t.expect(kResult, 1, about(2 * kBeats), {"I92"});

  t.begin_timing("timing.sums_f32", "Other sums in the accumulator cache are 4 cycles apart.",
                 {"f32", "dimensions"}, {"I92"});
  dst = t.memory(Type::F32, kCache, 2, 4, kBeats, -8);
  a = t.memory(Type::F32, kData, 2, 4, kBeats, -8);
  timed(&t, [&] {
    t.tensor(Op::Fma, Type::F32, dst, a, TileTest::kNone, TileTest::Ctl::Scalar::put(1),
             0x3F800000);
  });
  t.start();
  t.expect(kResult, 1, about(4 * kBeats), {"I92"});

  t.begin_timing("timing.sums_apart", "fp32 sums in the cache run at the rate of their sources.",
                 {"f16", "mixed", "dimensions"}, {"I48"});
  dst = t.memory(Type::F32, kCache, 128, 4, 8, -512);
  a = t.memory(Type::F16, kData, 128, 2, 8, -256);
  timed(&t, [&] {
    t.tensor(Op::Fma, Type::Mixed, dst, a, TileTest::kNone, TileTest::Ctl::Scalar::put(1), 0x3C00);
  });
  t.start();
  t.expect(kResult, 1, about(128), {"I48"});

  // Each of the 16 moves reads what the one before has written: in the SRAM 6 cycles after M.
  t.begin_timing("timing.written", "A beat that reads what another one still writes waits for it.",
                 {"f16", "dimensions"}, {"I93", "I113"});
  const int x = t.memory(Type::F16, kData, 8, 2), y = t.memory(Type::F16, kData + 16, 8, 2);
  constexpr uint32_t kMoves = 16;
  timed(&t, [&] {
    for (uint32_t k = 0; k < kMoves; ++k)
      t.tensor(Op::Mov, Type::F16, k % 2 ? x : y, k % 2 ? y : x);
  });
  t.start();
  t.expect(kResult, 1, range(kMoves * 8, kMoves * 14), {"I93", "I113"});
}

void make_rates(Maker* m) {
  TileTest t(m);
  t.sram = 49152;
  for (const uint32_t shift : {0u, 6u}) {
    constexpr int kElements = 8192;
    t.begin_timing(fmt::format("timing.axpy_{}", shift),
                   "An axpy of 8,192 elements: 1,025 beats at most, and at most 10 cycles more.",
                   {"f16", "dimensions"}, {"I102", "I101", "I99", "I114"});
    const int a = t.memory(Type::F16, kData, kElements, 2),
              dst = t.memory(Type::F16, kData + 2 * kElements + 64 + shift, kElements, 2);
    timed(&t, [&] {
      t.tensor(Op::Fma, Type::F16, dst, a, TileTest::kNone, TileTest::Ctl::Scalar::put(1), 0x3C00);
    });
    t.start();
    t.expect(kResult, 1, range(1024, 1025 + 10 + kFill), {"I102"});
  }
  t.sram = 8192;

  t.begin_timing("timing.gather", "A gather of neighbours: a beat of 8 elements per cycle.",
                 {"f16", "i16", "gather", "dimensions"}, {"I111"});
  constexpr int kIndices = 512;
  std::vector<uint32_t> indices;
  for (uint32_t k = 0; k < kIndices; k += 2) indices.push_back((k + 1) << 16 | k);
  const int b = t.memory(Type::I16, kData, kIndices, 2),
            dst = t.memory(Type::F16, kData + 0x400, kIndices, 2);
  timed(&t, [&] { t.tensor(Op::Gather, Type::F16, dst, TileTest::kNone, b, 0, 0x1400); });
  t.fill(kData, indices);
  t.start();
  t.expect(kResult, 1, about(kIndices / 8), {"I111"});

  for (const bool zeros : {false, true}) {
    t.begin_timing(zeros ? "timing.skip" : "timing.skip_sparse",
                   "A send with skip: a vector per cycle, or a wavelet that is left.",
                   {"f16", "fabric", "dimensions"}, {"I110"});
    const int source = t.memory(Type::F16, kData, 1024, 2);
    Descriptor to = Descriptor::fabric_out(Type::F16, 0);
    to.words[0] |= isa::Dsr0::Skip::put(1) | isa::Dsr0::Tag::put(1);
    const int out = t.add(to);
    timed(&t, [&] { t.tensor(Op::Mov, Type::F16, out, source); });
    // One element of eight, or none.
    std::vector<uint32_t> words(512, 0);
    for (size_t k = 0; !zeros && k < words.size(); k += 4) words[k] = 0x3C00;
    t.fill(kData, words);
    t.bind_output(0);
    t.start();
    t.expect(kResult, 1, about(128), {"I110"});
  }
}

// Two moves of 512 beats side by side, whose ends activate tasks that store the cycle.
void make_turns(Maker* m) {
  for (const bool prior : {false, true}) {
    TileTest t(m);
    t.begin_timing(prior ? "timing.priority" : "timing.turns",
                   "Threads take turns of up to 32 beats; one of priority leaves every 16th beat.",
                   {"f16", "dimensions"},
                   prior ? Rules{"I118", "I119"} : Rules{"I21", "I117", "I119"});
    constexpr uint32_t kTask = 0x500;
    constexpr uint32_t kBeats = 512;
    for (uint32_t k = 0; k < 2; ++k) {
      const uint32_t at = kData + 0x400 * k;
      const int a = t.memory(Type::F16, at, 64, 2, 64, -128),
                dst = t.memory(Type::F16, at + 0x200, 64, 2, 64, -128);
      t.p.store_word(reg::TaskEntry::address(isa::kFirstLocalTask + k), kTask + 0x40 * k);
      t.p.load_immediate(static_cast<int>(10 + k),
                         TileTest::Ctl::Dst::put(dst) | TileTest::Ctl::A::put(a) |
                             TileTest::Ctl::B::put(TileTest::kNone) |
                             TileTest::thread(static_cast<int>(k) + 1) |
                             TileTest::Ctl::Priority::put(prior && k == 1) |
                             TileTest::Ctl::Done::put(isa::Done::Activate) |
                             TileTest::Ctl::Task::put(isa::kFirstLocalTask + k));
    }
    t.read_cycle(kBefore);
    for (uint32_t k = 0; k < 2; ++k) t.p.word((10 + k) << 15 | isa::kOpcodeTensor);
    t.p.word(static_cast<uint32_t>(isa::SysOp::Next) << 12 | isa::kOpcodeSystem);
    for (uint32_t k = 0; k < 2; ++k) {
      TileTest task(m);
      task.read_cycle(kAfter);
      task.store_difference(kBefore, kAfter, static_cast<int>(k));
      task.p.word(0x00008067);  // ret
      t.fill(kTask + 0x40 * k, task.p.words());
    }
    t.start();
    const Rules rules = {prior ? "I118" : "I21"};
    if (prior) {
      t.expect(kResult, 2,
               range(2 * kBeats, 2 * kBeats + 60) + " " +
                   range(kBeats * 16 / 15 - 4, kBeats * 16 / 15 + 60),
               rules);
    } else {
      const std::string both = range(2 * kBeats - 40, 2 * kBeats + 60);
      t.expect(kResult, 2, both + " " + both, rules);
    }
  }
}

// What a task costs: one that is ready when the core asks, and one that a wavelet makes ready.
void make_tasks(Maker* m) {
  TileTest t(m);
  t.begin_timing("timing.next", "ow.next takes 3 cycles once a task is ready.", {"switches"},
                 {"I30"});
  constexpr uint32_t kTask = 0x500;
  TileTest task(m);
  task.read_cycle(kAfter);
  task.store_difference(kBefore, kAfter, 0);
  task.p.stop();
  t.p.store_word(reg::TaskEntry::address(isa::kFirstLocalTask), kTask);
  t.p.store_word(reg::TaskActivate::kAddress, 1u << isa::kFirstLocalTask);
  for (int k = 0; k < 8; ++k) t.p.add_immediate(0, 0, 0);
  t.read_cycle(kBefore);
  t.p.word(static_cast<uint32_t>(isa::SysOp::Next) << 12 | isa::kOpcodeSystem);
  t.fill(kTask, task.p.words());
  t.start();
  t.expect(kResult, 1, range(4, 5), {"I30"});

  // West edge, router, ramp: 3 cycles. The task after 4; its move's first wavelet after 4; the way
  // out 2.
  t.begin_timing(
      "timing.answer",
      "A task's first instruction runs 4 cycles after its wavelet is in the queue; a move to "
      "the fabric leaves 4 cycles after its launch.",
      {"f16", "fabric", "switches"}, {"I31", "I95"});
  const int a = t.memory(Type::F16, kData, 2, 2), out = t.add(Descriptor::fabric_out(Type::F16, 0));
  t.p.store_word(reg::TaskEntry::address(0), kTask);
  const uint32_t word = t.prepared(Op::Mov, Type::F16, out, a);
  t.p.word(static_cast<uint32_t>(isa::SysOp::Next) << 12 | isa::kOpcodeSystem);
  t.fill(kTask, {word, 0x00008067});
  t.fill(kData, {0x40003C00});
  t.bind_input(0);
  t.bind_output(0);
  t.start(1000);
  // The first wavelet brings the code of the task.
  for (const int cycles : {1000, 11}) {
    t.send(0, std::vector<uint32_t>{1});
    t.run(cycles);
    m->expect(take_line('e', 0, TileTest::kOut), cycles == 11 ? "" : "d40003c00", {"I31"});
  }
  t.run(4);
  m->expect(take_line('e', 0, TileTest::kOut), "d40003c00", {"I31", "I95"});
}

}  // namespace

void make_engine_cycles(Maker* m) {
  make_launches(m);
  make_sums(m);
  make_rates(m);
  make_turns(m);
  make_tasks(m);
}

}  // namespace ow::conform
