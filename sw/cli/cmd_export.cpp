// SPDX-License-Identifier: Apache-2.0
// `ow export`: the weights of a training as a folder that other programs read (docs/models.md).
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "cli.h"
#include "ow/base/error.h"
#include "ow/graph/family.h"
#include "ow/import/module_map.h"
#include "ow/memoryx/checkpoint.h"
#include "ow/tensor/safetensors.h"

namespace ow::cli {
namespace {

struct Options {
  std::string directory, folder, family, module;
};

std::string newest_checkpoint(const std::string& directory) {
  const std::vector<std::string> all = memoryx::checkpoints_in(directory);
  if (all.empty()) throw BadInput(directory + ": holds no checkpoint");
  return all.front();
}

int run(Context& context, const Options& o) {
  context.check_files({{"--module", o.module}}, {});
  const std::string file = newest_checkpoint(o.directory);
  const memoryx::RunState state = memoryx::check_checkpoint(file);
  const Graph graph = memoryx::graph_of(state.job, file);
  ParameterValues values = parameter_values(graph, read_safetensors(file), file);
  ModuleMap map;
  std::optional<ModelConfig> config;
  if (!o.module.empty()) {
    map = read_module_map(o.module);
  } else {
    const bool gpt2 = o.family == "gpt2";
    const LanguageFamily family = gpt2 ? LanguageFamily::Gpt2 : LanguageFamily::Llama;
    const FamilyGraph model = family_of(graph, family, file);
    map = family_map(model, gpt2 ? "transformer." : "");
    config = ModelConfig{model.names.shape, model.names.head.empty()};
  }
  const Tensors tensors = module_tensors(map, values, file);
  write_module_folder(o.folder, tensors, config ? &*config : nullptr);
  fmt::print("{}: {} tensors of step {}, from {}\n", o.folder, tensors.size(), state.step, file);
  context.result() = {{"folder", o.folder},
                      {"checkpoint", file},
                      {"step", state.step},
                      {"tensors", tensors.size()}};
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  const auto o = std::make_shared<Options>();
  CLI::App* sub =
      context.add(app, "export", "The weights of a training as a folder of other programs",
                  [o, &context] { return run(context, *o); });
  sub->add_option("MODEL_DIR", o->directory, "The training's --model-dir: its newest checkpoint")
      ->type_name("MODEL_DIR")
      ->required();
  sub->add_option("DIR", o->folder, "The folder to write, which must not be there")
      ->type_name("DIR")
      ->required();
  CLI::Option_group* form = sub->add_option_group("form");
  form->add_option("--family", o->family, "With the names and the config.json of a family")
      ->check(CLI::IsMember({"gpt2", "llama"}));
  form->add_option("--module", o->module, "The module.json that `ow import` wrote: its names")
      ->type_name("FILE");
  form->require_option(1);
}

}  // namespace ow::cli
