// SPDX-License-Identifier: Apache-2.0
#include "host.h"

#include <fmt/format.h>

#include "../job/training_job.h"
#include "ow/graph/kind.h"

namespace ow::conform {
namespace {

Needs needs_of(const std::vector<std::string>& features, const Json& job) {
  Needs needs;
  needs.features = features;
  // A host alone has no grid.
  if (features.size() > 1) {
    needs.rows = job.at("grid").at(0);
    needs.columns = job.at("grid").at(1);
  }
  return needs;
}

std::string line_of(const std::string& begin, const std::vector<uint32_t>& words) {
  std::string line = begin;
  for (const uint32_t word : words) line += fmt::format(" {:x}", word);
  return line;
}

}  // namespace

Json piece(const char* kind, double from, double to, uint64_t steps, double base) {
  return {kind, from, to, steps, base};
}

Json always(double value) { return Json::array({piece("constant", value, value, 1)}); }

HostTest::HostTest(Maker* maker, const std::string& name, const std::string& about,
                   const std::vector<std::string>& features, const Rules& rules, const Json& job)
    : m_(maker), job_(parse_training_job(job.dump())) {
  m_->begin(name, about, needs_of(features, job), rules);
  m_->ask("job " + job.dump());
}

float HostTest::between(double low, double high) {
  return static_cast<float>(low + (high - low) * m_->rng().uniform());
}

void HostTest::ask(const std::string& what, const Rules& rules) {
  for (const Parameter& p : job_.graph.parameters)
    m_->ask("parameter " + p.name + " " + what, rules);
}

void HostTest::set(const std::string& parameter, double low, double high) {
  for (const Parameter& p : job_.graph.parameters) {
    if (p.name != parameter) continue;
    std::vector<float> values(p.rows * p.columns);
    for (float& x : values) x = between(low, high);
    set(parameter, values);
  }
}

void HostTest::set(const std::string& parameter, const std::vector<float>& values) {
  m_->ask(line_of("set " + parameter, encodings(values.data(), values.size())));
}

void HostTest::gradients(const Number& number, bool dense) {
  for (size_t k = 0; k < job_.graph.parameters.size(); ++k) {
    const Parameter& p = job_.graph.parameters[k];
    const std::vector<std::string> mask = words_of(m_->ask("parameter " + p.name + " mask"));
    std::vector<float> values(p.rows * p.columns);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = dense || mask[i] == "1" ? number(k, i) : 0.0f;
    m_->ask(line_of("gradient " + p.name, encodings(values.data(), values.size())));
  }
}

void HostTest::gradients(double low, double high, bool dense) {
  gradients([&](size_t, size_t) { return between(low, high); }, dense);
}

void HostTest::step(const Rules& rules) { m_->ask("step", rules); }

std::vector<uint32_t> HostTest::run(const std::vector<uint32_t>& inputs,
                                    const std::vector<uint32_t>& targets, const Rules& rules) {
  std::vector<uint32_t> outputs;
  const std::string line = line_of(fmt::format("batch {}", inputs.size()), inputs);
  for (const std::string& word : words_of(m_->ask(line_of(line, targets), rules)))
    outputs.push_back(static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
  return outputs;
}

void HostTest::batch(const Rules& rules) {
  const auto numbers = [&](int features) {
    std::vector<uint32_t> words(static_cast<size_t>(features) * job_.micro_batch());
    for (uint32_t& word : words) word = to_half(job_.type, between(-1, 1));
    return words;
  };
  const std::vector<uint32_t> inputs = numbers(job_.graph.features());
  const int outputs = job_.graph.outputs();
  std::vector<uint32_t> targets;
  if (find_kind(job_.loss)->targets == TargetForm::Values) {
    targets = numbers(outputs);
  } else {
    for (uint64_t k = 0; k < job_.micro_batch(); ++k)
      targets.push_back(m_->pick(static_cast<uint32_t>(outputs)));
  }
  run(inputs, targets, rules);
}

void HostTest::sequences(const std::vector<int>& lengths, int vocabulary, const Rules& rules) {
  constexpr auto kNone = static_cast<uint32_t>(kNoToken);
  std::vector<uint32_t> ids, starts, targets;
  const auto empty = [&](size_t slots) {
    ids.resize(slots, kNone);
    targets.resize(slots, kNone);
  };
  for (const int length : lengths) {
    const auto start = static_cast<uint32_t>(ids.size());
    for (int k = 0; k < length; ++k) {
      ids.push_back(m_->pick(static_cast<uint32_t>(vocabulary)));
      // The target of a token is the next one; that of the last is ignored.
      targets.push_back(kNone);
      if (k > 0) targets[targets.size() - 2] = ids.back();
    }
    empty((ids.size() + kSlotGroup - 1) / kSlotGroup * kSlotGroup);
    starts.resize(ids.size() / kSlotGroup, start);
  }
  while (ids.size() < job_.micro_batch()) {
    starts.push_back(static_cast<uint32_t>(ids.size()));
    empty(ids.size() + kSlotGroup);
  }
  ids.insert(ids.end(), starts.begin(), starts.end());
  run(ids, targets, rules);
}

}  // namespace ow::conform
