// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/safetensors.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"

namespace ow {
namespace {

using nlohmann::json;

constexpr size_t kLengthBytes = 8;
constexpr size_t kMaxHeader = 100u << 20;  // the format's own limit
constexpr size_t kAlign = 8;               // of the elements, by padding the header with spaces
constexpr size_t kMaxDimensions = 8;

constexpr TensorType kTypes[] = {TensorType::F16, TensorType::BF16, TensorType::F32,
                                 TensorType::F64, TensorType::U8,   TensorType::I8,
                                 TensorType::U16, TensorType::I16,  TensorType::U32,
                                 TensorType::I32, TensorType::U64,  TensorType::I64};

// A name from the file as an error shows it.
std::string shown(const std::string& name) {
  std::string out;
  for (const char c : name.substr(0, 60)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

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
    throw BadInput(fmt::format("{}: tensor '{}': {}", path_, shown(name), what));
  }

  // The tensor without its bytes, and its place.
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
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes_) {
      fail(name, fmt::format("data_offsets must be two numbers that rise, at most {}, the bytes of "
                             "the data",
                             data_bytes_));
    }
    t.shape = numbers(name, entry, "shape");
    if (t.shape.size() > kMaxDimensions) {
      fail(name, fmt::format("has {} dimensions, the limit is {}", t.shape.size(), kMaxDimensions));
    }
    // In bytes; what is beyond the file is not multiplied any further.
    uint64_t bytes = type_bytes(t.type);
    const bool empty = std::find(t.shape.begin(), t.shape.end(), 0u) != t.shape.end();
    for (const uint64_t n : t.shape) {
      if (empty || n > data_bytes_ || bytes > data_bytes_) break;
      bytes *= n;
    }
    if (empty) bytes = 0;
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

}  // namespace

Tensors read_safetensors(const std::string& path, size_t limit) {
  const std::string file = read_text(path, limit);
  if (file.size() < kLengthBytes) {
    throw BadInput(fmt::format("{}: {} bytes are no safetensors file", path, file.size()));
  }
  uint64_t length = 0;
  for (size_t k = kLengthBytes; k-- > 0;) length = length << 8 | static_cast<uint8_t>(file[k]);
  if (length > std::min(kMaxHeader, file.size() - kLengthBytes)) {
    throw BadInput(
        fmt::format("{}: not safetensors, or cut short: a header of {} bytes in a file "
                    "of {}",
                    path, length, file.size()));
  }
  const json header = parse_json(file.substr(kLengthBytes, length), path + " (header)");
  if (!header.is_object()) throw BadInput(path + ": the header must be a JSON object");
  const size_t data = kLengthBytes + length;
  const Header reader(path, header, file.size() - data);
  Tensors tensors;
  std::vector<Place> places;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    Place place{};
    tensors[name] = reader.tensor(name, entry, &place);
    places.push_back(place);
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  size_t next = 0;
  for (const Place& place : places) {
    if (place.begin != next) {
      reader.fail(place.name, fmt::format("begins at byte {} of the data, not at {}: tensors "
                                          "neither overlap nor leave gaps",
                                          place.begin, next));
    }
    next = place.end;
    tensors[place.name].bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(data + place.begin),
                                     file.begin() + static_cast<std::ptrdiff_t>(data + place.end));
  }
  if (data + next != file.size()) {
    throw BadInput(
        fmt::format("{}: {} bytes behind the last tensor", path, file.size() - data - next));
  }
  return tensors;
}

void write_safetensors(const std::string& path, const Tensors& tensors) {
  json header = json::object();
  size_t at = 0;
  for (const auto& [name, tensor] : tensors) {
    header[name] = {{"dtype", type_name(tensor.type)},
                    {"shape", tensor.shape},
                    {"data_offsets", {at, at + tensor.bytes.size()}}};
    at += tensor.bytes.size();
  }
  std::string text = header.dump();
  while ((kLengthBytes + text.size()) % kAlign != 0) text += ' ';
  std::string file;
  for (size_t k = 0; k < kLengthBytes; ++k) {
    file += static_cast<char>(static_cast<uint64_t>(text.size()) >> (8 * k));
  }
  file += text;
  for (const auto& [name, tensor] : tensors) {
    file.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  write_file(path, file);
}

}  // namespace ow
