// SPDX-License-Identifier: Apache-2.0
// Masks of 200 steps of real trainings against a third opinion, written here from docs/numerics.md:
// static, gradual, SET and RigL, each with three jobs of other schedules and with patterns of
// names. MemoryX's and the reference trainer's must both be its own, and keep int(density x
// weights) of the last step that was due, at every step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "both.h"
#include "masks_job.h"

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

class Oracle {
 public:
  Oracle(const MaskCase& c, size_t parameter, uint64_t seed)
      : c_(c), parameter_(parameter), seed_(seed) {}

  bool due(uint64_t step) const {
    const UpdateTimes& u = c_.update;
    if (c_.algorithm == Algorithm::Static) return false;
    if (!u.steps.empty()) return std::count(u.steps.begin(), u.steps.end(), step) > 0;
    return step >= u.start && step < u.stop && (step - u.start) % u.every == 0;
  }

  size_t count(uint64_t step, size_t n) const {
    return static_cast<size_t>(c_.density.value(static_cast<double>(step)) *
                               static_cast<double>(n));
  }

  Positions first(const std::vector<float>& w) const {
    const size_t n = w.size(), k = count(0, n);
    std::vector<std::pair<double, size_t>> items;
    for (size_t i = 0; i < n; ++i) {
      double key = std::fabs(w[i]);
      if (c_.init == SparsityGroup::Init::Random) key = random_key(seed_, parameter_, 0, i);
      // Evenly spread: where the share that is kept so far steps over a whole number.
      if (c_.init == SparsityGroup::Init::Even) key = (i + 1) * k / n > i * k / n ? 1 : 0;
      items.emplace_back(key, i);
    }
    return first_of(items, k);
  }

  Positions next(const Positions& before, const std::vector<float>& w,
                 const std::vector<float>& gradient, uint64_t step) const {
    const size_t n = w.size();
    const size_t k = count(step, n);
    std::vector<bool> in(n, false);
    std::vector<std::pair<double, size_t>> inside, outside;
    for (const size_t i : before) {
      in[i] = true;
      inside.emplace_back(std::fabs(w[i]), i);
    }
    if (c_.algorithm == Algorithm::Gradual) return first_of(inside, k);
    for (size_t i = 0; i < n; ++i) {
      if (in[i]) continue;
      outside.emplace_back(c_.algorithm == Algorithm::Rigl ? std::fabs(gradient[i])
                                                           : random_key(seed_, parameter_, step, i),
                           i);
    }
    const size_t dropped =
        static_cast<size_t>(c_.drop.value(static_cast<double>(step)) * static_cast<double>(k));
    const size_t stay = std::min(before.size(), k - dropped);
    const size_t grown = std::min(k - stay, outside.size());
    Positions out = first_of(inside, k - grown);
    const Positions more = first_of(outside, grown);
    out.insert(out.end(), more.begin(), more.end());
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  MaskCase c_;
  size_t parameter_;
  uint64_t seed_;
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
    const size_t p = both.memory.weight_of(c.layer);
    oracles.emplace(p, Oracle(c, p, seed));
    masks[p] = oracles.at(p).first(start.parameters()[p].value);
    EXPECT_EQ(positions(both.golden.parameters()[p].mask), masks[p]) << "step 0";
    kept[p] = oracles.at(p).count(0, start.parameters()[p].value.size());
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
      const size_t p = both.memory.weight_of(c.layer);
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
    EXPECT_GT(changes[both.memory.weight_of(c.layer)], 5u);
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
    EXPECT_EQ(memory.kept(0), static_cast<size_t>(density * n));
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
