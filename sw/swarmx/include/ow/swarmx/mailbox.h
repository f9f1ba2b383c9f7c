// SPDX-License-Identifier: Apache-2.0
// Messages that have come to a rank and wait to be taken, a bounded queue for each sender and tag.
#ifndef OW_SWARMX_MAILBOX_H_
#define OW_SWARMX_MAILBOX_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ow/swarmx/transport.h"

namespace ow::swarmx {

class Mailbox {
 public:
  Mailbox(int ranks, std::chrono::seconds patience);

  bool room(int from, Tag tag) const;
  // Waits for room if there is none.
  void put(int from, Tag tag, Message message);
  // The same for who must not wait nor throw, and has asked for room: nothing where it has failed.
  void deliver(int from, Tag tag, Message message);
  Message take(int from, Tag tag);

  // Another rank has given a sign of life: waits are counted from here.
  void alive();
  std::chrono::steady_clock::time_point heard() const;

  // From now on put, take and check throw: BadInput where `status` is 2, else DeviceFault. The
  // first reason holds.
  void fail(int status, const std::string& what);
  void check() const;
  bool failed() const;
  // Empty optional: it has not failed.
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
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>* lock, int from, const Ready& ready);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Queue> queues_;
  std::chrono::seconds patience_;
  std::chrono::steady_clock::time_point heard_;
  std::optional<Failure> failure_;
};

}  // namespace ow::swarmx

#endif  // OW_SWARMX_MAILBOX_H_
