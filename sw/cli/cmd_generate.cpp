// SPDX-License-Identifier: Apache-2.0
// `ow generate`: text from a language model (docs/models.md).
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli.h"
#include "language_options.h"
#include "ow/base/error.h"
#include "ow/check/answer_check.h"
#include "ow/serve/engine.h"
#include "ow/serve/stop_strings.h"
#include "ow/text/tokenizer.h"

namespace ow::cli {
namespace {

struct Options {
  LanguageOptions language;
  std::string prompt;
  int max_tokens = 0;
  serve::Sampling sampling;
  std::vector<std::string> stops;
};

// Shows text as it comes. What it shows cannot be taken back, so a stop string must wait.
class Output {
 public:
  Output(const Tokenizer& tokenizer, const std::vector<int>& prompt, serve::StopStrings stops)
      : stream_(tokenizer), stops_(std::move(stops)) {
    // The text of a token can depend on whether it is the first one.
    for (const int token : prompt) stream_.add(token);
  }

  void add(int token) { show(stops_.add(stream_.add(token))); }
  void finish() {
    show(stops_.add(stream_.finish()));
    show(stops_.finish());
  }
  bool stopped() const { return stops_.stopped(); }
  const std::string& text() const { return text_; }

 private:
  void show(const std::string& text) {
    text_ += text;
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  TextStream stream_;
  serve::StopStrings stops_;
  std::string text_;
};

// The tokens of the one request.
struct Answer {
  std::vector<int> tokens;
  std::string finish;
  std::string differs;  // what golden has another bit of, and where
  std::optional<uint64_t> first_cycle, last_cycle;
  double seconds = 0;
};

Answer take(serve::Engine* engine, uint64_t id, golden::AnswerCheck* check, Output* output) {
  Answer answer;
  const auto begin = std::chrono::steady_clock::now();
  while (const auto event = engine->next()) {
    answer.tokens.push_back(event->token);
    if (!answer.first_cycle) answer.first_cycle = event->cycle;
    answer.last_cycle = event->cycle;
    output->add(event->token);
    if (check != nullptr) answer.differs = check->compare(*event);
    if (!answer.differs.empty()) {
      answer.finish = "differs";
      break;
    }
    if (event->finish == serve::Finish::End) answer.finish = "end";
    if (event->finish == serve::Finish::Length) answer.finish = "length";
    if (output->stopped()) {
      answer.finish = "stop";
      engine->cancel(id);
      break;
    }
  }
  output->finish();
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return answer;
}

// Says how it went; the exit status.
int report(nlohmann::json& result, const Answer& answer, const golden::AnswerCheck* check) {
  const double rate = static_cast<double>(answer.tokens.size()) / answer.seconds;
  const double processor = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  fmt::print("\n\n{} tokens after {} of the prompt in {:.2f} s, {:.0f} a second",
             answer.tokens.size(), result["prompt_tokens"].size(), answer.seconds, rate);
  result["tokens"] = answer.tokens;
  result["finish"] = answer.finish;
  result["seconds"] = answer.seconds;
  result["processor_seconds"] = processor;
  result["tokens_per_second"] = rate;
  if (answer.last_cycle && answer.tokens.size() > 1) {
    const double cycles = static_cast<double>(*answer.last_cycle - *answer.first_cycle) /
                          static_cast<double>(answer.tokens.size() - 1);
    fmt::print("; {:.0f} cycles a token", cycles);
    result["cycles"] = *answer.last_cycle;
    result["cycles_per_token"] = cycles;
  }
  fmt::print("\n");
  if (check == nullptr) return 0;
  result["logits_compared"] = check->compared();
  result["logits_that_differ"] = check->different();
  if (answer.differs.empty()) {
    fmt::print("{} logits compared: all bits are golden's\n", check->compared());
    return 0;
  }
  result["differs"] = answer.differs;
  fmt::print("{}\n", answer.differs);
  return 1;
}

int run(Context& context, const Options& o) {
  const std::string& folder = o.language.model;
  int status = 0;
  const auto machine = find_machine(&context, o.language, &status);
  if (!machine) return status;
  const serve::StopStrings stops(o.stops);
  const ModelSettings settings = read_model_settings(folder);
  const Tokenizer tokenizer(tokenizer_file(folder));
  serve::Request request;
  request.prompt = tokenizer.before();
  for (const int token : tokenizer.encode(o.prompt)) request.prompt.push_back(token);
  request.sampling = o.sampling;
  request.ends = settings.ends;

  HalfType type;
  LanguageRegion region;
  LanguageDevice device;
  std::optional<golden::Decoder> decoder;
  {
    const Language language = read_language(o.language, settings);
    type = language.model.type;
    region = language.region;
    device = open_device(o.language, *machine, language, 1);
    request.logits = o.language.device != "golden";
    if (request.logits) decoder.emplace(language.model, region.rows, region.columns);
  }
  serve::Engine engine(device.ring.get());
  // A prompt that fills the context is refused with a token more.
  const int room = device.ring->shape().positions - static_cast<int>(request.prompt.size());
  request.limit = o.max_tokens > 0 ? o.max_tokens : std::max(room, 1);
  const uint64_t id = engine.submit(request);
  std::optional<golden::AnswerCheck> check;
  if (decoder) check.emplace(&*decoder, request);

  fmt::print("{}", o.prompt);
  Output output(tokenizer, request.prompt, stops);
  const Answer answer = take(&engine, id, check ? &*check : nullptr, &output);
  nlohmann::json& result = context.result();
  result = {{"model", folder},
            {"type", half_name(type)},
            {"device", o.language.device},
            {"region", fmt::format("{}x{}", region.rows, region.columns)},
            {"prompt_tokens", request.prompt},
            {"text", output.text()}};
  status = report(result, answer, check ? &*check : nullptr);
  device.end_recording();
  return status;
}

}  // namespace

void add_generate(CLI::App& app, Context& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = context.add(app, "generate", "Text from a language model",
                                  [o, &context] { return run(context, *o); });
  add_language_options(command, &o->language);
  command->add_option("--prompt", o->prompt, "The beginning of the text")
      ->type_name("TEXT")
      ->required();
  command->add_option("--max-tokens", o->max_tokens, "End after so many (else with the context)")
      ->type_name("N")
      ->check(whole_number(1, INT32_MAX));
  command
      ->add_option("--temperature", o->sampling.temperature,
                   "0: always the most probable token; else draw, 1 by the model's probabilities")
      ->type_name("T")
      ->check(real_number(0, 100));
  command->add_option("--top-k", o->sampling.top_k, "Draw from the K most probable tokens alone")
      ->type_name("K")
      ->check(whole_number(1, INT32_MAX));
  command
      ->add_option("--top-p", o->sampling.top_p,
                   "Draw from the most probable tokens that together have the probability P")
      ->type_name("P")
      ->check(real_number(0, 1));
  command->add_option("--seed", o->sampling.seed, "Of what is drawn")
      ->type_name("S")
      ->check(whole_number(0));
  command->add_option("--stop", o->stops, "End before this text; may be given several times")
      ->type_name("TEXT")
      ->allow_extra_args(false);
}

}  // namespace ow::cli
