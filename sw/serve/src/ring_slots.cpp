// SPDX-License-Identifier: Apache-2.0
#include "ow/serve/ring_slots.h"

#include <string>

#include "ow/base/error.h"

namespace ow::serve {

RingSlots::RingSlots(const char* ring, const RingShape& shape)
    : ring_(ring), shape_(shape), slots_(static_cast<size_t>(shape.slots)) {}

void RingSlots::require(bool condition, const char* what) const {
  if (!condition) throw InternalError(std::string(ring_) + ": " + what);
}

RingSlots::Slot& RingSlots::at(int slot) {
  require(slot >= 0 && slot < shape_.slots, "no such slot");
  return slots_[static_cast<size_t>(slot)];
}

void RingSlots::open(int slot, int positions) {
  Slot& s = at(slot);
  require(s.positions == 0, "a slot is opened twice");
  require(positions >= 1 && positions <= shape_.positions, "a context of no or too many positions");
  s = {};
  s.positions = positions;
}

void RingSlots::close(int slot) {
  Slot& s = at(slot);
  require(s.positions != 0 && s.inside == 0, "a slot is closed that is not open, or not empty");
  s = {};
}

void RingSlots::send(const Packet& packet) {
  Slot& s = at(packet.slot);
  require(inside_ < shape_.inside, "too many packets");
  require(!s.goes_on, "a packet after one that goes on");
  require(packet.position >= 0 && packet.position <= s.sent, "a packet leaves out a position");
  require(s.inside == 0 || packet.position == s.sent, "packets inside do not ascend");
  const bool finds = packet.head != HeadTask::None;
  require(!finds || packet.until >= packet.position, "a packet ends before it begins");
  require((finds ? packet.until : packet.position) < s.positions,
          "a slot has not so many positions");
  s.goes_on = finds && packet.until > packet.position;
  s.sent = packet.position + 1;
  ++s.inside;
  ++inside_;
}

void RingSlots::receive(int slot, int position, bool goes_on) {
  Slot& s = at(slot);
  require(s.inside > 0, "a pass of a slot that is empty");
  if (goes_on) {
    s.sent = position + 2;
  } else {
    --s.inside;
    --inside_;
    if (s.inside == 0) s.goes_on = false;
  }
}

}  // namespace ow::serve
