// SPDX-License-Identifier: Apache-2.0
#include "ow/check/golden_ring.h"

#include "ow/base/error.h"
#include "ow/golden/sampling.h"

namespace ow::golden {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw InternalError(std::string("golden ring: ") + what);
}

}  // namespace

GoldenRing::GoldenRing(const LanguageModel& model, int rows, int columns, int slots)
    : decoder_(model, rows, columns) {
  const LanguageShape& m = decoder_.shape();
  // A region for each block, and the head's.
  shape_ = {slots, m.positions, m.vocabulary, m.layers + 1 + 2};
  slots_.resize(static_cast<size_t>(slots));
}

GoldenRing::Slot& GoldenRing::slot_of(int slot) {
  require(slot >= 0 && slot < shape_.slots, "no such slot");
  return slots_[static_cast<size_t>(slot)];
}

bool GoldenRing::open(int slot, int positions) {
  Slot& s = slot_of(slot);
  require(s.positions == 0, "a slot is opened twice");
  require(positions >= 1 && positions <= shape_.positions, "a context of no or too many positions");
  s = {};
  s.positions = positions;
  return true;
}

void GoldenRing::close(int slot) {
  Slot& s = slot_of(slot);
  require(s.positions != 0 && s.inside == 0, "a slot is closed that is not open, or not empty");
  s = {};
}

void GoldenRing::send(const serve::Packet& packet) {
  Slot& s = slot_of(packet.slot);
  require(static_cast<int>(packets_.size()) < shape_.inside, "too many packets");
  require(!s.goes_on, "a packet after one that goes on");
  require(packet.position >= 0 && packet.position <= s.sent, "a packet leaves out a position");
  require(s.inside == 0 || packet.position == s.sent, "packets inside do not ascend");
  const bool finds = packet.head == serve::HeadTask::Token;
  require(!finds || packet.until >= packet.position, "a packet ends before it begins");
  require((finds ? packet.until : packet.position) < s.positions,
          "a slot has not so many positions");
  s.goes_on = finds && packet.until > packet.position;
  s.sent = packet.position + 1;
  ++s.inside;
  packets_.push_back(packet);
}

serve::Pass GoldenRing::receive() {
  require(!packets_.empty(), "nothing is inside");
  serve::Packet packet = packets_.front();
  packets_.pop_front();
  Slot& s = slot_of(packet.slot);
  if (packet.position < s.cache.positions()) s.cache.truncate(packet.position);
  serve::Pass pass;
  pass.slot = packet.slot;
  pass.position = packet.position;
  if (packet.head == serve::HeadTask::None) {
    decoder_.extend(&s.cache, packet.token);
  } else {
    pass.logits = decoder_.step(&s.cache, packet.token);
  }
  --s.inside;
  if (packet.head != serve::HeadTask::Token) return pass;
  pass.token = greedy_token(pass.logits);
  pass.logits.clear();
  if (packet.position < packet.until) {
    // Out of the head it goes straight back into the first region, behind what is inside.
    ++packet.position;
    packet.token = pass.token;
    s.sent = packet.position + 1;
    ++s.inside;
    packets_.push_back(packet);
  } else {
    s.goes_on = false;
  }
  return pass;
}

}  // namespace ow::golden
