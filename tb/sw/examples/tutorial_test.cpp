// SPDX-License-Identifier: Apache-2.0
// docs/tutorial.md is true: every listing that names a file is that file, and the reports are those
// that the programs print. The programs stay short.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

const std::string kSource = OW_SOURCE_DIR;

std::string read(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The fenced blocks of the tutorial by the word in backquotes at the end of the line before them.
std::map<std::string, std::string> listings() {
  std::map<std::string, std::string> found;
  std::istringstream text(read(kSource + "/docs/tutorial.md"));
  std::string line, before, name;
  bool inside = false;
  while (std::getline(text, line)) {
    if (line.compare(0, 3, "```") == 0) {
      inside = !inside;
      const size_t end = before.rfind('`');
      const size_t begin = end == 0 || end == std::string::npos ? end : before.rfind('`', end - 1);
      name = begin == std::string::npos ? "" : before.substr(begin + 1, end - begin - 1);
      continue;
    }
    if (inside) found[name] += line + "\n";
    if (!line.empty()) before = line;
  }
  return found;
}

// Without the licence, which the tutorial leaves out.
std::string listed(const std::string& path) {
  const std::string text = read(kSource + "/" + path);
  return text.substr(text.find('\n') + 1);
}

int code_lines(const std::string& path) {
  std::istringstream text(read(kSource + "/" + path));
  std::string line;
  int lines = 0;
  while (std::getline(text, line)) {
    const size_t at = line.find_first_not_of(' ');
    lines += at != std::string::npos && line.compare(at, 2, "//") != 0;
  }
  return lines;
}

std::string errors_of(const std::string& command, int* status) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  char part[256];
  while (std::fgets(part, sizeof part, pipe) != nullptr) text += part;
  *status = WEXITSTATUS(pclose(pipe));
  return text;
}

TEST(Tutorial, ListingsAreTheFiles) {
  int files = 0;
  for (const auto& [name, text] : listings()) {
    if (name.compare(0, 12, "sw/examples/") != 0) continue;
    EXPECT_EQ(text, listed(name)) << name;
    ++files;
  }
  EXPECT_EQ(files, 9);
}

TEST(Tutorial, ProgramsAreShort) {
  EXPECT_LE(code_lines("sw/examples/gemv/gemv.c"), 7);
  EXPECT_LE(code_lines("sw/examples/gemv/main.cpp"), 25);
  EXPECT_LE(code_lines("sw/examples/gemv_grid/gemv_grid.c"), 21);
  EXPECT_LE(code_lines("sw/examples/gemv_grid/main.cpp"), 31);
  EXPECT_LE(
      code_lines("sw/examples/regions/regions.c") + code_lines("sw/examples/regions/main.cpp"), 60);
}

// Cycles and addresses are those of a version of the hardware and of the compiler.
std::string without_numbers(const std::string& text) {
  static const std::regex numbers("cycle [0-9]+|0x[0-9a-f]+");
  return std::regex_replace(text, numbers, "#");
}

TEST(Tutorial, ReportsAreWhatTheProgramsPrint) {
  const auto list = listings();
  for (const std::string argument : {"", " spin"}) {
    int status = 0;
    const std::string text = errors_of("'" OW_HANG "'" + argument, &status);
    EXPECT_EQ(status, 3);
    ASSERT_TRUE(list.count("example_hang" + argument)) << text;
    EXPECT_EQ(without_numbers(list.at("example_hang" + argument)), without_numbers(text));
  }
}

}  // namespace
