// SPDX-License-Identifier: Apache-2.0
// Mutants of tokenizers, which then read and write some texts.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../text/piece_file.h"
#include "mutants.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/text/tokenizer.h"
#include "run_mutants.h"

namespace ow {
namespace {

using nlohmann::json;

// All parts of all kinds, in three files.
std::vector<std::string> files() {
  json model = {{"type", "BPE"},
                {"unk_token", "<u>"},
                {"fuse_unk", true},
                {"byte_fallback", true},
                {"ignore_merges", true},
                {"vocab",
                 {{"<u>", 0},
                  {"a", 1},
                  {"b", 2},
                  {"ab", 3},
                  {"_", 4},
                  {"_ab", 5},
                  {"<0xC3>", 6},
                  {"<0xA4>", 7},
                  {"\xC4\xA0", 8},
                  {"1", 9}}},
                {"merges", {"a b", "_ ab"}}};
  const json added = {{{"id", 0}, {"content", "<u>"}, {"special", true}},
                      {{"id", 10}, {"content", "<m>"}, {"lstrip", true}, {"rstrip", true}},
                      {{"id", 11}, {"content", "b b"}, {"normalized", true}}};
  const json template_of_text = {
      {"type", "TemplateProcessing"},
      {"single", {{{"SpecialToken", {{"id", "<u>"}}}}, {{"Sequence", {{"id", "A"}}}}}},
      {"special_tokens", {{"<u>", {{"ids", json::array({0})}}}}}};
  const json fallback = {
      {"model", model},
      {"added_tokens", added},
      {"normalizer",
       {{"type", "Sequence"},
        {"normalizers",
         {{{"type", "NFC"}},
          {{"type", "Prepend"}, {"prepend", "_"}},
          {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "_"}}}}}},
      {"post_processor",
       {{"type", "Sequence"}, {"processors", {{{"type", "ByteLevel"}}, template_of_text}}}},
      {"decoder",
       {{"type", "Sequence"},
        {"decoders",
         {{{"type", "Replace"}, {"pattern", {{"String", "_"}}}, {"content", " "}},
          {{"type", "ByteFallback"}},
          {{"type", "Fuse"}},
          {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}}};
  model["merges"] = std::vector<std::vector<std::string>>{{"a", "b"}, {"_", "ab"}};
  const auto split = [](const char* pattern, const char* behavior, bool invert) -> json {
    return {{"type", "Split"},
            {"pattern", {{"Regex", pattern}}},
            {"behavior", behavior},
            {"invert", invert}};
  };
  const json byte_level = {
      {"model", model},
      {"normalizer", {{"type", "NFKD"}}},
      {"pre_tokenizer",
       {{"type", "Sequence"},
        {"pretokenizers",
         {split("[^\\s\\p{L}]?\\p{L}+|\\S|x*", "Isolated", false),
          split("1", "Removed", false),
          split("a(?!b)", "MergedWithPrevious", true),
          {{"type", "Digits"}, {"individual_digits", true}},
          {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", true}}}}}},
      {"decoder", {{"type", "ByteLevel"}}}};
  const json metaspace = {
      {"model", model},
      {"added_tokens", added},
      {"pre_tokenizer",
       {{"type", "Sequence"},
        {"pretokenizers",
         {{{"type", "Metaspace"},
           {"replacement", "_"},
           {"prepend_scheme", "first"},
           {"split", true}},
          split("b|1", "Contiguous", false)}}}},
      {"decoder", {{"type", "Metaspace"}, {"replacement", "_"}, {"add_prefix_space", true}}}};
  return {fallback.dump(1), byte_level.dump(1), metaspace.dump(1)};
}

// Reads some texts, and writes what it has read.
void use(const std::string& path) {
  const Tokenizer tokenizer(path);
  for (const char* one : {"", "ab ab", " a<m> b",
                          "\xC3\xA4"
                          "b b1 22\n  x<u>",
                          "caabc  b b abc", "a\xFF"}) {
    for (const SpecialNames names : {SpecialNames::AsText, SpecialNames::AsTokens}) {
      try {
        const std::vector<int> ids = tokenizer.encode(one, names);
        tokenizer.decode(ids);
        // There is no such token.
        EXPECT_THROW(tokenizer.decode({tokenizer.size()}), BadInput);
      } catch (const BadInput& error) {
        // A text that this tokenizer cannot take.
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
  for (int id = -1; id <= tokenizer.size() && id < 100; ++id) {
    tokenizer.find(tokenizer.name(id));
    tokenizer.special(id);
  }
  for (const int id : tokenizer.before()) EXPECT_LT(id, tokenizer.size());
  for (const int id : tokenizer.after()) EXPECT_LT(id, tokenizer.size());
}

TEST(Fuzz, Tokenizers) { run("tokenizer", {".json", files(), text, use}); }

TEST(Fuzz, TokenizersWithScores) {
  const PieceFile all = small_pieces();
  PieceFile single = all;
  single.normalizer = whole_field(3, 0) + whole_field(4, 1) + whole_field(5, 0);
  single.trainer = whole_field(24, 0) + whole_field(41, 1) + part_field(44, "?");
  run("pieces", {".model", {all.bytes(), single.bytes()}, binary(300), use});
}

// Bytes that come one by one as tokens, in any order.
TEST(Fuzz, StreamsOfBytes) {
  json vocabulary = json::object();
  for (int b = 0; b < 256; ++b) {
    static const char* const kDigits = "0123456789ABCDEF";
    vocabulary[std::string("<0x") + kDigits[b / 16] + kDigits[b % 16] + ">"] = b;
  }
  const json file = {{"model", {{"vocab", vocabulary}, {"merges", json::array()}}},
                     {"decoder", {{"type", "ByteFallback"}}}};
  const std::string path = testing::TempDir() + "ow_fuzz_bytes.json";
  write_file(path, file.dump());
  const Tokenizer tokenizer(path);
  std::remove(path.c_str());
  Rng rng(seed());
  TextStream stream(tokenizer);
  for (int k = 0; k < 20000; ++k) {
    const int high = rng.below(2) == 0 ? 0x80 : 0;
    const std::string part =
        stream.add(high + static_cast<int>(rng.below(256u - static_cast<unsigned>(high))));
    EXPECT_NO_THROW(json(part).dump()) << "OW_SEED=" << seed();
  }
  stream.finish();
}

}  // namespace
}  // namespace ow
