// SPDX-License-Identifier: Apache-2.0
// The engine: what requests get, and in which order packets go in.
#include "ow/serve/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "fake_ring.h"
#include "ow/base/error.h"
#include "ow/check/golden_ring.h"
#include "ow/golden/sampling.h"
#include "seed.h"

namespace ow::serve {
namespace {

struct Answer {
  std::vector<int> tokens;
  Finish finish = Finish::Not;
  bool operator==(const Answer& o) const { return tokens == o.tokens && finish == o.finish; }
};

constexpr int kVocabulary = 20;

// What a request must get, one token after the other.
template <typename Logits>
Answer alone(const Request& request, const Logits& logits_of) {
  Answer answer;
  std::vector<int> context = request.prompt;
  while (answer.finish == Finish::Not) {
    const std::vector<uint32_t> logits = logits_of(context);
    const Sampling& s = request.sampling;
    const int token =
        s.temperature == 0
            ? golden::greedy_token(logits)
            : golden::sampled_token(logits, {s.temperature, s.top_k, s.top_p, s.seed, s.answer},
                                    static_cast<int>(context.size()));
    answer.tokens.push_back(token);
    context.push_back(token);
    if (std::count(request.ends.begin(), request.ends.end(), token) > 0) {
      answer.finish = Finish::End;
    } else if (static_cast<int>(answer.tokens.size()) == request.limit) {
      answer.finish = Finish::Length;
    }
  }
  return answer;
}

Answer alone(const Request& request) {
  return alone(request, [](const auto& context) { return fake_logits(context, kVocabulary); });
}

Request drawn(Rng* rng, int positions) {
  Request r;
  const int prompt = static_cast<int>(1 + rng->below(static_cast<uint64_t>(positions) / 2));
  for (int i = 0; i < prompt; ++i) r.prompt.push_back(static_cast<int>(rng->below(kVocabulary)));
  r.limit = static_cast<int>(1 + rng->below(static_cast<uint64_t>(positions - prompt)));
  if (rng->below(2) == 0) {
    r.sampling = {0.2 + rng->uniform(), static_cast<int>(rng->below(12)), 0.5 + rng->uniform() / 2,
                  rng->next(), rng->below(3)};
  }
  for (size_t n = rng->below(3); n > 0; --n) {
    r.ends.push_back(static_cast<int>(rng->below(kVocabulary)));
  }
  r.logits = rng->below(3) == 0;
  r.prompt_logits = rng->below(3) == 0;
  return r;
}

TEST(Engine, AnAnswerDependsOnItsRequestAlone) {
  for (const uint64_t seed : test_seeds(1, 60)) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    const RingShape shape = {static_cast<int>(1 + rng.below(6)), 40, kVocabulary,
                             static_cast<int>(1 + rng.below(8))};
    FakeRing ring(shape, static_cast<int>(40 + rng.below(100)), rng.next());
    Engine engine(&ring, static_cast<int>(1 + rng.below(9)));
    std::map<uint64_t, Request> requests;
    std::map<uint64_t, Answer> answers;
    std::map<uint64_t, bool> cancelled;
    std::map<uint64_t, size_t> of_prompts;
    int left = 30;
    while (true) {
      while (left > 0 && rng.below(3) != 0) {
        const Request r = drawn(&rng, shape.positions);
        requests[engine.submit(r)] = r;
        --left;
      }
      if (!requests.empty() && rng.below(40) == 0) {
        const uint64_t id = 1 + rng.below(requests.size());
        engine.cancel(id);
        if (answers[id].finish == Finish::Not) cancelled[id] = true;
      }
      const auto event = engine.next();
      if (!event && left == 0) break;
      if (!event) continue;
      Answer& answer = answers[event->request];
      const Request& request = requests.at(event->request);
      ASSERT_FALSE(cancelled[event->request]);
      ASSERT_EQ(answer.finish, Finish::Not);
      if (event->of_prompt) {
        // They come in their order, before the answer.
        ASSERT_TRUE(request.prompt_logits && answer.tokens.empty());
        const size_t position = ++of_prompts[event->request];
        ASSERT_EQ(static_cast<size_t>(event->position), position);
        ASSERT_EQ(event->token, request.prompt[position]);
        const auto begin = request.prompt.begin();
        ASSERT_EQ(event->logits, fake_logits({begin, begin + event->position}, kVocabulary));
        continue;
      }
      ASSERT_EQ(event->position, static_cast<int>(request.prompt.size() + answer.tokens.size()));
      ASSERT_EQ(event->logits.size(), request.logits ? kVocabulary : 0u);
      ASSERT_TRUE(event->cycle);
      answer.tokens.push_back(event->token);
      answer.finish = event->finish;
    }
    for (const auto& [id, request] : requests) {
      const Answer expected = alone(request);
      if (cancelled[id]) {
        ASSERT_LE(answers[id].tokens.size(), expected.tokens.size());
        ASSERT_TRUE(std::equal(answers[id].tokens.begin(), answers[id].tokens.end(),
                               expected.tokens.begin()));
      } else {
        ASSERT_EQ(answers[id].tokens, expected.tokens) << id;
        ASSERT_EQ(answers[id].finish, expected.finish) << id;
        ASSERT_EQ(of_prompts[id], request.prompt_logits ? request.prompt.size() - 1 : 0) << id;
      }
    }
    EXPECT_TRUE(ring.empty());
    EXPECT_EQ(engine.counts().queued + engine.counts().running, 0);
  }
}

TEST(Engine, OfGoldenGivesWhatGoldenDecodes) {
  for (const uint64_t seed : test_seeds({1})) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    LanguageShape shape;
    shape.width = 24;
    shape.layers = 3;
    shape.heads = 4;
    shape.kv_heads = 2;
    shape.head_size = 6;
    shape.hidden = 40;
    shape.vocabulary = kVocabulary;
    shape.positions = 30;
    shape.epsilon = 1e-5;
    const LanguageModel model = random_language_model(shape, HalfType::Binary16, rng.next());
    golden::GoldenRing ring(model, 2, 2, 3);
    const golden::Decoder decoder(model, 2, 2);
    EXPECT_EQ(ring.shape().inside, 6);
    Engine engine(&ring);
    std::map<uint64_t, Request> requests;
    for (int n = 0; n < 8; ++n) {
      const Request r = drawn(&rng, shape.positions);
      requests[engine.submit(r)] = r;
    }
    std::map<uint64_t, Answer> answers;
    std::map<uint64_t, std::vector<std::vector<uint32_t>>> logits;
    while (const auto event = engine.next()) {
      if (event->of_prompt) continue;
      if (!event->logits.empty()) logits[event->request].push_back(event->logits);
      answers[event->request].tokens.push_back(event->token);
      answers[event->request].finish = event->finish;
      EXPECT_FALSE(event->cycle);
    }
    for (const auto& [id, request] : requests) {
      std::vector<std::vector<uint32_t>> all;
      const Answer expected = alone(request, [&](const std::vector<int>& context) {
        golden::DecodeCache cache;
        std::vector<uint32_t> last;
        for (const int token : context) last = decoder.step(&cache, token);
        if (request.logits) all.push_back(last);
        return last;
      });
      EXPECT_EQ(logits[id], all);
      EXPECT_EQ(answers[id].tokens, expected.tokens);
      EXPECT_EQ(answers[id].finish, expected.finish);
    }
  }
}

Request request_of(int prompt, int limit) {
  Request r;
  for (int i = 0; i < prompt; ++i) r.prompt.push_back(i % kVocabulary);
  r.limit = limit;
  return r;
}

TEST(Engine, AStepIsOnePassOfTheRing) {
  FakeRing ring({2, 32, kVocabulary, 4}, 64, 1);
  Engine engine(&ring);
  EXPECT_FALSE(engine.busy());
  EXPECT_FALSE(engine.step());
  Request request;
  request.prompt = {1, 2, 3};
  request.limit = 2;
  engine.submit(request);
  EXPECT_TRUE(engine.busy());
  // Two tokens of the prompt pass without a token of the answer.
  EXPECT_FALSE(engine.step());
  EXPECT_FALSE(engine.step());
  EXPECT_TRUE(engine.step());
  const uint64_t second = engine.submit(request);
  engine.cancel(second);
  while (engine.busy()) {
    const auto event = engine.step();
    EXPECT_TRUE(!event || event->request != second);
  }
  EXPECT_TRUE(ring.empty());
}

TEST(Engine, TokensOfAnswersGoInBeforeThoseOfPrompts) {
  FakeRing ring({2, 100, kVocabulary, 1}, 1000, 1);
  Engine engine(&ring, 1);
  engine.submit(request_of(2, 20));
  ASSERT_TRUE(engine.next());
  engine.submit(request_of(20, 1));
  // The first request makes 19 more tokens, and the prompt waits for it: there is room for one
  // packet alone.
  for (int n = 0; n < 19; ++n) ASSERT_EQ(engine.next()->request, 1u);
  ASSERT_EQ(engine.next()->request, 2u);
  ASSERT_EQ(ring.sent.size(), 2u + 19u + 20u);
  for (size_t n = 0; n < ring.sent.size(); ++n) {
    EXPECT_EQ(ring.sent[n].slot, n < 21 ? 0 : 1);
  }
}

TEST(Engine, PromptsTakeTurns) {
  FakeRing ring({3, 100, kVocabulary, 1}, 1000, 1);
  Engine engine(&ring, 1);
  for (int n = 0; n < 3; ++n) engine.submit(request_of(10, 1));
  while (engine.next()) {
  }
  ASSERT_EQ(ring.sent.size(), 30u);
  for (size_t n = 3; n < 30; ++n) EXPECT_EQ(ring.sent[n].slot, ring.sent[n - 3].slot);
  EXPECT_NE(ring.sent[0].slot, ring.sent[1].slot);
  EXPECT_NE(ring.sent[1].slot, ring.sent[2].slot);
  EXPECT_NE(ring.sent[0].slot, ring.sent[2].slot);
}

TEST(Engine, GreedyPacketsGoOnByThemselvesOthersComeBack) {
  FakeRing ring({1, 100, kVocabulary, 4}, 1000, 1);
  Engine engine(&ring, 8);
  engine.submit(request_of(3, 20));
  while (engine.next()) {
  }
  std::vector<int> untils;
  for (const Packet& p : ring.sent) {
    if (p.head == HeadTask::Token) untils.push_back(p.until);
  }
  EXPECT_EQ(untils, std::vector<int>({9, 17, 21}));  // 8, 8 and 4 tokens from position 2 on

  ring.sent.clear();
  Request sampled = request_of(3, 20);
  sampled.sampling.temperature = 1;
  engine.submit(sampled);
  while (engine.next()) {
  }
  EXPECT_EQ(ring.sent.size(), 22u);
  EXPECT_EQ(std::count_if(ring.sent.begin(), ring.sent.end(),
                          [](const Packet& p) { return p.head == HeadTask::Logits; }),
            20);
}

TEST(Engine, WaitsForMemoryInTheOrderOfRequests) {
  FakeRing ring({4, 40, kVocabulary, 4}, 40, 1);
  Engine engine(&ring);
  engine.submit(request_of(10, 11));  // 20 positions
  engine.submit(request_of(20, 11));  // 30: waits
  engine.submit(request_of(1, 1));    // would fit, but does not overtake
  std::vector<uint64_t> order;
  while (const auto event = engine.next()) {
    if (event->finish != Finish::Not) order.push_back(event->request);
  }
  EXPECT_EQ(order.front(), 1u);
  EXPECT_EQ(order.size(), 3u);
  EXPECT_GT(ring.refused, 0);
}

TEST(Engine, RefusesRequestsThatCannotBe) {
  FakeRing ring({1, 40, kVocabulary, 4}, 40, 1);
  Engine engine(&ring);
  const auto message = [&engine](const Request& r) -> std::string {
    try {
      engine.submit(r);
    } catch (const BadInput& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(request_of(20, 20)), "");
  EXPECT_EQ(message(request_of(0, 1)), "the prompt has no token");
  EXPECT_EQ(message(request_of(1, 0)), "an answer of less than 1 token");
  EXPECT_EQ(message(request_of(20, 21)),
            "a prompt of 20 tokens and an answer of 21: a context has at most 40 positions");
  Request r = request_of(2, 1);
  r.prompt[1] = kVocabulary;
  EXPECT_EQ(message(r), "the prompt has token 20, the model has 20");
  r = request_of(2, 1);
  r.sampling.temperature = -1;
  EXPECT_EQ(message(r), "temperature -1.000000 is not 0 to 100");
}

}  // namespace
}  // namespace ow::serve
