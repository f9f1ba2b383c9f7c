// SPDX-License-Identifier: Apache-2.0
// Plans in files: used while their inputs are the same, made anew when one is another, refused when
// they are damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "train_directory.h"

namespace ow::jobs {
namespace {

TEST_F(TrainJob, KeepsItsPlanAndUsesItWhileItsInputsAreTheSame) {
  const TrainParams p = params();
  RunOptions run = options("", false);
  run.plan = directory_ + "/plan.json";
  run.num_steps = 1;
  const auto says = [&](const TrainParams& of) { return run_training(of, run).plan; };
  EXPECT_EQ(says(p), nlohmann::json({{"file", run.plan}, {"used", false}}));
  const nlohmann::json plan = read_json(run.plan);
  EXPECT_EQ(plan.at("plan").at("forward").size(), 2u);
  // What lies in a tile, by address: from the program to the stack. Blocks that never live at the
  // same time may lie over each other.
  const CheckedTraining checked = check_training(p, run);
  const nlohmann::json& memory = plan.at("memory");
  uint32_t at = 0;
  std::set<std::string> names;
  for (const nlohmann::json& place : memory) {
    EXPECT_GE(place.at("address"), at) << place;
    at = place.at("address").get<uint32_t>();
    names.insert(place.at("name").get<std::string>());
  }
  EXPECT_EQ(memory.front().at("name"), "program");
  EXPECT_EQ(memory.back().at("name"), "stack");
  EXPECT_EQ(at + memory.back().at("bytes").get<uint32_t>(),
            checked.firmware.symbol("ow_stack_top"));
  for (const char* name : {"input", "targets", "layers.0.bias", "list of phases"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  // The plan of the file is the one that would be made.
  EXPECT_TRUE(checked.plan_file.usable());
  EXPECT_EQ(checked.plan_file.says(), run.plan + ": used, its inputs are the same");
  RunOptions without = run;
  without.plan.clear();
  EXPECT_EQ(plan_json(checked.plan), plan_json(check_training(p, without).plan));
  run.make = options("", true).make;
  EXPECT_EQ(says(p).at("used"), true);
  run.make = nullptr;
}

// What no plan depends on may change; what one does is named, and a new one is written.
TEST_F(TrainJob, APlanIsMadeAnewForOtherInputs) {
  const TrainParams p = params();
  RunOptions run = options("", false);
  run.plan = directory_ + "/plan.json";
  run.num_steps = 1;
  const auto says = [&](const TrainParams& of) { return run_training(of, run).plan; };
  says(p);
  const std::string first = read_text(run.plan);
  TrainParams other = p;
  other.job.optimizer.rate = constant_schedule(0.5);
  other.steps = 3;
  EXPECT_EQ(says(other).at("used"), true);
  EXPECT_EQ(read_text(run.plan), first);
  const auto changed = [&](const std::function<void(TrainParams*)>& change) -> std::string {
    write_file(run.plan, first);
    other = p;
    change(&other);
    const nlohmann::json said = check_training(other, run).plan_file.report();
    return said.value("why", "");
  };
  EXPECT_EQ(changed([](TrainParams* t) { t->job.samples = 16; }),
            "'samples_per_tile' was 8, is 16");
  EXPECT_EQ(changed([](TrainParams* t) { t->job.layers[1].bias = false; }).substr(0, 20),
            "'layers[1]' was {\"ac");
  EXPECT_EQ(changed([](TrainParams* t) { t->job.type = HalfType::Bfloat16; }),
            "'type' was binary16, is bfloat16");
  EXPECT_EQ(changed([](TrainParams* t) { t->job.grid_cols = 1; }), "'grid[1]' was 2, is 1");
  EXPECT_EQ(changed([](TrainParams* t) { t->job.micro_batches = 4; }),
            "'micro_batches' was 2, is 4");
  EXPECT_EQ(changed([](TrainParams* t) { t->wafers = 2; }), "'wafers' was 1, is 2");
  EXPECT_EQ(changed([](TrainParams* t) { t->job.sparsity[0].density = constant_schedule(0.25); }),
            "'weights_kept[0]' was [0.5,27], is [0.25,13]");
  EXPECT_EQ(changed([](TrainParams* t) { t->job.seed = 4; }), "'seed' was 3, is 4");
  EXPECT_EQ(changed([](TrainParams* t) {
              t->job.optimizer.max_norm = 0;
              t->job.loss_scale.dynamic = false;
            }),
            "'updates_wait' was true, is false");
  EXPECT_EQ(
      changed([](TrainParams* t) { t->base.time.preset = TimeOptions::Preset::Wse; }).substr(0, 10),
      "'time' was");
  run.tile.threads += 1;
  EXPECT_EQ(changed([](TrainParams*) {}).substr(0, 10), "'tile' was");
  run.tile = kFullTile;
  run.larger_firmware.clear();
  run.firmware = OW_FIRMWARE_DIR "/forward.elf";
  EXPECT_THROW(changed([](TrainParams*) {}), BadInput)
      << "made anew, of a program that does not do";
  run.firmware = OW_FIRMWARE_DIR "/train.elf";
  write_file(run.plan, first);
  other = p;
  other.job.micro_batches = 4;
  EXPECT_EQ(says(other).at("why"), "'micro_batches' was 2, is 4");
  EXPECT_EQ(says(other).at("used"), true) << "a new one was written";
}

TEST_F(TrainJob, ADamagedPlanIsRefusedInOneLine) {
  RunOptions run = options("", false);
  run.plan = directory_ + "/plan.json";
  run.num_steps = 1;
  run_training(params(), run);
  const std::string good = read_text(run.plan);
  const auto refused = [&](const std::string& contents) -> std::string {
    write_file(run.plan, contents);
    try {
      check_training(params(), run);
    } catch (const BadInput& error) {
      return std::string(error.what()).substr(run.plan.size());
    }
    return "";
  };
  EXPECT_EQ(refused(good), "");
  EXPECT_THAT(refused(good.substr(0, good.size() / 2)), testing::EndsWith(": is not JSON"));
  EXPECT_EQ(refused("{}"), ": is no plan");
  EXPECT_EQ(refused("[1]"), ": is no plan");
  const std::string sum = ": is damaged: its check sum differs (without it a new one is made)";
  std::string moved = good;
  const std::string key = "\"gathered_features\": ";
  char& digit = moved[moved.find(key) + key.size()];
  digit = digit == '1' ? '2' : '1';
  EXPECT_EQ(refused(moved), sum);
  std::string turned = good;
  turned.replace(turned.find("\"whole\""), 7, "\"column\"");
  EXPECT_EQ(refused(turned), sum);
  // The plan of another version of this program is made anew.
  std::string old = good;
  old.replace(old.find(kPlanFormat), std::string(kPlanFormat).size(), "openwafer-plan-1");
  EXPECT_EQ(refused(old), "");
  EXPECT_EQ(check_training(params(), run).plan_file.report().at("why"),
            "'format' was openwafer-plan-1, is " + std::string(kPlanFormat));
}

// A checkpoint goes on with its own orders of sums, whatever a plan says.
TEST_F(TrainJob, APlanOfOtherOrdersThanTheCheckpointsIsMadeAnew) {
  const TrainParams p = params();
  RunOptions run = options("model", false);
  run.plan = directory_ + "/plan.json";
  run.num_steps = 1;
  run_training(p, run);
  nlohmann::json other = read_json(run.plan);
  ASSERT_NE(other.at("plan").at("delta"), nlohmann::json({"column", "column"}));
  other["plan"]["delta"] = {"column", "column"};
  run.plan = directory_ + "/other.json";
  PlanFile(run.plan, other.at("inputs")).keep(other);
  EXPECT_EQ(check_training(p, run).plan.delta, std::vector<SumOrder>(2, SumOrder::Column));
  run.resume = true;
  const TrainReport report = run_training(p, run);
  EXPECT_EQ(report.plan.at("why"), "has other orders of sums than " + report.resumed);
  EXPECT_EQ(report.different, 0u);
}

}  // namespace
}  // namespace ow::jobs
