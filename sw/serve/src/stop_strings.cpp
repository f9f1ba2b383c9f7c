// SPDX-License-Identifier: Apache-2.0
#include "ow/serve/stop_strings.h"

#include <algorithm>
#include <utility>

#include "ow/base/error.h"

namespace ow::serve {
namespace {

bool ends_with(const std::string& text, const std::string& end, size_t length) {
  return text.size() >= length && text.compare(text.size() - length, length, end, 0, length) == 0;
}

}  // namespace

StopStrings::StopStrings(std::vector<std::string> stops) : stops_(std::move(stops)) {
  for (const std::string& s : stops_) {
    if (s.empty()) throw BadInput("an empty stop string");
  }
}

// Cuts off the longest stop string that the held text ends with.
bool StopStrings::stop() {
  size_t longest = 0;
  for (const std::string& s : stops_) {
    if (ends_with(held_, s, s.size())) longest = std::max(longest, s.size());
  }
  held_.resize(held_.size() - longest);
  return longest > 0;
}

std::string StopStrings::add(const std::string& piece) {
  if (stopped_) return "";
  for (const char c : piece) {
    held_ += c;
    if (!stop()) continue;
    stopped_ = true;
    return std::exchange(held_, "");
  }
  size_t waits = 0;
  for (const std::string& s : stops_) {
    for (size_t n = s.size() - 1; n > waits; --n) {
      if (ends_with(held_, s, n)) waits = n;
    }
  }
  std::string shown = held_.substr(0, held_.size() - waits);
  held_.erase(0, shown.size());
  return shown;
}

std::string StopStrings::finish() { return std::exchange(held_, ""); }

}  // namespace ow::serve
