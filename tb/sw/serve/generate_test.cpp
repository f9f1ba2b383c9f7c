// SPDX-License-Identifier: Apache-2.0
// `ow generate` as its users run it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/temporary_directory.h"
#include "ow/text/tokenizer.h"
#include "program.h"

namespace ow {
namespace {

const std::string kFolder = OW_SOURCE_DIR "/data/models/carroll";
const std::string kAlice = " --prompt 'Alice was beginning to'";

Result generate(const std::string& arguments, const std::string& folder = kFolder) {
  return run_ow("generate --model '" + folder + "' " + arguments);
}

struct Answer {
  nlohmann::json result;
  std::string output;
};

Answer answer_to(const std::string& arguments) {
  const TemporaryDirectory directory;
  const std::string json = directory.path() + "/result.json";
  const Result r = generate(arguments + " --json " + json);
  EXPECT_EQ(r.status, 0) << r.output;
  return {r.status == 0 ? read_json(json) : nlohmann::json(), r.output};
}

TEST(Generate, GivesTheTextOfTheProgramThatTheModelIsFrom) {
  const nlohmann::json greedy = read_json(kFolder + "/greedy.json");
  const Answer a = answer_to(kAlice + " --max-tokens 100");
  EXPECT_EQ(a.result["prompt_tokens"], greedy["prompt"]);
  EXPECT_EQ(a.result["tokens"], greedy["tokens"]);
  EXPECT_EQ(a.result["region"], "4x4");
  EXPECT_EQ(a.result["device"], "golden");
  EXPECT_EQ(a.result["type"], "binary16");
  EXPECT_EQ(a.result["finish"], "length");
  // The prompt and what follows it are one text.
  std::vector<int> all = greedy["prompt"], tokens = greedy["tokens"];
  all.insert(all.end(), tokens.begin(), tokens.end());
  const std::string text = Tokenizer(kFolder + "/tokenizer.json").decode(all);
  EXPECT_EQ("Alice was beginning to" + a.result["text"].get<std::string>(), text);
  EXPECT_EQ(a.output.substr(0, text.size()), text);
  EXPECT_NE(a.output.find("\n\n100 tokens after 5 of the prompt in "), std::string::npos);
}

TEST(Generate, DrawsTokensThatDependOnTheSeed) {
  const std::string drawn = kAlice + " --max-tokens 40 --temperature 0.9 --top-k 50 --top-p 0.95";
  const nlohmann::json one = answer_to(drawn + " --seed 1").result["tokens"];
  EXPECT_EQ(answer_to(drawn + " --seed 1").result["tokens"], one);
  EXPECT_NE(answer_to(drawn + " --seed 2").result["tokens"], one);
  EXPECT_NE(answer_to(kAlice + " --max-tokens 40").result["tokens"], one);
  // Only one token is left to draw.
  EXPECT_EQ(answer_to(kAlice + " --max-tokens 40 --temperature 2 --top-k 1").result["tokens"],
            answer_to(kAlice + " --max-tokens 40").result["tokens"]);
}

TEST(Generate, EndsBeforeAStopStringAndWithTheContext) {
  const nlohmann::json stopped =
      answer_to(kAlice + " --stop 'little fellow' --stop nowhere").result;
  EXPECT_EQ(stopped["finish"], "stop");
  const std::string text = stopped["text"];
  ASSERT_GE(text.size(), 7u);
  EXPECT_EQ(text.substr(text.size() - 7), "much a ");
  const nlohmann::json whole = answer_to(kAlice).result;
  EXPECT_EQ(whole["finish"], "length");
  EXPECT_EQ(whole["tokens"].size(), 123u);
  EXPECT_EQ(whole["text"].get<std::string>().substr(0, text.size()), text);
}

TEST(Generate, EndsWithTheModelsToken) {
  // One that comes in the text of greedy.json counts as its end, by either file.
  const TemporaryDirectory directory;
  for (const char* name : {"model.safetensors", "tokenizer.json"}) {
    write_file(directory.path() + "/" + name, read_text(kFolder + "/" + name));
  }
  nlohmann::json config = read_json(kFolder + "/config.json");
  config["eos_token_id"] = {3, 388};
  write_file(directory.path() + "/config.json", config.dump());
  EXPECT_NE(generate(kAlice, directory.path()).output.find("\n\n6 tokens"), std::string::npos);
  write_file(directory.path() + "/generation_config.json", "{\"eos_token_id\": 373}");
  EXPECT_NE(generate(kAlice, directory.path()).output.find("\n\n3 tokens"), std::string::npos);
  write_file(directory.path() + "/generation_config.json", "{\"eos_token_id\": \"x\"}");
  const Result r = generate(kAlice, directory.path());
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.output, "ow: bad input: " + directory.path() +
                          "/generation_config.json: 'eos_token_id' must be a token's number or a "
                          "list of them, not \"x\"\n");
}

TEST(Generate, RegionsAndTypesAreChosen) {
  const nlohmann::json a =
      answer_to(kAlice + " --max-tokens 4 --region 2x1 --type bfloat16").result;
  EXPECT_EQ(a["region"], "2x1");
  EXPECT_EQ(a["type"], "bfloat16");
}

// Every logit is compared as it comes: a difference would be a status of 1.
TEST(Generate, OnTilesComparesEveryLogitWithGolden) {
  const Answer a = answer_to(kAlice + " --max-tokens 2 --device sim:8x12");
  EXPECT_EQ(a.result["device"], "sim:8x12");
  EXPECT_EQ(a.result["logits_compared"], 2 * 1024);
  EXPECT_EQ(a.result["logits_that_differ"], 0);
  EXPECT_GT(a.result["cycles_per_token"], 1000);
  EXPECT_NE(a.output.find("2048 logits compared: all bits are golden's\n"), std::string::npos);
}

// A text of a hundred tokens in at most six minutes of one core.
TEST(Generate, OnTilesGivesTheTextOfTheProgramThatTheModelIsFrom) {
  const nlohmann::json greedy = read_json(kFolder + "/greedy.json");
  const Answer a = answer_to(kAlice + " --max-tokens 100 --device sim:8x12");
  EXPECT_EQ(a.result["logits_compared"], 100 * 1024);
  EXPECT_EQ(a.result["logits_that_differ"], 0);
  EXPECT_LE(a.result["processor_seconds"], 360);
  // After the same tokens it chooses the same one. At one near-tie it may go another way.
  const std::vector<int> theirs = greedy["tokens"], ours = a.result["tokens"];
  ASSERT_EQ(ours.size(), theirs.size());
  const auto [other, unused] = std::mismatch(ours.begin(), ours.end(), theirs.begin());
  EXPECT_GE(other - ours.begin(), 99);
}

TEST(Generate, RefusesBadInputInOneLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {kAlice + " --region 2", "--region: '2' is not ROWSxCOLUMNS, as 2x2"},
      {kAlice + " --region 2x2x", "--region: '2x2x' is not ROWSxCOLUMNS, as 2x2"},
      {kAlice + " --region 0x1", "language model: a region has at least 1 x 1 tiles"},
      {kAlice + " --region 2x3",
       "language model: a region of 3 columns must divide, or be a multiple of, its 4 heads"},
      {kAlice + " --device sim:4x12",
       "5 regions of 4 x 4 tiles need 5 places; 4 x 12 tiles have 3"},
      {kAlice + " --device sim", "--device sim: needs the grid, as sim:2x2"},
      {kAlice + " --max-tokens 124",
       "a prompt of 5 tokens and an answer of 124: a context has at most 128 positions"},
      {" --prompt ''", "the prompt has no token"},
      {kAlice + " --top-p 0", "top_p 0.000000 is not above 0 and at most 1"},
      {kAlice + " --stop ''", "an empty stop string"},
  };
  for (const auto& [arguments, message] : cases) {
    const Result r = generate(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(r.output, "ow: bad input: " + message + "\n") << arguments;
  }
  for (const std::string other : {"--load direct", "--num-wafers 2"}) {
    for (const char* option : {"record", "save", "restore"}) {
      const Result r =
          generate(fmt::format("{} {} --device sim:8x12,{}=/nowhere/file", kAlice, other, option));
      EXPECT_EQ(r.status, 2) << other << " " << option;
      EXPECT_EQ(r.output, "ow: bad input: " + other + ": not with record=, save= or restore=\n");
    }
  }
  const Result split = generate(kAlice + " --num-wafers 2 --device sim:8x12,split=2");
  EXPECT_EQ(split.status, 2);
  EXPECT_EQ(split.output, "ow: bad input: --num-wafers 2: not with split=\n");
  for (const std::string arguments :
       {"", " --device gpu", " --device sim-mini:8x12", " --max-tokens 0", " --temperature -1",
        " --top-k 0", " --type float32"}) {
    const Result r = generate((arguments.empty() ? "" : kAlice) + arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(lines(r.output), 1) << r.output;
  }
  const Result r = generate(kAlice, "/nowhere");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(lines(r.output), 1) << r.output;
}

TEST(Generate, ReplacesNoFileOfTheModelAndWritesEachFileOnce) {
  const TemporaryDirectory directory;
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.json"}) {
    write_file(directory.path() + "/" + name, read_text(kFolder + "/" + name));
  }
  const std::string config = directory.path() + "/config.json", file = directory.path() + "/f";
  const std::string before = read_text(config);
  const std::string replaces = ": would replace a file that is read (--model)";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"record=" + config, "record= of --device " + config + replaces},
      {"save=" + config, "save= of --device " + config + replaces},
      {"save=" + file + ",record=" + file,
       "save= of --device " + file + ": is the file of record= of --device, too"},
      {"record=" + file + " --json " + file,
       "--json " + file + ": is the file of record= of --device, too"},
      {"restore=" + config + ",record=" + config,
       "record= of --device " + config +
           ": would replace a file that is read (restore= of --device)"},
      {"record=/nowhere/f", "/nowhere/f: cannot be written: No such file or directory"},
  };
  for (const auto& [option, message] : cases) {
    const Result r = generate(kAlice + " --device sim:8x12," + option, directory.path());
    EXPECT_EQ(r.status, 2) << option;
    EXPECT_EQ(r.output, "ow: bad input: " + message + "\n") << option;
    EXPECT_EQ(read_text(config), before);
    EXPECT_THROW(read_text(file), BadInput) << option;
  }
}

TEST(Generate, ARecordingThatIsLostIsNoSuccess) {
  const Result r = generate(kAlice + " --max-tokens 1 --device sim:8x12,record=/dev/full");
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_NE(r.output.find("ow: bad input: /dev/full: cannot be written: No space left on device\n"),
            std::string::npos)
      << r.output;
}

}  // namespace
}  // namespace ow
