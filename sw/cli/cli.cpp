// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
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

void write_file(const std::string& path, const std::string& contents) {
  const std::string temporary = fmt::format("{}.tmp.{}", path, getpid());
  const auto fail = [&](const std::string& what) {
    const int error = errno;
    std::remove(temporary.c_str());
    throw BadInput(fmt::format("{}: {}: {}", path, what, std::strerror(error)));
  };
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) fail("cannot be written");
  const bool written = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) fail("cannot be written");
  if (std::rename(temporary.c_str(), path.c_str()) != 0) fail("cannot be replaced");
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
