// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/text.h"
#include "ow/base/zip.h"

namespace ow {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = sizeof kMagic - 1;
constexpr size_t kMaxDimensions = 8;
constexpr size_t kMaxDigits = 18;  // of a dimension, so that it fits 64 bits

struct Code {
  const char* code;
  TensorType type;
};
constexpr Code kCodes[] = {
    {"f2", TensorType::F16}, {"f4", TensorType::F32}, {"f8", TensorType::F64},
    {"b1", TensorType::U8},  {"u1", TensorType::U8},  {"i1", TensorType::I8},
    {"u2", TensorType::U16}, {"i2", TensorType::I16}, {"u4", TensorType::U32},
    {"i4", TensorType::I32}, {"u8", TensorType::U64}, {"i8", TensorType::I64}};

struct Header {
  TensorType type = TensorType::F32;
  size_t characters = 0;  // of a text, which has no `type`; 0: numbers
  bool big_endian = false;
  bool fortran = false;  // the first index runs fastest
  std::vector<uint64_t> shape;
};

// Reads the header: a Python dictionary with the three keys below, in any order.
class HeaderReader {
 public:
  HeaderReader(std::string name, std::string text)
      : name_(std::move(name)), text_(std::move(text)) {}

  Header read() {
    expect('{');
    bool type = false, order = false, shape = false;
    while (next() != '}') {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        type = true;
        read_type();
      } else if (key == "fortran_order" && !order) {
        order = true;
        read_order();
      } else if (key == "shape" && !shape) {
        shape = true;
        read_shape();
      } else {
        broken();
      }
      if (next() != '}') expect(',');
    }
    if (!type || !order || !shape) broken();
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw BadInput(name_ + ": " + what); }
  [[noreturn]] void broken() const {
    fail("the header must be {'descr': .., 'fortran_order': .., 'shape': (..)}");
  }

  // The next character that is no space; 0 at the end.
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char c) {
    if (next() != c) broken();
    ++at_;
  }
  bool word(const std::string& expected) {
    next();
    if (text_.compare(at_, expected.size(), expected) != 0) return false;
    at_ += expected.size();
    return true;
  }

  std::string quoted() {
    const char quote = next();
    const size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string::npos;
    if (end == std::string::npos) broken();
    const std::string inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  void read_type() {
    if (next() == '[') fail("holds records, not numbers of one type");
    const std::string descr = quoted();
    const std::string code = descr.empty() ? descr : descr.substr(1);
    header_.big_endian = !descr.empty() && descr.front() == '>';
    if (read_characters(code)) return;
    const auto* known = std::find_if(std::begin(kCodes), std::end(kCodes),
                                     [&](const Code& c) { return code == c.code; });
    if (code == "O") fail("holds Python objects (dtype object), not numbers");
    if (known == std::end(kCodes) || std::string("<>|=").find(descr.front()) == std::string::npos) {
      fail(fmt::format("is of type '{}': must be b1, f2, f4, f8, i1 to i8 or u1 to u8",
                       printable_text(descr)));
    }
    header_.type = known->type;
  }

  // A text's type, U and how many characters.
  bool read_characters(const std::string& code) {
    constexpr size_t kMost = 6;
    const bool text = code.size() >= 2 && code.size() <= kMost + 1 && code[0] == 'U' &&
                      code.find_first_not_of("0123456789", 1) == std::string::npos;
    if (text) header_.characters = std::stoul(code.substr(1));
    return text && header_.characters > 0;
  }

  void read_order() {
    if (word("True")) {
      header_.fortran = true;
    } else if (!word("False")) {
      broken();
    }
  }

  void read_shape() {
    expect('(');
    while (next() != ')') {
      uint64_t n = 0;
      size_t digits = 0;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_, ++digits) {
        if (digits == kMaxDigits) broken();
        n = 10 * n + static_cast<uint64_t>(text_[at_] - '0');
      }
      if (digits == 0) broken();
      header_.shape.push_back(n);
      if (header_.shape.size() > kMaxDimensions) {
        fail(fmt::format("has more than {} dimensions, the limit", kMaxDimensions));
      }
      if (next() != ')') expect(',');
    }
    ++at_;
  }

  const std::string name_, text_;
  size_t at_ = 0;
  Header header_;
};

// For each element in the order of a Tensor, its number in the file's order, where the first index
// runs fastest.
template <typename Work>
void each_of_fortran(const std::vector<uint64_t>& shape, size_t elements, const Work& work) {
  std::vector<uint64_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (size_t k = 1; k < shape.size(); ++k) stride[k] = stride[k - 1] * shape[k - 1];
  uint64_t from = 0;
  for (size_t n = 0; n < elements; ++n) {
    work(n, from);
    for (size_t k = shape.size(); k-- > 0;) {
      from += stride[k];
      if (++index[k] < shape[k]) break;
      from -= stride[k] * shape[k];
      index[k] = 0;
    }
  }
}

bool is_npy(const std::string& file) { return file.compare(0, kMagicBytes, kMagic) == 0; }

// A .npy with its header read. `name`: of the file, in errors.
struct NpyFile {
  Header header;
  size_t data = 0;  // where the elements begin
};

NpyFile open_npy(const std::string& file, const std::string& name) {
  const auto fail = [&](const std::string& what) { throw BadInput(name + ": " + what); };
  if (!is_npy(file) || file.size() < kMagicBytes + 4) {
    fail("is no .npy file: it must begin with \\x93NUMPY and a version");
  }
  const auto byte = [&file](size_t k) { return static_cast<uint8_t>(file[k]); };
  const int version = byte(kMagicBytes);
  if (version < 1 || version > 3) fail(fmt::format("is version {} of .npy, not 1 to 3", version));
  const size_t length_bytes = version == 1 ? 2 : 4, begin = kMagicBytes + 2 + length_bytes;
  if (file.size() < begin) fail("is cut short in its header");
  size_t length = 0;
  for (size_t k = length_bytes; k-- > 0;) length = length << 8 | byte(kMagicBytes + 2 + k);
  if (length > file.size() - begin) fail("is cut short in its header");
  return {HeaderReader(name, file.substr(begin, length)).read(), begin + length};
}

Tensor parse_npy(const std::string& file, const std::string& name) {
  const auto fail = [&](const std::string& what) { throw BadInput(name + ": " + what); };
  const auto byte = [&file](size_t k) { return static_cast<uint8_t>(file[k]); };
  const auto [header, data] = open_npy(file, name);
  if (header.characters > 0) fail("holds a text, not numbers");
  Tensor t;
  t.type = header.type;
  t.shape = header.shape;
  const size_t there = file.size() - data, size = type_bytes(t.type);
  const bool empty = std::find(t.shape.begin(), t.shape.end(), 0u) != t.shape.end();
  uint64_t wanted = empty ? 0 : size;  // in bytes; one more than there are if it is beyond them
  for (const uint64_t n : t.shape) {
    if (!empty) wanted = wanted > there / n ? there + 1 : wanted * n;
  }
  if (wanted != there) {
    fail(fmt::format(
        "{} of shape {} does not take the {} bytes that are there: cut short, or damaged",
        type_name(t.type), t.shape_text(), there));
  }
  t.bytes.resize(there);
  const size_t first = data;
  const bool big = header.big_endian;
  const auto take = [&t, &byte, first, size, big](size_t to, size_t from) {
    for (size_t b = 0; b < size; ++b) {
      t.bytes[to * size + b] = byte(first + from * size + (big ? size - 1 - b : b));
    }
  };
  if (header.fortran) {
    each_of_fortran(t.shape, there / size, take);
  } else {
    for (size_t n = 0; n < there / size; ++n) take(n, n);
  }
  return t;
}

// A text without dimensions: 32 bits a character, zeros after the last one.
std::string parse_text(const std::string& file, const NpyFile& npy, const std::string& name) {
  const auto fail = [&](const std::string& what) { throw BadInput(name + ": " + what); };
  if (!npy.header.shape.empty()) fail("holds texts of some shape; one text is read");
  if (file.size() - npy.data != 4 * npy.header.characters) fail("is a text that is cut short");
  std::string out;
  for (size_t at = npy.data; at < file.size(); at += 4) {
    uint32_t c = 0;
    for (size_t b = 0; b < 4; ++b) {
      c |= uint32_t{static_cast<uint8_t>(file[at + (npy.header.big_endian ? 3 - b : b)])} << 8 * b;
    }
    if (c == 0) break;
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) fail("is a text with what is no character");
    if (c < 0x80) {
      out += static_cast<char>(c);
      continue;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(kLead[more] | c >> (6 * more));
    for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80 | (c >> (6 * k) & 0x3F));
  }
  return out;
}

NpzContents parse_npz(const std::string& file, const std::string& path, size_t limit) {
  constexpr char kSuffix[] = ".npy";
  constexpr size_t kSuffixBytes = sizeof kSuffix - 1;
  NpzContents out;
  for (const auto& [name, bytes] : unpack_zip(file, path, limit)) {
    const std::string where = fmt::format("{}: '{}'", path, printable_text(name, 60));
    const size_t length = name.size() < kSuffixBytes ? 0 : name.size() - kSuffixBytes;
    if (name.compare(length, kSuffixBytes, kSuffix) != 0)
      throw BadInput(where + " is no .npy file");
    const std::string key = name.substr(0, length);
    const NpyFile npy = open_npy(bytes, where);
    if (npy.header.characters > 0) {
      out.texts[key] = parse_text(bytes, npy, where);
    } else {
      out.tensors[key] = parse_npy(bytes, where);
    }
  }
  return out;
}

// Numbers alone.
Tensors numbers_of(NpzContents contents, const std::string& path) {
  for (const auto& [name, text] : contents.texts) {
    throw BadInput(
        fmt::format("{}: '{}.npy' holds a text, not numbers", path, printable_text(name, 60)));
  }
  return std::move(contents.tensors);
}

}  // namespace

Tensor read_npy(const std::string& path, size_t limit) {
  return parse_npy(read_bytes(path, limit), path);
}

Tensors read_npz(const std::string& path, size_t limit) {
  return numbers_of(read_npz_contents(path, limit), path);
}

NpzContents read_npz_contents(const std::string& path, size_t limit) {
  return parse_npz(read_text(path, limit), path, limit);
}

bool is_numpy_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string begin(kMagicBytes, 0);
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(file.gcount()));
  return is_zip(begin) || is_npy(begin);
}

Tensors read_tensors(const std::string& path, size_t limit) {
  const std::string file = read_text(path, limit);
  if (is_zip(file)) return numbers_of(parse_npz(file, path, limit), path);
  if (is_npy(file)) return {{"", parse_npy(file, path)}};
  return parse_safetensors(file, path);
}

}  // namespace ow
