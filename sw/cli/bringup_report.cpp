// SPDX-License-Identifier: Apache-2.0
#include "bringup_report.h"

#include <fmt/format.h>

#include <vector>

#include "ow/base/file.h"
#include "ow/wafer/files.h"

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
  json["verified"] = result.succeeded();
  json["verification"] = result.verification;
  if (!result.repair.map) {
    json["reason"] = result.repair.reason;
    const wafer::Window& w = result.largest;
    json["accepted"] = result.smaller.has_value();
    json["largest"] = {{"row", w.row}, {"column", w.col}, {"rows", w.rows}, {"columns", w.cols}};
  }
  return json;
}

}  // namespace ow::cli
