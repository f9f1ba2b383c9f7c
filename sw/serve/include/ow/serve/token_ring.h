// SPDX-License-Identifier: Apache-2.0
// A machine that holds a language model, as the engine (ow/serve/engine.h) sees it: regions on a
// ring, a block in each and the head in the last one. Packets go in one after the other, each with
// one token of one user. Every region works on one packet at a time, so as many are at work as
// there are regions. They pass the head in the order in which they went in.
//
// A ring belongs to one thread. Text, sampling and the order of users are the engine's work.
#ifndef OW_SERVE_TOKEN_RING_H_
#define OW_SERVE_TOKEN_RING_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace ow::serve {

struct RingShape {
  int slots = 0;       // users whose keys and values fit at the same time, numbered from 0
  int positions = 0;   // of the longest context: what the model has, or what a user alone can hold
  int vocabulary = 0;  // tokens
  int inside = 0;      // packets that may be inside at the same time
};

// What the head does with a packet.
enum class HeadTask {
  None,   // nothing: a token of a prompt whose successor is known
  Token,  // finds the greedy token; the packet may then go on with it by itself
  Logits  // the same, and sends all logits to the host
};

// A token and its position in the context of `slot`. It writes its keys and values there, over
// what was there, and reads those of all positions before it. So these must have been sent before,
// since the slot was opened, and position 0 first.
struct Packet {
  int slot = 0;
  int position = 0;
  int token = 0;
  HeadTask head = HeadTask::None;
  // Not with HeadTask::None. The head feeds the token that it finds back into the first region,
  // at the next position and with the same task, until the pass of this position is done. At least
  // `position`; `position` itself: one pass alone.
  int until = 0;
};

// A packet has passed the head, or has left the last block without it.
struct Pass {
  int slot = 0;
  int position = 0;               // of the token that went through
  int token = -1;                 // the greedy one of the next position; not with HeadTask::None
  std::vector<uint32_t> logits;   // HeadTask::Logits: fp32 encodings, [vocabulary]
  std::optional<uint64_t> cycle;  // of the machine when it left; none where there are no cycles
};

class TokenRing {
 public:
  virtual ~TokenRing() = default;

  virtual const RingShape& shape() const = 0;

  // Reserves memory for a context of `positions` in a slot that is not open; 1 to
  // shape().positions. False if other users hold it now. A single user always gets it.
  virtual bool open(int slot, int positions) = 0;
  // Gives it back. None of the slot's packets may be inside.
  virtual void close(int slot) = 0;

  // Takes a packet, and does not wait. At most shape().inside may be inside: one is from here to
  // its last pass. Packets of one slot must have ascending positions while they are inside, and
  // none may be sent while one that goes on is inside. InternalError for a packet that breaks a
  // rule.
  virtual void send(const Packet& packet) = 0;

  // Waits for the next pass; passes come in ring order. InternalError if nothing is inside,
  // DeviceFault if the machine hangs or stops. The order of a packet that goes on and one that is
  // sent meanwhile is the machine's choice.
  virtual Pass receive() = 0;
};

}  // namespace ow::serve

#endif  // OW_SERVE_TOKEN_RING_H_
