// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "ow/base/error.h"
#include "ow/conform/fault.h"
#include "ow/conform/suite.h"
#include "ow/device/link_word.h"

namespace ow::conform {
namespace {

constexpr Fault kFaults[] = {
    {"two lanes are exchanged", "links.md", "Lanes"},
    {"idle lanes are not all 0", "links.md", "The frame"},
    {"control bits are lost", "links.md", "The frame"},
    {"wavelets come a cycle late", "links.md", "Latency"},
    {"lanes are a cycle late", "links.md", "Latency"},
    {"a credit comes back for another colour", "links.md", "Buffers and credits"},
    {"every eighth credit is lost", "links.md", "Buffers and credits"},
    {"a command to train is ignored", "links.md", "Failure and retraining"},
    {"an end cannot be switched off", "links.md", "Failure and retraining"},
    {"a training more is counted", "links.md", "Status words"},
    {"replays are not counted", "links.md", "Status words"},
    {"faulty lanes are not shown", "links.md", "Status words"}};

constexpr size_t kNumbers = 4;  // of an end: tile, lanes of both groups, command or status
using Clock = std::array<std::array<uint64_t, kNumbers>, 2>;
enum : size_t { kTile, kLow, kHigh, kWord };

class FaultyLink : public Door {
 public:
  FaultyLink(std::unique_ptr<Door> door, std::string fault)
      : door_(std::move(door)), fault_(std::move(fault)) {}

  std::string ask(const std::string& line) override {
    const std::vector<std::string> words = words_of(line);
    if (words[0] == "ends") {
      late_ = {};
      credits_ = 0;
    }
    if (words[0] != "clock") return door_->ask(line);
    Clock in = read(words);
    for (auto& end : in) {
      if (is("a command to train is ignored")) end[kWord] &= ~uint64_t{2};
      if (is("an end cannot be switched off")) end[kWord] &= ~uint64_t{4};
    }
    const std::vector<std::string> answer = words_of(door_->ask("clock" + text(in)));
    if (answer.size() != 1 + 2 * kNumbers || answer[0] != "ok") return "error the end says nothing";
    Clock out = read(answer);
    for (size_t s = 0; s < 2; ++s) {
      if ((in[s][kWord] & 8) != 0) word_[s] = in[s][kWord] >> 8 & 63;
      spoil(s, &out[s]);
    }
    return "ok" + text(out);
  }
  void restart() override { door_->restart(); }

 private:
  bool is(const char* name) const { return fault_ == name; }

  static Clock read(const std::vector<std::string>& words) {
    Clock clock{};
    for (size_t k = 0; k < 2 * kNumbers && k + 1 < words.size(); ++k)
      clock[k / kNumbers][k % kNumbers] = std::strtoull(words[k + 1].c_str(), nullptr, 16);
    return clock;
  }
  static std::string text(const Clock& clock) {
    std::string out;
    for (const auto& end : clock)
      for (const uint64_t number : end) out += fmt::format(" {:x}", number);
    return out;
  }

  void spoil(size_t s, std::array<uint64_t, kNumbers>* end) {
    uint64_t& tile = (*end)[kTile];
    uint64_t& low = (*end)[kLow];
    uint64_t& high = (*end)[kHigh];
    if (is("two lanes are exchanged"))
      low = (low & ~uint64_t{12}) | (low & 4) << 1 | (low & 8) >> 1;
    if (is("idle lanes are not all 0") && low == 0 && high == 0) low = 1;
    if (is("control bits are lost")) tile &= ~isa::Link::Wavelet::put(isa::Wavelet::Ctrl::kMask);
    if (is("wavelets come a cycle late")) {
      const uint64_t wavelet = tile & ~kLinkCreditMask;
      tile = (tile & kLinkCreditMask) | late_[s][kTile];
      late_[s][kTile] = wavelet;
    }
    if (is("lanes are a cycle late")) {
      std::swap(low, late_[s][kLow]);
      std::swap(high, late_[s][kHigh]);
    }
    if (link_has_credit(tile)) {
      const int colour = link_credit_colour(tile);
      if (is("a credit comes back for another colour") && colour == 5)
        tile = (tile & ~kLinkCreditMask) | link_of_credit(6);
      if (is("every eighth credit is lost") && ++credits_ % 8 == 0) tile &= ~kLinkCreditMask;
    }
    spoil_status(word_[s], &(*end)[kWord]);
  }

  void spoil_status(uint64_t word, uint64_t* value) const {
    using namespace isa::link;  // NOLINT(google-build-using-namespace): names of fields
    if (is("a training more is counted") && word == State::kAddress)
      *value += State::Trainings::put(1);
    if (is("replays are not counted") && word == Replays::kAddress) *value = 0;
    if (is("faulty lanes are not shown") && word >= Faulty::kAddress && word < RxMap::kAddress)
      *value = 0;
  }

  std::unique_ptr<Door> door_;
  const std::string fault_;
  Clock late_{};
  std::array<uint64_t, 2> word_{};
  int credits_ = 0;
};

}  // namespace

const std::vector<Fault>& link_faults() {
  static const std::vector<Fault> all(std::begin(kFaults), std::end(kFaults));
  return all;
}

std::unique_ptr<Door> make_faulty_link(std::unique_ptr<Door> door, const std::string& fault) {
  for (const Fault& known : kFaults)
    if (fault == known.name) return std::make_unique<FaultyLink>(std::move(door), fault);
  throw BadInput("'" + fault + "' is no fault of a link");
}

}  // namespace ow::conform
