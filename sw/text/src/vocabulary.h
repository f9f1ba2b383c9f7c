// SPDX-License-Identifier: Apache-2.0
// Tokens and their ids.
#ifndef OW_TEXT_VOCABULARY_H_
#define OW_TEXT_VOCABULARY_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ow::text {

constexpr int kMaxId = (1 << 20) - 1;

class Vocabulary {
 public:
  // False if the name or the id is there already with another partner.
  bool add(const std::string& name, int id);

  std::optional<int> find(const std::string& name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? std::nullopt : std::optional<int>(found->second);
  }
  // "" if there is none.
  const std::string& name(int id) const;
  bool has(int id) const { return id >= 0 && id < size() && there_[static_cast<size_t>(id)]; }
  int size() const { return static_cast<int>(names_.size()); }  // the greatest id + 1

 private:
  std::unordered_map<std::string, int> ids_;
  std::vector<std::string> names_;  // by id
  std::vector<bool> there_;
};

}  // namespace ow::text

#endif  // OW_TEXT_VOCABULARY_H_
