// SPDX-License-Identifier: Apache-2.0
// Threads that do the parts of one cycle after another.
#ifndef OW_SIM_WORKERS_H_
#define OW_SIM_WORKERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace ow::sim {

class Workers {
 public:
  // `work(thread, part)` does a part; the caller of run() is thread 0. It must not throw.
  Workers(size_t threads, std::function<void(size_t thread, size_t part)> work);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  size_t threads() const { return others_.size() + 1; }
  // Does parts 0 to `parts` - 1. Which thread does which is not determined.
  void run(size_t parts);

 private:
  void serve(size_t thread);
  void take_parts(size_t thread);

  std::function<void(size_t, size_t)> work_;
  std::vector<std::thread> others_;
  std::atomic<uint64_t> round_{0};  // counts calls of run()
  std::atomic<size_t> next_{0};     // part that nobody has taken
  std::atomic<size_t> working_{0};  // threads that are not done with the round
  size_t parts_ = 0;
  std::atomic<bool> ends_{false};
};

}  // namespace ow::sim

#endif  // OW_SIM_WORKERS_H_
