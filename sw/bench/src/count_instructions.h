// SPDX-License-Identifier: Apache-2.0
#ifndef OW_BENCH_SRC_COUNT_INSTRUCTIONS_H_
#define OW_BENCH_SRC_COUNT_INSTRUCTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>

namespace ow::bench {

// The instructions of the host that `work` takes in this thread, in single steps: some 80,000 a
// second. They count whatever they are, which valgrind cannot do with those of AVX-512. Nothing on
// other processors than x86-64.
std::optional<uint64_t> count_instructions(const std::function<void()>& work);

}  // namespace ow::bench

#endif  // OW_BENCH_SRC_COUNT_INSTRUCTIONS_H_
