// SPDX-License-Identifier: Apache-2.0
// Runs `ow` as a shell does.
#ifndef OW_TB_SW_CLI_PROGRAM_H_
#define OW_TB_SW_CLI_PROGRAM_H_

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace ow {

struct Result {
  int status;          // -1: ended by a signal
  std::string output;  // standard output and error
};

// `before`: what the shell does first. `program`: another one than that of the build.
inline Result run_ow(const std::string& arguments, const std::string& before = "",
                     const std::string& program = OW_PROGRAM) {
  const std::string command = before + " exec '" + program + "' 2>&1 " + arguments;
  std::FILE* pipe = popen(command.c_str(), "r");
  Result r{-1, ""};
  if (pipe == nullptr) return r;
  std::array<char, 4096> buffer;
  size_t n;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0)
    r.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) r.status = WEXITSTATUS(status);
  return r;
}

inline std::string temporary(const std::string& name) {
  return testing::TempDir() + "ow_cli_" + std::to_string(getpid()) + "_" + name;
}

inline long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace ow

#endif  // OW_TB_SW_CLI_PROGRAM_H_
