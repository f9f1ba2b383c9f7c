// SPDX-License-Identifier: Apache-2.0
#include "ow/device/edge_link.h"

#include <algorithm>

namespace ow {
namespace {

constexpr int kFraction = 16;  // bits of a cycle's fraction

uint64_t whole_cycles(uint64_t time) {
  return (time + (uint64_t{1} << kFraction) - 1) >> kFraction;
}

}  // namespace

const char* edge_wait_name(EdgeWait wait) {
  switch (wait) {
    case EdgeWait::Edge:
      return "edge";
    case EdgeWait::Store:
      return "store";
    case EdgeWait::Samples:
      return "samples";
    case EdgeWait::Optimizer:
      return "optimizer";
  }
  return "?";
}

void EdgeLink::open(uint64_t now, std::vector<EdgeHold> holds) {
  holds_ = std::move(holds);
  opens_at_ = now;
  for (const EdgeHold& hold : holds_) opens_at_ = std::max(opens_at_, hold.until);
  offered_ = crossed_ = taken_ = 0;
  store_at_ = link_at_ = opens_at_ << kFraction;
  crossing_ = full_ = false;
  dry_ = true;
  marks_.clear();
  phases_.assign(1, EdgePhase{});
  phases_.front().begin = now;
}

void EdgeLink::offer(uint64_t now, size_t count) {
  advance(now);
  offered_ += count;
  advance(now);
}

// Brings store and link to the beginning of cycle `now`.
void EdgeLink::advance(uint64_t now) {
  const uint64_t time = now << kFraction;
  for (;;) {
    if (crossing_) {
      if (whole_cycles(link_at_) > now) return;
      crossing_ = false;
      ++crossed_;
    }
    if (crossed_ == offered_) {
      dry_ = true;
      return;
    }
    if (crossed_ - taken_ == options_.depth) {
      full_ = true;
      return;
    }
    if (dry_) store_at_ = std::max(store_at_, time);
    if (full_) link_at_ = std::max(link_at_, time);
    dry_ = full_ = false;
    store_at_ += options_.store_period;
    link_at_ = std::max(link_at_, store_at_) + options_.edge_period;
    crossing_ = true;
  }
}

bool EdgeLink::ready(uint64_t now) {
  advance(now);
  return crossed_ > taken_;
}

void EdgeLink::enter_phase() {
  if (marks_.empty() || marks_.front() != taken_) return;
  marks_.pop_front();
  if (taken_ == 0) return;  // the first one has begun with the stream
  EdgePhase next;
  next.begin = next.end = phases_.back().end + 1;
  phases_.push_back(next);
}

void EdgeLink::take(uint64_t now) {
  enter_phase();
  EdgePhase& phase = phases_.back();
  phase.end = now;
  ++phase.wavelets;
  ++taken_;
}

EdgeWait EdgeLink::cause(uint64_t now) const {
  for (const EdgeHold& hold : holds_) {
    if (now < hold.until) return hold.cause;
  }
  return crossing_ && whole_cycles(store_at_) > now ? EdgeWait::Store : EdgeWait::Edge;
}

void EdgeLink::starve(uint64_t now) {
  enter_phase();
  EdgePhase& phase = phases_.back();
  const auto k = static_cast<size_t>(cause(now));
  ++phase.waits[k];
  // What the holds of a stream take is before its first phase settles, not in it.
  if (now >= std::max(phase.begin, opens_at_) + kEdgeSettle) ++phase.late[k];
}

}  // namespace ow
