// SPDX-License-Identifier: Apache-2.0
// Two ends of a link on a bench of the kit's: the wires between them with their faults, and a
// router at each end (docs/conformance.md, "A link"). The device under test is the ends alone. The
// bench answers the lines that begin with `link`, and asks the door for `ends` and `clock`.
#ifndef OW_CONFORM_LINK_BENCH_H_
#define OW_CONFORM_LINK_BENCH_H_

#include <memory>

#include "ow/conform/door.h"

namespace ow::conform {

// All other lines go to the door itself.
std::unique_ptr<Door> make_link_bench(std::unique_ptr<Door> door);

}  // namespace ow::conform

#endif  // OW_CONFORM_LINK_BENCH_H_
