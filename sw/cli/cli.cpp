// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "parts.h"

namespace ow::cli {

CLI::App* Context::add(CLI::App& app, const std::string& name, const std::string& description,
                       std::function<int()> body) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->add_option("--json", json_path_,
                  "Write the results as JSON to this file; -: to standard output, and what is "
                  "printed to standard error")
      ->type_name("FILE");
  sub->final_callback([this, body = std::move(body)] { chosen_ = body; });
  return sub;
}

void check_files(const std::vector<File>& read, const std::vector<File>& written) {
  const auto same = [](const File& a, const File& b) {
    if (a.path.empty() || b.path.empty()) return false;
    return a.option != b.but && b.option != a.but && same_file(a.path, b.path);
  };
  for (size_t k = 0; k < written.size(); ++k) {
    const File& file = written[k];
    if (file.tried) check_writable(file.path);
    for (const File& input : read) {
      if (!same(file, input)) continue;
      throw BadInput(fmt::format("{} {}: would replace a file that is read ({})", file.option,
                                 file.path, input.option));
    }
    for (size_t i = 0; i < k; ++i) {
      if (!same(file, written[i])) continue;
      throw BadInput(
          fmt::format("{} {}: is the file of {}, too", file.option, file.path, written[i].option));
    }
  }
}

int written(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  throw BadInput(fmt::format("standard output: {}", std::strerror(errno)));
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return written(app.exit(e) == 0 ? 0 : 2);
  }
  return std::nullopt;
}

void refuse_empty_names(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    const bool file = type == "FILE" || type == "ELF" || type == "METRICS.jsonl";
    if (!file && type != "DIR") continue;
    const bool may_be_output = option->check_lname("json");
    option->check(CLI::Validator(
        [file, may_be_output](std::string& name) {
          if (file && name == "-" && !may_be_output) {
            return std::string("must be a file's name, not '-': /dev/stdin and /dev/stdout are");
          }
          if (!name.empty()) return std::string();
          return std::string(file ? "must be a file's name, not ''"
                                  : "must be a directory, not ''");
        },
        ""));
  }
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
    refuse_empty_names(*sub);
}

void Context::check_files(const std::vector<File>& read, std::vector<File> written) {
  written.push_back({"--json", json_to_output() ? "" : json_path_});
  cli::check_files(read, written);
  for (const File& file : written) {
    if (!writes_ || !file.claimed) continue;
    try {
      claims_.emplace_back(file.path);
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("{} {}", file.option, error.what()));
    }
  }
}

void Context::hand_over(const std::string& program, const std::string& what) const {
  if (argv_ == nullptr) throw InternalError("no arguments to hand over");
  restore_output();
  become_part(program, what, argv_);
}

int Context::run() {
  if (!chosen_) throw InternalError("no subcommand was chosen");
  if (json_to_output()) {
    keep_output();
  } else {
    check_writable(json_path_);
  }
  const int status = chosen_();
  if (json_path_.empty()) return status;
  const std::string text = json_text(result_, 2) + "\n";
  if (!json_to_output()) {
    write_file(json_path_, text);
    return status;
  }
  restore_output();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw BadInput(
        fmt::format("--json -: standard output cannot be written: {}", std::strerror(errno)));
  }
  return status;
}

// Standard output is JSON alone: what the command prints goes to standard error.
void Context::keep_output() {
  std::fflush(stdout);
  output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (output_ < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw BadInput(
        fmt::format("--json -: standard output cannot be written: {}", std::strerror(errno)));
  }
}

void Context::restore_output() const {
  if (output_ < 0) return;
  std::fflush(stdout);
  dup2(output_, STDOUT_FILENO);
}

CLI::Validator whole_number(uint64_t low, uint64_t high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        char* end = nullptr;
        errno = 0;
        const uint64_t value = std::strtoull(text.c_str(), &end, 10);
        const bool digits =
            !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        if (digits && errno == 0 && value >= low && value <= high) return std::string();
        return fmt::format("must be a whole number from {} to {}, not {}", low, high, text);
      },
      "UINT");
}

CLI::Validator real_number(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == 0 && value >= low && value <= high) return std::string();
        return fmt::format("must be a number from {:g} to {:g}, not {}", low, high, text);
      },
      fmt::format("from {:g} to {:g}", low, high));
}

}  // namespace ow::cli
