// SPDX-License-Identifier: Apache-2.0
// Mutants of the messages between the ranks of a training: weights on their way down the tree, and
// the order of a step. Each is taken, or refused as a protocol error in one line.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/memoryx/memoryx.h"
#include "ow/swarmx/cast.h"
#include "ow/swarmx/wafer_memory.h"
#include "run_mutants.h"
#include "wire.h"

namespace ow {
namespace {

using ranks::Message;

TrainingJob job_of() {
  TrainingJob job;
  job.layers = {{7, 5, "relu", true}, {5, 3, "none", false}};
  job.grid_rows = 2;
  job.samples = 8;
  job.micro_batches = 2;
  job.sparsity.resize(1);
  job.sparsity[0].pattern = "layers.0.weight";
  job.sparsity[0].density = constant_schedule(0.4);
  return job;
}

TEST(Fuzz, MessagesOfWeights) {
  memoryx::StreamOptions options;
  options.rows = 2;
  std::vector<std::string> valid;
  memoryx::MemoryX memory(job_of(), {});
  memory.begin();
  for (const auto pass : {memoryx::Pass::Forward, memoryx::Pass::Gradient}) {
    memoryx::StreamSchedule schedule;
    for (const auto& layer : memoryx::parameters_of(job_of().layers)) {
      schedule.push_back({layer.weight, pass});
    }
    Wire wire(0);
    swarmx::Cast cast(wire, 1);
    const auto source = memory.batches(schedule, options);
    cast.send(source.get());
    valid.push_back(joined(wire.sent()));
  }
  run("weights", {".bin", valid, binary(64), [&](const std::string& path) {
                    take(path, [&](const std::vector<Message>& messages) {
                      // As many as a rank that nobody takes from has room for.
                      constexpr size_t kMost = 4;
                      if (messages.size() > kMost) throw ProtocolError("more than were sent");
                      Wire wire(1, messages);
                      swarmx::Cast cast(wire, 1);
                      cast.relay(options);
                    });
                  }});
}

// The same with a table.
TrainingJob job_of_tokens() {
  TrainingJob job = job_of();
  job.sparsity[0].pattern = "head.weight";
  job.graph = Graph::of_tokens();
  job.graph.add({"wte", "embedding", {kInputTensor}, {{"vocabulary", 7}, {"width", 4}}, "", {}});
  job.graph.add({"head", "linear", {"wte"}, {{"outputs", 7}, {"bias", 1}}, "", {}});
  job.graph.add({"loss", job.loss, {"head", kTargetsTensor}, {}, "", {}});
  return job;
}

TEST(Fuzz, OrdersOfSteps) {
  for (const TrainingJob& job : {job_of(), job_of_tokens()}) {
    memoryx::MemoryX memory(job, {});
    memory.begin();
    std::vector<swarmx::TableRows> tables;
    if (!job.graph.empty()) tables = {{0, {0, 2, 6}}};
    const std::vector<std::string> valid = {
        joined(swarmx::StepOrder(memory, {}, {}, tables).parts()),
        joined(swarmx::StepOrder(memory, swarmx::Round{8, 2}).parts())};
    run("order", {".bin", valid, binary(64), [&](const std::string& path) {
                    take(path, [&](std::vector<Message> messages) {
                      if (messages.empty()) throw ProtocolError("no message");
                      Wire wire(1);
                      swarmx::Cast cast(wire, 1);
                      const memoryx::TrainStreams streams;
                      swarmx::WaferMemory wafer(job, streams, 1);
                      wafer.begin(swarmx::StepOrder(std::move(messages)), &cast, 0);
                    });
                  }});
  }
}

}  // namespace
}  // namespace ow
