// SPDX-License-Identifier: Apache-2.0
// Threads (OpenMP's) that share numbered pieces of work. What comes out must not depend on who did
// what.
#ifndef OW_MEMORYX_POOL_H_
#define OW_MEMORYX_POOL_H_

#include <cstddef>
#include <functional>

namespace ow::memoryx {

class Pool {
 public:
  // `threads` with the one that calls; 1: no other. BadInput below 1.
  explicit Pool(int threads);

  int threads() const { return threads_; }
  // work(0) .. work(pieces - 1), each once; returns when all are done. The first exception that a
  // piece throws is thrown again here; pieces that have not begun by then are left out.
  void run(size_t pieces, const std::function<void(size_t)>& work);

 private:
  int threads_;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_POOL_H_
