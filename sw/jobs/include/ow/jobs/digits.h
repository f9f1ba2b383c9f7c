// SPDX-License-Identifier: Apache-2.0
// The job of `ow run`: train a pruned perceptron on the digits, classify the held-out ones on a
// grid, compare every activation with the golden model, then do the same with one large layer.
#ifndef OW_JOBS_DIGITS_H_
#define OW_JOBS_DIGITS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ow/golden/train.h"
#include "ow/jobs/params.h"
#include "ow/jobs/stream_job.h"
#include "ow/sim.h"

namespace ow::jobs {

// A layer, or several in sequence, run sparse or dense.
struct Pass {
  uint64_t cycles = 0;  // over all batches; from the first wavelet offered to the last result out
  uint64_t wavelets_in = 0;
  uint64_t wavelets_out = 0;
  uint64_t multiply_adds = 0;  // useful
  uint64_t bound = 0;          // cycles that the shape and the weights need at least
  uint64_t compared = 0;       // activations
  uint64_t different = 0;      // activations that differ from golden in any bit
  uint64_t bits_different = 0;
  std::string first_difference;
  Counters counters{};  // sums over tiles; only for whole jobs
};

struct Workload {
  std::string name;
  bool whole = false;  // a job with its results read out; else a layer of one, from start to end
  int tiles = 0;
  int lanes = 0;
  Pass sparse;
  Pass dense;
  double speed_up() const;        // dense cycles / sparse cycles
  double speed_up_bound() const;  // dense cycles / the least that the sparse layer needs
  // Useful multiply-adds over lanes x tiles x cycles.
  double utilisation(const Pass& pass) const;
};

struct RunReport {
  std::string device;  // its description
  GridShape grid;
  size_t held_out = 0;
  size_t batches = 0;
  size_t weights = 0;
  size_t nonzero = 0;
  size_t right_golden = 0;
  size_t right_device = 0;  // sparse run; 0 for the golden device
  std::vector<Workload> workloads;
  uint64_t sim_cycles = 0;
  double sim_seconds = 0;
  double train_seconds = 0;
  uint64_t different() const;
  uint64_t bits_different() const;
  uint64_t compared() const;
};

enum class RunDevice { Golden, Replicated, Monolithic };

struct RunOptions {
  RunDevice device = RunDevice::Replicated;
  SimOptions sim;
  // Makes the device instead, for the shape of the parameters' grid (a wafer, say).
  std::function<std::unique_ptr<Device>(GridShape)> make;
  std::string firmware;  // path of stream_layer.elf
  size_t limit = 0;      // classify only so many of the held-out images; 0: all
  // Called now and then with what is being done and how far it is (0..1).
  std::function<void(const std::string&, double)> progress;
};

// Everything about the parameters that can be checked without training or simulating: the data
// file, and that the layers fit the machine. Throws BadInput.
struct Checked {
  std::vector<golden::Digit> training;
  std::vector<golden::Digit> held_out;
  ElfImage firmware;
  StreamPlan plan;
  std::optional<StreamPlan> large_plan;
};
Checked check_run(const RunParams& params, const RunOptions& options);

RunReport run_digits(const RunParams& params, const RunOptions& options);

// The large layer: weights uniform in -1..1 kept with probability `density`, inputs uniform in
// 0..1, all rounded to binary16.
golden::Network large_network(const LargeLayerParams& params);
golden::Activations large_input(const LargeLayerParams& params, int samples);

// Runs one batch sparse and dense and compares with golden; adds to the workloads: one for each
// layer if there are several, then the whole job.
class Comparison {
 public:
  Comparison(ControlPlane& control, const ElfImage& firmware, const StreamPlan& plan,
             const golden::Network& network, const std::string& name);

  // At most plan.batch() samples. Returns the logits of the sparse run.
  golden::Activations run(const golden::Activations& x);

  void on_progress(std::function<void()> call) { job_.on_progress(std::move(call)); }
  const std::vector<Workload>& workloads() const { return workloads_; }

 private:
  void run_pass(bool dense, const std::vector<golden::Activations>& expected,
                golden::Activations* logits);

  const StreamPlan plan_;
  const golden::Network& network_;
  StreamJob job_;
  std::vector<Workload> workloads_;
};

}  // namespace ow::jobs

#endif  // OW_JOBS_DIGITS_H_
