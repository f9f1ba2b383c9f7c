// SPDX-License-Identifier: Apache-2.0
// ow_isa_gen: writes everything that is made of the description of the machine's interfaces, or
// (--check) says what differs from it.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "emit.h"
#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow::isa_gen {
namespace {

namespace fs = std::filesystem;

// In this order: a file may use the constants and enums of those before it.
const char* const kFiles[] = {"machine.yaml", "fabric.yaml", "instructions.yaml", "registers.yaml",
                              "host.yaml"};

// A file of the tree and what it should hold.
using Output = std::pair<fs::path, std::string>;

std::vector<Output> outputs(const fs::path& root) {
  std::vector<std::string> paths;
  for (const char* file : kFiles) paths.push_back((root / "sw/isa" / file).string());
  const Description d = read_description(paths);
  check_description(d);
  std::vector<Output> list = {
      {"rtl/common/ow_isa_pkg.sv", emit_sv_package(d)},
      {"rtl/common/ow_isa_export.svh", emit_sv_exports(d)},
      {"sw/include/openwafer/tile/isa.h", emit_c(d)},
      {"sw/isa/include/ow/isa/isa.h", emit_cpp(d)},
      {"sw/isa/src/tables.cpp", emit_tables(d)},
      {"sw/isa/configurations.cmake", emit_cmake(d)},
  };
  std::vector<fs::path> documents;
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") documents.push_back(entry.path().filename());
  }
  std::sort(documents.begin(), documents.end());
  for (const fs::path& name : documents) {
    const fs::path path = fs::path("docs") / name;
    const std::string text = read_text((root / path).string());
    list.emplace_back(path, emit_document(d, text, path.string()));
  }
  return list;
}

int run(int argc, char** argv) {
  CLI::App app("Writes the constants, headers and tables that are made of sw/isa/*.yaml");
  std::string root = OW_SOURCE_DIR;
  bool check = false;
  app.add_option("--root", root, "The source tree");
  app.add_flag("--check", check, "Write nothing; exit status 1 if a file differs");
  CLI11_PARSE(app, argc, argv);

  int different = 0;
  for (const auto& [path, text] : outputs(root)) {
    const fs::path full = fs::path(root) / path;
    if (fs::exists(full) && read_text(full.string()) == text) continue;
    ++different;
    if (check) {
      fmt::print("{}: differs from sw/isa/*.yaml; `cmake --build build --target isa` writes it\n",
                 path.string());
    } else {
      write_file(full.string(), text);
      fmt::print("wrote {}\n", path.string());
    }
  }
  return check && different != 0 ? 1 : 0;
}

}  // namespace
}  // namespace ow::isa_gen

int main(int argc, char** argv) {
  try {
    return ow::isa_gen::run(argc, argv);
  } catch (const ow::Error& e) {
    fmt::print(stderr, "ow_isa_gen: {}: {}\n", e.category(), e.what());
    return e.exit_status();
  } catch (const std::exception& e) {
    fmt::print(stderr, "ow_isa_gen: internal error: {}\n", e.what());
    return 3;
  }
}
