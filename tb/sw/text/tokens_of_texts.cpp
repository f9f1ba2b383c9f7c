// SPDX-License-Identifier: Apache-2.0
// tokens_of_texts TOKENIZER: for each line of standard input, a text as JSON, a line with its ids
// and with the text that they decode to.
#include <cstdio>
#include <iostream>
#include <string>

#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/text/tokenizer.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const ow::Tokenizer tokenizer(argv[1]);
    std::string line;
    while (std::getline(std::cin, line)) {
      const auto ids = tokenizer.encode(ow::parse_json(line, "standard input").get<std::string>());
      std::cout << ow::json_text({{"ids", ids}, {"text", tokenizer.decode(ids)}}) << "\n";
    }
  } catch (const ow::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return e.exit_status();
  }
  return 0;
}
