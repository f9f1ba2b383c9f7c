// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ow/base/error.h"

namespace ow::memoryx {
namespace {

// cos(pi x) for x in 0..1, as sin(pi (1/2 - x)): its series up to the 19th power.
double cosine(double x) {
  constexpr double kPi = 3.14159265358979323846;
  double factorial = 1;
  for (int k = 2; k <= 19; ++k) factorial *= k;
  const double z = kPi * (0.5 - x);
  const double square = z * z;
  double p = -1.0 / factorial;
  double sign = 1;
  for (int k = 17; k >= 1; k -= 2) {
    factorial /= (k + 1) * (k + 2);
    p = p * square + sign / factorial;
    sign = -sign;
  }
  return p * z;
}

double value_in(const SchedulePiece& piece, uint64_t step) {
  const double x = static_cast<double>(step) / static_cast<double>(piece.steps);
  switch (piece.kind) {
    case SchedulePiece::Kind::Constant:
      return piece.from;
    case SchedulePiece::Kind::Linear:
      return piece.from + (piece.to - piece.from) * x;
    case SchedulePiece::Kind::Cosine:
      return piece.to + (piece.from - piece.to) * ((1 + cosine(x)) / 2);
    case SchedulePiece::Kind::Cubic: {
      const double y = 1 - x;
      return piece.to + (piece.from - piece.to) * (y * y * y);
    }
    case SchedulePiece::Kind::Power:
      return piece.to + (piece.from - piece.to) * power(piece.base, step);
    case SchedulePiece::Kind::Slope: {
      const double value = piece.from + piece.base * static_cast<double>(step);
      return piece.base < 0 ? std::max(value, piece.to) : std::min(value, piece.to);
    }
    case SchedulePiece::Kind::Repeat:
      break;
  }
  throw InternalError("a schedule of no kind");
}

bool repeats(const Schedule& schedule) {
  return schedule.back().kind == SchedulePiece::Kind::Repeat;
}

// The steps of the pieces `first` to `last` - 1.
uint64_t steps_of(const Schedule& schedule, size_t first, size_t last) {
  uint64_t steps = 0;
  for (size_t k = first; k < last; ++k) steps += schedule[k].steps;
  return steps;
}

// The first of the pieces that are repeated.
size_t first_repeated(const Schedule& schedule) {
  return schedule.size() - 1 - static_cast<size_t>(schedule.back().steps);
}

void check_last(const SchedulePiece& piece, size_t in_front, const std::string& who) {
  using Kind = SchedulePiece::Kind;
  if (piece.kind == Kind::Repeat && piece.steps > in_front) {
    throw BadInput(
        fmt::format("{}: repeats {} pieces, {} are in front", who, piece.steps, in_front));
  }
  const double way = piece.to - piece.from;
  if (piece.kind == Kind::Slope && (piece.base == 0 || way * piece.base < 0)) {
    throw BadInput(fmt::format("{}: a slope of {} does not lead from {} to {}", who, piece.base,
                               piece.from, piece.to));
  }
}

}  // namespace

void check_schedule(const Schedule& schedule, double low, double high, const std::string& who) {
  using Kind = SchedulePiece::Kind;
  if (schedule.empty()) throw BadInput(who + ": an empty schedule");
  for (const SchedulePiece& piece : schedule) {
    if (piece.steps == 0) throw BadInput(who + ": a piece of no steps");
    const bool last = &piece == &schedule.back();
    const bool open =
        piece.kind == Kind::Slope || piece.kind == Kind::Repeat || piece.steps == kForever;
    if (open && !last) throw BadInput(who + ": a piece without an end in front of others");
    if (last) check_last(piece, schedule.size() - 1, who);
    if (piece.kind == Kind::Repeat) continue;
    for (const double value : {piece.from, piece.to}) {
      if (!(value >= low && value <= high)) {
        throw BadInput(fmt::format("{}: must be from {} to {}, not {}", who, low, high, value));
      }
    }
    if (piece.kind == SchedulePiece::Kind::Power && !(piece.base > 0 && piece.base <= 1)) {
      throw BadInput(fmt::format("{}: the base of a power must be above 0 and at most 1, not {}",
                                 who, piece.base));
    }
  }
}

double value_at(const Schedule& schedule, uint64_t step) {
  if (repeats(schedule)) {
    const size_t again = first_repeated(schedule);
    const uint64_t before = steps_of(schedule, 0, again);
    if (step >= before) {
      step = before + (step - before) % steps_of(schedule, again, schedule.size() - 1);
    }
  }
  for (const SchedulePiece& piece : schedule) {
    if (step < piece.steps) return value_in(piece, step);
    step -= piece.steps;
  }
  return schedule.back().to;
}

bool moves(const Schedule& schedule) {
  for (const SchedulePiece& piece : schedule) {
    if (piece.kind == SchedulePiece::Kind::Repeat) continue;
    if (piece.from != schedule.front().from || piece.to != schedule.front().from) return true;
  }
  return false;
}

double value_at_last(const Schedule& schedule) {
  if (!repeats(schedule)) return schedule.back().to;
  const size_t again = first_repeated(schedule);
  double sum = 0;
  for (size_t k = again; k + 1 < schedule.size(); ++k) {
    const SchedulePiece& piece = schedule[k];
    sum += (piece.from + piece.to) / 2 * static_cast<double>(piece.steps);
  }
  return sum / static_cast<double>(steps_of(schedule, again, schedule.size() - 1));
}

bool due_at(const UpdateTimes& times, uint64_t step) {
  if (!times.steps.empty()) {
    return std::find(times.steps.begin(), times.steps.end(), step) != times.steps.end();
  }
  return step >= times.start && step < times.stop && (step - times.start) % times.every == 0;
}

double power(double base, uint64_t n) {
  double r = 1;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) r = r * base;
    base = base * base;
  }
  return r;
}

}  // namespace ow::memoryx
