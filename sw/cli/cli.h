// SPDX-License-Identifier: Apache-2.0
// What the subcommands of `ow` share. A subcommand `x` is a file cmd_x.cpp that defines
//   namespace ow::cli { void add_x(CLI::App& app, Context& context); }
// The build finds it by its name. sw/cli/CMakeLists.txt names those that are programs of their own
// (parts.h).
#ifndef OW_CLI_CLI_H_
#define OW_CLI_CLI_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ow/base/claim.h"

namespace ow::cli {

// A file of a command, and the option that names it; no path, no file.
struct File {
  std::string option;
  std::string path;
  // The option whose output may be this file all the same.
  std::string but{};
  // For a file that is written: check now whether it can be. Unset, for example, if its directory
  // does not exist yet.
  bool tried = true;
  // Of one that is written: no other program may write it meanwhile.
  bool claimed = true;
};

// The files of a command, before it does anything: refuses what cannot be written, and what would
// replace a file that is read, or another one that is written.
void check_files(const std::vector<File>& read, const std::vector<File>& written);

// The status, if standard output has taken what was written to it; else BadInput.
int written(int status);

// Parses the command line. The exit status, if it ends the program: help was asked for, or it is
// wrong.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

// Names of files and directories must not be empty, of this command and those below it. A file's
// name must not be '-' either, except for --json.
void refuse_empty_names(CLI::App& app);

// Carries a subcommand's options and results. Exit statuses: 0 done, 1 a check failed, 2 bad input,
// 3 internal error or device fault, 4 a training that a signal ended with a checkpoint.
class Context {
 public:
  // Adds a subcommand with --help and --json. `body` runs after parsing and returns the exit
  // status; what it puts into result() is written to the --json file.
  CLI::App* add(CLI::App& app, const std::string& name, const std::string& description,
                std::function<int()> body);

  nlohmann::json& result() { return result_; }

  // check_files (above), with the JSON file among those that are written; claims these until the
  // program ends (ow/base/claim.h).
  void check_files(const std::vector<File>& read, std::vector<File> written);

  // Where the results go; empty: nowhere; "-": standard output.
  const std::string& json_path() const { return json_path_; }

  // Another process writes the files of this command, the JSON file among them.
  void write_nothing() {
    json_path_.clear();
    writes_ = false;
  }

  // The arguments of main(), which hand_over() passes on.
  void set_arguments(char** argv) { argv_ = argv; }

  // Goes on as the program `program` (parts.h), from the beginning and with the same arguments:
  // before anything is read or written. `what` is the option that needs it.
  [[noreturn]] void hand_over(const std::string& program, const std::string& what) const;

  // Runs the chosen subcommand and writes the JSON file.
  int run();

 private:
  bool json_to_output() const { return json_path_ == "-"; }
  void keep_output();
  void restore_output() const;

  char** argv_ = nullptr;
  int output_ = -1;  // standard output, while what is printed goes to standard error
  std::function<int()> chosen_;
  std::string json_path_;
  nlohmann::json result_ = nlohmann::json::object();
  bool writes_ = true;
  std::list<Claim> claims_;
};

// Adds the subcommands that this program has: the build writes it.
void add_commands(CLI::App& app, Context& context);

// Validators of options: a whole number, any number (but NaN), from `low` to `high`.
CLI::Validator whole_number(uint64_t low, uint64_t high = UINT64_MAX);
CLI::Validator real_number(double low, double high);

}  // namespace ow::cli

#endif  // OW_CLI_CLI_H_
