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

namespace ow {
namespace {

using ranks::Message;

// Two ranks, of which this is one: what it sends is kept, what it receives is given.
class Wire : public ranks::Transport {
 public:
  explicit Wire(int rank, std::vector<Message> received = {})
      : rank_(rank), received_(std::move(received)) {}
  int rank() const override { return rank_; }
  int ranks() const override { return 2; }
  std::chrono::seconds patience() const override { return std::chrono::seconds(1); }
  void send(int, ranks::Tag, Message message) override { sent_.push_back(std::move(message)); }
  Message receive(int, ranks::Tag) override {
    if (next_ == received_.size()) throw ProtocolError("nothing comes any more");
    return received_[next_++];
  }
  void check() override {}
  void fail(int, const std::string&) override {}
  void close() override {}

  const std::vector<Message>& sent() const { return sent_; }

 private:
  int rank_;
  std::vector<Message> received_, sent_;
  size_t next_ = 0;
};

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

// Messages as the text of a file: the length of each in four bytes, then its bytes.
std::string joined(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& m : messages) {
    for (int k = 0; k < 4; ++k) text += static_cast<char>(m.size() >> (8 * k));
    text.append(m.begin(), m.end());
  }
  return text;
}

// Whatever the text is; a length that is too much is what is left.
std::vector<Message> messages_of(const std::string& text) {
  std::vector<Message> messages;
  for (size_t at = 0; at + 4 <= text.size();) {
    uint32_t size = 0;
    for (size_t k = 0; k < 4; ++k) {
      size |= static_cast<uint32_t>(static_cast<uint8_t>(text[at + k])) << (8 * k);
    }
    at += 4;
    const std::string part = text.substr(at, size);
    messages.emplace_back(part.begin(), part.end());
    at += part.size();
  }
  return messages;
}

// What a rank must not do with what another one sends is a protocol error; the files that run()
// makes know bad input.
template <typename Work>
void take(const std::string& path, const Work& work) {
  const std::string text = read_text(path);
  try {
    work(messages_of(text));
  } catch (const ProtocolError& error) {
    throw BadInput(error.what());
  }
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
