// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "design_hash.h"
#include "ow/base/error.h"

namespace ow::wide {
namespace {

constexpr int kWidths[] = {512, 256, 64};

bool processor_has(int width) {
  if (width == 512) return __builtin_cpu_supports("avx512f") != 0;
  if (width == 256) return __builtin_cpu_supports("avx2") != 0;
  return true;
}

// Where the code is looked for: programs of a build stand above lib/ or beside it. No path of the
// build, because this library is installed.
std::vector<std::string> folders() {
  std::vector<std::string> all;
  if (const char* named = std::getenv("OW_WIDE_DIR")) all.emplace_back(named);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    all.push_back(program.parent_path() / "lib/wide");
    all.push_back(program.parent_path().parent_path() / "lib/wide");
  }
  return all;
}

// Empty if it is not built.
std::string path_of(int width) {
  std::error_code error;
  for (const std::string& folder : folders()) {
    std::string path = fmt::format("{}/libow_wide_tile_{}.so", folder, width);
    if (std::filesystem::exists(path, error)) return path;
  }
  return "";
}

const ow_wide_code& load(int width, const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw BadInput(fmt::format("{}: cannot be loaded: {}", path, dlerror()));
  const auto* const hash = static_cast<const char*>(dlsym(library, "ow_wide_design_hash"));
  if (hash == nullptr || std::string(hash) != OW_DESIGN_HASH) {
    throw BadInput(fmt::format(
        "{}: made of another RTL than this program, or by another ow_simgen: make wide", path));
  }
  const std::string name = fmt::format("ow_wide_tile_code_{}", width);
  void* const code = dlsym(library, name.c_str());
  if (code == nullptr) throw BadInput(fmt::format("{}: has no {}", path, name));
  return *static_cast<const ow_wide_code*>(code);
}

}  // namespace

bool has_code(int width) {
  return std::any_of(std::begin(kWidths), std::end(kWidths), [width](int w) {
    return (width == 0 || width == w) && processor_has(w) && !path_of(w).empty();
  });
}

const ow_wide_code& find_code(int width) {
  if (width != 0 && !processor_has(width)) {
    throw BadInput(fmt::format("engine=wide-{}: this processor lacks the instructions", width));
  }
  for (const int w : kWidths) {
    if ((width != 0 && width != w) || !processor_has(w)) continue;
    const std::string path = path_of(w);
    if (!path.empty()) return load(w, path);
  }
  throw BadInput(fmt::format("engine=wide{}: not built (make wide), or not in any of {}",
                             width == 0 ? "" : fmt::format("-{}", width),
                             fmt::join(folders(), ", ")));
}

}  // namespace ow::wide
