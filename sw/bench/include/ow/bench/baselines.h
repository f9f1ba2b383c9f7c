// SPDX-License-Identifier: Apache-2.0
// Cycle counts that stay as they are until somebody accepts a change: a file of lines
// "name: cycles". Counts are deterministic, so a change of more than 1 % either way is one of the
// machine or of a program.
#ifndef OW_BENCH_BASELINES_H_
#define OW_BENCH_BASELINES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ow::bench {

using Baselines = std::map<std::string, uint64_t>;

// Those of an area; none, if the file has no part for it. BadInput, with file and line, for a file
// that is not as it must be.
Baselines load_baselines(const std::string& path, const std::string& area);
// Writes the part of the area; the others stay. A file that is not there becomes one.
void write_baselines(const std::string& path, const std::string& area, const Baselines& baselines);

// Empty if `cycles` is within 1 % of the baseline of this name, or what is wrong.
std::string baseline_note(const Baselines& baselines, const std::string& name, uint64_t cycles);

// A name and what is wrong, for each count that is not as its baseline, has none, or, if `all` were
// measured, for each baseline that nothing gave.
std::vector<std::pair<std::string, std::string>> compare_baselines(const Baselines& baselines,
                                                                   const Baselines& measured,
                                                                   bool all);

}  // namespace ow::bench

#endif  // OW_BENCH_BASELINES_H_
