// SPDX-License-Identifier: Apache-2.0
// The job of `ow run` without a key `train`. A network's weights come from a file or from a
// training that runs first. Samples are classified on a grid, sparse and dense. All activations
// that the tiles keep are compared with a model that the caller brings.
#ifndef OW_EXECUTE_NETWORK_RUN_H_
#define OW_EXECUTE_NETWORK_RUN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ow/compile/estimate.h"
#include "ow/compile/params.h"
#include "ow/device/sim_control.h"
#include "ow/execute/options.h"
#include "ow/execute/stream_job.h"
#include "ow/execute/tile_counts.h"
#include "ow/execute/train_job.h"

namespace ow::jobs {

// A layer, or several in sequence, run sparse or dense.
struct Pass {
  uint64_t cycles = 0;  // over all batches, from the first wavelet offered to the last result out
  uint64_t wavelets_in = 0;
  uint64_t wavelets_out = 0;
  uint64_t multiply_adds = 0;  // useful ones: of samples that were given
  uint64_t bound = 0;          // the fewest cycles that shape and weights allow
  uint64_t compared = 0;       // activations
  uint64_t different = 0;      // activations that differ from the reference in at least one bit
  uint64_t bits_different = 0;
  std::string first_difference;
  Counters counters{};  // sums over tiles; only for whole jobs
  EdgeWaits waits{};    // cycles that the grid row that waited most waited for something outside
                        // the wafer
};

struct Workload {
  std::string name;
  bool whole = false;    // a job with its results read out; else one layer, from start to end
  bool counted = false;  // its tiles have the counters of Pass
  int tiles = 0;
  int lanes = 0;
  Pass sparse;
  Pass dense;
  double speed_up() const;  // dense cycles / sparse cycles
  // The speed-up that shape and weights allow: the fewest cycles of the dense stream over those of
  // the sparse one. 1 if nothing is pruned.
  double speed_up_bound() const;
  // Useful multiply-adds over lanes x tiles x cycles.
  double utilisation(const Pass& pass) const;
};

struct RunReport {
  std::string device;  // its description
  GridShape grid;
  size_t samples = 0;
  bool labelled = false;  // classes are known
  bool checked = false;   // compared with a reference
  size_t batches = 0;
  size_t weights = 0;
  size_t nonzero = 0;
  std::optional<TrainReport> training;  // of the weights, if they did not come from a file
  bool timed = false;                   // things outside the wafer take time
  nlohmann::json plan;                  // PlanFile::report
  size_t right_golden = 0;
  size_t right_device = 0;  // sparse run; 0 for the golden device
  std::vector<Workload> workloads;
  uint64_t sim_cycles = 0;
  double sim_seconds = 0;
  std::vector<UnitClock> clocks;  // of the tiles' units, if the device counts them
  uint64_t different() const;     // activations
  uint64_t compared() const;
  // Differences in activations and in weights after training steps. 0 if all comparisons passed.
  uint64_t mismatches() const;
};

// Checks everything that needs neither training nor simulation: the files, and that the layers fit
// the machine. Throws BadInput.
struct Plans {
  Plan network;
  std::optional<Plan> large;
};
struct Checked {
  Dataset samples;                                  // to run
  TrainingJob job;                                  // with the weights, if a file has them; else
  std::optional<TrainParams> training;              // the training that makes them,
  std::optional<CheckedTraining> checked_training;  // and its own check
  ElfImage firmware;
  Plans plans;
  PlanFile plan_file;  // where the plans are from or will be kept
};
// For PlanFile::keep, with the cycles of a batch.
nlohmann::json plan_document(const RunParams& params, const Checked& checked);
Checked check_run(const RunParams& params, const RunOptions& options);

// The weights from their file, or trained now. `report` then describes the training.
std::shared_ptr<const FirstValues> make_weights(const Checked& checked, const RunOptions& options,
                                                std::optional<TrainReport>* report = nullptr);

// Without a device (RunOptions::make) only the reference runs.
RunReport run_network(const RunParams& params, const Checked& checked, const RunOptions& options);
// Checks first.
RunReport run_network(const RunParams& params, const RunOptions& options);

// The large layer: weights uniform in -1..1, kept with probability `density`; inputs uniform in
// 0..1; all rounded to binary16.
Network large_network(const LargeLayerParams& params);
Activations large_input(const LargeLayerParams& params, int samples);

// Runs batches sparse and, if asked, dense. Compares with the reference and adds to the workloads:
// one for each layer if there are several, then one for the whole job.
class Comparison {
 public:
  // `plan` and `job` as of StreamJob.
  Comparison(const Runtime& machine, const ElfImage& firmware, const Plan& plan,
             const TrainingJob& job, const std::string& name, Reference reference,
             bool dense = true);

  // Runs at most the plan's batch. Returns the outputs of the sparse run.
  Activations run(const Activations& x);

  void on_progress(std::function<void()> call) { stream_.on_progress(std::move(call)); }
  // Time outside the wafer (StreamJob::set_time).
  void set_time(const TimeModel& model) { stream_.set_time(model); }
  const std::vector<Workload>& workloads() const { return workloads_; }
  // Where what each tile counts in sparse runs is added; it must outlive them.
  void count_tiles(TileCounts* counts) { counts_ = counts; }

 private:
  Activations run_pass(const Activations& x, bool dense);
  void add_layer(size_t k, const StreamRun& run, bool dense, Pass* pass) const;
  void compare_values(const std::vector<Activations>& expected, const std::string& what,
                      bool dense);

  TrainingJob job_;
  Reference reference_;
  bool dense_;
  std::vector<LayerWeights> weights_[2];  // by layer: sparse, dense
  StreamJob stream_;
  std::vector<Workload> workloads_;
  TileCounts* counts_ = nullptr;
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_NETWORK_RUN_H_
