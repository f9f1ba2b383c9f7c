// SPDX-License-Identifier: Apache-2.0
// Files of the wafer: its configuration and its faults (YAML), the repair map (JSON) and the
// picture (SVG).
#ifndef OW_WAFER_FILES_H_
#define OW_WAFER_FILES_H_

#include <nlohmann/json.hpp>
#include <string>

#include "ow/device/wafer_faults.h"
#include "ow/wafer/repair.h"

namespace ow::wafer {

// Reads `wafer: {reticle_rows, reticle_columns}` and `reticle: {rows, columns, spare_rows,
// spare_columns}`; spares default to 1. BadInput, naming file, line, key and limit.
Shape read_shape(const std::string& path);

// Reads a file of faults (docs/wafer.md has the keys). BadInput, naming file, line and key.
Faults read_faults(const std::string& path, const Shape& shape);

// A repair map as JSON, and back. The reader checks the map against the rules of repair.h.
nlohmann::json to_json(const WaferMap& map);
WaferMap map_from_json(const nlohmann::json& json, const std::string& where);

nlohmann::json to_json(const Shape& shape, const Defects& defects);

// Faults as JSON. read_faults can read it, because JSON is YAML too.
nlohmann::json to_json(const Shape& shape, const Faults& faults);

// A picture of the wafer. Each physical tile is a square: in use, spare, broken or bypassed. Lines
// show the logical mesh; broken wires and links are red. Without a map the picture shows only the
// defects. `title` is above it.
std::string svg(const Shape& shape, const Defects& defects, const WaferMap* map,
                const std::string& title);

}  // namespace ow::wafer

#endif  // OW_WAFER_FILES_H_
