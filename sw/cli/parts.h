// SPDX-License-Identifier: Apache-2.0
// Parts of `ow` that are programs of their own (build/ow-NAME): a build of `ow` does not wait for
// the models that they need. `ow` starts them in its place, with the same arguments. One that is
// not built gives one line that names the build command.
#ifndef OW_CLI_PARTS_H_
#define OW_CLI_PARTS_H_

#include <CLI/CLI.hpp>
#include <string>

namespace ow::cli {

// The build tree that this program runs in. It may have been moved: if a directory `firmware` is
// beside the program, its own directory counts, else the one where it was built.
std::string build_dir();
// The directory of the tiles' programs there.
std::string firmware_dir();

// Whether the program is built.
bool has_part(const std::string& program);

// The program's path. BadInput if it is not built; `what` begins the message: "ow fp".
std::string part_path(const std::string& program, const std::string& what);

// Replaces this process by the program, with the arguments of main() after the program's name.
[[noreturn]] void become_part(const std::string& program, const std::string& what, char** argv);

// If argv names a subcommand that another program has: becomes that program.
void start_command_of_part(const CLI::App& app, int argc, char** argv);

// Names those subcommands in the help of `app`.
void add_commands_of_parts(CLI::App& app);

}  // namespace ow::cli

#endif  // OW_CLI_PARTS_H_
