// SPDX-License-Identifier: Apache-2.0
// A training as the line protocol describes it (docs/conformance.md, "A host that trains").
#ifndef OW_CONFORM_TRAINING_JOB_H_
#define OW_CONFORM_TRAINING_JOB_H_

#include <string>

#include "ow/conform/door.h"
#include "ow/graph/training.h"

namespace ow::conform {

// The words of a `batch` line as samples and targets of the job. BadInput for another number of
// them.
struct Batch {
  Samples samples;
  Targets targets;
};
Batch batch_of(const TrainingJob& job, const std::vector<uint32_t>& inputs,
               const std::vector<uint32_t>& targets);

// The encodings of activations as the answer of a `batch` line.
std::vector<uint32_t> words_of(const Activations& values);
// Between fp32 numbers and their encodings.
std::vector<uint32_t> encodings(const float* values, size_t count);
float decoded(uint32_t word);

// Without TrainingJob::layers, which only the mapping on tiles needs. BadInput in one line for text
// that is no such job.
TrainingJob parse_training_job(const std::string& text);

}  // namespace ow::conform

#endif  // OW_CONFORM_TRAINING_JOB_H_
