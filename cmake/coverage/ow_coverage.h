// SPDX-License-Identifier: Apache-2.0
// Coverage of a Verilated model that outlives its instances: the counters are static, every
// instance of every model of a process adds to them, and when the process ends they are written to
// a file in $OW_COVERAGE_DIR (nothing is written without it). scripts/coverage merges the files.
#ifndef OW_COVERAGE_H_
#define OW_COVERAGE_H_

#include <atomic>
#include <cstdint>

// One point: its counter and where it stands. Called for every instance; the first call counts.
void ow_cover_insert(const std::atomic<uint32_t>* count, const char* file, int line, int column,
                     const char* page, const char* comment, const char* lines);

#endif  // OW_COVERAGE_H_
