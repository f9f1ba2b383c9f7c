// SPDX-License-Identifier: Apache-2.0
// The number of wafers and ranks, and a change of it on the way, changes no bit of a training.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "options.h"
#include "ow/base/file.h"
#include "ow/base/temporary_directory.h"
#include "ow/ranks/transport.h"
#include "trainings.h"

namespace ow {
namespace {

using jobs::RunOptions;
using jobs::TrainParams;

// A job with every kind of state there is, in few cycles.
constexpr const char* kJob = R"(
data: {{file: {}, scale: 16, held_out_modulo: 4, held_out_remainder: 3}}
network: {{layers: [64, 24, 10]}}
grid: {{rows: 2, columns: 2, samples_per_tile: 8}}
train:
  seed: {}
  steps: 4
  micro_batches: 4
  optimizer: {{kind: adamw, rate: 0.01, max_norm: 1}}
  loss_scale: {{initial: 256, dynamic: true, interval: 2}}
  sparsity:
    - {{pattern: "*.weight", algorithm: rigl, density: 0.3, update: {{every: 2}}}}
)";

// Weights and moments whose bits differ between two checkpoints.
uint64_t different(const TrainingJob& job, const std::string& a, const std::string& b) {
  memoryx::MemoryX one(job, {}), other(job, {});
  one.load(a);
  other.load(b);
  uint64_t n = 0;
  const auto compare = [&](const memoryx::View<float>& x, const memoryx::View<float>& y) {
    for (size_t i = 0; i < x.size(); ++i) {
      uint32_t p, q;
      std::memcpy(&p, &x[i], sizeof p);
      std::memcpy(&q, &y[i], sizeof q);
      n += p != q ? 1 : 0;
    }
  };
  for (size_t k = 0; k < one.store().tensors(); ++k) {
    const size_t all = one.store().spec(k).elements();
    compare(one.store().weights(k, 0, all), other.store().weights(k, 0, all));
    for (int m = 0; m < one.store().moments(); ++m) {
      compare(one.store().moment(k, m, 0, all), other.store().moment(k, m, 0, all));
    }
  }
  return n;
}

class Wafers : public testing::Test {
 protected:
  void SetUp() override {
    const std::string data = OW_SOURCE_DIR "/data/optdigits/digits.csv.gz";
    write_file(file_, fmt::format(kJob, data, test_option("OW_SEED", 1)));
    params_ = jobs::read_job(file_).training();
    run("1 wafer", 1, false, false, 0);
  }

  // In this process. `golden`: instead of tiles; so many steps, or all that are left (0).
  void run(const std::string& name, int wafers, bool golden, bool resume, uint64_t steps) {
    TrainParams p = params_;
    p.wafers = wafers;
    RunOptions options = on_rtl();
    if (golden) options.make = nullptr;
    options.model_dir = scratch_.path() + "/" + name;
    options.resume = resume;
    options.num_steps = steps;
    run_training(p, options);
  }

  // Weights and moments of the last checkpoint have the bits of the run on one wafer.
  void compare(const std::string& name) {
    const auto last = [this](const std::string& of) {
      return memoryx::checkpoints_in(scratch_.path() + "/" + of).front();
    };
    // A checkpoint is of the orders of sums that were chosen for the job.
    const TrainingJob job = jobs::with_sum_orders(params_.job);
    EXPECT_EQ(different(job, last("1 wafer"), last(name)), 0u) << name;
  }

  const TemporaryDirectory scratch_;
  const std::string file_ = scratch_.path() + "/job.yaml";
  TrainParams params_;
};

TEST_F(Wafers, InOneProcessAndByGoldenHaveTheSameBits) {
  for (const int wafers : {2, 4}) {
    const std::string name = fmt::format("{} wafers", wafers);
    run(name, wafers, false, false, 0);
    compare(name);
  }
  run("4 wafers by golden", 4, true, false, 0);
  compare("4 wafers by golden");
}

TEST_F(Wafers, OfAResumedTrainingMayBeMoreOrFewer) {
  run("resumed", 1, false, false, 1);
  run("resumed", 4, false, true, 2);
  run("resumed", 2, false, true, 0);
  compare("resumed");
}

TEST_F(Wafers, InSeveralRanksHaveTheSameBits) {
  if (!ranks::has_mpi()) GTEST_SKIP() << "the build has no MPI";
  for (const int ranks : {2, 4}) {
    const std::string name = fmt::format("4 wafers in {} ranks", ranks);
    const std::string log = scratch_.path() + "/" + name + ".log";
    // mpirun has to be told that it may run as root, as in a container.
    const std::string command = fmt::format(
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
        "OMPI_MCA_rmaps_base_oversubscribe=1 timeout 600 mpirun -n {} '{}' run '{}' --mode train "
        "--no-check --num-wafers 4 --model-dir '{}/{}' >'{}' 2>&1",
        ranks, OW_PROGRAM, file_, scratch_.path(), name, log);
    ASSERT_EQ(std::system(command.c_str()), 0) << read_text(log);
    compare(name);
  }
}

}  // namespace
}  // namespace ow
