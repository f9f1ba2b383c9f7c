// SPDX-License-Identifier: Apache-2.0
#include "ow/base/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>

#include "ow/base/error.h"
#include "ow/base/text.h"

namespace ow {
namespace {

// The parts of an archive begin with these numbers. All numbers are little endian.
constexpr uint32_t kLocal = 0x04034B50;    // a file: this header, its name, its bytes
constexpr uint32_t kCentral = 0x02014B50;  // the same file in the directory
constexpr uint32_t kEnd = 0x06054B50;      // the end of the directory, and of the archive
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;
constexpr size_t kMostComment = 65535;  // after the end

constexpr uint32_t kStored = 0, kDeflated = 8;
constexpr uint32_t kEncrypted = 1;       // of a file's flags
constexpr size_t kMostDeflation = 1032;  // bytes that a packed byte can become

class Archive {
 public:
  Archive(const std::string& bytes, const std::string& path, size_t limit)
      : bytes_(bytes), path_(path), left_(limit), limit_(limit) {}

  std::map<std::string, std::string> unpack() {
    const size_t end = find_end();
    const uint32_t entries = number(end + 10, 2);
    size_t at = number(end + 16, 4);
    if (number(end + 4, 4) != 0 || number(end + 8, 2) != entries) fail("is a part of an archive");
    if (entries == 0xFFFF || at == UINT32_MAX) fail("is a ZIP64 archive, the limit is 2 GiB");
    std::map<std::string, std::string> files;
    for (uint32_t k = 0; k < entries; ++k) {
      if (number(at, 4) != kCentral) damaged();
      const size_t name_bytes = number(at + 28, 2);
      const std::string name = text(at + kCentralBytes, name_bytes);
      if (files.count(name) > 0) fail_at(name, "is there twice");
      files[name] = unpack_file(name, at);
      at += kCentralBytes + name_bytes + number(at + 30, 2) + number(at + 32, 2);
    }
    return files;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw BadInput(fmt::format("{}: {}", path_, what));
  }
  [[noreturn]] void damaged() const { fail("the archive is damaged, or cut short"); }
  [[noreturn]] void fail_at(const std::string& name, const std::string& what) const {
    fail(fmt::format("'{}' {}", printable_text(name, 60), what));
  }

  std::string text(size_t at, size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) damaged();
    return bytes_.substr(at, count);
  }
  uint32_t number(size_t at, size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) damaged();
    uint32_t value = 0;
    for (size_t k = count; k-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes_[at + k]);
    return value;
  }

  // The end's place: a comment of a length that the end names may follow.
  size_t find_end() const {
    for (size_t comment = 0; comment <= kMostComment; ++comment) {
      if (bytes_.size() < kEndBytes + comment) break;
      const size_t at = bytes_.size() - kEndBytes - comment;
      if (number(at, 4) == kEnd && number(at + 20, 2) == comment) return at;
    }
    fail("is no ZIP archive, or is cut short: it has no directory at its end");
  }

  // `entry`: the file's place in the directory.
  std::string unpack_file(const std::string& name, size_t entry) {
    const uint32_t method = number(entry + 10, 2), sum = number(entry + 16, 4);
    const uint32_t packed = number(entry + 20, 4), size = number(entry + 24, 4);
    const size_t header = number(entry + 42, 4);
    if (packed == UINT32_MAX || size == UINT32_MAX || header == UINT32_MAX) {
      fail_at(name, "has a ZIP64 size, the limit is 2 GiB");
    }
    if ((number(entry + 8, 2) & kEncrypted) != 0) fail_at(name, "is encrypted");
    if (method != kStored && method != kDeflated) {
      fail_at(name, fmt::format("is packed by method {}: only stored and deflated files are read",
                                method));
    }
    if (number(header, 4) != kLocal) damaged();
    const size_t begin = header + kLocalBytes + number(header + 26, 2) + number(header + 28, 2);
    if (begin > bytes_.size() || packed > bytes_.size() - begin) damaged();
    if (size > left_) fail(fmt::format("holds more than {} bytes, the limit", limit_));
    left_ -= size;
    std::string out;
    if (method == kStored) {
      if (packed != size) damaged();
      out = text(begin, size);
    } else {
      if (size / kMostDeflation > packed) damaged();  // before there is room for it
      out.resize(size);
      if (!inflate_to(begin, packed, &out)) fail_at(name, "is damaged: it does not unpack");
    }
    if (crc32_z(0, reinterpret_cast<const Bytef*>(out.data()), out.size()) != sum) {
      fail_at(name, "is damaged: its check sum differs");
    }
    return out;
  }

  // Whether the packed bytes give exactly the size of `out`.
  bool inflate_to(size_t begin, uint32_t packed, std::string* out) const {
    z_stream s{};
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK) throw InternalError("zlib: no memory");
    char nothing = 0;
    s.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data() + begin));
    s.avail_in = packed;
    s.next_out = reinterpret_cast<Bytef*>(out->empty() ? &nothing : out->data());
    s.avail_out = static_cast<uInt>(out->size());
    const int status = inflate(&s, Z_FINISH);
    const bool whole = status == Z_STREAM_END && s.avail_in == 0 && s.avail_out == 0;
    inflateEnd(&s);
    return whole;
  }

  const std::string& bytes_;
  const std::string& path_;
  size_t left_;  // bytes that files may still have
  const size_t limit_;
};

}  // namespace

bool is_zip(const std::string& bytes) {
  return bytes.compare(0, 4, "PK\3\4") == 0 || bytes.compare(0, 4, "PK\5\6") == 0;
}

std::map<std::string, std::string> unpack_zip(const std::string& bytes, const std::string& path,
                                              size_t limit) {
  return Archive(bytes, path, limit).unpack();
}

}  // namespace ow
