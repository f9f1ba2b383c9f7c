// SPDX-License-Identifier: Apache-2.0
// Makes reports beside what a bench measures itself, so that both cores of a small machine work.
#ifndef OW_BENCH_REPORT_QUEUE_H_
#define OW_BENCH_REPORT_QUEUE_H_

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ow/bench/targets.h"

namespace ow::bench {

// The reports of a list of sources that are missing or of another tree, made one after the other by
// their commands, in the order of the list. Commands that time something (`alone`) come first,
// while the caller waits; the rest run on a thread of their own, and each command's words go to
// DIR/FILE.log. A report that several sources share is made once. Sources that cannot be made here
// are passed over: those whose command writes the report by itself.
class ReportQueue {
 public:
  // Runs the commands that must be alone and starts the others.
  ReportQueue(std::string source_tree, std::string dir, const std::vector<ReportSource>& sources);
  // Waits for the command that runs; those behind it are not started.
  ~ReportQueue();
  ReportQueue(const ReportQueue&) = delete;
  ReportQueue& operator=(const ReportQueue&) = delete;

  // Waits until `source` has had its turn, and says what it waits for: what went wrong with its
  // command, or an empty text (made, good as it was, or not in the list).
  std::string wait(const ReportSource& source);

 private:
  void make(const ReportSource& source);
  void run();

  const std::string source_tree_, dir_;
  std::vector<ReportSource> waiting_;  // read by the thread alone once it runs
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, bool> done_;           // by file
  std::map<std::string, std::string> failed_;  // by file: why there is no report
  bool stop_ = false;
  std::thread thread_;  // the last, so that the rest is there when it begins
};

}  // namespace ow::bench

#endif  // OW_BENCH_REPORT_QUEUE_H_
