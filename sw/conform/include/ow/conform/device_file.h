// SPDX-License-Identifier: Apache-2.0
// device.yaml: what a device claims to be. A test runs if the device claims all that it needs.
#ifndef OW_CONFORM_DEVICE_FILE_H_
#define OW_CONFORM_DEVICE_FILE_H_

#include <set>
#include <string>
#include <vector>

#include "ow/conform/suite.h"

namespace ow::conform {

// A rule that a device is allowed to break for some time, and the report says so.
struct Waiver {
  std::string rule, reason;
  std::string expires;  // YYYY-MM-DD, the last day
};

struct DeviceFile {
  std::string name;
  std::vector<std::string> profiles;  // full, mini, arithmetic, fabric, training, link
  std::set<std::string> features;
  std::set<std::string> operations;  // the only ones that it can be called for; empty: all
  int rows = 1, columns = 1;         // the largest grid
  // The smallest one. A test of a smaller grid runs in a corner if it uses no edge.
  int least_rows = 1, least_columns = 1;
  int colours = 0, queues = 0, sram = 0;
  std::vector<Waiver> waivers;
  std::string text;  // the file itself

  // Empty, or the first thing that a test needs and the device does not claim.
  std::string lacks(const Needs& needs) const;
};

// BadInput in one line with file, line and key.
DeviceFile read_device_file(const std::string& path);
DeviceFile parse_device_file(const std::string& text, const std::string& name);

}  // namespace ow::conform

#endif  // OW_CONFORM_DEVICE_FILE_H_
