// SPDX-License-Identifier: Apache-2.0
// Decoding against the same model in double precision.
#include <gtest/gtest.h>

#include <string>

#include "decode_draws.h"
#include "ow/golden/decode.h"
#include "ow/golden/formats.h"
#include "real_language.h"
#include "seed.h"

namespace ow::golden {
namespace {

// A shape with odd sizes, and a region that may hold it.
struct Drawn {
  LanguageShape shape;
  int rows, columns;
};

Drawn drawn(Rng* rng, LanguageFamily family) {
  Drawn d;
  d.shape.family = family;
  d.shape.kv_heads = one_of(rng, {1, 2, 3});
  const int share = family == LanguageFamily::Llama ? one_of(rng, {1, 2, 4}) : 1;
  d.shape.heads = d.shape.kv_heads * share;
  d.shape.head_size = one_of(rng, {6, 8, 10, 32});
  d.shape.width = one_of(rng, {32, 48, 64, 75});
  d.shape.hidden = one_of(rng, {96, 172, 341});
  d.shape.layers = one_of(rng, {1, 2, 3});
  d.shape.vocabulary = one_of(rng, {76, 512, 1000});
  d.shape.positions = 70;
  d.shape.epsilon = 1e-5;
  d.shape.theta = one_of(rng, {10000, 500000});
  d.rows = one_of(rng, {1, 2, 3, 4});
  // A divisor of the heads of keys and values, or a multiple that gives each column a copy.
  d.columns = one_of(rng, {1, d.shape.kv_heads, d.shape.heads});
  return d;
}

TEST(Decode, LogitsAreThoseOfTheModelInDoublePrecision) {
  for (const uint64_t seed : test_seeds(1, 4)) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    for (const LanguageFamily family : {LanguageFamily::Llama, LanguageFamily::Gpt2}) {
      for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
        const Drawn d = drawn(&rng, family);
        const LanguageModel model =
            random_language_model(d.shape, type, rng.next(), rng.below(2) == 0);
        const Decoder decoder(model, d.rows, d.columns);
        const RealLanguage real = real_language(model);
        RealDecoder expected(real);
        DecodeCache cache;
        for (const int token : random_tokens(20, d.shape.vocabulary, &rng)) {
          std::vector<double> logits;
          for (const uint32_t v : decoder.step(&cache, token)) logits.push_back(bits_to_float(v));
          // A rounding to bfloat16 errs 8 times as much as one to binary16.
          EXPECT_LE(logit_error(logits, expected.step(token)),
                    type == HalfType::Binary16 ? 0.02 : 0.16)
              << half_name(type) << ", position " << cache.positions();
        }
      }
    }
  }
}

}  // namespace
}  // namespace ow::golden
