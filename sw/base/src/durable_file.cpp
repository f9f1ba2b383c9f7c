// SPDX-License-Identifier: Apache-2.0
#include "ow/base/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "ow/base/file.h"
#include "replace.h"

namespace ow {

int FileCalls::create(const std::string& file, const std::string& temporary) {
  return create_for(file, temporary);
}

long FileCalls::write(int file, const void* data, size_t bytes) {
  return ::write(file, data, bytes);
}

int FileCalls::sync(int file) { return ::fsync(file); }

int FileCalls::close(int file) { return ::close(file); }

int FileCalls::rename(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str());
}

int FileCalls::sync_directory(const std::string& path) {
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return -1;
  const int status = ::fsync(directory);
  const int error = errno;
  ::close(directory);
  errno = error;
  return status;
}

int FileCalls::remove(const std::string& path) { return ::unlink(path.c_str()); }

DurableFile::DurableFile(std::string path, FileCalls* calls)
    : calls_(calls == nullptr ? system_ : *calls), path_(std::move(path)) {
  target_ = file_itself(path_);
  temporary_ = temporary_name(target_);
  file_ = calls_.create(target_, temporary_);
  if (file_ < 0) fail();
  there_ = true;
}

DurableFile::~DurableFile() {
  if (file_ >= 0) calls_.close(file_);
  if (there_) calls_.remove(temporary_);
}

void DurableFile::fail() const { cannot_write(path_, errno); }

void DurableFile::append(const void* data, size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const long n = calls_.write(file_, from, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail();
    from += n;
    bytes -= static_cast<size_t>(n);
  }
}

void DurableFile::commit() {
  if (calls_.sync(file_) != 0) fail();
  const int file = file_;
  file_ = -1;
  if (calls_.close(file) != 0) fail();
  if (calls_.rename(temporary_, target_) != 0) fail();
  there_ = false;
  const size_t slash = target_.rfind('/');
  const std::string directory =
      slash == std::string::npos ? "." : target_.substr(0, slash == 0 ? 1 : slash);
  if (calls_.sync_directory(directory) != 0) fail();
}

}  // namespace ow
