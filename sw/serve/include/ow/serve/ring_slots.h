// SPDX-License-Identifier: Apache-2.0
// The rules of a TokenRing, for those who implement one: what is open, what is inside.
#ifndef OW_SERVE_RING_SLOTS_H_
#define OW_SERVE_RING_SLOTS_H_

#include <vector>

#include "ow/serve/token_ring.h"

namespace ow::serve {

// InternalError, beginning with the ring's name, for a call that breaks a rule.
class RingSlots {
 public:
  RingSlots(const char* ring, const RingShape& shape);

  int inside() const { return inside_; }  // packets

  void open(int slot, int positions);
  void close(int slot);
  // A packet goes in.
  void send(const Packet& packet);
  // A pass comes out. `goes_on`: its packet has gone back in with the next position.
  void receive(int slot, int position, bool goes_on);

 private:
  struct Slot {
    int positions = 0;  // 0: not open
    int sent = 0;       // the position after the last one that was sent
    int inside = 0;     // packets
    bool goes_on = false;
  };
  Slot& at(int slot);
  void require(bool condition, const char* what) const;

  const char* ring_;
  RingShape shape_;
  std::vector<Slot> slots_;
  int inside_ = 0;
};

}  // namespace ow::serve

#endif  // OW_SERVE_RING_SLOTS_H_
