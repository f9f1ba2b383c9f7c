// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own that may not have more than so much memory.
#ifndef OW_TB_MEMORYX_LIMITED_H_
#define OW_TB_MEMORYX_LIMITED_H_

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

namespace ow::memoryx {

class NumberOf {
 public:
  void add(const void* data, size_t bytes) {
    const auto* from = static_cast<const unsigned char*>(data);
    for (size_t k = 0; k < bytes; ++k) value_ = (value_ ^ from[k]) * 1099511628211u;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 14695981039346656037u;
};

inline size_t address_space() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// The number that `task` gives in a process of its own, or its exit status in words.
inline std::string in_a_process(const std::function<uint64_t()>& task) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    try {
      const uint64_t value = task();
      _exit(write(ends[1], &value, sizeof value) == sizeof value ? 0 : 3);
    } catch (const std::bad_alloc&) {
      _exit(4);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      _exit(5);
    }
  }
  close(ends[1]);
  uint64_t value = 0;
  const bool read_it = read(ends[0], &value, sizeof value) == sizeof value;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return read_it ? std::to_string(value) : "ended with status " + std::to_string(status);
}

// This process may take so many bytes more than it has.
inline void limit_memory(size_t bytes) {
  const size_t most = address_space() + bytes;
  const rlimit limit{most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) throw std::runtime_error("no limit");
}

}  // namespace ow::memoryx

#endif  // OW_TB_MEMORYX_LIMITED_H_
