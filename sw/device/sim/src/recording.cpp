// SPDX-License-Identifier: Apache-2.0
// The file is compressed with gzip. It begins with a line that names the format, rows and columns.
// Then come little-endian records of 16 bytes: cycles passed since the record before (32 bits), the
// port (16), 0 (16), the word (64). A record with port 0xFFFF holds no word, only time. The last
// record has port 0xFFFE, the time of the end, and the digest.
#include "ow/sim/recording.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/text.h"
#include "ow/device/link_word.h"

namespace ow {
namespace {

constexpr char kFormat[] = "openwafer recording 1 ";
constexpr size_t kRecordBytes = 16, kLine = 80;
constexpr uint64_t kMostRows = 4096;  // and columns
constexpr uint64_t kLastCycle = (uint64_t{1} << 48) - 1;
constexpr uint16_t kNoWord = 0xFFFF, kEnd = 0xFFFE;
constexpr uint64_t kLongest = 0xFFFFFFFF;
constexpr size_t kMostWords = size_t{1} << 30;

uint64_t load(const char* bytes, int count) {
  uint64_t value = 0;
  for (int k = count - 1; k >= 0; --k) value = value << 8 | static_cast<uint8_t>(bytes[k]);
  return value;
}

}  // namespace

uint64_t digest_word(uint64_t digest, uint64_t cycle, int port, uint64_t word) {
  digest = (digest ^ cycle) * 0x9E3779B97F4A7C15u;
  digest = (digest ^ static_cast<uint64_t>(port) ^ word) * 0x9E3779B97F4A7C15u;
  return digest ^ digest >> 29;
}

struct Recorder::File {
  explicit File(std::string path) : file(std::move(path), FileWriter::Packing::Gzip) {}
  void record(uint64_t cycle, uint16_t port, uint64_t word) {
    for (; cycle - last > kLongest; last += kLongest) put(kLongest, kNoWord, 0);
    put(cycle - last, port, word);
    last = cycle;
  }
  void put(uint64_t passed, uint16_t port, uint64_t word) {
    std::array<uint8_t, kRecordBytes> bytes{};
    for (size_t k = 0; k < 4; ++k) bytes[k] = static_cast<uint8_t>(passed >> (8 * k));
    for (size_t k = 0; k < 2; ++k) bytes[4 + k] = static_cast<uint8_t>(port >> (8 * k));
    for (size_t k = 0; k < 8; ++k) bytes[8 + k] = static_cast<uint8_t>(word >> (8 * k));
    file.append(bytes.data(), bytes.size());
  }

  FileWriter file;
  uint64_t last = 0;
};

Recorder::Recorder(std::string path, GridShape shape, int ports)
    : file_(std::make_unique<File>(std::move(path))), ports_(ports) {
  const std::string head = fmt::format("{}{} {}\n", kFormat, shape.rows, shape.cols);
  file_->file.append(head.data(), head.size());
}

Recorder::~Recorder() {
  try {
    end();
  } catch (const Error& error) {
    std::fprintf(stderr, "ow: %s: %s: there is no recording\n", error.category(), error.what());
  }
}

void Recorder::end() {
  const std::unique_ptr<File> file = std::move(file_);
  if (!file) return;
  file->record(cycle_, kEnd, digest_);
  file->file.close();
}

void Recorder::clock(const uint64_t* in, const uint64_t* out) {
  for (int p = 0; p < ports_; ++p) {
    if (in[p] != 0) file_->record(cycle_, static_cast<uint16_t>(p), in[p]);
    if (out[p] != 0) digest_ = digest_word(digest_, cycle_, p, out[p]);
  }
  ++cycle_;
}

Recording read_recording(const std::string& path) {
  FileReader file(path);
  std::string line;
  uint64_t numbers[2];
  const auto none = [](uint64_t number) { return number < 1 || number > kMostRows; };
  if (!file.read_line(&line, kLine) || line.rfind(kFormat, 0) != 0 ||
      !read_numbers(line, sizeof kFormat - 1, numbers, std::size(numbers)) || none(numbers[0]) ||
      none(numbers[1])) {
    throw BadInput(path + ": is no recording of a grid");
  }
  Recording r;
  r.path = path;
  r.shape = {static_cast<int>(numbers[0]), static_cast<int>(numbers[1])};
  const int ports = 2 * (r.shape.rows + r.shape.cols);
  char record[kRecordBytes];
  for (uint64_t n = 0; file.read(record, kRecordBytes) == kRecordBytes; ++n) {
    const auto refuse = [&](const std::string& what) {
      throw BadInput(fmt::format("{}: record {}: {}", path, n, what));
    };
    r.cycles += load(record, 4);
    if (r.cycles > kLastCycle) refuse("a cycle beyond the time of the tiles");
    const auto port = static_cast<uint16_t>(load(record + 4, 2));
    const uint64_t word = load(record + 8, 8);
    if (port == kEnd) {
      r.digest = word;
      if (file.read(record, 1) != 0) refuse("something comes after the end");
      return r;
    }
    if (port == kNoWord) continue;
    if (port >= ports) refuse(fmt::format("port {}: the grid has {}", port, ports));
    if (word == 0 || word > kLinkMask) refuse(fmt::format("no word of {} bits", kLinkBits));
    if (!r.words.empty() && r.words.back().cycle == r.cycles && r.words.back().port >= port) {
      refuse("out of order");
    }
    if (r.words.size() == kMostWords) refuse(fmt::format("the limit is {} words", kMostWords));
    Recording::Word& last = r.words.emplace_back();
    last.cycle = r.cycles & kLastCycle;
    last.port = port;
    last.word = word;
  }
  throw BadInput(path + ": the recording has no end");
}

}  // namespace ow
