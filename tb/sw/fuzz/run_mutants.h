// SPDX-License-Identifier: Apache-2.0
// Mutants of valid files through a parser.
#ifndef OW_TB_SW_FUZZ_RUN_MUTANTS_H_
#define OW_TB_SW_FUZZ_RUN_MUTANTS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "../../harness/seed.h"
#include "mutants.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"

namespace ow {

constexpr int kMutants = 300;      // at least
constexpr unsigned kSeconds = 20;  // for one file

inline uint64_t seed() { return test_seed(1); }

// Goes on for so long with each parser (0: until there were kMutants).
inline std::chrono::seconds least_time() {
  const char* text = std::getenv("OW_FUZZ_SECONDS");
  return std::chrono::seconds(text == nullptr ? 0 : std::strtoll(text, nullptr, 10));
}

struct Parser {
  std::string suffix;
  std::vector<std::string> valid;
  Mutator mutate;
  std::function<void(const std::string& path)> read;
};

inline void run(const std::string& name, const Parser& parser) {
  const std::string path =
      testing::TempDir() + "ow_fuzz_" + std::to_string(getpid()) + "_" + name + parser.suffix;
  const auto one = [&](const std::string& contents, int number) {
    write_file(path, contents);
    SCOPED_TRACE(name + ", OW_SEED=" + std::to_string(seed()) + ", mutant " +
                 std::to_string(number) + ", in " + path);
    alarm(kSeconds);
    std::string what;
    try {
      parser.read(path);
    } catch (const BadInput& e) {
      what = e.what();
    } catch (const std::exception& e) {
      ADD_FAILURE() << "another error than bad input: " << e.what();
    }
    alarm(0);
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  };
  for (const std::string& valid : parser.valid) EXPECT_EQ(one(valid, -1), "");
  Rng rng(seed() * 1000 + name.size());
  int refused = 0, number = 0;
  const auto end = std::chrono::steady_clock::now() + least_time();
  for (; number < kMutants || std::chrono::steady_clock::now() < end; ++number) {
    std::string mutant = parser.valid[rng.below(parser.valid.size())];
    for (uint64_t n = 1 + rng.below(3); n > 0; --n) parser.mutate(&rng, &mutant);
    refused += one(mutant, number).empty() ? 0 : 1;
    if (testing::Test::HasFailure()) return;
  }
  // What cannot be read at all.
  std::remove(path.c_str());
  EXPECT_THROW(parser.read(path), BadInput);
  EXPECT_THROW(parser.read(testing::TempDir()), BadInput);
  EXPECT_GT(refused, number / 10);
  std::printf("%s: %d mutants, %d refused in one line, the others read\n", name.c_str(), number,
              refused);
}

}  // namespace ow

#endif  // OW_TB_SW_FUZZ_RUN_MUTANTS_H_
