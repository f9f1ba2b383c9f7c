// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow::cli {

CLI::App* Context::add(CLI::App& app, const std::string& name, const std::string& description,
                       std::function<int()> body) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->add_option("--json", json_path_, "Write the results as JSON to this file")
      ->type_name("FILE");
  sub->final_callback([this, body = std::move(body)] { chosen_ = body; });
  return sub;
}

int Context::run() {
  if (!chosen_) throw InternalError("no subcommand was chosen");
  check_writable(json_path_);
  const int status = chosen_();
  if (!json_path_.empty()) write_file(json_path_, result_.dump(2) + "\n");
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
