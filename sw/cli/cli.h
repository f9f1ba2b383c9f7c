// SPDX-License-Identifier: Apache-2.0
// What the subcommands of `ow` share. A subcommand `x` is a file cmd_x.cpp that defines
//   namespace ow::cli { void add_x(CLI::App& app, Context& context); }
// The build finds it by its name.
#ifndef OW_CLI_CLI_H_
#define OW_CLI_CLI_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace ow::cli {

// Carries a subcommand's options and results. Exit statuses: 0 done, 1 a check failed, 2 bad input,
// 3 internal error or device fault.
class Context {
 public:
  // Adds a subcommand with --help and --json. `body` runs after parsing and returns the exit
  // status; what it puts into result() is written to the --json file.
  CLI::App* add(CLI::App& app, const std::string& name, const std::string& description,
                std::function<int()> body);

  nlohmann::json& result() { return result_; }

  // Runs the chosen subcommand and writes the JSON file.
  int run();

 private:
  std::function<int()> chosen_;
  std::string json_path_;
  nlohmann::json result_ = nlohmann::json::object();
};

// One row of a bench's results; `better` is "higher", "lower" or "equal". Adds it to
// result["results"] and returns whether it passed.
bool add_result(nlohmann::json& result, const std::string& name, double value,
                const std::string& unit, double target, const std::string& better,
                nlohmann::json raw = nlohmann::json::object());

// Writes to a temporary file beside `path` and renames it; what is no regular file, as /dev/stdout,
// is written to. BadInput, naming the path, if it cannot.
void write_file(const std::string& path, const std::string& contents);
// BadInput as above, before the work whose results are to be written there. No path, no check.
void check_writable(const std::string& path);

// Validators of options: a whole number, any number (but NaN), from `low` to `high`.
CLI::Validator whole_number(uint64_t low, uint64_t high = UINT64_MAX);
CLI::Validator real_number(double low, double high);

// A progress bar on standard error, drawn only if that is a terminal, at most ten times a second.
class Progress {
 public:
  Progress(std::string label, uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(uint64_t done);

 private:
  std::string label_;
  uint64_t total_;
  bool terminal_;
  int64_t last_ms_ = -1;
  bool drawn_ = false;
};

}  // namespace ow::cli

#endif  // OW_CLI_CLI_H_
