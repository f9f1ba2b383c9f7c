// SPDX-License-Identifier: Apache-2.0
// Signals that ask a program to end soon, not at once.
#ifndef OW_BASE_STOP_SIGNALS_H_
#define OW_BASE_STOP_SIGNALS_H_

#include <signal.h>

#include <array>

namespace ow {

// While it exists, the first SIGTERM, SIGINT or SIGUSR1 only writes a line to standard error and is
// remembered; the next one ends the process as if there were no handler. SIGUSR1 is the one of the
// three that mpirun passes on. At most one object exists at a time.
class StopSignals {
 public:
  // `promise`: what the line says after the signal's name.
  explicit StopSignals(const char* promise);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool asked() const;

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace ow

#endif  // OW_BASE_STOP_SIGNALS_H_
