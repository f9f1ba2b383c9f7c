// SPDX-License-Identifier: Apache-2.0
// Runs a short program on a core from address 0 until it stops.
#ifndef OW_TB_CORE_RUN_H_
#define OW_TB_CORE_RUN_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core_bench.h"

namespace ow {

// Returns the cycle at which each instruction retired.
inline std::vector<uint64_t> run(CoreBench* bench, const std::vector<uint32_t>& words,
                                 std::vector<Retire>* log = nullptr) {
  constexpr size_t most = 10000;
  std::vector<uint8_t> image(4096, 0);
  bench->halt();
  bench->load(0, image);
  bench->load_words(0, words);
  bench->boot(0);
  std::vector<uint64_t> cycles;
  Retire retire;
  uint64_t cycle = 0;
  do {
    if (!bench->next(&retire, &cycle)) break;
    cycles.push_back(cycle);
    if (log != nullptr) log->push_back(retire);
    if (cycles.size() > most) {
      ADD_FAILURE() << "the core has not stopped after " << cycles.size() << " instructions";
      break;
    }
  } while (!retire.trap || !bench->top().stopped_o);
  bench->clock();
  return cycles;
}

}  // namespace ow

#endif  // OW_TB_CORE_RUN_H_
