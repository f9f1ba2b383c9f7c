// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash (FNV-1a) that shows whether data has changed. It is not cryptographic.
#ifndef OW_BASE_HASH_H_
#define OW_BASE_HASH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ow {

class Hash {
 public:
  void add(const void* data, size_t bytes);
  template <typename T>
  void add(const std::vector<T>& values) {
    add(values.data(), values.size() * sizeof(T));
  }
  std::string text() const;  // sixteen hexadecimal digits

 private:
  uint64_t value_ = 14695981039346656037u;
};

std::string hash_of(const std::string& text);

}  // namespace ow

#endif  // OW_BASE_HASH_H_
