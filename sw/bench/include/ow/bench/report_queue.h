// SPDX-License-Identifier: Apache-2.0
// Makes reports beside what a bench measures itself, so that both cores of a small machine work.
#ifndef OW_BENCH_REPORT_QUEUE_H_
#define OW_BENCH_REPORT_QUEUE_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ow/bench/targets.h"

namespace ow::bench {

// The reports of a list of sources that are missing or of another tree, made by their commands in
// the order of the list: those that time something (`alone`) first, while the caller waits, the
// rest on a thread of their own, and by the caller when it needs one whose turn has not come. Each
// command's words go to DIR/FILE.log. A report that several sources share is made once. Sources
// whose command writes the report by itself are passed over.
class ReportQueue {
 public:
  // Runs the commands that must be alone and starts the others.
  ReportQueue(std::string source_tree, std::string dir, const std::vector<ReportSource>& sources);
  // Waits for the command that runs; those behind it are not started.
  ~ReportQueue();
  ReportQueue(const ReportQueue&) = delete;
  ReportQueue& operator=(const ReportQueue&) = delete;

  // Makes the report of `source`, or waits until it has been made, and says which command that is:
  // what went wrong with it, or an empty text (made, good as it was, or not in the list).
  std::string finish(const ReportSource& source);

  // Commands that have run so far, and those that did not have to; what these took when they ran.
  struct Counts {
    size_t made = 0;
    size_t kept = 0;
    double kept_seconds = 0;
  };
  Counts counts();

 private:
  struct Entry {
    ReportSource source;
    bool begun = false;
    bool done = false;
    bool kept = false;   // the report was good as it was
    double seconds = 0;  // .. and took so long, if it says so
    std::string failed;  // why there is no report
  };

  void make(std::unique_lock<std::mutex>* lock, Entry* entry);
  void run();

  const std::string source_tree_, dir_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;  // as many as in the beginning
  bool stop_ = false;
  std::thread thread_;  // the last, so that the rest is there when it begins
};

}  // namespace ow::bench

#endif  // OW_BENCH_REPORT_QUEUE_H_
