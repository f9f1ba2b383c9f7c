// SPDX-License-Identifier: Apache-2.0
// Forms of `ow import` that make a network to train.
#ifndef OW_CLI_IMPORT_NETWORK_H_
#define OW_CLI_IMPORT_NETWORK_H_

#include <functional>
#include <memory>
#include <string>

#include "cli.h"
#include "ow/import/module_map.h"

namespace ow::cli {

struct NetworkOptions {
  std::string file, folder;
  int tokens = 32;
};

// A form with its FILE and DIR.
CLI::App* add_network_form(CLI::App* import, Context& context,
                           const std::shared_ptr<NetworkOptions>& o, const char* name,
                           const char* description, std::function<int()> body);
void add_onnx_form(CLI::App* import, Context& context, const std::shared_ptr<NetworkOptions>& o,
                   std::function<int()> body);

// Writes the folder and says what is in it.
int import_network(Context& context, const NetworkOptions& o, const ImportedNetwork& network);

}  // namespace ow::cli

#endif  // OW_CLI_IMPORT_NETWORK_H_
