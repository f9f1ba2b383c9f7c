// SPDX-License-Identifier: Apache-2.0
#include "import_network.h"

#include <fmt/format.h>

#include <utility>

namespace ow::cli {

CLI::App* add_network_form(CLI::App* import, Context& context,
                           const std::shared_ptr<NetworkOptions>& o, const char* name,
                           const char* description, std::function<int()> body) {
  CLI::App* form = context.add(*import, name, description, std::move(body));
  form->add_option("FILE", o->file, "The model")->type_name("FILE")->required();
  form->add_option("DIR", o->folder, "The folder to write, which must not be there")
      ->type_name("DIR")
      ->required();
  return form;
}

void add_onnx_form(CLI::App* import, Context& context, const std::shared_ptr<NetworkOptions>& o,
                   std::function<int()> body) {
  CLI::App* form = add_network_form(import, context, o, "onnx",
                                    "A GPT-2 or Llama module as PyTorch exports it, to train it",
                                    std::move(body));
  form->add_option("--tokens", o->tokens, "Tokens of a sequence, if the file leaves them open")
      ->type_name("T")
      ->check(whole_number(2, 65536))
      ->capture_default_str();
}

int import_network(Context& context, const NetworkOptions& o, const ImportedNetwork& network) {
  write_network_folder(o.folder, network);
  size_t weights = 0;
  for (const auto& [name, values] : network.values) weights += values.size();
  fmt::print("{}: a network of {} layers with {} weights: {}, {}, {}\n", o.folder,
             network.graph.ops.size(), weights, kNetworkGraph, kNetworkWeights, kNetworkMap);
  context.result() = {{"folder", o.folder},
                      {"layers", network.graph.ops.size()},
                      {"parameters", network.graph.parameters.size()},
                      {"weights", weights}};
  return 0;
}

}  // namespace ow::cli
