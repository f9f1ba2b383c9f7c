// SPDX-License-Identifier: Apache-2.0
// What all functions of the C interface share: errors become a line that the caller asks for.
#ifndef OW_GOLDEN_INTERFACE_CALLS_H_
#define OW_GOLDEN_INTERFACE_CALLS_H_

#include <exception>
#include <string>

#include "ow/base/error.h"
#include "ow/golden/tile_ops.h"

namespace ow::golden {

// Of this thread.
std::string& last_error();

// What `body` returns, or `failed` after an exception.
template <typename T, typename Body>
T call(T failed, const Body& body) {
  try {
    return body();
  } catch (const std::exception& e) {
    last_error() = e.what();
  }
  return failed;
}

template <typename Body>
int call(const Body& body) {
  return call(-1, [&] {
    body();
    return 0;
  });
}

// BadInput for a number that is none of the instruction set.
Type checked_type(int type);
Op checked_op(int op);

// BadInput with the text if the condition does not hold.
inline void expect(bool condition, const std::string& what) {
  if (!condition) throw BadInput(what);
}

}  // namespace ow::golden

#endif  // OW_GOLDEN_INTERFACE_CALLS_H_
