// SPDX-License-Identifier: Apache-2.0
// A tile as small as `mini`: what it does not have, and the cycles of its router, engine and
// reducer.
#include "tile_test.h"

namespace ow::conform {
namespace {

using A = isa::RedAction;
using Op = isa::TensorOp;
using Type = isa::TensorType;
using isa::Control;
using isa::reg::Route;
using isa::reg::Switch;
namespace reg = isa::reg;
constexpr uint32_t kData = TileTest::kData, kResult = TileTest::kResult, kCache = TileTest::kCache;
constexpr int kBefore = 20, kAfter = 21;
const std::vector<std::string> kSmall = {"small", "fabric", "f16", "mixed", "rows", "registers"};

std::string range(uint32_t low, uint32_t high) { return fmt::format("{:x}..{:x}", low, high); }
std::string any(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += k == 0 ? "*" : " *";
  return text;
}

std::string error(isa::ErrorSource source, uint32_t cause, uint32_t unit) {
  using E = reg::Error;
  return fmt::format("{:x}", E::Stopped::put(1) | E::Source::put(source) | E::Cause::put(cause) |
                                 E::Unit::put(unit));
}

std::string engine_fault(isa::EngineCause cause) {
  using F = reg::EngineFault;
  return fmt::format("{:x}", F::Fault::put(1) | F::Cause::put(cause));
}

void make_illegal(Maker* m) {
  TileTest t(m);
  const auto illegal = [&](const char* name, Op op, Type type, const Descriptor& from,
                           const Descriptor& to =
                               Descriptor::memory(Type::F32, kData + 0x100, 8, 4)) {
    t.begin(std::string("small.no_") + name, "What is not there is an illegal operation.", kSmall,
            {"I82"});
    const int a = t.add(from), dst = t.add(to);
    t.tensor(op, type, dst, a, a);
    t.p.store_word(kResult, 1);
    t.fill(kResult, {0});
    t.bind_input(0);
    t.start();
    t.expect(reg::EngineFault::kAddress, 1, engine_fault(isa::EngineCause::Illegal), {"I82"});
    t.expect(kResult, 1, "0", {"I82"});
  };
  const auto memory = [](Type type, int bytes) {
    return Descriptor::memory(type, kData, 8, bytes);
  };
  illegal("exp", Op::Exp, Type::F16, memory(Type::F16, 2));
  illegal("f32", Op::Add, Type::F32, memory(Type::F32, 4));
  illegal("bf16", Op::Add, Type::BF16, memory(Type::BF16, 2));
  illegal("i8", Op::Mov, Type::I8, memory(Type::I8, 1));
  illegal("sum", Op::Sum, Type::F16, memory(Type::F16, 2));
  illegal("max", Op::Max, Type::F16, memory(Type::F16, 2));
  Descriptor tagged = Descriptor::fabric_in(Type::F16, 0, 0);
  tagged.words[0] |= isa::Dsr0::Tag::put(1);
  illegal("tags", Op::Mov, Type::F16, tagged);
  Descriptor deep = memory(Type::F16, 2);
  deep.words[4] = isa::DsrDim::Length::put(2);
  illegal("dimensions", Op::Mov, Type::F16, memory(Type::F16, 2), deep);
}

void make_absent(Maker* m) {
  TileTest t(m);
  t.begin("small.dimensions", "Words 4 and 5 of a descriptor read 0 once one of them was written.",
          kSmall, {"I81"});
  const int d = t.memory(Type::F16, kData, 8, 2);
  const auto access = [&](isa::SysOp op, uint32_t word) {
    t.p.word(word << 25 | 12u << 20 | 5u << 15 | static_cast<uint32_t>(op) << 12 | 10u << 7 |
             isa::kOpcodeSystem);
  };
  t.p.load_immediate(9, kResult);
  t.p.load_immediate(12, 0x20003);
  for (const uint32_t written : {4u, 5u}) {
    t.p.load_immediate(5, static_cast<uint32_t>(d));
    access(isa::SysOp::Dsrw, written);
    for (const uint32_t read : {4u, 5u}) {
      access(isa::SysOp::Dsrr, read);
      t.p.store(10, 9, static_cast<int>(8 * (written - 4) + 4 * (read - 4)));
    }
  }
  t.fill(kResult, {1, 1, 1, 1});
  t.start();
  t.expect(kResult, 4, "0 0 0 0", {"I81"});

  t.begin("small.descriptors", "A descriptor that is not there is an illegal instruction.", kSmall,
          {"I83"});
  t.p.load_immediate(5, 20);
  access(isa::SysOp::Dsrw, 1);
  t.start();
  t.expect(reg::Error::kAddress, 1,
           error(isa::ErrorSource::Core, static_cast<uint32_t>(isa::Trap::Illegal), 0), {"I83"});

  t.begin("small.reducer_queue", "An action with a queue that is not there: bad registers.", kSmall,
          {"I84"});
  t.p.store_word(reg::RedAcc::kAddress, reg::RedAcc::Samples::put(8) | reg::RedAcc::Ring::put(4));
  t.p.store_word(reg::RedCount::kAddress, 1);
  t.p.store_word(reg::RedPhase::kAddress, reg::RedPhase::Period::put(1));
  t.p.store_word(reg::RedActEq::kAddress, A::Enable::put(1) | A::In0::put(1) | A::In0Q::put(6));
  t.p.tensor(Op::Drain, Type::F32, TileTest::thread(1));
  t.start();
  t.expect(reg::Error::kAddress, 1, error(isa::ErrorSource::Reducer, 1, 0), {"I84"});

  t.begin("small.push", "A push into a queue that is not there is an overrun.", kSmall, {"I85"});
  t.p.store_word(reg::Push::address(6), 1);
  t.start();
  t.expect(reg::Error::kAddress, 1, error(isa::ErrorSource::Ramp, 2, 6), {"I85"});

  t.begin("small.fault", "A fault leaves undone the element at fault and what comes after it.",
          kSmall, {"I116"});
  const int from = t.memory(Type::F16, 8192 - 8, 8, 2), to = t.memory(Type::F16, kData, 8, 2);
  t.tensor(Op::Mov, Type::F16, to, from);
  t.fill(8192 - 8, {0x22221111, 0x44443333});
  t.fill(kData, {0, 0, 0, 0});
  t.start();
  t.expect(reg::EngineFault::kAddress, 1, engine_fault(isa::EngineCause::Address), {"I116"});
  t.expect(kData, 4, "22221111 44443333 0 0", {"I116"});
}

void make_router(Maker* m) {
  TileTest t(m);
  t.begin("small.position", "With one position no colour obeys, and SWITCH reads 0.", kSmall,
          {"F68"});
  t.fill(Switch::address(0), {~0u});
  t.route(0, TileTest::kWest, TileTest::kEast);
  const uint32_t route =
      Route::Enable::put(1) |
      Route::Position::put(isa::Position::InPort::put(3) | isa::Position::OutMask::put(2));
  t.fill(Route::address(0),
         {route | Route::Obey::put(1) | Route::PopMode::put(1) | Route::Ring::put(1)});
  t.expect(Switch::address(0), 1, "0", {"F68"});
  t.expect(Route::address(0), 1, fmt::format("{:x}", route), {"F68"});
  const uint32_t list = Control::Commands::put(0, 3) | Control::Commands::put(1, 1);
  t.send(0, std::vector<Word>{{true, list}, {false, 7}});
  t.run();
  m->expect(take_line('e', 0, 0), fmt::format("c{:x} d7", list), {"F68"});

  t.begin("small.router", "Credits, order and forks of the small router are those of the other.",
          kSmall, {"F43"});
  t.fill(Route::address(0),
         {Route::Enable::put(1) |
          Route::Position::put(isa::Position::InPort::put(3) | isa::Position::OutMask::put(6))});
  m->ask("hold s 0 0 1");
  std::vector<Word> words;
  std::string all;
  for (uint32_t k = 0; k < 20; ++k) {
    words.push_back({k % 7 == 3, k << 26 | 1});
    all += fmt::format("{}{}{:x}", k == 0 ? "" : " ", k % 7 == 3 ? "c" : "d", k << 26 | 1);
  }
  t.send(0, words);
  t.run();
  m->expect(take_line('s', 0, 0), "d1 d4000001", {"F43"});
  m->ask("hold s 0 0 0");
  t.run();
  m->expect(take_line('s', 0, 0), all.substr(all.find("d8")), {"F43"});
  m->expect(take_line('e', 0, 0), all, {"F43"});
}

Needs small(int columns) {
  Needs needs;
  needs.features = kSmall;
  needs.features.emplace_back("control");
  needs.features.emplace_back("tile");
  needs.columns = columns;
  needs.colours = 4;
  needs.sram = 8192;
  return needs;
}

std::vector<Word> numbered(int count) {
  std::vector<Word> words;
  for (int k = 0; k < count; ++k) words.push_back({false, static_cast<uint32_t>(k)});
  return words;
}

void pass_on(Maker* m, int columns, int colours) {
  m->expect(fmt::format("reset 1 {}", columns), "");
  for (int col = 0; col < columns; ++col) {
    for (int c = 0; c < colours; ++c) {
      m->expect(write_line(
                    0, col, Route::address(c),
                    {Route::Enable::put(1) | Route::Position::put(isa::Position::InPort::put(3) |
                                                                  isa::Position::OutMask::put(2))}),
                "");
    }
  }
  m->expect("run 1000", "");
}

void make_router_cycles(Maker* m) {
  using Header = isa::PacketHeader;
  for (const int columns : {1, 2}) {
    m->begin_timing(fmt::format("timing.small_hops_{}", columns),
                    "A hop of the small router takes 3 cycles; a colour runs at 2 wavelets in 5.",
                    small(columns), {"F22"});
    pass_on(m, columns, 1);
    m->expect(send_line('w', 0, 0, numbered(200)), "");
    m->expect(fmt::format("run {}", 3 * columns), "");
    m->expect(take_line('e', 0, 0), "", {"F22"});
    m->expect("run 1", "");
    m->expect(take_line('e', 0, 0), "d0", {"F22"});
    m->expect("run 20", "");
    m->expect(take_line('e', 0, 0), "...");
    m->expect("run 100", "");
    m->expect(take_line('e', 0, 0), any(39) + " ...", {"F22"});
  }
  m->begin_timing("timing.small_colours", "Three colours fill a link: one wavelet per cycle.",
                  small(1), {"F22", "F38"});
  pass_on(m, 1, 3);
  for (int c = 0; c < 3; ++c) m->expect(send_line('w', 0, c, numbered(100)), "");
  m->expect("run 40", "");
  for (int c = 0; c < 3; ++c) m->expect(take_line('e', 0, c), "...");
  m->expect("run 60", "");
  for (int c = 0; c < 3; ++c) m->expect(take_line('e', 0, c), any(20), {"F38"});

  std::vector<Word> packet = {{false, Header::Near::put(5) | Header::Far::put(5)}};
  for (const Word& word : numbered(300)) packet.push_back(word);
  m->begin_timing("timing.small_control",
                  "A word of the control plane takes 4 cycles for a hop; a flow runs at 2 in 7.",
                  small(1), {"F39", "F40"});
  pass_on(m, 1, 3);
  m->expect(send_line('w', 0, isa::kColourReq, packet), "");
  m->expect("run 4", "");
  m->expect(take_line('e', 0, isa::kColourReq), "", {"F40"});
  m->expect("run 1", "");
  m->expect(take_line('e', 0, isa::kColourReq), "*", {"F40"});
  m->expect("run 20", "");
  m->expect(take_line('e', 0, isa::kColourReq), "...");
  m->expect("run 140", "");
  m->expect(take_line('e', 0, isa::kColourReq), any(39) + " ...", {"F39", "F40"});

  m->begin_timing("timing.small_share", "The control plane has a slot of four that data want too.",
                  small(1), {"F42"});
  pass_on(m, 1, 3);
  // Requests come from the east, so that they do not share a link with data on their way in.
  packet[0].data = Header::Near::put(5) | Header::Far::put(5);
  for (int c = 0; c < 3; ++c) m->expect(send_line('w', 0, c, numbered(200)), "");
  m->expect(send_line('w', 0, isa::kColourReq, packet), "");
  m->expect("run 40", "");
  m->expect(take_line('e', 0, isa::kColourReq), "...");
  m->expect("run 100", "");
  m->expect(take_line('e', 0, isa::kColourReq), any(20) + " ...", {"F42"});

  m->begin_timing("timing.small_write", "A word into the memory of a small tile takes 4 cycles.",
                  small(1), {"F41"});
  pass_on(m, 1, 0);
  using Command = isa::PacketCommand;
  constexpr uint32_t kCount = 50, kPlace = 0x1000;
  packet = {{false, 0},
            {false, 0},
            {false, Command::Operation::put(isa::PacketOp::Write) | Command::Count::put(kCount)},
            {false, kPlace}};
  for (const Word& word : numbered(kCount)) packet.push_back(word);
  packet.back().control = true;
  for (const Word& word :
       {Word{false, 0}, Word{false, 0},
        Word{false, Command::Operation::put(isa::PacketOp::Read) | Command::Count::put(1)},
        Word{false, kPlace}, Word{false, Header::ToEdge::put(1) | Header::Negative::put(1)},
        Word{true, 0}})
    packet.push_back(word);
  m->expect(send_line('w', 0, isa::kColourReq, packet), "");
  m->expect(fmt::format("run {}", 4 * kCount), "");
  m->expect(take_line('w', 0, isa::kColourRsp), "", {"F41"});
  m->expect("run 100", "");
  m->expect(take_line('w', 0, isa::kColourRsp), "* * * c0", {"F41"});
}

void make_engine(Maker* m) {
  constexpr int kElements = 64;
  for (const bool adds : {false, true}) {
    TileTest t(m);
    t.begin_timing(
        adds ? "timing.small_add" : "timing.small_mov",
        "The engine of `mini` takes 35 to 55 cycles an element with arithmetic, 15 without.",
        kSmall, {"I115"});
    const int a = t.memory(Type::F16, kData, kElements, 2),
              dst = t.memory(Type::F16, kData + 0x100, kElements, 2);
    t.read_cycle(kBefore);
    t.tensor(adds ? Op::Add : Op::Mov, Type::F16, dst, a, a);
    t.read_cycle(kAfter);
    t.store_difference(kBefore, kAfter, 0);
    t.fill(kData, t.halves(kElements / 2));
    t.start();
    t.expect(kResult, 1,
             adds ? range(35 * kElements, 55 * kElements + 50)
                  : range(12 * kElements, 16 * kElements + 50),
             {"I115"});
  }

  TileTest t(m);
  t.begin_timing("timing.small_drain",
                 "The reducer of `mini` takes 11 cycles an element without additions.", kSmall,
                 {"I69"});
  constexpr int kSamples = 8, kRows = 4;
  constexpr uint32_t kTaskCode = 0x500;
  const int x = t.memory(Type::F16, kData, kSamples, 2, 0, 2 * kSamples),
            sums = t.memory(Type::F32, kCache, kSamples, 4, kRows, 0),
            in = t.add(Descriptor::fabric_in(Type::F16, 0, 0));
  t.p.store_word(reg::RedAcc::kAddress,
                 reg::RedAcc::Samples::put(kSamples) | reg::RedAcc::Ring::put(kRows));
  t.p.store_word(reg::RedCount::kAddress, kRows);
  t.p.store_word(reg::RedPhase::kAddress, reg::RedPhase::Period::put(1));
  t.p.store_word(reg::RedActEq::kAddress, A::Enable::put(1) | A::Memory::put(1));
  t.p.store_word(reg::RedDst::kAddress, 0x1400);
  t.p.store_word(reg::RedPitch::kAddress, 4 * kSamples);
  t.p.store_word(reg::TaskEntry::address(isa::kFirstLocalTask), kTaskCode);
  t.tensor(Op::Axpyw, Type::Mixed, sums, x, in);
  t.read_cycle(kBefore);
  t.p.tensor(Op::Drain, Type::F32,
             TileTest::thread(1) | TileTest::Ctl::Done::put(isa::Done::Activate) |
                 TileTest::Ctl::Task::put(isa::kFirstLocalTask));
  t.p.word(static_cast<uint32_t>(isa::SysOp::Next) << 12 | isa::kOpcodeSystem);
  TileTest task(m);
  task.read_cycle(kAfter);
  task.store_difference(kBefore, kAfter, 0);
  task.p.stop();
  t.fill(kTaskCode, task.p.words());
  t.fill(kData, t.halves(kSamples / 2));
  t.bind_input(0);
  t.load();
  std::vector<Word> words;
  for (int k = 0; k < kRows; ++k) {
    words.push_back({false, 0x3C00});
    words.push_back(
        {true, Control::RowEnd::kMask | (k + 1 == kRows ? Control::StreamEnd::kMask : 0)});
  }
  t.send(0, words);
  t.run();
  constexpr uint32_t kAll = 11 * kSamples * kRows;
  t.expect(kResult, 1, range(kAll - 20, kAll + 100), {"I69"});
}

}  // namespace

void make_small_tile(Maker* m) {
  make_illegal(m);
  make_absent(m);
  make_router(m);
  make_router_cycles(m);
  make_engine(m);
}

}  // namespace ow::conform
