// SPDX-License-Identifier: Apache-2.0
// Mutants of the files of a training: its parameters, plans and checkpoints.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mutants.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/hash.h"
#include "ow/compile/job.h"
#include "ow/compile/plan_file.h"
#include "ow/memoryx/checkpoint.h"
#include "run_mutants.h"

namespace ow {
namespace {

std::string config(const std::string& name) {
  return read_text(std::string(OW_SOURCE_DIR "/configs/") + name);
}

// As `ow run` reads them: a file without `train` is of a network. What they say of time is made a
// model of, for a job that needs much and for one that needs nothing.
TEST(Fuzz, ParametersOfATraining) {
  const std::string here = OW_SOURCE_DIR "/tb/sw/fuzz/";
  const std::string graph = testing::TempDir() + "ow_fuzz_graph.json";
  write_file(graph, R"({"inputs": 5, "layers": [{"name": "a", "kind": "linear", "inputs": "input",
                                                "outputs": 3}]})");
  const std::string of_graph = "data: {file: x.csv}\nnetwork: {graph: " + graph +
                               ", weights: x}\ngrid: {rows: 1, columns: 2}\n";
  run("training",
      {".yaml",
       {config("digits-train.yaml"), config("digits.yaml"), read_text(here + "training-sgd.yaml"),
        read_text(here + "training-adamw.yaml"), read_text(here + "training-time.yaml"),
        read_text(here + "training-data.yaml"), read_text(here + "training-named.yaml"),
        read_text(here + "training-sums.yaml"), read_text(here + "training-tokens.yaml"),
        config("novel-train.yaml"), of_graph, read_text(here + "inference-time.yaml")},
       text,
       [](const std::string& path) {
         const jobs::RunParams params = jobs::read_job(path, false).base();
         const TimeNeeds much{1u << 20, 3, 1u << 20, 7, 1u << 30, 1u << 20};
         for (const TimeNeeds& needs : {TimeNeeds{}, much}) {
           const TimeModel time = make_time(params.time, needs, 3);
           time.modelled();
           time.way_in();
           time.way_out();
           time.period_in();
           for (const uint64_t units : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
             time.edge.period(units);
             time.period_out(units != 0);
             time.samples.cycles(units);
           }
         }
       }});
  std::remove(graph.c_str());
}

// A training on two grid rows, and a run as begun.
TrainingJob small_training() {
  TrainingJob job;
  job.grid_rows = 2;
  job.samples = 8;
  job.layers = {{3, 2, "relu", true}, {2, 2, "none", false}};
  return job;
}

TrainingJob small_run() {
  TrainingJob job = forward_job();
  job.grid_rows = 2;
  job.layers = {{3, 2, "relu", true}};
  return job;
}

// Mutants of what a plan says get its check sum mended, mostly: else none would come past it.
void plan_mutant(Rng* rng, std::string* s) {
  text(rng, s);
  if (rng->below(8) == 0) return;
  nlohmann::json plan = nlohmann::json::parse(*s, nullptr, false);
  if (!plan.is_object()) return;
  plan.erase("sum");
  const auto replace = nlohmann::json::error_handler_t::replace;
  plan["sum"] = hash_of(plan.dump(-1, ' ', false, replace));
  *s = plan.dump(2, ' ', false, replace);
}

TEST(Fuzz, Plans) {
  const std::string path = testing::TempDir() + "ow_fuzz_plan_good.json";
  const nlohmann::json inputs = {{"kind", "training"},
                                 {"layers", {{{"inputs", 3}, {"outputs", 2}}, {{"inputs", 2}}}},
                                 {"grid", {2, 1}}};
  const auto kept = [&](const nlohmann::json& of, const nlohmann::json& plan) {
    jobs::PlanFile file(path, of);
    file.keep({{"plan", plan}, {"large_layer", plan}, {"memory", nlohmann::json::array()}});
    EXPECT_NE(file.says(), "");
    std::string contents = read_text(path);
    std::remove(path.c_str());
    return contents;
  };
  const nlohmann::json training = {{"forward", {"whole", "column"}},
                                   {"delta", {"column", "column"}},
                                   {"gathered_features", 2},
                                   {"window_features", 1},
                                   {"recompute", "ffn"},
                                   {"outputs_leave", false},
                                   {"list_in_turns", false},
                                   {"used_bytes", 8192}};
  const nlohmann::json run_of = {
      {"samples_per_tile", 16}, {"forward", {"column"}}, {"used_bytes", 4096}};
  const ElfImage program = read_elf(OW_FIRMWARE_DIR "/train.elf", jobs::kFullTile.sram_bytes);
  const ElfImage runs = read_elf(OW_FIRMWARE_DIR "/forward.elf", jobs::kFullTile.sram_bytes);
  nlohmann::json fewer = inputs, longer = inputs, other = inputs;
  fewer.erase("grid");
  longer["more"] = std::string(100, 'x');
  other["grid"] = {2, 4};
  std::string old = kept(inputs, training);
  old.replace(old.find(jobs::kPlanFormat), std::string(jobs::kPlanFormat).size(),
              "openwafer-plan-1");
  run("plan", {".json",
               {kept(inputs, training), kept(fewer, training), kept(longer, training),
                kept(other, training), old},
               plan_mutant,
               [&](const std::string& file) {
                 read_text(file);  // one that is not there is no bad one
                 const jobs::PlanFile plan(file, inputs);
                 plan.says();
                 plan.report();
                 if (!plan.usable()) return;
                 jobs::read_plan("job", plan, "plan", small_training(), program, jobs::kFullTile);
               }});
  run("run_plan", {".json", {kept(inputs, run_of)}, plan_mutant, [&](const std::string& file) {
                     read_text(file);
                     const jobs::PlanFile plan(file, inputs);
                     if (!plan.usable()) return;
                     for (const char* key : {"plan", "large_layer"}) {
                       jobs::read_plan("job", plan, key, small_run(), runs, jobs::kFullTile);
                     }
                   }});
  EXPECT_EQ(jobs::PlanFile("", inputs).says(), "");
  EXPECT_TRUE(jobs::PlanFile().report().is_null());
}

// Checkpoints of two parameters. Mutants of the header get its check sum mended, mostly: else none
// would come past it.
TEST(Fuzz, Checkpoints) {
  const auto store = [] {
    const std::vector<memoryx::TensorSpec> specs = {{"a", {2, 3}, true}, {"b", {2}, false}};
    return std::make_unique<memoryx::Store>(specs, 2, 1, memoryx::StoreOptions{});
  };
  const std::string directory = testing::TempDir() + "ow_fuzz_checkpoints";
  mkdir(directory.c_str(), 0777);
  memoryx::RunState state;
  state.job = {{"train.seed", "5"}, {"sums.forward[0]", "column"}};
  for (const uint64_t step : {1, 2, 3}) {
    state.step = step;
    memoryx::save_checkpoint(memoryx::checkpoint_path(directory, step), *store(), state);
  }
  memoryx::remove_old_checkpoints(directory, 2);
  const std::vector<std::string> paths = memoryx::checkpoints_in(directory);
  ASSERT_EQ(paths.size(), 2u);
  const std::vector<std::string> valid = {read_text(paths[0]), read_text(paths[1])};
  for (const std::string& path : paths) std::remove(path.c_str());
  rmdir(directory.c_str());
  constexpr size_t kSums = 4 * 8;  // of the header and seven arrays
  run("checkpoint", {".safetensors", valid,
                     [](Rng* rng, std::string* s) {
                       header_mutant(rng, s);
                       const size_t end = s->find_last_of('}');
                       if (end == std::string::npos || s->size() < end + 1 + kSums) return;
                       if (rng->below(4) == 0) return;
                       size_t length = end + 1;
                       while (length < s->size() && (*s)[length] == ' ') ++length;
                       const auto sum = static_cast<uint32_t>(
                           crc32_z(0, reinterpret_cast<const Bytef*>(s->data()), length));
                       std::memcpy(&(*s)[s->size() - kSums], &sum, sizeof sum);
                     },
                     [&](const std::string& file) {
                       static_cast<void>(memoryx::is_checkpoint(file));
                       const auto into = store();
                       memoryx::load_checkpoint(file, *into);
                       memoryx::check_checkpoint(file);
                     }});
}

}  // namespace
}  // namespace ow
