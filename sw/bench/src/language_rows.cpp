// SPDX-License-Identifier: Apache-2.0
// `ow bench language`: a small model of the Llama form, drawn by seed, on 4 x 6 tiles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/bench/benches.h"
#include "ow/compile/language_estimate.h"
#include "ow/firmware/region.h"
#include "ow/golden/decode.h"
#include "ow/golden/sampling.h"
#include "ow/isa/isa.h"
#include "ow/measure/grid_costs.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/machine.h"
#include "ow/serve/grid_ring.h"
#include "ow/sim/sim.h"

namespace ow::bench {
namespace {

using serve::HeadTask;
using serve::Pass;

constexpr GridShape kGrid{4, 6};
constexpr GridShape kRegion{2, 2};
constexpr int kUsers = 6;         // one for each region
constexpr GridShape kHalf{4, 4};  // of two wafers, for three regions each
constexpr int kLinkUsers = 8;     // two more, on the links
constexpr double kLinks = 10000;  // cycles of the latency of both
constexpr double kClock = 1e9;

LanguageShape shape() {
  LanguageShape s;
  s.width = 64;
  s.layers = 5;
  s.heads = 8;
  s.kv_heads = 4;
  s.head_size = 8;
  s.hidden = 172;
  s.vocabulary = 512;
  s.positions = 512;
  s.epsilon = 1e-5;
  return s;
}

std::vector<Runtime> open_wafers(int count, GridShape grid) {
  std::vector<Runtime> wafers;
  for (int n = 0; n < count; ++n) {
    wafers.push_back(make_runtime(make_device(DeviceKind::Replicated, grid)));
  }
  return wafers;
}

// A ring of regions, and golden beside it.
class Machine {
 public:
  Machine(const LanguageModel& model, int users, int positions, const std::string& firmware,
          int wafers = 1, GridShape grid = kGrid, GridShape region = kRegion)
      : ring_(open_wafers(wafers, grid), model, {region, users, positions}, firmware),
        decoder_(model, region.rows, region.cols) {}

  // Sends the tokens of user 0's prompt, one after another or as many at a time as there is room
  // for. Cycles from the first one's pass to the last one's.
  uint64_t prompt(const std::vector<int>& tokens, bool one_by_one, const Progress& progress) {
    const int count = static_cast<int>(tokens.size());
    const int most = one_by_one ? 1 : ring_.shape().inside;
    open(0, count);
    uint64_t first = 0, last = 0;
    for (int sent = 0, done = 0; done < count; ++done) {
      for (; sent < count && sent - done < most; ++sent) {
        ring_.send({0, sent, tokens[static_cast<size_t>(sent)], HeadTask::None, sent});
      }
      last = ring_.receive().cycle.value();
      if (done == 0) first = last;
      if (progress) progress(static_cast<double>(done + 1) / count);
    }
    ring_.close(0);
    return last - first;
  }

  // Prompts of all users, and `answer` greedy tokens of each. Cycles a token while all of them
  // make tokens.
  double decode(const std::vector<std::vector<int>>& prompts, int answer,
                const Progress& progress) {
    const size_t users = prompts.size();
    const int count = static_cast<int>(prompts.front().size());
    std::vector<std::vector<int>> answers(users);
    std::vector<uint64_t> cycles;  // of tokens, in their order
    size_t begin = 0, end = 0;     // all users have a token; the first one has its last
    size_t sent = 0, done = 0, made = 0;
    const size_t all = users * static_cast<size_t>(count - 1 + answer);
    for (size_t u = 0; u < users; ++u) open(static_cast<int>(u), count + answer - 1);
    int inside = 0;
    const size_t packets = users * static_cast<size_t>(count);
    while (done < all) {
      // Position by position, so that all begin their answers at about the same time.
      for (; sent < packets && inside < ring_.shape().inside; ++sent, ++inside) {
        const auto user = static_cast<int>(sent % users), p = static_cast<int>(sent / users);
        const int token = prompts[static_cast<size_t>(user)][static_cast<size_t>(p)];
        const bool last = p + 1 == count;
        ring_.send(
            {user, p, token, last ? HeadTask::Token : HeadTask::None, last ? p + answer - 1 : p});
      }
      const Pass pass = ring_.receive();
      ++done;
      if (progress) progress(static_cast<double>(done) / static_cast<double>(all));
      if (pass.position < count - 1 || pass.position == count + answer - 2) --inside;
      if (pass.token < 0) continue;
      std::vector<int>& mine = answers[static_cast<size_t>(pass.slot)];
      mine.push_back(pass.token);
      cycles.push_back(pass.cycle.value());
      if (mine.size() == 1 && ++made == users) begin = cycles.size() - 1;
      if (end == 0 && mine.size() == static_cast<size_t>(answer)) end = cycles.size() - 1;
    }
    for (size_t u = 0; u < users; ++u) {
      ring_.close(static_cast<int>(u));
      differs_ += differences(prompts[u], answers[u]);
    }
    return static_cast<double>(cycles[end] - cycles[begin]) / static_cast<double>(end - begin);
  }

  const jobs::LanguagePlan& plan() const { return ring_.plan(); }
  int differs() const { return differs_; }  // tokens that are not golden's

 private:
  void open(int slot, int positions) {
    if (!ring_.open(slot, positions)) throw InternalError("too little memory for keys and values");
  }
  int differences(const std::vector<int>& prompt, const std::vector<int>& answer) const {
    golden::DecodeCache cache;
    for (size_t n = 0; n + 1 < prompt.size(); ++n) decoder_.extend(&cache, prompt[n]);
    int token = prompt.back(), wrong = 0;
    for (const int next : answer) {
      wrong += golden::greedy_token(decoder_.step(&cache, token)) == next ? 0 : 1;
      token = next;
    }
    return wrong;
  }

  serve::GridRing ring_;
  golden::Decoder decoder_;
  int differs_ = 0;
};

// Positions that a block's region holds, of those for which its memory has bytes beside the program
// with its descriptors and the weights.
void kv_memory(Rows* rows, const jobs::LanguagePlan& plan, const std::string& firmware) {
  const ElfImage program = read_elf(firmware + "/region_block.elf", isa::kFull.sram_bytes);
  const auto tiles = static_cast<uint64_t>(kRegion.rows * kRegion.cols);
  uint64_t free = tiles * (program.symbol("ow_heap_end") - program.exported("memory").addr);
  for (const jobs::RegionTile& tile : plan.tiles[1]) {
    free -= tile.parameters[offsetof(ow_region, entries) / 4] * sizeof(ow_dsr_words);
  }
  const LanguageShape& s = plan.shape;
  const auto kv = static_cast<uint64_t>(s.kv_heads * s.head_size);
  const auto queries = static_cast<uint64_t>(s.heads * s.head_size);
  const uint64_t weights = 2 * static_cast<uint64_t>(s.width) *
                           (2 * queries + 2 * kv + 3 * static_cast<uint64_t>(s.hidden));
  const uint64_t position = 2 * 2 * kv;
  const auto held =
      static_cast<uint64_t>((plan.pages * plan.page_places + plan.short_places) * kRegion.rows);
  rows->add("language.kv_memory",
            100.0 * static_cast<double>(held * position) / static_cast<double>(free - weights),
            {{"positions", held}, {"bytes", free - weights}, {"bytes_a_position", position}});
}

std::vector<int> drawn_tokens(int count, Rng* rng, int vocabulary = shape().vocabulary) {
  std::vector<int> tokens;
  for (int n = 0; n < count; ++n) {
    tokens.push_back(static_cast<int>(rng->below(static_cast<uint64_t>(vocabulary))));
  }
  return tokens;
}

double thousands_a_second(double cycles) { return kClock / cycles / 1000; }

void models(Rows* rows, const std::string& firmware) {
  const uint64_t seed = rows->options().seed;
  const LanguageModel model = random_language_model(shape(), HalfType::Binary16, seed, true);
  Rng rng(seed);
  const std::vector<int> long_prompt = drawn_tokens(128, &rng);
  std::vector<std::vector<int>> prompts;
  for (int u = 0; u < kUsers; ++u) prompts.push_back(drawn_tokens(32, &rng));

  int differs = 0;
  if (rows->wants_any({"language.token_cycles", "language.one_user_rate", "language.prompt",
                       "language.kv_memory"})) {
    Machine one(model, 1, 0, firmware);
    if (rows->wants("language.prompt")) {
      const uint64_t alone = one.prompt(long_prompt, true, rows->progress("prompt, one by one"));
      const uint64_t many = one.prompt(long_prompt, false, rows->progress("prompt, pipeline"));
      rows->cycles("prompt of 128, one by one", alone);
      rows->cycles("prompt of 128, pipeline", many);
      rows->add("language.prompt", static_cast<double>(alone) / static_cast<double>(many),
                {{"tokens", long_prompt.size()},
                 {"cycles_one_by_one", alone},
                 {"cycles_pipeline", many}});
    }
    // The second token comes of the first one, which is at position 128.
    const double cycles = one.decode({long_prompt}, 2, rows->progress("one user"));
    rows->cycles("a token at position 128", static_cast<uint64_t>(cycles));
    rows->add("language.token_cycles", cycles, {{"position", long_prompt.size()}});
    rows->add("language.one_user_rate", thousands_a_second(cycles), {{"cycles", cycles}});
    differs += one.differs();
    kv_memory(rows, one.plan(), firmware);
  }
  if (rows->wants_any({"language.six_users", "language.six_users_rate"})) {
    constexpr int kAnswer = 16;
    Machine six(model, kUsers, 32 + kAnswer, firmware);
    const double alone = six.decode({prompts.front()}, kAnswer, rows->progress("one of six"));
    const double many = six.decode(prompts, kAnswer, rows->progress("six users"));
    rows->cycles("a token of one user at 32", static_cast<uint64_t>(alone));
    rows->cycles("a token of six users at 32", static_cast<uint64_t>(many));
    rows->add("language.six_users", alone / many,
              {{"cycles_a_token_one", alone}, {"cycles_a_token_six", many}});
    rows->add("language.six_users_rate", thousands_a_second(many), {{"cycles", many}});
    differs += six.differs();
  }
  if (differs > 0) rows->fault("language", fmt::format("{} tokens differ from golden", differs));
}

// The same model on two wafers, against one.
void wafers(Rows* rows, const std::string& firmware) {
  const bool latency = rows->wants("language.wafers_latency");
  if (!latency && !rows->wants("language.wafers_rate")) return;
  const uint64_t seed = rows->options().seed;
  const LanguageModel model = random_language_model(shape(), HalfType::Binary16, seed, true);
  Rng rng(seed);
  int differs = 0;
  if (latency) {
    const std::vector<std::vector<int>> prompt = {drawn_tokens(128, &rng)};
    Machine one(model, 1, 0, firmware), two(model, 1, 0, firmware, 2, kHalf);
    const double alone = one.decode(prompt, 2, rows->progress("one wafer"));
    const double linked = two.decode(prompt, 2, rows->progress("two wafers"));
    rows->cycles("a token at position 128, two wafers", static_cast<uint64_t>(linked));
    rows->add("language.wafers_latency", 100 * (linked / (alone + kLinks) - 1),
              {{"cycles_one", alone}, {"cycles_two", linked}});
    differs += one.differs() + two.differs();
  }
  if (rows->wants("language.wafers_rate")) {
    constexpr int kPrompt = 16, kAnswer = 16;
    std::vector<std::vector<int>> prompts;
    for (int u = 0; u < kLinkUsers; ++u) prompts.push_back(drawn_tokens(kPrompt, &rng));
    const std::vector<std::vector<int>> six(prompts.begin(), prompts.begin() + kUsers);
    Machine one(model, kUsers, kPrompt + kAnswer, firmware);
    Machine two(model, kLinkUsers, kPrompt + kAnswer, firmware, 2, kHalf);
    const double alone = one.decode(six, kAnswer, rows->progress("one wafer, six users"));
    const double linked = two.decode(prompts, kAnswer, rows->progress("two wafers, eight users"));
    rows->cycles("a token of eight users at 16, two wafers", static_cast<uint64_t>(linked));
    rows->add("language.wafers_rate", alone / linked,
              {{"cycles_a_token_one", alone}, {"cycles_a_token_two", linked}});
    differs += one.differs() + two.differs();
  }
  if (differs > 0) rows->fault("language", fmt::format("{} tokens differ from golden", differs));
}

// A model that fits regions of this shape.
LanguageShape drawn_shape(GridShape region, Rng* rng) {
  const auto between = [rng](int low, int high) {
    return low + static_cast<int>(rng->below(static_cast<uint64_t>(high - low + 1)));
  };
  const int most = 12000 * region.rows * region.cols;  // weights
  while (true) {
    LanguageShape s = shape();
    s.width = between(24, 160);
    s.layers = between(1, 2);
    s.heads = region.cols * between(1, 3);
    s.kv_heads = between(1, s.heads);
    s.head_size = 2 * between(4, 16);
    s.hidden = between(s.width, 3 * s.width);
    s.vocabulary = between(64, 600);
    if (s.heads % s.kv_heads != 0 || !region_holds_heads(s, region.cols)) continue;
    if (s.heads / region.cols * s.head_size > 128) continue;
    const int block = s.width * (2 * (s.heads + s.kv_heads) * s.head_size + 3 * s.hidden);
    if (std::max(block, s.width * s.vocabulary) <= most) return s;
  }
}

// `ow estimate --model` against what tiles take for a token.
void estimates(Rows* rows, const std::string& firmware) {
  if (!rows->wants("language.estimate_error")) return;
  constexpr int kModels = 6;
  double farthest = 0;
  int differs = 0;
  for (int k = 0; k < kModels; ++k) {
    Rng rng(rows->options().seed + 1000 * static_cast<uint64_t>(k));
    const GridShape region{1 + static_cast<int>(rng.below(4)), 1 + static_cast<int>(rng.below(4))};
    const LanguageShape s = drawn_shape(region, &rng);
    const int position = 8 + static_cast<int>(rng.below(120));
    const LanguageModel model = random_language_model(s, HalfType::Binary16, rng.next(), true);
    Machine machine(model, 1, position + 2, firmware, 1,
                    {region.rows * 2, region.cols * ((s.layers + 2) / 2)}, region);
    const double cycles = machine.decode({drawn_tokens(position, &rng, s.vocabulary)}, 2,
                                         rows->progress(fmt::format("model {}", k + 1)));
    const jobs::LanguageEstimate e = jobs::estimate_language(s, true, region, position);
    const double estimate =
        s.layers * jobs::LanguageEstimate::cycles(e.block) + jobs::LanguageEstimate::cycles(e.head);
    const double error = 100 * std::abs(estimate / cycles - 1);
    rows->cycles(fmt::format("a token of drawn model {}", k + 1), static_cast<uint64_t>(cycles));
    farthest = std::max(farthest, error);
    differs += machine.differs();
  }
  rows->add("language.estimate_error", farthest, {{"models", kModels}});
  if (differs > 0) rows->fault("language", fmt::format("{} tokens differ from golden", differs));
}

// Rows and columns of a region at work, and nothing else.
void products(Rows* rows, const std::string& firmware) {
  const auto measure = [&](int size, bool two) {
    const jobs::ProductCost cost = jobs::measure_products(firmware + "/products.elf", size, 4, two);
    if (cost.wrong != 0) rows->fault("language", "products differ from golden");
    rows->cycles(fmt::format("{} of {}x{}", two ? "two products" : "product", size, size),
                 cost.cycles);
    return cost;
  };
  if (rows->wants("language.product")) {
    const jobs::ProductCost one = measure(512, false);
    rows->add("language.product", 100 * one.lanes(), {{"size", one.size}, {"cycles", one.cycles}});
  }
  if (rows->wants("language.two_products")) {
    const jobs::ProductCost two = measure(256, true);
    rows->add("language.two_products", static_cast<double>(two.cycles), {{"size", two.size}});
  }
}

}  // namespace

void measure_language(Rows* rows, const std::string& firmware) {
  models(rows, firmware);
  wafers(rows, firmware);
  estimates(rows, firmware);
  products(rows, firmware);
}

}  // namespace ow::bench
