// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/params.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "ow/base/error.h"
#include "ow/compile/network_run.h"

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
  const std::string path = testing::TempDir() + std::to_string(getpid()) + "_params.yaml";
  std::ofstream(path) << text;
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
  EXPECT_EQ(p.training->layers, (std::vector<int>{64, 128, 10}));
  ASSERT_TRUE(p.large.has_value());
  EXPECT_EQ(p.large->inputs, 1024);
  EXPECT_FALSE(load_params(OW_SOURCE_DIR "/configs/digits-2x2.yaml").large.has_value());
}

TEST(Params, NamesFileLineKeyAndLimit) {
  expect_in("key 'grid.colour' is not known; known here: columns, rows, samples_per_tile",
            complaint("  columns: 4", "  columns: 4\n  colour: 3"));
  expect_in("key 'sparse' is not known", complaint("grid:", "sparse: 1\ngrid:"));
  expect_in("key 'grid.rows' is missing", complaint("  rows: 4\n", ""));
  expect_in("key 'training.seed' stands there twice", complaint("seed: 1", "seed: 1\n  seed: 2"));
  expect_in("key 'training.epochs' must be a whole number from 1 to 10000, not 'many'",
            complaint("epochs: 200", "epochs: many"));
  expect_in("not '1.5'", complaint("epochs: 200", "epochs: 1.5"));
  expect_in("not '0'", complaint("epochs: 200", "epochs: 0"));
  expect_in("key 'training.sparsity' must be a number from 0 to 0.999, not '1'",
            complaint("sparsity: 0.85", "sparsity: 1"));
  expect_in("key 'training.learning_rate' must be a number above 0 to 1",
            complaint("learning_rate: 0.004", "learning_rate: 0"));
  expect_in("key 'training.prune_end' must be a whole number from 20 to 200",
            complaint("prune_end: 130", "prune_end: 10"));
  expect_in("key 'training.prune_end' must be above prune_begin (20) and at most epochs (200)",
            complaint("prune_end: 130", "prune_end: 20"));
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
  expect_in("key 'training' trains networks with a bias everywhere",
            complaint("[64, 128, 10]", "[64, 128, 10]\n  bias: [true, false]"));
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
  const Checked checked = check_run(params, options);
  EXPECT_EQ(checked.samples.samples(), 449u);
  EXPECT_EQ(checked.training.samples(), 1348u);
  params.large->inputs = 4096;
  EXPECT_THROW(check_run(params, options), BadInput);
  params = load_params(kDigits);
  options.device = RunDevice::Monolithic;
  EXPECT_THROW(check_run(params, options), BadInput);
  options.device = RunDevice::Golden;
  options.firmware = "/no/such.elf";
  EXPECT_THROW(check_run(params, options), BadInput);
}

}  // namespace
}  // namespace ow::jobs
