// SPDX-License-Identifier: Apache-2.0
// The RTL's lane and adder against the golden formats: corner cases in all combinations, and random
// operands. OW_SEED and OW_COUNT in the environment choose seed and vectors an operation.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "ow/error.h"
#include "ow/fp.h"
#include "ow/golden/formats.h"

namespace ow::fp {
namespace {

uint64_t from_env(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

void check(const Op& op, const std::vector<Operands>& vectors, const std::vector<uint32_t>& got) {
  ASSERT_EQ(vectors.size(), got.size());
  int bad = 0;
  for (size_t i = 0; i < vectors.size() && bad < 10; ++i) {
    const Operands& v = vectors[i];
    const uint32_t want = op.golden(v);
    if (got[i] != want) {
      ADD_FAILURE() << op.name << std::hex << " a " << v.a << " b " << v.b << " c " << v.c
                    << ": RTL " << got[i] << ", golden " << want;
      ++bad;
    }
  }
}

std::vector<uint32_t> run(Datapath& datapath, const Op& op, const std::vector<Operands>& vectors,
                          int gap = 0) {
  return datapath.run(op.op, op.src, op.dst, vectors, gap);
}

class LaneTest : public testing::TestWithParam<int> {
 protected:
  const Op& op() const { return all_ops()[GetParam()]; }
};

TEST_P(LaneTest, CornersGiveGoldenBits) {
  const std::vector<uint32_t> xs = corners(op().bits(0));
  const std::vector<uint32_t> one = {0};
  const std::vector<uint32_t>& ys = op().operands > 1 ? xs : one;
  const std::vector<uint32_t> zs = op().operands > 2 ? corners(op().bits(2)) : one;
  std::vector<Operands> vectors;
  for (uint32_t a : xs) {
    for (uint32_t b : ys) {
      for (uint32_t c : zs) vectors.push_back({a, b, c});
    }
  }
  Datapath datapath;
  check(op(), vectors, run(datapath, op(), vectors));
}

TEST_P(LaneTest, RandomOperandsGiveGoldenBits) {
  const uint64_t seed = from_env("OW_SEED", 1);
  const uint64_t count = from_env("OW_COUNT", 1000000);
  std::printf("OW_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::vector<Operands> vectors;
  if (op().operands == 1 && op().bits(0) == 16) {
    for (uint32_t x = 0; x < 65536; ++x) vectors.push_back({x, 0, 0});
  } else {
    Generator generator(op(), seed);
    for (uint64_t i = 0; i < count; ++i) vectors.push_back(generator.next());
  }
  Datapath datapath;
  check(op(), vectors, run(datapath, op(), vectors));
}

TEST_P(LaneTest, BubblesChangeNothing) {
  Generator generator(op(), 3);
  std::vector<Operands> vectors;
  for (int i = 0; i < 2000; ++i) vectors.push_back(generator.next());
  Datapath datapath;
  check(op(), vectors, run(datapath, op(), vectors, 1));
  check(op(), vectors, run(datapath, op(), vectors, 4));
}

std::string op_name(const testing::TestParamInfo<int>& info) { return all_ops()[info.param].name; }
INSTANTIATE_TEST_SUITE_P(Ops, LaneTest, testing::Range(0, static_cast<int>(all_ops().size())),
                         op_name);

TEST(Adder, GivesGoldenBits) {
  const Op& op = find_op("f32_add");
  Generator generator(op, from_env("OW_SEED", 2));
  std::vector<Operands> vectors;
  for (int i = 0; i < 200000; ++i) vectors.push_back(generator.next());
  check(op, vectors, run_adder(vectors));
}

TEST(Ops, UnknownNameIsBadInputThatListsTheNames) {
  try {
    find_op("f64_add");
    FAIL() << "no error";
  } catch (const BadInput& e) {
    EXPECT_NE(std::string(e.what()).find("f64_add"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("f16_f32_mulAdd"), std::string::npos);
  }
}

}  // namespace
}  // namespace ow::fp
