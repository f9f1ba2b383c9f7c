// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "ow/base/error.h"

namespace ow::wide {
namespace {

constexpr int kWidths[] = {512, 256, 64};

bool processor_has(int width) {
  if (width == 512) return __builtin_cpu_supports("avx512f") != 0;
  if (width == 256) return __builtin_cpu_supports("avx2") != 0;
  return true;
}

std::string path_of(int width) {
  return fmt::format("{}/libow_wide_tile_{}.so", OW_WIDE_DIR, width);
}

bool is_built(int width) {
  std::error_code error;
  return std::filesystem::exists(path_of(width), error);
}

const ow_wide_code& load(int width) {
  const std::string path = path_of(width);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw BadInput(fmt::format("{}: cannot be loaded: {}", path, dlerror()));
  const std::string name = fmt::format("ow_wide_tile_code_{}", width);
  void* const code = dlsym(library, name.c_str());
  if (code == nullptr) throw BadInput(fmt::format("{}: has no {}", path, name));
  return *static_cast<const ow_wide_code*>(code);
}

}  // namespace

const ow_wide_code& find_code(int width) {
  if (width != 0 && !processor_has(width)) {
    throw BadInput(fmt::format("engine=wide-{}: this processor lacks the instructions", width));
  }
  for (const int w : kWidths) {
    if ((width == 0 || width == w) && processor_has(w) && is_built(w)) return load(w);
  }
  throw BadInput(fmt::format("{}: the wide engine is not built (make wide)",
                             path_of(width == 0 ? kWidths[0] : width)));
}

}  // namespace ow::wide
