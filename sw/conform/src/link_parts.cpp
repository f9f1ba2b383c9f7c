// SPDX-License-Identifier: Apache-2.0
#include "link_parts.h"

#include <algorithm>
#include <set>

#include "ow/device/link_word.h"

namespace ow::conform {
namespace {
constexpr int kLastColour = isa::kColourRsp;

// A control wavelet with commands takes all credits of its colour, and gives them back (F3).
int credits_of(int colour, const Word& word) {
  const bool fence = word.control && static_cast<uint32_t>(colour) < isa::kColourReq &&
                     (word.data & isa::Control::Commands::kMask) != 0;
  return fence ? link_credits(colour) : 1;
}
}  // namespace

// ---------------------------------------------------------------------------------------- wires --

Lanes LinkWires::carry(const Lanes& sent) {
  past_.push_front(sent);
  if (past_.size() > kPast) past_.pop_back();
  Lanes got{};
  for (int lane = 0; lane < shape_.lanes(); ++lane) {
    const auto k = static_cast<size_t>(lane);
    const auto late = std::min(static_cast<size_t>(late_[k]), past_.size() - 1);
    const uint64_t mask = uint64_t{1} << shape_.bit(lane);
    bool bit = (past_[late][shape_.word(lane)] & mask) != 0;
    if (faults_[k] == Fault::Stuck0) bit = false;
    if (faults_[k] == Fault::Stuck1) bit = true;
    if (faults_[k] == Fault::Inverted) bit = !bit;
    if (bit && !cut_) got[shape_.word(lane)] |= mask;
  }
  if (!flips_.empty() && (!flips_wait_ || (sent[0] | sent[1]) != 0)) {
    flips_wait_ = false;
    for (size_t g = 0; g < got.size(); ++g) got[g] ^= flips_.front()[g];
    flips_.pop_front();
  }
  return got;
}

// --------------------------------------------------------------------------------------- router --

LinkRouter::LinkRouter() {
  for (int c = 0; c <= kLastColour; ++c) colours_[c].credits = link_credits(c);
}

void LinkRouter::send(int colour, const std::vector<Word>& words) {
  auto& waits = colours_[colour].waits;
  waits.insert(waits.end(), words.begin(), words.end());
}

std::vector<Word> LinkRouter::take(int colour) {
  std::vector<Word> came;
  came.swap(colours_[colour].came);
  return came;
}

void LinkRouter::script(const std::vector<uint64_t>& words) {
  scripted_ = true;
  noted_.clear();
  script_.insert(script_.end(), words.begin(), words.end());
}

std::vector<uint64_t> LinkRouter::noted() {
  std::vector<uint64_t> all;
  all.swap(noted_);
  return all;
}

std::vector<int> LinkRouter::credited() {
  std::vector<int> all;
  all.swap(credited_);
  return all;
}

uint64_t LinkRouter::step(uint64_t from_end) {
  if (scripted_) {
    if (from_end != 0) noted_.push_back(from_end);
    if (script_.empty()) return 0;
    const uint64_t word = script_.front();
    script_.pop_front();
    return word;
  }
  if (link_has_credit(from_end)) {
    ++colours_[link_credit_colour(from_end)].credits;
    credited_.push_back(link_credit_colour(from_end));
  }
  if (link_has_wavelet(from_end)) {
    const Wavelet w = link_wavelet(from_end);
    Colour& colour = colours_[w.colour];
    colour.came.push_back({w.ctrl, w.data});
    colour.held += credits_of(w.colour, {w.ctrl, w.data});
    ++taken_;
  }
  uint64_t out = 0;
  for (auto& [c, colour] : colours_) {
    if (blocked_[c]) continue;
    colour.owed += colour.held;
    colour.held = 0;
  }
  // One credit and one wavelet a cycle, the colours in turn.
  const auto next = [this](int from, const auto& has) {
    for (int n = 1; n <= kLastColour + 1; ++n) {
      const int c = (from + n) % (kLastColour + 1);
      if (has(c, colours_[c])) return c;
    }
    return -1;
  };
  // Those of the control plane go first (F27).
  const auto owes = [](int, const Colour& x) { return x.owed > 0; };
  int c = isa::kColourReq;
  while (c <= kLastColour && !owes(c, colours_[c])) ++c;
  if (c > kLastColour) c = next(owing_, owes);
  if (c >= 0) {
    --colours_[c].owed;
    owing_ = c;
    out |= link_of_credit(c);
  }
  const auto ready = [](int colour, const Colour& x) {
    return !x.waits.empty() && x.credits >= credits_of(colour, x.waits.front());
  };
  c = next(turn_, ready);
  if (c >= 0) {
    Colour& colour = colours_[c];
    out |= link_of_wavelet(
        {static_cast<uint8_t>(c), colour.waits.front().control, colour.waits.front().data});
    colour.credits -= credits_of(c, colour.waits.front());
    colour.waits.pop_front();
    turn_ = c;
    ++sent_;
  }
  return out;
}

// ------------------------------------------------------------------------------------------ ear --

bool LinkEar::bit(const Lanes& lanes, int lane) const {
  return (lanes[shape_.word(lane)] >> shape_.bit(lane) & 1) != 0;
}

void LinkEar::listen(const std::array<int, 4>& map) {
  listens_ = true;
  spare_ = false;
  map_ = map;
  frames_.clear();
}

std::vector<uint64_t> LinkEar::take_frames() {
  std::vector<uint64_t> frames;
  frames.swap(frames_);
  return frames;
}

void LinkEar::hear(uint64_t cycle, const Lanes& lanes) {
  if (listens_) hear_frame(cycle, lanes);
  if (!awaited_) {
    past_.clear();
    return;
  }
  past_.push_back(lanes);
  if (past_.size() < isa::kTrainPeriod) return;
  read_period(cycle);
  past_.pop_front();
}

void LinkEar::hear_frame(uint64_t cycle, const Lanes& lanes) {
  Lanes rest = lanes;
  for (int b = shape_.groups() * shape_.data() - 1; b >= 0; --b) {
    const auto g = static_cast<size_t>(b / shape_.data());
    const int d = b % shape_.data();
    const int lo = map_[2 * g], hi = map_[2 * g + 1];
    const int lane = d < lo ? d : d + 1 < hi ? d + 1 : d + 2;
    beat_ = beat_ << 1 | (lanes[g] >> lane & 1);
    rest[g] &= ~(uint64_t{1} << lane);
  }
  spare_ = spare_ || (rest[0] | rest[1]) != 0;
  const auto slices = static_cast<uint64_t>(shape_.slices());
  if ((cycle + 1) % slices != 0) return;
  if ((cycle + 1) % (2 * slices) != 0) {
    first_ = beat_;
  } else if ((first_ | beat_) != 0) {
    frames_.push_back(first_);
    frames_.push_back(beat_);
  }
  beat_ = 0;
}

// The last 512 cycles are a period if nearly all lanes begin with the marker.
void LinkEar::read_period(uint64_t cycle) {
  const auto at = [this](uint32_t cycle_of_period, int lane) {
    return bit(past_[cycle_of_period], lane);
  };
  Period found;
  std::set<uint32_t> phases;
  for (int lane = 0; lane < shape_.lanes(); ++lane) {
    bool marker = true;
    for (uint32_t k = 0; k < isa::kTrainMessage; ++k)
      marker = marker && at(k, lane) == (k >= isa::kTrainOnes);
    found.markers += marker ? 1 : 0;
  }
  if (2 * found.markers <= shape_.lanes()) return;
  for (uint32_t k = 0; k < 32; ++k) {
    int ones = 0;
    for (int lane = 0; lane < shape_.lanes(); ++lane)
      ones += at(isa::kTrainMessage + 4 * k + 1, lane) ? 1 : 0;
    if (2 * ones > shape_.lanes()) found.message |= uint64_t{1} << k;
  }
  // x^9 + x^5 + 1
  for (int lane = 0; lane < shape_.lanes(); ++lane) {
    bool obeys = true;
    uint32_t phase = 0;
    for (uint32_t k = isa::kTrainTest; k < isa::kTrainPeriod; ++k) {
      if (k < isa::kTrainTest + 9) {
        phase = phase << 1 | (at(k, lane) ? 1u : 0u);
      } else {
        obeys = obeys && at(k, lane) == (at(k - 9, lane) != at(k - 5, lane));
      }
    }
    if (!obeys || phase == 0) continue;
    ++found.tests;
    phases.insert(phase);
  }
  found.different = static_cast<int>(phases.size());
  found.phase = (cycle + 1) % (2 * static_cast<uint64_t>(shape_.slices()));
  period_ = found;
  awaited_ = false;
}

}  // namespace ow::conform
