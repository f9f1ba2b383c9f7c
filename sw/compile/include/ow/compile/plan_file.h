// SPDX-License-Identifier: Apache-2.0
// Plans as files (JSON, docs/run.md): what `ow run --compile-only` prints, what `--plan` keeps and
// uses again, what a training keeps beside its checkpoints. A file holds what the plan was made
// from, its inputs, and their hash; the plan; and, for people, where everything lies and what each
// phase takes. A plan is a function of its inputs, the tiles' program and the version of the format
// among them, so one of the same inputs is taken as it is.
#ifndef OW_COMPILE_PLAN_FILE_H_
#define OW_COMPILE_PLAN_FILE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "ow/compile/estimate.h"
#include "ow/compile/params.h"
#include "ow/compile/plan.h"
#include "ow/compile/train_params.h"
#include "ow/compile/train_plan.h"

namespace ow::jobs {

// Changes with what a plan is made of the same inputs, or with how it is written.
constexpr const char* kPlanFormat = "openwafer-plan-2";

// The file that a job names for its plan.
class PlanFile {
 public:
  PlanFile() = default;  // none: the plan is made, and not kept
  // Reads the file, if there is one. BadInput, one line with the file: it cannot be read, is no
  // plan or is damaged.
  PlanFile(const std::string& path, nlohmann::json inputs);

  // Whether the file has the plan of these inputs.
  bool usable() const { return usable_; }
  // The plan is made all the same.
  void set_aside(const std::string& why);
  // Of a usable one, or what keep() was given.
  const nlohmann::json& document() const { return document_; }
  // Writes the document of a plan that was made, atomically, with the inputs and all that a reader
  // checks; nothing is written without a path or if the file is usable.
  void keep(nlohmann::json document);
  // For people: that the file is used, or is `made`, and why; empty without a path.
  std::string says(const std::string& made = "made") const;
  // The same for programs: `file`, `used`, and `why` one that is there is not; null without a path.
  nlohmann::json report() const;

  const nlohmann::json& inputs() const { return inputs_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  nlohmann::json inputs_;
  nlohmann::json document_;
  bool usable_ = false;
  std::string why_;  // it is not
};

// What a plan of a training depends on, its phases' cycles too: `job` has its orders of sums,
// `chosen` those that this program chooses for it.
nlohmann::json plan_inputs(const TrainParams& params, const TrainingJob& job,
                           const TrainingJob& chosen, const ElfImage& firmware,
                           const TileConfig& tile);
// .. and of a network: `network` has the weights, if they are known; `samples` are run.
nlohmann::json plan_inputs(const RunParams& params, const Network* network, size_t samples,
                           const ElfImage& firmware, const TileConfig& tile);

// The plan itself, as the file has it.
nlohmann::json plan_json(const TrainPlan& plan);
nlohmann::json plan_json(const StreamPlan& plan);

// What PlanFile::keep is given: `estimate` is of the step, or batch, that its cycles are to be of.
nlohmann::json plan_document(const nlohmann::json& plan, const nlohmann::json& memory,
                             const ElfImage& firmware, const Estimate& estimate);

// The plan of a usable file. `plan` has what the inputs say (begin_train_plan, begin_plan).
// BadInput with the file and the key: a value that is none, or beyond what a tile has.
TrainPlan read_train_plan(const PlanFile& file, TrainPlan plan);
// `key`: "plan", or "large_layer".
StreamPlan read_stream_plan(const PlanFile& file, const std::string& key, StreamPlan plan);

// What lies in a tile, for people.
nlohmann::json memory_json(const TrainPlan& plan, const ElfImage& firmware);
nlohmann::json memory_json(const StreamPlan& plan, const ElfImage& firmware);

}  // namespace ow::jobs

#endif  // OW_COMPILE_PLAN_FILE_H_
