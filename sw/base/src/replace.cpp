// SPDX-License-Identifier: Apache-2.0
#include "replace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow {

bool names_open_file(const std::string& path) {
  for (const char* prefix : {"/proc/", "/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr"}) {
    if (path.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

std::string file_itself(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the system has it
  std::string file = path;
  for (int n = 0; n < kMostLinks && !names_open_file(file); ++n) {
    char target[PATH_MAX];
    const ssize_t length = readlink(file.c_str(), target, sizeof target);
    if (length <= 0) return file;  // no link
    const std::string to(target, static_cast<size_t>(length));
    const size_t slash = file.rfind('/');
    file = to[0] == '/' || slash == std::string::npos ? to : file.substr(0, slash + 1) + to;
  }
  return file;
}

bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(a, error);
  if (fs::exists(status)) return fs::is_regular_file(status) && fs::equivalent(a, b, error);
  const auto resolved = [&error](const std::string& path) {
    return error ? fs::path() : fs::weakly_canonical(fs::absolute(path, error), error);
  };
  error.clear();
  const fs::path left = resolved(a), right = resolved(b);
  return !error && left == right;
}

std::string temporary_name(const std::string& file) {
  return fmt::format("{}.tmp.{}", file, getpid());
}

void cannot_write(const std::string& path, int error) {
  const char* const why =
      error == kIsWritten ? "it is being written already" : std::strerror(error);
  throw BadInput(fmt::format("{}: cannot be written: {}", path, why));
}

// Whether it is there and open for writing, here or in another process.
static bool is_written(const std::string& temporary) {
  const int file = open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool held = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return held;
}

int create_for(const std::string& file, const std::string& temporary) {
  struct stat old {};
  const bool replaces = stat(file.c_str(), &old) == 0;
  if (is_written(temporary)) {
    errno = kIsWritten;
    return -1;
  }
  // A killed process of this number may have left one, with another mode.
  unlink(temporary.c_str());
  const mode_t mode = replaces ? 0600 : 0666;  // nobody else reads it before it has its own mode
  const int created = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  // Some file systems have no locks, or only those of other processes (NFS): then there is no
  // check.
  if (created >= 0) flock(created, LOCK_EX | LOCK_NB);
  if (created < 0 || !replaces) return created;
  struct stat is {};
  const bool other =
      fstat(created, &is) == 0 && (is.st_uid != old.st_uid || is.st_gid != old.st_gid);
  // Only a privileged process can give a file away; others keep it.
  if (other && fchown(created, old.st_uid, old.st_gid) != 0) errno = 0;
  if (fchmod(created, old.st_mode & 0777) == 0) return created;
  const int error = errno;
  close(created);
  unlink(temporary.c_str());
  errno = error;
  return -1;
}

}  // namespace ow
