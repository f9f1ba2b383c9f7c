// SPDX-License-Identifier: Apache-2.0
#include "count_instructions.h"

#include <signal.h>

#include <atomic>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace ow::bench {

#ifdef __x86_64__
namespace {

// With this flag of the processor each instruction ends with a signal.
constexpr uint64_t kTrapFlag = 0x100;
std::atomic<uint64_t> traps;

class Traps {
 public:
  Traps() {
    struct sigaction counts {};
    counts.sa_handler = [](int) { traps.fetch_add(1, std::memory_order_relaxed); };
    sigaction(SIGTRAP, &counts, &before_);
    traps = 0;
    __writeeflags(__readeflags() | kTrapFlag);
  }
  ~Traps() {
    __writeeflags(__readeflags() & ~kTrapFlag);
    sigaction(SIGTRAP, &before_, nullptr);
  }
  Traps(const Traps&) = delete;
  Traps& operator=(const Traps&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace

std::optional<uint64_t> count_instructions(const std::function<void()>& work) {
  {
    const Traps each;
    work();
  }
  return traps.load();
}
#else
std::optional<uint64_t> count_instructions(const std::function<void()>&) { return std::nullopt; }
#endif

}  // namespace ow::bench
