// SPDX-License-Identifier: Apache-2.0
// Tokenizers that a test writes.
#ifndef OW_TB_SW_TEXT_TOKENIZER_FILE_H_
#define OW_TB_SW_TEXT_TOKENIZER_FILE_H_

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ow/text/tokenizer.h"
#include "temporary_file.h"

namespace ow {

// A file with these tokens, whose ids are their places, and these merges. Texts are one piece.
inline nlohmann::json tokenizer_json(
    const std::vector<std::string>& tokens,
    const std::vector<std::pair<std::string, std::string>>& merges) {
  nlohmann::json vocabulary = nlohmann::json::object(), list = nlohmann::json::array();
  for (size_t id = 0; id < tokens.size(); ++id) vocabulary[tokens[id]] = id;
  for (const auto& [left, right] : merges) list.push_back({left, right});
  return {{"decoder", {{"type", "Fuse"}}},
          {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", list}}}};
}

inline std::string tokenizer_file(const nlohmann::json& contents) {
  return temporary_file("tokenizer.json", contents.dump());
}

inline Tokenizer tokenizer_of(const nlohmann::json& contents) {
  return Tokenizer(tokenizer_file(contents));
}

}  // namespace ow

#endif  // OW_TB_SW_TEXT_TOKENIZER_FILE_H_
