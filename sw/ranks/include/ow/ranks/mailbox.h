// SPDX-License-Identifier: Apache-2.0
// Messages that have arrived at a rank and have not been taken. Each sender and tag has a bounded
// queue.
#ifndef OW_RANKS_MAILBOX_H_
#define OW_RANKS_MAILBOX_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ow/ranks/transport.h"

namespace ow::ranks {

class Mailbox {
 public:
  Mailbox(int ranks, std::chrono::seconds patience);

  bool room(int from, Tag tag) const;
  // Waits until there is room.
  void put_message(int from, Tag tag, Message message);
  // Never blocks and never throws. The caller must have checked that there is room. After a failure
  // it does nothing.
  void deliver(int from, Tag tag, Message message);
  Message take_message(int from, Tag tag);
  // Never blocks: nothing if no message is there. Throws after a failure.
  std::optional<Message> take_if_there(int from, Tag tag);

  // Another rank has given a sign of life. The time of all waits is counted from here.
  void alive();
  std::chrono::steady_clock::time_point heard() const;

  // From now on put_message, take_message and check throw: BadInput if `status` is 2, else
  // DeviceFault. Only the first failure counts.
  void fail(int status, const std::string& what);
  void check() const;
  bool failed() const;
  // Empty if nothing has failed.
  struct Failure {
    int status;
    std::string what;
  };
  std::optional<Failure> failure() const;

 private:
  using Queue = std::deque<Message>;
  Queue& queue(int from, Tag tag) {
    return queues_[static_cast<size_t>(from) * kTags + static_cast<size_t>(tag)];
  }
  const Queue& queue(int from, Tag tag) const {
    return queues_[static_cast<size_t>(from) * kTags + static_cast<size_t>(tag)];
  }
  void check_locked() const;
  Message pop(Queue* queue);
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>* lock, int from, const Ready& ready);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Queue> queues_;
  std::chrono::seconds patience_;
  std::chrono::steady_clock::time_point heard_;
  std::optional<Failure> failure_;
};

}  // namespace ow::ranks

#endif  // OW_RANKS_MAILBOX_H_
