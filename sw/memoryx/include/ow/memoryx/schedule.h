// SPDX-License-Identifier: Apache-2.0
// Values over steps, and steps at which something is due (docs/numerics.md, N19). Only + - * / in
// double, so the bits are the same on every machine.
#ifndef OW_MEMORYX_SCHEDULE_H_
#define OW_MEMORYX_SCHEDULE_H_

#include <cstdint>

#include "ow/graph/training.h"

namespace ow::memoryx {

// BadInput, which begins with `who`, if: the schedule is empty; a piece has no steps; an endless
// piece is not the last; a value is not in low..high; the base of a power is not above 0 and at
// most 1; a slope leads away from its bound; there is nothing to repeat.
void check_schedule(const Schedule& schedule, double low, double high, const std::string& who);

double value_at(const Schedule& schedule, uint64_t step);
// Whether the schedule has more than one value.
bool moves(const Schedule& schedule);
// The value in the end: the last piece's `to`. For a repeating schedule it is the mean of the
// repeated pieces, weighted by their steps; a piece counts as the mean of its ends.
double value_at_last(const Schedule& schedule);
bool due_at(const UpdateTimes& times, uint64_t step);

// base^n by squaring, from the lowest bit of n up.
double power(double base, uint64_t n);

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_SCHEDULE_H_
