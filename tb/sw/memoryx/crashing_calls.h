// SPDX-License-Identifier: Apache-2.0
// A program that stops while it writes a file.
#ifndef OW_TB_SW_MEMORYX_CRASHING_CALLS_H_
#define OW_TB_SW_MEMORYX_CRASHING_CALLS_H_

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "ow/base/durable_file.h"

namespace ow::memoryx {

// The program stops after a call, which may have done its work or not. With `lost`, everything that
// was not yet brought to the disk is gone afterwards.
struct Crash {};
class CrashingCalls : public FileCalls {
 public:
  CrashingCalls(int calls, bool lost) : left_(calls), lost_(lost) {}
  int create(const std::string& file, const std::string& temporary) override {
    unsynced_ = temporary;
    const int created = FileCalls::create(file, temporary);
    if (left_ <= 0) ::close(created);  // as the system does when a process ends
    return after(created);
  }
  long write(int file, const void* data, size_t bytes) override {
    // In two parts, so that it can stop between them.
    const size_t part = bytes > 256 ? bytes / 2 : bytes;
    return after(FileCalls::write(file, data, part));
  }
  int sync(int file) override {
    const int status = FileCalls::sync(file);
    unsynced_.clear();
    return after(status);
  }
  int close(int file) override { return dead_ ? 0 * ::close(file) : after(FileCalls::close(file)); }
  int rename(const std::string& from, const std::string& to) override {
    if (unsynced_ == from) unsynced_ = to;
    renamed_from_ = from;
    renamed_to_ = to;
    return after(FileCalls::rename(from, to));
  }
  int sync_directory(const std::string& path) override {
    const int status = FileCalls::sync_directory(path);
    renamed_to_.clear();
    return after(status);
  }
  int remove(const std::string& path) override {
    return dead_ ? 0 : after(FileCalls::remove(path));
  }
  bool crashed() const { return dead_; }

 private:
  template <typename Status>
  Status after(Status status) {
    if (left_-- > 0) return status;
    dead_ = true;
    if (lost_) {
      if (!renamed_to_.empty()) std::rename(renamed_to_.c_str(), renamed_from_.c_str());
      const std::string& half =
          unsynced_ == renamed_to_ && !renamed_to_.empty() ? renamed_from_ : unsynced_;
      if (!half.empty() && std::filesystem::exists(half)) {
        std::filesystem::resize_file(half, std::filesystem::file_size(half) / 2);
      }
    }
    throw Crash();
  }

  int left_;
  bool lost_;
  bool dead_ = false;
  std::string unsynced_, renamed_from_, renamed_to_;
};

}  // namespace ow::memoryx

#endif  // OW_TB_SW_MEMORYX_CRASHING_CALLS_H_
