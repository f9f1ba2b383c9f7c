// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/run_job.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "messages.h"
#include "ow/base/error.h"
#include "ow/check/training_job.h"
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
  const std::string what = refusal_of([&] { read_job(path, false); });
  if (!what.empty()) expect_in(path, what);
  return what;
}

TEST(Params, ReadsTheRepositorysJobs) {
  const RunParams p = read_job(kDigits).network();
  EXPECT_EQ(p.grid.rows, 4);
  EXPECT_EQ(p.grid.cols, 4);
  EXPECT_EQ(p.samples, 32);
  EXPECT_EQ(sizes_text(p.layers), "64-128-10");
  EXPECT_EQ(p.training_file, OW_SOURCE_DIR "/configs/digits-train.yaml");
  ASSERT_NE(p.training, nullptr);
  EXPECT_EQ(p.training->base.path, p.training_file);
  ASSERT_TRUE(p.large.has_value());
  EXPECT_EQ(p.large->inputs, 1024);
  EXPECT_FALSE(read_job(OW_SOURCE_DIR "/configs/digits-2x2.yaml").network().large.has_value());
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
  expect_in("key 'data.labels' is for IDX and .npy files",
            complaint("  rows: 1797", "  rows: 1797\n  labels: x.idx"));
  expect_in("key 'data.range[1]' must be a number from 3 to 1e+30, not '2'",
            complaint("range: [0, 16]", "range: [3, 2]"));
  expect_in("key 'data.format' must be csv, idx, npy, npz, safetensors, tokens or text, not 'xls'",
            complaint("  rows: 1797", "  rows: 1797\n  format: xls"));
  expect_in("key 'data.held_out_remainder' must be a whole number from 0 to 3",
            complaint("held_out_remainder: 3", "held_out_remainder: 4"));
  expect_in("key 'data' must hold keys and values", complaint("data:\n", "data: 5\nother:\n"));
  expect_in(":8: key 'data.rows'", complaint("  rows: 1797", "\n\n  rows: x"));
  expect_in("not YAML", complaint("[64, 128, 10]", "[64, 128, 10"));
}

TEST(Params, MissingFileIsBadInput) { EXPECT_THROW(read_job("/no/such/file.yaml"), BadInput); }

TEST(Params, CheckedBeforeAnySimulation) {
  RunParams params = read_job(kDigits).network();
  RunOptions options =
      golden::network_run(OW_FIRMWARE_DIR "/forward.elf", OW_FIRMWARE_DIR "/train.elf");
  const Checked checked = check_run(params, options);
  EXPECT_EQ(checked.samples.samples(), 449u);
  ASSERT_TRUE(checked.checked_training);
  EXPECT_EQ(checked.checked_training->training.samples(), 1348u);
  params.large->inputs = 4096;
  EXPECT_THROW(check_run(params, options), BadInput);
  params = read_job(kDigits).network();
  options.firmware = "/no/such.elf";
  EXPECT_THROW(check_run(params, options), BadInput);
}

// The file that network.training names is read with the job, unless the weights come from
// elsewhere.
TEST(Params, AJobOwnsTheTrainingThatItNames) {
  const auto refusal = [](const std::string& named) {
    const std::string path = temporary_file(
        "named.yaml", "data: {file: x.csv}\nnetwork: {layers: [8, 4], training: " + named +
                          "}\ngrid: {rows: 2, columns: 1}\n");
    EXPECT_EQ(read_job(path, false).network().training, nullptr);
    return refusal_of([&] { read_job(path); });
  };
  expect_in(":2: key 'network.training' " + std::string(kDigits) +
                " is no training: key 'train' is missing",
            refusal(kDigits));
  expect_in("none.yaml: cannot be read", refusal("none.yaml"));
  EXPECT_EQ(refusal(OW_SOURCE_DIR "/configs/digits-train.yaml"), "");
  EXPECT_THROW(read_job(kDigits).training(), BadInput);
  EXPECT_THROW(read_job(OW_SOURCE_DIR "/configs/digits-train.yaml").network(), BadInput);
}

// A job comes through a pipe once, and so does the training that it names.
TEST(Params, AJobMayComeThroughAPipe) {
  const std::string pipe = testing::TempDir() + "ow_job_pipe_" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto through = [&](const std::string& text) {
    return std::thread([&pipe, text] { std::ofstream(pipe) << text; });
  };
  std::thread writer = through(contents(OW_SOURCE_DIR "/configs/digits-train.yaml"));
  const Job training = read_job(pipe);
  writer.join();
  ASSERT_TRUE(training.is_training());
  EXPECT_EQ(training.base().data.file, "../data/optdigits/digits.csv.gz")
      << "from the current directory";
  const std::string path = temporary_file(
      "piped.yaml", "data: {file: x.csv}\nnetwork: {layers: [64, 128, 10], training: " + pipe +
                        "}\ngrid: {rows: 2, columns: 1}\n");
  writer = through(contents(OW_SOURCE_DIR "/configs/digits-train.yaml"));
  const RunParams network = read_job(path).network();
  writer.join();
  ASSERT_NE(network.training, nullptr);
  EXPECT_EQ(network.training->steps, training.training().steps);
  std::filesystem::remove(pipe);
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

// Residuals and norms: trained, run, its weights written and read again.
TEST(Params, ANetworkThatBranchesRunsLikeAChain) {
  RunOptions options =
      golden::network_run(OW_FIRMWARE_DIR "/forward_graph.elf", OW_FIRMWARE_DIR "/train_graph.elf");
  options.limit = 100;
  options.save_weights = temporary_path("branching.safetensors");
  RunParams params;
  {
    TrainParams training = read_job(OW_SOURCE_DIR "/configs/digits-residual-train.yaml").training();
    training.steps = 3;
    params = training.base;
    params.training = std::make_shared<const TrainParams>(std::move(training));
  }
  const RunReport trained = run_network(params, options);
  EXPECT_EQ(trained.mismatches(), 0u);
  EXPECT_GT(trained.training->compared, 0u);
  EXPECT_EQ(trained.weights, 64u * 32 + 4 * 32 * 48 + 320);
  params.training = nullptr;
  options.weights = options.save_weights;
  options.save_weights.clear();
  const RunReport again = run_network(params, options);
  EXPECT_EQ(again.nonzero, trained.nonzero);
  EXPECT_EQ(again.right_golden, trained.right_golden);
  std::filesystem::remove(options.weights);
}

// A training is of the network that is run, and of none of the samples.
TEST(Params, ANetworksTrainingFitsIt) {
  RunOptions options =
      golden::network_run(OW_FIRMWARE_DIR "/forward.elf", OW_FIRMWARE_DIR "/train.elf");
  const auto refusal = [&](const std::function<void(RunParams*)>& change) {
    RunParams params = read_job(kDigits).network();
    change(&params);
    return refusal_of([&] { check_run(params, options); });
  };
  EXPECT_EQ(refusal([](RunParams*) {}), "");
  const std::string where = std::string(kDigits) + ": key 'network.training': ";
  for (const auto& change : std::vector<std::function<void(RunParams*)>>{
           [](RunParams* p) { p->layers[0].bias = false; },
           [](RunParams* p) { p->layers[0].activation = "none"; },
           [](RunParams* p) { p->layers[0].outputs = p->layers[1].inputs = 64; },
           [](RunParams* p) { p->layers.pop_back(); },
           [](RunParams* p) { p->layers[0].inputs = 65; },
           [](RunParams* p) { p->type = HalfType::Bfloat16; }}) {
    const std::string what = refusal(change);
    expect_in(where, what);
    expect_in("digits-train.yaml trains another network: 64-128-10 in binary16", what);
  }
  expect_in(
      "64-128-10 in binary16, with 'layers.1: linear(layers.0.relu), bias 1, copies 1, "
      "outputs 10' where this one has 'out: linear(layers.0.relu)",
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
  const auto trained_by = [](const std::string& file, RunParams* p) {
    p->training_file = file;
    p->training = std::make_shared<const TrainParams>(read_job(file).training());
  };
  expect_in(all + " holds out other samples of the same file",
            refusal([&](RunParams* p) { trained_by(all, p); }));
  expect_in(all + " holds out no samples of the same file", refusal([&](RunParams* p) {
              trained_by(all, p);
              p->held_out.reset();
            }));
  expect_in("key 'network.weights' is missing", refusal([](RunParams* p) { p->training.reset(); }));
  // The same file by another name.
  EXPECT_NE(refusal([](RunParams* p) {
              p->data.file = OW_SOURCE_DIR "/configs/../data/optdigits/digits.csv.gz";
              p->held_out->remainder = 2;
            }),
            "");
  EXPECT_THROW(
      [&] {
        RunOptions nobody = options;
        nobody.model = nullptr;
        make_weights(check_run(read_job(kDigits).network(), nobody), nobody);
      }(),
      InternalError);
}

}  // namespace
}  // namespace ow::jobs
