// SPDX-License-Identifier: Apache-2.0
// The compiled code of the wide engine: a shared library for each width, which only those who use
// the engine build and load.
#ifndef OW_SIM_WIDE_LIBRARY_H_
#define OW_SIM_WIDE_LIBRARY_H_

#include "ow_wide_model.h"

namespace ow::wide {

// The code of a tile for this width, or for 0 the widest that this processor and the build have.
// It stays loaded. BadInput if there is none.
const ow_wide_code& find_code(int width);
// Whether there is one.
bool has_code(int width);

}  // namespace ow::wide

#endif  // OW_SIM_WIDE_LIBRARY_H_
