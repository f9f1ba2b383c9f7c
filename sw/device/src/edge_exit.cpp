// SPDX-License-Identifier: Apache-2.0
#include "ow/device/edge_exit.h"

#include <algorithm>

#include "edge_fraction.h"

namespace ow {
EdgeExit::EdgeExit(const EdgeExitOptions& options)
    : options_(options), stage_at_(options.stage_periods.size()), places_(options.depth) {}

void EdgeExit::open(bool stages) {
  stages_ = stages;
  left_.clear();
}

void EdgeExit::skip(uint64_t cycles) {
  const uint64_t time = cycles << kFraction;
  link_at_ += time;
  for (uint64_t& at : stage_at_) at += time;
  for (Place& place : places_) {
    place.crossed += cycles;
    place.through += cycles;
  }
}

void EdgeExit::arrive(uint64_t now, int credits) {
  Place& place = places_[arrived_++ % options_.depth];
  const uint64_t begins = std::max(now, place.through);
  waiting_.push_back({begins, place.crossed, credits});
  kept_ += credits;
  link_at_ = std::max(link_at_, begins << kFraction) + options_.edge_period;
  place.crossed = whole_cycles(link_at_);
  left_.push_back(place.crossed);
  uint64_t at = link_at_;
  for (size_t k = 0; stages_ && k < stage_at_.size(); ++k) {
    at = stage_at_[k] = std::max(stage_at_[k], at) + options_.stage_periods[k];
  }
  place.through = whole_cycles(at);
}

int EdgeExit::release(uint64_t now) {
  int credits = 0;
  while (!waiting_.empty() && waiting_.front().place < now) {
    credits += waiting_.front().credits;
    waiting_.pop_front();
  }
  kept_ -= credits;
  return credits;
}

EdgeWait EdgeExit::cause(uint64_t now) const {
  const bool behind = !waiting_.empty() && waiting_.front().crossed <= now;
  return behind ? EdgeWait::Reduce : EdgeWait::Exit;
}

}  // namespace ow
