// SPDX-License-Identifier: Apache-2.0
// What the benches of `ow bench NAME` share. A bench x is a file bench/x.cpp that defines
//   namespace ow::cli { void add_bench_x(CLI::App& sub, Benches& benches); }
// which enters its name and may add options of its own to the subcommand. The build finds it by its
// name.
#ifndef OW_CLI_BENCH_H_
#define OW_CLI_BENCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli.h"
#include "ow/jobs/bench.h"

namespace ow::cli {

// Options that all benches have.
struct BenchOptions {
  std::string targets;            // --targets
  std::vector<std::string> only;  // --only
  uint64_t seed = 1;              // --seed
};

using Benches = std::map<std::string, std::function<int(Context&, const BenchOptions&)>>;

// The rows of one bench: prints each figure against its target and puts it into the results.
class BenchRows {
 public:
  // BadInput if --only names a row that neither the targets have nor `others`.
  BenchRows(const std::string& bench, const BenchOptions& options, Context& context,
            const std::set<std::string>& others = {});

  // A row is asked for if none or this one was named; parts of it (S6.rate) go with it.
  bool wants(const std::string& name) const { return only_.empty() || only_.count(name) != 0; }
  void add(const std::string& name, double value, nlohmann::json raw);
  // What went wrong in measuring a row, which fails the bench.
  void fault(const std::string& name, const std::string& what);
  // Names the rows that were asked for and not measured (a miss if asked for by name); exit status.
  int finish();

 private:
  Context& context_;
  std::map<std::string, jobs::Target> targets_;
  std::set<std::string> only_;
  std::set<std::string> measured_;
  bool passed_ = true;
};

// A report that something outside of `ow` has written, with the option that named it: a JSON object
// with the number `key`. BadInput if it is not one.
nlohmann::json read_report(const std::string& option, const std::string& path,
                           const std::string& key);

}  // namespace ow::cli

#endif  // OW_CLI_BENCH_H_
