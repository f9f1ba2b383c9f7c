// SPDX-License-Identifier: Apache-2.0
#include "count_instructions.h"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "ow/base/error.h"

namespace ow::bench {

uint64_t count_instructions(const std::function<void()>& work) {
  const pid_t copy = fork();
  if (copy < 0) throw BadInput("instructions cannot be counted: no more processes");
  if (copy == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(EXIT_FAILURE);
    std::raise(SIGSTOP);
    try {
      work();
    } catch (...) {
      _exit(EXIT_FAILURE);
    }
    _exit(EXIT_SUCCESS);
  }
  uint64_t count = 0;
  int status = 0;
  while (waitpid(copy, &status, 0) == copy && WIFSTOPPED(status)) {
    if (count != 0 && WSTOPSIG(status) != SIGTRAP) {  // a fault, which would come again and again
      kill(copy, SIGKILL);
      continue;
    }
    if (ptrace(PTRACE_SINGLESTEP, copy, nullptr, nullptr) != 0) break;
    ++count;
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) {
    throw DeviceFault("instructions cannot be counted: the process that is watched has failed");
  }
  return count;
}

}  // namespace ow::bench
