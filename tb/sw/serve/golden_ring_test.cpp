// SPDX-License-Identifier: Apache-2.0
// The rules of packets, as the golden ring holds them.
#include "ow/check/golden_ring.h"

#include <gtest/gtest.h>

#include "ow/base/error.h"
#include "ow/golden/sampling.h"

namespace ow::golden {
namespace {

using serve::HeadTask;
using serve::Packet;
using serve::Pass;

LanguageModel small_model() {
  LanguageShape shape;
  shape.width = 8;
  shape.layers = 1;
  shape.heads = 2;
  shape.kv_heads = 1;
  shape.head_size = 4;
  shape.hidden = 12;
  shape.vocabulary = 10;
  shape.positions = 16;
  shape.epsilon = 1e-5;
  return random_language_model(shape, HalfType::Binary16, 1);
}

TEST(GoldenRing, PacketsGoOnByThemselves) {
  const LanguageModel model = small_model();
  GoldenRing ring(model, 1, 1, 1);
  ASSERT_TRUE(ring.open(0, 8));
  ring.send({0, 0, 3, HeadTask::None, 0});
  ring.send({0, 1, 5, HeadTask::Token, 4});
  const Pass first = ring.receive();
  EXPECT_EQ(first.position, 0);
  EXPECT_EQ(first.token, -1);
  const Decoder decoder(model, 1, 1);
  DecodeCache cache;
  decoder.extend(&cache, 3);
  int token = 5;
  for (int position = 1; position <= 4; ++position) {
    const Pass pass = ring.receive();
    EXPECT_EQ(pass.position, position);
    EXPECT_TRUE(pass.logits.empty());
    ASSERT_EQ(pass.token, token = greedy_token(decoder.step(&cache, token)));
  }
  EXPECT_THROW(ring.receive(), InternalError);
  ring.send({0, 5, token, HeadTask::Logits, 6});
  for (int position = 5; position <= 6; ++position) {
    const Pass pass = ring.receive();
    EXPECT_EQ(pass.logits, decoder.step(&cache, token));
    EXPECT_EQ(pass.token, token = greedy_token(pass.logits));
  }
}

TEST(GoldenRing, PositionsMayBeWrittenAgain) {
  const LanguageModel model = small_model();
  GoldenRing ring(model, 1, 1, 2);
  std::vector<std::vector<uint32_t>> logits;
  for (const int slot : {0, 1}) {
    ASSERT_TRUE(ring.open(slot, 8));
    for (int p = 0; p < 3; ++p) ring.send({slot, p, p, HeadTask::None, p});
    for (int p = 0; p < 3; ++p) ring.receive();
    if (slot == 1) {
      ring.send({slot, 3, 7, HeadTask::None, 3});
      ring.send({slot, 4, 8, HeadTask::None, 4});
      ring.receive();
      ring.receive();
    }
    ring.send({slot, 3, 9, HeadTask::Logits, 3});
    logits.push_back(ring.receive().logits);
  }
  EXPECT_EQ(logits[0], logits[1]);
}

TEST(GoldenRing, RefusesPacketsThatBreakTheRules) {
  GoldenRing ring(small_model(), 1, 1, 2);
  EXPECT_EQ(ring.shape().inside, 4);
  EXPECT_THROW(ring.send({0, 0, 0, HeadTask::None, 0}), InternalError);  // not open
  EXPECT_THROW(ring.open(2, 4), InternalError);
  EXPECT_THROW(ring.open(0, 17), InternalError);
  ASSERT_TRUE(ring.open(0, 8));
  EXPECT_THROW(ring.open(0, 8), InternalError);
  EXPECT_THROW(ring.send({0, 1, 0, HeadTask::None, 1}), InternalError);   // leaves out 0
  EXPECT_THROW(ring.send({0, 0, 0, HeadTask::Token, 8}), InternalError);  // beyond 8 positions
  ring.send({0, 0, 0, HeadTask::Token, 1});
  EXPECT_THROW(ring.send({0, 1, 0, HeadTask::None, 1}), InternalError);  // one goes on
  EXPECT_THROW(ring.close(0), InternalError);
  ring.receive();
  ring.receive();
  for (int p = 2; p < 6; ++p) ring.send({0, p, 0, HeadTask::None, p});
  EXPECT_THROW(ring.send({0, 6, 0, HeadTask::None, 6}), InternalError);  // five are inside
  ring.receive();
  EXPECT_THROW(ring.send({0, 2, 0, HeadTask::None, 2}), InternalError);  // does not ascend
  while (ring.receive().position < 5) {
  }
  ring.close(0);
  EXPECT_THROW(ring.close(0), InternalError);
}

}  // namespace
}  // namespace ow::golden
