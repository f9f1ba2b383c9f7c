// SPDX-License-Identifier: Apache-2.0
#include "maker.h"

#include <fmt/format.h>

#include <algorithm>

#include "link_test.h"
#include "ow/base/error.h"
#include "ow/conform/make.h"

namespace ow::conform {
namespace {

void need(const char* feature, std::vector<std::string>* features) {
  if (std::find(features->begin(), features->end(), feature) == features->end())
    features->emplace_back(feature);
}

}  // namespace

void Maker::begin(const std::string& name, const std::string& about, Needs needs,
                  const Rules& rules) {
  Test test;
  test.name = name;
  test.about = about;
  test.needs = std::move(needs);
  test.rules = rules;
  tests_.push_back(std::move(test));
}

void Maker::begin_timing(const std::string& name, const std::string& about, Needs needs,
                         const Rules& rules) {
  begin(name, about, std::move(needs), rules);
  tests_.back().kind = Class::Timing;
}

void Maker::add(const std::string& request, const std::string& expected, const Rules& rules) {
  Test& test = tests_.back();
  test.steps.push_back({request, expected, rules});
  const std::vector<std::string> words = words_of(request);
  if (words[0] == "hold") need("credits", &test.needs.features);
  if (words[0] == "send" || words[0] == "take" || words[0] == "hold")
    test.needs.far = test.needs.far || words[1] == "e" || words[1] == "s";
  for (const std::string& id : rules) {
    if (std::find(test.rules.begin(), test.rules.end(), id) == test.rules.end())
      test.rules.push_back(id);
  }
}

std::string Maker::ask(const std::string& request, const Rules& rules) {
  const std::string answer = model_.ask(request);
  if (answer.rfind("ok", 0) != 0) {
    throw InternalError(fmt::format("{}: '{}': {}", tests_.back().name, request, answer));
  }
  // How long something takes is no part of an answer.
  const bool runs = request.rfind("run", 0) == 0;
  const std::string result = answer.size() > 3 && !runs ? answer.substr(3) : "";
  add(request, result, rules);
  return result;
}

void Maker::expect(const std::string& request, const std::string& expected, const Rules& rules) {
  model_.ask(request);
  add(request, expected, rules);
}

std::string write_line(int row, int col, uint32_t address, const std::vector<uint32_t>& words) {
  std::string line = fmt::format("write {} {} {:x}", row, col, address);
  for (const uint32_t word : words) line += fmt::format(" {:x}", word);
  return line;
}

std::string read_line(int row, int col, uint32_t address, size_t count) {
  return fmt::format("read {} {} {:x} {}", row, col, address, count);
}

std::string send_line(char side, int index, int colour, const std::vector<Word>& words) {
  std::string line = fmt::format("send {} {} {}", side, index, colour);
  for (const Word& word : words)
    line += fmt::format(" {}{:x}", word.control ? 'c' : 'd', word.data);
  return line;
}

std::string take_line(char side, int index, int colour) {
  return fmt::format("take {} {} {}", side, index, colour);
}

Suite make_suite(uint64_t seed, const std::string& documents) {
  Suite suite;
  suite.seed = seed;
  suite.rules = read_rules(documents);
  Maker maker(seed);
  make_arithmetic(&maker);
  make_reductions(&maker);
  make_core(&maker);
  make_tensor(&maker);
  make_fabric(&maker);
  make_filters(&maker);
  make_ramp(&maker);
  make_dotw(&maker);
  make_layers(&maker);
  make_forms(&maker);
  make_stops(&maker);
  make_control(&maker);
  make_link_trainings(&maker);
  make_link_frames(&maker);
  make_link_states(&maker);
  make_small_links(&maker);
  make_training(&maker);
  make_passes(&maker, documents);
  make_timing(&maker);
  make_cycles(&maker);
  make_engine_cycles(&maker);
  make_row_cycles(&maker);
  make_small_tile(&maker);
  make_core_programs(&maker);
  make_layer_forms(&maker);
  make_threads(&maker);
  make_fifos(&maker);
  make_rows(&maker);
  make_router_states(&maker);
  make_ramp_states(&maker);
  make_counters(&maker);
  suite.tests = maker.take();
  for (const Test& test : suite.tests) {
    for (const std::string& id : test.rules) {
      if (suite.rules.count(id) == 0)
        throw InternalError(test.name + ": no document has rule " + id);
    }
  }
  return suite;
}

std::unique_ptr<Door> make_model(const std::string& fault) {
  const auto& known = model_faults();
  if (!fault.empty() &&
      std::none_of(known.begin(), known.end(), [&](const Fault& f) { return fault == f.name; }))
    throw BadInput("'" + fault + "' is no fault of the model");
  return std::make_unique<ModelGrid>(fault);
}

}  // namespace ow::conform
