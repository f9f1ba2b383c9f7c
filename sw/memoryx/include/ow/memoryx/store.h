// SPDX-License-Identifier: Apache-2.0
// The arrays of a training. Each parameter has fp32 masters, the optimizer's moments, gradients,
// and one byte of mask per element. The arrays are in memory, or in a file of which only windows
// are mapped. Such a store may be larger than the memory.
#ifndef OW_MEMORYX_STORE_H_
#define OW_MEMORYX_STORE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ow::memoryx {

// Sums are cut into blocks of this many elements (docs/numerics.md, N74). Windows are whole blocks.
constexpr size_t kBlock = 4096;

// The most parameters: their numbers fit 16 bits.
constexpr size_t kMaxParameters = 65535;

struct TensorSpec {
  std::string name;
  std::vector<uint64_t> shape;  // the last index runs fastest
  bool masked = false;
  float initial = 0;   // of each element of a vector
  bool table = false;  // a matrix whose rows are looked up; it has no mask

  bool matrix() const { return shape.size() >= 2; }
  size_t elements() const;
};

struct StoreOptions {
  std::string directory;            // where the unnamed file is made; empty: memory
  size_t window = size_t{1} << 20;  // elements of an array that are mapped at a time
};

// Elements first .. first + size() - 1 of an array. A view belongs to one thread at a time. Several
// threads may have views that do not overlap.
template <typename T>
class View {
 public:
  View(T* data, size_t size, void* map, size_t map_bytes)
      : data_(data), size_(size), map_(map), map_bytes_(map_bytes) {}
  View(View&& from) noexcept
      : data_(from.data_), size_(from.size_), map_(from.map_), map_bytes_(from.map_bytes_) {
    from.map_ = nullptr;
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  View& operator=(View&&) = delete;
  ~View();

  T* data() const { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  T* data_;
  size_t size_;
  void* map_;  // to unmap; null: nothing
  size_t map_bytes_;
};

class Store {
 public:
  // BadInput, without making anything, if there are no elements, more than kMaxParameters
  // parameters, or two of one name; or if the directory cannot be written.
  static void check(const std::vector<TensorSpec>& tensors, const StoreOptions& options);

  // Starts with zeros, masks too. Each parameter has `moments` arrays of moments and `gradients`
  // arrays of gradients. BadInput as check(), or if the directory is full.
  Store(std::vector<TensorSpec> tensors, int moments, int gradients, const StoreOptions& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  size_t tensors() const { return specs_.size(); }
  const TensorSpec& spec(size_t tensor) const { return specs_[tensor]; }
  const std::vector<TensorSpec>& specs() const { return specs_; }
  // BadInput if no parameter has this name.
  size_t index(const std::string& name) const;
  int moments() const { return moments_; }
  int gradients() const { return gradients_; }
  size_t elements() const;                 // of all parameters
  size_t bytes() const { return bytes_; }  // of all arrays
  size_t window() const { return window_; }

  // Elements first .. first + count - 1 of the array.
  View<float> weights(size_t tensor, size_t first, size_t count) const;
  View<float> moment(size_t tensor, int k, size_t first, size_t count) const;
  View<float> gradient(size_t tensor, int k, size_t first, size_t count) const;
  // 1 where the weight is kept, else 0. Only masked parameters have one.
  View<uint8_t> mask(size_t tensor, size_t first, size_t count) const;

  // Calls work(first, count) for the windows of a tensor, in order.
  template <typename Work>
  void each_window(size_t tensor, const Work& work) const {
    const size_t n = specs_[tensor].elements();
    for (size_t first = 0; first < n; first += window_) {
      work(first, n - first < window_ ? n - first : window_);
    }
  }

 private:
  template <typename T>
  View<T> view(size_t offset, size_t first, size_t count) const;
  size_t array_offset(size_t tensor, size_t array) const;

  std::vector<TensorSpec> specs_;
  std::unordered_map<std::string, size_t> numbers_;  // by name
  std::vector<size_t> offsets_;                      // of each tensor's arrays
  int moments_;
  int gradients_;
  size_t window_;
  size_t bytes_ = 0;
  int file_ = -1;
  uint8_t* memory_ = nullptr;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_STORE_H_
