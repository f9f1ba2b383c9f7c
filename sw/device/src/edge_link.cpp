// SPDX-License-Identifier: Apache-2.0
#include "ow/device/edge_link.h"

#include <algorithm>
#include <utility>

#include "edge_fraction.h"

namespace ow {
namespace {

// Holds are sorted by their ends: the end of the last one; the first one that is not over.
uint64_t last_of(const std::vector<EdgeHold>& holds) {
  return holds.empty() ? 0 : holds.back().until;
}
const EdgeHold* next_of(const std::vector<EdgeHold>& holds, uint64_t now) {
  for (const EdgeHold& hold : holds) {
    if (now < hold.until) return &hold;
  }
  return nullptr;
}

}  // namespace

const char* edge_wait_name(EdgeWait wait) {
  switch (wait) {
    case EdgeWait::Edge:
      return "edge";
    case EdgeWait::Store:
      return "store";
    case EdgeWait::Broadcast:
      return "broadcast";
    case EdgeWait::Samples:
      return "samples";
    case EdgeWait::Optimizer:
      return "optimizer";
    case EdgeWait::Latency:
      return "latency";
    case EdgeWait::Exit:
      return "exit";
    case EdgeWait::Reduce:
      return "reduce";
  }
  return "?";
}

EdgeLink::EdgeLink(const EdgeLinkOptions& options)
    : options_(options), stage_at_(options.stage_periods.size()), free_at_(options.depth) {}

void EdgeLink::open(uint64_t now, std::vector<EdgeHold> entrance, std::vector<EdgeHold> holds) {
  entrance_ = std::move(entrance);
  opens_at_ = std::max(now, last_of(entrance_));
  opens_at_ = std::max(opens_at_, last_of(holds));
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

// The parts pass wavelets on one by one: `first` and `last` are those of the part before.
uint64_t EdgeLink::cross(uint64_t from, uint64_t wavelets) {
  uint64_t first = from << kFraction, last = first;
  const auto pass = [&](uint64_t* at, uint64_t period) {
    const uint64_t begins = std::max(*at, first);
    *at = last = std::max(begins + wavelets * period, last + period);
    first = begins + period;
  };
  if (wavelets > 0) {
    pass(&store_at_, options_.store_period);
    for (size_t k = 0; k < stage_at_.size(); ++k) pass(&stage_at_[k], options_.stage_periods[k]);
    pass(&link_at_, options_.edge_period);
  }
  return whole_cycles(last);
}

void EdgeLink::skip(uint64_t cycles) {
  const uint64_t time = cycles << kFraction;
  for (uint64_t& at : stage_at_) at += time;
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

// Advances store and link to the beginning of cycle `now`.
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
    uint64_t at = store_at_;
    for (size_t k = 0; k < stage_at_.size(); ++k) {
      at = stage_at_[k] = std::max(stage_at_[k], at) + options_.stage_periods[k];
    }
    link_at_ = std::max({link_at_, at, free_at_[crossed_ % options_.depth]});
    link_at_ += options_.edge_period;
    crossing_ = true;
  }
}

bool EdgeLink::ready(uint64_t now) {
  advance(now);
  return crossed_ > taken_ && now >= last_of(entrance_);
}

void EdgeLink::enter_phase() {
  if (marks_.empty() || marks_.front() != taken_) return;
  marks_.pop_front();
  if (taken_ == begun_) return;  // the first one has begun with the stream
  EdgePhase next;
  next.begin = next.end = phases_.back().end + 1;
  phases_.push_back(next);
}

void EdgeLink::take_wavelet(uint64_t now) {
  enter_phase();
  EdgePhase& phase = phases_.back();
  phase.end = now;
  ++phase.wavelets;
  free_at_[taken_ % options_.depth] = (now + 1) << kFraction;
  ++taken_;
}

// What holds the next wavelet in cycle `now`; of several holds, the one that ends first.
const EdgeHold* EdgeLink::hold(uint64_t now) const {
  const EdgeHold* first = next_of(entrance_, now);
  if (crossed_ > taken_) return first;
  const EdgeHold* own = next_of(holds_, now);
  if (first == nullptr || own == nullptr) return first != nullptr ? first : own;
  return own->until < first->until ? own : first;
}

EdgeWait EdgeLink::cause(uint64_t now) const {
  if (!crossing_) return EdgeWait::Edge;
  if (whole_cycles(store_at_) > now) return EdgeWait::Store;
  const bool staged = std::any_of(stage_at_.begin(), stage_at_.end(),
                                  [now](uint64_t at) { return whole_cycles(at) > now; });
  return staged ? EdgeWait::Broadcast : EdgeWait::Edge;
}

void EdgeLink::starve(uint64_t now) {
  enter_phase();
  const EdgeHold* held = hold(now);
  phases_.back().held += held != nullptr ? 1 : 0;
  count(now, held != nullptr ? held->cause : cause(now));
}

void EdgeLink::count(uint64_t now, EdgeWait cause) {
  EdgePhase& phase = phases_.back();
  const auto k = static_cast<size_t>(cause);
  ++phase.waits[k];
  // Time lost to the holds of a stream belongs before its first phase settles, not into it.
  if (now >= std::max(phase.begin, opens_at_) + kEdgeSettle) ++phase.late[k];
}

}  // namespace ow
