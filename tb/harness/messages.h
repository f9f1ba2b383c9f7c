// SPDX-License-Identifier: Apache-2.0
// What errors say.
#ifndef OW_TB_HARNESS_MESSAGES_H_
#define OW_TB_HARNESS_MESSAGES_H_

#include <gtest/gtest.h>

#include <string>

#include "openwafer/error.h"

namespace ow {

// The error that `f` ends with, or "".
template <typename E = Error, typename F>
std::string message(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "";
}

// The one line with which `f` is refused as bad input, or "".
template <typename F>
std::string refusal_of(F&& f) {
  std::string text = message<BadInput>(f);
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  return text;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline void expect_in(const std::string& part, const std::string& text) {
  EXPECT_TRUE(has(text, part)) << "'" << part << "' is not in: " << text;
}

}  // namespace ow

#endif  // OW_TB_HARNESS_MESSAGES_H_
