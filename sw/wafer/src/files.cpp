// SPDX-License-Identifier: Apache-2.0
#include "ow/wafer/files.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <set>

#include "ow/error.h"
#include "ow/text_file.h"

namespace ow::wafer {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& path, const YAML::Mark& mark, const std::string& what) {
  throw BadInput(mark.line >= 0 ? fmt::format("{}:{}: {}", path, mark.line + 1, what)
                                : fmt::format("{}: {}", path, what));
}

int integer(const std::string& path, const YAML::Node& section, const std::string& name,
            const std::string& key, int low, int high, int fallback) {
  const YAML::Node node = section[key];
  if (!node) {
    if (fallback >= low) return fallback;
    fail(path, section.Mark(), fmt::format("{}.{} is missing", name, key));
  }
  int value = 0;
  try {
    value = node.as<int>();
  } catch (const YAML::Exception&) {
    fail(path, node.Mark(),
         fmt::format("{}.{} must be a whole number from {} to {}", name, key, low, high));
  }
  if (value < low || value > high) {
    fail(path, node.Mark(),
         fmt::format("{}.{} must be from {} to {}, not {}", name, key, low, high, value));
  }
  return value;
}

YAML::Node section(const std::string& path, const YAML::Node& root, const std::string& name,
                   const std::set<std::string>& keys) {
  const YAML::Node node = root[name];
  if (!node || !node.IsMap()) {
    fail(path, root.Mark(), fmt::format("the section '{}' is missing", name));
  }
  for (const auto& item : node) {
    const std::string key = item.first.IsScalar() ? item.first.Scalar() : "";
    if (keys.count(key) == 0) {
      fail(path, item.first.Mark(), fmt::format("{} has no key '{}'", name, key));
    }
  }
  return node;
}

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

// Numbers that rise, the i-th from first + i to first + i + spares.
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
  YAML::Node root;
  try {
    root = YAML::Load(read_text(path));
  } catch (const YAML::ParserException& e) {
    fail(path, e.mark, e.msg);
  }
  if (!root.IsMap()) throw BadInput(fmt::format("{}: the file must hold keys and values", path));
  for (const auto& item : root) {
    const std::string key = item.first.IsScalar() ? item.first.Scalar() : "";
    if (key != "wafer" && key != "reticle") {
      fail(path, item.first.Mark(), fmt::format("the file has no key '{}'", key));
    }
  }
  const YAML::Node wafer = section(path, root, "wafer", {"reticle_rows", "reticle_columns"});
  const YAML::Node reticle =
      section(path, root, "reticle", {"rows", "columns", "spare_rows", "spare_columns"});
  Shape shape;
  shape.reticle_rows = integer(path, wafer, "wafer", "reticle_rows", 1, 1024, 0);
  shape.reticle_cols = integer(path, wafer, "wafer", "reticle_columns", 1, 1024, 0);
  shape.rows = integer(path, reticle, "reticle", "rows", 1, 1024, 0);
  shape.cols = integer(path, reticle, "reticle", "columns", 1, 1024, 0);
  shape.spare_rows = integer(path, reticle, "reticle", "spare_rows", 0, 2, 1);
  shape.spare_cols = integer(path, reticle, "reticle", "spare_columns", 0, 2, 1);
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
    // The part of the window in this reticle is not free: it follows from the window.
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

std::string svg(const Shape& shape, const Defects& defects, const WaferMap* map,
                const std::string& title) {
  const int pitch = 24, tile = 18, gap = 20, top = 48, left = 20;
  const int reticle_w = shape.physical_cols() * pitch + gap;
  const int reticle_h = shape.physical_rows() * pitch + gap;
  const int width = 2 * left + shape.reticle_cols * reticle_w;
  const int height = top + left + shape.reticle_rows * reticle_h + 24;
  const auto x_of = [&](int d, int col) {
    return left + (d % shape.reticle_cols) * reticle_w + gap / 2 + col * pitch + pitch / 2;
  };
  const auto y_of = [&](int d, int row) {
    return top + (d / shape.reticle_cols) * reticle_h + gap / 2 + row * pitch + pitch / 2;
  };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\">\n<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#ffffff\"/>\n<text x=\"{3}\" y=\"24\" font-size=\"14\">{2}</text>\n",
      width, height, title, left);
  const auto line = [&](int x1, int y1, int x2, int y2, const char* style) {
    out +=
        fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", x1, y1, x2, y2, style);
  };
  for (int d = 0; d < shape.reticles(); ++d) {
    const auto i = static_cast<size_t>(d);
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#f2f2f2\" "
        "stroke=\"#999999\"/>\n",
        x_of(d, 0) - pitch / 2 - 4, y_of(d, 0) - pitch / 2 - 4, reticle_w - gap + 8,
        reticle_h - gap + 8);
    const std::set<Position> dead(defects.reticles[i].tiles.begin(),
                                  defects.reticles[i].tiles.end());
    std::set<Position> used;
    if (map != nullptr) {
      const ReticleMap& r = map->reticles[i];
      for (size_t y = 0; y < r.row.size(); ++y) {
        for (int col : r.col[y]) used.insert({r.row[y], col});
      }
    }
    for (int row = 0; row < shape.physical_rows(); ++row) {
      for (int col = 0; col < shape.physical_cols(); ++col) {
        const char* fill = dead.count({row, col}) != 0   ? "#d9534f"
                           : used.count({row, col}) != 0 ? "#7fb77e"
                                                         : "#c8c8c8";
        out += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"{}\"/>\n",
            x_of(d, col) - tile / 2, y_of(d, row) - tile / 2, tile, tile, fill);
      }
    }
  }
  const char* mesh = "stroke=\"#1f3b57\" stroke-width=\"1.5\"";
  const char* broken = "stroke=\"#d9534f\" stroke-width=\"2.5\" stroke-dasharray=\"3 2\"";
  if (map != nullptr) {
    const Window& w = map->window;
    for (int row = w.row; row < w.row + w.rows; ++row) {
      for (int col = w.col; col < w.col + w.cols; ++col) {
        int d = 0, e = 0;
        const Position p = map->physical(row, col, &d);
        if (col + 1 < w.col + w.cols) {
          const Position q = map->physical(row, col + 1, &e);
          line(x_of(d, p.col), y_of(d, p.row), x_of(e, q.col), y_of(e, q.row), mesh);
        }
        if (row + 1 < w.row + w.rows) {
          const Position q = map->physical(row + 1, col, &e);
          line(x_of(d, p.col), y_of(d, p.row), x_of(e, q.col), y_of(e, q.row), mesh);
        }
      }
    }
  }
  for (int d = 0; d < shape.reticles(); ++d) {
    const auto i = static_cast<size_t>(d);
    for (const Wire& w : defects.reticles[i].wires) {
      line(x_of(d, w.from.col), y_of(d, w.from.row), x_of(d, w.to.col), y_of(d, w.to.row), broken);
    }
    for (int row : defects.reticles[i].chains) {
      line(x_of(d, 0) - pitch / 2, y_of(d, row) + tile / 2,
           x_of(d, shape.physical_cols() - 1) + pitch / 2, y_of(d, row) + tile / 2, broken);
    }
    for (const EdgeWire& w : defects.reticles[i].edges) {
      const int depth = pitch / 2 + gap / 2;
      const int x = w.side == 1   ? x_of(d, shape.physical_cols() - 1) + depth
                    : w.side == 3 ? x_of(d, 0) - depth
                                  : x_of(d, w.slot);
      const int y = w.side == 0   ? y_of(d, 0) - depth
                    : w.side == 2 ? y_of(d, shape.physical_rows() - 1) + depth
                                  : y_of(d, w.slot);
      line(x_of(d, w.tile.col), y_of(d, w.tile.row), x, y, broken);
    }
    for (int slot : defects.east_links[i]) {
      const int x = x_of(d, shape.physical_cols() - 1) + pitch / 2;
      line(x, y_of(d, slot), x + gap, y_of(d, slot), broken);
    }
    for (int slot : defects.south_links[i]) {
      const int y = y_of(d, shape.physical_rows() - 1) + pitch / 2;
      line(x_of(d, slot), y, x_of(d, slot), y + gap, broken);
    }
  }
  const std::pair<const char*, const char*> legend[] = {
      {"#7fb77e", "in use"}, {"#c8c8c8", "spare or bypassed"}, {"#d9534f", "defective"}};
  int x = left;
  for (const auto& [colour, text] : legend) {
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n<text x=\"{}\" y=\"{}\" "
        "font-size=\"12\">{}</text>\n",
        x, height - 24, colour, x + 18, height - 14, text);
    x += 150;
  }
  return out + "</svg>\n";
}

}  // namespace ow::wafer
