// SPDX-License-Identifier: Apache-2.0
// Threads that share numbered pieces of work. What comes out must not depend on who did what.
#ifndef OW_MEMORYX_POOL_H_
#define OW_MEMORYX_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ow::memoryx {

class Pool {
 public:
  // `threads` with the one that calls; 1: no other. BadInput below 1.
  explicit Pool(int threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // work(0) .. work(pieces - 1), each once; returns when all are done. The first exception that a
  // piece throws is thrown again here; the pieces that had not begun are left out.
  void run(size_t pieces, const std::function<void(size_t)>& work);

 private:
  void serve();
  void take_pieces(std::unique_lock<std::mutex>* lock);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(size_t)>* work_ = nullptr;
  size_t next_ = 0;
  size_t pieces_ = 0;
  size_t busy_ = 0;
  bool stop_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> workers_;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_POOL_H_
