// SPDX-License-Identifier: Apache-2.0
#include "text_data.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/text/tokenizer.h"

namespace ow::cli {

TokenText read_text_data(const DataSource& source) {
  constexpr size_t kMost = size_t{1} << 30;
  const Tokenizer tokenizer(source.tokenizer);
  const auto encode = [&](const std::string& text, const std::string& where) {
    try {
      return tokenizer.encode(text);
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("{}: {}", where, error.what()));
    }
  };
  TokenText out;
  out.ids = encode(read_bytes(source.file, kMost), source.file);
  if (source.end_text.empty()) return out;
  out.end = tokenizer.find(source.end_text);
  if (out.end) return out;
  const std::vector<int> end = encode(source.end_text, "key 'data.end'");
  if (end.size() != 1) {
    throw BadInput(fmt::format("{}: key 'data.end' must be one token, it is {}", source.tokenizer,
                               end.size()));
  }
  out.end = end.front();
  return out;
}

}  // namespace ow::cli
