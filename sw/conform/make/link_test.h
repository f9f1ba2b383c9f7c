// SPDX-License-Identifier: Apache-2.0
// What tests of links are made with: two ends of the device on the kit's bench
// (ow/conform/link_bench.h). What is right stands in docs/links.md.
#ifndef OW_CONFORM_MAKE_LINK_TEST_H_
#define OW_CONFORM_MAKE_LINK_TEST_H_

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "maker.h"
#include "ow/isa/isa.h"

namespace ow::conform {

constexpr int kLinkLanes = 68, kLinkGroupLanes = 34;
// Marker and hint of a first beat, by the epoch.
constexpr char kHeader0[] = "7c7", kHeader1[] = "7f8";

// The 38 bits of a wavelet in a frame.
inline std::string frame_word(int colour, uint32_t data, bool control = false) {
  using Word = isa::LinkWord;
  return fmt::format(
      "{:x}", Word::Data::put(data) | Word::Ctrl::put(control) | Word::Colour::put(colour + 1));
}

// A test of the two ends: what it asks, and what is right.
class LinkTest {
 public:
  explicit LinkTest(Maker* m, bool small = false) : m_(m), small_(small) {}

  void begin(const std::string& name, const std::string& about, const Rules& rules) {
    Needs needs;
    needs.features = {small_ ? "small_link" : "link"};
    m_->begin((small_ ? "link.small_" : "link.") + name, about, needs, rules);
    sent_.clear();
    say(small_ ? "open mini" : "open full");
  }
  void say(const std::string& request, const std::string& expected = "", const Rules& rules = {}) {
    m_->expect("link " + request, expected, rules);
  }
  // In about 4,600 cycles; twice as long if the first training fails.
  void up(const Rules& rules = {}, const char* cycles = "1..1450") {
    say("up 20000", cycles, rules);
  }
  void run(int cycles) { say(fmt::format("run {}", cycles)); }
  // Random wavelets of a colour from an end, and that they come, all and in order.
  void send(int end, int colour, int count) {
    std::string words;
    for (int k = 0; k < count; ++k) words += fmt::format(" d{:x}", m_->word());
    say(fmt::format("send {} {}{}", end, colour, words));
    sent_[{1 - end, colour}] += words;
  }
  void take(int end, int colour, const Rules& rules = {}) {
    std::string& words = sent_[{end, colour}];
    say(fmt::format("take {} {}", end, colour), words.empty() ? "" : words.substr(1), rules);
    words.clear();
  }
  void take_all(const Rules& rules = {}) {
    for (const auto& [where, words] : std::map(sent_)) take(where.first, where.second, rules);
  }
  void status(int end, uint32_t word, const std::string& expected, const Rules& rules = {}) {
    say(fmt::format("status {} {}", end, word), expected, rules);
  }
  // STATE: whether it is up, the reason if not, the cause of the last training, trainings.
  void state(int end, uint32_t reason, const std::string& cause_and_trainings,
             const Rules& rules = {}) {
    using State = isa::link::State;
    const bool is_up = reason == 0;
    const size_t dots = cause_and_trainings.find(':');
    const auto cause = static_cast<uint32_t>(std::stoul(cause_and_trainings.substr(0, dots)));
    const auto count = static_cast<uint32_t>(std::stoul(cause_and_trainings.substr(dots + 1)));
    status(end, State::kAddress,
           fmt::format("{:x}", (is_up ? State::Up::put(1) | State::Receives::put(1) : 0) |
                                   State::Down::put(static_cast<isa::LinkDown>(reason)) |
                                   State::Cause::put(static_cast<isa::LinkCause>(cause)) |
                                   State::Trainings::put(count)),
           rules);
  }
  void fault(int end, int lane, const char* kind) {
    say(fmt::format("fault {} {} {}", end, lane, kind));
  }

 private:
  Maker* const m_;
  const bool small_;
  std::map<std::pair<int, int>, std::string> sent_;  // by the end where they come, and the colour
};

// The parts: training and repair; frames and errors; buffers and states; links of few lanes.
void make_link_trainings(Maker* m);
void make_link_frames(Maker* m);
void make_link_states(Maker* m);
void make_small_links(Maker* m);

}  // namespace ow::conform

#endif  // OW_CONFORM_MAKE_LINK_TEST_H_
