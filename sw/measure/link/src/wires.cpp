// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ow/measure/link/pair.h"

namespace ow::link {
namespace {
void flip(Lanes* lanes, int lane) {
  lanes->group[static_cast<size_t>(lane / kGroupLanes)] ^= uint64_t{1} << (lane % kGroupLanes);
}
bool get(const Lanes& lanes, int lane) {
  return (lanes.group[static_cast<size_t>(lane / kGroupLanes)] >> (lane % kGroupLanes) & 1) != 0;
}
void set(Lanes* lanes, int lane, bool value) {
  if (get(*lanes, lane) != value) flip(lanes, lane);
}
}  // namespace

void Wires::set_noise(double bit_error_rate) {
  rate_ = bit_error_rate;
  if (rate_ > 0) {
    log_keep_ = std::log1p(-rate_);
    draw_gap();
  }
}

void Wires::draw_gap() {
  gap_ = static_cast<uint64_t>(std::log(1.0 - random_.uniform()) / log_keep_);
}

void Wires::set_bursts(double a_cycle) { burst_rate_ = a_cycle; }

void Wires::set_fault(int lane, Fault fault, int other, double rate) {
  faults_.erase(std::remove_if(faults_.begin(), faults_.end(),
                               [&](const LaneFault& f) { return f.lane == lane; }),
                faults_.end());
  if (fault != Fault::None) faults_.push_back({lane, fault, other, rate, true, cycle_ + 300});
}

void Wires::clear_faults() { faults_.clear(); }

// A new burst hits some lanes for one cycle, or one lane for some cycles. Bursts that have begun go
// on.
void Wires::burst(Lanes* got) {
  if (random_.uniform() < burst_rate_) {
    ++bursts_;
    const int length = std::min(2 + static_cast<int>(random_.below(15)), shape_.lanes());
    if ((random_.next() >> 63) != 0) {
      const int first =
          static_cast<int>(random_.below(static_cast<uint32_t>(shape_.lanes() - length + 1)));
      for (int i = 0; i < length; ++i) {
        if (i == 0 || i == length - 1 || (random_.next() >> 63) != 0)
          flip(got, shape_.lane(first + i));
      }
    } else {
      const auto lanes = static_cast<uint32_t>(shape_.lanes());
      running_.push_back({shape_.lane(static_cast<int>(random_.below(lanes))), length});
    }
  }
  for (Burst& b : running_) {
    --b.left;
    if (b.left == 0 || (random_.next() >> 63) != 0) flip(got, b.lane);
  }
  running_.erase(
      std::remove_if(running_.begin(), running_.end(), [](const Burst& b) { return b.left == 0; }),
      running_.end());
}

Lanes Wires::carry(const Lanes& sent) {
  ++cycle_;
  sent_ = sent;
  Lanes got = sent;
  if (flip_armed_ && (sent.group[0] | sent.group[1]) != 0) {
    got.group[0] ^= flip_.group[0];
    got.group[1] ^= flip_.group[1];
    flip_armed_ = false;
  }
  for (LaneFault& f : faults_) {
    const bool own = get(sent, f.lane);
    const bool other = get(sent, f.other);
    switch (f.fault) {
      case Fault::None:
        break;
      case Fault::Stuck0:
        set(&got, f.lane, false);
        break;
      case Fault::Stuck1:
        set(&got, f.lane, true);
        break;
      case Fault::Inverted:
        set(&got, f.lane, !own);
        break;
      case Fault::BridgedAnd:
        set(&got, f.lane, own && other);
        set(&got, f.other, own && other);
        break;
      case Fault::BridgedOr:
        set(&got, f.lane, own || other);
        set(&got, f.other, own || other);
        break;
      case Fault::Follows:
        set(&got, f.lane, other);
        break;
      case Fault::Intermittent:
        if (cycle_ >= f.until) {
          f.active = !f.active;
          f.until = cycle_ + 100 + random_.below(800);
        }
        if (f.active && random_.uniform() < f.rate) flip(&got, f.lane);
        break;
    }
  }
  if (rate_ > 0) {
    while (gap_ < static_cast<uint64_t>(shape_.lanes())) {
      flip(&got, shape_.lane(static_cast<int>(gap_)));
      ++bits_flipped_;
      const uint64_t at = gap_ + 1;
      draw_gap();
      gap_ += at;
    }
    gap_ -= static_cast<uint64_t>(shape_.lanes());
  }
  if (burst_rate_ > 0) burst(&got);
  if (cut_) got = Lanes{};
  return got;
}

}  // namespace ow::link
