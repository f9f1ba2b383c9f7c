// SPDX-License-Identifier: Apache-2.0
// Mutants of what the conformance kit reads: claims of devices, vectors, submissions.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "mutants.h"
#include "ow/base/file.h"
#include "ow/base/temporary_directory.h"
#include "ow/conform/judge.h"
#include "run_mutants.h"

namespace ow::conform {
namespace {

constexpr char kDay[] = "2026-01-01";
constexpr char kClaims[] =
    "name: an adder\nprofiles: [arithmetic, fabric]\nwithout: [bf16, switches]\n"
    "operations: [add, fma]\ngrid: [2, 3]\ncolours: 8\nqueues: 4\nsram: 4096\n"
    "waivers: [{rule: N2, reason: rounds down, expires: 2026-06-30}]\n";

Suite small_suite() {
  Suite suite;
  suite.seed = 7;
  suite.rules["N2"] = {"numerics.md", "Operations", "The exact result, rounded once."};
  suite.rules["F5"] = {"fabric.md", "Data colours", "Each router has one route per colour."};
  Test add{"arithmetic.f16.add", "Sums.", Class::Must, {"N2"}, {}, {}};
  add.needs.features = {"call", "f16"};
  add.needs.operation = "add";
  add.steps = {{"call add f16 f16 1 3c00 3c00", "4000", {"N2"}}};
  Test route{"fabric.routes", "A line.", Class::Timing, {"F5"}, {}, {}};
  route.needs = {{"fabric"}, "", 2, 2, 4, 1, 1024};
  route.steps = {{"reset 2 2", "", {}}, {"take e 0 0", "d1 *", {"F5"}}};
  suite.tests = {add, route};
  return suite;
}

// Adds well and routes wrongly.
class Adder : public Door {
 public:
  std::string ask(const std::string& line) override {
    return line.rfind("call", 0) == 0 ? "ok 4000" : line.rfind("take", 0) == 0 ? "ok d2 d3" : "ok";
  }
};

std::string written(const std::function<void(const std::string& path)>& write) {
  const TemporaryDirectory scratch;
  const std::string path = scratch.path() + "/file";
  write(path);
  return read_bytes(path, 1 << 20);
}

TEST(Fuzz, ClaimsOfDevices) {
  run("claims", {".yaml", {kClaims}, text, [](const std::string& path) {
                   const DeviceFile device = read_device_file(path);
                   for (const conform::Test& test : small_suite().tests) device.lacks(test.needs);
                 }});
}

TEST(Fuzz, VectorsOfTheKit) {
  const std::string good =
      written([](const std::string& path) { write_suite(path, small_suite()); });
  run("vectors", {".json", {good}, text, [](const std::string& path) {
                    const Suite suite = read_suite(path);
                    Adder adder;
                    JudgeOptions options;
                    options.day = kDay;
                    judge(suite, parse_device_file(kClaims, "claims"), &adder, options);
                  }});
}

TEST(Fuzz, SubmissionsToTheKit) {
  const std::string good = written([](const std::string& path) {
    const DeviceFile device = parse_device_file(kClaims, "claims");
    Adder adder;
    JudgeOptions options;
    options.day = kDay;
    write_package(path, judge(small_suite(), device, &adder, options), device);
  });
  run("submissions", {".json", {good}, text, [](const std::string& path) {
                        const Package package = read_package(path);
                        verify_package(package, small_suite(), kDay);
                        verify_package(package, small_suite(), "2027-01-01");
                      }});
}

}  // namespace
}  // namespace ow::conform
