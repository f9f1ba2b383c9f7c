// SPDX-License-Identifier: Apache-2.0
#include "language_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "ow/base/error.h"
#include "ow/compile/language_estimate.h"
#include "ow/compile/language_plan.h"
#include "ow/compile/placement.h"
#include "ow/firmware/region.h"
#include "ow/import/model_config.h"
#include "ow/memoryx/time_model.h"
#include "ow/runtime/elf.h"
#include "parts.h"

namespace ow::cli {
namespace {

using jobs::LanguageBytes;
using jobs::LanguageEstimate;
using jobs::LanguageStep;

constexpr double kClock = 1e9;

uint64_t free_bytes(const std::string& program) {
  const ElfImage image = read_elf(firmware_dir() + "/" + program, jobs::kFullTile.sram_bytes);
  return image.symbol("ow_heap_end") - image.exported("memory").addr;
}

struct Model {
  LanguageShape shape;
  bool tied = false;
  int position = 0;
  uint64_t block_free = 0, head_free = 0;  // bytes of a tile beside program and stack

  LanguageEstimate on(GridShape region) const {
    return jobs::estimate_language(shape, tied, region, position);
  }
  // Positions that a block's region has memory for; 0: not even the weights fit.
  uint64_t positions(const LanguageEstimate& e, GridShape region) const {
    const uint64_t block = LanguageEstimate::bytes(e.block_bytes);
    if (block > block_free) return 0;
    return (block_free - block) / e.position_bytes * static_cast<uint64_t>(region.rows);
  }
  double token(const LanguageEstimate& e) const {
    return shape.layers * LanguageEstimate::cycles(e.block) + LanguageEstimate::cycles(e.head);
  }
};

// Cycles of a token from wafer to wafer: a link of the preset `wse`, which the edge of a whole
// wafer shares.
double link_of(const LanguageShape& shape) {
  const int words = (shape.width + 1) / 2 + OW_COMMAND_WORDS;  // two numbers a word
  return kWseLatency + static_cast<double>(words) * kWaveletBits / kWseLinkBits;
}

GridShape usual(const Model& model) {
  LanguageModel only_shape;
  only_shape.shape = model.shape;
  if (!model.tied) only_shape.head.resize(1);
  const LanguageRegion region = usual_region(only_shape);
  return {region.rows, region.columns};
}

// The region with the fewest cycles a token, of those that have room on so many tiles a wafer and
// that hold the position; if there is none, of those that hold the weights of a block.
GridShape fastest(const Model& model, int tiles, int wafers) {
  const int regions = model.shape.layers + 1;
  const int each = tiles / ((regions + wafers - 1) / wafers);
  std::optional<GridShape> best;
  bool holds_all = false;
  double least = 0;
  const int most_columns = model.shape.heads * model.shape.head_size / 2;
  for (int columns = 1; columns <= std::min(most_columns, each); ++columns) {
    if (!region_holds_heads(model.shape, columns)) continue;
    const int most = std::min(each / columns, model.shape.width);
    for (int rows = 1; rows <= most; ++rows) {
      const GridShape region{rows, columns};
      LanguageEstimate e;
      try {
        e = model.on(region);
      } catch (const BadInput&) {
        break;  // too many heads a column
      }
      if (e.block_weights > model.block_free) continue;
      const bool all = model.positions(e, region) > static_cast<uint64_t>(model.position);
      const double cycles = model.token(e);
      if (best && (all < holds_all || (all == holds_all && cycles >= least))) continue;
      best = region;
      holds_all = all;
      least = cycles;
    }
  }
  if (!best) {
    throw BadInput(fmt::format(
        "--tiles {}: no region of at most {} tiles holds the weights of a block", tiles, each));
  }
  return *best;
}

GridShape region_of(const LanguageQuestion& q, const Model& model) {
  if (!q.region.empty()) {
    GridShape region;
    char rest = 0;
    if (std::sscanf(q.region.c_str(), "%4dx%4d%c", &region.rows, &region.cols, &rest) != 2) {
      throw BadInput(fmt::format("--region: '{}' is not ROWSxCOLUMNS, as 2x2", q.region));
    }
    return region;
  }
  return q.tiles ? fastest(model, *q.tiles, q.wafers) : usual(model);
}

nlohmann::json print_steps(const char* what, const std::vector<LanguageStep>& steps) {
  nlohmann::json lines = nlohmann::json::array();
  LanguageStep sum{what};
  const auto print = [](const LanguageStep& s) {
    fmt::print("{:<24} {:>9.0f} {:>9.0f} {:>9.0f} {:>13.0f} {:>9.0f}\n", s.name, s.beats, s.hops,
               s.chains, s.instructions, s.cycles());
  };
  for (const LanguageStep& s : steps) {
    print(s);
    sum.beats += s.beats;
    sum.hops += s.hops;
    sum.chains += s.chains;
    sum.instructions += s.instructions;
    lines.push_back({{"name", s.name},
                     {"beats", s.beats},
                     {"hops", s.hops},
                     {"chains", s.chains},
                     {"instructions", s.instructions}});
  }
  print(sum);
  fmt::print("\n");
  return lines;
}

nlohmann::json print_bytes(const char* what, const std::vector<LanguageBytes>& parts,
                           uint64_t free) {
  nlohmann::json lines = nlohmann::json::object();
  fmt::print("{:<8}", what);
  uint64_t used = jobs::kFullTile.sram_bytes - free;
  fmt::print(" program and stack {}", used);
  lines["program and stack"] = used;
  for (const LanguageBytes& part : parts) {
    if (part.bytes == 0) continue;
    fmt::print(", {} {}", part.name, part.bytes);
    lines[part.name] = part.bytes;
    used += part.bytes;
  }
  fmt::print(": {} of {} bytes of the fullest tile\n", used, jobs::kFullTile.sram_bytes);
  return lines;
}

}  // namespace

int estimate_model(Context& context, const LanguageQuestion& q) {
  const std::string config = q.model + "/config.json";
  context.check_files({{"--model", config}}, {});
  const ModelConfig read = read_model_config(config);
  Model model;
  jobs::check_family(read.shape);
  model.shape = read.shape;
  model.tied = read.tied;
  model.position = q.position.value_or(std::min(128, read.shape.positions / 2));
  if (model.position >= read.shape.positions) {
    throw BadInput(
        fmt::format("--position {}: the model has {}", model.position, read.shape.positions));
  }
  model.block_free = free_bytes("region_block.elf");
  model.head_free = free_bytes("region_head.elf");
  const GridShape region = region_of(q, model);
  const LanguageEstimate e = model.on(region);
  const int regions = model.shape.layers + 1;
  const auto tiles = static_cast<int64_t>(regions) * region.rows * region.cols;
  const uint64_t positions = model.positions(e, region);
  const double links = q.wafers > 1 ? link_of(model.shape) * q.wafers : 0;
  const double block = LanguageEstimate::cycles(e.block), head = LanguageEstimate::cycles(e.head);
  const double token = model.token(e) + links, stage = std::max(block, head);

  fmt::print("model       {} blocks, width {}, {} heads of {}, {} of keys, hidden {}, {} tokens\n",
             model.shape.layers, model.shape.width, model.shape.heads, model.shape.head_size,
             model.shape.kv_heads, model.shape.hidden, model.shape.vocabulary);
  fmt::print("regions     {} of {} x {} tiles: {} tiles", regions, region.rows, region.cols, tiles);
  if (q.wafers > 1) fmt::print(" on {} wafers", q.wafers);
  fmt::print("\nposition    {} of a user's text\n\n", model.position);
  fmt::print("{:<24} {:>9} {:>9} {:>9} {:>13} {:>9}\n", "part", "beats", "hops", "chains",
             "instructions", "cycles");
  nlohmann::json& json = context.result();
  json["block"] = print_steps("block", e.block);
  json["head_parts"] = print_steps("head", e.head);
  fmt::print("memory\n");
  json["block_bytes"] = print_bytes("block", e.block_bytes, model.block_free);
  json["head_bytes"] = print_bytes("head", e.head_bytes, model.head_free);
  const bool head_fits = LanguageEstimate::bytes(e.head_bytes) <= model.head_free;
  if (!head_fits) {
    fmt::print("the head does not fit; its cycles are those of a tile with more memory\n");
  }
  if (positions == 0) {
    fmt::print("a block does not fit; its cycles are those of a tile with more memory\n");
  } else {
    fmt::print("keys and values of {} positions a block\n", positions);
  }
  fmt::print("\ntoken       {} blocks of {:.0f} + head {:.0f}", model.shape.layers, block, head);
  if (links > 0) fmt::print(" + {} links of {:.0f}", q.wafers, links / q.wafers);
  fmt::print(" = {:.0f} cycles\n", token);
  fmt::print("at 1 GHz    {:.0f} tokens a second of one user, {:.0f} of {} and more\n",
             kClock / token, kClock / stage, static_cast<int>(token / stage) + 1);
  json["model"] = q.model;
  json["region"] = {{"rows", region.rows}, {"columns", region.cols}};
  json["regions"] = regions;
  json["tiles"] = tiles;
  json["wafers"] = q.wafers;
  json["position"] = model.position;
  json["positions"] = positions;
  json["block_cycles"] = block;
  json["head_cycles"] = head;
  json["link_cycles"] = links;
  json["token_cycles"] = token;
  json["tokens_per_second"] = kClock / token;
  json["pipeline_tokens_per_second"] = kClock / stage;
  return 0;
}

}  // namespace ow::cli
