// SPDX-License-Identifier: Apache-2.0
// A ring whose model is a hash of the context. Packets of different slots pass in a random order,
// and memory for contexts can be short.
#ifndef OW_TB_SW_SERVE_FAKE_RING_H_
#define OW_TB_SW_SERVE_FAKE_RING_H_

#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/serve/token_ring.h"

namespace ow::serve {

inline std::vector<uint32_t> fake_logits(const std::vector<int>& context, int vocabulary) {
  uint64_t state = 1;
  for (const int token : context) state = mix64(state + static_cast<uint64_t>(token));
  Rng rng(state);
  std::vector<uint32_t> logits;
  for (int t = 0; t < vocabulary; ++t) {
    const auto z = static_cast<float>(6 * rng.uniform());
    logits.emplace_back();
    std::memcpy(&logits.back(), &z, sizeof z);
  }
  return logits;
}

class FakeRing : public TokenRing {
 public:
  FakeRing(RingShape shape, int memory, uint64_t seed)
      : shape_(shape), memory_(memory), rng_(seed), slots_(static_cast<size_t>(shape.slots)) {}

  const RingShape& shape() const override { return shape_; }

  bool open(int slot, int positions) override {
    Slot& s = slots_.at(static_cast<size_t>(slot));
    need(s.positions == 0 && positions > 0, "open");
    int used = 0;
    for (const Slot& other : slots_) used += other.positions;
    if (used + positions > memory_) {
      ++refused;
      return false;
    }
    s.positions = positions;
    return true;
  }

  void close(int slot) override {
    Slot& s = slots_.at(static_cast<size_t>(slot));
    need(s.positions > 0 && s.packets.empty(), "close");
    s = {};
  }

  void send(const Packet& packet) override {
    Slot& s = slots_.at(static_cast<size_t>(packet.slot));
    need(inside_ < shape_.inside, "inside");
    need(packet.position == s.sent && packet.until < s.positions, "position");
    need(s.packets.empty() || s.packets.back().until == s.packets.back().position, "goes on");
    need(packet.until >= packet.position, "until");
    need(packet.until == packet.position || packet.head != HeadTask::None, "task");
    ++s.sent;
    ++inside_;
    s.packets.push_back(packet);
    sent.push_back(packet);
  }

  Pass receive() override {
    need(inside_ > 0, "empty");
    size_t n = rng_.below(slots_.size());
    while (slots_[n].packets.empty()) n = (n + 1) % slots_.size();
    Slot& s = slots_[n];
    Packet& p = s.packets.front();
    s.context.resize(static_cast<size_t>(p.position));
    s.context.push_back(p.token);
    Pass pass;
    pass.slot = p.slot;
    pass.position = p.position;
    pass.cycle = ++cycle_;
    std::vector<uint32_t> logits = fake_logits(s.context, shape_.vocabulary);
    if (p.head == HeadTask::Logits) pass.logits = logits;
    if (p.head != HeadTask::None) {
      // Positive numbers are in the order of their encodings.
      for (size_t t = 0; t < logits.size(); ++t) {
        if (pass.token < 0 || logits[t] > logits[static_cast<size_t>(pass.token)]) {
          pass.token = static_cast<int>(t);
        }
      }
    }
    if (p.position < p.until) {
      ++p.position;
      ++s.sent;
      p.token = pass.token;
    } else {
      s.packets.pop_front();
      --inside_;
    }
    return pass;
  }

  bool empty() const {
    for (const Slot& s : slots_) {
      if (s.positions != 0) return false;
    }
    return inside_ == 0;
  }

  std::vector<Packet> sent;
  int refused = 0;

 private:
  struct Slot {
    int positions = 0, sent = 0;
    std::vector<int> context;
    std::deque<Packet> packets;
  };
  static void need(bool condition, const std::string& what) {
    if (!condition) throw std::logic_error("fake ring: " + what);
  }

  RingShape shape_;
  int memory_;
  Rng rng_;
  std::vector<Slot> slots_;
  int inside_ = 0;
  uint64_t cycle_ = 0;
};

}  // namespace ow::serve

#endif  // OW_TB_SW_SERVE_FAKE_RING_H_
