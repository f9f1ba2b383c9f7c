// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/json_object.h"
#include "ow/conform/judge.h"

namespace ow::conform {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr size_t kMostBytes = size_t{1} << 30;

// The answers of a package as a device.
class Recorded : public Door {
 public:
  explicit Recorded(const Package& package) : package_(package) {}
  std::string ask(const std::string& line) override {
    const std::vector<std::string> words = words_of(line);
    if (words[0] == "test") {
      const auto found = package_.answers.find(words.at(1));
      answers_ = found == package_.answers.end() ? nullptr : &found->second;
      next_ = 0;
      return "ok";
    }
    if (answers_ == nullptr || next_ >= answers_->size()) throw Silent("the package has no answer");
    return (*answers_)[next_++];
  }

 private:
  const Package& package_;
  const std::vector<std::string>* answers_ = nullptr;
  size_t next_ = 0;
};

}  // namespace

void write_package(const std::string& path, const Report& report, const DeviceFile& device) {
  json answers = json::object(), verdicts = json::object();
  for (const Outcome& outcome : report.outcomes) {
    verdicts[outcome.test] = verdict_name(outcome.verdict);
    if (!outcome.answers.empty()) answers[outcome.test] = outcome.answers;
  }
  const std::string text = json_text({{"openwafer_submission", kFormat},
                                      {"kit", kKitVersion},
                                      {"seed", std::to_string(report.seed)},
                                      {"vectors", report.suite_digest},
                                      {"day", report.day},
                                      {"device", device.text},
                                      {"verdicts", verdicts},
                                      {"answers", answers}});
  FileWriter file(path, FileWriter::Packing::Gzip);
  file.append(text.data(), text.size());
  file.close();
}

Package read_package(const std::string& path) {
  const json file = parse_json(read_bytes(path, kMostBytes), path);
  const JsonObject top(path, file);
  top.whole("openwafer_submission", kFormat, kFormat);
  top.whole("kit", kKitVersion, kKitVersion);
  Package package;
  const std::string seed = top.text("seed");
  if (seed.empty() || seed.size() > 19 ||
      seed.find_first_not_of("0123456789") != std::string::npos) {
    top.fail("seed", "must be a whole number, as text");
  }
  package.seed = std::stoull(seed);
  package.suite_digest = top.text("vectors");
  package.day = top.text("day");
  package.device = parse_device_file(top.text("device"), path + ": device");
  const JsonObject verdicts = top.object("verdicts");
  package.verdicts = top.at("verdicts");
  for (const auto& [test, value] : package.verdicts.items()) verdicts.text(test);
  top.object("answers");
  for (const auto& [test, lines] : top.at("answers").items()) {
    if (!lines.is_array()) top.fail("answers." + test, "must be a list of texts");
    for (const json& line : lines) {
      if (!line.is_string()) top.fail("answers." + test, "must be a list of texts");
      package.answers[test].push_back(line.get<std::string>());
    }
  }
  return package;
}

std::vector<std::string> verify_package(const Package& package, const Suite& suite,
                                        const std::string& day) {
  std::vector<std::string> wrong;
  if (package.suite_digest != suite.digest()) {
    wrong.push_back(fmt::format("vectors {}: those of seed {} are {}", package.suite_digest,
                                suite.seed, suite.digest()));
  }
  for (const Waiver& waiver : package.device.waivers) {
    if (waiver.expires < day) {
      wrong.push_back(fmt::format("the waiver of {} expired on {}", waiver.rule, waiver.expires));
    }
  }
  Recorded recorded(package);
  JudgeOptions options;
  options.day = day;
  options.most_silent = 1 << 30;
  for (const Outcome& outcome : judge(suite, package.device, &recorded, options).outcomes) {
    const auto claimed = package.verdicts.find(outcome.test);
    const std::string said =
        claimed == package.verdicts.end() ? "missing" : claimed->get<std::string>();
    if (said != verdict_name(outcome.verdict)) {
      wrong.push_back(fmt::format("{}: the package says {}, its answers are {}{}", outcome.test,
                                  said, verdict_name(outcome.verdict),
                                  outcome.why.empty() ? "" : ": " + outcome.why));
    } else if (outcome.verdict == Verdict::Failed) {
      wrong.push_back(fmt::format("{}: failed: {}", outcome.test, outcome.why));
    }
  }
  return wrong;
}

}  // namespace ow::conform
