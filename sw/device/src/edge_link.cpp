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

EdgeLink::EdgeLink(const EdgeLinkOptions& options) : options_(options), free_at_(options.depth) {}

void EdgeLink::open(uint64_t now, const EdgeHold& entrance, std::vector<EdgeHold> holds) {
  entrance_ = entrance;
  opens_at_ = std::max(now, entrance.until);
  for (const EdgeHold& hold : holds) opens_at_ = std::max(opens_at_, hold.until);
  begun_ = offered_;
  ahead_ = true;
  gates_.clear();
  gates_.push_back({offered_, std::move(holds)});
  marks_.clear();
  phases_.assign(1, EdgePhase{});
  phases_.front().begin = now;
}

void EdgeLink::begin_phase(std::vector<EdgeHold> holds) {
  marks_.push_back(offered_);
  gates_.push_back({offered_, std::move(holds)});
}

void EdgeLink::skip(uint64_t cycles) {
  const uint64_t time = cycles << kFraction;
  store_at_ += time;
  link_at_ += time;
  for (uint64_t& at : free_at_) at += time;
}

void EdgeLink::offer(uint64_t now, size_t count) {
  advance(now);
  if (crossed_ == offered_ && !ahead_) store_at_ = std::max(store_at_, now << kFraction);
  ahead_ = false;
  offered_ += count;
  advance(now);
}

// Brings store and link to the beginning of cycle `now`.
void EdgeLink::advance(uint64_t now) {
  for (;;) {
    if (crossing_) {
      if (whole_cycles(link_at_) > now) return;
      crossing_ = false;
      ++crossed_;
    }
    if (crossed_ == offered_ || crossed_ - taken_ == options_.depth) return;
    while (!gates_.empty() && gates_.front().at <= crossed_) {
      holds_ = std::move(gates_.front().holds);
      gates_.pop_front();
      if (!holds_.empty()) store_at_ = std::max(store_at_, holds_.back().until << kFraction);
    }
    store_at_ += options_.store_period;
    link_at_ = std::max({link_at_, store_at_, free_at_[crossed_ % options_.depth]});
    link_at_ += options_.edge_period;
    crossing_ = true;
  }
}

bool EdgeLink::ready(uint64_t now) {
  advance(now);
  return crossed_ > taken_ && now >= entrance_.until;
}

void EdgeLink::enter_phase() {
  if (marks_.empty() || marks_.front() != taken_) return;
  marks_.pop_front();
  if (taken_ == begun_) return;  // the first one has begun with the stream
  EdgePhase next;
  next.begin = next.end = phases_.back().end + 1;
  phases_.push_back(next);
}

void EdgeLink::take(uint64_t now) {
  enter_phase();
  EdgePhase& phase = phases_.back();
  phase.end = now;
  ++phase.wavelets;
  free_at_[taken_ % options_.depth] = (now + 1) << kFraction;
  ++taken_;
}

// What holds the next wavelet in cycle `now`: of several the one that ends first.
const EdgeHold* EdgeLink::hold(uint64_t now) const {
  const EdgeHold* first = now < entrance_.until ? &entrance_ : nullptr;
  if (crossed_ > taken_) return first;
  for (const EdgeHold& hold : holds_) {
    if (now >= hold.until) continue;
    return first == nullptr || hold.until < first->until ? &hold : first;
  }
  return first;
}

EdgeWait EdgeLink::cause(uint64_t now) const {
  return crossing_ && whole_cycles(store_at_) > now ? EdgeWait::Store : EdgeWait::Edge;
}

void EdgeLink::starve(uint64_t now) {
  enter_phase();
  EdgePhase& phase = phases_.back();
  const EdgeHold* held = hold(now);
  const auto k = static_cast<size_t>(held != nullptr ? held->cause : cause(now));
  ++phase.waits[k];
  phase.held += held != nullptr ? 1 : 0;
  // What the holds of a stream take is before its first phase settles, not in it.
  if (now >= std::max(phase.begin, opens_at_) + kEdgeSettle) ++phase.late[k];
}

}  // namespace ow
