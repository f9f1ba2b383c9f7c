// SPDX-License-Identifier: Apache-2.0
// Plans as files (JSON, docs/run.md): what `ow run --compile-only` prints, and what a training
// keeps beside its checkpoints. A file holds what the plan was made from, its inputs, with a hash
// of them for people who compare plans; what was decided; and, worked out from both, where
// everything lies and what each phase takes.
//
// Of a file that is kept the inputs are compared with the job's, key by key, and the decisions are
// read: for a training the orders of its sums. With them a training that is resumed has the bits
// that it would have had, even if a newer program would decide otherwise. Where things lie is
// worked out again, for the tiles' program may be another one.
#ifndef OW_COMPILE_PLAN_FILE_H_
#define OW_COMPILE_PLAN_FILE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "ow/compile/estimate.h"
#include "ow/compile/plan.h"
#include "ow/compile/train_plan.h"

namespace ow::jobs {

// What the decisions of a training's plan depend on: shapes, type, loss, grid, samples a tile, the
// densities that masks end with, the tile's lanes and bytes of SRAM; none of its units, so that a
// tile that can do more goes on with a plan that was kept. The orders that a job names are no
// input.
nlohmann::json plan_inputs(const TrainingJob& job, const TileConfig& tile);

// The document. `estimate` is of the step, or batch, that its cycles are to be of.
nlohmann::json plan_document(const TrainingJob& job, const TrainPlan& plan,
                             const ElfImage& firmware, const Estimate& estimate);
nlohmann::json plan_document(const StreamPlan& plan, const ElfImage& firmware,
                             const Estimate& estimate);

// Writes a document, atomically.
void write_plan(const std::string& path, const nlohmann::json& document);

// The job with the orders of sums that the file holds. BadInput, one line with the file: it is no
// plan of a training, or one of other inputs, of which the first that differs is named.
TrainingJob with_kept_orders(const std::string& path, TrainingJob job, const TileConfig& tile);

}  // namespace ow::jobs

#endif  // OW_COMPILE_PLAN_FILE_H_
