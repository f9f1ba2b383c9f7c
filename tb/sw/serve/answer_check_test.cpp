// SPDX-License-Identifier: Apache-2.0
// What a machine is held against while it answers.
#include "ow/check/answer_check.h"

#include <gtest/gtest.h>

#include <string>

#include "ow/check/golden_ring.h"

namespace ow::golden {
namespace {

LanguageModel small_model() {
  LanguageShape shape;
  shape.width = 24;
  shape.layers = 1;
  shape.heads = 2;
  shape.kv_heads = 1;
  shape.head_size = 4;
  shape.hidden = 12;
  shape.vocabulary = 30;
  shape.positions = 16;
  shape.epsilon = 1e-5;
  return random_language_model(shape, HalfType::Binary16, 1);
}

serve::Request request(double temperature) {
  serve::Request r;
  r.prompt = {3, 1, 4};
  r.limit = 9;
  r.sampling.temperature = temperature;
  r.logits = true;
  return r;
}

TEST(AnswerCheck, TakesWhatIsGoldens) {
  const LanguageModel model = small_model();
  for (const double temperature : {0.0, 1.0}) {
    GoldenRing ring(model, 2, 1, 1);
    serve::Engine engine(&ring, 4);
    const Decoder decoder(model, 2, 1);
    AnswerCheck check(&decoder, request(temperature));
    engine.submit(request(temperature));
    while (const auto event = engine.next()) EXPECT_EQ(check.compare(*event), "");
    EXPECT_EQ(check.compared(), 9u * 30u);
    EXPECT_EQ(check.different(), 0u);
  }
}

TEST(AnswerCheck, NamesThePositionOfWhatDiffers) {
  const LanguageModel model = small_model();
  GoldenRing ring(model, 2, 1, 1);
  serve::Engine engine(&ring);
  // Regions of another shape add in another order.
  const Decoder one(model, 1, 1), two(model, 2, 1);
  AnswerCheck other(&one, request(0)), check(&two, request(0));
  engine.submit(request(0));
  serve::Event event = *engine.next();
  const std::string said = other.compare(event);
  EXPECT_EQ(said.find("position 3: "), 0u) << said;
  EXPECT_NE(said.find(" of 30 logits differ from golden; that of token "), std::string::npos)
      << said;
  EXPECT_GT(other.different(), 0u);
  // Right logits and another token.
  const int right = event.token;
  event.token = (right + 1) % 30;
  EXPECT_EQ(check.compare(event), "position 3: token " + std::to_string(event.token) +
                                      ", golden chooses " + std::to_string(right));
}

}  // namespace
}  // namespace ow::golden
