// SPDX-License-Identifier: Apache-2.0
// The program `ow` from outside: exit statuses, one-line errors, JSON files.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "ow/base/file.h"
#include "program.h"

namespace ow {
namespace {

TEST(Cli, VersionAndHelpSucceed) {
  EXPECT_EQ(run_ow("--version").status, 0);
  EXPECT_EQ(run_ow("--help").status, 0);
  for (const std::string name : {"info", "run", "elf", "fp", "plot"}) {
    const Result r = run_ow(name + " --help");
    EXPECT_EQ(r.status, 0) << name;
    EXPECT_NE(r.output.find("--json"), std::string::npos) << name << ":\n" << r.output;
  }
}

TEST(Cli, WrongArgumentsAreBadInputInOneLine) {
  for (const std::string arguments : {"", "nothing", "info --colour", "run", "elf"}) {
    const Result r = run_ow(arguments);
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_EQ(lines(r.output), 1) << arguments << ":\n" << r.output;
    EXPECT_EQ(r.output.find("ow: bad input: "), 0u) << r.output;
  }
  EXPECT_NE(run_ow("nothing").output.find("nothing"), std::string::npos);
}

TEST(Cli, OutputThatIsLostIsNoSuccess) {
  for (const std::string arguments : {"info", "fp --gen f16_add --count 100000"}) {
    const Result r = run_ow(arguments + " > /dev/full");
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(r.output, "ow: bad input: standard output: No space left on device\n") << arguments;
  }
}

TEST(Cli, HelpThatIsLostIsNoSuccess) {
  std::vector<std::string> calls = {"--help", "--version"};
  for (const char* name :
       {"bringup", "elf", "estimate", "faults", "fp", "info", "plot", "run", "yield"}) {
    calls.push_back(std::string(name) + " --help");
  }
  for (const std::string& arguments : calls) {
    EXPECT_EQ(run_ow(arguments + " > /dev/null").status, 0) << arguments;
    const Result r = run_ow(arguments + " > /dev/full");
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(r.output, "ow: bad input: standard output: No space left on device\n") << arguments;
  }
}

TEST(Cli, BadFilesAreNamedInOneLine) {
  const std::string text = temporary("text.elf");
  std::ofstream(text) << "not an ELF file\n";
  for (const std::string arguments :
       {"elf /nonexistent/program.elf", "run --params /nonexistent/job.yaml"}) {
    const Result r = run_ow(arguments);
    EXPECT_EQ(r.status, 2) << r.output;
    EXPECT_EQ(lines(r.output), 1) << r.output;
    EXPECT_NE(r.output.find("/nonexistent/"), std::string::npos) << r.output;
  }
  const Result r = run_ow("elf " + text);
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_NE(r.output.find(text + ": not an ELF file"), std::string::npos) << r.output;
  std::remove(text.c_str());
}

TEST(Cli, ResultsGoIntoAJsonFile) {
  const std::string path = temporary("info.json");
  ASSERT_EQ(run_ow("info --json " + path).status, 0);
  std::ifstream file(path);
  const nlohmann::json j = nlohmann::json::parse(file);
  EXPECT_EQ(j.at("lanes"), 8);
  EXPECT_EQ(j.at("sram_bytes"), 49152);
  std::remove(path.c_str());
  const Result r = run_ow("info --json /nonexistent/info.json");
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_NE(r.output.find("/nonexistent/info.json: cannot be written"), std::string::npos)
      << r.output;
  EXPECT_EQ(lines(r.output), 1) << "known before the work:\n" << r.output;
  // What is no regular file is written to, not replaced.
  EXPECT_EQ(run_ow("info --json /dev/null").status, 0);
  struct stat is {};
  ASSERT_EQ(stat("/dev/null", &is), 0);
  EXPECT_TRUE(S_ISCHR(is.st_mode));
  // Nor is standard output, though it be a regular file; its name is a link where there is one.
  if (lstat("/dev/stdout", &is) != 0 || !S_ISLNK(is.st_mode)) return;
  EXPECT_EQ(run_ow("info --json /dev/stdout > " + path).status, 0);
  EXPECT_NE(read_text(path).find("\"sram_bytes\": 49152"), std::string::npos);
  ASSERT_EQ(lstat("/dev/stdout", &is), 0);
  EXPECT_TRUE(S_ISLNK(is.st_mode));
  std::remove(path.c_str());
}

TEST(Cli, JsonGoesToStandardOutputAlone) {
  for (const char* command : {"info", "yield --wafers 10"}) {
    const Result r = run_ow(std::string(command) + " --json - 2>/dev/null");
    EXPECT_EQ(r.status, 0) << r.output;
    EXPECT_TRUE(nlohmann::json::accept(r.output)) << r.output;
    const Result both = run_ow(std::string(command) + " --json -");
    EXPECT_GT(both.output.size(), r.output.size()) << "what is printed is not lost";
  }
  EXPECT_FALSE(std::filesystem::exists("-"));
  EXPECT_EQ(run_ow("info --json - > /dev/full").status, 2);
  // Other files have names.
  for (const char* command : {"bringup --wafer x.yaml --map -", "plot -", "plot x --svg -"}) {
    const Result r = run_ow(command);
    EXPECT_EQ(r.status, 2) << command;
    EXPECT_EQ(lines(r.output), 1) << r.output;
    EXPECT_NE(r.output.find("must be a file's name, not '-': /dev/stdin and /dev/stdout are"),
              std::string::npos)
        << r.output;
  }
}

// A link is written through, and the file keeps its mode.
TEST(Cli, ResultsReplaceTheFileBehindALinkAndKeepItsMode) {
  const std::string file = temporary("private.json"), link = temporary("link.json");
  write_file(file, "old");
  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  std::filesystem::remove(link);
  std::filesystem::create_symlink(file, link);
  ASSERT_EQ(run_ow("info --json " + link).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(nlohmann::json::accept(read_text(file)));
  struct stat is {};
  ASSERT_EQ(stat(file.c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 07777, 0640u);
  std::filesystem::remove(link);
  std::filesystem::remove(file);
}

// Fails if negative or huge numbers are taken, or an error names the wrong key.
TEST(Cli, WrongNumbersAndFilesAreRefusedBeforeTheWork) {
  const std::string wafer = OW_SOURCE_DIR "/configs/wafer-2x2.yaml";
  const std::string params = "run --params " OW_SOURCE_DIR "/configs/digits.yaml ";
  const std::string unknown = temporary("unknown.yaml");
  std::ofstream(unknown) << std::ifstream(wafer).rdbuf() << "colour: {}\n";
  const std::string huge = temporary("huge.yaml");
  std::ofstream(huge) << "wafer: {reticle_rows: 1024, reticle_columns: 1024}\n"
                         "reticle: {rows: 16, columns: 16}\n";
  const std::string wide = temporary("wide.yaml");
  std::ofstream(wide) << "wafer: {reticle_rows: 1, reticle_columns: 1}\n"
                         "reticle: {rows: 1, columns: 256}\n";
  const std::pair<std::string, std::string> cases[] = {
      {"yield --wafers 0", "--wafers: must be a whole number from 1 to 10000000, not 0"},
      {"yield --wafers -1", "not -1"},
      {"yield --reticle-rows -1", "--reticle-rows: must be a whole number from 1 to 1024, not -1"},
      {"yield --reticle-rows 1024 --reticle-columns 1024 --rows 1024 --columns 1024 --wafers 1",
       "tiles, the limit is 16777216"},
      {"bringup --mini --wafer " + huge, "huge.yaml: wafer: "},
      {"bringup --mini --wafer " + huge, "GB of memory, the limit here is"},
      {"bringup --mini --wafer " + wide,
       "wide.yaml: wafer: physical columns of a reticle must be at most 255, not 257"},
      {"run --params " OW_SOURCE_DIR "/configs/digits-train.yaml",
       "--mode eval: which weights? (--model-dir DIR; --mode train trains)"},
      {"fp --gen f16_add --count -1", "--count: must be a whole number from 1 to"},
      {"fp --gen f16_add --count 999999999999999999999", "not 999999999999999999999"},
      {"fp --gen f16_add --seed -1", "--seed: must be a whole number from 0 to"},
      {"fp --op f16_add --limit-mismatches -1", "--limit-mismatches: must be a whole number"},
      {"elf none.elf --max-cycles -5", "--max-cycles: must be a whole number from 1 to"},
      {"elf none.elf --max-cycles 18446744073709551616", "not 18446744073709551616"},
      {"elf none.elf --sram-kb -1", "--sram-kb: must be a whole number from 1 to 2048, not -1"},
      {"elf " OW_SOURCE_DIR, "not a regular file"},
      {"yield --density nan", "--density: must be a number from 0 to 1e+06, not nan"},
      {"yield --wafer " + wafer + " --rows 4", "--wafer"},
      {"yield --wafer " OW_SOURCE_DIR, ": cannot be read: Is a directory"},
      {"yield --wafer " + unknown, "key 'colour' is not known; known here: reticle, wafer"},
      {params + "--limit -1", "--limit: must be a whole number"},
      {params + "--wafer none.yaml --validate-only", "none.yaml: cannot be read"},
      {params + "--wafer " + wafer + " --svg /nonexistent/a.svg", "a.svg: cannot be written"},
      {params + "--wafer " + wafer + " --map none.json --svg a.svg", "excludes"},
  };
  for (const auto& [arguments, text] : cases) {
    const Result r = run_ow(arguments);
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_NE(r.output.find(text), std::string::npos) << arguments << ":\n" << r.output;
    // One line of the program's, and nothing of it but that. A path in it may end in "ow".
    EXPECT_EQ(r.output.rfind("ow: bad input: ", 0), 0u) << r.output;
    EXPECT_EQ(r.output.find("\now: "), std::string::npos) << r.output;
  }
  for (const std::string& name : {unknown, huge}) std::remove(name.c_str());
}

// Fails if --validate-only passes what cannot run.
TEST(Cli, ValidateOnlyFindsWhatCannotRun) {
  const std::string params = "run --validate-only --params " OW_SOURCE_DIR "/configs/digits.yaml ";
  const std::string wafer = "--wafer " OW_SOURCE_DIR "/configs/wafer-2x2.yaml ";
  const std::string small = temporary("small.yaml"), faults = temporary("faults.yaml");
  std::ofstream(small) << "wafer: {reticle_rows: 1, reticle_columns: 2}\n"
                          "reticle: {rows: 2, columns: 2}\n";
  std::ofstream(faults) << "tiles:\n  - {reticle: [0, 0], tile: [0, 1], fault: register, "
                           "register: nope, bit: 0, stuck: 1}\n";
  const std::pair<std::string, std::string> cases[] = {
      {params + "--wafer " + small, "the wafer offers 2 x 4 logical tiles, "},
      {params + "--firmware " OW_FIRMWARE_DIR "/add_stream.elf",
       "add_stream.elf: no symbol 'ow_phase_pass'"},
      {params + wafer + "--defects " + faults,
       "faults.yaml:2: key 'tiles[0]': a tile has no register 'nope'"},
      {params + "--weights none.safetensors", "none.safetensors: cannot be read"},
      {params + "--tiles mini", "4 x 4 tiles need 6 colours, the limit is 4"},
  };
  for (const auto& [arguments, text] : cases) {
    const Result r = run_ow(arguments);
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_NE(r.output.find(text), std::string::npos) << arguments << ":\n" << r.output;
    EXPECT_EQ(lines(r.output), 1) << r.output;
  }
  EXPECT_EQ(run_ow(params + wafer + "--defects " OW_SOURCE_DIR "/configs/defects-2x2.yaml").status,
            0);
  for (const std::string& name : {small, faults}) std::remove(name.c_str());
}

TEST(Cli, OptionsThatWouldDoNothingAreRefused) {
  const std::string configs = OW_SOURCE_DIR "/configs/", digits = configs + "digits.yaml";
  const std::string training = configs + "digits-train.yaml";
  const std::string weights = temporary("weights.yaml");
  std::ofstream(weights) << "data: {file: " OW_SOURCE_DIR
                            "/data/optdigits/digits.csv.gz}\n"
                            "network: {layers: [64, 10], weights: none}\n"
                            "grid: {rows: 2, columns: 2, samples_per_tile: 8}\n";
  const std::pair<std::string, std::string> cases[] = {
      {"run " + digits + " --device golden --checked", "--device golden: has no hardware"},
      {"run " + digits + " --device golden:4x4 --check-idle",
       "--device golden:4x4: has no hardware"},
      {"run " + training + " --mode train --device golden --checked",
       "--device golden: has no hardware"},
      {"estimate " + digits + " --step 0", "--step: " + digits + " is no training"},
      {"estimate " + digits + " --num-wafers 1", "--num-wafers: " + digits + " is no training"},
      {"estimate " + training + " --density 1", "--density: " + training + " is a training"},
      {"estimate " + weights + " --density 0.5",
       "--density: " + weights + " names the file of its weights"},
      {"estimate " + digits + " --machine sim:4x4,record=r", "an estimate records nothing"},
      {"run " + digits + " --machine sim:4x4,record=r --record s", "not with --record"},
      {"run " + training + " --mode train --num-wafers 2 --machine sim,record=r",
       "--machine sim,record=r: only a training on one wafer is recorded"},
      {"run " + training + " --mode train --num-wafers 2 --machine sim,save=s",
       "--machine sim,save=s: only a training on one wafer is saved"},
      {"run " + training + " --mode train --num-wafers 2 --machine sim,restore=s",
       "--machine sim,restore=s: only a training on one wafer is saved"},
      {"run " + training + " --mode eval --model-dir ''", "--model-dir: must be a directory"},
      {"run " + digits + " --machine sim-mini --heat-map h", "it has no counters (--heat-map)"},
      {"run " + digits + " --json ''", "--json: must be a file's name"},
      {"run " + digits + " --save-outputs ''", "--save-outputs: must be a file's name"},
      {"run ''", "params: must be a file's name"},
      {"run " + digits + " --firmware=''", "--firmware"},
      {"bringup --wafer ''", "--wafer: must be a file's name"},
      {"plot '' --svg a", "metrics: must be a file's name"},
      {"elf ''", "file: must be a file's name"},
  };
  for (const auto& [arguments, text] : cases) {
    const Result r = run_ow(arguments);
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_NE(r.output.find(text), std::string::npos) << arguments << ":\n" << r.output;
    EXPECT_EQ(lines(r.output), 1) << r.output;
  }
  std::remove(weights.c_str());
}

// An output never replaces a file that the command reads, or another output of it. A command that
// is refused has written nothing.
TEST(Cli, WrittenFilesReplaceNoneOfTheCommands) {
  const std::string job = temporary("job.yaml"), out = temporary("out"), link = temporary("link");
  std::string text;
  {
    std::stringstream all;
    all << std::ifstream(OW_SOURCE_DIR "/configs/digits.yaml").rdbuf();
    text = all.str();
    for (size_t at = text.find(" ../"); at != std::string::npos; at = text.find(" ../")) {
      text.replace(at, 4, " " OW_SOURCE_DIR "/");
    }
    const size_t training = text.find("digits-train.yaml");
    ASSERT_NE(training, std::string::npos);
    text.insert(training, OW_SOURCE_DIR "/configs/");
    std::ofstream(job) << text;
  }
  std::filesystem::create_symlink(job, link);
  const std::string wafer = OW_SOURCE_DIR "/configs/wafer-2x2.yaml";
  const std::string both = "--save-weights " + out + " --save-outputs ";
  const std::pair<std::string, std::string> cases[] = {
      {"run " + job + " --save-outputs " + job,
       "--save-outputs " + job + ": would replace a file that is read (parameters)"},
      {"run " + job + " --json " + link,
       "--json " + link + ": would replace a file that is read (parameters)"},
      {"run " + job + " " + both + out,
       "--save-outputs " + out + ": is the file of --save-weights"},
      {"run " + job + " " + both + testing::TempDir() + "./" +
           out.substr(testing::TempDir().size()),
       ": is the file of --save-weights, too"},
      {"run " + job + " --save-weights " + out + " --record /nonexistent/r",
       "/nonexistent/r: cannot be written"},
      {"run " + job + " --save-weights " + out + " --save-outputs /nonexistent/o",
       "/nonexistent/o: cannot be written"},
      {"bringup --wafer " + wafer + " --map " + wafer, "(--wafer)"},
      {"bringup --wafer " + wafer + " --map " + out + " --svg " + out, "is the file of --map, too"},
      {"elf " + job + " --signature " + job, "would replace a file that is read (program)"},
      {"elf " + job + " --signature /nonexistent/s", "/nonexistent/s: cannot be written"},
  };
  for (const auto& [arguments, complaint] : cases) {
    const Result r = run_ow(arguments);
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_NE(r.output.find(complaint), std::string::npos) << arguments << ":\n" << r.output;
    EXPECT_EQ(lines(r.output), 1) << r.output;
    EXPECT_FALSE(std::filesystem::exists(out)) << arguments;
    std::stringstream now;
    now << std::ifstream(job).rdbuf();
    EXPECT_EQ(now.str(), text) << arguments;
  }
  for (const std::string& name : {job, link}) std::remove(name.c_str());
}

TEST(Cli, TilesAreDrawnByWhatTheyCounted) {
  const std::string svg = temporary("tiles.svg");
  const Result r = run_ow("run '" OW_SOURCE_DIR "/configs/one-layer.yaml' --heat-map " + svg);
  EXPECT_EQ(r.status, 0) << r.output;
  std::stringstream picture;
  picture << std::ifstream(svg).rdbuf();
  EXPECT_EQ(picture.str().find("<svg "), 0u);
  for (const char* title : {"one-layer.yaml: 2 x 2 tiles, ", ">engine: beats", ">engine: stalls"}) {
    EXPECT_NE(picture.str().find(title), std::string::npos) << title;
  }
  std::remove(svg.c_str());
}

TEST(Cli, MetricsOfTrainingsAreDrawn) {
  const std::string a = temporary("a.jsonl"), b = temporary("b.jsonl"),
                    bad = temporary("bad.jsonl");
  const std::string svg = temporary("metrics.svg"), json = temporary("metrics.json");
  std::ofstream(a)
      << "{\"step\":0,\"loss\":2}\n{\"step\":1,\"loss\":1}\n{\"step\":1,\"loss\":1.5}\n";
  std::ofstream(b) << "{\"step\":0,\"loss\":3,\"skipped\":true}\n";
  std::ofstream(bad) << "{\"step\":0,\"loss\":2}\nloss 2\n";
  const Result r = run_ow("plot " + a + " " + b + " --name sparse --name dense --svg " + svg +
                          " --json " + json);
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(r.output,
            "sparse: 2 steps, 0 to 1\ndense: 1 steps, 0 to 0, 1 skipped by an overflow\n");
  std::stringstream picture;
  picture << std::ifstream(svg).rdbuf();
  EXPECT_EQ(picture.str().find("<svg "), 0u);
  EXPECT_NE(picture.str().find(">dense</text>"), std::string::npos);
  std::ifstream file(json);
  const nlohmann::json result = nlohmann::json::parse(file);
  EXPECT_EQ(result.at("trainings").at(0).at("steps"), 2);
  EXPECT_EQ(result.at("panels").size(), 1u);
  std::remove(svg.c_str());
  const std::pair<std::string, std::string> cases[] = {
      {"/nonexistent/m.jsonl --svg " + svg, "/nonexistent/m.jsonl: cannot be read"},
      {a + " " + bad + " --svg " + svg, bad + ":2: is not JSON"},
      {a + " " + b + " --name one --svg " + svg, "1 names for 2 files"},
      {a + " --svg /nonexistent/m.svg", "/nonexistent/m.svg: cannot be written"},
      {a + " --svg " + a, "would replace a file that is read (metrics)"},
      {"--svg " + svg, "metrics"},
      {a, "--svg"},
  };
  for (const auto& [arguments, text] : cases) {
    const Result refused = run_ow("plot " + arguments);
    EXPECT_EQ(refused.status, 2) << arguments << ":\n" << refused.output;
    EXPECT_NE(refused.output.find(text), std::string::npos) << refused.output;
    EXPECT_EQ(lines(refused.output), 1) << refused.output;
    EXPECT_FALSE(std::filesystem::exists(svg)) << arguments;
  }
  for (const std::string& name : {a, b, bad, json}) std::remove(name.c_str());
}

}  // namespace
}  // namespace ow
