// SPDX-License-Identifier: Apache-2.0
// Several instructions at a time: what waits for what, and that nothing waits for ever. What the
// core and the engine see of each other's memory. Circular buffers and tagged operands.
#include "tile_test.h"

namespace ow::conform {
namespace {

using Op = isa::TensorOp;
using Type = isa::TensorType;
namespace reg = isa::reg;
constexpr uint32_t kData = TileTest::kData, kResult = TileTest::kResult, kCache = TileTest::kCache;

std::string error(isa::ErrorSource source, uint32_t cause, uint32_t unit) {
  using E = reg::Error;
  return fmt::format("{:x}", E::Stopped::put(1) | E::Source::put(source) | E::Cause::put(cause) |
                                 E::Unit::put(unit));
}

std::string engine_fault(isa::EngineCause cause, int thread) {
  using F = reg::EngineFault;
  return fmt::format("{:x}", F::Fault::put(1) | F::Cause::put(cause) | F::Thread::put(thread));
}

void make_launches(Maker* m) {
  TileTest t(m);
  t.begin("threads.busy", "An instruction waits at its launch while its thread is busy.",
          {"f16", "fabric"}, {"I22"});
  int in = t.add(Descriptor::fabric_in(Type::F16, 0, 8));
  int x = t.memory(Type::F16, kData, 8, 2), y = t.memory(Type::F16, kData + 64, 8, 2);
  t.tensor(Op::Mov, Type::F16, x, in, TileTest::kNone, TileTest::thread(1));
  t.p.store_word(kResult, 1);
  t.tensor(Op::Add, Type::F16, y, x, x, TileTest::thread(1));
  t.p.store_word(kResult, 2);
  t.p.fence_i();
  t.fill(kData, t.halves(32));
  t.fill(kResult, {0});
  t.bind_input(0);
  t.start();
  t.expect(kResult, 1, "1", {"I22"});
  t.send(0, t.halves(4));
  t.run();
  t.expect(kResult, 1, "2", {"I22"});
  t.read(kData, 32, {"I22", "I9"});

  t.begin("threads.malformed_waits",
          "A malformed instruction waits like others, and is a fault when it is launched.",
          {"f16", "fabric"}, {"I129"});
  in = t.add(Descriptor::fabric_in(Type::F16, 0, 8));
  x = t.memory(Type::F16, kData, 8, 2);
  y = t.memory(Type::F16, kData + 64, 0, 2);
  t.tensor(Op::Mov, Type::F16, x, in, TileTest::kNone, TileTest::thread(1));
  t.tensor(Op::Mov, Type::F16, y, x, TileTest::kNone, TileTest::thread(1));
  t.bind_input(0);
  t.start();
  t.expect(reg::EngineFault::kAddress, 1, "0", {"I129"});
  t.send(0, t.halves(4));
  t.run();
  t.expect(reg::EngineFault::kAddress, 1, engine_fault(isa::EngineCause::Descriptor, 1), {"I129"});

  t.begin("threads.one_queue", "Two instructions take from one queue one after the other.",
          {"f16", "fabric"}, {"I22"});
  in = t.add(Descriptor::fabric_in(Type::F16, 0, 10));
  x = t.memory(Type::F16, kData, 10, 2);
  y = t.memory(Type::F16, kData + 64, 10, 2);
  t.tensor(Op::Mov, Type::F16, x, in, TileTest::kNone, TileTest::thread(1));
  t.tensor(Op::Mov, Type::F16, y, in, TileTest::kNone, TileTest::thread(2));
  t.p.store_word(kResult, 1);
  t.bind_input(0);
  t.fill(kData, t.halves(32));
  t.fill(kResult, {0});
  t.start();
  t.send(0, t.halves(3));
  t.run();
  t.expect(kResult, 1, "0", {"I22"});
  t.send(0, t.halves(7));
  t.run();
  t.expect(kResult, 1, "1", {"I22"});
  t.read(kData, 32, {"I22"});
}

// The random numbers of a stochastic cast belong to one instruction at a time.
void make_stochastic(Maker* m) {
  TileTest t(m);
  const auto begin = [&](const char* name, const char* about, const Rules& rules) {
    t.begin(name, about, {"f16", "f32", "stochastic", "fabric"}, rules);
    t.bind_input(0);
    t.bind_input(1);
  };
  const auto cast = [&](int q, uint32_t at) {
    const int in = t.add(Descriptor::fabric_in(Type::F32, q, 12));
    const int out = t.memory(Type::F16, at, 12, 2);
    t.tensor(Op::Cvt, Type::F32, out, in, TileTest::kNone,
             TileTest::thread(q + 1) | TileTest::Ctl::Stochastic::put(1));
  };
  const auto floats = [&] {
    std::vector<uint32_t> words = t.random(12);
    for (uint32_t& w : words) w = (w & 0x80FFFFFF) | 0x3C000000;
    return words;
  };
  begin("threads.stochastic", "A second stochastic cast waits for the first.", {"I122", "N44"});
  cast(0, kData);
  cast(1, kData + 64);
  t.p.store_word(kResult, 1);
  t.fill(kResult, {0});
  t.start();
  t.send(1, floats());
  t.run();
  t.expect(kResult, 1, "0", {"I122"});
  t.send(0, floats());
  t.run();
  t.expect(kResult, 1, "1", {"I122"});
  t.read(kData, 6, {"I122"});
  t.read(kData + 64, 6, {"I122"});
  t.read(reg::Prng::address(0), 4, {"I122"});

  begin("threads.random_numbers_in_use",
        "A write of the random numbers while a cast uses them has no effect and stops the tile.",
        {"N41"});
  cast(0, kData);
  t.start();
  t.fill(reg::Prng::address(1), {77});
  t.run();
  t.expect(reg::Error::kAddress, 1, error(isa::ErrorSource::Regs, 2, 0), {"N41"});
  t.expect(reg::ErrorAddr::kAddress, 1, fmt::format("{:x}", reg::Prng::address(1)), {"N41"});
  t.read(reg::Prng::address(0), 4, {"N41"});
}

void make_reductions_beside(Maker* m) {
  TileTest t(m);
  t.begin("threads.reductions",
          "A reduction that waits in the middle of a vector, and others beside it, end when its "
          "elements come.",
          {"f16", "f32", "reductions", "fabric", "dimensions"}, {"I121", "I134", "I135"});
  const int in = t.add(Descriptor::fabric_in(Type::F16, 0, 40));
  const int sum = t.memory(Type::F32, kData, 1, 4);
  const int a = t.memory(Type::F16, kData + 0x100, 24, 2, 6, 2);
  const int sums = t.memory(Type::F32, kData + 0x40, 6, 4);
  const int b = t.memory(Type::F16, kData + 0x100, 10, 2, 8, 2);
  const int out = t.add(Descriptor::fabric_out(Type::F32, 0));
  t.tensor(Op::Sum, Type::F16, sum, in, TileTest::kNone, TileTest::thread(1));
  t.tensor(Op::RMax, Type::F16, sums, a, TileTest::kNone, TileTest::thread(2));
  t.tensor(Op::Sum, Type::F16, out, b, TileTest::kNone,
           TileTest::thread(3) | TileTest::Ctl::Priority::put(1));
  t.fill(kData, std::vector<uint32_t>(32, 0));
  t.fill(kData + 0x100, t.halves(200));
  t.bind_input(0);
  t.bind_output(0);
  t.start();
  t.send(0, t.halves(7));
  t.run();
  t.send(0, t.halves(13));
  t.run();
  t.read(kData, 1, {"I121"});
  t.read(kData + 0x40, 6, {"I121", "I134"});
  t.take(0, {"I135"});
}

// A long move to one queue beside a short one to another.
void make_turns(Maker* m) {
  constexpr int kLong = 200, kOuter = 200;  // 20,000 wavelets
  for (const int q : {0, 1}) {
    TileTest t(m);
    t.begin(fmt::format("threads.turns.{}", q),
            "A short instruction ends beside a long one, whichever sends to which queue.",
            {"f16", "fabric", "dimensions"}, {"I133", "I120", "I80", "F85"});
    const int source = t.memory(Type::F16, kData, kLong, 2, kOuter, -2 * kLong);
    const int some = t.memory(Type::F16, kData, 64, 2);
    const int first = t.add(Descriptor::fabric_out(Type::F16, q));
    const int second = t.add(Descriptor::fabric_out(Type::F16, 1 - q));
    t.tensor(Op::Mov, Type::F16, first, source, TileTest::kNone, TileTest::thread(1));
    t.tensor(Op::Mov, Type::F16, second, some, TileTest::kNone, TileTest::thread(2));
    t.fill(kData, t.halves(100));
    t.bind_output(0);
    t.bind_output(1);
    t.start(3000);
    t.take(1 - q, {"I133", "I120", "F85"});
    t.run();
    m->expect(take_line('e', 0, q + TileTest::kOut), "* * * * ...", {"I80"});
  }
}

// Outputs that the neighbour holds, each with more than the engine and its queue keep, beside one
// that it takes: each queue has a place of its own, from the reset on.
void make_held(Maker* m) {
  for (const int held : {1, 3}) {
    TileTest t(m);
    t.queues = held + 1;
    t.colours = TileTest::kOut + t.queues;
    t.begin(fmt::format("threads.held.{}", held),
            "Threads that wait for output queues leave the next queue to another thread.",
            {"f16", "fabric", "credits"}, {"I117", "I133"});
    const int all = t.memory(Type::F16, kData, 400, 2), some = t.memory(Type::F16, kData, 24, 2);
    const auto sends = [&](int q, int source) {
      t.tensor(Op::Mov, Type::F16, t.add(Descriptor::fabric_out(Type::F16, q)), source,
               TileTest::kNone, TileTest::thread(q + 1));
    };
    for (int q = 0; q < held; ++q) sends(q, all);
    sends(held, some);
    t.fill(kData, t.halves(200));
    for (int q = 0; q <= held; ++q) t.bind_output(q);
    for (int q = 0; q < held; ++q) m->ask(fmt::format("hold e 0 {} 1", q + TileTest::kOut));
    t.start();
    t.take(held, {"I117", "I133"});
    for (int q = 0; q < held; ++q) m->ask(fmt::format("hold e 0 {} 0", q + TileTest::kOut));
    t.run();
    for (int q = 0; q < held; ++q) t.take(q, {"I117"});
  }
}

// The core and the engine on the same memory.
void make_memory(Maker* m) {
  TileTest t(m);
  t.begin("threads.loads_wait",
          "A load, a store and fence.i wait for lines of a complete instruction; the next "
          "instruction reads what the core has stored.",
          {"f16"}, {"I97", "I125"});
  const int x = t.memory(Type::F16, kData, 64, 2), y = t.memory(Type::F16, kData + 0x100, 64, 2);
  t.p.load_immediate(8, kData + 0x100);
  t.p.load_immediate(9, kResult);
  t.p.load_immediate(11, kData);
  t.p.load_immediate(12, 0x4321);
  for (int k = 0; k < 8; ++k) {
    t.tensor(Op::Add, Type::F16, y, x, x);
    // The last words first, then one that the instruction has just written is overwritten.
    t.p.load(10, 8, 4 * (31 - k));
    t.p.store(10, 9, 8 * k);
    t.p.store(12, 8, 4 * (k + 20));
    t.p.load(10, 8, 4 * (k + 20));
    t.p.store(10, 9, 8 * k + 4);
    t.p.store(10, 11, 4 * k);
  }
  t.fill(kData, t.halves(32));
  t.start();
  t.read(kResult, 16, {"I97"});
  t.read(kData, 8, {"I97"});
  t.read(kData + 0x100, 32, {"I97", "I125"});

  t.begin("threads.read_ahead",
          "What the core writes to an operand of a running instruction may be seen or not.",
          {"i16", "fabric"}, {"I124"});
  const int some = t.add(Descriptor::fabric_in(Type::I16, 0, 8));
  const int b = t.memory(Type::I16, kData, 8, 2), sums = t.memory(Type::I16, kData + 0x100, 8, 2);
  t.tensor(Op::Add, Type::I16, sums, some, b, TileTest::thread(1));
  for (int k = 0; k < 20; ++k) t.p.add_immediate(0, 0, 0);
  t.p.store_word(kData, 0x00500065);
  t.bind_input(0);
  t.fill(kData, {0x00500064, 0x00500040, 0x00500040, 0x00500040});
  t.start();
  t.send(0, std::vector<uint32_t>(4, 0x00010001));
  t.run();
  t.expect(kData + 0x100, 4, "510065..510066 510041 510041 510041", {"I124"});

  t.begin("threads.descriptor_in_use",
          "ow.dsrw and ow.dsrl wait while a running instruction uses the descriptor.",
          {"f16", "fabric"}, {"I4", "I136", "I139"});
  const int in = t.add(Descriptor::fabric_in(Type::F16, 0, 8));
  const int dst = t.memory(Type::F16, kData, 8, 2);
  const uint32_t other = kData + 0x80;
  t.tensor(Op::Mov, Type::F16, dst, in, TileTest::kNone, TileTest::thread(1));
  t.p.descriptor(dst, other);
  t.p.store_word(kResult, 1);
  t.p.load_immediate(5, static_cast<uint32_t>(dst));
  t.p.load_immediate(9, kResult);
  for (uint32_t w = 0; w < isa::kNumDsrWords; ++w) {
    t.p.word(w << 25 | 5u << 15 | static_cast<uint32_t>(isa::SysOp::Dsrr) << 12 | 10u << 7 |
             isa::kOpcodeSystem);
    t.p.store(10, 9, static_cast<int>(8 + 4 * w));
  }
  t.bind_input(0);
  t.fill(kResult, {0});
  t.fill(other, {1, 0x1234, 0x20005, 7, 0, 0});
  t.start();
  t.expect(kResult, 1, "0", {"I136"});
  // Stopped and started while it waits.
  t.fill(reg::CoreCtrl::kAddress, {0});
  t.run(100);
  t.fill(reg::CoreCtrl::kAddress, {reg::CoreCtrl::Run::put(1)});
  t.send(0, t.halves(4));
  t.run();
  t.expect(kResult, 1, "1", {"I136", "I139"});
  t.expect(kResult + 8, 4, "1 1234 20005 7", {"I139"});
  t.read(kData, 4, {"I4", "I136"});
}

void make_indices_outside(Maker* m) {
  TileTest t(m);
  t.begin("faults.gather_outside",
          "An element outside memory is fault 3 with its address; the beats before have effect.",
          {"f16", "i16", "gather", "dimensions"}, {"I75"});
  const int index = t.memory(Type::I16, kData, 24, 2),
            dst = t.memory(Type::F16, kData + 0x100, 24, 2);
  // Beyond the largest SRAM from this address on: the 21st index.
  constexpr uint32_t kFrom = 0xBF00, kEnd = isa::kFull.sram_bytes;
  std::vector<uint32_t> indices(12, 0x00010000);
  indices[10] = 0x00030000 | (kEnd - kFrom) / 2;
  t.tensor(Op::Gather, Type::F16, dst, TileTest::kNone, index, 0, kFrom);
  t.fill(kData, indices);
  t.fill(kData + 0x100, std::vector<uint32_t>(12, 0x55555555));
  t.start();
  t.expect(reg::EngineFault::kAddress, 1, engine_fault(isa::EngineCause::Address, 0), {"I75"});
  t.expect(reg::ErrorAddr::kAddress, 1, fmt::format("{:x}", kEnd), {"I75"});
  t.read(kData + 0x100, 8, {"I75"});
}

// Tagged wavelets as operands.
void make_tags(Maker* m) {
  TileTest t(m);
  const auto tagged = [](Type type) {
    Descriptor d = Descriptor::fabric_in(type, 0, 0);
    d.words[0] |= isa::Dsr0::Tag::put(1);
    return d;
  };
  constexpr uint32_t kEnd = isa::Control::StreamEnd::kMask;
  for (const bool apart : {false, true}) {
    t.begin(apart ? "tags.apart" : "tags.near",
            "A tagged wavelet goes to the element that its index names, with that of b.",
            {"i16", "fabric", "tags", "dimensions"}, {"I38"});
    const int step = apart ? 6 : 2;
    const int in = t.add(tagged(Type::I16)), dst = t.memory(Type::I16, kData, 40, step),
              b = t.memory(Type::I16, kData + 0x200, 40, 2);
    t.tensor(Op::Add, Type::I16, dst, in, b);
    t.fill(kData, t.random(120));
    t.fill(kData + 0x200, t.random(20));
    t.bind_input(0);
    std::vector<Word> words;
    for (int k = 0; k < 60; ++k) words.push_back({false, m->pick(40) << 16 | (m->word() & 0xFFFF)});
    words.push_back({true, kEnd});
    t.send(0, words);
    t.start();
    t.read(kData, 120, {"I38"});
  }
  t.begin("tags.two_threads",
          "Two threads take tagged wavelets side by side, one of them with priority.",
          {"i16", "fabric", "tags", "dimensions"}, {"I117", "I38"});
  for (int k = 0; k < 2; ++k) {
    Descriptor d = tagged(Type::I16);
    d.words[0] = isa::Dsr0::Queue::set(d.words[0], static_cast<uint32_t>(k));
    const uint32_t at = kData + 0x200 * static_cast<uint32_t>(k);
    const int from = t.add(d), to = t.memory(Type::I16, at, 60, 2),
              more = t.memory(Type::I16, at + 0x100, 60, 2);
    t.tensor(Op::Add, Type::I16, to, from, more,
             TileTest::thread(k + 1) | TileTest::Ctl::Priority::put(k));
    t.bind_input(k);
  }
  t.fill(kData, t.random(256));
  t.start();
  for (int n = 0; n < 4; ++n) {
    for (int k = 0; k < 2; ++k) {
      std::vector<Word> words;
      for (int i = 0; i < 40; ++i)
        words.push_back({false, m->pick(60) << 16 | (m->word() & 0xFFFF)});
      if (n == 3) words.push_back({true, kEnd});
      t.send(k, words);
    }
    t.run(60);
  }
  t.run();
  t.read(kData, 256, {"I117", "I38"});

  t.begin("tags.beyond", "An index beyond the length of the destination is fault 3.",
          {"i16", "fabric", "tags", "dimensions"}, {"I39", "I90"});
  const int in = t.add(tagged(Type::I16)), dst = t.memory(Type::I16, kData, 40, 2);
  t.tensor(Op::Mov, Type::I16, dst, in);
  t.fill(kData, std::vector<uint32_t>(24, 0x11111111));
  t.bind_input(0);
  t.send(0,
         std::vector<Word>{
             {false, 39u << 16 | 7}, {false, 0x8}, {false, 40u << 16 | 9}, {false, 1u << 16 | 5}});
  t.start();
  t.expect(reg::EngineFault::kAddress, 1, engine_fault(isa::EngineCause::Address, 0), {"I39"});
  // What came after the wavelet at fault has no effect, whether it has left its queue or not.
  t.expect(kData, 1, "11110008", {"I39", "I90"});
  t.expect(kData + 76, 2, "71111 11111111", {"I39"});
}

}  // namespace

void make_threads(Maker* m) {
  make_launches(m);
  make_stochastic(m);
  make_reductions_beside(m);
  make_turns(m);
  make_held(m);
  make_memory(m);
  make_indices_outside(m);
  make_tags(m);
}

void make_fifos(Maker* m) {
  TileTest t(m);
  for (const auto& [name, element] :
       {std::pair{"i8", Type::I8}, {"i16", Type::I16}, {"f32", Type::F32}}) {
    const Type type = element;  // what a lambda may take along
    const int bytes = type == Type::I8 ? 1 : type == Type::I16 ? 2 : 4;
    t.begin(std::string("fifos.") + name,
            "A FIFO gives out what was put in, in order, and knows how much it holds.",
            {name, "fifos", "dimensions"}, {"I7", "I41"});
    const int ring = t.fifo(type, 2, kData + 0x400, 16);
    const auto piece = [&](int from, int count, uint32_t base) {
      return t.memory(type, base + static_cast<uint32_t>(from * bytes), count, bytes);
    };
    const auto held = [&](int at) {
      t.p.load_immediate(5, static_cast<uint32_t>(ring));
      t.p.load_immediate(9, kResult);
      t.p.word(static_cast<uint32_t>(isa::DsrWord::Dim1) << 25 | 5u << 15 |
               static_cast<uint32_t>(isa::SysOp::Dsrr) << 12 | 10u << 7 | isa::kOpcodeSystem);
      t.p.store(10, 9, 4 * at);
    };
    // Puts and takes whose sum goes round the ring twice.
    int put = 0, taken = 0, step = 0;
    for (const auto& [in, out] : {std::pair{12, 7}, {11, 9}, {9, 16}}) {
      t.tensor(Op::Mov, type, ring, piece(put, in, kData));
      held(step++);
      t.tensor(Op::Mov, type, piece(taken, out, kData + 0x200), ring);
      held(step++);
      put += in;
      taken += out;
    }
    t.p.fence_i();
    t.fill(kData, t.random(40));
    t.fill(kData + 0x200, std::vector<uint32_t>(40, 0));
    t.start();
    t.expect(kResult, 6, "c 5 10 7 10 0", {"I7"});
    t.read(kData + 0x200, static_cast<size_t>(taken * bytes + 3) / 4, {"I7", "I41"});
  }

  t.begin("fifos.waits", "A reader of an empty FIFO waits, and so does a writer to a full one.",
          {"i16", "fifos", "dimensions"}, {"I40", "I7", "I42"});
  const int ring = t.fifo(Type::I16, 0, kData + 0x400, 8);
  const int from = t.memory(Type::I16, kData, 50, 2),
            to = t.memory(Type::I16, kData + 0x200, 50, 2);
  t.tensor(Op::Mov, Type::I16, to, ring, TileTest::kNone, TileTest::thread(1));
  t.tensor(Op::Mov, Type::I16, ring, from, TileTest::kNone, TileTest::thread(2));
  t.fill(kData, t.random(32));
  t.fill(kData + 0x200, std::vector<uint32_t>(32, 0));
  t.start();
  t.read(kData + 0x200, 32, {"I40"});

  t.begin("fifos.emptied", "Writing word 2 of its descriptor, or ow.dsrl, empties a FIFO.",
          {"i16", "fifos", "dimensions"}, {"I7", "I140"});
  const int first = t.fifo(Type::I16, 1, kData + 0x400, 8);
  const int some = t.memory(Type::I16, kData, 5, 2),
            rest = t.memory(Type::I16, kData + 0x200, 5, 2);
  t.tensor(Op::Mov, Type::I16, first, some);
  const int again = t.fifo(Type::I16, 1, kData + 0x400, 8);
  t.tensor(Op::Mov, Type::I16, again, t.memory(Type::I16, kData + 32, 5, 2));
  t.tensor(Op::Mov, Type::I16, rest, again);
  t.p.fence_i();
  t.fill(kData, t.random(16));
  t.start();
  t.read(kData + 0x200, 2, {"I7", "I140"});
}

}  // namespace ow::conform
