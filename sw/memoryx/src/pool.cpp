// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/pool.h"

#include <atomic>
#include <exception>

#include "ow/base/error.h"

namespace ow::memoryx {

Pool::Pool(int threads) : threads_(threads) {
  if (threads < 1 || threads > 1024) throw BadInput("threads must be from 1 to 1024");
}

void Pool::run(size_t pieces, const std::function<void(size_t)>& work) {
  std::exception_ptr error;  // no exception may leave a parallel region
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
  for (size_t piece = 0; piece < pieces; ++piece) {
    if (failed) continue;
    try {
      work(piece);
    } catch (...) {
#pragma omp critical(ow_memoryx_pool)
      {
        if (!error) error = std::current_exception();
        failed = true;
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace ow::memoryx
