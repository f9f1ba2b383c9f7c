// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ow/error.h"

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

bool add_result(nlohmann::json& result, const std::string& name, double value,
                const std::string& unit, double target, const std::string& better,
                nlohmann::json raw) {
  bool pass = false;
  if (better == "higher") {
    pass = value >= target;
  } else if (better == "lower") {
    pass = value <= target;
  } else if (better == "equal") {
    pass = value == target;
  } else {
    throw InternalError("result " + name + ": better must be higher, lower or equal");
  }
  result["results"].push_back({{"name", name},
                               {"value", value},
                               {"unit", unit},
                               {"target", target},
                               {"better", better},
                               {"pass", pass},
                               {"raw", std::move(raw)}});
  return pass;
}

namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw BadInput(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
}

// Where the contents of `path` are written first: a new file beside it, or, if it is there and no
// regular file, itself.
std::string written_first(const std::string& path) {
  struct stat is {};
  if (stat(path.c_str(), &is) == 0 && !S_ISREG(is.st_mode)) {
    if (S_ISDIR(is.st_mode)) cannot_write(path, EISDIR);
    return path;
  }
  return fmt::format("{}.tmp.{}", path, getpid());
}

}  // namespace

void write_file(const std::string& path, const std::string& contents) {
  const std::string first = written_first(path);
  const bool renamed = first != path;
  const auto fail = [&] {
    const int error = errno;
    if (renamed) std::remove(first.c_str());
    cannot_write(path, error);
  };
  std::FILE* file = std::fopen(first.c_str(), "wb");
  if (file == nullptr) fail();
  const bool written = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) fail();
  if (renamed && std::rename(first.c_str(), path.c_str()) != 0) fail();
}

void check_writable(const std::string& path) {
  if (path.empty()) return;
  const std::string first = written_first(path);
  if (first == path) return;
  std::FILE* file = std::fopen(first.c_str(), "wb");
  if (file == nullptr) cannot_write(path, errno);
  std::fclose(file);
  std::remove(first.c_str());
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

namespace {
int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
}  // namespace

Progress::Progress(std::string label, uint64_t total)
    : label_(std::move(label)), total_(std::max<uint64_t>(total, 1)), terminal_(isatty(2) != 0) {}

Progress::~Progress() {
  if (drawn_) std::fprintf(stderr, "\r\033[K");
}

void Progress::update(uint64_t done) {
  if (!terminal_) return;
  const int64_t now = now_ms();
  if (last_ms_ >= 0 && now - last_ms_ < 100 && done < total_) return;
  last_ms_ = now;
  drawn_ = true;
  const uint64_t shown = std::min(done, total_);
  const int width = 30;
  const int filled = static_cast<int>(shown * width / total_);
  std::fprintf(stderr, "\r%s [%s%s] %3d%%", label_.c_str(),
               std::string(static_cast<size_t>(filled), '#').c_str(),
               std::string(static_cast<size_t>(width - filled), ' ').c_str(),
               static_cast<int>(shown * 100 / total_));
  std::fflush(stderr);
}

}  // namespace ow::cli
