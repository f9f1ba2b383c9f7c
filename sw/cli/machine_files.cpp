// SPDX-License-Identifier: Apache-2.0
#include "machine_files.h"

#include <string>

namespace ow::cli {

MachineFiles files_of(const MachineSpec& spec) {
  const std::string flag = spec.name.substr(0, spec.name.find(' '));
  const auto option = [&flag](const char* key) { return std::string(key) + "= of " + flag; };
  const wafer::WaferSource& w = spec.wafer;
  MachineFiles files;
  if (flag == "--wafer") {
    files.read = {{"--wafer", w.wafer}, {"--defects", w.defects}, {"--map", w.map}};
  } else {
    files.read = {{flag, w.wafer}, {option("defects"), w.defects}, {option("map"), w.map}};
  }
  files.read.push_back({option("restore"), spec.restore_file, option("save")});
  files.written = {{option("record"), spec.record_file}, {option("save"), spec.save_file}};
  return files;
}

}  // namespace ow::cli
