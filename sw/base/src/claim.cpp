// SPDX-License-Identifier: Apache-2.0
#include "ow/base/claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "ow/base/error.h"

namespace ow {
namespace {

namespace fs = std::filesystem;

// The file to lock for `path`; empty: none.
std::string lock_of(const std::string& path) {
  if (path.empty() || path.rfind("/dev/", 0) == 0 || path.rfind("/proc/", 0) == 0) return "";
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return "";
  const fs::file_status status = fs::status(real, error);
  if (fs::is_directory(status)) return real / ".lock";
  if (fs::exists(status) && !fs::is_regular_file(status)) return "";
  return real.parent_path() / ("." + real.filename().string() + ".lock");
}

// A file whose owner is somebody else can be locked, but not written.
int open_lock(const std::string& lock) {
  const int file = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  return file >= 0 ? file : ::open(lock.c_str(), O_RDONLY | O_CLOEXEC);
}

// Whether the open file still has that name: its last owner may have removed it before it was
// locked.
bool has_name(int file, const std::string& lock) {
  struct stat opened {
  }, named{};
  return fstat(file, &opened) == 0 && stat(lock.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

std::string own_name() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == 0) host = {"this machine"};
  return fmt::format("process {} on {}", getpid(), host.data());
}

// What the owner of the lock has written into it. It may be about to do so.
std::string owner_of(int file) {
  for (int tries = 0; tries < 20; ++tries) {
    std::array<char, 512> text;
    const ssize_t n = pread(file, text.data(), text.size(), 0);
    const auto* end = std::find(text.begin(), text.begin() + std::max<ssize_t>(n, 0), '\n');
    if (n > 0 && end != text.begin() + n) return std::string(text.data(), end - text.begin());
    usleep(5000);
  }
  return "another process";
}

}  // namespace

Claim::Claim(const std::string& path) : lock_(lock_of(path)) {
  while (!lock_.empty()) {
    const int file = open_lock(lock_);
    if (file < 0) return;
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      const bool held = errno == EWOULDBLOCK;
      const std::string owner = held ? owner_of(file) : "";
      ::close(file);
      if (!held) return;
      throw BadInput(fmt::format(
          "{}: {} is writing there: name another place, or begin when it has ended", path, owner));
    }
    if (has_name(file, lock_)) {
      file_ = file;
      break;
    }
    ::close(file);
  }
  if (file_ < 0) return;
  const std::string name = own_name() + "\n";
  if (ftruncate(file_, 0) != 0 || pwrite(file_, name.data(), name.size(), 0) < 0) {
    // A claim without a name is a claim too.
  }
}

Claim::~Claim() {
  if (file_ < 0) return;
  ::unlink(lock_.c_str());
  ::close(file_);
}

}  // namespace ow
