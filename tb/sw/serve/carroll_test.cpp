// SPDX-License-Identifier: Apache-2.0
// The model in data/models/carroll, as the machine's rules decode it, chooses the tokens of the
// program that it is from.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ow/base/json.h"
#include "ow/golden/decode.h"
#include "ow/golden/sampling.h"
#include "ow/import/model_folder.h"

namespace ow::golden {
namespace {

constexpr const char* kFolder = OW_SOURCE_DIR "/data/models/carroll";

TEST(GoldenCarroll, ChoosesTheTokensOfTheProgramThatItIsFrom) {
  const LanguageModel model = read_model_folder(kFolder, HalfType::Binary16);
  const nlohmann::json greedy = read_json(std::string(kFolder) + "/greedy.json");
  const auto prompt = greedy["prompt"].get<std::vector<int>>();
  const auto tokens = greedy["tokens"].get<std::vector<int>>();
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{4, 4}, {2, 1}}) {
    const Decoder decoder(model, rows, columns);
    DecodeCache cache;
    std::vector<uint32_t> logits;
    for (const int token : prompt) logits = decoder.step(&cache, token);
    // Each after the tokens of that program: two of its greatest logits are nearly equal.
    int same = 0;
    for (const int token : tokens) {
      same += greedy_token(logits) == token ? 1 : 0;
      logits = decoder.step(&cache, token);
    }
    EXPECT_GE(same, 99) << rows << "x" << columns;
  }
}

}  // namespace
}  // namespace ow::golden
