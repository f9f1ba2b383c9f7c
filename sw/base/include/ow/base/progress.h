// SPDX-License-Identifier: Apache-2.0
// A progress bar on standard error. It is drawn only on a terminal, at most ten times a second.
#ifndef OW_BASE_PROGRESS_H_
#define OW_BASE_PROGRESS_H_

#include <cstdint>
#include <string>

namespace ow {

class Progress {
 public:
  Progress(std::string label, uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // `text` follows the bar.
  void update(uint64_t done, const std::string& text = "");

 private:
  std::string label_;
  uint64_t total_;
  bool terminal_;
  bool drawn_ = false;
  int64_t last_ms_ = -1;
};

}  // namespace ow

#endif  // OW_BASE_PROGRESS_H_
