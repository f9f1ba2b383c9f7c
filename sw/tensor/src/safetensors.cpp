// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/text.h"

namespace ow {
namespace {

using nlohmann::json;

constexpr size_t kLengthBytes = 8;
constexpr size_t kMaxHeader = 100u << 20;  // the format's own limit
constexpr size_t kAlign = 8;               // of the elements: spaces pad the header
constexpr size_t kMaxDimensions = 8;

constexpr TensorType kTypes[] = {TensorType::F16, TensorType::BF16, TensorType::F32,
                                 TensorType::F64, TensorType::U8,   TensorType::I8,
                                 TensorType::U16, TensorType::I16,  TensorType::U32,
                                 TensorType::I32, TensorType::U64,  TensorType::I64};

struct Place {
  size_t begin;
  size_t end;
  std::string name;
};

class Header {
 public:
  Header(std::string path, const json& header, size_t data_bytes)
      : path_(std::move(path)), header_(header), data_bytes_(data_bytes) {}

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw BadInput(fmt::format("{}: tensor '{}': {}", path_, printable_text(name, 60), what));
  }

  // The tensor without its bytes, and the place of these.
  Tensor tensor(const std::string& name, const json& entry, Place* place) const {
    if (!entry.is_object() || entry.size() != 3) {
      fail(name, "must have dtype, shape and data_offsets, and nothing else");
    }
    Tensor t;
    const auto dtype = entry.find("dtype");
    const auto* type = std::end(kTypes);
    if (dtype != entry.end() && dtype->is_string()) {
      type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](TensorType k) {
        return dtype->get_ref<const std::string&>() == type_name(k);
      });
    }
    if (type == std::end(kTypes)) {
      fail(name, "dtype must be F16, BF16, F32, F64, or an integer of 8 to 64 bits");
    }
    t.type = *type;
    const std::vector<uint64_t> offsets = numbers(name, entry, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
      fail(name, "data_offsets must be two numbers that rise");
    }
    if (offsets[1] > data_bytes_) {
      fail(name, fmt::format("ends at byte {} of the data, of which there are {}: the file is cut "
                             "short",
                             offsets[1], data_bytes_));
    }
    t.shape = numbers(name, entry, "shape");
    if (t.shape.size() > kMaxDimensions) {
      fail(name, fmt::format("has {} dimensions, the limit is {}", t.shape.size(), kMaxDimensions));
    }
    // In bytes. A size beyond the data is set to one more than there are, however large it would
    // be.
    const bool empty = std::find(t.shape.begin(), t.shape.end(), 0u) != t.shape.end();
    uint64_t bytes = empty ? 0 : type_bytes(t.type);
    for (const uint64_t n : t.shape) {
      if (!empty) bytes = bytes > data_bytes_ / n ? data_bytes_ + 1 : bytes * n;
    }
    if (bytes != offsets[1] - offsets[0]) {
      fail(name, fmt::format("{} of shape {} does not take the {} bytes that it has",
                             type_name(t.type), t.shape_text(), offsets[1] - offsets[0]));
    }
    *place = {offsets[0], offsets[1], name};
    return t;
  }

 private:
  std::vector<uint64_t> numbers(const std::string& name, const json& entry, const char* key) const {
    const auto list = entry.find(key);
    std::vector<uint64_t> out;
    bool good = list != entry.end() && list->is_array();
    for (size_t k = 0; good && k < list->size(); ++k) {
      good = (*list)[k].is_number_unsigned();
      if (good) out.push_back((*list)[k].get<uint64_t>());
    }
    if (!good) fail(name, fmt::format("{} must be a list of whole numbers", key));
    return out;
  }

  std::string path_;
  const json& header_;
  size_t data_bytes_;
};

// Tensors without their bytes, by name, and their places in the order of the elements.
Tensors parse_header(const std::string& path, const json& header, size_t data_bytes,
                     std::vector<Place>* places) {
  if (!header.is_object()) throw BadInput(path + ": the header must be a JSON object");
  if (const auto notes = header.find("__metadata__"); notes != header.end()) {
    const bool good =
        notes->is_object() && std::all_of(notes->begin(), notes->end(),
                                          [](const json& note) { return note.is_string(); });
    if (!good) throw BadInput(path + ": __metadata__ must be a map of strings");
  }
  const Header reader(path, header, data_bytes);
  Tensors tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    Place place{};
    tensors[name] = reader.tensor(name, entry, &place);
    places->push_back(place);
  }
  std::sort(places->begin(), places->end(), [](const Place& a, const Place& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  size_t next = 0;
  for (const Place& place : *places) {
    if (place.begin != next) {
      reader.fail(place.name, fmt::format("begins at byte {} of the data, not at {}: tensors "
                                          "neither overlap nor leave gaps",
                                          place.begin, next));
    }
    next = place.end;
  }
  if (next != data_bytes) {
    throw BadInput(fmt::format("{}: {} bytes behind the last tensor", path, data_bytes - next));
  }
  return tensors;
}

// The length of the header, from the first bytes of a file of `file_bytes`.
uint64_t header_length(const std::string& path, const std::string& begin, size_t file_bytes) {
  if (begin.size() < kLengthBytes) {
    throw BadInput(fmt::format("{}: {} bytes are no safetensors file", path, begin.size()));
  }
  uint64_t length = 0;
  for (size_t k = kLengthBytes; k-- > 0;) length = length << 8 | static_cast<uint8_t>(begin[k]);
  if (length > std::min(kMaxHeader, file_bytes - kLengthBytes)) {
    throw BadInput(
        fmt::format("{}: not safetensors, or cut short: a header of {} bytes in a file "
                    "of {}",
                    path, length, file_bytes));
  }
  return length;
}

}  // namespace

std::string names_text(const Tensors& tensors) {
  constexpr size_t kNames = 8, kLength = 60;
  if (tensors.empty()) return "the file has no tensor";
  std::string text;
  size_t shown = 0;
  for (const auto& [name, tensor] : tensors) {
    if (shown == kNames) break;
    text += fmt::format("{} '{}'", shown++ == 0 ? "" : ",", printable_text(name, kLength));
  }
  if (shown < tensors.size()) text += fmt::format(" and {} more", tensors.size() - shown);
  return "the file has" + text;
}

Tensors read_safetensors(const std::string& path, size_t limit) {
  return parse_safetensors(read_text(path, limit), path);
}

Tensors parse_safetensors(const std::string& file, const std::string& path) {
  const uint64_t length = header_length(path, file, file.size());
  const json header = parse_json(file.substr(kLengthBytes, length), path + " (header)");
  const size_t data = kLengthBytes + length;
  std::vector<Place> places;
  Tensors tensors = parse_header(path, header, file.size() - data, &places);
  for (const Place& place : places) {
    tensors[place.name].bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(data + place.begin),
                                     file.begin() + static_cast<std::ptrdiff_t>(data + place.end));
  }
  return tensors;
}

size_t TensorHead::bytes() const {
  size_t n = type_bytes(type);
  for (const uint64_t size : shape) n *= size;
  return n;
}

std::string safetensors_header(const std::vector<TensorHead>& tensors, const TensorNotes& notes) {
  json header = json::object();
  if (!notes.empty()) header["__metadata__"] = notes;
  size_t at = 0;
  for (const TensorHead& tensor : tensors) {
    const size_t bytes = tensor.bytes();
    header[tensor.name] = {{"dtype", type_name(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  const std::string text = json_text(header);
  const size_t padding = (kAlign - (kLengthBytes + text.size()) % kAlign) % kAlign;
  const uint64_t length = text.size() + padding;
  std::string out;
  for (size_t k = 0; k < kLengthBytes; ++k) out += static_cast<char>(length >> (8 * k));
  return out + text + std::string(padding, ' ');
}

void write_safetensors(const std::string& path, const Tensors& tensors) {
  std::vector<TensorHead> heads;
  for (const auto& [name, tensor] : tensors) heads.push_back({name, tensor.type, tensor.shape});
  std::string file = safetensors_header(heads, {});
  for (const auto& [name, tensor] : tensors) {
    file.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  write_file(path, file);
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path) {
  // O_NONBLOCK: a pipe without a writer is refused like the rest.
  file_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat is {};
  if (file_ < 0 || fstat(file_, &is) != 0) {
    throw BadInput(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  // A constructor that throws gets no destructor call.
  try {
    if (!S_ISREG(is.st_mode)) throw BadInput(path + ": not a regular file");
    read_header(static_cast<size_t>(is.st_size));
  } catch (...) {
    ::close(file_);
    throw;
  }
}

SafetensorsFile::~SafetensorsFile() { ::close(file_); }

void SafetensorsFile::read_header(size_t file_bytes) {
  header_.resize(std::min(kLengthBytes, file_bytes));
  read_at(0, header_.size(), header_.data());
  const uint64_t length = header_length(path_, header_, file_bytes);
  header_.resize(kLengthBytes + length);
  read_at(kLengthBytes, length, header_.data() + kLengthBytes);
  const json header = parse_json(header_.substr(kLengthBytes), path_ + " (header)");
  std::vector<Place> places;
  Tensors tensors = parse_header(path_, header, file_bytes - header_.size(), &places);
  for (const Place& place : places) {
    const Tensor& t = tensors[place.name];
    tensors_.push_back({place.name, t.type, t.shape});
    places_.push_back(header_.size() + place.begin);
  }
  const auto notes = header.find("__metadata__");
  if (notes != header.end()) notes_ = notes->get<TensorNotes>();
}

void SafetensorsFile::read_at(size_t first, size_t count, void* out) const {
  char* to = static_cast<char*>(out);
  while (count > 0) {
    const ssize_t n = pread(file_, to, count, static_cast<off_t>(first));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      throw BadInput(fmt::format("{}: cannot be read: {}", path_,
                                 n == 0 ? "it became shorter" : std::strerror(errno)));
    }
    to += n;
    first += static_cast<size_t>(n);
    count -= static_cast<size_t>(n);
  }
}

void SafetensorsFile::read(size_t tensor, size_t first, size_t count, void* out) const {
  if (first + count > tensors_[tensor].bytes()) throw InternalError("beyond a tensor's end");
  read_at(places_[tensor] + first, count, out);
}

}  // namespace ow
