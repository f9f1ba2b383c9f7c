// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/report_queue.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "ow/base/error.h"
#include "ow/bench/report.h"

namespace ow::bench {

ReportQueue::ReportQueue(std::string source_tree, std::string dir,
                         const std::vector<ReportSource>& sources)
    : source_tree_(std::move(source_tree)), dir_(std::move(dir)) {
  for (const ReportSource& source : sources) {
    const bool known = std::any_of(entries_.begin(), entries_.end(),
                                   [&](const Entry& e) { return e.source.file == source.file; });
    if (source.makes_json() && !known) entries_.push_back({source, false, false, false, 0, ""});
  }
  std::unique_lock<std::mutex> lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.source.alone) make(&lock, &entry);
  }
  thread_ = std::thread([this] { run(); });
}

ReportQueue::~ReportQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  thread_.join();
}

// Called with the lock, which is free while the command runs.
void ReportQueue::make(std::unique_lock<std::mutex>* lock, Entry* entry) {
  entry->begun = true;
  lock->unlock();
  std::string failed;
  bool kept = false;
  double seconds = 0;
  try {
    Report report = read_report(source_tree_, dir_, entry->source);
    kept = report.refused.empty();
    if (kept) seconds = report.contents["provenance"].value("seconds", 0.0);
    if (!kept) failed = make_report(source_tree_, dir_, entry->source);
  } catch (const std::exception& e) {  // goes to the row, as if its command had said it
    failed = e.what();
  }
  lock->lock();
  entry->failed = failed;
  entry->kept = kept;
  entry->seconds = seconds;
  entry->done = true;
  changed_.notify_all();
}

void ReportQueue::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (Entry& entry : entries_) {
    if (stop_) return;
    if (!entry.begun) make(&lock, &entry);
  }
}

std::string ReportQueue::finish(const ReportSource& source) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& e) { return e.source.file == source.file; });
  if (entry == entries_.end()) return "";
  if (!entry->done) {
    std::printf("%-13s waits for '%s' (%s/%s.log)\n", "", source.command.c_str(), dir_.c_str(),
                source.file.c_str());
    std::fflush(stdout);
  }
  if (!entry->begun) make(&lock, &*entry);
  changed_.wait(lock, [&] { return entry->done; });
  return entry->failed;
}

ReportQueue::Counts ReportQueue::counts() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Counts counts;
  for (const Entry& e : entries_) {
    if (e.done) ++(e.kept ? counts.kept : counts.made);
    counts.kept_seconds += e.seconds;
  }
  return counts;
}

}  // namespace ow::bench
