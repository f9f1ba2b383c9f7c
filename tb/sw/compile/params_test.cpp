// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/params.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/check/training_job.h"
#include "ow/compile/network_run.h"
#include "temporary_file.h"

namespace ow::jobs {
namespace {

const char kDigits[] = OW_SOURCE_DIR "/configs/digits.yaml";

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

// configs/digits.yaml with `from` replaced by `to`, and the complaint about it.
std::string complaint(const std::string& from, const std::string& to) {
  std::string text = contents(kDigits);
  const size_t at = text.find(from);
  if (at == std::string::npos) return "no such text: " + from;
  text.replace(at, from.size(), to);
  const std::string path = temporary_file("params.yaml", text);
  try {
    load_params(path);
  } catch (const BadInput& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_NE(what.find(path), std::string::npos) << what;
    return what;
  }
  return "";
}

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(Params, ReadsTheRepositorysJobs) {
  const RunParams p = load_params(kDigits);
  EXPECT_EQ(p.grid.rows, 4);
  EXPECT_EQ(p.grid.cols, 4);
  EXPECT_EQ(p.samples, 32);
  EXPECT_EQ(sizes_text(p.layers), "64-128-10");
  EXPECT_EQ(p.training, OW_SOURCE_DIR "/configs/digits-train.yaml");
  ASSERT_TRUE(p.large.has_value());
  EXPECT_EQ(p.large->inputs, 1024);
  EXPECT_FALSE(load_params(OW_SOURCE_DIR "/configs/digits-2x2.yaml").large.has_value());
}

TEST(Params, NamesFileLineKeyAndLimit) {
  expect_in("key 'grid.colour' is not known; known here: columns, rows, samples_per_tile",
            complaint("  columns: 4", "  columns: 4\n  colour: 3"));
  expect_in(
      "key 'data.fiel' is not known; known here: file, format, held_out_modulo, "
      "held_out_remainder, labels, range, rows, scale, targets",
      complaint("  rows: 1797", "  fiel: x\n  rows: 1797"));
  expect_in("key 'sparse' is not known", complaint("grid:", "sparse: 1\ngrid:"));
  expect_in("key 'grid.rows' is missing", complaint("  rows: 4\n", ""));
  expect_in("key 'large_layer.seed' stands there twice",
            complaint("seed: 7", "seed: 7\n  seed: 2"));
  expect_in("key 'large_layer.inputs' must be a whole number from 1 to 65535, not 'many'",
            complaint("inputs: 1024", "inputs: many"));
  expect_in("not '1.5'", complaint("inputs: 1024", "inputs: 1.5"));
  expect_in("not '0'", complaint("inputs: 1024", "inputs: 0"));
  expect_in("key 'large_layer.density' must be a number above 0 to 1",
            complaint("density: 0.1", "density: 0"));
  expect_in("key 'network.training' trains what network.weights has: one of the two",
            complaint("[64, 128, 10]", "[64, 128, 10]\n  weights: w.safetensors"));
  expect_in("key 'network.layers' must be a list of 2 to 9 whole numbers",
            complaint("[64, 128, 10]", "64"));
  expect_in("key 'network.layers[1]' must be a whole number from 1 to 65535, not '-3'",
            complaint("[64, 128, 10]", "[64, -3, 10]"));
  expect_in("key 'network.activations' must be a list of 2 values, one a layer",
            complaint("[64, 128, 10]", "[64, 128, 10]\n  activations: [relu]"));
  expect_in("key 'network.activations[0]' must be none or relu, not 'tanh'",
            complaint("[64, 128, 10]", "[64, 128, 10]\n  activations: [tanh, none]"));
  expect_in("key 'network.type' must be binary16 or bfloat16, not 'half'",
            complaint("[64, 128, 10]", "[64, 128, 10]\n  type: half"));
  expect_in("key 'data.labels' is for IDX files",
            complaint("  rows: 1797", "  rows: 1797\n  labels: x.idx"));
  expect_in("key 'data.range[1]' must be a number from 3 to 1e+30, not '2'",
            complaint("range: [0, 16]", "range: [3, 2]"));
  expect_in("key 'data.format' must be csv, idx or safetensors, not 'xls'",
            complaint("  rows: 1797", "  rows: 1797\n  format: xls"));
  expect_in("key 'data.held_out_remainder' must be a whole number from 0 to 3",
            complaint("held_out_remainder: 3", "held_out_remainder: 4"));
  expect_in("key 'data' must hold keys and values", complaint("data:\n", "data: 5\nother:\n"));
  expect_in(":8: key 'data.rows'", complaint("  rows: 1797", "\n\n  rows: x"));
  expect_in("not YAML", complaint("[64, 128, 10]", "[64, 128, 10"));
}

TEST(Params, MissingFileIsBadInput) { EXPECT_THROW(load_params("/no/such/file.yaml"), BadInput); }

TEST(Params, CheckedBeforeAnySimulation) {
  RunParams params = load_params(kDigits);
  RunOptions options;
  options.firmware = OW_FIRMWARE_DIR "/stream_layer.elf";
  options.training = golden::training_run(OW_FIRMWARE_DIR "/train.elf");
  const Checked checked = check_run(params, options);
  EXPECT_EQ(checked.samples.samples(), 449u);
  EXPECT_EQ(checked.training_samples, 1348u);
  params.large->inputs = 4096;
  EXPECT_THROW(check_run(params, options), BadInput);
  params = load_params(kDigits);
  options.device = RunDevice::Monolithic;
  EXPECT_THROW(check_run(params, options), BadInput);
  options.device = RunDevice::Golden;
  options.firmware = "/no/such.elf";
  EXPECT_THROW(check_run(params, options), BadInput);
}

// A copy of configs/digits-train.yaml that takes all samples.
std::string training_without_held_out() {
  std::istringstream in(contents(OW_SOURCE_DIR "/configs/digits-train.yaml"));
  std::ostringstream out;
  for (std::string line; std::getline(in, line);) {
    if (line.find("held_out") != std::string::npos || line.find("evaluate_every") == 2) continue;
    const size_t data = line.find("../data");
    if (data != std::string::npos) line.replace(data, 2, OW_SOURCE_DIR);
    out << line << '\n';
  }
  return temporary_file("training.yaml", out.str());
}

// A training is of the network that is run, and of none of the samples.
TEST(Params, ANetworksTrainingFitsIt) {
  RunOptions options;
  options.firmware = OW_FIRMWARE_DIR "/stream_layer.elf";
  options.training = golden::training_run(OW_FIRMWARE_DIR "/train.elf");
  const auto refusal = [&](const std::function<void(RunParams*)>& change) -> std::string {
    RunParams params = load_params(kDigits);
    change(&params);
    try {
      check_run(params, options);
    } catch (const BadInput& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal([](RunParams*) {}), "");
  const std::string where = std::string(kDigits) + ": key 'network.training': ";
  for (const auto& change : std::vector<std::function<void(RunParams*)>>{
           [](RunParams* p) { p->layers[0].bias = false; },
           [](RunParams* p) { p->layers[0].activation = "none"; },
           [](RunParams* p) { p->layers[0].outputs = p->layers[1].inputs = 64; },
           [](RunParams* p) { p->layers.pop_back(); },
           [](RunParams* p) { p->type = HalfType::Bfloat16; }}) {
    const std::string what = refusal(change);
    expect_in(where, what);
    expect_in("digits-train.yaml trains another network: 64-128-10 in binary16", what);
  }
  expect_in("digits-train.yaml calls 'layers.1' what is 'out' here",
            refusal([](RunParams* p) { p->layers[1].name = "out"; }));
  for (const auto& change : std::vector<std::function<void(RunParams*)>>{
           [](RunParams* p) { p->held_out.reset(); },
           [](RunParams* p) { p->held_out->remainder = 2; }}) {
    expect_in("digits-train.yaml holds out other samples of the same file", refusal(change));
  }
  // One file is read alike.
  for (const auto& change : std::vector<std::function<void(RunParams*)>>{
           [](RunParams* p) { p->data.scale = 1; }, [](RunParams* p) { p->data.range.reset(); },
           [](RunParams* p) { p->data.range->second = 17; }}) {
    expect_in("digits-train.yaml has another data.scale or data.range for the same file",
              refusal(change));
  }
  const std::string all = training_without_held_out();
  expect_in(all + " holds out other samples of the same file",
            refusal([&all](RunParams* p) { p->training = all; }));
  expect_in(all + " holds out no samples of the same file", refusal([&all](RunParams* p) {
              p->training = all;
              p->held_out.reset();
            }));
  expect_in("key 'network.weights' is missing", refusal([](RunParams* p) { p->training.clear(); }));
  expect_in("digits.yaml is no training: key 'train' is missing",
            refusal([](RunParams* p) { p->training = kDigits; }));
  expect_in("none.yaml", refusal([](RunParams* p) { p->training = "none.yaml"; }));
  // The same file by another name.
  EXPECT_NE(refusal([](RunParams* p) {
              p->data.file = OW_SOURCE_DIR "/configs/../data/optdigits/digits.csv.gz";
              p->held_out->remainder = 2;
            }),
            "");
  EXPECT_THROW(
      [&] {
        RunOptions nobody = options;
        nobody.training.model = nullptr;
        make_network(check_run(load_params(kDigits), nobody), nobody);
      }(),
      InternalError);
}

}  // namespace
}  // namespace ow::jobs
