// SPDX-License-Identifier: Apache-2.0
// Operations under way that are asked for, cancelled or held up.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "messages.h"
#include "openwafer/openwafer.h"
#include "ow/open/mini.h"
#include "ow/runtime/machine.h"
#include "programs.h"
#include "seed.h"

namespace ow {
namespace {

const std::string kElf = OW_KERNEL_DIR "/library_kernel.elf";
const std::string kBulk = OW_KERNEL_DIR "/bulk_kernel.elf";
const std::string kPour = OW_KERNEL_DIR "/pour_kernel.elf";
const std::string kMini = OW_KERNEL_DIR "/mini_kernel.elf";

TEST(Events, ACancelledCopySendsNoMoreAndTheMachineGoesOn) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kBulk));
  const std::vector<uint32_t> old(size_t{4} * 8192, 1), data(size_t{4} * 8192, 2);
  run.write("bulk", old);
  for (const bool same : {false, true}) {
    Event copy = same ? run.write_async("bulk", std::vector<uint32_t>(8192, 2), Mapping::same())
                      : run.write_async("bulk", data);
    EXPECT_FALSE(copy.done());
    const uint64_t begin = machine.cycle();
    copy.cancel();
    EXPECT_LT(machine.cycle() - begin, 2000u);
    EXPECT_TRUE(copy.done());
    copy.wait();
    const std::vector<uint32_t> got = run.read<uint32_t>("bulk");
    for (size_t t = 0; t < 4; ++t) {
      size_t n = 0;
      while (n < 8192 && got[t * 8192 + n] == 2) ++n;
      EXPECT_LT(n, 4000u) << "tile " << t;
      for (; n < 8192; ++n) ASSERT_EQ(got[t * 8192 + n], 1u) << "tile " << t << ", " << n;
    }
    run.write("bulk", old);
    EXPECT_EQ(run.read<uint32_t>("bulk"), old);
  }
  std::vector<uint32_t> back;
  Event read = run.read_async("bulk", &back);
  read.cancel();
  EXPECT_TRUE(read.done());
  EXPECT_EQ(back, std::vector<uint32_t>(size_t{4} * 8192, 0)) << "it is not filled";
  EXPECT_EQ(run.read<uint32_t>("bulk"), old);
}

TEST(Events, ACancelledLaunchLeavesAProgramThatCanOnlyBeRead) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kElf), Rect{0, 0, 1, 2});
  ow::Run beside = machine.load(Program(kElf), Rect{1, 0, 1, 2});
  run.write("vector", std::vector<int32_t>(8, 5), Mapping::same());
  Event spin = run.launch("spin");
  EXPECT_FALSE(spin.done());
  spin.cancel();
  EXPECT_TRUE(spin.done());
  spin.wait();
  EXPECT_EQ(run.read<int32_t>("vector"), std::vector<int32_t>(16, 5));
  EXPECT_TRUE(run.prints().empty());
  EXPECT_EQ(message([&] { run.launch("count"); }), "'spin' was cancelled: load the program again");
  EXPECT_EQ(message([&] { run.write("counted", 0u); }),
            "'spin' was cancelled: load the program again");
  EXPECT_EQ(message([&] { run.wait(); }), "'spin' was cancelled: load the program again");
  beside.launch("count").wait();
  run = machine.load(Program(kElf), Rect{0, 0, 1, 2});
  run.launch("count").wait();
  EXPECT_EQ(run.read<uint32_t>("counted"), (std::vector<uint32_t>{8, 8}));
}

// Words that wait for a launch that is cancelled do not reach the next program.
TEST(Events, ACancelledLaunchTakesItsStreamsWithIt) {
  Runtime machine = open("sim-mini:1x1");
  ow::Run run = machine.load(Program(kMini, sums()));
  Event add = run.launch("add");
  run.send("x", std::vector<f16>(4, f16(1)));  // it waits for eight
  EXPECT_THROW(add.wait(), DeviceFault);
  add.cancel();
  run = machine.load(Program(kMini, sums()));
  run.send("x", std::vector<f16>(2000, f16(1)));  // nobody takes them
  add = run.launch("add");
  add.cancel();
  run = machine.load(Program(kMini, sums()));
  run.send("x", std::vector<f16>(8, f16(2)));
  run.launch("add").wait();
  EXPECT_EQ(run.receive<f16>("sum", 8), std::vector<f16>(8, f16(2)));
}

// A tile of `mini` has no counters; its core's pc moves.
TEST(Events, ALaunchThatNeverEndsComputesOnMiniToo) {
  Runtime machine = open("sim-mini:1x1");
  ow::Run run = machine.load(Program(kMini, sums()));
  const std::string text = message([&] { run.launch("spin").wait(5000); });
  EXPECT_TRUE(has(text, "tile (0, 0): the core executes instructions")) << text;
}

TEST(Events, ACancelledStreamSaysHowManyWordsHavePassed) {
  Runtime machine = open("sim:1x2");
  ow::Run run = machine.load(Program(kElf, pass({1, 2})));
  uint64_t made = 0, taken = 0;
  run.produce("in", 0,
              [&]() -> std::optional<Word> { return Word{static_cast<uint32_t>(made++)}; });
  run.consume("out", 0, [&](Word) { ++taken; });
  EXPECT_THROW(run.wait(20'000), DeviceFault) << "it has no end";
  EXPECT_EQ(run.cancel("in"), made);
  run.wait();
  EXPECT_EQ(taken, made) << "what was made has been sent";
  EXPECT_EQ(run.cancel("out"), taken);
  run.send("in", std::vector<uint32_t>{1, 2, 3});
  EXPECT_EQ(run.receive<uint32_t>("out", 3), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(run.cancel("out"), taken + 3);
  EXPECT_TRUE(has(message([&] { run.cancel("none"); }), "no stream 'none'"));
}

// -------------------------------------------------------------------------------- back-pressure --
TEST(BackPressure, WordsThatAConsumerDoesNotTakeWaitInTheGrid) {
  for (const char* name : {"sim:1x2", "sim-mini:1x2"}) {
    Runtime machine = open(name);
    ow::Run run = machine.load(Program(kMini, pass({1, 2})));
    constexpr uint32_t kCount = 20000;
    uint32_t made = 0;
    bool takes = false;
    std::vector<uint32_t> came;
    run.produce("in", 0, [&]() -> std::optional<Word> {
      return made == kCount ? std::nullopt : std::optional(Word{made++});
    });
    run.consume("out", 0, [&](Word word) {
      if (!takes && came.size() == 10) return false;
      came.push_back(word.data);
      return true;
    });
    const std::string text = message([&] { run.wait(); });
    EXPECT_TRUE(has(text, "waits for a consumer that takes no word")) << text;
    EXPECT_TRUE(has(text, "at the east edge, port 0, takes no word")) << text;
    EXPECT_LE(made, 1100u) << "the port is full, and the host keeps nothing";
    EXPECT_EQ(came.size(), 10u);
    takes = true;
    run.wait();
    ASSERT_EQ(came.size(), kCount);
    for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(came[i], i);
  }
}

// A consumer that is busy now and then loses nothing, and its refusals do not end a wait.
TEST(BackPressure, RefusalsNowAndThenLoseAndDelayNothing) {
  const uint64_t seed = test_seed(1);
  SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  Runtime machine = open("sim:1x2");
  ow::Run run = machine.load(Program(kElf, pass({1, 2})));
  constexpr uint32_t kCount = 5000;
  std::vector<uint32_t> words(kCount), came;
  for (uint32_t i = 0; i < kCount; ++i) words[i] = i;
  run.consume("out", 0, [&](Word word) {
    if (random() % 3 == 0) return false;
    came.push_back(word.data);
    return true;
  });
  run.send("in", words);
  run.wait();
  EXPECT_EQ(came, words);
  // Without the consumer the host keeps the words, as always.
  run.cancel("out");
  run.send("in", words);
  run.wait();
  EXPECT_EQ(run.receive<uint32_t>("out", kCount), words);
}

// A device that always takes what arrives, as a board does.
class AlwaysTakes : public Device {
 public:
  explicit AlwaysTakes(std::unique_ptr<Device> device) : device_(std::move(device)) {}
  GridShape shape() const override { return device_->shape(); }
  uint64_t cycle() const override { return device_->cycle(); }
  std::string description() const override { return "a board"; }
  int send_credits(Side side, int index, int colour) const override {
    return device_->send_credits(side, index, colour);
  }
  std::vector<Arrival> take_arrivals(Side side, int index, int colour) override {
    return device_->take_arrivals(side, index, colour);
  }
  size_t available(Side side, int index, int colour) const override {
    return device_->available(side, index, colour);
  }
  bool tells_quiet() const override { return device_->tells_quiet(); }
  size_t offer(Side side, int index, const Wavelet* wavelets, size_t count) override {
    return device_->offer(side, index, wavelets, count);
  }
  size_t queued(Side side, int index, int colour) const override {
    return device_->queued(side, index, colour);
  }
  size_t queued(Side side, int index) const override { return device_->queued(side, index); }
  size_t queued() const override { return device_->queued(); }
  Pause advance(uint64_t max_cycles) override { return device_->advance(max_cycles); }

 private:
  std::unique_ptr<Device> device_;
};

TEST(BackPressure, AMachineThatAlwaysTakesWordsRefusesAConsumerThatDoesNot) {
  Runtime machine = make_runtime(std::make_unique<AlwaysTakes>(make_mini_grid({1, 2})));
  ow::Run run = machine.load(Program(kMini, pass({1, 2})));
  EXPECT_EQ(message([&] { run.consume("out", 0, [](Word) { return false; }); }),
            "stream 'out': a board cannot keep words in the grid: its consumer must take each "
            "word");
  std::vector<uint32_t> came;
  run.consume("out", 0, [&](Word word) { came.push_back(word.data); });
  run.send("in", std::vector<uint32_t>{1, 2, 3});
  run.wait();
  EXPECT_EQ(came, (std::vector<uint32_t>{1, 2, 3}));
}

// A program that polls may take its words between the questions.
TEST(BackPressure, ALoopThatAsksWhetherALaunchIsDoneMayTakeWordsBetween) {
  Layout layout({1, 2});
  layout.leave("out", 0, 1, Side::East);
  Runtime machine = open("sim:1x2");
  ow::Run run = machine.load(Program(kPour, layout));
  std::vector<uint32_t> words(100), came;
  for (uint32_t i = 0; i < 100; ++i) words[i] = i;
  run.write("words", words, Mapping::same());
  bool takes = false;
  run.consume("out", 0, [&](Word word) {
    if (takes) came.push_back(word.data);
    return takes;
  });
  const Event pour = run.on({0, 1, 1, 1}).launch("pour");
  int asked = 0;
  while (!pour.done() && asked < 100) takes = ++asked > 2;
  EXPECT_EQ(asked, 3);
  run.wait();
  EXPECT_EQ(came, words);
}

}  // namespace
}  // namespace ow
