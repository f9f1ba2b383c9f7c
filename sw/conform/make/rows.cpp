// SPDX-License-Identifier: Apache-2.0
// Rows of sums and their reducer: rings that are used again, results of dot products as rows, two
// queues that are added, sums that leave for the fabric.
#include "tile_test.h"

namespace ow::conform {
namespace {

using A = isa::RedAction;
using Op = isa::TensorOp;
using Type = isa::TensorType;
namespace reg = isa::reg;
constexpr uint32_t kData = TileTest::kData, kCache = TileTest::kCache, kOutputs = 0x1800;
constexpr uint32_t kRowEnd = isa::Control::RowEnd::kMask, kEnd = isa::Control::StreamEnd::kMask;
constexpr int kSamples = 8, kTask = 17;
const std::vector<std::string> kFeatures = {"fabric", "f16", "mixed", "rows"};

// The reducer's registers for rows of `samples` sums, all with one action.
void set_reducer(TileTest* t, int samples, int ring, int rows, uint32_t action) {
  t->p.store_word(reg::RedAcc::kAddress,
                  reg::RedAcc::Samples::put(samples) | reg::RedAcc::Ring::put(ring));
  t->p.store_word(reg::RedCount::kAddress, static_cast<uint32_t>(rows));
  t->p.store_word(reg::RedPhase::kAddress, reg::RedPhase::Period::put(1));
  t->p.store_word(reg::RedActEq::kAddress, action);
  t->p.store_word(reg::RedDst::kAddress, kOutputs);
  t->p.store_word(reg::RedPitch::kAddress, static_cast<uint32_t>(4 * samples));
}

void drain(TileTest* t, int thread) {
  t->p.tensor(Op::Drain, Type::F32,
              TileTest::thread(thread) | TileTest::Ctl::Done::put(isa::Done::Activate) |
                  TileTest::Ctl::Task::put(kTask));
}

int samples_of(TileTest* t, uint32_t at) {
  return t->memory(Type::F16, at, kSamples, 2, 0, 2 * kSamples);
}
int ring_of(TileTest* t, int rows) { return t->memory(Type::F32, kCache, kSamples, 4, rows, 0); }

// `rows` rows of some weights each, then the end of the stream.
std::vector<Word> weights(Maker* m, int rows, int indices) {
  std::vector<Word> words;
  for (int row = 0; row < rows; ++row) {
    for (uint32_t k = 1 + m->pick(5); k > 0; --k) {
      const uint32_t half = (m->word() & 0x83FF) | (m->pick(8) + 11) << 10;
      words.push_back({false, m->pick(static_cast<uint32_t>(indices)) << 16 | half});
    }
    words.push_back({true, kRowEnd | (row + 1 == rows ? kEnd : 0)});
  }
  return words;
}

std::vector<uint32_t> floats(Maker* m, int count) {
  std::vector<uint32_t> words;
  for (int k = 0; k < count; ++k) words.push_back((m->word() & 0x80FFFFFF) | 0x3E000000);
  return words;
}

// A second axpyw waits for the rows of the first, whose drain waits for a neighbour.
void make_rings(Maker* m) {
  for (const int rows : {1, 3}) {
    TileTest t(m);
    t.begin(fmt::format("rows.ring_of_{}", rows),
            "An axpyw begins at the first slot of the ring when all rows before are free.",
            kFeatures, {"I130", "I22", "I62", "I131", "I71"});
    const int x = samples_of(&t, kData), sums = ring_of(&t, rows),
              in = t.add(Descriptor::fabric_in(Type::F16, 0, 0));
    const uint32_t action =
        A::Enable::put(1) | A::Memory::put(1) | A::In0::put(1) | A::In0Q::put(1);
    set_reducer(&t, kSamples, rows, 2 * rows, action);
    drain(&t, 2);
    t.tensor(Op::Axpyw, Type::Mixed, sums, x, in, TileTest::thread(1));
    t.tensor(Op::Axpyw, Type::Mixed, sums, x, in, TileTest::thread(1));
    t.fill(kData, t.halves(80));
    t.fill(kOutputs, std::vector<uint32_t>(64, 0));
    t.bind_input(0);
    t.bind_input(1);
    t.start();
    t.send(0, weights(m, rows, 10));
    t.send(0, weights(m, rows, 10));
    t.run();
    // Nothing of the first row leaves before the neighbour's sums are there.
    t.expect(kOutputs, 1, "0", {"I62"});
    t.expect(reg::TaskActivate::kAddress, 1, "0", {"I131"});
    t.send(1, floats(m, kSamples * rows));
    t.run();
    t.read(kOutputs, static_cast<size_t>(kSamples * rows), {"I130"});
    t.send(1, floats(m, kSamples * rows));
    t.run();
    t.read(kOutputs, static_cast<size_t>(2 * kSamples * rows), {"I130", "I62"});
    t.expect(reg::TaskActivate::kAddress, 1, fmt::format("{:x}", 1u << kTask), {"I131", "I71"});
  }
}

// Rows of other sizes follow: their first slot covers what the last row before has still to give. A
// third instruction has something to do meanwhile, so that the engine does not sleep.
void make_other_rings(Maker* m) {
  TileTest t(m);
  t.queues = 3;
  t.colours = 3;
  t.begin("rows.other_ring", "A ring of longer rows waits for all rows of the one before.",
          {"fabric", "f16", "mixed", "rows", "dimensions"}, {"I130", "I62"});
  constexpr int kRows = 2, kShort = 32, kLong = 64;
  constexpr uint32_t kAction = A::Enable::put(1) | A::Memory::put(1);
  const int x = t.memory(Type::F16, kData, kShort, 2, 0, 2 * kShort),
            sums = t.memory(Type::F32, kCache, kShort, 4, kRows, 0),
            in = t.add(Descriptor::fabric_in(Type::F16, 0, 0));
  const int y = t.memory(Type::F16, kData, kLong, 2, 0, 2 * kLong),
            wide = t.memory(Type::F32, kCache, kLong, 4, kRows, 0);
  t.p.store_word(reg::TaskEntry::address(kTask), TileTest::kCode);
  set_reducer(&t, kShort, kRows, kRows, kAction | A::In0::put(1) | A::In0Q::put(1));
  drain(&t, 2);
  t.tensor(Op::Axpyw, Type::Mixed, sums, x, in, TileTest::thread(1));
  t.tensor(Op::Axpyw, Type::Mixed, wide, y, in, TileTest::thread(1));
  t.tensor(Op::Mov, Type::F16, t.memory(Type::F16, kOutputs + 0x400, kLong, 2),
           t.add(Descriptor::fabric_in(Type::F16, 2, kLong)), TileTest::kNone, TileTest::thread(2));
  t.p.word(0x10500073);  // wfi: until the first drain has ended
  set_reducer(&t, kLong, kRows, 1, kAction);
  t.p.store_word(reg::RedDst::kAddress, kOutputs + 0x100);
  drain(&t, 0);
  t.fill(kData, t.halves(160));
  t.fill(kOutputs, std::vector<uint32_t>(128, 0));
  for (const int q : {0, 1, 2}) t.bind_input(q);
  t.start();
  t.send(0, weights(m, kRows, 10));
  t.send(0, weights(m, 1, 5));
  t.send(1, floats(m, kShort));
  t.run();
  t.read(kOutputs, kShort, {"I62"});
  t.send(2, t.halves(kLong / 2));
  t.run();
  t.read(kOutputs + 0x400, kLong / 2);
  t.send(1, floats(m, kShort));
  t.run();
  t.read(kOutputs, kShort * kRows, {"I130"});
  t.read(kOutputs + 0x100, kLong, {"I130"});
}

// Sums that are never normal numbers of fp32, each added to while the one before is still under
// way.
void make_subnormal(Maker* m) {
  TileTest t(m);
  t.begin("rows.subnormal", "Sums below the normal numbers of fp32 are exact.",
          {"fabric", "bf16", "mixed", "rows"}, {"N52", "N1", "I61"});
  const int x = t.memory(Type::BF16, kData, kSamples, 2, 0, 2 * kSamples), sums = ring_of(&t, 4),
            in = t.add(Descriptor::fabric_in(Type::BF16, 0, 0));
  set_reducer(&t, kSamples, 4, 3, A::Enable::put(1) | A::Memory::put(1));
  drain(&t, 1);
  t.tensor(Op::Axpyw, Type::MixedB, sums, x, in);
  // Numbers from 2^-66 to 2^-65, so products of 2^-132 and more.
  const auto tiny = [&] { return (m->word() & 0x807F) | 61u << 7; };
  std::vector<uint32_t> samples;
  for (int k = 0; k < 40; ++k) {
    const uint32_t low = tiny();
    samples.push_back(low | tiny() << 16);
  }
  t.fill(kData, samples);
  t.bind_input(0);
  t.start();
  std::vector<Word> words;
  for (uint32_t k = 0; k < 48; ++k) {
    words.push_back({false, m->pick(10) << 16 | tiny()});
    if (k % 16 == 15) words.push_back({true, kRowEnd | (k == 47 ? kEnd : 0)});
  }
  t.send(0, words);
  t.run();
  t.read(kOutputs, 3 * kSamples, {"N52", "N1", "I61"});
}

// What arrives on two queues is added to each row; sums leave for the fabric.
void make_actions(Maker* m) {
  for (const bool half : {false, true}) {
    TileTest t(m);
    t.begin(half ? "rows.sent_f16" : "rows.sent_f32",
            "A row, then in0, then in1, then the bias; the sums leave for the fabric.", kFeatures,
            {"I15", "I67", "I70"});
    const int x = samples_of(&t, kData), sums = ring_of(&t, 4),
              in = t.add(Descriptor::fabric_in(Type::F16, 0, 0));
    set_reducer(&t, kSamples, 4, 3,
                A::Enable::put(1) | A::In0::put(1) | A::In0Q::put(1) | A::In1::put(1) |
                    A::In1Q::put(2) | A::Bias::put(1) | A::F16::put(half) | A::Relu::put(half));
    t.p.store_word(reg::RedBias::kAddress, kData + 0x200);
    // No row goes to memory, so this address is not used.
    t.p.store_word(reg::RedDst::kAddress, 0x00F00000);
    drain(&t, 1);
    t.tensor(Op::Axpyw, Type::Mixed, sums, x, in);
    t.fill(kData, t.halves(80));
    t.fill(kData + 0x200, floats(m, 3));
    for (const int q : {0, 1, 2}) t.bind_input(q);
    t.bind_output(1);
    t.start();
    t.send(0, weights(m, 3, 10));
    t.send(1, floats(m, 3 * kSamples));
    t.run();
    t.take(1, {"I67"});
    t.send(2, floats(m, 3 * kSamples));
    t.run();
    t.take(1, {"I15", "I67", "I70"});
    t.expect(reg::Error::kAddress, 1, "0", {"I15"});
  }

  TileTest t(m);
  t.begin("rows.bad_action", "in0 and in1 must be different queues.", kFeatures, {"I67"});
  set_reducer(&t, kSamples, 4, 1,
              A::Enable::put(1) | A::Memory::put(1) | A::In0::put(1) | A::In1::put(1));
  drain(&t, 1);
  t.start();
  using E = reg::Error;
  t.expect(E::kAddress, 1,
           fmt::format("{:x}", E::Stopped::put(1) | E::Source::put(isa::ErrorSource::Reducer) |
                                   E::Cause::put(1)),
           {"I67"});
}

// Results of dot products that are rows: whole rows, and one that the end of the stream closes.
void make_dot_rows(Maker* m) {
  std::vector<std::string> features = kFeatures;
  for (const char* more : {"f32", "reductions", "tags", "dimensions"}) features.emplace_back(more);
  TileTest t(m);
  t.begin("dotw.rows", "Results in the accumulator cache are rows for the reducer.", features,
          {"I57", "I58", "I59"});
  constexpr int kLength = 16, kIndices = 12, kResults = 2 * kSamples + 3;
  const int a = t.memory(Type::F16, kData, kLength, 2, 0, 2 * kLength);
  const int sums = ring_of(&t, 4), in = t.add(Descriptor::fabric_in(Type::F16, 0, 0));
  set_reducer(&t, kSamples, 4, 3,
              A::Enable::put(1) | A::Memory::put(1) | A::In0::put(1) | A::In0Q::put(1));
  drain(&t, 1);
  t.tensor(Op::Dotw, Type::Mixed, sums, a, in, 0, kData + 0x400);
  t.fill(kData, t.halves(kLength * kIndices / 2));
  t.fill(kData + 0x400, t.halves(kLength / 2));
  t.fill(kOutputs, std::vector<uint32_t>(3 * kSamples, 0));
  t.bind_input(0);
  t.bind_input(1);
  t.start();
  std::vector<Word> words;
  for (int k = 0; k < kResults; ++k) words.push_back({false, m->pick(kIndices) << 16});
  words.push_back({true, kEnd});
  t.send(0, words);
  t.send(1, floats(m, 3 * kSamples));
  t.run();
  // What stands after the last result of the third row has no meaning.
  t.read(kOutputs, kResults, {"I57", "I58", "I59"});
}

// -0 after a product that underflows stays, unless a dense stream adds a zero.
void make_underflow(Maker* m) {
  for (const bool dense : {false, true}) {
    TileTest t(m);
    t.begin(dense ? "rows.zero_dense" : "rows.zero_sparse",
            "A sum of bfloat16 that has underflowed to -0 becomes +0 when a zero is added.",
            {"fabric", "bf16", "mixed", "rows"}, {"N58"});
    const int x = t.memory(Type::BF16, kData, kSamples, 2, 0, 2 * kSamples), sums = ring_of(&t, 4),
              in = t.add(Descriptor::fabric_in(Type::BF16, 0, 0));
    set_reducer(&t, kSamples, 4, 1, A::Enable::put(1) | A::Memory::put(1));
    drain(&t, 1);
    t.tensor(Op::Axpyw, Type::MixedB, sums, x, in);
    t.fill(kData, std::vector<uint32_t>(8, 0x00010001));  // the least bfloat16
    t.bind_input(0);
    t.start();
    std::vector<Word> words = {{false, 0x8001}};
    if (dense) words.push_back({false, 1u << 16});
    words.push_back({true, kRowEnd | kEnd});
    t.send(0, words);
    t.run();
    const char* zero = dense ? "0" : "80000000";
    t.expect(kOutputs, 2, fmt::format("{} {}", zero, zero), {"N58"});
  }
}

}  // namespace

void make_rows(Maker* m) {
  make_rings(m);
  make_other_rings(m);
  make_subnormal(m);
  make_actions(m);
  make_dot_rows(m);
  make_underflow(m);
}

}  // namespace ow::conform
