// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/report_queue.h"

#include <cstdio>
#include <utility>

#include "ow/base/error.h"
#include "ow/bench/report.h"

namespace ow::bench {

ReportQueue::ReportQueue(std::string source_tree, std::string dir,
                         const std::vector<ReportSource>& sources)
    : source_tree_(std::move(source_tree)), dir_(std::move(dir)) {
  std::vector<ReportSource> alone;
  for (const ReportSource& source : sources) {
    if (!source.makes_json() || !done_.emplace(source.file, false).second) continue;
    (source.alone ? alone : waiting_).push_back(source);
  }
  for (const ReportSource& source : alone) make(source);
  thread_ = std::thread([this] { run(); });
}

ReportQueue::~ReportQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  thread_.join();
}

void ReportQueue::make(const ReportSource& source) {
  std::string failed;
  try {
    if (!read_report(source_tree_, dir_, source).refused.empty()) {
      failed = make_report(source_tree_, dir_, source);
    }
  } catch (const std::exception& e) {  // goes to the row, as if its command had said it
    failed = e.what();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  done_[source.file] = true;
  if (!failed.empty()) failed_[source.file] = failed;
  changed_.notify_all();
}

void ReportQueue::run() {
  for (const ReportSource& source : waiting_) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stop_) return;
    }
    make(source);
  }
}

std::string ReportQueue::wait(const ReportSource& source) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto turn = done_.find(source.file);
  if (turn == done_.end()) return "";
  if (!turn->second) {
    std::printf("%-13s waits for '%s' (%s/%s.log)\n", "", source.command.c_str(), dir_.c_str(),
                source.file.c_str());
    std::fflush(stdout);
    changed_.wait(lock, [&] { return turn->second; });
  }
  const auto failed = failed_.find(source.file);
  return failed == failed_.end() ? "" : failed->second;
}

}  // namespace ow::bench
