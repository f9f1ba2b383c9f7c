// SPDX-License-Identifier: Apache-2.0
#include "ow/base/stop_signals.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

namespace ow {
namespace {

struct Known {
  int signal;
  const char* name;
};
constexpr std::array<Known, 3> kKnown = {
    {{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}}};

// A handler reaches nothing else.
constexpr size_t kMostLine = 256;
std::atomic<int> first{0};
static_assert(std::atomic<int>::is_always_lock_free, "it is used by handlers of signals");
std::array<char[kMostLine], kKnown.size()> lines;

void on_signal(int signal) {
  int none = 0;
  if (first.compare_exchange_strong(none, signal)) {
    for (size_t k = 0; k < kKnown.size(); ++k) {
      if (kKnown[k].signal != signal) continue;
      // Nothing can be done if it is not written.
      if (write(STDERR_FILENO, lines[k], strnlen(lines[k], kMostLine)) < 0) return;
    }
    return;
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

StopSignals::StopSignals(const char* promise) {
  first = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  // One after the other, so that the second finds what the first has left.
  for (const Known& known : kKnown) sigaddset(&action.sa_mask, known.signal);
  for (size_t k = 0; k < kKnown.size(); ++k) {
    const std::string line = std::string("ow: ") + kKnown[k].name + ": " + promise;
    const std::string cut = line.substr(0, kMostLine - 2) + "\n";
    std::copy(cut.c_str(), cut.c_str() + cut.size() + 1, lines[k]);
    sigaction(kKnown[k].signal, &action, &before_[k]);
  }
}

StopSignals::~StopSignals() {
  for (size_t k = 0; k < kKnown.size(); ++k) sigaction(kKnown[k].signal, &before_[k], nullptr);
}

bool StopSignals::asked() const { return first != 0; }

}  // namespace ow
