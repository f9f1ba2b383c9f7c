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
#include "training_job.h"

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
  route.needs = {{"fabric"}, "", 2, 2, true, 4, 1, 1024};
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

constexpr char kJob[] =
    "{\"type\":\"f16\",\"seed\":7,\"grid\":[2,2],\"samples\":4,\"micro_batches\":2,\"features\":3,"
    "\"layers\":[{\"name\":\"a\",\"kind\":\"linear\",\"inputs\":[\"input\"],\"outputs\":4},"
    "{\"name\":\"b\",\"kind\":\"linear\",\"inputs\":[\"a\"],\"outputs\":2},"
    "{\"name\":\"l\",\"kind\":\"mean_squared_error\",\"inputs\":[\"b\",\"targets\"]}],"
    "\"forward\":[\"column\",\"whole\"],\"delta\":[\"whole\",\"column\"],"
    "\"optimizer\":{\"kind\":\"adamw\",\"rate\":[[\"linear\",0,0.1,4,0],[\"cosine\",0.1,0,9,0]],"
    "\"weight_decay\":0.1,\"momentum\":0.9,\"nesterov\":true,\"beta1\":0."
    "9,"
    "\"beta2\":0.99,\"epsilon\":1e-8,\"max_norm\":1},"
    "\"loss_scale\":{\"initial\":8,\"dynamic\":true,\"interval\":3,\"most\":64},"
    "\"sparsity\":[{\"pattern\":\"a.*\",\"algorithm\":\"set\",\"init\":\"random\","
    "\"density\":[[\"cubic\",1,0.5,9,0]],\"drop\":[[\"slope\",0.3,0,5,0.01]],\"start\":1,\"stop\":"
    "9,"
    "\"every\":2,\"balance\":\"inputs\",\"parts\":2}]}";
constexpr char kTokenJob[] =
    "{\"type\":\"bf16\",\"grid\":[1,1],\"samples\":8,\"features\":0,"
    "\"layers\":[{\"name\":\"e\",\"kind\":\"embedding\",\"inputs\":[\"input\"],\"width\":4,"
    "\"vocabulary\":9},"
    "{\"name\":\"w\",\"kind\":\"linear\",\"inputs\":[\"e\"],\"outputs\":9},"
    "{\"name\":\"l\",\"kind\":\"softmax_cross_entropy\",\"inputs\":[\"w\",\"targets\"]}],"
    "\"optimizer\":{\"kind\":\"sgd\",\"rate\":[[\"power\",1,0.1,4,0.5],[\"repeat\",0,0,1,0]]}}";

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

TEST(Fuzz, JobsOfTheKit) {
  run("jobs", {".json", {kJob, kTokenJob}, text, [](const std::string& path) {
                 const TrainingJob job = parse_training_job(read_bytes(path, 1 << 20));
                 // As many words as the good jobs take.
                 const bool tokens = job.graph.features() == 1;
                 const Batch batch = batch_of(job, std::vector<uint32_t>(tokens ? 9 : 24, 1),
                                              std::vector<uint32_t>(tokens ? 8 : 16, 1));
                 words_of(batch.targets.values);
                 const float one = decoded(0x3F800000);
                 encodings(&one, 1);
               }});
}

}  // namespace
}  // namespace ow::conform
