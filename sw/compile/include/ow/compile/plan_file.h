// SPDX-License-Identifier: Apache-2.0
// Plans as files (JSON, docs/run.md): `ow run --compile-only` prints them, `--plan` keeps and
// reuses them, a training keeps one beside its checkpoints. A file holds the inputs of the plan
// with their hash, the plan, and for people the places and the cycles of each phase. A plan depends
// only on its inputs, which include the tiles' program and the version of the format. So a plan
// with the same inputs is reused.
#ifndef OW_COMPILE_PLAN_FILE_H_
#define OW_COMPILE_PLAN_FILE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "ow/compile/estimate.h"
#include "ow/compile/params.h"
#include "ow/compile/placement.h"
#include "ow/compile/plan.h"
#include "ow/compile/train_params.h"

namespace ow::jobs {

// Changes when the same inputs give another plan, or when the format changes.
constexpr const char* kPlanFormat = "openwafer-plan-4";

// The file that a job names for its plan.
class PlanFile {
 public:
  PlanFile() = default;  // no file: the plan is made and not kept
  // Reads the file if it exists. BadInput, one line with the file, if it cannot be read, is not a
  // plan or is damaged.
  PlanFile(const std::string& path, nlohmann::json inputs);

  // Whether the file has a plan for these inputs.
  bool usable() const { return usable_; }
  // Makes the plan anew although the file has one.
  void set_aside(const std::string& why);
  // The document of a usable file, or the one that keep() was given.
  const nlohmann::json& document() const { return document_; }
  // Writes the document of a new plan atomically, with the inputs and check sums. Writes nothing
  // without a path, or if the file is usable.
  void keep(nlohmann::json document);
  // For people: the file is used, or was `made`, and why. Empty without a path.
  std::string says(const std::string& made = "made") const;
  // The same for programs: `file`, `used`, and `why` an existing file was not used. Null without a
  // path.
  nlohmann::json report() const;

  const nlohmann::json& inputs() const { return inputs_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  nlohmann::json inputs_;
  nlohmann::json document_;
  bool usable_ = false;
  std::string why_;  // why the file is not used
};

// The inputs of a training's plan, including those for its cycles. `job` has its orders of sums,
// `chosen` the orders that this program would choose.
nlohmann::json plan_inputs(const TrainParams& params, const TrainingJob& job,
                           const TrainingJob& chosen, const ElfImage& firmware,
                           const TileConfig& tile);
// The inputs of the plan of a network's run. `job` has the weights if they are known. `samples` are
// run.
nlohmann::json plan_inputs(const RunParams& params, const TrainingJob& job, size_t samples,
                           const ElfImage& firmware, const TileConfig& tile);

// The plan as it is in the file.
nlohmann::json plan_json(const Plan& plan);

// For PlanFile::keep. `estimate` gives the cycles of the step or batch.
nlohmann::json plan_document(const nlohmann::json& plan, const nlohmann::json& memory,
                             const ElfImage& firmware, const Estimate& estimate);

// The plan of a usable file, at `key`: its orders of sums and choices, and its samples if the job
// has none. BadInput with the file and the key for a value that is not possible, and as
// make_plan.
Plan read_plan(const std::string& who, const PlanFile& file, const std::string& key,
               TrainingJob job, const ElfImage& firmware, const TileConfig& tile);

// What is stored in a tile, for people.
nlohmann::json memory_json(const Plan& plan, const ElfImage& firmware);

}  // namespace ow::jobs

#endif  // OW_COMPILE_PLAN_FILE_H_
