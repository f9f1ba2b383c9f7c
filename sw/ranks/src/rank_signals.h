// SPDX-License-Identifier: Apache-2.0
// The signals by which mpirun ends a rank, so that it still says why.
#ifndef OW_RANKS_RANK_SIGNALS_H_
#define OW_RANKS_RANK_SIGNALS_H_

#include <signal.h>

#include <chrono>
#include <string>

namespace ow::ranks {

// If a rank dies, mpirun (Open MPI 4.1) ends the others with SIGCONT, a second later SIGTERM, and
// at once SIGKILL. On a busy machine the handler of SIGTERM may never run. So the first signal
// writes a line: why the run has failed if that is known (SIGCONT also resumes a suspended run, so
// it writes nothing else), or that mpirun has ended it. A rank that reports a failure writes none,
// and neither does one that was suspended for so long that the others report it.
// At most one object exists at a time.
class RankSignals {
 public:
  // `handled`: on SIGTERM the process ends with a line and status 3. Else no signal is handled.
  // `silence`: after so long without alive() the others report this rank.
  RankSignals(bool handled, std::chrono::milliseconds silence);
  RankSignals(const RankSignals&) = delete;
  RankSignals& operator=(const RankSignals&) = delete;

  void alive(std::chrono::steady_clock::time_point now);
  // The line that mpirun has ended the run is empty from now on: another rank writes it.
  void hush();
  // Why the run has failed; the first call counts. SIGTERM is handled here again, if another
  // handler has replaced this one.
  void know(int status, const std::string& line);
  // The process is about to report the failure.
  void report();
  // The run has not failed: the handlers of before are back.
  void restore();

 private:
  bool handled_;
  std::chrono::milliseconds silence_;
  struct sigaction term_before_ {};
  struct sigaction continue_before_ {};
};

// Ends the process at once, with a line on standard error unless it is empty.
[[noreturn]] void end_process(int status, const std::string& line);

}  // namespace ow::ranks

#endif  // OW_RANKS_RANK_SIGNALS_H_
