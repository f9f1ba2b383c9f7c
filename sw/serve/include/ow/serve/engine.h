// SPDX-License-Identifier: Apache-2.0
// Many requests on one ring of regions: slots, the order of packets, and the choice of tokens. The
// tokens of an answer depend on its request alone, never on other requests or on timing.
#ifndef OW_SERVE_ENGINE_H_
#define OW_SERVE_ENGINE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "ow/serve/sampling.h"
#include "ow/serve/token_ring.h"

namespace ow::serve {

struct Request {
  std::vector<int> prompt;  // at least one token
  int limit = 1;            // tokens of the answer at most
  Sampling sampling;
  std::vector<int> ends;  // tokens that end the answer; such a token is its last one
  bool logits = false;    // events carry the logits that their token was chosen from
  // Tokens of the prompt have events too, from the second one on, with the logits that would have
  // chosen it.
  bool prompt_logits = false;
};

enum class Finish {
  Not,     // the answer goes on
  End,     // its last token is one of `ends`
  Length,  // it has `limit` tokens
};

// A token of an answer, or of a prompt.
struct Event {
  uint64_t request = 0;
  int token = 0;
  int position = 0;
  bool of_prompt = false;
  Finish finish = Finish::Not;
  std::optional<uint64_t> cycle;
  std::vector<uint32_t> logits;  // fp32 encodings, [vocabulary], if they were asked for
};

// What has happened since the engine began.
struct EngineCounts {
  uint64_t prompt_tokens = 0;  // sent
  uint64_t tokens = 0;         // of answers
  uint64_t discarded = 0;      // found by packets that went on when their answer had ended
  int queued = 0;              // requests that wait for a slot, now
  int running = 0;             // slots in use, now
};

// Belongs to one thread, as its ring does.
class Engine {
 public:
  // A greedy packet makes at most `ahead` tokens before it comes back to the host. More saves the
  // host's time in each token; fewer discards less when an answer ends early.
  explicit Engine(TokenRing* ring, int ahead = 16);

  // Queues a request and gives its number. BadInput if the prompt is empty or has a token that the
  // model has not, or if prompt and limit are more than the positions of a context.
  uint64_t submit(Request request);

  // Ends a request; it has no more events. Nothing happens if it has ended already.
  void cancel(uint64_t request);

  // Whether there is work: a request that has not ended, or packets inside of one that has.
  bool busy() const;

  // Waits for one pass of the ring, if the engine is busy, and gives the token that came with it. A
  // request that was submitted or cancelled before takes part. Errors are those of the ring.
  std::optional<Event> step();

  // Works until a token is there. None: all requests have ended.
  std::optional<Event> next();

  EngineCounts counts() const;
  int slots() const { return static_cast<int>(slots_.size()); }

 private:
  enum class State {
    Free,
    Prompt,    // tokens of the prompt are still to be sent
    Decode,    // its next packet can be sent
    Inside,    // its last packet is inside
    Draining,  // the answer has ended, packets of it are inside
  };
  struct Slot {
    State state = State::Free;
    uint64_t id = 0;
    Request request;
    int sent = 0;    // tokens, from position 0 on
    int made = 0;    // tokens of the answer
    int next = 0;    // Decode: the token to send
    int inside = 0;  // packets
    int until = 0;   // of the packet that makes tokens: the position of its last pass
  };
  struct Waiting {
    uint64_t id;
    Request request;
  };

  void fill_slots();
  void fill_ring();
  std::optional<int> turn(State state, int* last) const;
  void send(int slot);
  bool greedy(const Slot& slot) const;
  std::optional<Event> taken(const Pass& pass);
  void end(int slot);
  void release(int slot);

  TokenRing* ring_;
  int ahead_;
  uint64_t ids_ = 0;
  std::deque<Waiting> queue_;
  std::vector<Slot> slots_;
  int inside_ = 0;
  int last_decode_ = 0, last_prompt_ = 0;  // slots that had their turn
  EngineCounts counts_;
};

}  // namespace ow::serve

#endif  // OW_SERVE_ENGINE_H_
