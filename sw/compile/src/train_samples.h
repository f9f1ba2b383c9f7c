// SPDX-License-Identifier: Apache-2.0
// Samples of a training and what is read off their outputs, for people: loss and classes.
#ifndef OW_COMPILE_TRAIN_SAMPLES_H_
#define OW_COMPILE_TRAIN_SAMPLES_H_

#include <cstddef>
#include <vector>

#include "ow/memoryx/job_keys.h"
#include "ow/tensor/dataset.h"
#include "ow/tensor/training.h"

namespace ow::jobs {

// What a micro-batch is trained towards: classes, or values, which are rounded once. Where values
// are wanted and classes known, they are 1 for the sample's class and 0 for the others.
Targets targets_of(const TrainingJob& job, const Dataset& part);

// Sum over the samples of `part`, whose outputs are z, for people: in double, compared with
// nothing.
double loss_of(const TrainingJob& job, const Activations& z, const Dataset& part);

// Those of them whose class is found; 0 if classes are not known.
size_t right_of(const TrainingJob& job, const Activations& z, const Dataset& part);

// Samples first .. first + count - 1.
Dataset part_of(const Dataset& data, size_t first, size_t count);

// What the samples of a training are, for its checkpoints: how many, and hashes of their values.
memoryx::JobKeys data_keys(const Dataset& data);

// The samples of these numbers from `first` on, `count` of them.
Dataset samples_of(const Dataset& data, const std::vector<uint64_t>& numbers, size_t first,
                   size_t count);

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_SAMPLES_H_
