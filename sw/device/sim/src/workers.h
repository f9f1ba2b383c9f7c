// SPDX-License-Identifier: Apache-2.0
// Threads that do the parts of one cycle after another.
#ifndef OW_SIM_WORKERS_H_
#define OW_SIM_WORKERS_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace ow::sim {

class Workers {
 public:
  // `work(thread, part)` does a part; the caller of run() is thread 0. It must not throw. BadInput
  // if so many threads cannot be started.
  Workers(size_t threads, std::function<void(size_t thread, size_t part)> work);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  size_t threads() const { return others_.size() + 1; }
  // Does parts 0 to `parts` - 1. Which thread does which, and in which order, is not determined.
  void run(size_t parts);

 private:
  void serve(size_t thread);
  void take_parts(size_t thread);
  void end();

  std::function<void(size_t, size_t)> work_;
  std::vector<std::thread> others_;
  std::atomic<size_t> left_{0};  // parts that nobody has taken
  std::atomic<size_t> done_{0};  // parts of this call of run()
  std::atomic<bool> ends_{false};
};

}  // namespace ow::sim

#endif  // OW_SIM_WORKERS_H_
