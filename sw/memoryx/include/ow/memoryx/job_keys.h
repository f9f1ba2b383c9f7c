// SPDX-License-Identifier: Apache-2.0
// Everything that the bits of a training depend on, as text. Each key has its name in a file of
// parameters (docs/run.md). Two jobs with the same values are the same training, whatever their
// wafers, threads and devices.
#ifndef OW_MEMORYX_JOB_KEYS_H_
#define OW_MEMORYX_JOB_KEYS_H_

#include <string>
#include <utility>
#include <vector>

#include "ow/graph/training.h"

namespace ow::memoryx {

using JobKeys = std::vector<std::pair<std::string, std::string>>;

// The keys of a job's network, grid, micro-batches, optimizer, schedules, loss scale, sparsity and
// seed, and its orders of sums (`sums.forward[k]`, `sums.delta[k]`: column or whole). Numbers are
// written without loss.
JobKeys job_keys(const TrainingJob& job);

// Gives the job the orders of sums in these keys. If the keys have no orders for its layers, it
// returns false and changes nothing.
bool take_orders(const JobKeys& keys, TrainingJob* job);

// The graph of a training on tokens, with its loss. BadInput, beginning with `where`: the keys have
// no graph, which chains of layers do not, or one that takes no tokens.
Graph graph_of(const JobKeys& keys, const std::string& where);

// The first difference, in the order of `wanted`: "key 'train.seed' is 3, not 4". The first value
// is that of `kept`. Empty if there is none.
std::string first_difference(const JobKeys& kept, const JobKeys& wanted);

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_JOB_KEYS_H_
