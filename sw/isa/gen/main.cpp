// SPDX-License-Identifier: Apache-2.0
// ow_isa_gen SOURCE_TREE                 writes what is committed of the description
// ow_isa_gen SOURCE_TREE --check         names what is committed and differs from it; status 1
// ow_isa_gen SOURCE_TREE --build FOLDER  writes the C and C++ that a build needs
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emit.h"
#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow::isa_gen {
namespace {

namespace fs = std::filesystem;

// In this order: a file may use the constants and enums of those before it.
const char* const kFiles[] = {"machine.yaml", "fabric.yaml", "instructions.yaml", "registers.yaml",
                              "host.yaml"};

// Where a file stands below its tree, and what it should hold.
using Output = std::pair<fs::path, std::string>;

Description read_all(const fs::path& root) {
  std::vector<std::string> paths;
  for (const char* file : kFiles) paths.push_back((root / "sw/isa" / file).string());
  Description d = read_description(paths);
  check_description(d);
  return d;
}

// What is committed: below the source tree.
std::vector<Output> committed(const Description& d, const fs::path& root) {
  std::vector<Output> list = {
      {"rtl/common/ow_isa_pkg.sv", emit_sv_package(d)},
      {"rtl/common/ow_isa_export.svh", emit_sv_exports(d)},
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

// What each build makes for itself: below a folder that is an include path.
std::vector<Output> built(const Description& d) {
  return {{"openwafer/tile/isa.h", emit_c(d)},
          {"ow/isa/isa.h", emit_cpp(d)},
          {"tables.cpp", emit_tables(d)}};
}

bool holds(const fs::path& path, const std::string& text) {
  return fs::exists(path) && read_text(path.string()) == text;
}

int write(const std::vector<Output>& list, const fs::path& root) {
  for (const auto& [path, text] : list) {
    const fs::path full = root / path;
    if (holds(full, text)) continue;
    fs::create_directories(full.parent_path());
    write_file(full.string(), text);
    fmt::print("wrote {}\n", path.string());
  }
  return 0;
}

int check(const std::vector<Output>& list, const fs::path& root) {
  int different = 0;
  for (const auto& [path, text] : list) {
    if (holds(root / path, text)) continue;
    ++different;
    fmt::print("{}: differs from sw/isa/*.yaml; `cmake --build build --target isa` writes it\n",
               path.string());
  }
  return different == 0 ? 0 : 1;
}

int generate(const std::vector<std::string>& args) {
  if (args.size() == 1) {
    const fs::path root = args[0];
    return write(committed(read_all(root), root), root);
  }
  if (args.size() == 2 && args[1] == "--check") {
    const fs::path root = args[0];
    return check(committed(read_all(root), root), root);
  }
  if (args.size() == 3 && args[1] == "--build") {
    return write(built(read_all(args[0])), args[2]);
  }
  throw BadInput("usage: ow_isa_gen SOURCE_TREE [--check | --build FOLDER]");
}

}  // namespace
}  // namespace ow::isa_gen

int main(int argc, char** argv) {
  try {
    return ow::isa_gen::generate({argv + 1, argv + argc});
  } catch (const ow::Error& e) {
    fmt::print(stderr, "ow_isa_gen: {}: {}\n", e.category(), e.what());
    return e.exit_status();
  } catch (const std::exception& e) {
    fmt::print(stderr, "ow_isa_gen: internal error: {}\n", e.what());
    return 3;
  }
}
