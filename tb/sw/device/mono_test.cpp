// SPDX-License-Identifier: Apache-2.0
// The grid in one piece: it agrees with the grid of tiles wavelet by wavelet and cycle by cycle.
#include <gtest/gtest.h>

#include "edge_traffic.h"
#include "ow/base/error.h"
#include "ow/check/training_job.h"
#include "ow/execute/run_job.h"
#include "ow/execute/stream_job.h"
#include "ow/golden/train.h"

namespace ow {
namespace {

TEST(Simulator, TheGridInOnePieceIsOfTheConfigurationThatIsDescribed) {
  expect_configuration(make_device(DeviceKind::Monolithic, {2, 2}).get(), isa::kFull);
  EXPECT_THROW(make_device(DeviceKind::Monolithic, GridShape{3, 3}), BadInput);
}

TEST(Simulator, BothImplementationsAgreeOnEveryEdgeWaveletAndItsCycle) {
  auto a = make_device(DeviceKind::Replicated, GridShape{2, 2}, checked());
  auto b = make_device(DeviceKind::Monolithic, GridShape{2, 2});
  const auto log_a = traffic(a.get());
  const auto log_b = traffic(b.get());
  ASSERT_EQ(log_a.size(), log_b.size());
  for (size_t k = 0; k < log_a.size(); ++k) ASSERT_TRUE(log_a[k] == log_b[k]) << "event " << k;
  EXPECT_EQ(a->cycle(), b->cycle());
}

}  // namespace
}  // namespace ow

namespace ow::jobs {
namespace {

// One batch of the job of `ow run` on both simulators.
TEST(StreamMonolithic, EveryEdgeWaveletAgreesInValueAndCycle) {
  const RunParams params = read_job(OW_SOURCE_DIR "/configs/digits-2x2.yaml").network();
  RunOptions options =
      golden::network_run(OW_FIRMWARE_DIR "/forward.elf", OW_FIRMWARE_DIR "/train.elf");
  options.limit = 64;
  const Checked checked = check_run(params, options);
  TrainingJob job = checked.job;
  job.first = make_weights(checked, options);
  const Activations x = checked.samples.activations(job.type, 0, checked.samples.samples());
  std::vector<EdgeEvent> logs[2];
  for (const DeviceKind kind : {DeviceKind::Replicated, DeviceKind::Monolithic}) {
    const Runtime machine = make_runtime(make_device(kind, params.grid));
    SimControl* const sim = device_of(machine).sim();
    sim->record_edges(true);
    Comparison comparison(machine, checked.firmware, checked.plans.network, job, "digits",
                          golden::run_forward);
    comparison.run(x);
    for (const Workload& w : comparison.workloads()) {
      EXPECT_EQ(w.sparse.different + w.dense.different, 0u) << w.name;
    }
    logs[kind == DeviceKind::Replicated ? 0 : 1] = sim->edge_log();
  }
  ASSERT_GT(logs[0].size(), 10000u);
  ASSERT_EQ(logs[0].size(), logs[1].size());
  for (size_t n = 0; n < logs[0].size(); ++n) {
    ASSERT_TRUE(logs[0][n] == logs[1][n]) << "edge event " << n << " in cycle " << logs[0][n].cycle;
  }
}

}  // namespace
}  // namespace ow::jobs
