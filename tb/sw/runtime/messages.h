// SPDX-License-Identifier: Apache-2.0
// What the errors of the library say.
#ifndef OW_TB_MESSAGES_H_
#define OW_TB_MESSAGES_H_

#include <string>

#include "openwafer/error.h"

namespace ow {

// The error that `f` ends with, or "".
template <typename F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ow

#endif  // OW_TB_MESSAGES_H_
