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

std::unique_ptr<std::FILE, int (*)(std::FILE*)> open_file(const std::string& path) {
  return {std::fopen(path.c_str(), "rb"), [](std::FILE* f) { return std::fclose(f); }};
}

[[noreturn]] void cannot_read(const std::string& path, int error) {
  throw BadInput(
      fmt::format("{}: cannot be read: {}", path.empty() ? "''" : path, std::strerror(error)));
}

// Adds a part of a file to `to`. False at its end.
bool read_part(const std::string& path, std::FILE* file, std::string* to) {
  char part[1 << 14];
  const size_t bytes = std::fread(part, 1, sizeof part, file);
  if (bytes == 0 && std::ferror(file) != 0) cannot_read(path, errno);
  to->append(part, bytes);
  return bytes > 0;
}

bool is_gzip(const std::string& bytes, size_t at) { return bytes.compare(at, 2, "\x1f\x8b") == 0; }

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

}  // namespace

struct FileReader::Inflater {
  z_stream stream{};
  Inflater() {
    constexpr int kGzip = 16;  // the format, added to the size of the window
    if (inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK) throw InternalError("zlib: no memory");
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

FileReader::FileReader(std::string path) : path_(std::move(path)), file_(open_file(path_)) {
  if (!file_) cannot_read(path_, errno);
  constexpr size_t kMagic = 6;
  while (in_.size() < kMagic && !file_ends_) fill();
  if (is_gzip(in_, 0)) {
    packed_ = std::make_unique<Inflater>();
  } else {
    refuse_other_packers(path_, in_);
  }
}

FileReader::~FileReader() = default;

// Reads more of the file.
void FileReader::fill() {
  in_.erase(0, at_);
  at_ = 0;
  file_ends_ = !read_part(path_, file_.get(), &in_);
}

size_t FileReader::read(void* to, size_t bytes) {
  auto* const first = static_cast<char*>(to);
  size_t got = 0;
  while (got < bytes && !ends_) {
    const size_t more = packed_ ? unpack(first + got, bytes - got) : copy(first + got, bytes - got);
    got += more;
    given_ += more;
  }
  return got;
}

size_t FileReader::copy(char* to, size_t bytes) {
  if (at_ == in_.size() && !file_ends_) fill();
  ends_ = at_ == in_.size();
  const size_t got = in_.copy(to, bytes, at_);
  at_ += got;
  return got;
}

size_t FileReader::unpack(char* to, size_t bytes) {
  if (at_ == in_.size() && !file_ends_) fill();
  z_stream& s = packed_->stream;
  s.next_in = reinterpret_cast<Bytef*>(in_.data() + at_);
  s.avail_in = static_cast<uInt>(in_.size() - at_);
  s.next_out = reinterpret_cast<Bytef*>(to);
  const size_t room = std::min(bytes, size_t{1} << 30);
  s.avail_out = static_cast<uInt>(room);
  const int status = inflate(&s, Z_NO_FLUSH);
  at_ = in_.size() - s.avail_in;
  const size_t got = room - s.avail_out;
  if (status == Z_STREAM_END) {
    next_member();
  } else if (status == Z_BUF_ERROR && file_ends_) {
    throw BadInput(fmt::format(
        "{}: the compressed data end too early: the file is truncated after {} bytes of contents",
        path_, given_ + got));
  } else if (status != Z_OK && status != Z_BUF_ERROR) {
    throw BadInput(fmt::format("{}: the compressed data are damaged after {} bytes of contents",
                               path_, given_ + got));
  }
  return got;
}

// Zeros fill the last block of a tape or a device. Members may follow one another.
void FileReader::next_member() {
  size_t bytes = 0;  // after the member
  const auto skip = [&](size_t to) {
    bytes += to - at_;
    at_ = to;
  };
  for (;;) {
    skip(std::min(in_.find_first_not_of('\0', at_), in_.size()));
    if (in_.size() - at_ >= 2 || file_ends_) break;
    fill();
  }
  if (at_ == in_.size()) {
    ends_ = true;
  } else if (!is_gzip(in_, at_)) {
    for (; !file_ends_; fill()) skip(in_.size());
    throw BadInput(fmt::format("{}: {} bytes after the end of the compressed data", path_,
                               bytes + in_.size() - at_));
  } else if (inflateReset(&packed_->stream) != Z_OK) {
    throw InternalError("zlib: no reset");
  }
}

bool FileReader::read_line(std::string* line, size_t most) {
  line->clear();
  for (char c = 0; line->size() < most && read(&c, 1) == 1;) {
    if (c == '\n') return true;
    *line += c;
  }
  return false;
}

std::string read_text(const std::string& path, size_t limit) {
  const auto file = open_file(path);
  if (!file) cannot_read(path, errno);
  std::string text;
  while (read_part(path, file.get(), &text)) {
    if (text.size() > limit) too_long(path, limit);
  }
  return text;
}

std::string read_bytes(const std::string& path, size_t limit, size_t line_limit) {
  FileReader file(path);
  std::string text;
  size_t line = 0;  // where the last line begins
  char part[1 << 14];
  while (const size_t n = file.read(part, sizeof part)) {
    if (const void* end = memrchr(part, '\n', n)) {
      line = text.size() + static_cast<size_t>(static_cast<const char*>(end) - part) + 1;
    }
    text.append(part, n);
    if (text.size() > limit) too_long(path, limit);
    if (text.size() - line > line_limit && !file.is_packed()) {
      throw BadInput(
          fmt::format("{}: holds a line of more than {} bytes, the limit", path, line_limit));
    }
  }
  return text;
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
