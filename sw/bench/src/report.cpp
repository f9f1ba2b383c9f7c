// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/report.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json.h"

namespace ow::bench {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// What scripts/provenance prints; BadInput with its words if it fails.
std::string run_provenance(const std::string& source, const std::vector<std::string>& arguments) {
  std::string command = quoted(source + "/scripts/provenance");
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw InternalError("scripts/provenance cannot be started");
  std::string output;
  std::array<char, 4096> buffer;
  size_t n;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
    output.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  while (!output.empty() && output.back() == '\n') output.pop_back();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw BadInput(output);
  return output;
}

// The paths of these inputs: one that begins with : is none, but leaves some out.
std::string paths_text(const std::vector<std::string>& inputs) {
  std::string text;
  for (const std::string& input : inputs) {
    if (input[0] != ':') text += (text.empty() ? "" : ", ") + input;
  }
  return text;
}

const nlohmann::json* number_at(const nlohmann::json& contents, const std::string& pointer) {
  const nlohmann::json::json_pointer p("/" + pointer);
  if (!contents.contains(p) || !contents[p].is_number()) return nullptr;
  return &contents[p];
}

}  // namespace

nlohmann::json provenance(const std::string& source, const std::string& command, uint64_t seed,
                          const std::vector<std::string>& inputs) {
  std::vector<std::string> arguments = {command, std::to_string(seed)};
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  return parse_json(run_provenance(source, arguments), "scripts/provenance");
}

void write_report(const std::string& dir, const ReportSource& source, nlohmann::json contents,
                  const nlohmann::json& provenance) {
  contents["provenance"] = provenance;
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  write_file(dir + "/" + source.file, json_text(contents, 2) + "\n");
}

std::string make_report(const std::string& source_tree, const std::string& dir,
                        const ReportSource& source) {
  if (!source.needs.empty() && std::getenv(source.needs.c_str()) == nullptr) {
    return fmt::format("{} is not set: {}", source.needs, source.command);
  }
  if (!source.makes_json()) return fmt::format("'{}' makes it by itself", source.command);
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  const std::string json = std::filesystem::absolute(dir + "/" + source.file + ".new").string();
  const std::string log = std::filesystem::absolute(dir + "/" + source.file + ".log").string();
  std::string command = source.command;
  command.replace(command.find("{json}"), 6, quoted(json));
  const nlohmann::json before = provenance(source_tree, source.command, 1, source.inputs);
  const auto begin = std::chrono::steady_clock::now();
  std::filesystem::remove(json, error);
  const int status = std::system(
      fmt::format("cd {} && {{ {}; }} >{} 2>&1", quoted(source_tree), command, quoted(log))
          .c_str());
  nlohmann::json contents;
  std::string why = "wrote no report";
  try {
    if (std::filesystem::exists(json)) contents = read_json(json);
  } catch (const BadInput& e) {
    why = e.what();
  }
  std::filesystem::remove(json, error);
  if (!contents.is_object()) {
    return fmt::format("'{}' ended with status {} and {} ({})", source.command,
                       WIFEXITED(status) ? WEXITSTATUS(status) : -1, why, log);
  }
  nlohmann::json after = provenance(source_tree, source.command, 1, source.inputs);
  if (after["inputs"] != before["inputs"]) {
    return fmt::format("{} changed while '{}' ran", paths_text(source.inputs), source.command);
  }
  if (contents.contains("seed") && contents["seed"].is_number()) after["seed"] = contents["seed"];
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  after["seconds"] = took.count();
  write_report(dir, source, contents, after);
  return "";
}

Report read_report(const std::string& source_tree, const std::string& dir,
                   const ReportSource& source) {
  Report report;
  const std::string path = dir + "/" + source.file;
  if (!std::filesystem::exists(path)) {
    report.missing = true;
    report.refused = fmt::format("there is no report {} ({})", path, source.command);
    return report;
  }
  const auto refuse = [&](const std::string& why) {
    report.refused = fmt::format("{}: {}", path, why);
    return report;
  };
  try {
    report.contents = read_json(path);
  } catch (const BadInput& e) {
    report.refused = e.what();
    return report;
  }
  if (!report.contents.is_object()) return refuse("is no JSON object");
  const nlohmann::json from = report.contents.value("provenance", nlohmann::json());
  for (const char* key : {"command", "commit", "date", "inputs"}) {
    if (!from.is_object() || !from.contains(key) || !from[key].is_string()) {
      return refuse(fmt::format("does not say where it comes from (provenance.{})", key));
    }
  }
  if (!from.contains("seed")) return refuse("does not say its seed (provenance.seed)");
  std::vector<std::string> arguments = {"--hash"};
  arguments.insert(arguments.end(), source.inputs.begin(), source.inputs.end());
  if (from["inputs"] != run_provenance(source_tree, arguments)) {
    return refuse(fmt::format("is of another tree (commit {}): {} has changed since",
                              from["commit"].get<std::string>().substr(0, 12),
                              paths_text(source.inputs)));
  }
  for (const auto& [pointer, least] : source.at_least) {
    const nlohmann::json* count = number_at(report.contents, pointer);
    if (count == nullptr) return refuse(fmt::format("has no count '{}'", pointer));
    if (count->get<double>() < least) {
      return refuse(fmt::format("'{}' is {}, which is less than {:g} and says nothing", pointer,
                                count->dump(), least));
    }
  }
  const nlohmann::json* value = number_at(report.contents, source.value);
  if (value == nullptr) return refuse(fmt::format("has no number '{}'", source.value));
  report.value = value->get<double>();
  return report;
}

}  // namespace ow::bench
