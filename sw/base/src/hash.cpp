// SPDX-License-Identifier: Apache-2.0
#include "ow/base/hash.h"

#include <fmt/format.h>

namespace ow {

void Hash::add(const void* data, size_t bytes) {
  const auto* from = static_cast<const unsigned char*>(data);
  for (size_t k = 0; k < bytes; ++k) value_ = (value_ ^ from[k]) * 1099511628211u;
}

std::string Hash::text() const { return fmt::format("{:016x}", value_); }

std::string hash_of(const std::string& text) {
  Hash hash;
  hash.add(text.data(), text.size());
  return hash.text();
}

}  // namespace ow
