// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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
  sub->add_option("--json", json_path_, "Write the results as JSON to this file")
      ->type_name("FILE");
  sub->final_callback([this, body = std::move(body)] { chosen_ = body; });
  return sub;
}

// Whether both names are of one regular file, which need not be there yet.
static bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(a, error);
  if (fs::exists(status)) return fs::is_regular_file(status) && fs::equivalent(a, b, error);
  const auto resolved = [&error](const std::string& path) {
    return error ? fs::path() : fs::weakly_canonical(fs::absolute(path, error), error);
  };
  error.clear();
  const fs::path left = resolved(a), right = resolved(b);
  return !error && left == right;
}

void check_files(const std::vector<File>& read, const std::vector<File>& written) {
  const auto same = [](const File& a, const File& b) {
    if (a.path.empty() || b.path.empty()) return false;
    return std::strcmp(a.option, b.but) != 0 && std::strcmp(b.option, a.but) != 0 &&
           same_file(a.path, b.path);
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

void refuse_empty_names(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    const bool file = type == "FILE" || type == "ELF" || type == "METRICS.jsonl";
    if (!file && type != "DIR") continue;
    option->check(CLI::Validator(
        [file](std::string& name) {
          if (!name.empty()) return std::string();
          return std::string(file ? "must be a file's name, not ''"
                                  : "must be a directory, not ''");
        },
        ""));
  }
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
    refuse_empty_names(*sub);
}

void Context::check_files(const std::vector<File>& read, std::vector<File> written) const {
  written.push_back({"--json", json_path_});
  cli::check_files(read, written);
}

void Context::hand_over(const std::string& program, const std::string& what) const {
  if (argv_ == nullptr) throw InternalError("no arguments to hand over");
  become_part(program, what, argv_);
}

int Context::run() {
  if (!chosen_) throw InternalError("no subcommand was chosen");
  check_writable(json_path_);
  const int status = chosen_();
  if (!json_path_.empty()) write_file(json_path_, json_text(result_, 2) + "\n");
  return status;
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
