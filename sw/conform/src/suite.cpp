// SPDX-License-Identifier: Apache-2.0
#include "ow/conform/suite.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/hash.h"
#include "ow/base/json.h"
#include "ow/base/json_object.h"

namespace ow::conform {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr size_t kMostBytes = size_t{1} << 30;
constexpr int kMost = 1 << 30;

std::vector<std::string> texts(const JsonObject& object, const std::string& key) {
  std::vector<std::string> out;
  const json* list = object.find(key);
  if (list == nullptr) return out;
  if (!list->is_array()) object.fail(key, "must be a list of texts");
  for (const json& item : *list) {
    if (!item.is_string()) object.fail(key, "must be a list of texts");
    out.push_back(item.get<std::string>());
  }
  return out;
}

Step read_step(const JsonObject& object) {
  Step step{object.text("ask"), object.text("expect", std::string()), texts(object, "rules")};
  for (const std::string* line : {&step.request, &step.expected}) {
    if (line->find_first_of("\r\n") != std::string::npos) object.fail("ask", "must be one line");
  }
  if (words_of(step.request).empty()) object.fail("ask", "must not be empty");
  return step;
}

Test read_test(const JsonObject& object) {
  Test test;
  test.name = object.text("name");
  test.about = object.text("about");
  const std::string kind = object.text("class");
  if (kind != "must" && kind != "timing") object.fail("class", "must be must or timing");
  test.kind = kind == "must" ? Class::Must : Class::Timing;
  test.rules = texts(object, "rules");
  const JsonObject needs = object.object("needs");
  test.needs.features = texts(needs, "features");
  test.needs.operation = needs.text("operation", std::string());
  test.needs.rows = needs.whole("rows", 1, 4096, 1);
  test.needs.columns = needs.whole("columns", 1, 4096, 1);
  test.needs.far = needs.whole("far", 0, 1, 0) == 1;
  test.needs.colours = needs.whole("colours", 0, 24, 0);
  test.needs.queues = needs.whole("queues", 0, 8, 0);
  test.needs.sram = needs.whole("sram", 0, kMost, 0);
  for (const JsonObject& step : object.objects("steps")) test.steps.push_back(read_step(step));
  return test;
}

json needs_json(const Needs& needs) {
  json out = {{"features", needs.features}};
  const std::pair<const char*, int> sizes[] = {
      {"colours", needs.colours}, {"queues", needs.queues}, {"sram", needs.sram}};
  for (const auto& [key, value] : sizes) {
    if (value > 0) out[key] = value;
  }
  if (!needs.operation.empty()) out["operation"] = needs.operation;
  if (needs.rows > 1) out["rows"] = needs.rows;
  if (needs.columns > 1) out["columns"] = needs.columns;
  if (needs.far) out["far"] = 1;
  return out;
}

json test_json(const Test& test) {
  json steps = json::array();
  for (const Step& step : test.steps) {
    json one = {{"ask", step.request}};
    if (!step.expected.empty()) one["expect"] = step.expected;
    if (!step.rules.empty()) one["rules"] = step.rules;
    steps.push_back(one);
  }
  return {{"name", test.name},
          {"about", test.about},
          {"class", test.kind == Class::Must ? "must" : "timing"},
          {"rules", test.rules},
          {"needs", needs_json(test.needs)},
          {"steps", steps}};
}

json suite_json(const Suite& suite) {
  json rules = json::object(), tests = json::array();
  for (const auto& [id, rule] : suite.rules) {
    rules[id] = {{"document", rule.document}, {"section", rule.section}, {"text", rule.text}};
  }
  for (const Test& test : suite.tests) tests.push_back(test_json(test));
  return {{"openwafer_conform", kFormat},
          {"kit", kKitVersion},
          {"seed", std::to_string(suite.seed)},
          {"rules", rules},
          {"tests", tests}};
}

uint64_t read_seed(const JsonObject& object) {
  const std::string text = object.text("seed");
  if (text.empty() || text.size() > 19 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    object.fail("seed", "must be a whole number of 64 bits, as text");
  }
  try {
    return std::stoull(text);
  } catch (const std::out_of_range&) {
    object.fail("seed", "must be a whole number of 64 bits, as text");
  }
}

}  // namespace

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string Suite::digest() const { return hash_of(json_text(suite_json(*this))); }

Suite read_suite(const std::string& path) {
  const json file = parse_json(read_bytes(path, kMostBytes), path);
  const JsonObject top(path, file);
  top.whole("openwafer_conform", kFormat, kFormat);
  top.whole("kit", kKitVersion, kKitVersion);
  Suite suite;
  suite.seed = read_seed(top);
  const JsonObject rules = top.object("rules");
  for (const auto& [id, value] : top.at("rules").items()) {
    const JsonObject rule = rules.object(id);
    suite.rules[id] = {rule.text("document"), rule.text("section"), rule.text("text")};
  }
  std::set<std::string> names;
  for (const JsonObject& object : top.objects("tests")) {
    suite.tests.push_back(read_test(object));
    const Test& test = suite.tests.back();
    if (!names.insert(test.name).second) object.fail("name", "'" + test.name + "' stands twice");
    for (const std::string& id : test.rules) {
      if (suite.rules.count(id) == 0)
        object.fail("rules", id + " is not among the rules of the kit");
    }
  }
  return suite;
}

void write_suite(const std::string& path, const Suite& suite) {
  const std::string text = json_text(suite_json(suite));
  FileWriter file(path, FileWriter::Packing::Gzip);
  file.append(text.data(), text.size());
  file.close();
}

}  // namespace ow::conform
