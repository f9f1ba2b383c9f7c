// SPDX-License-Identifier: Apache-2.0
#include "wafer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <utility>
#include <vector>

#include "ow/error.h"
#include "ow/selftest.h"
#include "ow/text_file.h"
#include "ow/wafer/files.h"
#include "wafer_window.h"

namespace ow::cli {
namespace {

std::string place(const wafer::Shape& shape, int reticle) {
  return fmt::format("({}, {})", reticle / shape.reticle_cols, reticle % shape.reticle_cols);
}

std::string lanes_text(const std::vector<int>& lanes) {
  return lanes.empty() ? "none" : fmt::format("{}", fmt::join(lanes, ", "));
}

// Where each logical tile is: "row,column" in its physical place, x for defective tiles, . for
// those that are not used.
void print_map(const wafer::Shape& shape, const wafer::Defects& defects,
               const wafer::WaferMap& map) {
  const int rows = shape.physical_rows(), cols = shape.physical_cols();
  if (shape.reticle_cols * cols > 16 || shape.reticle_rows * rows > 32) return;
  std::vector<std::string> text(static_cast<size_t>(shape.reticles() * rows * cols), ".");
  const auto at = [&](int d, const wafer::Position& p) -> std::string& {
    return text[static_cast<size_t>((d * rows + p.row) * cols + p.col)];
  };
  const wafer::Window& w = map.window;
  for (int r = 0; r < w.rows; ++r) {
    for (int c = 0; c < w.cols; ++c) {
      int d = 0;
      const wafer::Position p = map.physical(w.row + r, w.col + c, &d);
      at(d, p) = fmt::format("{},{}", r, c);
    }
  }
  for (int d = 0; d < shape.reticles(); ++d) {
    for (const wafer::Position& p : defects.reticles[static_cast<size_t>(d)].tiles) at(d, p) = "x";
  }
  for (int y = 0; y < shape.reticle_rows; ++y) {
    for (int row = 0; row < rows; ++row) {
      std::string line;
      for (int x = 0; x < shape.reticle_cols; ++x) {
        if (x > 0) line += "  |";
        for (int col = 0; col < cols; ++col) {
          line += fmt::format("{:>6}", at(y * shape.reticle_cols + x, {row, col}));
        }
      }
      fmt::print("{:<10}{}\n", y + row == 0 ? "map" : "", line);
    }
    if (y + 1 < shape.reticle_rows) fmt::print("\n");
  }
}

}  // namespace

wafer::Window read_window(const std::string& text) {
  // Five digits are more than any wafer has.
  static const std::regex form("(\\d{1,5})x(\\d{1,5})(@(\\d{1,5}),(\\d{1,5}))?");
  std::smatch part;
  wafer::Window w;
  if (std::regex_match(text, part, form)) {
    w.rows = std::stoi(part[1]);
    w.cols = std::stoi(part[2]);
    w.row = part[4].matched ? std::stoi(part[4]) : 0;
    w.col = part[5].matched ? std::stoi(part[5]) : 0;
  }
  if (w.rows < 1 || w.cols < 1) {
    throw BadInput(fmt::format(
        "--window {}: must be ROWSxCOLUMNS or ROWSxCOLUMNS@ROW,COLUMN, as 3x4@1,0", text));
  }
  return w;
}

wafer::BringupOptions selftest_options(bool mini, bool thorough) {
  wafer::BringupOptions options;
  options.sram_bytes = mini ? 8192 : 49152;
  options.colours = mini ? 4 : 24;
  const auto program = [&](const std::string& name) {
    return read_elf(fmt::format("{}/{}.elf", OW_FIRMWARE_DIR, name), options.sram_bytes);
  };
  options.selftest = program("selftest");
  const wafer::Shape one{1, 1, 1, 1, 0, 0};
  const auto good = mini ? wafer::make_mini_wafer_device(one) : wafer::make_wafer_device(one);
  options.signature = wafer::good_signature(*good, options.selftest);
  if (!thorough) return options;
  for (const char* name : {OW_SELFTEST_THOROUGH}) {
    options.thorough.push_back(wafer::good_run(*good, program(name)));
  }
  options.exchange_colours = options.colours & ~1u;
  return options;
}

wafer::Bringup bring_up_wafer(wafer::WaferDevice& device, bool mini, bool thorough,
                              const WaferPart& part) {
  wafer::BringupOptions options = selftest_options(mini, thorough);
  options.window = part.window;
  options.accept_smaller = part.accept_smaller;
  constexpr uint64_t kSteps = 10;
  Progress bar("bring-up", kSteps);
  uint64_t step = 0;
  options.progress = [&](const std::string&) { bar.update(std::min(step++, kSteps)); };
  return wafer::bring_up(device, &device.device(), options);
}

void write_svg(const std::string& path, const wafer::Shape& shape, const wafer::Bringup& result) {
  const wafer::WaferMap* map = result.map();
  const std::string title =
      map != nullptr ? fmt::format("{} x {} logical tiles", map->window.rows, map->window.cols)
                     : "refused";
  write_file(path, wafer::svg(shape, result.defects, map, title));
}

void print_bringup(const wafer::Shape& shape, const wafer::Bringup& result) {
  for (const wafer::Finding& f : result.findings) {
    fmt::print("found       reticle {} tile ({}, {}): {}\n", place(shape, f.reticle), f.at.row,
               f.at.col, f.what);
  }
  size_t repaired = 0;
  for (const wafer::LinkState& l : result.links) {
    if (l.up && (!l.lanes_in.empty() || !l.lanes_out.empty())) ++repaired;
    if (l.up && l.lanes_in.empty() && l.lanes_out.empty()) continue;
    fmt::print("link        reticle {} to the {}, slot {}: {}; faulty lanes out {}, in {}\n",
               place(shape, l.reticle), l.south ? "south" : "east", l.slot, l.up ? "up" : "down",
               lanes_text(l.lanes_out), lanes_text(l.lanes_in));
  }
  fmt::print("tested      {} wires, {} links ({} repaired by themselves)\n", result.wires_scanned,
             result.links.size(), repaired);
  if (!result.repair.map) {
    fmt::print("refused     {}\n", result.repair.reason);
    const wafer::Window& w = result.largest;
    if (w.rows > 0) {
      fmt::print("largest     {} x {} logical tiles at row {}, column {}\n", w.rows, w.cols, w.row,
                 w.col);
    } else {
      fmt::print("largest     none\n");
    }
  }
  const wafer::WaferMap* map = result.map();
  if (map == nullptr) return;
  fmt::print("repaired    {} x {} logical tiles, {} defects avoided\n", map->window.rows,
             map->window.cols, result.defects.count());
  print_map(shape, result.defects, *map);
  for (const std::string& line : result.verification) fmt::print("wrong       {}\n", line);
  if (!result.verification.empty()) return;
  if (map->window.tiles() < static_cast<long>(shape.logical_rows()) * shape.logical_cols()) {
    fmt::print("verified    {} words between all neighbours, both ways\n",
               result.wavelets_verified);
  } else {
    fmt::print("verified    every tile answers; {} words through all connections, both ways\n",
               result.wavelets_verified);
  }
}

nlohmann::json bringup_json(const wafer::Shape& shape, const wafer::Bringup& result) {
  nlohmann::json json;
  json["defects"] = wafer::to_json(shape, result.defects);
  json["findings"] = nlohmann::json::array();
  for (const wafer::Finding& f : result.findings) {
    json["findings"].push_back(
        {{"reticle", {f.reticle / shape.reticle_cols, f.reticle % shape.reticle_cols}},
         {"tile", {f.at.row, f.at.col}},
         {"what", f.what}});
  }
  json["links"] = nlohmann::json::array();
  for (const wafer::LinkState& l : result.links) {
    json["links"].push_back(
        {{"reticle", {l.reticle / shape.reticle_cols, l.reticle % shape.reticle_cols}},
         {"edge", l.south ? "south" : "east"},
         {"slot", l.slot},
         {"up", l.up},
         {"reason", l.reason},
         {"faulty_lanes_out", l.lanes_out},
         {"faulty_lanes_in", l.lanes_in}});
  }
  json["wires_scanned"] = result.wires_scanned;
  json["words_verified"] = result.wavelets_verified;
  json["repaired"] = result.repair.map.has_value();
  json["verified"] = result.good();
  json["verification"] = result.verification;
  if (!result.repair.map) {
    json["reason"] = result.repair.reason;
    const wafer::Window& w = result.largest;
    json["accepted"] = result.smaller.has_value();
    json["largest"] = {{"row", w.row}, {"column", w.col}, {"rows", w.rows}, {"columns", w.cols}};
  }
  return json;
}

wafer::WaferMap read_map(const std::string& path) {
  const nlohmann::json json = nlohmann::json::parse(read_text(path), nullptr, false);
  if (json.is_discarded()) throw BadInput(path + ": is not JSON");
  return wafer::map_from_json(json, path);
}

std::unique_ptr<Device> ready_wafer(const WaferSource& source, nlohmann::json* json) {
  const wafer::Shape shape = wafer::read_shape(source.wafer);
  const wafer::Faults faults =
      source.defects.empty() ? wafer::Faults() : wafer::read_faults(source.defects, shape);
  auto device = wafer::make_wafer_device(shape, faults);
  fmt::print("wafer       {}: {}\n", source.wafer, device->device().description());
  wafer::Window window;
  if (!source.map.empty()) {
    const wafer::WaferMap map = read_map(source.map);
    const wafer::Shape& s = map.shape;
    if (s.reticle_rows != shape.reticle_rows || s.reticle_cols != shape.reticle_cols ||
        s.rows != shape.rows || s.cols != shape.cols || s.spare_rows != shape.spare_rows ||
        s.spare_cols != shape.spare_cols) {
      throw BadInput(
          fmt::format("{}: is the map of another wafer than {}", source.map, source.wafer));
    }
    wafer::apply_map(*device, map);
    window = map.window;
  } else {
    const wafer::Bringup result = bring_up_wafer(*device, false, false, source.part);
    print_bringup(shape, result);
    fmt::print("simulated   {} cycles\n\n", device->device().cycle());
    std::fflush(stdout);
    if (!source.svg.empty()) write_svg(source.svg, shape, result);
    if (json != nullptr) *json = bringup_json(shape, result);
    if (result.map() == nullptr) {
      throw DeviceFault(fmt::format("the wafer cannot be repaired: {}", result.repair.reason));
    }
    if (!result.good()) {
      throw DeviceFault(
          fmt::format("the repaired wafer does not work: {}", result.verification.front()));
    }
    window = result.map()->window;
  }
  if (window.tiles() < static_cast<long>(shape.logical_rows()) * shape.logical_cols()) {
    return std::make_unique<WaferWindow>(std::move(device), window);
  }
  return std::unique_ptr<Device>(dynamic_cast<Device*>(device.release()));
}

}  // namespace ow::cli
