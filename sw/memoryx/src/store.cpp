// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>

#include "ow/base/error.h"

namespace ow::memoryx {
namespace {

constexpr size_t kPage = 4096;  // arrays begin at multiples of it; the system's page may be larger

size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// A file without a name: it is gone when it is closed.
int unnamed_file(const std::string& directory, size_t bytes) {
  std::string name = directory + "/memoryx.XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) {
    throw BadInput(fmt::format("{}: cannot hold the weights: {}", directory, std::strerror(errno)));
  }
  unlink(name.c_str());
  // The space is reserved now, so a full file system is an error here and not a signal later.
  const int error = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (error != 0) {
    close(file);
    throw BadInput(fmt::format("{}: no room for the {} bytes of the weights: {}", directory, bytes,
                               std::strerror(error)));
  }
  return file;
}

}  // namespace

size_t TensorSpec::elements() const {
  size_t n = 1;
  for (const uint64_t size : shape) n *= size;
  return n;
}

template <typename T>
View<T>::~View() {
  if (map_ != nullptr) munmap(map_, map_bytes_);
}
template class View<float>;
template class View<uint8_t>;

void Store::check(const std::vector<TensorSpec>& tensors, const StoreOptions& options) {
  if (options.window == 0) throw BadInput("a store's window must have elements");
  if (tensors.empty()) throw BadInput("a store without parameters");
  if (tensors.size() > kMaxParameters) {
    throw BadInput(fmt::format("{} parameters, the limit is {}", tensors.size(), kMaxParameters));
  }
  std::set<std::string> names;
  for (const TensorSpec& spec : tensors) {
    if (spec.elements() == 0) throw BadInput(fmt::format("parameter '{}' is empty", spec.name));
    if (!names.insert(spec.name).second) {
      throw BadInput(fmt::format("parameter '{}' stands twice", spec.name));
    }
  }
  const std::string& directory = options.directory;
  if (!directory.empty() && access(directory.c_str(), W_OK | X_OK) != 0) {
    throw BadInput(fmt::format("{}: cannot hold the weights: {}", directory, std::strerror(errno)));
  }
}

Store::Store(std::vector<TensorSpec> tensors, int moments, int gradients,
             const StoreOptions& options)
    : specs_(std::move(tensors)),
      moments_(moments),
      gradients_(gradients),
      window_((options.window + kBlock - 1) / kBlock * kBlock) {
  check(specs_, options);
  for (const TensorSpec& spec : specs_) {
    numbers_[spec.name] = offsets_.size();
    offsets_.push_back(bytes_);
    const auto arrays = static_cast<size_t>(1 + moments + gradients);
    bytes_ += arrays * whole_pages(spec.elements() * sizeof(float));
    if (spec.masked) bytes_ += whole_pages(spec.elements());
  }
  if (!options.directory.empty()) {
    file_ = unnamed_file(options.directory, bytes_);
    return;
  }
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw BadInput(
        fmt::format("no memory for the {} bytes of the weights: give a directory for "
                    "them (train.store.directory)",
                    bytes_));
  }
  memory_ = static_cast<uint8_t*>(memory);
}

Store::~Store() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  if (file_ >= 0) close(file_);
}

size_t Store::index(const std::string& name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) throw BadInput(fmt::format("there is no parameter '{}'", name));
  return found->second;
}

size_t Store::elements() const {
  size_t n = 0;
  for (const TensorSpec& spec : specs_) n += spec.elements();
  return n;
}

size_t Store::array_offset(size_t tensor, size_t array) const {
  return offsets_[tensor] + array * whole_pages(specs_[tensor].elements() * sizeof(float));
}

template <typename T>
View<T> Store::view(size_t offset, size_t first, size_t count) const {
  const size_t begin = offset + first * sizeof(T);
  if (memory_ != nullptr) {
    return View<T>(reinterpret_cast<T*>(memory_ + begin), count, nullptr, 0);
  }
  if (count == 0) return View<T>(nullptr, 0, nullptr, 0);
  static const auto kSystemPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t from = begin / kSystemPage * kSystemPage;
  const size_t bytes = begin + count * sizeof(T) - from;
  void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_,
                   static_cast<off_t>(from));
  if (map == MAP_FAILED) {
    throw BadInput(
        fmt::format("{} bytes of the weights cannot be mapped: {}", bytes, std::strerror(errno)));
  }
  return View<T>(reinterpret_cast<T*>(static_cast<uint8_t*>(map) + (begin - from)), count, map,
                 bytes);
}

View<float> Store::weights(size_t tensor, size_t first, size_t count) const {
  return view<float>(array_offset(tensor, 0), first, count);
}

View<float> Store::moment(size_t tensor, int k, size_t first, size_t count) const {
  if (k < 0 || k >= moments_) throw InternalError("a store has no such moment");
  return view<float>(array_offset(tensor, static_cast<size_t>(1 + k)), first, count);
}

View<float> Store::gradient(size_t tensor, int k, size_t first, size_t count) const {
  if (k < 0 || k >= gradients_) throw InternalError("a store has no such gradient");
  return view<float>(array_offset(tensor, static_cast<size_t>(1 + moments_ + k)), first, count);
}

View<uint8_t> Store::mask(size_t tensor, size_t first, size_t count) const {
  if (!specs_[tensor].masked) throw InternalError("a parameter without a mask");
  return view<uint8_t>(array_offset(tensor, static_cast<size_t>(1 + moments_ + gradients_)), first,
                       count);
}

}  // namespace ow::memoryx
