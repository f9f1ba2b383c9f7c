// SPDX-License-Identifier: Apache-2.0
#include "wafer.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "ow/error.h"
#include "ow/wafer/files.h"

namespace ow::cli {
namespace {

constexpr uint32_t kFullSram = 49152, kMiniSram = 8192;

std::string place(const wafer::Shape& shape, int reticle) {
  return fmt::format("({}, {})", reticle / shape.reticle_cols, reticle % shape.reticle_cols);
}

std::string lanes_text(const std::vector<int>& lanes) {
  return lanes.empty() ? "none" : fmt::format("{}", fmt::join(lanes, ", "));
}

}  // namespace

wafer::Bringup bring_up_wafer(wafer::WaferDevice& device, const std::string& selftest, bool mini) {
  wafer::BringupOptions options;
  options.sram_bytes = mini ? kMiniSram : kFullSram;
  options.selftest = read_elf(selftest, options.sram_bytes);
  {
    const wafer::Shape one{1, 1, 1, 1, 0, 0};
    const auto good = mini ? wafer::make_mini_wafer_device(one) : wafer::make_wafer_device(one);
    options.signature = wafer::good_signature(*good, options.selftest);
  }
  return wafer::bring_up(device, &device.device(), options);
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
    return;
  }
  fmt::print("repaired    {} x {} logical tiles, {} defects avoided\n", shape.logical_rows(),
             shape.logical_cols(), result.defects.count());
  for (const std::string& line : result.verification) fmt::print("wrong       {}\n", line);
  if (result.verification.empty()) {
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
    json["largest"] = {{"row", w.row}, {"column", w.col}, {"rows", w.rows}, {"columns", w.cols}};
  }
  return json;
}

wafer::WaferMap read_map(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw BadInput(fmt::format("{}: cannot be read", path));
  nlohmann::json json;
  try {
    in >> json;
  } catch (const nlohmann::json::exception& e) {
    throw BadInput(fmt::format("{}: is not JSON: {}", path, e.what()));
  }
  return wafer::map_from_json(json, path);
}

std::unique_ptr<wafer::WaferDevice> ready_wafer(const WaferSource& source, wafer::Shape* shape) {
  *shape = wafer::read_shape(source.wafer);
  const wafer::Faults faults =
      source.defects.empty() ? wafer::Faults() : wafer::read_faults(source.defects, *shape);
  auto device = wafer::make_wafer_device(*shape, faults);
  if (!source.map.empty()) {
    const wafer::WaferMap map = read_map(source.map);
    if (map.shape.reticle_rows != shape->reticle_rows ||
        map.shape.reticle_cols != shape->reticle_cols || map.shape.rows != shape->rows ||
        map.shape.cols != shape->cols || map.shape.spare_rows != shape->spare_rows ||
        map.shape.spare_cols != shape->spare_cols) {
      throw BadInput(
          fmt::format("{}: is the map of another wafer than {}", source.map, source.wafer));
    }
    if (map.window.tiles() != static_cast<long>(shape->logical_rows()) * shape->logical_cols()) {
      throw BadInput(fmt::format("{}: is the map of a part of the wafer", source.map));
    }
    wafer::apply_map(*device, map);
    return device;
  }
  const wafer::Bringup result = bring_up_wafer(*device, OW_FIRMWARE_DIR "/selftest.elf", false);
  print_bringup(*shape, result);
  if (!result.repair.map) {
    throw DeviceFault(fmt::format("the wafer cannot be repaired: {}", result.repair.reason));
  }
  if (!result.good()) {
    throw DeviceFault(
        fmt::format("the repaired wafer does not work: {}", result.verification.front()));
  }
  return device;
}

}  // namespace ow::cli
