// SPDX-License-Identifier: Apache-2.0
// Gradients that come number by number from grid rows that do not keep step: each gets to its
// place, whatever the mask, the windows and the grid.
#include "ow/memoryx/gradient_sink.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "both.h"
#include "ow/base/error.h"

namespace ow::memoryx {
namespace {

using Place = std::pair<size_t, size_t>;  // parameter, element
constexpr Place kFilling{SIZE_MAX, 0};

// A grid row's numbers as they are defined.
std::vector<Place> by_definition(const WaferSide& memory, const StreamSchedule& schedule, int row,
                                 int rows, int lanes) {
  std::vector<Place> out;
  for (const StreamStep& step : schedule) {
    if (step.pass != Pass::Gradient) continue;
    const TensorSpec& spec = memory.store().spec(step.parameter);
    const int end = step.count > 0 ? step.first + step.count : static_cast<int>(spec.shape[0]);
    if (!spec.matrix()) {
      for (int j = step.first; j < end; ++j) {
        if (j % rows == row) out.push_back({step.parameter, static_cast<size_t>(j)});
      }
      continue;
    }
    const size_t begin = out.size();
    const bool all = !spec.masked || memory.needs_dense(step.parameter);
    for (int owner = 0; owner < rows; ++owner) {
      for (int j = step.first; j < end; ++j) {
        for (int i = row; i < static_cast<int>(spec.shape[1]); i += rows) {
          const size_t at = static_cast<size_t>(j) * spec.shape[1] + static_cast<size_t>(i);
          if (j % rows != owner) continue;
          if (all || memory.store().mask(step.parameter, at, 1)[0] != 0) {
            out.push_back({step.parameter, at});
          }
        }
      }
    }
    while ((out.size() - begin) % static_cast<size_t>(lanes) != 0) out.push_back(kFilling);
  }
  return out;
}

class GradientSinks : public testing::Test {
 protected:
  GradientSinks() {
    job_.layers = {{70, 45, "relu", true}, {45, 6, "none", false}, {6, 1500, "none", true}};
    job_.sparsity.resize(2);
    job_.sparsity[0].pattern = "layers.0.weight";
    job_.sparsity[0].density = constant_schedule(0.1);
    job_.sparsity[1].pattern = "layers.1.weight";
    job_.sparsity[1].algorithm = SparsityGroup::Algorithm::Rigl;
    job_.sparsity[1].density = constant_schedule(0.3);
    job_.sparsity[1].update.every = 1;
  }
  // Pieces of two outputs of the first matrix, a piece of the second, and 500 of the third.
  static StreamSchedule schedule() {
    StreamSchedule schedule = {{0, Pass::Forward}, {4, Pass::Gradient}};
    for (const int first : {0, 500, 1000}) {
      schedule.push_back({3, Pass::Gradient, SumOrder::Column, first, 500});
    }
    schedule.push_back({3, Pass::Delta});
    schedule.push_back({2, Pass::Gradient});
    schedule.push_back({1, Pass::Gradient, SumOrder::Column, 0, 20});
    schedule.push_back({1, Pass::Gradient, SumOrder::Column, 20, 25});
    for (int first = 0; first < 45; first += 2) {
      schedule.push_back({0, Pass::Gradient, SumOrder::Column, first, std::min(2, 45 - first)});
    }
    return schedule;
  }
  TrainingJob job_;
};

TEST_F(GradientSinks, PutEveryNumberInItsPlace) {
  const StreamSchedule schedule = GradientSinks::schedule();
  for (const char* directory : {"", "file"}) {
    MemoryOptions options;
    if (*directory != 0) options.store = {testing::TempDir(), 1};  // windows of one block
    MemoryX memory(job_, options);
    memory.begin();
    ASSERT_TRUE(memory.needs_dense(2));
    for (const int rows : {1, 3, 4, 8}) {
      const GradientOptions shape{rows, rows == 3 ? 1 : 8};
      const auto count = static_cast<size_t>(rows);
      std::vector<std::vector<Place>> want;
      for (int r = 0; r < rows; ++r) {
        want.push_back(by_definition(memory, schedule, r, rows, shape.lanes));
      }
      const GradientCounts counts = gradient_counts(memory, schedule, shape);
      GradientSink sink(memory, schedule, shape);
      const int slot = memory.gradient_slot();
      Rng rng(static_cast<uint64_t>(rows));
      std::map<Place, float> values;
      std::vector<size_t> at(count, 0);
      for (size_t left = count; left > 0;) {
        const size_t r = rng.below(count);
        if (at[r] == want[r].size()) continue;
        for (uint64_t some = rng.below(100); some > 0 && at[r] < want[r].size(); --some) {
          const Place& place = want[r][at[r]++];
          const auto value = static_cast<float>(rng.uniform());
          ASSERT_FALSE(sink.done(static_cast<int>(r)));
          const GradientSink::Taken taken = sink.take(static_cast<int>(r), value);
          ASSERT_EQ(taken.filling, place == kFilling);
          if (taken.filling) continue;
          ASSERT_EQ(taken.parameter, place.first);
          const bool masked = memory.store().spec(place.first).masked;
          ASSERT_EQ(taken.updated,
                    !masked || memory.store().mask(place.first, place.second, 1)[0] != 0);
          values[place] = value;
        }
        if (at[r] == want[r].size()) --left;
      }
      for (size_t r = 0; r < count; ++r) {
        EXPECT_TRUE(sink.done(static_cast<int>(r)));
        EXPECT_EQ(counts.sent[r], want[r].size());
        EXPECT_EQ(counts.meant[r], want[r].size() - static_cast<size_t>(std::count(
                                                        want[r].begin(), want[r].end(), kFilling)));
      }
      EXPECT_THROW(sink.take(0, 0), ProtocolError);
      for (const auto& [place, value] : values) {
        ASSERT_EQ(memory.store().gradient(place.first, slot, place.second, 1)[0], value);
      }
      sink.finish();
      EXPECT_EQ(memory.gradient_sum().count(), 1);
      memory.gradient_sum().finish();
    }
  }
}

TEST_F(GradientSinks, NoteWhatIsMissing) {
  MemoryX memory(job_, {});
  memory.begin();
  GradientSink sink(memory, schedule(), {2, 1});
  EXPECT_THROW(sink.finish(), ProtocolError);
  const StreamSchedule outside = {{1, Pass::Gradient, SumOrder::Column, 40, 6}};
  EXPECT_THROW(GradientSink(memory, outside, {2, 1}), InternalError);
}

}  // namespace
}  // namespace ow::memoryx
