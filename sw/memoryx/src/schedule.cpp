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
  }
  throw InternalError("a schedule of no kind");
}

}  // namespace

void check_schedule(const Schedule& schedule, double low, double high, const std::string& who) {
  if (schedule.empty()) throw BadInput(who + ": an empty schedule");
  for (const SchedulePiece& piece : schedule) {
    if (piece.steps == 0) throw BadInput(who + ": a piece of no steps");
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
  for (const SchedulePiece& piece : schedule) {
    if (step < piece.steps) return value_in(piece, step);
    step -= piece.steps;
  }
  return schedule.back().to;
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
