// SPDX-License-Identifier: Apache-2.0
// A stream of wavelets to all wafers. It is made once, on rank 0, and goes down a binary tree of
// ranks; each rank hands it to its wafers. Whoever is fastest waits for the slowest: batches on
// their way are bounded in every rank. What a wafer gets depends on no timing.
#ifndef OW_SWARMX_CAST_H_
#define OW_SWARMX_CAST_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "ow/memoryx/weight_stream.h"
#include "ow/swarmx/transport.h"

namespace ow::swarmx {

// The tree: rank 0 is its root; r hangs below r with its lowest bit cleared.
int rank_above(int rank);
std::vector<int> ranks_below(int rank, int ranks);

class Cast {
 public:
  // For so many wafers of this rank; all take all streams, in a thread each. `transport` must
  // outlive it.
  Cast(Transport& transport, int wafers);

  // A whole stream. Rank 0 makes it; the others pass it on.
  void send(memoryx::BatchSource* source);
  void relay(const memoryx::StreamOptions& options);

  // The next stream as wafer `n` of this rank takes it; what it has left of the one before is
  // passed over. The cast must outlive it.
  std::unique_ptr<memoryx::BatchSource> reader(int n);
  // Wafer `n` takes no further stream; the rest of its last one is passed over.
  void leave(int n);

  // A wafer is at work: who waits for it may wait on. Whoever waits for longer than the transport's
  // patience, since then or since something last moved, gets a DeviceFault; so does who sends when
  // all wafers have left.
  void alive();
  // Whoever waits, or would, gets an exception (DeviceFault): something else has failed.
  void cancel();

 private:
  class Source;
  struct Item {
    std::shared_ptr<const memoryx::WaveletBatch> batch;
    bool last = false;  // of its stream
  };
  struct Taker {
    size_t at = 0;           // number of the item that it takes next
    bool in_stream = false;  // it has begun one and not ended it
    bool gone = false;
  };

  void publish(Item item);
  Item take(int n);
  void pass_over(int n);
  void drop_taken();
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>* lock, const Ready& ready);

  Transport& transport_;
  const std::vector<int> below_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  size_t first_ = 0;           // number of the first of them
  std::vector<Taker> takers_;  // by wafer
  std::chrono::steady_clock::time_point moved_;
  bool cancelled_ = false;
};

}  // namespace ow::swarmx

#endif  // OW_SWARMX_CAST_H_
