// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/checkpoint.h"

#include <dirent.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "ow/base/error.h"
#include "ow/base/text.h"
#include "ow/tensor/npy.h"
#include "ow/tensor/safetensors.h"
#include "ow/tensor/weights_file.h"

namespace ow::memoryx {
namespace {

constexpr const char* kFormat = "openwafer training 2";
constexpr const char* kTraining = "openwafer training ";
constexpr const char* kJob = "job.";
constexpr const char* kSums = kCheckpointSums;
constexpr const char* kPrefix = "checkpoint-";
constexpr const char* kSuffix = ".safetensors";
constexpr const char* kTemporary = ".tmp.";  // of DurableFile; the number of a process follows
constexpr size_t kStepDigits = 12;
constexpr size_t kPart = size_t{1} << 22;  // bytes that are read and written at a time

uint32_t sum_of(uint32_t before, const void* data, size_t bytes) {
  return static_cast<uint32_t>(crc32_z(before, static_cast<const Bytef*>(data), bytes));
}

// An array of the store as the file holds it.
struct Array {
  TensorHead head;
  size_t tensor;
  int moment;  // -1: the masters, -2: the mask
};

std::vector<Array> arrays_of(const Store& store) {
  std::vector<Array> out;
  for (size_t t = 0; t < store.tensors(); ++t) {
    const TensorSpec& spec = store.spec(t);
    out.push_back({{spec.name, TensorType::F32, spec.shape}, t, -1});
    if (spec.masked) out.push_back({{spec.name + kMaskSuffix, TensorType::U8, spec.shape}, t, -2});
    for (int k = 0; k < store.moments(); ++k) {
      out.push_back(
          {{fmt::format("{}{}.{}", kMomentPrefix, k, spec.name), TensorType::F32, spec.shape},
           t,
           k});
    }
  }
  return out;
}

// Calls work(bytes, count, place in the array) for the windows of an array.
void each_part(const Store& store, const Array& array,
               const std::function<void(uint8_t*, size_t, size_t)>& work) {
  store.each_window(array.tensor, [&](size_t first, size_t count) {
    if (array.moment == -2) {
      work(store.mask(array.tensor, first, count).data(), count, first);
      return;
    }
    const View<float> v = array.moment < 0 ? store.weights(array.tensor, first, count)
                                           : store.moment(array.tensor, array.moment, first, count);
    work(reinterpret_cast<uint8_t*>(v.data()), count * sizeof(float), first * sizeof(float));
  });
}

TensorNotes notes_of(const RunState& s) {
  TensorNotes notes = {{"format", kFormat},
                       {"step", std::to_string(s.step)},
                       {"updates", std::to_string(s.updates)},
                       {"loss_scale", fmt::format("{}", s.loss_scale)},
                       {"good_steps", std::to_string(s.good_steps)}};
  for (const auto& [key, value] : s.job) notes[kJob + key] = value;
  return notes;
}

RunState state_of(const SafetensorsFile& file) {
  const auto text = [&](const char* key) -> const std::string& {
    const auto found = file.notes().find(key);
    if (found == file.notes().end()) {
      throw BadInput(
          fmt::format("{}: no checkpoint of a training: it has no '{}'", file.path(), key));
    }
    return found->second;
  };
  const auto take = [&](const char* key, auto* out) {
    const std::string& t = text(key);
    const auto end = std::from_chars(t.data(), t.data() + t.size(), *out);
    if (end.ec != std::errc() || end.ptr != t.data() + t.size()) {
      throw BadInput(fmt::format("{}: '{}' is no number", file.path(), key));
    }
  };
  if (text("format") != kFormat) {
    throw BadInput(fmt::format("{}: is of the format '{}', this program reads '{}'", file.path(),
                               printable_text(text("format")), kFormat));
  }
  RunState s;
  take("step", &s.step);
  take("updates", &s.updates);
  take("loss_scale", &s.loss_scale);
  take("good_steps", &s.good_steps);
  const std::string prefix = kJob;
  for (const auto& [name, value] : file.notes()) {
    if (name.rfind(prefix, 0) == 0) s.job.emplace_back(name.substr(prefix.size()), value);
  }
  return s;
}

// All check sums of an open file.
void check_sums(const SafetensorsFile& file) {
  const std::vector<TensorHead>& tensors = file.tensors();
  if (tensors.empty() || tensors.back().name != kSums || tensors.back().type != TensorType::U32 ||
      tensors.back().bytes() != tensors.size() * sizeof(uint32_t)) {
    throw BadInput(
        fmt::format("{}: no checkpoint of a training: it has no check sums", file.path()));
  }
  std::vector<uint32_t> sums(tensors.size());
  file.read(tensors.size() - 1, 0, sums.size() * sizeof(uint32_t), sums.data());
  if (sum_of(0, file.header().data(), file.header().size()) != sums[0]) {
    throw BadInput(fmt::format("{}: the header is damaged: its check sum differs", file.path()));
  }
  std::vector<uint8_t> part(kPart);
  for (size_t t = 0; t + 1 < tensors.size(); ++t) {
    uint32_t sum = 0;
    const size_t bytes = tensors[t].bytes();
    for (size_t at = 0; at < bytes; at += kPart) {
      const size_t n = std::min(kPart, bytes - at);
      file.read(t, at, n, part.data());
      sum = sum_of(sum, part.data(), n);
    }
    if (sum != sums[t + 1]) {
      throw BadInput(fmt::format("{}: tensor '{}' is damaged: its check sum differs", file.path(),
                                 tensors[t].name));
    }
  }
}

using ArraysByName = std::unordered_map<std::string, const Array*>;

ArraysByName by_name(const std::vector<Array>& arrays) {
  ArraysByName named;
  for (const Array& array : arrays) named[array.head.name] = &array;
  return named;
}

void check_same(const SafetensorsFile& file, const std::vector<Array>& arrays) {
  const std::vector<TensorHead>& tensors = file.tensors();
  std::unordered_map<std::string, const TensorHead*> named;
  for (const TensorHead& t : tensors) named[t.name] = &t;
  for (size_t k = 0; k < arrays.size(); ++k) {
    const TensorHead& want = arrays[k].head;
    const auto at = named.find(want.name);
    const TensorHead* const found = at == named.end() ? nullptr : at->second;
    if (found == nullptr) {
      throw BadInput(
          fmt::format("{}: is of another model: it has no '{}'", file.path(), want.name));
    }
    if (found->type != want.type || found->shape != want.shape) {
      throw BadInput(
          fmt::format("{}: is of another model: '{}' is {} {}, not {} {}", file.path(), want.name,
                      type_name(found->type), Tensor{found->type, found->shape, {}}.shape_text(),
                      type_name(want.type), Tensor{want.type, want.shape, {}}.shape_text()));
    }
  }
  const ArraysByName known = by_name(arrays);
  for (const TensorHead& t : tensors) {
    if (t.name != kSums && known.count(t.name) == 0) {
      throw BadInput(
          fmt::format("{}: is of another model: it has '{}' besides", file.path(), t.name));
    }
  }
}

// A checkpoint's name, or that of a checkpoint whose writing was interrupted.
enum class Named { Other, Checkpoint, Interrupted };
Named named(std::string_view name) {
  const auto digits = [&name] {
    size_t n = 0;
    while (n < name.size() && name[n] >= '0' && name[n] <= '9') ++n;
    name.remove_prefix(n);
    return n;
  };
  const auto skip = [&name](std::string_view text) {
    const bool there = name.substr(0, text.size()) == text;
    if (there) name.remove_prefix(text.size());
    return there;
  };
  if (!skip(kPrefix) || digits() != kStepDigits || !skip(kSuffix)) return Named::Other;
  if (name.empty()) return Named::Checkpoint;
  return skip(kTemporary) && digits() > 0 && name.empty() ? Named::Interrupted : Named::Other;
}

// The names of that kind in a directory, in ascending order. Empty if there is no such directory.
std::vector<std::string> names_in(const std::string& directory, Named kind) {
  const auto fail = [&] {
    throw BadInput(fmt::format("{}: cannot be read: {}", directory, std::strerror(errno)));
  };
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(directory.c_str()), closedir);
  if (!open && errno != ENOENT) fail();
  while (open) {
    errno = 0;
    const dirent* entry = readdir(open.get());
    if (entry == nullptr && errno != 0) fail();
    if (entry == nullptr) break;
    if (named(entry->d_name) == kind) names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool operator==(const RunState& a, const RunState& b) { return notes_of(a) == notes_of(b); }

void save_checkpoint(const std::string& path, const Store& store, const RunState& state,
                     FileCalls* calls) {
  const std::vector<Array> arrays = arrays_of(store);
  std::vector<TensorHead> heads;
  for (const Array& array : arrays) heads.push_back(array.head);
  heads.push_back({kSums, TensorType::U32, {arrays.size() + 1}});
  const std::string header = safetensors_header(heads, notes_of(state));
  std::vector<uint32_t> sums = {sum_of(0, header.data(), header.size())};
  DurableFile file(path, calls);
  file.append(header.data(), header.size());
  for (const Array& array : arrays) {
    uint32_t sum = 0;
    each_part(store, array, [&](const uint8_t* bytes, size_t count, size_t) {
      sum = sum_of(sum, bytes, count);
      file.append(bytes, count);
    });
    sums.push_back(sum);
  }
  file.append(sums.data(), sums.size() * sizeof(uint32_t));
  file.commit();
}

RunState read_state(const std::string& path) { return state_of(SafetensorsFile(path)); }

bool is_checkpoint(const std::string& path) {
  if (is_numpy_file(path)) return false;
  const TensorNotes notes = SafetensorsFile(path).notes();
  const auto format = notes.find("format");
  return format != notes.end() && format->second.rfind(kTraining, 0) == 0;
}

RunState check_checkpoint(const std::string& path) {
  const SafetensorsFile file(path);
  RunState state = state_of(file);
  check_sums(file);
  return state;
}

RunState load_checkpoint(const std::string& path, Store& store) {
  const SafetensorsFile file(path);
  const RunState state = state_of(file);
  const std::vector<Array> arrays = arrays_of(store);
  check_same(file, arrays);
  check_sums(file);
  const ArraysByName named = by_name(arrays);
  for (size_t t = 0; t + 1 < file.tensors().size(); ++t) {
    each_part(store, *named.at(file.tensors()[t].name),
              [&](uint8_t* bytes, size_t count, size_t at) { file.read(t, at, count, bytes); });
  }
  return state;
}

std::string checkpoint_path(const std::string& directory, uint64_t step) {
  return fmt::format("{}/{}{:0{}}{}", directory, kPrefix, step, kStepDigits, kSuffix);
}

bool names_checkpoint(const std::string& name) { return named(name) == Named::Checkpoint; }

std::vector<std::string> checkpoints_in(const std::string& directory) {
  std::vector<std::string> paths;
  for (const std::string& name : names_in(directory, Named::Checkpoint)) {
    paths.insert(paths.begin(), directory + "/" + name);
  }
  return paths;
}

void remove_old_checkpoints(const std::string& directory, size_t keep, FileCalls* calls,
                            const std::string& newest) {
  FileCalls system;
  if (calls == nullptr) calls = &system;
  for (const std::string& name : names_in(directory, Named::Interrupted)) {
    calls->remove(directory + "/" + name);
  }
  size_t good = 0;
  for (const std::string& path : checkpoints_in(directory)) {
    const bool later = !newest.empty() && path > newest;
    if (!later && good++ >= keep) calls->remove(path);
  }
}

}  // namespace ow::memoryx
