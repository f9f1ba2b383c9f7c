// SPDX-License-Identifier: Apache-2.0
#include "ow/device/device.h"

#include <algorithm>
#include <array>
#include <limits>

#include "ow/base/error.h"

namespace ow {

const char* side_name(Side side) {
  switch (side) {
    case Side::North:
      return "north";
    case Side::East:
      return "east";
    case Side::South:
      return "south";
    case Side::West:
      return "west";
  }
  return "?";
}

void Device::hold(Side side, int index, int colour, bool held) {
  ++acts_;
  hold_credits(side, index, colour, held);
}

void Device::hold_credits(Side, int, int, bool) {
  throw InternalError("this device cannot hold a port's credits");
}

void Device::send(Side side, int index, const Wavelet* wavelets, size_t count) {
  ++acts_;
  for (size_t at = 0; at < count;) {
    size_t end = at + 1;
    while (end < count && wavelets[end].colour == wavelets[at].colour) ++end;
    const auto waiting = waiting_.find({side, index, wavelets[at].colour});
    if (waiting == waiting_.end()) at += offer(side, index, wavelets + at, end - at);
    if (at < end) {
      std::deque<Wavelet>& queue = waiting_[{side, index, wavelets[at].colour}];
      queue.insert(queue.end(), wavelets + at, wavelets + end);
      waiting_count_ += end - at;
      at = end;
    }
  }
}

size_t Device::pending_sends(Side side, int index, int colour) const {
  const auto waiting = waiting_.find({side, index, colour});
  return queued(side, index, colour) + (waiting == waiting_.end() ? 0 : waiting->second.size());
}

size_t Device::pending_sends(Side side, int index) const {
  size_t n = queued(side, index);
  for (auto w = waiting_.lower_bound({side, index, 0}); w != waiting_.end(); ++w) {
    if (std::get<0>(w->first) != side || std::get<1>(w->first) != index) break;
    n += w->second.size();
  }
  return n;
}

void Device::offer_waiting() {
  for (auto w = waiting_.begin(); w != waiting_.end();) {
    const auto [side, index, colour] = w->first;
    std::deque<Wavelet>& queue = w->second;
    std::array<Wavelet, 256> part;
    for (;;) {
      const size_t n = std::min(part.size(), queue.size());
      std::copy_n(queue.begin(), n, part.begin());
      const size_t taken = offer(side, index, part.data(), n);
      queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(taken));
      waiting_count_ -= taken;
      if (queue.empty() || taken < n) break;
    }
    w = queue.empty() ? waiting_.erase(w) : std::next(w);
  }
}

RunStatus Device::run(uint64_t max_cycles, const std::function<bool()>& done) {
  const uint64_t room = std::numeric_limits<uint64_t>::max() - patience_cycle();
  const uint64_t end = patience_cycle() + std::min(max_cycles, room);
  for (;;) {
    if (waiting_count_ != 0) offer_waiting();
    if (done && done()) return RunStatus::Done;
    if (patience_cycle() >= end) return RunStatus::CycleLimit;
    if (advance(end - patience_cycle()) != Pause::Quiet) continue;
    const uint64_t acts = acts_;
    if (done && done()) return RunStatus::Done;
    if (acts_ == acts) return RunStatus::Quiet;  // `done` has done nothing that could move a word
  }
}

}  // namespace ow
