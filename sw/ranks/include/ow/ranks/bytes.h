// SPDX-License-Identifier: Apache-2.0
// Numbers in messages, in the machine's own byte order. All ranks run on the same kind of machine.
#ifndef OW_RANKS_BYTES_H_
#define OW_RANKS_BYTES_H_

#include <cstring>
#include <type_traits>

#include "ow/base/error.h"
#include "ow/ranks/transport.h"

namespace ow::ranks {

class Writer {
 public:
  template <typename T>
  void put(const T& value) {
    put(&value, 1);
  }
  template <typename T>
  void put(const T* values, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>, "numbers");
    const auto* const bytes = reinterpret_cast<const uint8_t*>(values);
    message_.insert(message_.end(), bytes, bytes + count * sizeof(T));
  }
  Message take() { return std::move(message_); }

 private:
  Message message_;
};

class Reader {
 public:
  explicit Reader(const Message& message) : message_(message) {}

  template <typename T>
  T get() {
    T value;
    get(&value, 1);
    return value;
  }
  template <typename T>
  void get(T* values, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>, "numbers");
    if (count > (message_.size() - at_) / sizeof(T)) {
      throw ProtocolError("a message between ranks is shorter than what it says");
    }
    if (count > 0) std::memcpy(values, message_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }
  // Reads a count of values. It is at most what is left of the message.
  template <typename T>
  size_t count() {
    const auto n = get<uint64_t>();
    if (n > (message_.size() - at_) / sizeof(T)) {
      throw ProtocolError("a message between ranks is shorter than what it says");
    }
    return n;
  }
  bool done() const { return at_ == message_.size(); }
  void close() const {
    if (at_ != message_.size()) throw ProtocolError("a message between ranks is too long");
  }

 private:
  const Message& message_;
  size_t at_ = 0;
};

}  // namespace ow::ranks

#endif  // OW_RANKS_BYTES_H_
