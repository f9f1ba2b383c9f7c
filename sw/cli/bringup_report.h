// SPDX-License-Identifier: Apache-2.0
// What the bring-up of a wafer found and made: for people, as JSON and as a picture.
#ifndef OW_CLI_BRINGUP_REPORT_H_
#define OW_CLI_BRINGUP_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "ow/wafer/bringup.h"

namespace ow::cli {

void print_bringup(const wafer::Shape& shape, const wafer::Bringup& result);
nlohmann::json bringup_json(const wafer::Shape& shape, const wafer::Bringup& result);
void write_svg(const std::string& path, const wafer::Shape& shape, const wafer::Bringup& result);

}  // namespace ow::cli

#endif  // OW_CLI_BRINGUP_REPORT_H_
