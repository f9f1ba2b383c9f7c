// SPDX-License-Identifier: Apache-2.0
// Messages between ranks, the broadcast of a stream, and the time of the stages.
#include "ow/ranks/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/ranks/mailbox.h"
#include "ow/swarmx/cast.h"

namespace ow::swarmx {
namespace {

TEST(Transport, KeepsTheOrderOfATagAndBoundsWhatWaits) {
  const auto ranks = ranks::local_transports(2);
  std::thread sender([&] {
    for (uint8_t n = 0; n < 100; ++n) ranks[1]->send(0, ranks::Tag::Results, {n});
  });
  for (uint8_t n = 0; n < 100; ++n)
    EXPECT_EQ(ranks[0]->receive(1, ranks::Tag::Results), ranks::Message{n});
  sender.join();
  ranks[0]->close();
  ranks[1]->close();
}

TEST(Transport, AWaitForNothingEnds) {
  ranks::TransportOptions options;
  options.patience = std::chrono::seconds(1);
  const auto ranks = ranks::local_transports(2, options);
  EXPECT_THROW(ranks[0]->receive(1, ranks::Tag::Order), DeviceFault);
  // Room for so many messages and no more.
  EXPECT_THROW(for (int n = 0; n < 1000; ++n) ranks[0]->send(1, ranks::Tag::Order, {}),
               DeviceFault);
}

TEST(Transport, AFailureIsThatOfAllRanksWithItsReason) {
  const auto ranks = ranks::local_transports(3);
  std::thread waits([&] {
    try {
      ranks[2]->receive(0, ranks::Tag::Weights);
      ADD_FAILURE();
    } catch (const DeviceFault& error) {
      EXPECT_STREQ(error.what(), "rank 1 has ended: tile (0, 1) hangs");
    }
  });
  ranks[1]->fail(3, "tile (0, 1) hangs");
  waits.join();
  EXPECT_THROW(ranks[0]->check(), DeviceFault);
  EXPECT_THROW(ranks[0]->send(2, ranks::Tag::Order, {}), DeviceFault);
  // The user's mistake stays one.
  const auto others = ranks::local_transports(2);
  others[0]->fail(2, "job.yaml: no");
  EXPECT_THROW(others[1]->check(), BadInput);
}

TEST(Transport, ARankThatIsGoneIsMissed) {
  auto ranks = ranks::local_transports(2);
  ranks[1].reset();
  EXPECT_THROW(ranks[0]->receive(1, ranks::Tag::Order), DeviceFault);
}

TEST(Cast, TheTreeOfRanksReachesEachOnce) {
  for (int ranks = 1; ranks <= 33; ++ranks) {
    std::vector<int> reached(static_cast<size_t>(ranks), 0);
    for (int r = 0; r < ranks; ++r) {
      for (const int below : ranks_below(r, ranks)) {
        EXPECT_EQ(rank_above(below), r);
        ++reached[static_cast<size_t>(below)];
      }
    }
    EXPECT_EQ(reached[0], 0);
    for (size_t r = 1; r < reached.size(); ++r) EXPECT_EQ(reached[r], 1) << r;
  }
}

// Batches of random wavelets.
class RandomBatches : public memoryx::BatchSource {
 public:
  RandomBatches(uint64_t seed, size_t rows, int count) : rng_(seed), rows_(rows), left_(count) {}
  bool done() const override { return left_ == 0; }
  std::shared_ptr<const memoryx::WaveletBatch> next() override {
    --left_;
    auto batch = std::make_shared<memoryx::WaveletBatch>();
    batch->step = static_cast<size_t>(left_ / 8);
    batch->rows.resize(rows_);
    for (auto& row : batch->rows) {
      for (uint64_t n = rng_.below(50); n > 0; --n) {
        row.push_back({0, rng_.below(3) == 0, static_cast<uint32_t>(rng_.next())});
      }
    }
    return batch;
  }

 private:
  Rng rng_;
  size_t rows_;
  int left_;
};

TEST(Cast, GivesEveryWaferOfEveryRankTheStreamsAsTheyWereMade) {
  constexpr int kRanks = 5, kWafers = 3, kStreams = 4, kRows = 2;
  const auto ranks = ranks::local_transports(kRanks);
  memoryx::StreamOptions options;
  options.rows = kRows;
  std::vector<std::thread> threads;
  const auto read = [&](Cast* cast, int n) {
    for (int s = 0; s < kStreams; ++s) {
      const auto source = cast->reader(n);
      RandomBatches want(static_cast<uint64_t>(s), kRows, 20);
      // One of them does not take the end of a stream before it takes the next one.
      const int count = n == 1 ? 19 : 20;
      for (int b = 0; b < count; ++b) {
        const auto got = source->next(), made = want.next();
        EXPECT_EQ(got->step, made->step);
        EXPECT_EQ(got->rows, made->rows);
      }
      EXPECT_EQ(source->done(), count == 20);
    }
    if (n == 1) cast->reader(n);
  };
  for (int r = 0; r < kRanks; ++r) {
    threads.emplace_back([&, r] {
      Cast cast(*ranks[static_cast<size_t>(r)], kWafers);
      std::vector<std::thread> wafers;
      for (int n = 0; n < kWafers; ++n) wafers.emplace_back([&, n] { read(&cast, n); });
      for (int s = 0; s < kStreams; ++s) {
        RandomBatches source(static_cast<uint64_t>(s), kRows, 20);
        if (r == 0) {
          cast.send(&source);
        } else {
          cast.relay(options);
        }
      }
      for (std::thread& wafer : wafers) wafer.join();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& rank : ranks) rank->close();
}

TEST(Cast, AWaitThatNothingMovesEnds) {
  ranks::TransportOptions options;
  options.patience = std::chrono::seconds(1);
  const auto rank = std::move(ranks::local_transports(1, options).front());
  {
    Cast cast(*rank, 2);
    EXPECT_THROW(cast.reader(0)->next(), DeviceFault);
  }
  Cast cast(*rank, 2);
  RandomBatches source(1, 2, 20);
  EXPECT_THROW(cast.send(&source), DeviceFault);
  rank->close();
}

TEST(Cast, SignsOfLifeOfAWaferAreWaitedFor) {
  ranks::TransportOptions options;
  options.patience = std::chrono::seconds(1);
  const auto rank = std::move(ranks::local_transports(1, options).front());
  Cast cast(*rank, 1);
  std::thread wafer([&] {
    for (int n = 0; n < 20; ++n) {  // 2 s
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      cast.alive();
    }
    const auto source = cast.reader(0);
    while (!source->done()) source->next();
    cast.leave(0);
  });
  RandomBatches source(1, 2, 20);
  EXPECT_NO_THROW(cast.send(&source));
  wafer.join();
  rank->close();
}

TEST(Cast, AWaferThatLeavesHoldsNobodyUp) {
  const auto rank = std::move(ranks::local_transports(1).front());
  Cast cast(*rank, 2);
  std::thread first([&] {
    cast.reader(0)->next();
    cast.leave(0);
  });
  std::thread second([&] {
    const auto source = cast.reader(1);
    while (!source->done()) source->next();
    cast.leave(1);
  });
  RandomBatches source(1, 2, 40), another(2, 2, 40);
  EXPECT_NO_THROW(cast.send(&source));
  first.join();
  second.join();
  EXPECT_THROW(cast.send(&another), DeviceFault);  // nobody is left
  rank->close();
}

TEST(Mailbox, CountsItsPatienceFromTheLastSignOfLife) {
  ranks::Mailbox box(2, std::chrono::seconds(1));
  std::thread other([&] {
    for (int n = 0; n < 20; ++n) {  // 2 s
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      box.alive();
    }
    box.deliver(1, ranks::Tag::Order, {1});
  });
  EXPECT_EQ(box.take_message(1, ranks::Tag::Order), ranks::Message{1});
  other.join();
  box.fail(3, "over");
  EXPECT_NO_THROW(box.deliver(1, ranks::Tag::Order, {2}));
}

}  // namespace
}  // namespace ow::swarmx
