// SPDX-License-Identifier: Apache-2.0
// Blocks that some threads evaluate, each of them a few together: the code is large, and blocks
// that are evaluated together share what is fetched of it.
#ifndef OW_SIM_WIDE_BATCHES_H_
#define OW_SIM_WIDE_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "block.h"
#include "workers.h"

namespace ow::wide {

class Batches {
 public:
  // What is done for block `k` of a cycle, by any thread. `begin` gives it its inputs; null if it
  // is not evaluated. `end` follows the evaluation, or `begin` if there is none.
  using Begin = std::function<Block*(size_t k)>;
  using End = std::function<void(size_t k, bool evaluated)>;

  // For cycles of up to `blocks` blocks.
  Batches(const ow_wide_code& code, size_t threads, size_t blocks, Begin begin, End end);

  size_t threads() const { return workers_.threads(); }
  // A cycle of blocks 0 to `count` - 1. If some of them fail, throws the error of the first one,
  // with any number of threads.
  void run(size_t count, uint64_t cycle);

 private:
  void clock(size_t thread, size_t batch);
  void attempt(size_t k, const std::function<void()>& work);

  const ow_wide_code& code_;
  Begin begin_;
  End end_;
  std::vector<Memory> scratch_;  // by thread and place in a batch
  size_t count_ = 0;             // of this cycle
  size_t size_ = 1;              // of a batch
  uint64_t cycle_ = 0;
  std::mutex failing_;
  std::exception_ptr failed_;  // in this cycle
  size_t failed_block_ = 0;
  sim::Workers workers_;  // the last member: its threads use the others
};

}  // namespace ow::wide

#endif  // OW_SIM_WIDE_BATCHES_H_
