// SPDX-License-Identifier: Apache-2.0
#include "workers.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "ow/base/error.h"

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
  try {
    for (size_t t = 1; t < threads; ++t) others_.emplace_back([this, t] { serve(t); });
  } catch (const std::system_error&) {
    end();
    throw BadInput(
        fmt::format("threads={}: only {} could be started", threads, others_.size() + 1));
  }
}

Workers::~Workers() { end(); }

void Workers::end() {
  ends_ = true;
  for (std::thread& other : others_) other.join();
}

// Whoever lowers the number of parts left has taken the one of the new number. So a thread that
// comes late, even with a number from an earlier call, takes a part that nobody has, or none.
void Workers::take_parts(size_t thread) {
  for (size_t left = left_.load(); left > 0; left = left_.load()) {
    if (!left_.compare_exchange_weak(left, left - 1)) continue;
    work_(thread, left - 1);
    ++done_;
  }
}

void Workers::serve(size_t thread) {
  for (;;) {
    wait_until([&] { return left_.load() > 0 || ends_.load(); });
    if (ends_) return;
    take_parts(thread);
  }
}

// Waits for parts, not for threads: one that sleeps delays nothing.
void Workers::run(size_t parts) {
  if (parts <= 1 || others_.empty()) {
    for (size_t part = 0; part < parts; ++part) work_(0, part);
    return;
  }
  done_ = 0;  // before a part can be taken
  left_ = parts;
  take_parts(0);
  wait_until([&] { return done_.load() == parts; });
}

}  // namespace ow::sim
