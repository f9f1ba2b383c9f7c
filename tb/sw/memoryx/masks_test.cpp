// SPDX-License-Identifier: Apache-2.0
// Masks of 200 steps of real trainings against a third opinion, written here from docs/numerics.md:
// static, gradual, SET and RigL, each with three jobs of other schedules and with patterns of
// names. MemoryX's and the reference trainer's must both be its own, and keep the density's number
// of weights of the last step that was due, at every step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "both.h"
#include "masks_job.h"
#include "messages.h"
#include "ow/base/error.h"

namespace ow::memoryx {
namespace {

using Algorithm = SparsityGroup::Algorithm;

// A mask as the set of its positions.
using Positions = std::vector<size_t>;

// The k first of (key, position), greatest key first.
Positions first_of(std::vector<std::pair<double, size_t>> items, size_t k) {
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  Positions out;
  for (size_t n = 0; n < k; ++n) out.push_back(items[n].second);
  std::sort(out.begin(), out.end());
  return out;
}

uint64_t splitmix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

double random_key(uint64_t seed, uint64_t parameter, uint64_t step, uint64_t i) {
  const uint64_t h = splitmix(splitmix(splitmix(seed) + parameter) + step);
  return static_cast<double>(splitmix(h + i) >> 32);
}

// A number as N80 and N84 count with it.
size_t whole(double product) { return static_cast<size_t>(product * (1 + std::ldexp(1, -50))); }

class Oracle {
 public:
  Oracle(const MaskCase& c, size_t parameter, uint64_t seed, size_t inputs)
      : c_(c), parameter_(parameter), seed_(seed), inputs_(inputs) {}

  bool due(uint64_t step) const {
    const UpdateTimes& u = c_.update;
    if (c_.algorithm == Algorithm::Static) return false;
    if (!u.steps.empty()) return std::count(u.steps.begin(), u.steps.end(), step) > 0;
    return step >= u.start && step < u.stop && (step - u.start) % u.every == 0;
  }

  size_t count(uint64_t step, size_t n) const {
    return whole(c_.density.value(static_cast<double>(step)) * static_cast<double>(n));
  }

  // Which of the parts that keep as many weights each a position belongs to.
  size_t part(size_t i, size_t n) const {
    const auto parts = static_cast<size_t>(c_.parts);
    if (c_.balance == SparsityGroup::Balance::Inputs) return i % inputs_ / (inputs_ / parts);
    return i / (n / parts);
  }
  size_t share(size_t k, size_t p) const {
    const auto parts = static_cast<size_t>(c_.parts);
    size_t n = 0;
    for (size_t dealt = p; dealt < k; dealt += parts) ++n;
    return n;
  }

  // What is kept before masks change for the first time.
  size_t first_count(size_t n) const {
    if (c_.init == SparsityGroup::Init::Zeros) return 0;
    return c_.init == SparsityGroup::Init::Dense ? n : count(0, n);
  }

  Positions first(const std::vector<float>& w) const {
    const size_t n = w.size();
    Positions all;
    for (size_t p = 0; p < static_cast<size_t>(c_.parts); ++p) {
      const size_t k = share(first_count(n), p);
      std::vector<std::pair<double, size_t>> items;
      for (size_t i = 0; i < n; ++i) {
        if (part(i, n) != p) continue;
        double key = std::fabs(w[i]);
        if (c_.init == SparsityGroup::Init::Random) key = random_key(seed_, parameter_, 0, i);
        // Evenly spread: where the share that is kept so far steps over a whole number.
        const size_t at = items.size(), each = n / static_cast<size_t>(c_.parts);
        if (c_.init == SparsityGroup::Init::Even) key = (at + 1) * k / each > at * k / each ? 1 : 0;
        items.emplace_back(key, i);
      }
      const Positions chosen = first_of(items, k);
      all.insert(all.end(), chosen.begin(), chosen.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  Positions next(const Positions& before, const std::vector<float>& w,
                 const std::vector<float>& gradient, uint64_t step) const {
    Positions all;
    for (size_t p = 0; p < static_cast<size_t>(c_.parts); ++p) {
      const Positions chosen = next_of(p, before, w, gradient, step);
      all.insert(all.end(), chosen.begin(), chosen.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  Positions next_of(size_t p, const Positions& before, const std::vector<float>& w,
                    const std::vector<float>& gradient, uint64_t step) const {
    const size_t n = w.size();
    const size_t k = share(count(step, n), p);
    std::vector<bool> in(n, false);
    std::vector<std::pair<double, size_t>> inside, outside;
    for (const size_t i : before) {
      in[i] = true;
      if (part(i, n) == p) inside.emplace_back(std::fabs(w[i]), i);
    }
    if (c_.algorithm == Algorithm::Gradual) return first_of(inside, k);
    for (size_t i = 0; i < n; ++i) {
      if (in[i] || part(i, n) != p) continue;
      outside.emplace_back(c_.algorithm == Algorithm::Rigl ? std::fabs(gradient[i])
                                                           : random_key(seed_, parameter_, step, i),
                           i);
    }
    const size_t dropped = whole(c_.drop.value(static_cast<double>(step)) * static_cast<double>(k));
    const size_t stay = std::min(inside.size(), k - dropped);
    const size_t grown = std::min(k - stay, outside.size());
    Positions out = first_of(inside, k - grown);
    const Positions more = first_of(outside, grown);
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  MaskCase c_;
  size_t parameter_;
  uint64_t seed_;
  size_t inputs_;
};

Positions positions(const std::vector<uint8_t>& mask) {
  Positions out;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0) out.push_back(i);
  }
  return out;
}

void run_case(const std::vector<MaskCase>& cases, uint64_t seed) {
  const TrainingJob job = masks_job(cases, seed);
  const Problem problem(seed, job.layers.front().inputs, job.layers.back().outputs, 300);
  Both both(job, problem.data);
  ASSERT_EQ(both.difference(), "");
  // The weights before masks were laid over them: those of a dense job.
  TrainingJob dense = job;
  dense.sparsity.clear();
  const golden::Trainer start(dense);
  std::map<size_t, Positions> masks;
  std::map<size_t, size_t> kept;  // int(density x weights) of the last step that was due
  std::map<size_t, Oracle> oracles;
  for (const MaskCase& c : cases) {
    const size_t p = parameters_of(both.memory.job().layers)[c.layer].weight;
    oracles.emplace(p, Oracle(c, p, seed, start.parameters()[p].columns));
    masks[p] = oracles.at(p).first(start.parameters()[p].value);
    EXPECT_EQ(positions(both.golden.parameters()[p].mask), masks[p]) << "step 0";
    kept[p] = oracles.at(p).first_count(start.parameters()[p].value.size());
    ASSERT_EQ(masks[p].size(), kept[p]);
  }
  std::map<size_t, size_t> changes;
  for (uint64_t step = 0; step < 200; ++step) {
    const auto batches = both.passes();
    // What the weights are after the update, before the masks change: from a copy.
    golden::Trainer updated = both.golden;
    updated.update(batches, golden::Trainer::Masks::Keep);
    both.give(batches);
    both.golden.update(batches);
    ASSERT_EQ(both.difference(), "") << "step " << step;
    for (const MaskCase& c : cases) {
      const size_t p = parameters_of(both.memory.job().layers)[c.layer].weight;
      const golden::Parameter& now = both.golden.parameters()[p];
      if (oracles.at(p).due(step)) {
        const Positions next = oracles.at(p).next(masks[p], updated.parameters()[p].value,
                                                  batches.front().gradients[p], step);
        changes[p] += next != masks[p] ? 1 : 0;
        masks[p] = next;
        kept[p] = oracles.at(p).count(step, now.value.size());
      }
      ASSERT_EQ(positions(now.mask), masks[p]) << now.name << ", step " << step;
      ASSERT_EQ(now.kept(), kept[p]) << now.name << ", step " << step;
      ASSERT_EQ(both.memory.kept(p), kept[p]);
      for (size_t i = 0; i < now.value.size(); ++i) {
        ASSERT_TRUE(now.mask[i] != 0 || now.value[i] == 0) << "a weight outside its mask";
      }
    }
  }
  for (const MaskCase& c : cases) {
    if (c.algorithm == Algorithm::Static) continue;
    EXPECT_GT(changes[parameters_of(both.memory.job().layers)[c.layer].weight], 5u);
  }
}

TEST(MemoryXMasks, AreThoseOfTheOracleAtEveryStep) {
  for (const Algorithm algorithm :
       {Algorithm::Static, Algorithm::Gradual, Algorithm::Set, Algorithm::Rigl}) {
    for (int number = 0; number < 3; ++number) {
      SCOPED_TRACE(static_cast<int>(algorithm) * 10 + number);
      run_case(mask_cases(algorithm, number), 40 + static_cast<uint64_t>(number));
      if (HasFailure()) return;
    }
  }
}

TEST(MemoryXMasks, SoAreThoseThatAreBalancedOrBeginOtherwise) {
  uint64_t seed = 60;
  for (const std::vector<MaskCase>& cases : more_mask_cases()) {
    SCOPED_TRACE(seed);
    run_case(cases, seed++);
    if (HasFailure()) return;
  }
}

// As many in each part, whatever the whole.
TEST(MemoryXMasks, BalancedPartsKeepAsManyEach) {
  for (const auto init :
       {SparsityGroup::Init::Random, SparsityGroup::Init::Magnitude, SparsityGroup::Init::Even}) {
    TrainingJob job = masks_job(mask_cases(Algorithm::Static, 0), 3);
    job.sparsity[0].init = init;
    job.sparsity[0].density = constant_schedule(0.3);
    job.sparsity[0].balance = SparsityGroup::Balance::Inputs;
    job.sparsity[0].parts = 5;
    MemoryX memory(job, {});
    memory.begin();
    const View<uint8_t> mask = memory.store().mask(0, 0, 20 * 33);
    size_t kept[5] = {};
    for (size_t i = 0; i < mask.size(); ++i) kept[i % 20 / 4] += mask[i];
    EXPECT_EQ(memory.kept(0), 198u);
    for (const size_t n : kept) EXPECT_TRUE(n == 39 || n == 40) << n;
  }
}

TEST(MemoryXMasks, WhatMakesNoSenseIsOneLine) {
  const auto refused = [](const std::function<void(SparsityGroup*)>& change) {
    TrainingJob job = masks_job(mask_cases(Algorithm::Static, 0), 3);
    change(&job.sparsity[0]);
    return refusal_of([&] { MemoryX memory(job, {}); });
  };
  EXPECT_EQ(refused([](SparsityGroup*) {}), "");
  EXPECT_EQ(
      refused([](SparsityGroup* g) {
        g->balance = SparsityGroup::Balance::Inputs;
        g->parts = 3;
      }),
      "sparsity of 'layers.0.*': 'layers.0.weight' has 20 inputs, which are not 3 equal parts");
  EXPECT_EQ(refused([](SparsityGroup* g) {
              g->balance = SparsityGroup::Balance::Outputs;
              g->parts = 2;
            }),
            "sparsity of 'layers.0.*': 'layers.0.weight' has 33 outputs, which are not 2 equal "
            "parts");
  EXPECT_EQ(refused([](SparsityGroup* g) { g->init = SparsityGroup::Init::Zeros; }),
            "sparsity of 'layers.0.*': only set and rigl find weights where there are none");
  EXPECT_EQ(refused([](SparsityGroup* g) { g->init = SparsityGroup::Init::Dense; }),
            "sparsity of 'layers.0.*': a static mask that keeps everything is a density of 1");
}

TEST(MemoryXMasks, EvenOnesAreSpreadAndExact) {
  for (const double density : {0.0, 0.01, 0.1, 0.35, 0.5, 0.99, 1.0}) {
    TrainingJob job = masks_job(mask_cases(Algorithm::Static, 0), 1);
    job.sparsity[0].init = SparsityGroup::Init::Even;
    job.sparsity[0].density = constant_schedule(density);
    const golden::Trainer golden(job);
    MemoryX memory(job, {});
    memory.begin();
    const std::vector<uint8_t>& theirs = golden.parameters()[0].mask;
    const View<uint8_t> mask = memory.store().mask(0, 0, theirs.size());
    EXPECT_EQ(std::vector<uint8_t>(mask.begin(), mask.end()), theirs);
    const auto n = static_cast<double>(theirs.size());
    EXPECT_EQ(memory.kept(0), whole(density * n));
    EXPECT_EQ(golden.parameters()[0].kept(), memory.kept(0));
    size_t sum = 0;
    for (size_t i = 0; i < theirs.size(); ++i) {
      sum += theirs[i];
      ASSERT_LE(
          std::fabs(static_cast<double>(sum) - static_cast<double>((i + 1) * memory.kept(0)) / n),
          1.0);
    }
  }
}

// The double of 0.29 is less than 0.29, and 100 times it less than 29.
TEST(MemoryXMasks, ADecimalFractionKeepsTheNumberThatItNames) {
  for (size_t thousandths = 0; thousandths <= 1000; ++thousandths) {
    const double share = static_cast<double>(thousandths) / 1000;
    for (size_t n = 1; n <= 2000; ++n) {
      ASSERT_EQ(whole_share(share, n), thousandths * n / 1000) << share << " of " << n;
    }
  }
  EXPECT_EQ(whole_share(0.29, 100), 29u);
  EXPECT_EQ(whole_share(0.2899999999, 100), 28u);
  EXPECT_EQ(whole_share(1, 4'000'000'000), 4'000'000'000u);
  TrainingJob job;
  job.layers = {{10, 10, "relu", true}, {10, 4, "none", true}};
  job.samples = 16;
  job.optimizer.rate = constant_schedule(0.01);
  job.sparsity.resize(1);
  job.sparsity[0].pattern = "layers.0.weight";
  job.sparsity[0].density = constant_schedule(0.29);
  const golden::Trainer golden(job);
  MemoryX memory(job, {});
  memory.begin();
  EXPECT_EQ(memory.kept(0), 29u);
  EXPECT_EQ(golden.parameters()[0].kept(), 29u);
}

TEST(MemoryXMasks, TheFirstGroupThatMatchesTakesAParameter) {
  std::vector<SparsityGroup> groups(3);
  groups[0].pattern = "layers.1.*";
  groups[1].pattern = "layers.[12].weight";
  groups[2].pattern = "*";
  EXPECT_EQ(group_of(groups, {"layers.1.weight", {2, 2}, false}), 0);
  EXPECT_EQ(group_of(groups, {"layers.2.weight", {2, 2}, false}), 1);
  EXPECT_EQ(group_of(groups, {"layers.0.weight", {2, 2}, false}), 2);
  EXPECT_EQ(group_of(groups, {"layers.1.bias", {2}, false}), -1) << "only matrices";
}

}  // namespace
}  // namespace ow::memoryx
