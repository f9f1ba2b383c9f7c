// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
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

namespace ow {
namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw BadInput(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
}

// The file that gets the contents of `path` first. It is a new file beside `path`. If `path` exists
// and is not a regular file, it is `path` itself. /dev/stdout is always written itself, whatever it
// is.
std::string written_first(const std::string& path) {
  if (path.rfind("/dev/", 0) == 0 || path.rfind("/proc/", 0) == 0) return path;
  struct stat is {};
  if (stat(path.c_str(), &is) == 0 && !S_ISREG(is.st_mode)) {
    if (S_ISDIR(is.st_mode)) cannot_write(path, EISDIR);
    return path;
  }
  return fmt::format("{}.tmp.{}", path, getpid());
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
    : path_(std::move(path)), first_(written_first(path_)) {
  if (packing == Packing::Gzip) packed_ = std::make_unique<Deflater>();
  // If /dev/stdout is a regular file, append to what it holds and to what stdio still buffers.
  if (first_ == path_) std::fflush(stdout);
  file_ = std::fopen(first_.c_str(), first_ == path_ ? "ab" : "wb");
  if (file_ == nullptr) cannot_write(path_, errno);
}

FileWriter::~FileWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (first_ != path_) std::remove(first_.c_str());
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
  const bool renamed = first_ != path_;
  if (error_ == 0 && renamed && std::rename(first_.c_str(), path_.c_str()) != 0) error_ = errno;
  if (error_ == 0) return;
  if (renamed) std::remove(first_.c_str());
  cannot_write(path_, error_);
}

void write_file(const std::string& path, const std::string& contents) {
  FileWriter file(path);
  file.append(contents.data(), contents.size());
  file.close();
}

void check_writable(const std::string& path) {
  if (path.empty()) return;
  const std::string first = written_first(path);
  if (first == path) return;
  std::FILE* file = std::fopen(first.c_str(), "wb");
  if (file == nullptr) cannot_write(path, errno);
  std::fclose(file);
  std::remove(first.c_str());
}

}  // namespace ow
