// SPDX-License-Identifier: Apache-2.0
#include "ow/device.h"

namespace ow {

const char* side_name(Side side) {
  switch (side) {
    case Side::North:
      return "north";
    case Side::East:
      return "east";
    case Side::South:
      return "south";
    case Side::West:
      return "west";
  }
  return "?";
}

}  // namespace ow
