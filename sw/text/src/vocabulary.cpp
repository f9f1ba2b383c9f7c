// SPDX-License-Identifier: Apache-2.0
#include "vocabulary.h"

namespace ow::text {

bool Vocabulary::add(const std::string& name, int id) {
  const auto at = static_cast<size_t>(id);
  if (at >= names_.size()) {
    names_.resize(at + 1);
    there_.resize(at + 1);
  }
  if (there_[at]) return names_[at] == name;
  if (!ids_.emplace(name, id).second) return false;
  names_[at] = name;
  there_[at] = true;
  return true;
}

const std::string& Vocabulary::name(int id) const {
  static const std::string none;
  return has(id) ? names_[static_cast<size_t>(id)] : none;
}

}  // namespace ow::text
