// SPDX-License-Identifier: Apache-2.0
// Values over steps, and when something is due (docs/numerics.md, N19). Only + - * / in double: the
// same bits on every machine.
#ifndef OW_MEMORYX_SCHEDULE_H_
#define OW_MEMORYX_SCHEDULE_H_

#include <cstdint>

#include "ow/tensor/training.h"

namespace ow::memoryx {

// BadInput if the schedule is empty, a piece has no steps or goes on for good in front of others, a
// value is not in low..high, the base of a power is not above 0 and at most 1, a slope leads away
// from its bound, or nothing is there to be repeated. `who` stands in front of what is wrong.
void check_schedule(const Schedule& schedule, double low, double high, const std::string& who);

double value_at(const Schedule& schedule, uint64_t step);
// Whether it gives more than one value.
bool moves(const Schedule& schedule);
// What it comes to: the last piece's `to`; of one that repeats the mean over the repeated pieces of
// the mean of each one's ends, in proportion to their steps.
double value_at_last(const Schedule& schedule);
bool due_at(const UpdateTimes& times, uint64_t step);

// base^n by squaring, from the lowest bit of n on.
double power(double base, uint64_t n);

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_SCHEDULE_H_
