// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "replace.h"

namespace ow {
namespace {

// Whether a file is written in place, as /dev/stdout and everything that is no regular file is.
// BadInput if `file`, which `path` names, cannot be written at all.
bool in_place(const std::string& path, const std::string& file) {
  if (names_open_file(file)) return true;
  struct stat is {};
  if (stat(file.c_str(), &is) != 0) {
    if (errno != ENOENT) cannot_write(path, errno);
    return false;
  }
  if (S_ISDIR(is.st_mode)) cannot_write(path, EISDIR);
  return !S_ISREG(is.st_mode);
}

}  // namespace

struct FileWriter::Deflater {
  z_stream stream{};
  Deflater() {
    // The fastest level: a program that writes piece by piece has other work to do.
    constexpr int kLevel = 1, kGzip = 16, kMemory = 8;
    if (deflateInit2(&stream, kLevel, Z_DEFLATED, MAX_WBITS + kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw InternalError("zlib: no memory");
    }
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
};

FileWriter::FileWriter(std::string path, Packing packing)
    : path_(std::move(path)), target_(file_itself(path_)) {
  if (packing == Packing::Gzip) packed_ = std::make_unique<Deflater>();
  if (in_place(path_, target_)) {
    // If /dev/stdout is a regular file, append to what it holds and to what stdio still buffers.
    std::fflush(stdout);
    file_ = std::fopen(target_.c_str(), "ab");
  } else {
    temporary_ = temporary_name(target_);
    const int created = create_for(target_, temporary_);
    if (created >= 0) file_ = fdopen(created, "wb");
  }
  if (file_ == nullptr) cannot_write(path_, errno);
}

FileWriter::~FileWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void FileWriter::append(const void* data, size_t bytes) {
  if (packed_) {
    pack(data, bytes, false);
  } else {
    write_bytes(data, bytes);
  }
}

void FileWriter::write_bytes(const void* data, size_t bytes) {
  if (std::fwrite(data, 1, bytes, file_) != bytes && error_ == 0) error_ = errno;
}

void FileWriter::pack(const void* data, size_t bytes, bool end) {
  z_stream& s = packed_->stream;
  const auto* from = static_cast<const Bytef*>(data);
  char buffer[1 << 14];
  do {
    const size_t part = std::min(bytes, size_t{1} << 30);
    s.next_in = const_cast<Bytef*>(from);
    s.avail_in = static_cast<uInt>(part);
    from += part;
    bytes -= part;
    do {
      s.next_out = reinterpret_cast<Bytef*>(buffer);
      s.avail_out = sizeof buffer;
      deflate(&s, end && bytes == 0 ? Z_FINISH : Z_NO_FLUSH);
      write_bytes(buffer, sizeof buffer - s.avail_out);
    } while (s.avail_out == 0);
  } while (bytes > 0);
}

void FileWriter::close() {
  if (packed_) pack(nullptr, 0, true);
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0 && error_ == 0) error_ = errno;
  const bool renamed = !temporary_.empty();
  if (error_ == 0 && renamed && std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    error_ = errno;
  }
  if (error_ == 0) return;
  if (renamed) std::remove(temporary_.c_str());
  cannot_write(path_, error_);
}

void write_file(const std::string& path, const std::string& contents) {
  FileWriter file(path);
  file.append(contents.data(), contents.size());
  file.close();
}

void check_writable(const std::string& path) {
  if (path.empty()) return;
  const std::string target = file_itself(path);
  if (in_place(path, target)) return;
  const std::string temporary = temporary_name(target);
  const int created = create_for(target, temporary);
  if (created < 0) cannot_write(path, errno);
  close(created);
  std::remove(temporary.c_str());
}

}  // namespace ow
