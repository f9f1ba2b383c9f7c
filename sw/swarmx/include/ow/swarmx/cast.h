// SPDX-License-Identifier: Apache-2.0
// Sends a stream of wavelets to all wafers. Rank 0 makes the stream once. It goes down a binary
// tree of ranks, and each rank gives it to its wafers. Each rank keeps a bounded number of batches,
// so the fastest wafer waits for the slowest. What a wafer gets does not depend on timing.
#ifndef OW_SWARMX_CAST_H_
#define OW_SWARMX_CAST_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "ow/memoryx/weight_stream.h"
#include "ow/ranks/transport.h"

namespace ow::swarmx {

// The tree: rank 0 is the root; the parent of rank r is r with its lowest set bit cleared.
int rank_above(int rank);
std::vector<int> ranks_below(int rank, int ranks);

class Cast {
 public:
  // For the `wafers` wafers of this rank. Each takes all streams, in a thread of its own.
  // `transport` must outlive the cast.
  Cast(ranks::Transport& transport, int wafers);

  // A whole stream. Rank 0 calls send, the other ranks call relay.
  void send(memoryx::BatchSource* source);
  void relay(const memoryx::StreamOptions& options);

  // The next stream for wafer `n` of this rank. The rest of its last stream is skipped. The cast
  // must outlive it.
  std::unique_ptr<memoryx::BatchSource> reader(int n);
  // Wafer `n` takes no further stream. The rest of its last stream is skipped.
  void leave(int n);

  // A wafer is at work, so waiting for it is fine. A wait that is longer than the transport's
  // patience, counted from this call or from the last progress, throws DeviceFault. So does sending
  // when all wafers have left.
  void alive();
  // Something else has failed: all waits, now and later, throw DeviceFault.
  void cancel();

 private:
  class Source;
  struct Item {
    std::shared_ptr<const memoryx::WaveletBatch> batch;
    bool last = false;  // of its stream
  };
  struct Taker {
    size_t at = 0;           // number of the next item
    bool in_stream = false;  // it is inside a stream
    bool gone = false;
  };

  void publish(Item item);
  Item take_item(int n);
  void pass_over(int n);
  void drop_taken();
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>* lock, const Ready& ready);

  ranks::Transport& transport_;
  const std::vector<int> below_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  size_t first_ = 0;           // number of the first item in items_
  std::vector<Taker> takers_;  // by wafer
  std::chrono::steady_clock::time_point moved_;
  bool cancelled_ = false;
};

}  // namespace ow::swarmx

#endif  // OW_SWARMX_CAST_H_
