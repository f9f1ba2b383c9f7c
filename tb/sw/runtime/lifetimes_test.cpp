// SPDX-License-Identifier: Apache-2.0
// What programs, copies and callbacks leave to each other: one that throws, goes away or stands
// beside another one.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "messages.h"
#include "openwafer/openwafer.h"
#include "programs.h"

namespace ow {
namespace {

const std::string kElf = OW_KERNEL_DIR "/library_kernel.elf";
const std::string kMini = OW_KERNEL_DIR "/mini_kernel.elf";

TEST(Lifetimes, WhatACallbackThrowsLosesNoWord) {
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kElf, pass({1, 1})));
  constexpr uint32_t kCount = 200;
  uint32_t made = 0;
  bool producer_threw = false, consumer_threw = false;
  std::vector<uint32_t> came;
  run.produce("in", 0, [&]() -> std::optional<Word> {
    if (made == 100 && !producer_threw) {
      producer_threw = true;
      throw std::runtime_error("producer");
    }
    return made == kCount ? std::nullopt : std::optional<Word>(Word{made++});
  });
  run.consume("out", 0, [&](Word word) {
    came.push_back(word.data);
    if (came.size() == 50 && !consumer_threw) {
      consumer_threw = true;
      throw std::runtime_error("consumer");
    }
  });
  EXPECT_THROW(run.wait(), std::runtime_error);
  EXPECT_THROW(run.wait(), std::runtime_error);
  run.wait();
  ASSERT_EQ(came.size(), kCount);
  for (uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(came[i], i);
}

TEST(Lifetimes, WhatCameBeforeReceiveThrewCanBeReceived) {
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kElf, pass({1, 1})));
  uint32_t made = 0;
  bool threw = false;
  run.produce("in", 0, [&]() -> std::optional<Word> {
    // When the port asks for more, what it had before has long arrived.
    if (made == 1500 && !threw) {
      threw = true;
      throw std::runtime_error("producer");
    }
    return made == 2000 ? std::nullopt : std::optional<Word>(Word{made++});
  });
  EXPECT_THROW(run.receive<uint32_t>("out", 2000), std::runtime_error);
  const std::vector<uint32_t> words = run.receive<uint32_t>("out", 2000);
  for (uint32_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], i);
}

// The copy of a read that has thrown goes on, into memory that nobody else has.
TEST(Lifetimes, AReadThatThrewWritesIntoNobodysMemory) {
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kElf, pass({1, 1})));
  run.write("big", std::vector<uint32_t>(2048, 7));
  bool threw = false;
  run.produce("in", 0, [&]() -> std::optional<Word> {
    if (!threw) {
      threw = true;
      throw std::runtime_error("producer");
    }
    return std::nullopt;
  });
  EXPECT_THROW(run.read<uint32_t>("big"), std::runtime_error);
  std::vector<std::vector<uint32_t>> others;  // wherever the allocator puts them
  for (int i = 0; i < 16; ++i) others.emplace_back(2048, 1);
  run.prints();  // the copy is done first
  for (const std::vector<uint32_t>& other : others) {
    ASSERT_EQ(other, std::vector<uint32_t>(2048, 1));
  }
  EXPECT_EQ(run.read<uint32_t>("big"), std::vector<uint32_t>(2048, 7));
}

TEST(Lifetimes, ARunThatIsGoneLeavesNoWordsToTheNext) {
  Runtime machine = open("sim-mini:1x1");
  {
    ow::Run run = machine.load(Program(kMini, sums()));
    run.send("x", std::vector<f16>(8, f16(1)));
    run.launch("add").wait();  // what it sends is not received
  }
  ow::Run run = machine.load(Program(kMini, sums()));
  run.send("x", std::vector<f16>(8, f16(2)));
  run.launch("add").wait();
  EXPECT_EQ(run.receive<f16>("sum", 8), std::vector<f16>(8, f16(2)));
}

TEST(Lifetimes, CallbacksEndWithTheLastRunAndTheLastLaunch) {
  Runtime machine = open("sim:2x2");
  std::weak_ptr<int> asked, taken;
  std::optional<Event> event;
  {
    ow::Run run = machine.load(Program(kElf, pass({1, 2})), Rect{0, 0, 1, 2});
    const auto a = std::make_shared<int>(0), b = std::make_shared<int>(0);
    asked = a;
    taken = b;
    run.produce("in", 0,
                [a]() -> std::optional<Word> { return Word{static_cast<uint32_t>(++*a)}; });
    run.consume("out", 0, [b](Word) { ++*b; });
    event = run.launch("count");
  }
  ow::Run beside = machine.load(Program(kElf), Rect{1, 0, 1, 2});
  ASSERT_FALSE(asked.expired()) << "the launch can still be waited for";
  ASSERT_FALSE(taken.expired());
  EXPECT_GT(*taken.lock(), 0);
  event->wait(100'000);
  event.reset();
  EXPECT_TRUE(asked.expired());
  EXPECT_TRUE(taken.expired());
  beside.launch("count").wait();
  // Its colours are still its own: what is loaded beside it has others.
  ow::Run again = machine.load(Program(kElf, pass({1, 2})), Rect{0, 0, 1, 2});
  again.send("in", std::vector<uint32_t>{1, 2, 3});
  EXPECT_EQ(again.receive<uint32_t>("out", 3), (std::vector<uint32_t>{1, 2, 3}))
      << "without a word of the one before";
}

// Launches and loading wait for tiles, not for what others have to send.
TEST(Lifetimes, ProgramsDoNotWaitForEachOthersStreams) {
  Runtime machine = open("sim:2x2");
  Layout layout({1, 2});
  layout.broadcast("x", Side::West);
  ow::Run waits = machine.load(Program(kMini, layout), Rect{0, 0, 1, 2});
  waits.send("x", std::vector<uint32_t>(64, 1));  // nobody has been told to take it
  ow::Run run = machine.load(Program(kElf), Rect{1, 0, 1, 2});
  run.launch("count").wait();
  run.wait();
  EXPECT_EQ(run.read<uint32_t>("counted", Mapping::same()).front(), 8u);
  EXPECT_TRUE(has(message([&] { waits.wait(); }), "the program hangs:"));

  ow::Run flows = machine.load(Program(kElf, pass({1, 2})), Rect{0, 0, 1, 2});
  flows.produce("in", 0, []() -> std::optional<Word> { return Word{1}; });  // has no end
  flows.consume("out", 0, [](Word) {});
  const uint64_t begin = machine.cycle();
  run = machine.load(Program(kElf), Rect{1, 0, 1, 2});
  EXPECT_LT(machine.cycle() - begin, 500'000u);
  run.launch("count").wait();
  EXPECT_EQ(run.read<uint32_t>("counted", Mapping::same()).front(), 8u);
  EXPECT_TRUE(has(message([&] { flows.wait(50'000); }), "the program did not end within 50000"));
}

TEST(Lifetimes, DataForLaterLaunchesMayBeSentAhead) {
  Runtime machine = open("sim-mini:1x1");
  ow::Run run = machine.load(Program(kMini, sums()));
  constexpr int kLaunches = 20;
  for (int i = 0; i < kLaunches; ++i) run.send("x", std::vector<f16>(8, f16(i)));
  for (int i = 0; i < kLaunches; ++i) {
    run.launch("add").wait();
    EXPECT_EQ(run.receive<f16>("sum", 8), std::vector<f16>(8, f16(i)));
  }
  run.wait();
}

TEST(Lifetimes, ARefusedLaunchHasRunNowhere) {
  Runtime machine = open("sim:1x2");
  Program program(Layout({1, 2}));
  program.add_firmware(Rect{0, 0, 1, 1}, kMini).add_firmware(Rect{0, 1, 1, 1}, kElf);
  ow::Run run = machine.load(program);
  EXPECT_TRUE(has(message([&] { run.launch("add"); }),
                  "'add' takes 2 arguments (u32 n, i32 value), not 0"));
  run.wait();  // mini_kernel's would wait for x
}

TEST(Lifetimes, AProfileHasTheCyclesOfACopyThatIsUnderWay) {
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kElf));
  run.profile();
  std::vector<uint32_t> big;
  const Event copy = run.read_async("big", &big);
  const Profile profile = run.profile();
  EXPECT_TRUE(copy.done());
  EXPECT_GT(profile.total.asleep, 2000u);
  EXPECT_LE(profile.total.asleep, profile.cycles + 100);
}

// A loop of done() ends: each call lets the machine work, and throws what wait() would.
TEST(Lifetimes, AskingWhetherItIsDoneLetsTheMachineWork) {
  Runtime machine = open("sim:1x2");
  ow::Run run = machine.load(Program(kElf));
  const auto ask = [](const Event& event) {
    int asked = 1;
    while (!event.done()) {
      if (++asked > 100) return -1;
    }
    return asked;
  };
  const Event launch = run.launch("add", 8, 5);
  EXPECT_GT(ask(launch), 0);
  EXPECT_EQ(run.read<int32_t>("vector").size(), 16u);
  std::vector<uint32_t> big;
  const Event copy = run.read_async("big", &big);
  EXPECT_GT(ask(copy), 0);
  EXPECT_TRUE(copy.done());
  const Event spin = run.launch("spin");
  EXPECT_FALSE(spin.done());
  EXPECT_FALSE(spin.done()) << "it never is, and that is no error";
  Runtime other = open("sim:1x1");
  ow::Run trapped = other.load(Program(kElf));
  const Event trap = trapped.launch("trap");
  EXPECT_TRUE(has(message([&] { ask(trap); }), "stopped: store access fault"));
}

// Each program that was launched and not waited for is fenced once, however often it was.
TEST(Lifetimes, ReadsDoNotPayForEachLaunch) {
  const auto cycles = [](int launches) {
    Runtime machine = open("sim:1x2");
    ow::Run run = machine.load(Program(kElf));
    for (int i = 0; i < launches; ++i) run.launch("count");
    const uint64_t begin = machine.cycle();
    run.read<uint32_t>("counted", Mapping::same());
    return machine.cycle() - begin;
  };
  EXPECT_LE(cycles(200), cycles(1) + 200);
}

TEST(Lifetimes, RectanglesThatOverflowAreRefused) {
  constexpr int kMost = std::numeric_limits<int>::max();
  Runtime machine = open("sim:2x2");
  for (const Rect& rect : {Rect{1, 0, kMost, 1}, Rect{0, 1, 1, kMost}, Rect{kMost, 0, 1, 1}}) {
    EXPECT_TRUE(has(message([&] { machine.load(Program(kElf), rect); }), "the machine has 2 x 2"));
    Program program(Layout({2, 2}));
    program.add_firmware(rect, kElf);
    EXPECT_TRUE(has(message([&] { machine.load(program); }), "are not in the program's 2 x 2"));
  }
  Program program(Layout({2, 2}));
  program.add_firmware(Rect{1, 0, kMost, 1}, kElf);
  EXPECT_TRUE(has(message([&] {
                    program.add_firmware(Rect{kMost, 0, 1, 1}, kElf);
                  }),
                  "the same tiles"));
  EXPECT_TRUE(has(message([&] {
                    program.add_firmware(Rect{0, 0, 0, 1}, kElf);
                  }),
                  "0 x 1 tiles at (0, 0)"));
}

TEST(Lifetimes, NamesOfALayoutAreOneThingEach) {
  const auto taken = [](auto&& f) {
    Layout layout({1, 2});
    return has(message([&] { f(&layout); }), "is taken");
  };
  EXPECT_TRUE(taken([](Layout* l) {
    const int c = l->colour("ring");
    l->host_sends("ring", Side::West, 0, 0, c);
    l->host_receives("ring", 0, 1, Side::East, c);
  })) << "both ways";
  EXPECT_TRUE(taken([](Layout* l) {
    l->broadcast("x", Side::West);
    l->host_receives("x", 0, 0, Side::East, l->colour("y"));
  }));
  EXPECT_TRUE(taken([](Layout* l) {
    l->host_receives("x", 0, 0, Side::East, l->colour("y"));
    l->broadcast("x", Side::West);
  }));
  EXPECT_FALSE(taken([](Layout* l) {
    const int c = l->colour("x");
    l->tile_receives("x", 0, 0, c);
    l->host_sends("x", Side::West, 0, 0, c);
    l->host_sends("x", Side::West, 0, 1, c);
  })) << "a flow by hand, of several ports";
}

}  // namespace
}  // namespace ow
