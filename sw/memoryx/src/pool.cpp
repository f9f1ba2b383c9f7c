// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/pool.h"

#include "ow/base/error.h"

namespace ow::memoryx {

Pool::Pool(int threads) {
  if (threads < 1 || threads > 1024) throw BadInput("threads must be from 1 to 1024");
  for (int k = 1; k < threads; ++k) workers_.emplace_back([this] { serve(); });
}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Pool::run(size_t pieces, const std::function<void(size_t)>& work) {
  std::unique_lock<std::mutex> lock(mutex_);
  work_ = &work;
  next_ = 0;
  pieces_ = pieces;
  error_ = nullptr;
  if (pieces > 1) wake_.notify_all();
  take_pieces(&lock);
  done_.wait(lock, [this] { return busy_ == 0; });
  work_ = nullptr;
  if (error_) std::rethrow_exception(error_);
}

void Pool::take_pieces(std::unique_lock<std::mutex>* lock) {
  ++busy_;
  while (next_ < pieces_) {
    const size_t piece = next_++;
    lock->unlock();
    std::exception_ptr error;
    try {
      (*work_)(piece);
    } catch (...) {
      error = std::current_exception();
    }
    lock->lock();
    if (error) {
      if (!error_) error_ = error;
      next_ = pieces_;
    }
  }
  if (--busy_ == 0) done_.notify_all();
}

void Pool::serve() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    wake_.wait(lock, [this] { return stop_ || next_ < pieces_; });
    if (!stop_) take_pieces(&lock);
  }
}

}  // namespace ow::memoryx
