// SPDX-License-Identifier: Apache-2.0
#include "ow/wafer/files.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/yaml.h"

namespace ow::wafer {
namespace {

using nlohmann::json;

int whole(const json& object, const char* key, int low, int high, const std::string& where) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_number_integer()) {
    throw BadInput(fmt::format("{}: '{}' must be a whole number", where, key));
  }
  const auto value = object[key].get<int64_t>();
  if (value < low || value > high) {
    throw BadInput(
        fmt::format("{}: '{}' must be from {} to {}, not {}", where, key, low, high, value));
  }
  return static_cast<int>(value);
}

// Rising numbers, the i-th from first + i to first + i + spares.
std::vector<int> rising(const json& list, int first, int n, int spares, const std::string& where) {
  if (!list.is_array() || static_cast<int>(list.size()) != n) {
    throw BadInput(fmt::format("{}: must be a list of {} numbers", where, n));
  }
  std::vector<int> out;
  for (int i = 0; i < n; ++i) {
    const json& item = list[static_cast<size_t>(i)];
    const int low = out.empty() ? first : std::max(first + i, out.back() + 1);
    if (!item.is_number_integer() || item.get<int64_t>() < low ||
        item.get<int64_t>() > first + i + spares) {
      throw BadInput(
          fmt::format("{}: entry {} must be from {} to {}", where, i, low, first + i + spares));
    }
    out.push_back(item.get<int>());
  }
  return out;
}

json window_json(const Window& w) {
  return {{"row", w.row}, {"column", w.col}, {"rows", w.rows}, {"columns", w.cols}};
}

}  // namespace

Shape read_shape(const std::string& path) {
  YamlMap file(Yaml::read(path));
  YamlMap wafer = file["wafer"].map();
  YamlMap reticle = file["reticle"].map();
  const auto size = [](YamlMap& map, const char* key) {
    return static_cast<int>(map[key].integer(1, 1024));
  };
  const auto spares = [](YamlMap& map, const char* key) {
    const std::optional<Yaml> value = map.find(key);
    return value ? static_cast<int>(value->integer(0, 2)) : 1;
  };
  Shape shape;
  shape.reticle_rows = size(wafer, "reticle_rows");
  shape.reticle_cols = size(wafer, "reticle_columns");
  shape.rows = size(reticle, "rows");
  shape.cols = size(reticle, "columns");
  shape.spare_rows = spares(reticle, "spare_rows");
  shape.spare_cols = spares(reticle, "spare_columns");
  shape.file = path;
  wafer.close();
  reticle.close();
  file.close();
  shape.check();
  return shape;
}

json to_json(const WaferMap& map) {
  const Shape& s = map.shape;
  json out = {{"format", "openwafer-repair-map"},
              {"version", 1},
              {"shape",
               {{"reticle_rows", s.reticle_rows},
                {"reticle_columns", s.reticle_cols},
                {"rows", s.rows},
                {"columns", s.cols},
                {"spare_rows", s.spare_rows},
                {"spare_columns", s.spare_cols}}},
              {"window", window_json(map.window)},
              {"reticles", json::array()}};
  for (size_t d = 0; d < map.reticles.size(); ++d) {
    const ReticleMap& r = map.reticles[d];
    out["reticles"].push_back({{"window", window_json(r.window)},
                               {"row", r.row},
                               {"column", r.col},
                               {"east_link", map.east[d]},
                               {"south_link", map.south[d]}});
  }
  return out;
}

WaferMap map_from_json(const json& in, const std::string& where) {
  if (!in.is_object() || in.value("format", json()) != "openwafer-repair-map") {
    throw BadInput(fmt::format("{}: is not a repair map", where));
  }
  whole(in, "version", 1, 1, where);
  const json shape = in.value("shape", json());
  WaferMap map;
  Shape& s = map.shape;
  s.reticle_rows = whole(shape, "reticle_rows", 1, 1024, where);
  s.reticle_cols = whole(shape, "reticle_columns", 1, 1024, where);
  s.rows = whole(shape, "rows", 1, 1024, where);
  s.cols = whole(shape, "columns", 1, 1024, where);
  s.spare_rows = whole(shape, "spare_rows", 0, 2, where);
  s.spare_cols = whole(shape, "spare_columns", 0, 2, where);
  const json window = in.value("window", json());
  Window& w = map.window;
  w.row = whole(window, "row", 0, s.logical_rows() - 1, where);
  w.col = whole(window, "column", 0, s.logical_cols() - 1, where);
  w.rows = whole(window, "rows", 1, s.logical_rows() - w.row, where);
  w.cols = whole(window, "columns", 1, s.logical_cols() - w.col, where);
  const json list = in.value("reticles", json());
  if (!list.is_array() || static_cast<int>(list.size()) != s.reticles()) {
    throw BadInput(fmt::format("{}: 'reticles' must be a list of {}", where, s.reticles()));
  }
  for (int d = 0; d < s.reticles(); ++d) {
    const json& r = list[static_cast<size_t>(d)];
    const int y = d / s.reticle_cols, x = d % s.reticle_cols;
    const std::string at = fmt::format("{}: reticle ({}, {})", where, y, x);
    if (!r.is_object()) throw BadInput(fmt::format("{}: must be keys and values", at));
    // The part of the window in this reticle follows from the window.
    const int top = std::max(w.row, y * s.rows),
              bottom = std::min(w.row + w.rows, (y + 1) * s.rows);
    const int left = std::max(w.col, x * s.cols);
    const int right = std::min(w.col + w.cols, (x + 1) * s.cols);
    ReticleMap reticle;
    EdgeMap east, south;
    if (top < bottom && left < right) {
      reticle.window = {top - y * s.rows, left - x * s.cols, bottom - top, right - left};
      const Window& p = reticle.window;
      reticle.row = rising(r.value("row", json()), p.row, p.rows, s.spare_rows, at + " row");
      const json cols = r.value("column", json());
      if (!cols.is_array() || static_cast<int>(cols.size()) != p.rows) {
        throw BadInput(fmt::format("{} column: must be a list of {} lists", at, p.rows));
      }
      for (int i = 0; i < p.rows; ++i) {
        reticle.col.push_back(rising(cols[static_cast<size_t>(i)], p.col, p.cols, s.spare_cols,
                                     fmt::format("{} column {}", at, i)));
      }
      if (w.col + w.cols > (x + 1) * s.cols) {
        east = rising(r.value("east_link", json()), p.row, p.rows, s.spare_rows, at + " east_link");
      }
      if (w.row + w.rows > (y + 1) * s.rows) {
        south =
            rising(r.value("south_link", json()), p.col, p.cols, s.spare_cols, at + " south_link");
      }
    }
    map.reticles.push_back(reticle);
    map.east.push_back(east);
    map.south.push_back(south);
  }
  return map;
}

json to_json(const Shape& shape, const Defects& defects) {
  json out = json::array();
  for (size_t d = 0; d < defects.reticles.size(); ++d) {
    const ReticleDefects& r = defects.reticles[d];
    if (r.empty() && defects.east_links[d].empty() && defects.south_links[d].empty()) continue;
    json item = {{"reticle", {d / shape.reticle_cols, d % shape.reticle_cols}}};
    for (const Position& p : r.tiles) item["tiles"].push_back({p.row, p.col});
    for (const Wire& w : r.wires) {
      item["wires"].push_back({w.from.row, w.from.col, w.to.row, w.to.col});
    }
    for (int row : r.chains) item["chains"].push_back(row);
    for (const EdgeWire& w : r.edges) {
      static const char* const kSides[] = {"north", "east", "south", "west"};
      item["edges"].push_back(
          {{"tile", {w.tile.row, w.tile.col}}, {"edge", kSides[w.side]}, {"slot", w.slot}});
    }
    for (int slot : defects.east_links[d]) item["east_links"].push_back(slot);
    for (int slot : defects.south_links[d]) item["south_links"].push_back(slot);
    out.push_back(item);
  }
  return out;
}

}  // namespace ow::wafer
