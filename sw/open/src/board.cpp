// SPDX-License-Identifier: Apache-2.0
#include "ow/open/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "ow/base/error.h"
#include "ow/wafer/bringup.h"
#include "ow/wafer/repair.h"

namespace ow::uart {
namespace {

const char kPrefix[] = "uart:";

// Whether what is no number behind the last colon belongs to the path, as in
// /dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0-port0, which need not be plugged in, and is not
// meant as a rate.
bool is_path(const std::string& whole, const std::string& before, const std::string& word) {
  std::error_code ignored;
  if (std::filesystem::exists(whole, ignored)) return true;
  const bool plain =
      std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
  return !plain && !std::filesystem::exists(before, ignored);
}

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
  const std::string rest = is_board(machine) ? machine.substr(sizeof(kPrefix) - 1) : "";
  if (rest.empty() || rest[0] == ':') {
    throw BadInput(fmt::format("machine '{}': must be uart:PATH or uart:PATH:BAUD", machine));
  }
  const size_t colon = rest.rfind(':');
  if (colon == std::string::npos) return open_board(open_serial(rest, kDefaultBaud));
  const std::string path = rest.substr(0, colon), word = rest.substr(colon + 1);
  int baud = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), baud);
  if (error == std::errc() && end == word.data() + word.size()) {
    return open_board(open_serial(path, baud));
  }
  if (is_path(rest, path, word)) return open_board(open_serial(rest, kDefaultBaud));
  throw BadInput(fmt::format("{}: rate '{}': must be one of {}", path, word, serial_rates()));
}

}  // namespace ow::uart
