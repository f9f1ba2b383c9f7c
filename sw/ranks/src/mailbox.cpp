// SPDX-License-Identifier: Apache-2.0
#include "ow/ranks/mailbox.h"

#include <fmt/format.h>

#include <utility>

#include "ow/base/error.h"

namespace ow::ranks {
namespace {

constexpr size_t kMost = 8;  // messages of one sender and tag

}  // namespace

Mailbox::Mailbox(int ranks, std::chrono::seconds patience)
    : queues_(static_cast<size_t>(ranks) * kTags), patience_(patience) {}

bool Mailbox::room(int from, Tag tag) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return queue(from, tag).size() < kMost;
}

template <typename Ready>
void Mailbox::wait(std::unique_lock<std::mutex>* lock, int from, const Ready& ready) {
  const auto done = [&] { return failure_.has_value() || ready(); };
  auto limit = std::chrono::steady_clock::now() + patience_;
  while (!changed_.wait_until(*lock, limit, done)) {
    if (heard_ + patience_ <= limit) {
      throw DeviceFault(
          fmt::format("nothing has moved between this rank and rank {} for {} s, the limit", from,
                      patience_.count()));
    }
    limit = heard_ + patience_;
  }
  check_locked();
}

void Mailbox::put_message(int from, Tag tag, Message message) {
  std::unique_lock<std::mutex> lock(mutex_);
  Queue& q = queue(from, tag);
  wait(&lock, from, [&] { return q.size() < kMost; });
  q.push_back(std::move(message));
  changed_.notify_all();
}

void Mailbox::deliver(int from, Tag tag, Message message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_) return;
  queue(from, tag).push_back(std::move(message));
  changed_.notify_all();
}

void Mailbox::alive() {
  const std::lock_guard<std::mutex> lock(mutex_);
  heard_ = std::chrono::steady_clock::now();
}

std::chrono::steady_clock::time_point Mailbox::heard() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return heard_;
}

Message Mailbox::take_message(int from, Tag tag) {
  std::unique_lock<std::mutex> lock(mutex_);
  Queue& q = queue(from, tag);
  wait(&lock, from, [&] { return !q.empty(); });
  return pop(&q);
}

std::optional<Message> Mailbox::take_if_there(int from, Tag tag) {
  const std::lock_guard<std::mutex> lock(mutex_);
  check_locked();
  Queue& q = queue(from, tag);
  if (q.empty()) return std::nullopt;
  return pop(&q);
}

Message Mailbox::pop(Queue* queue) {
  Message message = std::move(queue->front());
  queue->pop_front();
  changed_.notify_all();
  return message;
}

void Mailbox::fail(int status, const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!failure_) failure_ = Failure{status, what};
  changed_.notify_all();
}

void Mailbox::check_locked() const {
  if (!failure_) return;
  if (failure_->status == 2) throw BadInput(failure_->what);
  throw DeviceFault(failure_->what);
}

void Mailbox::check() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  check_locked();
}

bool Mailbox::failed() const { return failure().has_value(); }

std::optional<Mailbox::Failure> Mailbox::failure() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

}  // namespace ow::ranks
