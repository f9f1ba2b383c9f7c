// SPDX-License-Identifier: Apache-2.0
// Language models on simulated tiles, through the engine: every logit of every user is golden's,
// whatever the other users do.
#include "ow/serve/grid_ring.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draws.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/check/answer_check.h"
#include "ow/runtime/machine.h"
#include "ow/serve/engine.h"
#include "ow/sim/sim.h"
#include "seed.h"

namespace ow::serve {
namespace {

std::vector<Runtime> open_wafers(int count, GridShape grid) {
  std::vector<Runtime> wafers;
  for (int n = 0; n < count; ++n) {
    wafers.push_back(make_runtime(make_device(DeviceKind::Replicated, grid)));
  }
  return wafers;
}

// Uniform from `low` to `high`.
int between(Rng* rng, int low, int high) {
  return low + static_cast<int>(rng->below(static_cast<uint64_t>(high - low + 1)));
}

Request request_of(int prompt, int limit, int vocabulary, Rng* rng) {
  Request r;
  for (int n = 0; n < prompt; ++n) r.prompt.push_back(between(rng, 0, vocabulary - 1));
  r.limit = limit;
  r.logits = true;
  return r;
}

// A model on a grid, or on several of that size, and golden beside it.
class Wafer {
 public:
  Wafer(const LanguageModel& model, GridShape grid, const jobs::LanguageOptions& options,
        int wafers = 1)
      : decoder_(model, options.region.rows, options.region.cols),
        ring_(open_wafers(wafers, grid), model, options, OW_FIRMWARE_DIR) {}

  GridRing& ring() { return ring_; }

  // Begins to answer requests: `engine` must end before the wafer.
  struct Answers {
    Answers(Wafer* wafer, int ahead) : wafer_(wafer), engine(&wafer->ring_, ahead) {}

    uint64_t submit(const Request& request) {
      const uint64_t id = engine.submit(request);
      checks_.emplace(id, golden::AnswerCheck(&wafer_->decoder_, request));
      return id;
    }
    // Takes a token and compares it; nothing: all answers have ended.
    std::optional<Event> next() {
      std::optional<Event> event = engine.next();
      if (!event) return event;
      const std::string differs = checks_.at(event->request).compare(*event);
      EXPECT_EQ(differs, "") << "user " << event->request;
      if (!differs.empty()) return std::nullopt;
      logits[event->request].push_back(event->logits);
      ++tokens;
      return event;
    }
    void all() {
      while (next()) {
      }
    }

   private:
    Wafer* wafer_;
    std::map<uint64_t, golden::AnswerCheck> checks_;

   public:
    Engine engine;
    std::map<uint64_t, std::vector<std::vector<uint32_t>>> logits;
    int tokens = 0;
  };

 private:
  golden::Decoder decoder_;
  GridRing ring_;
};

LanguageShape shape_of(int width, int layers, int heads, int kv_heads, int head_size, int hidden,
                       int vocabulary, int positions) {
  LanguageShape s;
  s.width = width;
  s.layers = layers;
  s.heads = heads;
  s.kv_heads = kv_heads;
  s.head_size = head_size;
  s.hidden = hidden;
  s.vocabulary = vocabulary;
  s.positions = positions;
  s.epsilon = 1e-5;
  return s;
}

// Five blocks and the head on 4 x 6 tiles.
void small_model(HalfType type, int tokens) {
  const LanguageModel model =
      random_language_model(shape_of(64, 5, 8, 4, 8, 172, 512, 512), type, 5, true);
  Wafer wafer(model, {4, 6}, {{2, 2}, 1, 0});
  Rng rng(test_seed(1));
  Wafer::Answers answers(&wafer, 16);
  answers.submit(request_of(1, tokens, 512, &rng));
  answers.all();
  EXPECT_EQ(answers.tokens, tokens);
}

TEST(GridRing, ALongTextOfASmallModelIsThatOfGolden) { small_model(HalfType::Binary16, 256); }

TEST(GridRing, ATextInBfloat16IsThatOfGolden) { small_model(HalfType::Bfloat16, 32); }

// The head and two blocks on one wafer, three blocks on the other. Users come and go.
TEST(GridRing, TwoWafersGiveTheBitsOfOne) {
  const LanguageModel model =
      random_language_model(shape_of(64, 5, 8, 4, 8, 172, 512, 512), HalfType::Binary16, 5, true);
  Wafer wafers(model, {4, 4}, {{2, 2}, 8, 64}, 2);
  Rng rng(test_seed(1));
  Wafer::Answers answers(&wafers, 4);
  int tokens = 0;
  for (int user = 0; user < 10; ++user) {
    const Request r = request_of(between(&rng, 1, 6), between(&rng, 1, 10), 512, &rng);
    tokens += r.limit;
    answers.submit(r);
  }
  answers.all();
  EXPECT_EQ(answers.tokens, tokens);
}

// A user first alone, and then among others: their prompts and answers have any length, they come
// at any time, and some go.
TEST(GridRing, WhatAUserGetsDoesNotDependOnOthers) {
  constexpr int kUsers = 6, kVocabulary = 60;
  const LanguageModel model = random_language_model(shape_of(16, 2, 4, 2, 4, 20, kVocabulary, 64),
                                                    HalfType::Binary16, 3, true);
  for (const uint64_t seed : test_seeds(1, 1)) {
    Wafer wafer(model, {3, 2}, {{1, 2}, kUsers, 0});
    for (int draw = 0; draw < draws(20); ++draw) {
      SCOPED_TRACE(fmt::format("OW_SEED={} draw {}", seed, draw));
      Rng rng(seed + 1000 * static_cast<uint64_t>(draw));
      const int ahead = between(&rng, 1, 8);
      const Request first = request_of(between(&rng, 1, 12), between(&rng, 4, 12), 60, &rng);
      Wafer::Answers alone(&wafer, ahead);
      const uint64_t by_itself = alone.submit(first);
      alone.all();
      ASSERT_EQ(alone.tokens, first.limit);

      Wafer::Answers among(&wafer, ahead);
      const int begins = between(&rng, 0, kUsers - 1);
      std::vector<uint64_t> ids;
      uint64_t same = 0;
      while (true) {
        while (ids.size() < kUsers && (ids.empty() || rng.below(2) == 0)) {
          const bool it = static_cast<int>(ids.size()) == begins;
          ids.push_back(among.submit(
              it ? first : request_of(between(&rng, 1, 20), between(&rng, 1, 16), 60, &rng)));
          if (it) same = ids.back();
        }
        if (rng.below(8) == 0) {
          const uint64_t goes = ids[rng.below(ids.size())];
          if (goes != same) among.engine.cancel(goes);
        }
        if (!among.next() && (ids.size() == kUsers || HasFailure())) break;
      }
      if (HasFailure()) return;
      EXPECT_EQ(among.logits[same], alone.logits[by_itself]);
    }
  }
}

// Any shape that a region can hold. Large ones have products of several passes.
LanguageShape drawn_shape(GridShape region, bool large, Rng* rng) {
  const int c = region.cols, k = large ? 4 : 1;
  const int most = 14000 * region.rows * c;  // weights of a region
  while (true) {
    LanguageShape s =
        shape_of(between(rng, region.rows, 40 * k), between(rng, 1, 2), c * between(rng, 1, 4), 1,
                 2 * between(rng, 1, large ? 16 : 6), between(rng, c, 50 * k),
                 between(rng, c, 150 * k), between(rng, 20, 90));
    if (rng->below(3) == 0) s.heads = between(rng, 1, c);  // columns may share a head
    s.kv_heads = between(rng, 1, s.heads);
    s.theta = rng->below(2) == 0 ? 10000 : 500000;
    if (s.heads % s.kv_heads != 0 || !region_holds_heads(s, c)) continue;
    if (s.heads / c > 4 || s.heads / c * s.head_size > 128) continue;
    const int block = s.width * (2 * (s.heads + s.kv_heads) * s.head_size + 3 * s.hidden);
    // An untied head has both matrices.
    if (block <= most && 2 * s.width * s.vocabulary <= most) return s;
  }
}

TEST(GridRing, RandomModelsOnRandomRegionsAreThoseOfGolden) {
  for (const uint64_t seed : test_seeds(1, 1)) {
    for (int draw = 0; draw < draws(40); ++draw) {
      Rng rng(seed + 1000 * static_cast<uint64_t>(draw));
      const GridShape region{between(&rng, 1, 3), between(&rng, 1, 4)};
      const LanguageShape s = drawn_shape(region, draw % 3 == 2, &rng);
      const HalfType type = rng.below(2) == 0 ? HalfType::Binary16 : HalfType::Bfloat16;
      const bool tied = rng.below(2) == 0;
      const int users = between(&rng, 1, 3), wafers = between(&rng, 1, s.layers + 1);
      SCOPED_TRACE(fmt::format(
          "OW_SEED={} draw {}: regions of {} x {}; width {}, {} blocks, {} heads of "
          "{}, {} of keys, "
          "hidden {}, {} tokens, {} positions, {}, {} users, {} wafers",
          seed, draw, region.rows, region.cols, s.width, s.layers, s.heads, s.head_size, s.kv_heads,
          s.hidden, s.vocabulary, s.positions, half_name(type), users, wafers));
      const LanguageModel model = random_language_model(s, type, rng.next(), tied);
      // In a row, in a column or in a square.
      const GridShape places = rng.below(2) == 0   ? GridShape{2, 2}
                               : rng.below(2) == 0 ? GridShape{1, s.layers + 1}
                                                   : GridShape{s.layers + 1, 1};
      Wafer wafer(model, {places.rows * region.rows, places.cols * region.cols}, {region, users, 0},
                  wafers);
      Wafer::Answers answers(&wafer, between(&rng, 1, 4));
      int tokens = 0;
      for (int user = 0; user < users; ++user) {
        const int limit = between(&rng, 1, 6);
        Request r = request_of(between(&rng, 1, 10), limit, s.vocabulary, &rng);
        if (rng.below(3) == 0) r.sampling = {0.8, 5, 0.9, rng.next(), 0};
        answers.submit(r);
        tokens += limit;
      }
      answers.all();
      ASSERT_EQ(answers.tokens, tokens);
    }
  }
}

// A user can have all pages, or several users one each.
TEST(GridRing, UsersWhoseKeysAndValuesDoNotFitWait) {
  const LanguageModel model =
      random_language_model(shape_of(32, 1, 2, 2, 32, 16, 40, 1000), HalfType::Binary16, 8, true);
  Wafer wafer(model, {2, 2}, {{2, 1}, 4, 0});
  const jobs::LanguagePlan& plan = wafer.ring().plan();
  const int positions = plan.positions;
  EXPECT_EQ(positions, (plan.pages * plan.page_places + plan.short_places) * 2);
  ASSERT_LT(positions, 1000);
  Rng rng(test_seed(1));
  Wafer::Answers answers(&wafer, 4);
  // The first one's text takes every position; the others come one after the other, or together.
  const Request whole = request_of(positions - 4, 4, 40, &rng);
  const uint64_t first = answers.submit(whole);
  for (int n = 0; n < 4; ++n) answers.submit(request_of(5, 3, 40, &rng));
  EXPECT_EQ(answers.next()->request, first);
  EXPECT_EQ(answers.engine.counts().running, 1);
  answers.all();
  EXPECT_EQ(answers.tokens, 4 + 4 * 3);
  Request more = whole;
  ++more.limit;
  try {
    answers.submit(more);
    ADD_FAILURE() << "takes more than the memory";
  } catch (const BadInput& e) {
    EXPECT_EQ(std::string(e.what()),
              fmt::format("a prompt of {} tokens and an answer of 5: a context has at most {} "
                          "positions",
                          positions - 4, positions));
  }
}

}  // namespace
}  // namespace ow::serve
