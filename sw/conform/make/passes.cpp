// SPDX-License-Identifier: Apache-2.0
// Trainings with the passes on the machine: sums, losses, deltas, gradients. Those of other kinds
// of layers stand in their folders, as sw/layers/KIND/conform.json.
#include <filesystem>

#include "host.h"
#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/conform/make.h"
#include "ow/graph/chain.h"
#include "ow/graph/kind.h"

namespace ow::conform {
namespace {

const std::vector<std::string> kPasses = {"optimizer", "passes"};

Json layer(const std::string& name, const std::string& from, int outputs, const Json& more = {}) {
  Json op = {{"name", name}, {"kind", kShortLayer}, {"inputs", {from}}, {"outputs", outputs}};
  if (!more.is_null()) op.update(more);
  return op;
}
Json element(const std::string& name, const std::string& kind, const Json& inputs) {
  return {{"name", name}, {"kind", kind}, {"inputs", inputs}};
}

// Three layers on a grid of 2 x 2, whose sums differ by their order.
Json job_of(Maker* m, const char* type) {
  return {{"type", type},
          {"grid", {2, 2}},
          {"samples", 8},
          {"seed", m->word()},
          {"features", 9},
          {"optimizer", {{"kind", "sgd"}, {"rate", always(0.5)}}},
          {"loss_scale", {{"initial", 16}}},
          {"layers",
           {layer("one", "input", 11), element("act", kShortActivation, {"one"}),
            layer("two", "act", 10), element("more", kShortActivation, {"two"}),
            layer("three", "more", 5), element("loss", kShortLoss, {"three", "targets"})}}};
}

// A micro-batch, and what it leaves; then the updated parameters.
void check(HostTest* t, const Rules& forward, const Rules& backward) {
  for (int k = 0; k < t->job().micro_batches; ++k) {
    t->batch(forward);
    t->ask("gradient", backward);
  }
  t->step();
  t->ask("value", backward);
}

void make_sums(Maker* m) {
  const Rules backward = {"N13", "N14", "N15", "N59", "N65", "N67", "N70", "N71"};
  for (const char* type : {"f16", "bf16"}) {
    HostTest column(m, std::string("passes.column.") + type,
                    "Sums go round the column; gradients along the row.", kPasses, backward,
                    job_of(m, type));
    for (int step = 0; step < 2; ++step) check(&column, {"N13"}, backward);
    Json job = job_of(m, type);
    job["forward"] = job["delta"] = {"whole", "whole", "whole"};
    job["delta"][0] = "column";  // nothing takes it
    Rules whole = backward;
    whole.insert(whole.end(), {"N12", "N62"});
    HostTest t(m, std::string("passes.whole.") + type, "Sums are whole in the owner's tile.",
               kPasses, whole, job);
    for (int step = 0; step < 2; ++step) check(&t, {"N12", "N62"}, whole);
  }
  Json job = job_of(m, "f16");
  job["forward"] = {"whole", "column", "whole"};
  job["delta"] = {"column", "whole", "column"};
  HostTest t(m, "passes.orders", "Each layer has the order of sums that the job names.", kPasses,
             {"N62"}, job);
  check(&t, {"N62"}, {"N62"});
}

// A sum's roundings in fp32 decide all bits of an output whose bias is the negative sum: so its
// order shows.
void make_forward_order(Maker* m, const char* order, const Rules& rules) {
  constexpr int kFeatures = 29, kOutputs = 16;
  Json job = job_of(m, "f16");
  job["features"] = kFeatures;
  job["layers"] = {layer("one", "input", kOutputs),
                   element("loss", kShortLoss, {"one", "targets"})};
  job["forward"] = {order};
  HostTest t(m, std::string("passes.forward.") + order, "The order of a layer's sums.", kPasses,
             rules, job);
  const auto half = [&](double low, double high) {
    return from_half(HalfType::Binary16, to_half(HalfType::Binary16, t.between(low, high)));
  };
  std::vector<float> x, weights, biases;
  for (int i = 0; i < kFeatures; ++i) x.push_back(half(-60, 60));
  for (int j = 0; j < kOutputs; ++j) {
    double sum = 0;
    for (int i = 0; i < kFeatures; ++i) {
      weights.push_back(half(-60, 60));
      sum += static_cast<double>(weights.back()) * static_cast<double>(x[static_cast<size_t>(i)]);
    }
    biases.push_back(static_cast<float>(-sum));
  }
  t.set("one.weight", weights);
  t.set("one.bias", biases);
  std::vector<uint32_t> inputs;
  for (const float value : x)
    inputs.insert(inputs.end(), t.job().micro_batch(), to_half(HalfType::Binary16, value));
  t.run(inputs, std::vector<uint32_t>(t.job().micro_batch(), 0), rules);
}

// Deltas of 1 and rows of weights that cancel each other: so the order of the deltas' sums shows in
// the gradients of the layer before.
void make_delta_order(Maker* m, const std::string& loss, const char* order, const Rules& rules) {
  constexpr int kHidden = 5, kOutputs = 14;
  Json job = job_of(m, "f16");
  job["micro_batches"] = 2;
  job["layers"] = {layer("one", "input", kHidden), layer("two", "one", kOutputs),
                   element("loss", loss, {"two", "targets"})};
  job["forward"] = {"column", "column"};
  job["delta"] = {"column", order};
  HostTest t(m, "passes.delta." + std::string(order), "The order of the sums of deltas.", kPasses,
             rules, job);
  std::vector<float> weights(kOutputs * kHidden);
  for (size_t k = 0; k < weights.size() / 2; ++k) {
    const size_t pair = k / kHidden * 2 * kHidden + k % kHidden;
    weights[pair] = from_half(HalfType::Binary16, to_half(HalfType::Binary16, t.between(20, 60)));
    weights[pair + kHidden] = k / kHidden == 0 ? -weights[pair] + 0.03125f : -weights[pair];
  }
  t.set("two.weight", weights);
  t.set("one.weight", -0.001, 0.001);
  std::vector<uint32_t> inputs(9 * t.job().micro_batch()), zeros(kOutputs * t.job().micro_batch());
  for (uint32_t& word : inputs) word = to_half(HalfType::Binary16, t.between(-1, 1));
  std::vector<uint32_t> targets = t.run(inputs, zeros, {});
  // z - t is a number without a pattern, the same for all outputs but for roundings.
  for (uint32_t& word : targets)
    word = to_half(HalfType::Binary16,
                   from_half(HalfType::Binary16, static_cast<uint16_t>(word)) - 0.7);
  t.run(inputs, targets, rules);
  t.ask("gradient", rules);
  t.step();
}

void make_batches(Maker* m) {
  Json job = job_of(m, "f16");
  job["grid"] = {1, 3};
  job["micro_batches"] = 3;
  HostTest t(m, "passes.micro_batches", "Samples are dealt to micro-batches and grid columns.",
             kPasses, {"N59", "N16"}, job);
  check(&t, {"N59"}, {"N59", "N16"});
}

// Weights that round to zero in the network's type, and masks.
void make_streams(Maker* m) {
  Json job = job_of(m, "f16");
  job["sparsity"] = {
      {{"pattern", "*"}, {"algorithm", "set"}, {"init", "random"}, {"density", always(0.6)}}};
  HostTest t(m, "passes.small_weights",
             "A weight that rounds to zero is not streamed, and has a gradient.", kPasses, {"N63"},
             job);
  check(&t, {"N63"}, {"N63"});
  Json dense = job_of(m, "f16");
  HostTest small(m, "passes.no_weights", "All weights of a layer round to zero.", kPasses, {"N63"},
                 dense);
  small.set("two.weight", -2e-8, 2e-8);
  check(&small, {"N63"}, {"N63"});
}

void make_shared(Maker* m) {
  Json job = job_of(m, "f16");
  job["layers"] = {layer("one", "input", 7),
                   element("act", kShortActivation, {"one"}),
                   layer("two", "act", 7),
                   element("more", kShortActivation, {"two"}),
                   layer("three", "more", 7, {{"shared", {{"weight", "two.weight"}}}}),
                   element("loss", kShortLoss, {"three", "targets"})};
  job["micro_batches"] = 2;
  HostTest t(m, "passes.shared", "Two layers share a matrix; their gradients are added.", kPasses,
             {"N115"}, job);
  check(&t, {}, {"N115"});
}

// The loss whose targets are values.
std::string loss_of_values() {
  for (const std::string& kind : kind_names()) {
    if (find_kind(kind)->targets == TargetForm::Values) return kind;
  }
  throw InternalError("no loss takes values");
}

// The tests of a folder of sw/layers.
void make_kind(Maker* m, const std::string& path) {
  for (const Json& test : read_json(path)) {
    for (const char* type : {"f16", "bf16"}) {
      Json job = test.at("job");
      job["type"] = type;
      job["seed"] = m->word();
      job["optimizer"] = {{"kind", "sgd"}, {"rate", always(0.5)}};
      job["loss_scale"] = {{"initial", 16}};
      const Rules rules = test.at("rules");
      HostTest t(m, "layers." + test.at("name").get<std::string>() + "." + type, test.at("about"),
                 {"optimizer", "passes", "layers"}, rules, job);
      for (const Parameter& p : t.job().graph.parameters) {
        if (p.form == Parameter::Form::Vector) t.set(p.name, -1, 1);
      }
      for (int step = 0; step < 2; ++step) {
        if (test.contains("sequences")) {
          t.sequences(test.at("sequences"), test.at("vocabulary"), rules);
        } else {
          t.batch(rules);
        }
        t.ask("gradient", rules);
        t.step();
      }
      t.ask("value");
    }
  }
}

}  // namespace

void make_passes(Maker* m, const std::string& documents) {
  make_sums(m);
  make_forward_order(m, "column", {"N12", "N62"});
  make_forward_order(m, "whole", {"N12", "N62"});
  const std::string loss = loss_of_values();
  make_delta_order(m, loss, "column", {"N12", "N14", "N62"});
  make_delta_order(m, loss, "whole", {"N12", "N14", "N62"});
  make_batches(m);
  make_streams(m);
  make_shared(m);
  for (const std::string& folder : kind_folders(documents)) {
    const std::string path = folder + "/conform.json";
    if (std::filesystem::exists(path)) make_kind(m, path);
  }
}

}  // namespace ow::conform
