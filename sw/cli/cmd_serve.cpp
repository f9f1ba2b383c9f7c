// SPDX-License-Identifier: Apache-2.0
// `ow serve`: a language model over HTTP (docs/serving.md).
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli.h"
#include "language_options.h"
#include "ow/api/http_server.h"
#include "ow/base/error.h"
#include "ow/base/stop_signals.h"
#include "ow/serve/engine.h"

namespace ow::cli {
namespace {

// Connections that are no answers: pages, metrics, refusals.
constexpr int kMoreThreads = 16;

struct Options {
  LanguageOptions language;
  api::HttpOptions http;
  std::string name;
  std::string form;
  std::string key;
  int slots = 4;
  int queue = 16;
  double clock_hz = 1e9;
};

void check_key(const std::string& key) {
  for (const char c : key) {
    if (c <= ' ' || c > '~') throw BadInput("--api-key: letters, digits and signs only");
  }
}

std::string name_of(const Options& o) {
  if (!o.name.empty()) return o.name;
  const std::filesystem::path folder = std::filesystem::absolute(o.language.model);
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

// All but the tokenizer's part of it.
api::Model model_of(const Options& o, const ModelSettings& settings, const Language& language) {
  api::Model model;
  model.id = name_of(o);
  model.created = std::time(nullptr);
  model.ends = settings.ends;
  model.fingerprint = fmt::format("ow-{}x{}-{}", language.region.rows, language.region.columns,
                                  half_name(language.model.type));
  model.regions = language.model.shape.layers + 1;
  model.clock_hz = o.clock_hz;
  return model;
}

int run(Context& context, const Options& o) {
  int status = 0;
  const auto machine = find_machine(&context, o.language, &status);
  if (!machine) return status;
  check_key(o.key);
  const ModelSettings settings = read_model_settings(o.language.model);
  const auto tokenizer = std::make_shared<const Tokenizer>(tokenizer_file(o.language.model));
  const ChatForm form = o.form.empty() ? usual_chat_form(*tokenizer, settings.chat_template)
                                       : chat_form_named(o.form);
  chat_prompt(*tokenizer, form, {});  // refuses a form that the tokenizer does not have
  api::Model model;
  LanguageDevice device;
  {
    const Language language = read_language(o.language, settings);
    model = model_of(o, settings, language);
    device = open_device(o.language, *machine, language, o.slots);
  }
  model.tokenizer = tokenizer;
  model.form = form;
  model.vocabulary = device.ring->shape().vocabulary;
  model.positions = device.ring->shape().positions;
  serve::Engine engine(device.ring.get());
  api::Service service(&engine, engine.slots() + o.queue);
  api::Api api(std::move(model), &service, o.key);

  const StopSignals signals("the server ends");
  uint64_t replies = 0;
  {
    api::HttpOptions http = o.http;
    http.threads = service.most() + kMoreThreads;
    const api::HttpServer server(&api, http);
    const bool ipv6 = http.host.find(':') != std::string::npos;
    fmt::print("{} on {}, slots {}{}: http://{}:{}/\n", api.model().id, o.language.device,
               engine.slots(), o.key.empty() ? "" : ", with a key",
               ipv6 ? "[" + http.host + "]" : http.host, server.port());
    std::fflush(stdout);
    service.run([&signals] { return signals.asked(); });
  }
  device.end_recording();
  for (const auto& [what, count] : service.metrics().replies) replies += count;
  const serve::EngineCounts counts = engine.counts();
  fmt::print("{} replies, {} tokens after {} of prompts\n", replies, counts.tokens,
             counts.prompt_tokens);
  context.result() = {{"replies", replies},
                      {"prompt_tokens", counts.prompt_tokens},
                      {"tokens", counts.tokens},
                      {"discarded_tokens", counts.discarded}};
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = context.add(app, "serve", "A language model over HTTP, as OpenAI's API",
                                  [o, &context] { return run(context, *o); });
  add_language_options(command, &o->language);
  command->add_option("--name", o->name, "What clients call the model (else the folder's name)")
      ->type_name("NAME");
  command
      ->add_option("--chat-form", o->form,
                   "Form of chats (else by the special tokens of the tokenizer)")
      ->check(CLI::IsMember({"llama3", "chatml", "plain"}));
  command->add_option("--host", o->http.host, "Address to listen at; 0.0.0.0: all")
      ->type_name("ADDRESS");
  command->add_option("--port", o->http.port, "Port; 0: one that is free")
      ->type_name("PORT")
      ->check(whole_number(0, 65535));
  command->add_option("--api-key", o->key, "Key that clients must send (else none)")
      ->type_name("KEY")
      ->envname("OW_API_KEY");
  command->add_option("--slots", o->slots, "Users at a time")
      ->type_name("N")
      ->check(whole_number(1, 256));
  command->add_option("--queue", o->queue, "Answers that may wait for a slot")
      ->type_name("N")
      ->check(whole_number(0, 1024));
  command->add_option("--clock-hz", o->clock_hz, "Clock of the machine, for rates in wafer time")
      ->type_name("HZ")
      ->check(real_number(1, 1e12));
}

}  // namespace ow::cli
