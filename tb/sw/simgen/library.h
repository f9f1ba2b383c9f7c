// SPDX-License-Identifier: Apache-2.0
// The code of a model, compiled and loaded.
#ifndef OW_TB_SW_SIMGEN_LIBRARY_H_
#define OW_TB_SW_SIMGEN_LIBRARY_H_

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "ow_wide_model.h"

namespace ow::simgen {

// Those that this machine has.
inline std::vector<int> widths() {
  std::vector<int> all = {64};
  if (__builtin_cpu_supports("avx2") != 0) all.push_back(256);
  if (__builtin_cpu_supports("avx512f") != 0) all.push_back(512);
  return all;
}

inline const char* machine_flag(int width) {
  return width == 512 ? "-mavx512f" : width == 256 ? "-mavx2" : "";
}

// The code of a model in one width, from a shared library.
class Library {
 public:
  Library(const std::string& directory, int width, int files) {
    const std::string path = fmt::format("{}/model_{}.so", directory, width);
    std::string command = fmt::format(
        "cc -std=gnu11 -O1 -shared -fPIC -Wall -Werror -DOW_WIDE={0} {1} -I{2} -I{3} -o {4} "
        "{2}/banks.c "
        "{2}/moves.c {3}/model_names.c",
        width, machine_flag(width), OW_SIMGEN_RUNTIME, directory, path);
    for (int k = 0; k < files; ++k) command += fmt::format(" {}/model_{}.c", directory, k);
    if (std::system(command.c_str()) != 0) return;
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) return;
    code = static_cast<const ow_wide_code*>(
        dlsym(handle_, fmt::format("model_code_{}", width).c_str()));
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  const ow_wide_code* code = nullptr;

 private:
  void* handle_ = nullptr;
};

}  // namespace ow::simgen

#endif  // OW_TB_SW_SIMGEN_LIBRARY_H_
