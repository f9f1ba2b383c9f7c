// SPDX-License-Identifier: Apache-2.0
#include "ow/open/wafer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>

#include "option_parts.h"
#include "ow/base/error.h"

namespace ow::wafer {
namespace {

constexpr char kOptions[] =
    "defects=FILE, map=FILE, window=ROWSxCOLUMNS[@ROW,COLUMN], accept-smaller, engine=NAME, "
    "threads=N";

constexpr const char* kKeys[] = {"defects", "map", "window", "accept-smaller", "engine", "threads"};

}  // namespace

std::optional<Window> parse_window(const std::string& text) {
  // Five digits are more than any wafer has.
  static const std::regex form("(\\d{1,5})x(\\d{1,5})(@(\\d{1,5}),(\\d{1,5}))?");
  std::smatch part;
  if (!std::regex_match(text, part, form)) return std::nullopt;
  Window w;
  w.rows = std::stoi(part[1]);
  w.cols = std::stoi(part[2]);
  w.row = part[4].matched ? std::stoi(part[4]) : 0;
  w.col = part[5].matched ? std::stoi(part[5]) : 0;
  if (w.rows < 1 || w.cols < 1) return std::nullopt;
  return w;
}

WaferSource parse_source(const std::string& spec, const std::string& name) {
  const std::string who = name.empty() ? "machine 'wafer:" + spec + "'" : name;
  const auto refuse = [&](const std::string& what) {
    throw BadInput(fmt::format("{}: {}", who, what));
  };
  const std::vector<std::string> parts = option_parts(spec);
  std::set<std::string> given;
  WaferSource source;
  source.wafer = parts.front();
  if (source.wafer.empty()) refuse("which wafer? (wafer:FILE)");
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    const size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    const bool flag = key == "accept-smaller";
    const auto is = [&key](const char* other) { return key == other; };
    if (std::none_of(std::begin(kKeys), std::end(kKeys), is)) {
      refuse(fmt::format("option '{}' is unknown; there are {}", part, kOptions));
    }
    if (flag != (equals == std::string::npos) || (!flag && value.empty())) {
      refuse(flag ? fmt::format("'{}': accept-smaller has no value", part)
                  : fmt::format("'{}': {}= needs a value", part, key));
    }
    if (!given.insert(key).second) refuse(fmt::format("'{}' is given twice", key));
    if (flag) source.part.accept_smaller = true;
    if (key == "defects") source.defects = value;
    if (key == "map") source.map = value;
    if (key == "engine") parse_engine(who, value, &source.sim);
    if (key == "threads") parse_threads(who, value, &source.sim);
    if (key == "window") {
      source.part.window = parse_window(value);
      if (!source.part.window) {
        refuse(
            fmt::format("'{}': must be ROWSxCOLUMNS or ROWSxCOLUMNS@ROW,COLUMN, as "
                        "3x4@1,0",
                        part));
      }
    }
  }
  if (!source.map.empty() && (source.part.window || source.part.accept_smaller)) {
    refuse("a map says which tiles there are: not with window or accept-smaller");
  }
  if (source.sim.engine == Engine::Auto) refuse("engine 'auto': a wafer has replicated or wide");
  if (source.sim.engine == Engine::Replicated && given.count("threads") != 0) {
    refuse("threads= is only for engine=wide");
  }
  return source;
}

}  // namespace ow::wafer
