// SPDX-License-Identifier: Apache-2.0
// `ow import onnx`, which `ow import` starts: the program that needs libraries of ONNX.
#include "import_network.h"
#include "network.h"

namespace ow::cli {

void add_import_onnx(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("import", "A network of another program as a folder");
  command->require_subcommand(1);
  const auto o = std::make_shared<NetworkOptions>();
  add_onnx_form(command, context, o, [o, &context] {
    context.check_files({{"FILE", o->file}}, {});
    return import_network(context, *o, read_onnx_network(o->file, o->tokens));
  });
}

}  // namespace ow::cli
