// SPDX-License-Identifier: Apache-2.0
// Rules of a training that need no network: schedules, random keys, masks.
#ifndef OW_GOLDEN_TRAIN_RULES_H_
#define OW_GOLDEN_TRAIN_RULES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ow/golden/train.h"

namespace ow::golden {

double schedule_value(const Schedule& schedule, uint64_t step);
bool is_due(const UpdateTimes& times, uint64_t step);
double whole_power(double base, uint64_t exponent);

// The mask of step 0, and the mask after a step at which a change is due. `gradient` covers all
// positions, and is empty if it is not needed.
std::vector<uint8_t> first_mask(const SparsityGroup& group, const Parameter& p, uint64_t seed,
                                size_t number);
std::vector<uint8_t> next_mask(const SparsityGroup& group, const Parameter& p, uint64_t seed,
                               size_t number, uint64_t step, const std::vector<float>& gradient);

}  // namespace ow::golden

#endif  // OW_GOLDEN_TRAIN_RULES_H_
