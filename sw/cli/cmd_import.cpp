// SPDX-License-Identifier: Apache-2.0
// `ow import`: models in files of other programs become folders (docs/models.md). Its form `onnx`
// is a program of its own, for the libraries that it needs.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "cli.h"
#include "import_network.h"
#include "ow/import/imported_model.h"
#include "ow/import/module_map.h"

namespace ow::cli {
namespace {

struct Options {
  std::string file;
  std::string tokenizer;
  std::string folder;
  std::string type;
};

std::optional<HalfType> type_of(const Options& o) {
  if (o.type.empty()) return std::nullopt;
  return o.type == "binary16" ? HalfType::Binary16 : HalfType::Bfloat16;
}

int write(Context& context, const Options& o, const ImportedModel& imported) {
  write_imported_model(o.folder, imported);
  const LanguageShape& s = imported.model.shape;
  const bool llama = s.family == LanguageFamily::Llama;
  const std::string tokenizer = imported.files.empty() ? "" : imported.files.begin()->first;
  fmt::print("{}: a model of the {} family, {} blocks of width {}, {} tokens, in {}; {}\n",
             o.folder, llama ? "Llama" : "GPT-2", s.layers, s.width, s.vocabulary,
             half_name(imported.model.type),
             tokenizer.empty() ? "no tokenizer" : "its tokenizer is " + tokenizer);
  nlohmann::json written = nullptr;
  if (!tokenizer.empty()) written = tokenizer;
  context.result() = {{"folder", o.folder},
                      {"family", llama ? "llama" : "gpt2"},
                      {"type", half_name(imported.model.type)},
                      {"blocks", s.layers},
                      {"width", s.width},
                      {"vocabulary", s.vocabulary},
                      {"positions", s.positions},
                      {"tokenizer", written}};
  return 0;
}

// A form's command: `read` takes the files of its options.
template <typename Read>
CLI::App* add_form(CLI::App* command, Context& context, const std::shared_ptr<Options>& o,
                   const char* name, const char* description, const Read& read) {
  CLI::App* form = context.add(*command, name, description, [o, &context, read] {
    context.check_files({{"FILE", o->file}, {"TOKENIZER", o->tokenizer}}, {});
    return write(context, *o, read(*o, type_of(*o)));
  });
  form->add_option("FILE", o->file, "The file of the model")->type_name("FILE")->required();
  return form;
}

void add_folder(CLI::App* form, Options* o) {
  form->add_option("DIR", o->folder, "The folder to write, which must not be there")
      ->type_name("DIR")
      ->required();
  form->add_option("--type", o->type, "Type of all weights (else what the file says)")
      ->check(CLI::IsMember({"binary16", "bfloat16"}));
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("import", "A language model of another program as a folder");
  command->require_subcommand(1);
  const auto o = std::make_shared<Options>();
  add_folder(add_form(command, context, o, "gguf", "GGUF, with its tokenizer",
                      [](const Options& from, std::optional<HalfType> type) {
                        return read_gguf(from.file, type);
                      }),
             o.get());
  CLI::App* llama2c = add_form(command, context, o, "llama2c", "llama2.c's .bin and tokenizer.bin",
                               [](const Options& from, std::optional<HalfType> type) {
                                 return read_llama2c(from.file, from.tokenizer, type);
                               });
  llama2c->add_option("TOKENIZER", o->tokenizer, "The file of the tokenizer")
      ->type_name("FILE")
      ->required();
  add_folder(llama2c, o.get());
  add_folder(add_form(command, context, o, "npz", "NumPy's .npz as glassllm writes it",
                      [](const Options& from, std::optional<HalfType> type) {
                        return read_npz_model(from.file, type);
                      }),
             o.get());
  const auto n = std::make_shared<NetworkOptions>();
  add_network_form(command, context, n, "folder", "A model's folder, to train it", [n, &context] {
    return import_network(context, *n, read_network_folder(n->file));
  });
  add_onnx_form(command, context, n, [&context] {
    context.hand_over("ow-import-onnx", "ow import onnx");
    return 0;
  });
}

}  // namespace ow::cli
