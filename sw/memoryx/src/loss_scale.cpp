// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/loss_scale.h"

#include <cmath>

#include "ow/base/error.h"

namespace ow::memoryx {
namespace {

void check_scale(double scale) {
  int exponent = 0;
  if (!(scale >= 1 && scale <= 0x1p100) || std::frexp(scale, &exponent) != 0.5) {
    throw BadInput("loss scale: must be a power of two from 1 to 2^100");
  }
}

}  // namespace

LossScale::LossScale(const LossScaleOptions& options)
    : options_(options), value_(static_cast<float>(options.initial)) {
  check_scale(options.initial);
  check_scale(options.most);
  if (options.interval == 0) throw BadInput("loss scale: the interval must be 1 step or more");
}

void LossScale::update(bool overflow) {
  if (!options_.dynamic) return;
  if (overflow) {
    value_ = value_ > 1 ? value_ / 2 : 1;
    good_ = 0;
  } else if (++good_ == options_.interval) {
    if (value_ < static_cast<float>(options_.most)) value_ *= 2;
    good_ = 0;
  }
}

void LossScale::restore(float value, uint64_t good_steps) {
  check_scale(value);
  value_ = value;
  good_ = good_steps;
}

}  // namespace ow::memoryx
