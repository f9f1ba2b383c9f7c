// SPDX-License-Identifier: Apache-2.0
#ifndef OW_BENCH_SRC_COUNT_INSTRUCTIONS_H_
#define OW_BENCH_SRC_COUNT_INSTRUCTIONS_H_

#include <cstdint>
#include <functional>

namespace ow::bench {

// The instructions of the host that `work` takes: in a copy of this process, which has one thread,
// they are executed one by one (ptrace(2)), 50,000 to 200,000 a second. They count whatever they
// are, which valgrind cannot do with those of AVX-512. DeviceFault if the copy does not end well.
uint64_t count_instructions(const std::function<void()>& work);

}  // namespace ow::bench

#endif  // OW_BENCH_SRC_COUNT_INSTRUCTIONS_H_
