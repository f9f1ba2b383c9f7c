// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/language_estimate.h"

#include <algorithm>

#include "ow/compile/language_plan.h"

namespace ow::jobs {
namespace {

// Cycles of the tiles' programs (sw/firmware/region), by least squares over drawn models on RTL.
constexpr double kInstruction = 21;  // an instruction beside its elements
constexpr double kPass = 52;         // a pass of a product beside its beats: armed and drained
constexpr double kReducer = 6.4;     // a tile in a chain of reducers
constexpr double kFirstJoin = 18;    // a join by the engine, if there is more than one row
constexpr double kJoin = 16;         // a row of it, with the way back
constexpr double kPosition = 355;    // a block: places and angles of a position, beside the norm
constexpr double kSearch = 162;      // a pass of logits that is searched
constexpr double kBest = 64;         // a column that passes the greatest logit on
constexpr double kHead = 258;        // the head's work on commands

// Elements a cycle: docs/isa.md.
constexpr double kHalf = 8, kSingle = 4, kSingleMul = 2, kToSingle = 4, kToHalf = 3.5, kExp = 2;

constexpr int kMostOutputs = 128;  // of a pass
constexpr int kPlaces = 32;        // of a page
constexpr int kScorePlaces = 96;   // whose scores are kept

int up(int a, int b) { return (a + b - 1) / b; }
int up_to(int a, int unit) { return up(a, unit) * unit; }

// Of a product in the fullest tile.
struct Product {
  int inputs, passes, each;

  Product(int in, int outputs, int groups = 1) : inputs(in) {
    passes = up(outputs, kMostOutputs);
    each = up_to(up(outputs, passes), 8);
    passes *= groups;
  }
  uint64_t bytes() const { return 2ull * inputs * passes * each; }
};

class Estimator {
 public:
  Estimator(const LanguageShape& shape, GridShape region, int position)
      : s_(shape),
        rows_(region.rows),
        columns_(region.cols),
        features_(up(shape.width, rows_)),
        parts_(parts_of_head(shape, columns_)),
        heads_(std::max(1, shape.heads / columns_)),
        kv_(std::max(1, shape.kv_heads / columns_)),
        size_(shape.head_size / parts_),
        units_(up(shape.hidden, columns_)),
        tokens_(up(shape.vocabulary, columns_)),
        places_(up(position + 1, rows_)),
        taken_(features_, (heads_ + 2 * kv_) * size_),
        output_(heads_ * size_, features_),
        hidden_(features_, units_, 2),
        down_(units_, features_),
        logits_(features_, tokens_) {}

  std::vector<LanguageStep> block() const {
    const double queries = heads_ * size_, keys = kv_ * size_;
    const double pages = up(places_, kPlaces);
    const int again =
        places_ > kScorePlaces ? 2 : 1;  // scores that are not kept are computed twice
    std::vector<LanguageStep> steps;
    steps.push_back(norm("norm"));
    steps.push_back(by_rows("queries, keys, values", taken_));
    steps.push_back(step("rotation",
                         (2 * (queries + keys) + queries) / kHalf + (queries + 2 * keys) / 2,
                         rows_ - 1, 0, 5));
    steps.back().instructions += kPosition;
    steps.push_back(
        step("scores",
             again * (queries * up(places_, 8) + heads_ * places_ * (1 / kToHalf + 1 / kHalf)) +
                 2 * keys,
             0, 1, 4 + again * 2 * pages));
    if (parts_ > 1) steps.push_back(shared_scores(again));
    steps.push_back(step("softmax", heads_ * places_ * (3 / kHalf + 1 / kExp), 0, 0, 3));
    steps.push_back(
        step("values", static_cast<double>(places_) * heads_ * up(size_, 8), 0, 0, 1 + pages));
    steps.push_back(step("sums", queries * (1 + 1 / kSingleMul + 1 / kToHalf), 0, 2, 12));
    steps.push_back(by_columns("output", output_));
    steps.push_back(norm("add, norm"));
    steps.push_back(by_rows("gate, up", hidden_));
    steps.push_back(step("activation", units_ * (1 / kExp + 2 / kHalf) / 2, 0, 0, 4));
    steps.push_back(by_columns("down", down_));
    steps.push_back(
        step("add, send", features_ / kHalf + features_ / 2.0, std::max(rows_, columns_), 0, 4));
    return steps;
  }

  std::vector<LanguageStep> head() const {
    std::vector<LanguageStep> steps;
    steps.push_back(norm("norm"));
    steps.push_back(by_rows("logits", logits_));
    LanguageStep search = step("search", tokens_ / kSingle, 0, 0, 3);
    search.instructions += kSearch * logits_.passes + kHead;
    search.chains = kBest * (columns_ - 1);
    search.hops = rows_ - 1;
    steps.push_back(search);
    steps.push_back(step("embedding, send", features_ + features_ / 2.0,
                         columns_ - 1 + std::max(rows_, columns_), 0, 3));
    return steps;
  }

  std::vector<LanguageBytes> block_bytes() const {
    const auto queries = static_cast<uint64_t>(heads_ * size_);
    const auto keys = static_cast<uint64_t>(kv_ * size_);
    const auto features = static_cast<uint64_t>(features_);
    const int places = up(s_.positions, rows_);
    return {{"queries, keys, values", taken_.bytes()},
            {"output", output_.bytes()},
            {"gate, up", hidden_.bytes()},
            {"down", down_.bytes()},
            {"angles", 2ull * size_ + 8},
            {"scores", 2ull * heads_ * std::min(kScorePlaces, up_to(places, kPlaces))},
            // Those that stay, and most of the others at once.
            {"vectors", 8 * features + 16 +
                            std::max(2 * (queries + 2 * keys) + 16ull * heads_,
                                     6ull * units_ + 2 * features)}};
  }

  std::vector<LanguageBytes> head_bytes(bool tied) const {
    const auto features = static_cast<uint64_t>(features_);
    return {{"token table", logits_.bytes()},
            {"output matrix", tied ? 0 : logits_.bytes()},
            {"logits", 4ull * logits_.passes * logits_.each},
            {"vectors", 12 * features}};
  }

  uint64_t block_weights() const {
    return taken_.bytes() + output_.bytes() + hidden_.bytes() + down_.bytes();
  }
  // In a tile whose row has the position.
  uint64_t position_bytes() const { return 4ull * kv_ * size_; }

 private:
  // `joins`: sums or maxima that go down the column and come back.
  LanguageStep step(const std::string& name, double beats, double hops, int joins,
                    double instructions) const {
    LanguageStep step{name, beats, hops, 0, kInstruction * instructions};
    if (rows_ > 1) step.chains = joins * (kFirstJoin + kJoin * (rows_ - 1));
    return step;
  }
  // Scores of the columns that share a head are added from one to the next, and told back.
  LanguageStep shared_scores(int times) const {
    LanguageStep step{"parts of scores"};
    const double pages = times * up(places_, kPlaces);
    step.beats = 2.0 * times * up_to(places_, 8);
    step.chains = 2 * pages * kJoin * (parts_ - 1);
    step.instructions = kInstruction * 3 * pages;
    return step;
  }
  LanguageStep norm(const std::string& name) const {
    const double n = features_;
    return step(name, n * (2 / kHalf + 1 / kToSingle + 1 / kSingleMul + 1 / kToHalf), 0, 1, 15);
  }
  // A product whose vector passes `across` tiles and whose sums pass `along`.
  LanguageStep product(const std::string& name, const Product& p, int across, int along) const {
    return {name, p.passes * (p.inputs * std::max(2.0, p.each / kHalf) + p.each),
            static_cast<double>(across - 1), p.passes * kReducer * (along - 1), kPass * p.passes};
  }
  LanguageStep by_rows(const std::string& name, const Product& p) const {
    return product(name, p, columns_, rows_);
  }
  LanguageStep by_columns(const std::string& name, const Product& p) const {
    return product(name, p, 1, columns_);
  }

  const LanguageShape& s_;
  const int rows_, columns_;
  const int features_;  // of the fullest row
  const int parts_;     // columns that share a head
  const int heads_, kv_, size_, units_, tokens_;
  const int places_;
  const Product taken_, output_, hidden_, down_, logits_;
};

}  // namespace

double LanguageEstimate::cycles(const std::vector<LanguageStep>& steps) {
  double all = 0;
  for (const LanguageStep& step : steps) all += step.cycles();
  return all;
}

uint64_t LanguageEstimate::bytes(const std::vector<LanguageBytes>& parts) {
  uint64_t all = 0;
  for (const LanguageBytes& part : parts) all += part.bytes;
  return all;
}

LanguageEstimate estimate_language(const LanguageShape& shape, bool tied, GridShape region,
                                   int position) {
  check_region(shape, region);
  const Estimator e(shape, region, position);
  return {e.block(),          e.head(),          e.block_bytes(),
          e.head_bytes(tied), e.block_weights(), e.position_bytes()};
}

}  // namespace ow::jobs
