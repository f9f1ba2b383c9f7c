// SPDX-License-Identifier: Apache-2.0
// What the bits of a training hang on, as words: each key is called as in a file of parameters
// (docs/run.md), and two jobs with the same values in all of them are the same training, whatever
// the number of wafers, threads and devices.
#ifndef OW_MEMORYX_JOB_KEYS_H_
#define OW_MEMORYX_JOB_KEYS_H_

#include <string>
#include <utility>
#include <vector>

#include "ow/tensor/training.h"

namespace ow::memoryx {

using JobKeys = std::vector<std::pair<std::string, std::string>>;

// Of a job's network, grid, micro-batches, optimizer, schedules, loss scale, sparsity, seed, and
// the orders of its sums (`sums.forward[k]`, `sums.delta[k]`: column or whole). Numbers are written
// so that they can be read back without loss.
JobKeys job_keys(const TrainingJob& job);

// Gives the job the orders of sums that such keys name. False, and nothing is changed, where they
// are none of so many layers.
bool take_orders(const JobKeys& keys, TrainingJob* job);

// What differs first, in the order of `wanted`: "key 'train.seed' is 3, not 4", the first value
// being of `kept`; empty if they are the same.
std::string first_difference(const JobKeys& kept, const JobKeys& wanted);

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_JOB_KEYS_H_
