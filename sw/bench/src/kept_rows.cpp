// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/kept_rows.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/hash.h"
#include "ow/base/json.h"

namespace ow::bench {

KeptRows::KeptRows(const std::string& dir, const std::string& bench, nlohmann::json provenance)
    : stem_(dir + "/rows/" + bench + "."), provenance_(std::move(provenance)) {
  constexpr size_t kDigits = 8;
  const nlohmann::json run = {provenance_.at("command"), provenance_.at("seed")};
  end_ = "." + hash_of(run.dump()).substr(0, kDigits) + ".json";
}

std::string KeptRows::path(const std::string& row) const { return stem_ + row + end_; }

void KeptRows::add(const std::string& row, const KeptFigure& figure, double seconds) {
  if (dropped_.count(row) != 0) return;
  KeptRow& kept = rows_[row];
  kept.seconds += seconds;
  kept.figures[figure.name] = figure;
  nlohmann::json contents = {{"provenance", provenance_},
                             {"seconds", kept.seconds},
                             {"figures", nlohmann::json::object()}};
  for (const auto& [name, f] : kept.figures) {
    contents["figures"][name] = {{"value", f.value}, {"raw", f.raw}};
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path(row)).parent_path(), error);
  write_file(path(row), json_text(contents, 2) + "\n");
}

void KeptRows::drop(const std::string& row) {
  dropped_.insert(row);
  std::error_code error;
  std::filesystem::remove(path(row), error);
}

std::optional<KeptRow> KeptRows::read(const std::string& row,
                                      const std::set<std::string>& names) const {
  if (!std::filesystem::exists(path(row))) return std::nullopt;
  try {
    const nlohmann::json contents = read_json(path(row));
    KeptRow kept;
    kept.provenance = contents.at("provenance");
    for (const char* key : {"inputs", "command", "seed"}) {
      if (kept.provenance.at(key) != provenance_.at(key)) return std::nullopt;
    }
    kept.seconds = contents.at("seconds").get<double>();
    for (const std::string& name : names) {
      const nlohmann::json& figure = contents.at("figures").at(name);
      kept.figures[name] = {name, figure.at("value").get<double>(), figure.at("raw")};
    }
    return kept;
  } catch (const BadInput&) {                   // cut short: measured again
  } catch (const nlohmann::json::exception&) {  // not ours, likewise
  }
  return std::nullopt;
}

}  // namespace ow::bench
