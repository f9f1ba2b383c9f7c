// SPDX-License-Identifier: Apache-2.0
// The ranks of a split grid as threads of a test. The test is rank 0.
#ifndef OW_TB_RANKS_IN_THREADS_H_
#define OW_TB_RANKS_IN_THREADS_H_

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "ow/ranks/transport.h"
#include "ow/sim/split.h"

namespace ow {

class RanksInThreads {
 public:
  // `make`: what the other ranks make parts with; empty: the engines of the program.
  explicit RanksInThreads(int count, const EngineMaker& make = nullptr) {
    auto all = ranks::local_transports(count);
    first_ = std::make_shared<GridRanks>(std::move(all[0]));
    for (int r = 1; r < count; ++r) {
      auto rank = std::make_shared<GridRanks>(std::move(all[static_cast<size_t>(r)]));
      others_.emplace_back([rank, make] { make ? rank->serve(make) : serve_parts(rank.get()); });
    }
  }
  // Devices must be gone.
  ~RanksInThreads() {
    first_.reset();
    for (std::thread& other : others_) other.join();
  }
  RanksInThreads(const RanksInThreads&) = delete;
  RanksInThreads& operator=(const RanksInThreads&) = delete;
  const std::shared_ptr<GridRanks>& first() const { return first_; }

 private:
  std::shared_ptr<GridRanks> first_;
  std::vector<std::thread> others_;
};

}  // namespace ow

#endif  // OW_TB_RANKS_IN_THREADS_H_
