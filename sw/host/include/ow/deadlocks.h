// SPDX-License-Identifier: Apache-2.0
// Seeded deadlocks: each one makes a small grid hang for a known reason, and the hang report has to
// name it. Run by tb/sw/deadlock and by `ow bench sim`.
#ifndef OW_DEADLOCKS_H_
#define OW_DEADLOCKS_H_

#include <string>
#include <vector>

#include "ow/hang_report.h"

namespace ow {

struct DeadlockResult {
  std::string name;       // what was seeded
  bool hung = false;      // the run ended because nothing moved any more
  bool named = false;     // the report's causes are the seeded one, at its tile, and nothing else
  double report_seconds = 0;  // wall time from the end of the run to the finished report
  uint64_t cycles = 0;
  HangReport report;
  std::string expected;   // in the report's words
};

// Names of all seeded deadlocks, in the order of `run_deadlock`'s index.
std::vector<std::string> deadlock_names();

// Runs one on the replicated simulator. `firmware` is the path of deadlock.elf.
DeadlockResult run_deadlock(size_t index, const std::string& firmware);

}  // namespace ow

#endif  // OW_DEADLOCKS_H_
