// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "ow/base/error.h"

namespace ow::cli {
namespace {

struct Part {
  const char* command;
  const char* program;
  const char* description;
};

// sw/cli/CMakeLists.txt has a program for each.
constexpr Part kParts[] = {
    {"bench", "ow-bench", "Measure the machine and compare with targets"},
    {"conform", "ow-conform", "Judge a tile, a grid or arithmetic against the rules"},
    {"faults", "ow-faults", "Stuck-at faults of a tile's netlist under the self-test"},
    {"fp", "ow-fp", "Drive the RTL floating-point datapath with TestFloat vectors"},
    {"generate", "ow-generate", "Text from a language model"},
    {"import", "ow-import", "A language model of another program as a folder"},
    {"serve", "ow-serve", "A language model over HTTP, as OpenAI's API"},
};

// Whether `app` has the subcommand itself.
bool has(const CLI::App& app, const std::string& command) {
  return !app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == command; })
              .empty();
}

}  // namespace

std::string build_dir() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  const bool tree = !error && fs::is_directory(here / "firmware", error);
  return tree ? here.string() : OW_BUILD_DIR;
}

std::string firmware_dir() { return build_dir() + "/firmware"; }

bool has_part(const std::string& program) {
  return ::access((build_dir() + "/" + program).c_str(), X_OK) == 0;
}

std::string part_path(const std::string& program, const std::string& what) {
  const std::string path = build_dir() + "/" + program;
  if (has_part(program)) return path;
  throw BadInput(fmt::format("{}: {} is not built: cmake --build {} --target {}", what, program,
                             build_dir(), program));
}

void become_part(const std::string& program, const std::string& what, char** argv) {
  const std::string path = part_path(program, what);
  std::fflush(nullptr);
  ::execv(path.c_str(), argv);
  throw BadInput(fmt::format("{}: {}: {}", what, path, std::strerror(errno)));
}

void start_command_of_part(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return;
  for (const Part& part : kParts) {
    if (std::strcmp(argv[1], part.command) != 0 || has(app, part.command)) continue;
    become_part(part.program, std::string("ow ") + part.command, argv);
  }
}

void add_commands_of_parts(CLI::App& app) {
  for (const Part& part : kParts) {
    if (has(app, part.command)) continue;
    app.add_subcommand(part.command, fmt::format("{} ({})", part.description, part.program));
  }
}

}  // namespace ow::cli
