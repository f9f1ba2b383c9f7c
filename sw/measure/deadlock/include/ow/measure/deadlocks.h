// SPDX-License-Identifier: Apache-2.0
// Seeded deadlocks. Each makes a small grid hang for a known reason, which the hang report must
// name. Tests and `ow bench` run them.
#ifndef OW_DEADLOCKS_H_
#define OW_DEADLOCKS_H_

#include <string>
#include <vector>

#include "ow/diagnose/hang_report.h"

namespace ow {

struct DeadlockResult {
  std::string name;     // what was seeded
  bool hung = false;    // the run ended as it should: nothing moved any more, or it was stopped
  bool named = false;   // the report gives the seeded cause, at its tile, and no other
  bool ok = false;      // both
  double seconds = 0;   // processor time of the run, from the start of the cores, and of the report
  uint64_t cycles = 0;  // when it ended
  std::string message;  // if not ok: what was expected, and the report
  HangReport report;
};

// Names of all seeded deadlocks, in the order of `run_deadlock`'s index.
std::vector<std::string> deadlock_names();

// Runs one, or all, on the replicated simulator. `firmware` is the path of deadlock.elf; empty: the
// one of this build.
DeadlockResult run_deadlock(size_t index, const std::string& firmware = "");
std::vector<DeadlockResult> run_deadlocks(const std::string& firmware = "");

}  // namespace ow

#endif  // OW_DEADLOCKS_H_
