// SPDX-License-Identifier: Apache-2.0
#include "workers.h"

#include <chrono>
#include <utility>

namespace ow::sim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
// A cycle is short, so a thread looks without a break at first. Breaks are sleeps: a thread that
// yields waits on a busy machine for the time slices of all others. They are longer while the
// program does something else than to simulate.
constexpr microseconds kHot{50}, kWarm{20000}, kNap{20}, kLongNap{1000};

template <typename Condition>
void wait_until(const Condition& condition) {
  for (const auto begun = Clock::now(); !condition();) {
    const auto waited = Clock::now() - begun;
    if (waited > kHot) std::this_thread::sleep_for(waited > kWarm ? kLongNap : kNap);
  }
}

}  // namespace

Workers::Workers(size_t threads, std::function<void(size_t, size_t)> work)
    : work_(std::move(work)) {
  for (size_t t = 1; t < threads; ++t) others_.emplace_back([this, t] { serve(t); });
}

Workers::~Workers() {
  ends_ = true;
  ++round_;
  for (std::thread& other : others_) other.join();
}

void Workers::take_parts(size_t thread) {
  for (size_t part = next_++; part < parts_; part = next_++) work_(thread, part);
}

void Workers::serve(size_t thread) {
  for (uint64_t round = 1;; ++round) {
    wait_until([&] { return round_.load() >= round; });
    if (ends_) return;
    take_parts(thread);
    --working_;
  }
}

void Workers::run(size_t parts) {
  parts_ = parts;
  next_ = 0;
  working_ = others_.size();
  ++round_;
  take_parts(0);
  wait_until([&] { return working_.load() == 0; });
}

}  // namespace ow::sim
