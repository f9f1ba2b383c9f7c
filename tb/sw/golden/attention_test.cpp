// SPDX-License-Identifier: Apache-2.0
// Kinds of heads: attention, one query and one key at a time by its rules; what a query cannot see;
// rotation by positions.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "decode_draws.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/golden/formats.h"
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"
#include "ow/golden/nonlinear.h"
#include "ow/golden/rotary.h"
#include "ow/golden/tile_ops.h"
#include "seed.h"
#include "token_draws.h"

namespace ow::golden {
namespace {

constexpr uint32_t kMinusInfinity = kInf32 | 0x80000000u;

// Operands of an attention over the slots of one grid row.
struct Case {
  Case(uint64_t seed, HalfType type) : rng(seed) {
    numerics.type = type;
    numerics.samples = one_of(&rng, {8, 16, 24, 32});
    numerics.columns = 1 + static_cast<int>(rng.below(4));
    heads = 1 + static_cast<int>(rng.below(3));
    size = 1 + static_cast<int>(rng.below(20));
    TrainingJob job;
    job.samples = numerics.samples;
    job.grid_cols = numerics.columns;
    tokens = TokenBatch(job, 10, slots(), &rng).tokens;
    Graph graph(heads * size);
    graph.add({"a",
               "attention",
               {"input", "input", "input"},
               {{"heads", static_cast<double>(heads)}},
               "a",
               {}});
    op = graph.ops[0];
    for (Activations* x : {&q, &k, &v, &delta}) {
      *x = Activations::zero(heads * size, slots());
      for (uint16_t& value : x->values) value = to_half(type, 4 * rng.uniform() - 2);
    }
  }
  int slots() const { return numerics.samples * numerics.columns; }
  LayerPass pass() const {
    LayerPass pass{numerics, op, {}, {}, {&q, &k, &v}, {true, true, true}};
    pass.tokens = &tokens;
    return pass;
  }
  Activations forward() const { return layer_kind("attention").forward(pass()); }
  std::vector<Activations> deltas(const Activations& output) const {
    LayerPass with = pass();
    with.output = &output;
    return layer_kind("attention").backward(with, delta).deltas;
  }
  int start_of(int slot) const { return tokens.start_of(static_cast<size_t>(slot)); }
  // The first slot after the sequence of a slot.
  int end_of(int slot) const {
    int end = slot;
    while (end < slots() && start_of(end) == start_of(slot)) ++end;
    return end;
  }

  Rng rng;
  Numerics numerics;
  int heads, size;
  Tokens tokens;
  ow::Op op;
  Activations q, k, v, delta;
};

// N111 and N112 of one head, number by number.
struct ByRule {
  ByRule(const Case& c, int head) : c(c), h{c.numerics.type}, n(c.numerics.samples), head(head) {
    const auto all = static_cast<size_t>(c.slots());
    p.assign(all, std::vector<uint16_t>(all));
    slope = p;
    scale = h.round(1 / std::sqrt(static_cast<double>(c.size)));
  }
  uint16_t of(const Activations& a, int feature, int slot) const {
    return a.at(feature * c.heads + head, slot);
  }
  uint16_t query(int feature, int slot) const { return h.mul(of(c.q, feature, slot), scale); }
  // The blocks of a query's keys: first and last key.
  std::vector<std::pair<int, int>> blocks(int slot) const {
    std::vector<std::pair<int, int>> out = {{std::max(c.start_of(slot), slot / n * n),
                                             slot / kSlotGroup * kSlotGroup + kSlotGroup - 1}};
    while (out.back().first > c.start_of(slot)) {
      const int last = out.back().first - 1;
      out.emplace_back(std::max(c.start_of(slot), last / n * n), last);
    }
    return out;
  }
  uint16_t score(int slot, int key) const {
    uint32_t sum = 0;
    for (int f = 0; f < c.size; ++f) sum = h.mixed(of(c.k, f, key), query(f, slot), sum);
    const uint16_t s = narrow(h.type, sum);
    return key > slot ? h.add(s, narrow(h.type, kMinusInfinity)) : s;
  }
  uint16_t power(uint16_t s, uint16_t most) const { return h.exp(h.sub(s, most)); }
  // The maximum and the inverse of the sum stay for the backward pass.
  std::vector<uint16_t> forward(int slot) {
    uint32_t sum = 0;
    std::vector<uint32_t> result(static_cast<size_t>(c.size));
    bool first = true;
    for (const auto& [low, high] : blocks(slot)) {
      uint16_t next = first ? score(slot, low) : most;
      for (int j = low; j <= high; ++j) next = h.max(next, score(slot, j));
      const uint32_t shrink = first ? 0 : widen(h.type, power(most, next));
      most = next;
      const auto join = [&](uint32_t before, uint32_t more) {
        return first ? more : f32_fma(before, shrink, more);
      };
      uint32_t own = 0;
      for (int j = low; j <= high; ++j) {
        own = h.mixed(power(score(slot, j), most), h.round(1), own);
      }
      sum = join(sum, own);
      for (int f = 0; f < c.size; ++f) {
        uint32_t o = 0;
        for (int j = low; j <= high; ++j) {
          o = h.mixed(of(c.v, f, j), power(score(slot, j), most), o);
        }
        result[static_cast<size_t>(f)] = join(result[static_cast<size_t>(f)], o);
      }
      first = false;
    }
    inverse = f32_rcp(sum, 1);
    std::vector<uint16_t> y;
    for (const uint32_t o : result) y.push_back(narrow(h.type, f32_mul(o, inverse)));
    return y;
  }
  // The delta of a query. Keeps what its keys need.
  std::vector<uint16_t> query_delta(int slot) {
    const std::vector<uint16_t> y = forward(slot);
    uint32_t along = 0;
    for (int f = 0; f < c.size; ++f) {
      along = h.mixed(y[static_cast<size_t>(f)], of(c.delta, f, slot), along);
    }
    std::vector<uint32_t> sums(static_cast<size_t>(c.size));
    bool first = true;
    for (const auto& [low, high] : blocks(slot)) {
      std::vector<uint32_t> own(static_cast<size_t>(c.size));
      for (int j = low; j <= high; ++j) {
        const uint32_t e = widen(h.type, power(score(slot, j), most));
        const uint16_t share = narrow(h.type, f32_mul(e, inverse));
        uint32_t product = 0;
        for (int f = 0; f < c.size; ++f) {
          product = h.mixed(of(c.v, f, j), of(c.delta, f, slot), product);
        }
        const uint16_t ds = narrow(h.type, f32_mul(widen(h.type, share), f32_sub(product, along)));
        p[static_cast<size_t>(j)][static_cast<size_t>(slot)] = share;
        slope[static_cast<size_t>(j)][static_cast<size_t>(slot)] = ds;
        for (int f = 0; f < c.size; ++f) {
          uint32_t& sum = own[static_cast<size_t>(f)];
          sum = h.mixed(of(c.k, f, j), ds, sum);
        }
      }
      for (size_t f = 0; f < sums.size(); ++f) {
        sums[f] = first ? own[f] : f32_add(sums[f], own[f]);
      }
      first = false;
    }
    std::vector<uint16_t> out;
    for (const uint32_t sum : sums) {
      out.push_back(narrow(h.type, f32_mul(sum, widen(h.type, scale))));
    }
    return out;
  }
  // After all queries: a feature's delta of a key or, with `value`, of a value.
  uint16_t key_delta(int key, int feature, bool value) const {
    uint32_t sum = 0;
    const int last = (c.end_of(key) - 1) / n * n;
    for (int tile = last; tile >= key / n * n; tile -= n) {
      std::vector<uint32_t> a, b;
      for (int i = std::max(tile, key / kSlotGroup * kSlotGroup); i < tile + n; ++i) {
        if (c.start_of(i) != c.start_of(key)) break;
        const auto& weights = value ? p : slope;
        a.push_back(weights[static_cast<size_t>(key)][static_cast<size_t>(i)]);
        b.push_back(value ? of(c.delta, feature, i) : query(feature, i));
      }
      const Type type = h.f16() ? Type::F16 : Type::BF16;
      const uint32_t own = reduce(Op::Dot, type, Type::F32, a.data(), b.data(), a.size());
      sum = tile == last ? own : f32_add(own, sum);
    }
    return narrow(h.type, sum);
  }

  const Case& c;
  Halves h;
  int n, head;
  uint16_t scale;
  uint16_t most = 0;
  uint32_t inverse = 0;
  std::vector<std::vector<uint16_t>> p, slope;  // [key][query]
};

class Attention : public testing::TestWithParam<HalfType> {};
INSTANTIATE_TEST_SUITE_P(Types, Attention, testing::Values(HalfType::Binary16, HalfType::Bfloat16));

TEST_P(Attention, EveryBitIsThatOfTheRules) {
  for (const uint64_t seed : test_seeds(1, 12)) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    const Case c(seed, GetParam());
    const Activations y = c.forward();
    const std::vector<Activations> deltas = c.deltas(y);
    for (int g = 0; g < c.heads; ++g) {
      ByRule rule(c, g);
      for (int s = 0; s < c.slots(); ++s) {
        const std::vector<uint16_t> out = rule.forward(s), dq = rule.query_delta(s);
        for (int f = 0; f < c.size; ++f) {
          ASSERT_EQ(rule.of(y, f, s), out[static_cast<size_t>(f)]) << g << " " << s << " " << f;
          ASSERT_EQ(rule.of(deltas[0], f, s), dq[static_cast<size_t>(f)])
              << g << " " << s << " " << f;
        }
      }
      for (int s = 0; s < c.slots(); ++s) {
        for (int f = 0; f < c.size; ++f) {
          ASSERT_EQ(rule.of(deltas[1], f, s), rule.key_delta(s, f, false)) << g << " " << s;
          ASSERT_EQ(rule.of(deltas[2], f, s), rule.key_delta(s, f, true)) << g << " " << s;
        }
      }
    }
  }
}

// Other sequences of the same tiles hold nothing but NaN.
TEST_P(Attention, ASequenceSeesNothingOfOthers) {
  for (const uint64_t seed : test_seeds(20, 8)) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    const Case alone(seed, GetParam());
    Case among = alone;
    const int own =
        among.start_of(static_cast<int>(among.rng.below(static_cast<uint64_t>(among.slots()))));
    for (Activations* x : {&among.q, &among.k, &among.v, &among.delta}) {
      for (int s = 0; s < x->samples; ++s) {
        for (int f = 0; f < x->features && among.start_of(s) != own; ++f) {
          x->at(f, s) = GetParam() == HalfType::Binary16 ? kNan16 : kNanB16;
        }
      }
    }
    const Activations y = alone.forward(), other = among.forward();
    const std::vector<Activations> a = alone.deltas(y), b = among.deltas(other);
    for (int s = own; s < alone.end_of(own); ++s) {
      for (int f = 0; f < y.features; ++f) {
        ASSERT_EQ(y.at(f, s), other.at(f, s)) << s;
        for (size_t n = 0; n < 3; ++n) {
          ASSERT_EQ(a[n].at(f, s), b[n].at(f, s)) << n << " " << s;
        }
      }
    }
  }
}

TEST_P(Attention, ATokenSeesNothingOfLaterOnes) {
  for (const uint64_t seed : test_seeds(30, 8)) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    const Case before(seed, GetParam());
    Case after = before;
    const auto from = static_cast<int>(after.rng.below(static_cast<uint64_t>(after.slots())));
    for (Activations* x : {&after.q, &after.k, &after.v}) {
      for (int s = from; s < x->samples; ++s) {
        for (int f = 0; f < x->features; ++f) {
          x->at(f, s) = to_half(GetParam(), 8 * after.rng.uniform() - 4);
        }
      }
    }
    const Activations a = before.forward(), b = after.forward();
    size_t changed = 0;
    for (int s = 0; s < a.samples; ++s) {
      for (int f = 0; f < a.features; ++f) {
        changed += a.at(f, s) != b.at(f, s) ? 1 : 0;
        if (s < from) {
          ASSERT_EQ(a.at(f, s), b.at(f, s)) << s;
        }
      }
    }
    EXPECT_GT(changed, 0u);
  }
}

// The sum of powers stays at least 1, however large the scores.
TEST_P(Attention, LargeScoresTakeTheValueOfTheLargest) {
  Case c(3, GetParam());
  const HalfType type = GetParam();
  for (int s = 0; s < c.slots(); ++s) {
    const int place = s - c.start_of(s);
    for (int f = 0; f < c.q.features; ++f) {
      c.q.at(f, s) = to_half(type, 16);
      c.k.at(f, s) = to_half(type, place % 2 == 0 ? 64 : -64);
      c.v.at(f, s) = to_half(type, place % 2 == 0 ? 1 : 1000);
    }
  }
  for (const uint16_t y : c.forward().values) {
    EXPECT_NEAR(from_half(type, y), 1, type == HalfType::Binary16 ? 0.001 : 0.008);
  }
}

TEST(AttentionKind, TakesEqualMultiplesOfItsHeads) {
  const auto refusal = [](int keys, double heads) {
    Graph graph(12);
    graph.add({"k", "linear", {"input"}, {{"outputs", static_cast<double>(keys)}}, "k", {}});
    try {
      graph.add({"a", "attention", {"input", "k", "input"}, {{"heads", heads}}, "a", {}});
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(12, 4), "");
  EXPECT_EQ(refusal(8, 4),
            "a: 'k' has 8 features; queries, keys and values must have equally many, a multiple of "
            "the 4 heads");
  EXPECT_EQ(refusal(12, 5),
            "a: 'input' has 12 features; queries, keys and values must have equally many, a "
            "multiple of the 5 heads");
}

// ---- Rotation.

struct Turn {
  Turn(int features, std::map<std::string, double> options, Tokens given)
      : tokens(std::move(given)) {
    Graph graph(features);
    graph.add({"r", "rotary", {"input"}, std::move(options), "r", {}});
    op = graph.ops[0];
    numerics.samples = static_cast<int>(tokens.ids.size());
  }
  Activations run(const Activations& x, bool back) const {
    LayerPass pass{numerics, op, {}, {}, {&x}, {true}};
    pass.tokens = &tokens;
    const LayerKind& kind = layer_kind("rotary");
    return back ? kind.backward(pass, x).deltas[0] : kind.forward(pass);
  }
  Numerics numerics;
  Tokens tokens;
  ow::Op op;
};

Tokens tokens_of(const std::vector<int>& starts) {
  return {std::vector<int>(starts.size() * kSlotGroup, 1), starts};
}

Activations random_heads(int features, int slots, uint64_t seed) {
  Rng rng(seed);
  Activations x = Activations::zero(features, slots);
  for (uint16_t& v : x.values) v = to_half(HalfType::Binary16, 2 * rng.uniform() - 1);
  return x;
}

// N130: as a decoder turns a head at that position.
TEST(RotaryKind, TurnsAsADecoderDoesAtThePositionInTheSequence) {
  constexpr int kHeads = 3, kSize = 8;
  for (const double factor : {1.0, 8.0}) {
    const Turn turn(kHeads * kSize,
                    {{"heads", kHeads},
                     {"positions", 40},
                     {"theta", 500},
                     {"factor", factor},
                     {"original_positions", 16}},
                    tokens_of({0, 0, 16, 16, 32}));
    LanguageShape shape;
    shape.head_size = kSize;
    shape.positions = 40;
    shape.theta = 500;
    if (factor > 1) shape.scaling = RotaryScaling{factor, 1, 4, 16};
    const std::vector<uint32_t> turns = rotary_turns(shape);
    const Activations x = random_heads(kHeads * kSize, 40, 1), y = turn.run(x, false);
    for (int s = 0; s < 40; ++s) {
      const Rotation rotation = rotation_at(HalfType::Binary16, turns, s % 16);
      for (int g = 0; g < kHeads; ++g) {
        std::vector<uint16_t> head;
        for (int k = 0; k < kSize; ++k) head.push_back(x.at(k * kHeads + g, s));
        rotate_head(HalfType::Binary16, rotation, head.data());
        for (int k = 0; k < kSize; ++k) {
          ASSERT_EQ(y.at(k * kHeads + g, s), head[static_cast<size_t>(k)]) << s << " " << g;
        }
      }
    }
  }
}

TEST(RotaryKind, ADeltaTurnsBack) {
  const Turn turn(24, {{"heads", 2}, {"positions", 32}}, tokens_of({0, 0, 0, 0}));
  const Activations x = random_heads(24, 32, 2);
  const Activations there = turn.run(x, false), again = turn.run(there, true);
  EXPECT_NE(there.values, x.values);
  for (size_t i = 0; i < x.values.size(); ++i) {
    EXPECT_NEAR(from_half(HalfType::Binary16, again.values[i]),
                from_half(HalfType::Binary16, x.values[i]), 0.003);
  }
}

TEST(RotaryKind, RefusesWhatItCannotTurn) {
  const Tokens tokens = tokens_of({0, 0});
  const Activations x = random_heads(8, 16, 3);
  EXPECT_NO_THROW(Turn(8, {{"heads", 2}, {"positions", 16}}, tokens).run(x, false));
  EXPECT_THROW(Turn(8, {{"heads", 2}, {"positions", 15}}, tokens).run(x, false), InternalError);
  EXPECT_THROW(Turn(6, {{"heads", 2}, {"positions", 16}}, tokens), BadInput) << "an odd size";
  EXPECT_THROW(Turn(8, {{"heads", 3}, {"positions", 16}}, tokens), BadInput);
  EXPECT_THROW(Turn(8, {{"heads", 2}}, tokens), BadInput) << "no positions";
}

}  // namespace
}  // namespace ow::golden
