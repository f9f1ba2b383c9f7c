// SPDX-License-Identifier: Apache-2.0
// The samples of a training, and the loss and classes of their outputs, for people.
#ifndef OW_EXECUTE_TRAIN_SAMPLES_H_
#define OW_EXECUTE_TRAIN_SAMPLES_H_

#include <cstddef>
#include <vector>

#include "ow/graph/training.h"
#include "ow/memoryx/job_keys.h"
#include "ow/tensor/dataset.h"

namespace ow::jobs {

// A micro-batch, or the first part of one: numbers, or tokens in all slots.
Samples samples_in(const TrainingJob& job, const Dataset& part);

// The targets of a micro-batch: classes, or values rounded once. If the loss needs values and the
// data has classes, values are 1 for the sample's class and 0 for the others.
Targets targets_of(const TrainingJob& job, const Dataset& part);

// The sum of the losses of the samples in `part`, whose outputs are z, in double. It is for people
// and is never compared.
double loss_of(const TrainingJob& job, const Activations& z, const Dataset& part);

// The number of samples whose class is right; 0 if classes are not known.
size_t right_of(const TrainingJob& job, const Activations& z, const Dataset& part);

// How often sample n counts in the mean of the loss: a sample of tokens once for each target.
size_t counted(const Dataset& data, size_t n);

// Samples first .. first + count - 1.
Dataset part_of(const Dataset& data, size_t first, size_t count);

// Describes the samples of a training in its checkpoints: their number and hashes of their values.
memoryx::JobKeys data_keys(const Dataset& data);

// `count` samples, whose numbers begin at numbers[first].
Dataset samples_of(const Dataset& data, const std::vector<uint64_t>& numbers, size_t first,
                   size_t count);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TRAIN_SAMPLES_H_
