// SPDX-License-Identifier: Apache-2.0
#include "ow/graph/training.h"

namespace ow {

Tokens tokens_of(const std::vector<int>& ids, int length, size_t slots) {
  Tokens tokens;
  tokens.ids = ids;
  tokens.ids.resize(slots, kNoToken);
  for (size_t slot = 0; slot < slots; slot += kSlotGroup) {
    const bool there = slot < ids.size();
    const auto each = static_cast<size_t>(there ? length : kSlotGroup);
    tokens.starts.push_back(static_cast<int>(slot / each * each));
  }
  return tokens;
}

}  // namespace ow
