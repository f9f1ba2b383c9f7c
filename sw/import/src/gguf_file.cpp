// SPDX-License-Identifier: Apache-2.0
#include "gguf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/text.h"

namespace ow {
namespace {

constexpr uint32_t kVersions[] = {2, 3};
constexpr uint64_t kMostNotes = 1 << 16, kMostTensors = 1 << 16, kMostText = 1 << 24,
                   kMostItems = 1 << 22;
constexpr size_t kMostDimensions = 4;
constexpr size_t kBlock = 32;  // elements that share a scale

// Types of elements that are read. A block of `elements` takes `bytes`.
struct ElementForm {
  uint32_t number;
  const char* name;
  size_t elements;
  size_t bytes;
};
enum : uint32_t { kF32 = 0, kF16 = 1, kQ4_0 = 2, kQ4_1 = 3, kQ8_0 = 8, kBf16 = 30 };
constexpr ElementForm kForms[] = {{kF32, "F32", 1, 4},         {kF16, "F16", 1, 2},
                                  {kQ4_0, "Q4_0", kBlock, 18}, {kQ4_1, "Q4_1", kBlock, 20},
                                  {kQ8_0, "Q8_0", kBlock, 34}, {kBf16, "BF16", 1, 2}};

const ElementForm* form_of(uint32_t number) {
  const auto* found = std::find_if(std::begin(kForms), std::end(kForms),
                                   [&](const ElementForm& f) { return f.number == number; });
  return found == std::end(kForms) ? nullptr : found;
}

// Types of notes.
enum : uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kFloat,
  kBool,
  kText,
  kList,
  kU64,
  kI64,
  kDouble
};

uint64_t little(const uint8_t* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t k = count; k-- > 0;) value = value << 8 | bytes[k];
  return value;
}

double float_at(const uint8_t* bytes) {
  const auto word = static_cast<uint32_t>(little(bytes, 4));
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

double half_at(const uint8_t* bytes) {
  return from_half(HalfType::Binary16, static_cast<uint16_t>(little(bytes, 2)));
}

// The elements of a block, exact in double: a product of a 16-bit float and at most 8 bits, or the
// sum of such a product and a 16-bit float.
void dequantise(uint32_t form, const uint8_t* block, double* out) {
  const double scale = half_at(block);
  switch (form) {
    case kQ8_0:
      for (size_t k = 0; k < kBlock; ++k) out[k] = scale * static_cast<int8_t>(block[2 + k]);
      return;
    case kQ4_0:
      for (size_t k = 0; k < kBlock / 2; ++k) {
        out[k] = scale * ((block[2 + k] & 15) - 8);
        out[k + kBlock / 2] = scale * ((block[2 + k] >> 4) - 8);
      }
      return;
    default: {  // Q4_1
      const double least = half_at(block + 2);
      for (size_t k = 0; k < kBlock / 2; ++k) {
        out[k] = scale * (block[4 + k] & 15) + least;
        out[k + kBlock / 2] = scale * (block[4 + k] >> 4) + least;
      }
    }
  }
}

double plain(uint32_t form, const uint8_t* element) {
  if (form == kF32) return float_at(element);
  const HalfType type = form == kF16 ? HalfType::Binary16 : HalfType::Bfloat16;
  return from_half(type, static_cast<uint16_t>(little(element, 2)));
}

}  // namespace

// Reads the beginning of the file, one thing after the other.
class GgufFile::Header {
 public:
  explicit Header(GgufFile* to) : to_(to), file_(to->file_) {}

  void read() {
    uint8_t magic[4];
    file_.read(0, 4, magic);
    if (std::memcmp(magic, "GGUF", 4) != 0) file_.fail("is no GGUF: it must begin with GGUF");
    at_ = 4;
    const auto version = static_cast<uint32_t>(number(4));
    if (std::find(std::begin(kVersions), std::end(kVersions), version) == std::end(kVersions)) {
      file_.fail(fmt::format("is version {} of GGUF, must be 2 or 3", version));
    }
    const uint64_t tensors = count(kMostTensors, "tensors"), notes = count(kMostNotes, "keys");
    for (uint64_t n = 0; n < notes; ++n) read_note();
    for (uint64_t n = 0; n < tensors; ++n) read_tensor();
    place_tensors();
  }

 private:
  void bytes(size_t count, void* out) {
    // A window of the file, so that small reads are cheap.
    if (at_ < first_ || at_ + count > first_ + window_.size()) {
      window_.resize(std::max<size_t>(count, std::min<uint64_t>(1 << 16, left())));
      file_.read(at_, window_.size(), window_.data());
      first_ = at_;
    }
    std::memcpy(out, &window_[at_ - first_], count);
    at_ += count;
  }
  uint64_t left() const { return at_ < file_.bytes() ? file_.bytes() - at_ : 0; }

  uint64_t number(size_t size) {
    uint8_t word[8] = {};
    bytes(size, word);
    return little(word, size);
  }
  uint64_t count(uint64_t most, const char* what) {
    const uint64_t n = number(8);
    if (n > most) file_.fail(fmt::format("has {} {}, the limit is {}", n, what, most));
    return n;
  }
  std::string text() {
    const uint64_t size = count(kMostText, "characters in a text");
    if (size > left()) file_.fail("is cut short in its header");
    std::string out(size, '\0');
    if (size > 0) bytes(size, out.data());
    return out;
  }

  // A value that is no list.
  GgufValue value(uint32_t type, const std::string& key) {
    switch (type) {
      case kU8:
        return static_cast<int64_t>(number(1));
      case kI8:
        return static_cast<int64_t>(static_cast<int8_t>(number(1)));
      case kU16:
        return static_cast<int64_t>(number(2));
      case kI16:
        return static_cast<int64_t>(static_cast<int16_t>(number(2)));
      case kU32:
        return static_cast<int64_t>(number(4));
      case kI32:
        return static_cast<int64_t>(static_cast<int32_t>(number(4)));
      case kU64:
      case kI64:
        return static_cast<int64_t>(number(8));
      case kBool:
        return number(1) != 0;
      case kText:
        return text();
      case kFloat: {
        uint8_t word[4];
        bytes(4, word);
        return float_at(word);
      }
      case kDouble: {
        const uint64_t word = number(8);
        double out;
        std::memcpy(&out, &word, 8);
        return out;
      }
      default:
        to_->fail(key, fmt::format("has the type {}, which is not known", type));
    }
  }

  GgufValue list(const std::string& key) {
    const auto type = static_cast<uint32_t>(number(4));
    const uint64_t size = count(kMostItems, "items in a list");
    if (type == kList) to_->fail(key, "is a list of lists, which is not supported");
    // Each takes a byte at least.
    if (size > left()) file_.fail("is cut short in its header");
    if (type == kText) {
      std::vector<std::string> out;
      for (uint64_t k = 0; k < size; ++k) out.push_back(text());
      return out;
    }
    std::vector<double> out;
    for (uint64_t k = 0; k < size; ++k) {
      const GgufValue item = value(type, key);
      if (const auto* whole = std::get_if<int64_t>(&item)) {
        out.push_back(static_cast<double>(*whole));
      } else if (const auto* truth = std::get_if<bool>(&item)) {
        out.push_back(*truth ? 1 : 0);
      } else {
        out.push_back(std::get<double>(item));
      }
    }
    return out;
  }

  void read_note() {
    const std::string key = text();
    const auto type = static_cast<uint32_t>(number(4));
    GgufValue read = type == kList ? list(key) : value(type, key);
    if (!to_->notes_.emplace(key, std::move(read)).second) to_->fail(key, "is there twice");
  }

  void read_tensor() {
    const std::string name = text();
    const auto fail = [&](const std::string& what) {
      file_.fail(fmt::format("tensor '{}' {}", printable_text(name, 60), what));
    };
    const uint64_t dimensions = number(4);
    if (dimensions < 1 || dimensions > kMostDimensions) {
      fail(fmt::format("has {} dimensions, must have 1 to {}", dimensions, kMostDimensions));
    }
    Tensor tensor;
    Place place;
    place.elements = 1;
    for (uint64_t k = 0; k < dimensions; ++k) {
      const uint64_t n = number(8);
      if (n < 1 || n > file_.bytes() * 2 / place.elements) fail("has more elements than its file");
      tensor.shape.insert(tensor.shape.begin(), n);
      place.elements *= n;
    }
    place.type = static_cast<uint32_t>(number(4));
    const ElementForm* form = form_of(place.type);
    if (form == nullptr) {
      fail(fmt::format("is of the type {}; F32, F16, BF16, Q8_0, Q4_0 and Q4_1 are supported",
                       place.type));
    }
    if (tensor.shape.back() % form->elements != 0) {
      fail(fmt::format("has rows of {}, which {} does not divide into blocks of {}",
                       tensor.shape.back(), form->name, form->elements));
    }
    place.first = number(8);
    if (!to_->places_.emplace(name, place).second) fail("is there twice");
    to_->tensors_[name] = std::move(tensor);
  }

  // From offsets in the data to places in the file.
  void place_tensors() {
    const auto align = static_cast<uint64_t>(to_->whole("general.alignment", 1, 1 << 16, 32));
    const uint64_t data = (at_ + align - 1) / align * align;
    for (auto& [name, place] : to_->places_) {
      const ElementForm* form = form_of(place.type);
      const uint64_t size = place.elements / form->elements * form->bytes;
      if (place.first > file_.bytes() || data + place.first > file_.bytes() ||
          size > file_.bytes() - data - place.first) {
        file_.fail(fmt::format("tensor '{}' ends beyond the file: it is cut short",
                               printable_text(name, 60)));
      }
      place.first += data;
    }
  }

  GgufFile* to_;
  InputFile& file_;
  uint64_t at_ = 0, first_ = 0;
  std::vector<uint8_t> window_;
};

GgufFile::GgufFile(const std::string& path) : file_(path) { Header(this).read(); }

std::vector<uint16_t> GgufFile::read(const std::string& name, HalfType type) const {
  const Place& place = places_.at(name);
  const ElementForm& form = *form_of(place.type);
  const uint64_t blocks = place.elements / form.elements;
  std::vector<uint16_t> out;
  out.reserve(place.elements);
  // So many blocks at a time.
  constexpr uint64_t kChunk = 1 << 14;
  std::vector<uint8_t> bytes;
  for (uint64_t first = 0; first < blocks; first += kChunk) {
    const uint64_t count = std::min(kChunk, blocks - first);
    bytes.resize(count * form.bytes);
    file_.read(place.first + first * form.bytes, bytes.size(), bytes.data());
    for (uint64_t b = 0; b < count; ++b) {
      const uint8_t* block = &bytes[b * form.bytes];
      if (form.elements == 1) {
        out.push_back(to_half(type, plain(form.number, block)));
        continue;
      }
      std::array<double, kBlock> values;
      dequantise(form.number, block, values.data());
      for (const double v : values) out.push_back(to_half(type, v));
    }
  }
  return out;
}

void GgufFile::fail(const std::string& key, const std::string& what) const {
  file_.fail(fmt::format("'{}' {}", printable_text(key, 60), what));
}

template <typename T>
const T* GgufFile::find(const std::string& key, const char* kind) const {
  const auto found = notes_.find(key);
  if (found == notes_.end()) return nullptr;
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) fail(key, fmt::format("must be {}", kind));
  return value;
}

int GgufFile::whole(const std::string& key, int low, int high, std::optional<int> absent) const {
  const auto* value = find<int64_t>(key, "a whole number");
  if (value == nullptr) {
    if (!absent) fail(key, "is missing");
    return *absent;
  }
  if (*value < low || *value > high) {
    fail(key, fmt::format("is {}, must be from {} to {}", *value, low, high));
  }
  return static_cast<int>(*value);
}

double GgufFile::positive(const std::string& key, double high, std::optional<double> absent) const {
  const auto* value = find<double>(key, "a number");
  if (value == nullptr) {
    if (!absent) fail(key, "is missing");
    return *absent;
  }
  if (!(*value > 0 && *value <= high)) {
    fail(key, fmt::format("is {}, must be above 0 and at most {}", *value, high));
  }
  return *value;
}

bool GgufFile::flag(const std::string& key, bool absent) const {
  const auto* value = find<bool>(key, "true or false");
  return value == nullptr ? absent : *value;
}

std::string GgufFile::text(const std::string& key, const std::string& absent) const {
  const auto* value = find<std::string>(key, "a text");
  return value == nullptr ? absent : *value;
}

const std::vector<double>& GgufFile::numbers(const std::string& key) const {
  const auto* value = find<std::vector<double>>(key, "a list of numbers");
  if (value == nullptr) fail(key, "is missing");
  return *value;
}

const std::vector<std::string>& GgufFile::texts(const std::string& key) const {
  const auto* value = find<std::vector<std::string>>(key, "a list of texts");
  if (value == nullptr) fail(key, "is missing");
  return *value;
}

}  // namespace ow
