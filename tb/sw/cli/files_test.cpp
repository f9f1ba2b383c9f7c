// SPDX-License-Identifier: Apache-2.0
// What a command writes replaces nothing that it reads, and nothing else that it writes.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ow/base/file.h"
#include "program.h"

namespace ow {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTraining = R"(
data: {file: SOURCE/data/optdigits/digits.csv.gz, scale: 16, rows: 1797, held_out_modulo: 4,
       held_out_remainder: 3}
network: {layers: [64, 10]}
grid: {rows: 2, columns: 2, samples_per_tile: 8}
train: {seed: 1, steps: 2, optimizer: {kind: sgd, rate: 0.1}}
)";
constexpr const char* kNetwork = R"(
data: {file: SOURCE/data/optdigits/digits.csv.gz, scale: 16, rows: 1797, held_out_modulo: 4,
       held_out_remainder: 3}
network: {layers: [64, 10], KEY}
grid: {rows: 2, columns: 2, samples_per_tile: 8}
)";

std::string with(std::string text, const std::string& key, const std::string& value) {
  text.replace(text.find(key), key.size(), value);
  return text;
}

// A directory with jobs, weights and a model, in which every command is run.
class Files : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = temporary("files");
    fs::create_directories(directory_ + "/other");
    const std::string network = with(kNetwork, "SOURCE", OW_SOURCE_DIR);
    write_file(directory_ + "/t.yaml", with(kTraining, "SOURCE", OW_SOURCE_DIR));
    write_file(directory_ + "/j.yaml", with(network, "KEY", "training: t.yaml"));
    write_file(directory_ + "/k.yaml", with(network, "KEY", "weights: w"));
    fs::copy_file(OW_SOURCE_DIR "/configs/wafer-2x2.yaml", directory_ + "/wafer-2x2.yaml");
    write_file(directory_ + "/net", "no netlist\n");
    write_file(directory_ + "/vectors", "3C00 3C00 4000 00\n");
    write_file(directory_ + "/a.jsonl", "{\"step\":0,\"loss\":2}\n");
    for (const char* arguments : {"run t.yaml --mode train --device golden --model-dir m",
                                  "run j.yaml --device golden --save-weights w"}) {
      const Result made = run(arguments);
      ASSERT_EQ(made.status, 0) << arguments << ":\n" << made.output;
    }
  }
  static void TearDownTestSuite() { fs::remove_all(directory_); }

  static Result run(const std::string& arguments) {
    return run_ow(arguments, "cd '" + directory_ + "' &&");
  }

  // All files by their names.
  static std::map<std::string, std::string> contents() {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
      if (entry.is_regular_file()) all[entry.path().string()] = read_text(entry.path().string());
    }
    return all;
  }

  // Every command is refused in a line with this text, and changes no file.
  static void refused(const std::string& text, const std::vector<std::string>& commands) {
    const auto before = contents();
    for (const std::string& arguments : commands) {
      const Result r = run(arguments);
      EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
      EXPECT_EQ(lines(r.output), 1) << arguments << ":\n" << r.output;
      EXPECT_NE(r.output.find(text), std::string::npos) << arguments << ":\n" << r.output;
      EXPECT_TRUE(contents() == before) << arguments;
    }
  }

  static std::string directory_;
};

std::string Files::directory_;

TEST_F(Files, OfAModelStay) {
  const std::string predict = "run t.yaml --mode predict --device golden --model-dir m ";
  const std::string resume = "run t.yaml --mode train --device golden --model-dir m --resume ";
  const std::string last = "m/checkpoint-000000000002.safetensors";
  refused("would replace a file that is read (--model-dir)",
          {predict + "--save-outputs " + last, predict + "--json " + last,
           resume + "--json " + last, resume + "--metrics ./" + last, resume + "--plan " + last});
  refused(" is the file of --model-dir, too",
          {predict + "--save-outputs m/metrics.jsonl", predict + "--save-outputs m/plan.json",
           predict + "--json m/metrics.jsonl", predict + "--json m/../m/plan.json",
           predict + "--json m/predictions.safetensors", resume + "--json m/plan.json",
           resume + "--json m/checkpoint-000000000003.safetensors",
           "run t.yaml --mode train --device golden --model-dir other --json other/metrics.jsonl"});
  // Under its own option each may be named.
  const Result named = run(resume + "--metrics m/metrics.jsonl --plan m/plan.json --json out");
  EXPECT_EQ(named.status, 0) << named.output;
  const Result predicted = run(predict + "--save-outputs m/predictions.safetensors");
  EXPECT_EQ(predicted.status, 0) << predicted.output;
}

TEST_F(Files, OfAJobAreNotReplaced) {
  refused("would replace a file that is read (network.weights)",
          {"run k.yaml --json w", "run k.yaml --save-outputs ./w", "run k.yaml --plan w",
           "run k.yaml --record w", "estimate k.yaml --json w"});
  refused("would replace a file that is read (--weights)",
          {"run j.yaml --weights w --json w", "run j.yaml --weights w --save-outputs other/../w"});
  refused("would replace a file that is read (network.training)",
          {"run j.yaml --json t.yaml", "run j.yaml --save-weights t.yaml",
           "run j.yaml --save-outputs t.yaml", "run j.yaml --record t.yaml",
           "run j.yaml --plan t.yaml"});
  refused("would replace a file that is read (parameters)",
          {"estimate j.yaml --json j.yaml", "estimate t.yaml --json other/../t.yaml",
           "run t.yaml --mode train --json t.yaml", "run j.yaml --save-weights j.yaml"});
  const Result saved = run("run k.yaml --device golden --save-weights w");
  EXPECT_EQ(saved.status, 0) << "weights may take the place of those that were read\n"
                             << saved.output;
}

TEST_F(Files, OfOtherCommandsAreNotReplaced) {
  refused("would replace a file that is read (",
          {"yield --wafer wafer-2x2.yaml --json wafer-2x2.yaml", "faults net --json net",
           "fp --op f16_add < vectors --json vectors", "plot a.jsonl --svg a.jsonl",
           "bringup --wafer wafer-2x2.yaml --json wafer-2x2.yaml"});
}

TEST_F(Files, ThatAreNotThereYetAreTheSameUnderAllNames) {
  const std::string train = "run t.yaml --mode train --device golden ";
  const std::string bringup = "bringup --wafer wafer-2x2.yaml ";
  refused(" is the file of --plan, too",
          {train + "--plan x --json x", train + "--plan x --json ./x",
           "run j.yaml --plan x --save-outputs x", "run j.yaml --plan other/../x --save-weights x",
           train + "--plan x --metrics x"});
  refused(" is the file of --metrics, too",
          {train + "--metrics a --json a", train + "--metrics ./a --json a"});
  refused(" is the file of --svg, too",
          {"plot a.jsonl --svg a --json ./a", bringup + "--svg a --json other/../a"});
  refused(" is the file of --save-weights, too",
          {"run j.yaml --save-weights o --save-outputs ./o",
           "run j.yaml --save-weights " + directory_ + "/o --save-outputs o"});
  refused(" is the file of --record, too", {"run j.yaml --record x --machine sim,save=./x"});
  refused(
      " is the file of record= of --machine, too",
      {"run j.yaml --machine sim,record=x,save=./x", "run j.yaml --machine sim,record=x --json x"});
  refused(" is the file of save= of --device, too",
          {"run j.yaml --device sim,save=x --heat-map x"});
  refused("would replace a file that is read (restore= of --machine)",
          {"run j.yaml --machine sim,restore=w,record=w"});
  refused(" is the file of --map, too", {bringup + "--map x --svg ./x"});
}

// Names of files are bytes, and JSON is UTF-8.
TEST_F(Files, MayHaveNamesThatAreNotUtf8) {
  const std::string odd = "$(printf 'h\\377')";
  write_file(directory_ + "/h\377.jsonl", "{\"step\":0,\"loss\":2}\n");
  fs::copy_file(OW_FIRMWARE_DIR "/train.elf", directory_ + "/h\377.elf");
  for (const std::string& arguments :
       {"plot " + odd + ".jsonl --svg svg --json json",
        "plot a.jsonl --svg svg --json json --name " + odd,
        "run t.yaml --mode train --device golden --model-dir " + odd + " --json json",
        "run t.yaml --mode train --device golden --compile-only --plan plan --json json "
        "--firmware " +
            odd + ".elf"}) {
    const Result r = run(arguments);
    EXPECT_EQ(r.status, 0) << arguments << ":\n" << r.output;
    const std::string text = read_text(directory_ + "/json");
    EXPECT_TRUE(nlohmann::json::accept(text)) << arguments << ":\n" << text;
    EXPECT_NE(text.find("h\xEF\xBF\xBD"), std::string::npos) << arguments << ":\n" << text;
    fs::remove(directory_ + "/json");
  }
}

// The programs of the tiles beside the program count, and not those where it was built.
TEST_F(Files, OfABuildTreeMayBeMoved) {
  const std::string moved = directory_ + "/moved";
  fs::create_directories(moved + "/firmware");
  fs::copy_file(OW_PROGRAM, moved + "/ow");
  for (const char* name : {"train", "forward"}) {
    write_file(moved + "/firmware/" + name + ".elf", "no program\n");
  }
  for (const char* arguments : {"run t.yaml --mode train --compile-only", "estimate t.yaml",
                                "run k.yaml --validate-only", "estimate k.yaml"}) {
    const Result r = run_ow(arguments, "cd '" + directory_ + "' &&", "moved/ow");
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_NE(r.output.find("/moved/firmware/"), std::string::npos) << arguments << ":\n"
                                                                    << r.output;
  }
  fs::remove_all(moved);
}

// Reaching the shell's limit for the size of files is no signal that kills. No file is left, and no
// part of one.
// A network runs with the weights of a training's checkpoint, unless that is damaged.
TEST_F(Files, OfATrainingAreWeightsOfANetwork) {
  const std::string last = "m/checkpoint-000000000002.safetensors";
  const Result r = run("run k.yaml --device golden --weights " + last);
  EXPECT_EQ(r.status, 0) << r.output;
  std::string damaged = read_text(directory_ + "/" + last);
  damaged[damaged.size() - 60] ^= 1;  // of the last arrays, which are the moments' or biases'
  write_file(directory_ + "/damaged", damaged);
  refused("is damaged: its check sum differs", {"run k.yaml --device golden --weights damaged"});
  fs::remove(directory_ + "/damaged");
}

TEST_F(Files, ThatMayNotGrowAreBadInput) {
  fs::create_directories(directory_ + "/small");
  const std::pair<std::string, std::string> cases[] = {
      {"info --registers --json json", "json: cannot be written: File too large"},
      {"info --registers > out", "standard output: File too large"},
      {"run ../t.yaml --mode train --device golden --model-dir m", "File too large"},
      {"run ../j.yaml --device golden --save-weights w", "w: cannot be written: File too large"},
  };
  for (const auto& [arguments, text] : cases) {
    const Result r = run_ow(arguments, "cd '" + directory_ + "/small' && ulimit -f 1 &&");
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_NE(r.output.find(text), std::string::npos) << arguments << ":\n" << r.output;
    fs::remove(directory_ + "/small/out");
    for (const auto& entry : fs::recursive_directory_iterator(directory_ + "/small")) {
      EXPECT_FALSE(entry.is_regular_file()) << arguments << ": " << entry.path();
    }
  }
}

// More samples, and longer metrics, than there is memory for.
TEST_F(Files, WithoutMemoryAJobIsBadInput) {
  constexpr uintmax_t kSamples = 0x100000, kPixels = 64;
  const std::string images = directory_ + "/x-idx3-ubyte", labels = directory_ + "/y-idx1-ubyte";
  using namespace std::string_literals;
  write_file(images, "\0\0\x08\x03\0\x10\0\0\0\0\0\x08\0\0\0\x08"s);
  write_file(labels, "\0\0\x08\x01\0\x10\0\0"s);
  fs::resize_file(images, 16 + kSamples * kPixels);
  fs::resize_file(labels, 8 + kSamples);
  write_file(directory_ + "/large.jsonl", "");
  fs::resize_file(directory_ + "/large.jsonl", uintmax_t{1} << 29);
  write_file(directory_ + "/large.yaml",
             "data: {file: x-idx3-ubyte, labels: y-idx1-ubyte}\n"
             "network: {layers: [64, 10]}\n"
             "grid: {rows: 2, columns: 2, samples_per_tile: 8}\n"
             "train: {seed: 1, steps: 2, optimizer: {kind: sgd, rate: 0.1}}\n");
  const std::pair<std::string, std::string> cases[] = {
      {"run large.yaml --mode train --device golden",
       "large.yaml: not enough memory; train.store.directory keeps the weights in a file"},
      {"plot large.jsonl --svg svg", "ow: bad input: not enough memory"},
  };
  for (const auto& [arguments, text] : cases) {
    const Result r = run_ow(arguments, "cd '" + directory_ + "' && ulimit -v 300000 &&");
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_NE(r.output.find(text), std::string::npos) << arguments << ":\n" << r.output;
  }
}

}  // namespace
}  // namespace ow
