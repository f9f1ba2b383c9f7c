// SPDX-License-Identifier: Apache-2.0
// The program `ow` from outside: exit statuses, one-line errors, JSON files.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace {

struct Result {
  int status;
  std::string output;  // standard output and error
};

Result ow(const std::string& arguments) {
  const std::string command = std::string("'") + OW_PROGRAM "' " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  Result r{-1, ""};
  if (pipe == nullptr) return r;
  std::array<char, 4096> buffer;
  size_t n;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0)
    r.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) r.status = WEXITSTATUS(status);
  return r;
}

std::string temporary(const std::string& name) {
  return testing::TempDir() + "ow_cli_" + std::to_string(getpid()) + "_" + name;
}

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(Cli, VersionAndHelpSucceed) {
  EXPECT_EQ(ow("--version").status, 0);
  EXPECT_EQ(ow("--help").status, 0);
  for (const std::string name : {"info", "run", "elf", "fp", "bench"}) {
    const Result r = ow(name + " --help");
    EXPECT_EQ(r.status, 0) << name;
    EXPECT_NE(r.output.find("--json"), std::string::npos) << name << ":\n" << r.output;
  }
}

TEST(Cli, WrongArgumentsAreBadInputInOneLine) {
  for (const std::string arguments : {"", "nothing", "info --colour", "run", "elf"}) {
    const Result r = ow(arguments);
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_EQ(lines(r.output), 1) << arguments << ":\n" << r.output;
    EXPECT_EQ(r.output.find("ow: bad input: "), 0u) << r.output;
  }
  EXPECT_NE(ow("nothing").output.find("nothing"), std::string::npos);
}

TEST(Cli, BadFilesAreNamedInOneLine) {
  const std::string text = temporary("text.elf");
  std::ofstream(text) << "not an ELF file\n";
  for (const std::string arguments :
       {"elf /nonexistent/program.elf", "run --params /nonexistent/job.yaml"}) {
    const Result r = ow(arguments);
    EXPECT_EQ(r.status, 2) << r.output;
    EXPECT_EQ(lines(r.output), 1) << r.output;
    EXPECT_NE(r.output.find("/nonexistent/"), std::string::npos) << r.output;
  }
  const Result r = ow("elf " + text);
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_NE(r.output.find(text + ": not an ELF file"), std::string::npos) << r.output;
  std::remove(text.c_str());
}

TEST(Cli, TileBenchMeasuresAgainstTargetsAndBaselines) {
  Result r = ow("bench tile --only T99");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.output.find("T99"), std::string::npos) << r.output;
  const std::string baselines = temporary("baselines.yaml");
  const std::string json = temporary("tile.json");
  const std::string options = "bench tile --only T5 --baselines " + baselines + " --json " + json;
  std::ofstream(baselines) << "{}\n";
  EXPECT_EQ(ow(options).status, 0);
  std::ifstream file(json);
  const nlohmann::json result = nlohmann::json::parse(file);
  EXPECT_EQ(result["results"].size(), 2u);
  EXPECT_EQ(result["timings"].size(), 2u);
  // What a run took is a baseline that the next run keeps, and one below it is missed.
  EXPECT_EQ(ow(options + " --update-baselines").status, 0);
  EXPECT_EQ(ow(options).status, 0);
  std::ofstream(baselines) << "\"dot i8 16384\": 10\n";
  r = ow(options);
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.output.find("SLOWER"), std::string::npos) << r.output;
  // A report of another program has its number, or is bad input.
  std::ofstream(baselines) << "{}\n";
  const std::string report = temporary("report.json");
  std::ofstream(report) << "{\"percent\": 96.5}\n";
  EXPECT_EQ(ow("bench tile --only T17 --baselines " + baselines + " --coverage " + report).status,
            0);
  EXPECT_EQ(ow("bench tile --only T15 --baselines " + baselines + " --testfloat " + report).status,
            2);
  for (const std::string& name : {baselines, json, report}) std::remove(name.c_str());
}

TEST(Cli, ResultsGoIntoAJsonFile) {
  const std::string path = temporary("info.json");
  ASSERT_EQ(ow("info --json " + path).status, 0);
  std::ifstream file(path);
  const nlohmann::json j = nlohmann::json::parse(file);
  EXPECT_EQ(j.at("lanes"), 8);
  EXPECT_EQ(j.at("sram_bytes"), 49152);
  std::remove(path.c_str());
  const Result r = ow("info --json /nonexistent/info.json");
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_NE(r.output.find("/nonexistent/info.json: cannot be written"), std::string::npos)
      << r.output;
  EXPECT_EQ(lines(r.output), 1) << "known before the work:\n" << r.output;
  // What is no regular file is written to, not replaced.
  EXPECT_EQ(ow("info --json /dev/null").status, 0);
  struct stat is {};
  ASSERT_EQ(stat("/dev/null", &is), 0);
  EXPECT_TRUE(S_ISCHR(is.st_mode));
}

TEST(Cli, WrongNumbersAndFilesAreRefusedBeforeTheWork) {
  const std::string wafer = OW_SOURCE_DIR "/configs/wafer-2x2.yaml";
  const std::string params = "run --params " OW_SOURCE_DIR "/configs/digits.yaml ";
  const std::string unknown = temporary("unknown.yaml");
  std::ofstream(unknown) << std::ifstream(wafer).rdbuf() << "colour: {}\n";
  const std::pair<std::string, std::string> cases[] = {
      {"yield --wafers 0", "--wafers: must be a whole number from 1 to 10000000, not 0"},
      {"yield --wafers -1", "not -1"},
      {"yield --density nan", "--density: must be a number from 0 to 1e+06, not nan"},
      {"yield --wafer " + wafer + " --rows 4", "--wafer"},
      {"yield --wafer " OW_SOURCE_DIR, ": cannot be read: Is a directory"},
      {"yield --wafer " + unknown, "the file has no key 'colour'"},
      {"bench link --targets " OW_SOURCE_DIR, ": cannot be read: Is a directory"},
      {"bench wafer --wafer-sets -1", "--wafer-sets: must be a whole number"},
      {"bench wafer --only W1 --wafer-defects none.yaml", "none.yaml: cannot be read"},
      {params + "--limit -1", "--limit: must be a whole number"},
      {params + "--wafer none.yaml --validate-only", "none.yaml: cannot be read"},
      {params + "--wafer " + wafer + " --svg /nonexistent/a.svg", "a.svg: cannot be written"},
      {params + "--wafer " + wafer + " --map none.json --svg a.svg", "excludes"},
  };
  for (const auto& [arguments, text] : cases) {
    const Result r = ow(arguments);
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_NE(r.output.find(text), std::string::npos) << arguments << ":\n" << r.output;
    EXPECT_EQ(r.output.find("ow: bad input: "), r.output.rfind("ow: ")) << r.output;
  }
  std::remove(unknown.c_str());
}

}  // namespace
