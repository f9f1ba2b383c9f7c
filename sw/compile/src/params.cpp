// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/params.h"

#include <fmt/format.h>

#include "ow/base/file.h"
#include "ow/base/yaml.h"
#include "params_parts.h"

namespace ow::jobs {
namespace {

constexpr int kMaxWidth = 65535;
constexpr int kMaxSequence = 1 << 20;

// Of an array of tokens, or of a text.
void read_tokens(const std::string& path, YamlMap* map, DataSource* source) {
  YamlMap& data = *map;
  source->sequence = static_cast<int>(data["sequence"].integer(1, kMaxSequence));
  const auto end = data.find("end");
  if (source->format == DataFormat::Text) {
    source->tokenizer = beside(path, data["tokenizer"].text());
    if (end) source->end_text = end->text();
  } else if (end) {
    source->end = static_cast<int>(end->integer(0, kMaxWidth));
  }
}

}  // namespace

TrainingJob job_of(const RunParams& params) {
  TrainingJob job = forward_job();
  job.type = params.type;
  job.graph = without_loss(params.graph);
  job.layers = params.layers;
  job.grid_rows = params.grid.rows;
  job.grid_cols = params.grid.cols;
  job.samples = params.samples;
  return job;
}

void read_data(const std::string& path, YamlMap data, RunParams* params) {
  DataSource& source = params->data;
  const Yaml file = data["file"];
  source.file = beside(path, file.text());
  if (const auto format = data.find("format")) {
    const std::string name =
        format->one_of({"csv", "idx", "npy", "npz", "safetensors", "tokens", "text"});
    source.format = name == "csv"      ? DataFormat::Csv
                    : name == "idx"    ? DataFormat::Idx
                    : name == "npy"    ? DataFormat::Npy
                    : name == "npz"    ? DataFormat::Npz
                    : name == "tokens" ? DataFormat::Tokens
                    : name == "text"   ? DataFormat::Text
                                       : DataFormat::Safetensors;
  } else {
    source.format = data_format(source.file);
  }
  if (source.format == DataFormat::Tokens || source.format == DataFormat::Text) {
    read_tokens(path, &data, &source);
  }
  if (const auto labels = data.find("labels")) {
    if (source.format != DataFormat::Idx && source.format != DataFormat::Npy) {
      labels->fail("is for IDX and .npy files: others hold the classes");
    }
    source.labels = beside(path, labels->text());
  }
  if (const auto targets = data.find("targets")) {
    source.targets = targets->one_of({"classes", "values"}) == "values";
    if (source.targets && source.format == DataFormat::Idx) {
      targets->fail("is not for IDX files, which hold classes");
    }
  }
  if (const auto rows = data.find("rows")) {
    source.samples = static_cast<size_t>(rows->integer(1, 100'000'000));
  }
  if (const auto scale = data.find("scale")) source.scale = scale->real(0, 1e30, true);
  if (const auto range = data.find("range")) {
    const std::vector<Yaml> ends = range->list(2, 2, "numbers");
    const double low = ends[0].real(-1e30, 1e30);
    source.range = {low, ends[1].real(low, 1e30)};
  }
  const auto modulo = data.find("held_out_modulo"), remainder = data.find("held_out_remainder");
  if (modulo || remainder) {
    RunParams::HeldOut held;
    held.modulo = static_cast<int>(data["held_out_modulo"].integer(2, 1000));
    held.remainder = static_cast<int>(data["held_out_remainder"].integer(0, held.modulo - 1));
    if (source.samples != 0 && source.samples <= static_cast<size_t>(held.remainder)) {
      data["rows"].fail(
          fmt::format("leaves nothing to hold out: must be above {}", held.remainder));
    }
    params->held_out = held;
  }
  data.close();
}

void read_grid(YamlMap grid, RunParams* params) {
  params->grid.rows = static_cast<int>(grid["rows"].integer(1, 64));
  params->grid.cols = static_cast<int>(grid["columns"].integer(1, 64));
  if (const auto samples = grid.find("samples_per_tile")) {
    params->samples = static_cast<int>(samples->integer(1, 65535));
  }
  grid.close();
}

RunParams read_run(const std::string& path, YamlMap top) {
  RunParams params;
  params.path = path;
  read_data(path, top["data"].map(), &params);
  read_network(path, top["network"].map(), &params);
  const bool tokens =
      params.data.sequence > 0 ||
      (!params.graph.empty() && params.graph.values.front().element == Value::Element::Token);
  if (tokens) {
    top["data"].fail(
        "is of tokens, and a network's run takes numbers; for tokens there are trainings "
        "(key 'train'; --mode predict)");
  }
  read_grid(top["grid"].map(), &params);
  if (const auto large_layer = top.find("large_layer")) {
    YamlMap large = large_layer->map();
    LargeLayerParams l;
    l.inputs = static_cast<int>(large["inputs"].integer(1, kMaxWidth));
    l.outputs = static_cast<int>(large["outputs"].integer(1, kMaxWidth));
    l.density = large["density"].real(0, 1, true);
    l.seed = static_cast<uint64_t>(large["seed"].integer(0, INT64_MAX));
    large.close();
    params.large = l;
  }
  if (const auto time = top.find("time")) params.time = read_time(*time);
  top.close();
  return params;
}

}  // namespace ow::jobs
