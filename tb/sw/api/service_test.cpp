// SPDX-License-Identifier: Apache-2.0
// The thread of the engine and those that wait for it.
#include "ow/api/service.h"

#include <gtest/gtest.h>

#include "server_bench.h"

namespace ow::api {
namespace {

Job job(int count, int limit) {
  Job job;
  serve::Request request;
  request.prompt = {1, 2, 3};
  request.limit = limit;
  job.requests.assign(static_cast<size_t>(count), request);
  return job;
}

int status_of(Bench* bench, int count) {
  try {
    bench->service.end(bench->service.submit(job(count, 100)));
    return 200;
  } catch (const ApiError& e) {
    return e.status;
  }
}

// The tokens of a job until `answers` have ended.
int tokens(Answers* answers, int open) {
  int count = 0;
  while (open > 0) {
    const auto token = answers->wait(std::chrono::seconds(10));
    if (!token) return -1;
    ++count;
    if (token->finish != serve::Finish::Not) --open;
  }
  return count;
}

TEST(ApiService, GivesTheTokensOfEachAnswer) {
  Bench bench;
  const auto answers = bench.service.submit(job(4, 7));
  EXPECT_EQ(tokens(answers.get(), 4), 28);
  EXPECT_FALSE(answers->wait(std::chrono::milliseconds(1)));
  EXPECT_TRUE(bench.idle());
}

TEST(ApiService, RefusesMoreThanItsQueueTakes) {
  Bench bench(2, 3);
  bench.ring.pause = std::chrono::microseconds(20000);
  const auto first = bench.service.submit(job(4, 50));
  EXPECT_EQ(status_of(&bench, 2), 429);
  const auto second = bench.service.submit(job(1, 50));
  EXPECT_EQ(status_of(&bench, 1), 429);
  // What waits ends as well as what runs, and makes room.
  bench.service.end(first);
  bench.ring.pause = std::chrono::microseconds(0);
  EXPECT_TRUE([&] {
    for (int n = 0; n < 10000; ++n) {
      if (status_of(&bench, 4) == 200) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }());
  EXPECT_EQ(tokens(second.get(), 1), 50);
  EXPECT_TRUE(bench.idle());
}

TEST(ApiService, EndsOneAnswerOfSeveral) {
  Bench bench;
  bench.ring.pause = std::chrono::microseconds(5000);
  const auto answers = bench.service.submit(job(2, 100));
  bench.service.end(answers, 1);
  int of_first = 0;
  while (of_first < 100) {
    const auto token = answers->wait(std::chrono::seconds(10));
    ASSERT_TRUE(token);
    if (token->answer == 0) ++of_first;
  }
  EXPECT_TRUE(bench.idle());
  EXPECT_EQ(bench.service.metrics().stopped, 1u);
  // It has ended already: nothing happens.
  bench.service.end(answers);
  EXPECT_TRUE(bench.idle());
  EXPECT_EQ(bench.service.metrics().stopped, 1u);
}

TEST(ApiService, ItsEndReachesAllThatWait) {
  Bench bench(1, 6);
  bench.ring.pause = std::chrono::microseconds(20000);
  const auto running = bench.service.submit(job(1, 100)), waiting = bench.service.submit(job(1, 9));
  bench.stop();
  for (const auto& answers : {running, waiting}) {
    try {
      tokens(answers.get(), 1);
      ADD_FAILURE() << "the answer goes on";
    } catch (const ApiError& e) {
      EXPECT_EQ(e.status, 503);
      EXPECT_EQ(e.code, "shutting_down");
    }
  }
  EXPECT_EQ(status_of(&bench, 1), 503);
  EXPECT_THROW(bench.service.check(), ApiError);
}

TEST(ApiService, AMachineThatFailsIsAnErrorOfAllAnswers) {
  Bench bench;
  bench.ring.broken = true;
  const auto answers = bench.service.submit(job(1, 10));
  try {
    tokens(answers.get(), 1);
    ADD_FAILURE() << "the answer goes on";
  } catch (const ApiError& e) {
    EXPECT_EQ(e.code, "machine_failed");
    EXPECT_STREQ(e.what(), "the machine has failed: the ring is broken");
  }
  EXPECT_EQ(status_of(&bench, 1), 503);
}

TEST(ApiService, CountsWhatHappens) {
  Bench bench;
  tokens(bench.service.submit(job(3, 5)).get(), 3);
  EXPECT_TRUE(bench.idle());
  const Metrics m = bench.service.metrics();
  EXPECT_EQ(m.engine.tokens, 15u);
  EXPECT_EQ(m.engine.prompt_tokens, 9u);
  EXPECT_EQ(m.most, 8);
  EXPECT_EQ(m.slots, 2);
  const std::string text = m.text();
  for (const char* line :
       {"openwafer_tokens_total 15\n", "openwafer_first_token_seconds_count 3\n",
        "openwafer_token_seconds_count 12\n", "openwafer_slots_used 0\n",
        "openwafer_tokens_per_second 1.5\n", "openwafer_prompt_tokens_per_second 0.9\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

}  // namespace
}  // namespace ow::api
