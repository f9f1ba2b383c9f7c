// SPDX-License-Identifier: Apache-2.0
// Threads (OpenMP) that share numbered pieces of work. Results must not depend on which thread does
// a piece.
#ifndef OW_MEMORYX_POOL_H_
#define OW_MEMORYX_POOL_H_

#include <cstddef>
#include <functional>

namespace ow::memoryx {

class Pool {
 public:
  // `threads` includes the calling thread. BadInput below 1.
  explicit Pool(int threads);

  int threads() const { return threads_; }
  // Calls work(0) .. work(pieces - 1), each once, and returns when all are done. It throws the
  // first exception of a piece again. Pieces that have not started by then are skipped.
  void run(size_t pieces, const std::function<void(size_t)>& work);

 private:
  int threads_;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_POOL_H_
