// SPDX-License-Identifier: Apache-2.0
// Trainings in both types with both optimizers, by the reference's passes and MemoryX's updates;
// prints the check sum of all weights and moments after every step. Built twice, for any machine of
// its kind and for this one: what they write must be the same.
#include <fmt/format.h>
#include <zlib.h>

#include <cstdio>

#include "both.h"
#include "ow/base/file.h"

namespace ow::memoryx {
namespace {

uint32_t sum_of(const Store& store) {
  uLong sum = crc32(0, nullptr, 0);
  const auto add = [&sum](const View<float>& v) {
    sum = crc32(sum, reinterpret_cast<const Bytef*>(v.data()),
                static_cast<uInt>(v.size() * sizeof(float)));
  };
  for (size_t k = 0; k < store.tensors(); ++k) {
    const size_t n = store.spec(k).elements();
    add(store.weights(k, 0, n));
    for (int m = 0; m < store.moments(); ++m) add(store.moment(k, m, 0, n));
  }
  return static_cast<uint32_t>(sum);
}

// False if the two disagree.
bool train(const std::string& name, const TrainingJob& job, int steps, std::string* text) {
  const Problem problem(9, job.layers.front().inputs, job.layers.back().outputs, 150);
  Both both(job, problem.data);
  for (int k = 0; k < steps; ++k) {
    const golden::Trainer::Result result = both.step();
    *text += fmt::format("{} step {}: {:08x} loss {:a} norm {:a}\n", name, k,
                         sum_of(both.memory.store()), result.loss, result.norm.value_or(0));
    const std::string different = both.difference();
    if (different.empty()) continue;
    fmt::print("{} step {}: MemoryX and golden differ: {}\n", name, k, different);
    return false;
  }
  return true;
}

bool train_all(std::string* text) {
  bool same = true;
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    TrainingJob job;
    job.type = type;
    job.layers = {{40, 33, "relu", true}, {33, 6, "none", true}};
    job.grid_rows = 3;
    job.grid_cols = 2;
    job.samples = 8;
    job.micro_batches = 3;
    job.seed = 5;
    job.loss_scale = {256, true, 4, 16777216};
    job.optimizer.rate = {{SchedulePiece::Kind::Cosine, 0.02, 0.001, 20, 1}};
    job.optimizer.weight_decay = 0.02;
    job.optimizer.max_norm = 0.5;
    job.sparsity.resize(1);
    job.sparsity[0].pattern = "layers.0.weight";
    job.sparsity[0].algorithm = SparsityGroup::Algorithm::Rigl;
    job.sparsity[0].density = constant_schedule(0.4);
    job.sparsity[0].update.every = 3;
    const std::string name = type == HalfType::Binary16 ? "binary16" : "bfloat16";
    same = train(name + " adamw", job, 12, text) && same;
    job.optimizer.kind = OptimizerOptions::Kind::Sgd;
    job.optimizer.momentum = 0.9;
    job.optimizer.nesterov = true;
    same = train(name + " sgd", job, 12, text) && same;
  }
  return same;
}

}  // namespace
}  // namespace ow::memoryx

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::string text;
  const bool same = ow::memoryx::train_all(&text);
  ow::write_file(argv[1], text);
  return same ? 0 : 1;
}
