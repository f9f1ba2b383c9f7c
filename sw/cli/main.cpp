// SPDX-License-Identifier: Apache-2.0
// `ow`: the command-line program. Turns the categories of error into one line and an exit status.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "cli.h"
#include "ow/base/error.h"
#include "parts.h"

int main(int argc, char** argv) {
  // A file that may not grow any more is an error of the call that writes it.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"Openwafer: an open wafer-scale engine", "ow"};
  app.set_version_flag("--version", std::string("ow ") + OW_VERSION);
  app.require_subcommand(0, 1);
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return std::string("ow: bad input: ") + e.what() + " (see ow --help)\n";
  });
  ow::cli::Context context;
  try {
    ow::cli::add_commands(app, context);
    ow::cli::refuse_empty_names(app);
    ow::cli::start_command_of_part(app, argc, argv);
    ow::cli::add_commands_of_parts(app);
    context.set_arguments(argv);
    if (const auto status = ow::cli::parse(app, argc, argv)) return *status;
    if (app.get_subcommands().empty()) {
      throw ow::BadInput("a subcommand is required (see ow --help)");
    }
    // A report that its file or pipe did not take is no success.
    return ow::cli::written(context.run());
  } catch (const ow::Error& e) {
    std::fprintf(stderr, "ow: %s: %s\n", e.category(), e.what());
    return e.exit_status();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "ow: bad input: not enough memory for what is asked\n");
    return 2;
  } catch (const std::system_error& e) {
    const bool lost = std::ferror(stdout) != 0;  // fmt says so by this exception
    std::fprintf(stderr, lost ? "ow: bad input: standard output: %s\n" : "ow: internal error: %s\n",
                 lost ? std::strerror(e.code().value()) : e.what());
    return lost ? 2 : 3;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ow: internal error: %s\n", e.what());
    return 3;
  }
}
