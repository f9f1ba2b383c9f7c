// SPDX-License-Identifier: Apache-2.0
#include "ow/import/imported_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/import/model_folder.h"

namespace ow {

void write_imported_model(const std::string& path, const ImportedModel& imported) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_empty(path, error)) {
    throw BadInput(path + ": is there already, and is not an empty folder");
  }
  fs::create_directories(path, error);
  if (error) throw BadInput(fmt::format("{}: cannot be made: {}", path, error.message()));
  for (const auto& [name, contents] : imported.files) {
    write_file((fs::path(path) / name).string(), contents);
  }
  if (!imported.ends.empty()) {
    const nlohmann::json settings = {{"eos_token_id", imported.ends}};
    write_file((fs::path(path) / "generation_config.json").string(), settings.dump(2) + "\n");
  }
  write_model_folder(path, imported.model);
}

}  // namespace ow
