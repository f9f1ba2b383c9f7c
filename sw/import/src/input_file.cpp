// SPDX-License-Identifier: Apache-2.0
#include "input_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "ow/base/error.h"

namespace ow {

InputFile::InputFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  if (!file_) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) fail("cannot be read: it is no file");
  bytes_ = std::filesystem::file_size(path, error);
  if (error) fail("cannot be read: " + error.message());
}

void InputFile::fail(const std::string& what) const { throw BadInput(path_ + ": " + what); }

void InputFile::read(uint64_t first, size_t count, void* out) {
  const bool there = first <= bytes_ && count <= bytes_ - first;
  if (there) {
    file_.seekg(static_cast<std::streamoff>(first));
    file_.read(static_cast<char*>(out), static_cast<std::streamsize>(count));
  }
  if (!there || !file_) fail(fmt::format("is cut short, at byte {}", bytes_));
}

std::vector<float> InputFile::floats(uint64_t first, size_t count) {
  std::vector<uint8_t> bytes(4 * count);
  read(first, bytes.size(), bytes.data());
  std::vector<float> out(count);
  for (size_t k = 0; k < count; ++k) {
    const uint8_t* b = &bytes[4 * k];
    const uint32_t word = b[0] | uint32_t{b[1]} << 8 | uint32_t{b[2]} << 16 | uint32_t{b[3]} << 24;
    std::memcpy(&out[k], &word, 4);
  }
  return out;
}

}  // namespace ow
