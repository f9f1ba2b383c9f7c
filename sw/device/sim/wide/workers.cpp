// SPDX-License-Identifier: Apache-2.0
#include "workers.h"

#include <utility>

namespace ow::wide {
namespace {

constexpr int kSpins = 2000;  // looks before the processor is given to others: a cycle is short

template <typename Condition>
void wait_until(const Condition& condition) {
  for (int spin = 0; !condition(); ++spin) {
    if (spin >= kSpins) std::this_thread::yield();
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

}  // namespace ow::wide
