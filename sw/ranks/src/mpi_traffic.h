// SPDX-License-Identifier: Apache-2.0
// The messages on their way between this rank and all others, and the signs of life, as calls of
// MPI that do not wait. One thread at a time uses an object.
#ifndef OW_RANKS_MPI_TRAFFIC_H_
#define OW_RANKS_MPI_TRAFFIC_H_

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "mpi_message.h"
#include "ow/ranks/mailbox.h"
#include "ow/ranks/transport.h"

namespace ow::ranks {

// MPI tags after those of messages.
constexpr int kFail = kTags;      // a failure: its status and its text
constexpr int kBeat = kTags + 1;  // a sign of life
constexpr int kBye = kTags + 2;   // the sender sends nothing more, or has heard of a failure

constexpr std::chrono::milliseconds kBeatEvery{500};

class MpiTraffic {
 public:
  using Clock = std::chrono::steady_clock;

  // What the owner learns, in calls by the thread that uses the traffic.
  struct Events {
    std::function<void(int to)> sent;                     // a message with a Tag has been taken
    std::function<void(int from, const Message&)> told;   // rank `from` tells of a failure
    std::function<void(const std::string& what)> broken;  // a call of MPI has failed
  };
  struct Sends {
    bool any = false;      // a message has been sent
    bool telling = false;  // a kFail is on its way, or a rank has not answered with kBye
  };

  // `box` takes the messages that arrive. It must outlive the traffic.
  MpiTraffic(int rank, int ranks, size_t piece_bytes, Mailbox* box, Events events);

  void start_sends(std::deque<OutgoingMessage> messages);
  Sends end_sends();
  // Starts and ends receives. Whether any piece has moved.
  bool receive();
  // Sends signs of life when they are due. Rank 0 hears all others, and all others hear rank 0.
  void beat(Clock::time_point now);

  // The last sign of life of a rank.
  Clock::time_point heard(int from) const { return heard_[static_cast<size_t>(from)]; }
  bool said_bye(int from) const { return bye_[static_cast<size_t>(from)]; }
  // Whether all ranks have sent kBye.
  bool all_said_bye() const;
  bool empty() const { return sending_.empty() && receiving_.empty(); }

  // Whether `call` with a rank, which has returned `code`, has done its work. If not, the owner
  // learns why.
  bool works(int code, const char* call, int rank);

 private:
  bool start_receives();
  bool end_receives();
  void arrived(IncomingMessage* message);

  int rank_, ranks_;
  size_t piece_bytes_;
  Mailbox* box_;
  Events events_;
  std::list<OutgoingMessage> sending_;
  std::list<IncomingMessage> receiving_;
  std::vector<Clock::time_point> heard_;  // by rank
  std::vector<MPI_Request> beats_;
  std::vector<bool> bye_;
  Clock::time_point beat_at_;
  uint8_t nothing_ = 0;
};

}  // namespace ow::ranks

#endif  // OW_RANKS_MPI_TRAFFIC_H_
