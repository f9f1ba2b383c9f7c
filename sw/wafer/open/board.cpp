// SPDX-License-Identifier: Apache-2.0
#include "ow/open/board.h"

#include <fmt/format.h>

#include <regex>
#include <utility>

#include "ow/base/error.h"
#include "ow/wafer/bringup.h"
#include "ow/wafer/repair.h"

namespace ow::uart {
namespace {

const char kPrefix[] = "uart:";

}  // namespace

std::unique_ptr<UartDevice> open_board(std::unique_ptr<Wire> wire,
                                       const Session::Options& options) {
  auto device = std::make_unique<UartDevice>(std::move(wire), options);
  const wafer::Shape& shape = device->wafer_shape();
  const wafer::Repair repair = wafer::repair_wafer(shape, wafer::Defects(shape));
  if (!repair.map) throw InternalError("a wafer without defects has no map: " + repair.reason);
  wafer::apply_map(*device, *repair.map);
  return device;
}

bool is_board(const std::string& machine) {
  return machine.compare(0, sizeof(kPrefix) - 1, kPrefix) == 0;
}

std::unique_ptr<UartDevice> open_board(const std::string& machine) {
  // What follows the last colon is the rate, if it is a number.
  static const std::regex form("uart:([^:].*?)(?::(\\d{1,8}))?");
  std::smatch part;
  if (!std::regex_match(machine, part, form)) {
    throw BadInput(fmt::format("machine '{}': must be uart:PATH or uart:PATH:BAUD", machine));
  }
  return open_board(open_serial(part[1], part[2].matched ? std::stoi(part[2]) : kDefaultBaud));
}

}  // namespace ow::uart
