// SPDX-License-Identifier: Apache-2.0
// Cycles of streams of weights, of their reducer, and of a filter at the ramp. These tests report
// and never fail.
#include "tile_test.h"

namespace ow::conform {
namespace {

using A = isa::RedAction;
using Op = isa::TensorOp;
using Type = isa::TensorType;
namespace reg = isa::reg;
constexpr uint32_t kData = TileTest::kData, kCache = TileTest::kCache, kResult = TileTest::kResult;
constexpr uint32_t kOutputs = 0x1400, kTaskCode = 0x500;
constexpr uint32_t kRowEnd = isa::Control::RowEnd::kMask, kEnd = isa::Control::StreamEnd::kMask;
constexpr int kBefore = 20, kAfter = 21;

std::string range(uint32_t low, uint32_t high) { return fmt::format("{:x}..{:x}", low, high); }

void set_reducer(TileTest* t, int samples, int rows, uint32_t action) {
  t->p.store_word(reg::RedAcc::kAddress,
                  reg::RedAcc::Samples::put(samples) | reg::RedAcc::Ring::put(4));
  t->p.store_word(reg::RedCount::kAddress, static_cast<uint32_t>(rows));
  t->p.store_word(reg::RedPhase::kAddress, reg::RedPhase::Period::put(1));
  t->p.store_word(reg::RedActEq::kAddress, action);
  t->p.store_word(reg::RedDst::kAddress, kOutputs);
  t->p.store_word(reg::RedPitch::kAddress, static_cast<uint32_t>(4 * samples));
}

// The drain's end activates a task that stores the cycles since x20.
void drain_then_store(TileTest* t, Maker* m) {
  t->p.store_word(reg::TaskEntry::address(isa::kFirstLocalTask), kTaskCode);
  t->p.tensor(Op::Drain, Type::F32,
              TileTest::thread(1) | TileTest::Ctl::Done::put(isa::Done::Activate) |
                  TileTest::Ctl::Task::put(isa::kFirstLocalTask));
  TileTest task(m);
  task.read_cycle(kAfter);
  task.store_difference(kBefore, kAfter, 0);
  task.p.stop();
  t->fill(kTaskCode, task.p.words());
}

void sleep(TileTest* t) {
  t->p.word(static_cast<uint32_t>(isa::SysOp::Next) << 12 | isa::kOpcodeSystem);
}

const std::vector<std::string> kRows = {"fabric", "f16", "mixed", "rows", "dimensions"};

// `weights` wavelets of which each fourth is followed by a row end.
std::vector<Word> stream(int weights, int each) {
  std::vector<Word> words;
  for (int k = 1; k <= weights; ++k) {
    words.push_back({false, 0x3C00});
    if (k % each == 0) words.push_back({true, kRowEnd | (k == weights ? kEnd : 0)});
  }
  return words;
}

void make_weights(Maker* m) {
  constexpr int kWeights = 160;
  for (const auto& [samples, cycles] : {std::pair{8, 2}, {16, 2}, {32, 4}}) {
    TileTest t(m);
    t.begin_timing(fmt::format("timing.axpyw_{}", samples),
                   "Cycles of a weight; a row end right after a weight costs nothing.", kRows,
                   {"I105", "I107"});
    const int x = t.memory(Type::F16, kData, samples, 2, 0, 2 * samples),
              sums = t.memory(Type::F32, kCache, samples, 4, 4, 0),
              in = t.add(Descriptor::fabric_in(Type::F16, 0, 0));
    // Rows are dropped, one per cycle and element.
    set_reducer(&t, samples, kWeights / 16, 0);
    t.p.tensor(Op::Drain, Type::F32, TileTest::thread(1));
    t.bind_input(0);
    t.read_cycle(kBefore);
    t.tensor(Op::Axpyw, Type::Mixed, sums, x, in);
    t.read_cycle(kAfter);
    t.store_difference(kBefore, kAfter, 0);
    t.p.stop();
    t.load();
    t.send(0, stream(kWeights, 16));
    t.run();
    const auto least = static_cast<uint32_t>(kWeights * cycles);
    // The stream comes some cycles after the first read.
    t.expect(kResult, 1, range(least, least + 80), {"I105", "I107"});
  }

  std::vector<std::string> features = kRows;
  for (const char* more : {"f32", "reductions", "tags"}) features.emplace_back(more);
  TileTest t(m);
  t.begin_timing("timing.dotw",
                 "A dot product of 32 elements takes 4 cycles; a row end costs nothing.", features,
                 {"I106", "I56", "I107"});
  constexpr int kLength = 32;
  const int a = t.memory(Type::F16, kData, kLength, 2, 0, 2 * kLength),
            dst = t.memory(Type::F16, kOutputs, kWeights, 2);
  Descriptor fabric = Descriptor::fabric_in(Type::F16, 0, 0);
  fabric.words[3] = isa::DsrDim::Length::put(2) | isa::DsrDim::Step::put(2 * kLength);
  const int in = t.add(fabric);
  t.bind_input(0);
  t.read_cycle(kBefore);
  t.tensor(Op::Dotw, Type::Mixed, dst, a, in, 0, kData + 0x100);
  t.read_cycle(kAfter);
  t.store_difference(kBefore, kAfter, 0);
  t.p.stop();
  t.load();
  t.send(0, stream(kWeights, 8));
  t.run();
  t.expect(kResult, 1, range(4 * kWeights, 4 * kWeights + 80), {"I106", "I56"});
}

// Four rows that are closed before their drain begins.
void make_drains(Maker* m) {
  struct Case {
    const char* name;
    uint32_t action;
    uint32_t elements_in_two_cycles;
  };
  for (const Case& c : {Case{"f32", A::Enable::put(1) | A::Memory::put(1), 2},
                        {"f16", A::Enable::put(1) | A::Memory::put(1) | A::F16::put(1), 4}}) {
    TileTest t(m);
    t.begin_timing(std::string("timing.drain_") + c.name,
                   "One element leaves per cycle; two of 16 bits if nothing is added.", kRows,
                   {"I66"});
    constexpr int kSamples = 32, kRowsOfAll = 4;
    const int x = t.memory(Type::F16, kData, kSamples, 2, 0, 2 * kSamples),
              sums = t.memory(Type::F32, kCache, kSamples, 4, kRowsOfAll, 0),
              in = t.add(Descriptor::fabric_in(Type::F16, 0, 0));
    set_reducer(&t, kSamples, kRowsOfAll, c.action);
    t.bind_input(0);
    t.tensor(Op::Axpyw, Type::Mixed, sums, x, in);
    t.read_cycle(kBefore);
    drain_then_store(&t, m);
    sleep(&t);
    t.load();
    t.send(0, stream(kRowsOfAll, 1));
    t.run();
    const uint32_t cycles = kSamples * kRowsOfAll * 2 / c.elements_in_two_cycles;
    t.expect(kResult, 1, range(cycles, cycles + 50), {"I66"});
  }
  // Each addition costs two cycles once, whatever the rate.
  for (const uint32_t additions : {0u, 1u}) {
    TileTest t(m);
    t.begin_timing(fmt::format("timing.additions_{}", additions),
                   "An element leaves 2n + 2 cycles after it was taken, n being its additions.",
                   kRows, {"I68"});
    constexpr int kSamples = 8;
    const int x = t.memory(Type::F16, kData, kSamples, 2, 0, 2 * kSamples),
              sums = t.memory(Type::F32, kCache, kSamples, 4, 4, 0),
              in = t.add(Descriptor::fabric_in(Type::F16, 0, 0));
    set_reducer(&t, kSamples, 1, A::Enable::put(1) | A::Memory::put(1) | A::Bias::put(additions));
    t.p.store_word(reg::RedBias::kAddress, kData + 0x200);
    t.bind_input(0);
    t.tensor(Op::Axpyw, Type::Mixed, sums, x, in);
    t.read_cycle(kBefore);
    drain_then_store(&t, m);
    sleep(&t);
    t.load();
    t.send(0, stream(1, 1));
    t.run();
    // The launch with its control word, 8 elements, the way through, the task.
    const uint32_t cycles = kSamples + 2 * additions + 2;
    t.expect(kResult, 1, range(cycles + 12, cycles + 30), {"I68"});
  }
}

// A colour of which the filter drops all, beside one that is read.
void make_filtered(Maker* m) {
  TileTest t(m);
  t.begin_timing("timing.filtered", "A dropped wavelet takes the ramp's slot of one cycle.",
                 {"fabric", "f32", "filters"}, {"F74"});
  constexpr int kWords = 200;
  const int in = t.add(Descriptor::fabric_in(Type::F32, 1, kWords)),
            dst = t.memory(Type::F32, kData, kWords, 4);
  t.bind_input(0);
  t.bind_input(1);
  t.route(1, TileTest::kNorth, TileTest::kRamp);
  using F = isa::reg::Filter;
  t.fill(isa::reg::FilterLimits::address(0), {5u | 5u << 16});
  t.fill(F::address(0),
         {F::Colour::put(0) | F::Enable::put(1) | F::Kind::put(isa::FilterKind::Range)});
  t.read_cycle(kBefore);
  t.tensor(Op::Mov, Type::F32, dst, in);
  t.read_cycle(kAfter);
  t.store_difference(kBefore, kAfter, 0);
  t.p.stop();
  t.load();
  t.send(0, std::vector<uint32_t>(3 * kWords, 0x00090000));
  std::vector<Word> words(kWords, Word{false, 1});
  m->ask(send_line('n', 0, 1, words));
  t.run();
  t.expect(kResult, 1, range(2 * kWords - 20, 2 * kWords + 80), {"F74"});
}

}  // namespace

void make_row_cycles(Maker* m) {
  make_weights(m);
  make_drains(m);
  make_filtered(m);
}

}  // namespace ow::conform
