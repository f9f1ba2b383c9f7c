// SPDX-License-Identifier: Apache-2.0
#include "ow/base/file.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "replace.h"

namespace ow {
namespace {

[[noreturn]] void too_long(const std::string& path, size_t limit) {
  throw BadInput(fmt::format("{}: holds more than {} bytes, the limit", path, limit));
}

struct Inflater {
  z_stream stream{};
  Inflater() {
    constexpr int kGzip = 16;  // the format, added to the size of the window
    if (inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK) throw InternalError("zlib: no memory");
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

bool is_packed(const std::string& bytes, size_t at = 0) {
  return bytes.compare(at, 2, "\x1f\x8b") == 0;
}

// Refuses what other programs than gzip have packed.
void refuse_other_packers(const std::string& path, const std::string& bytes) {
  constexpr std::pair<std::string_view, const char*> kPackers[] = {
      {{"\x28\xb5\x2f\xfd", 4}, "zstd"},
      {{"\xfd\x37zXZ\0", 6}, "xz"},
      {{"BZh", 3}, "bzip2"},
      {{"\x04\x22\x4d\x18", 4}, "lz4"}};
  for (const auto& [magic, name] : kPackers) {
    if (bytes.compare(0, magic.size(), magic) != 0) continue;
    throw BadInput(fmt::format("{}: is packed by {}: unpack it, or pack it by gzip", path, name));
  }
}

// Unpacks all members of a gzip file, one after the other.
std::string unpack(const std::string& path, const std::string& packed, size_t limit) {
  std::string out;
  Inflater inflater;
  z_stream& s = inflater.stream;
  char buffer[1 << 16];
  size_t taken = 0;
  while (true) {
    if (s.avail_in == 0) {
      const size_t part = std::min(packed.size() - taken, size_t{1} << 30);
      s.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
      s.avail_in = static_cast<uInt>(part);
      taken += part;
    }
    s.next_out = reinterpret_cast<Bytef*>(buffer);
    s.avail_out = sizeof buffer;
    const int status = inflate(&s, Z_NO_FLUSH);
    out.append(buffer, sizeof buffer - s.avail_out);
    if (out.size() > limit) too_long(path, limit);
    if (status == Z_STREAM_END) {
      // Zeros fill the last block of a tape or a device. Members may follow one another.
      const size_t end = taken - s.avail_in;
      const size_t next = std::min(packed.find_first_not_of('\0', end), packed.size());
      if (next == packed.size()) return out;
      if (!is_packed(packed, next)) {
        throw BadInput(fmt::format("{}: {} bytes after the end of the compressed data", path,
                                   packed.size() - end));
      }
      taken = next;
      s.avail_in = 0;
      if (inflateReset(&s) != Z_OK) throw InternalError("zlib: no reset");
    } else if (status == Z_BUF_ERROR && s.avail_in == 0 && taken == packed.size()) {
      throw BadInput(fmt::format(
          "{}: the compressed data end too early: the file is truncated after {} bytes of contents",
          path, out.size()));
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw BadInput(fmt::format("{}: the compressed data are damaged after {} bytes of contents",
                                 path, out.size()));
    }
  }
}

std::string read_all(const std::string& path, size_t limit, size_t line_limit) {
  std::string text;
  size_t line = 0;  // where the last line begins
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), [](std::FILE* f) { return std::fclose(f); });
  int error = errno;
  if (file) {
    char part[1 << 14];
    while (const size_t n = std::fread(part, 1, sizeof part, file.get())) {
      if (const void* end = memrchr(part, '\n', n)) {
        line = text.size() + static_cast<size_t>(static_cast<const char*>(end) - part) + 1;
      }
      text.append(part, n);
      if (text.size() > limit) too_long(path, limit);
      if (text.size() - line > line_limit && !is_packed(text)) {
        refuse_other_packers(path, text);
        throw BadInput(
            fmt::format("{}: holds a line of more than {} bytes, the limit", path, line_limit));
      }
    }
    error = std::ferror(file.get()) != 0 ? errno : 0;
    if (error == 0) return text;
  }
  throw BadInput(
      fmt::format("{}: cannot be read: {}", path.empty() ? "''" : path, std::strerror(error)));
}

}  // namespace

std::string read_text(const std::string& path, size_t limit) {
  return read_all(path, limit, SIZE_MAX);
}

std::string read_bytes(const std::string& path, size_t limit, size_t line_limit) {
  std::string bytes = read_all(path, limit, line_limit);
  if (is_packed(bytes)) return unpack(path, bytes, limit);
  refuse_other_packers(path, bytes);
  return bytes;
}

namespace {

// A shell hands over pipes, and names files that are open.
bool has_place(const std::string& file) {
  struct stat is {};
  const bool stream = ::stat(file.c_str(), &is) == 0 && !S_ISREG(is.st_mode);
  return !stream && !names_open_file(file);
}

}  // namespace

std::string beside(const std::string& file, const std::string& path) {
  if ((!path.empty() && path.front() == '/') || !has_place(file)) return path;
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? path : file.substr(0, slash + 1) + path;
}

}  // namespace ow
