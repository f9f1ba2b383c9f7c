// SPDX-License-Identifier: Apache-2.0
// Vectors of the conformance kit: tests as data. A test is a list of requests to a device, lines of
// the protocol of docs/conformance.md, with the answers that a conforming device gives. `make`
// writes them, `run` reads them. The reader is strict: BadInput in one line for anything else.
#ifndef OW_CONFORM_SUITE_H_
#define OW_CONFORM_SUITE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ow::conform {

// Changes with the meaning of a rule, a test, or a line of the protocol.
inline constexpr int kKitVersion = 4;

struct Step {
  std::string request;
  // What a conforming device answers after "ok", token by token; "*" stands for any token,
  // "a..b" for a hexadecimal number from a to b, "..." for whatever follows. Empty: of a list
  // nothing, of other requests anything.
  std::string expected;
  std::vector<std::string> rules;  // that this answer shows; empty: all of the test
};

// What a device must have for a test. Each name is a word of the device's claims (device_file.h).
struct Needs {
  std::vector<std::string> features;
  std::string operation;  // of calls; empty: any
  int rows = 1, columns = 1;
  bool far = false;  // uses the east or the south edge, which a larger grid has elsewhere
  int colours = 0, queues = 0, sram = 0;
};

enum class Class { Must, Timing };

struct Test {
  std::string name;   // such as "arithmetic.f16.add"
  std::string about;  // one sentence
  Class kind = Class::Must;
  std::vector<std::string> rules;  // ids of the documents
  Needs needs;
  std::vector<Step> steps;
};

// A rule of the documents, so that a report can explain itself.
struct Rule {
  std::string document, section, text;
};

struct Suite {
  uint64_t seed = 0;
  std::map<std::string, Rule> rules;
  std::vector<Test> tests;

  // A hash of all that a run depends on.
  std::string digest() const;
};

// A suite is one file, JSON packed by gzip.
Suite read_suite(const std::string& path);
void write_suite(const std::string& path, const Suite& suite);

// The words of a line, cut at blanks.
std::vector<std::string> words_of(const std::string& line);

}  // namespace ow::conform

#endif  // OW_CONFORM_SUITE_H_
