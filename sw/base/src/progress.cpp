// SPDX-License-Identifier: Apache-2.0
#include "ow/base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace ow {

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

void Progress::update(uint64_t done, const std::string& text) {
  if (!terminal_) return;
  const int64_t now = now_ms();
  if (last_ms_ >= 0 && now - last_ms_ < 100 && done < total_) return;
  last_ms_ = now;
  drawn_ = true;
  const uint64_t shown = std::min(done, total_);
  const int width = 30;
  const int filled = static_cast<int>(shown * width / total_);
  std::fprintf(stderr, "\r%s [%s%s] %3d%%%s%s\033[K", label_.c_str(),
               std::string(static_cast<size_t>(filled), '#').c_str(),
               std::string(static_cast<size_t>(width - filled), ' ').c_str(),
               static_cast<int>(shown * 100 / total_), text.empty() ? "" : " ", text.c_str());
  std::fflush(stderr);
}

}  // namespace ow
