// SPDX-License-Identifier: Apache-2.0
#include "ow/swarmx/cast.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "batch_message.h"
#include "ow/base/error.h"

namespace ow::swarmx {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kDepth = 4;  // batches between the first and the last of a rank's wafers
constexpr std::chrono::milliseconds kLook{
    200};  // interval at which a wait checks whether the run has failed

}  // namespace

int rank_above(int rank) { return rank & (rank - 1); }

std::vector<int> ranks_below(int rank, int ranks) {
  std::vector<int> below;
  for (int step = 1; rank + step < ranks && (rank == 0 || step < (rank & -rank)); step *= 2) {
    below.push_back(rank + step);
  }
  return below;
}

class Cast::Source : public memoryx::BatchSource {
 public:
  Source(Cast& cast, int n) : cast_(cast), n_(n) {}
  bool done() const override { return done_; }
  std::shared_ptr<const memoryx::WaveletBatch> next() override {
    const Item item = cast_.take_item(n_);
    done_ = item.last;
    return item.batch;
  }

 private:
  Cast& cast_;
  int n_;
  bool done_ = false;
};

Cast::Cast(ranks::Transport& transport, int wafers)
    : transport_(transport),
      below_(ranks_below(transport.rank(), transport.ranks())),
      takers_(static_cast<size_t>(wafers)),
      moved_(Clock::now()) {}

std::unique_ptr<memoryx::BatchSource> Cast::reader(int n) {
  pass_over(n);
  const std::lock_guard<std::mutex> lock(mutex_);
  takers_[static_cast<size_t>(n)].in_stream = true;
  return std::make_unique<Source>(*this, n);
}

void Cast::leave(int n) {
  pass_over(n);
  const std::lock_guard<std::mutex> lock(mutex_);
  takers_[static_cast<size_t>(n)].gone = true;
  drop_taken();
}

void Cast::pass_over(int n) {
  const auto in_stream = [&] {
    const std::lock_guard<std::mutex> lock(mutex_);
    return takers_[static_cast<size_t>(n)].in_stream;
  };
  while (in_stream()) take_item(n);
}

void Cast::send(memoryx::BatchSource* source) {
  while (!source->done()) {
    Item item;
    item.batch = source->next();
    item.last = source->done();
    if (!below_.empty()) {
      const ranks::Message message = pack_batch(*item.batch, item.last);
      for (const int rank : below_) transport_.send(rank, ranks::Tag::Weights, message);
    }
    publish(std::move(item));
  }
}

void Cast::relay(const memoryx::StreamOptions& options) {
  for (bool last = false; !last;) {
    const ranks::Message message =
        transport_.receive(rank_above(transport_.rank()), ranks::Tag::Weights);
    for (const int rank : below_) transport_.send(rank, ranks::Tag::Weights, message);
    auto batch = unpack_batch(message, static_cast<size_t>(options.rows), &last);
    publish({std::move(batch), last});
  }
}

template <typename Ready>
void Cast::wait(std::unique_lock<std::mutex>* lock, const Ready& ready) {
  const auto begun = Clock::now();
  while (!changed_.wait_for(*lock, kLook, [&] { return cancelled_ || ready(); })) {
    transport_.check();
    if (Clock::now() - std::max(begun, moved_) > transport_.patience()) {
      throw DeviceFault(
          fmt::format("no wafer of rank {} has taken or got weights for {} s, the limit",
                      transport_.rank(), transport_.patience().count()));
    }
  }
  if (cancelled_) throw DeviceFault("another wafer has stopped");
}

void Cast::publish(Item item) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto left = [this] {
    return std::all_of(takers_.begin(), takers_.end(), [](const Taker& t) { return t.gone; });
  };
  wait(&lock, [&] { return items_.size() < kDepth || left(); });
  if (left()) throw DeviceFault("weights that no wafer takes: all have ended their step");
  items_.push_back(std::move(item));
  moved_ = Clock::now();
  changed_.notify_all();
}

Cast::Item Cast::take_item(int n) {
  Taker& taker = takers_[static_cast<size_t>(n)];
  std::unique_lock<std::mutex> lock(mutex_);
  wait(&lock, [&] { return taker.at < first_ + items_.size(); });
  Item item = items_[taker.at - first_];
  ++taker.at;
  taker.in_stream = !item.last;
  moved_ = Clock::now();
  drop_taken();
  return item;
}

// Drops the batches that every reader has taken.
void Cast::drop_taken() {
  size_t least = first_ + items_.size();
  for (const Taker& t : takers_) least = t.gone ? least : std::min(least, t.at);
  for (; first_ < least; ++first_) items_.pop_front();
  changed_.notify_all();
}

void Cast::alive() {
  const std::lock_guard<std::mutex> lock(mutex_);
  moved_ = Clock::now();
}

void Cast::cancel() {
  const std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

}  // namespace ow::swarmx
