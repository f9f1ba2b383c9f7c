// SPDX-License-Identifier: Apache-2.0
#include "tokenizer_files.h"

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

namespace ow {
namespace {

using nlohmann::json;

// Fields of Protocol Buffers, the format of SentencePiece's models.
void add_number(std::string* to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to += static_cast<char>(value | 0x80);
  *to += static_cast<char>(value);
}
void add_whole(std::string* to, unsigned field, uint64_t value) {
  add_number(to, field << 3);
  add_number(to, value);
}
void add_text(std::string* to, unsigned field, const std::string& text) {
  add_number(to, field << 3 | 2);
  add_number(to, text.size());
  *to += text;
}
void add_float(std::string* to, unsigned field, float value) {
  add_number(to, field << 3 | 5);
  uint32_t word;
  std::memcpy(&word, &value, 4);
  for (int k = 0; k < 4; ++k) *to += static_cast<char>(word >> (8 * k));
}

// Absent ids are -1, which takes ten bytes.
uint64_t id_field(std::optional<int> id) {
  return static_cast<uint64_t>(static_cast<int64_t>(id.value_or(-1)));
}

// Contractions, letters with what stands before them, digits, signs, ends of lines, blanks: how
// Llama 3 and Qwen 2 cut, with at most three digits, or one.
std::string word_pattern(const char* digits) {
  return std::string(R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)") + digits +
         R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
}

json byte_level(bool cuts) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", cuts}};
}

json in_turn(json first, json second) {
  return {{"type", "Sequence"},
          {"pretokenizers", json::array({std::move(first), std::move(second)})}};
}

json pattern_then_bytes(const std::string& pattern) {
  return in_turn({{"type", "Split"},
                  {"pattern", {{"Regex", pattern}}},
                  {"behavior", "Isolated"},
                  {"invert", false}},
                 byte_level(false));
}

// The part "pre_tokenizer"; null if the name is not known.
json pre_tokenizer(const std::string& cut) {
  if (cut == "gpt-2") return byte_level(true);
  if (cut == "llama-bpe") return pattern_then_bytes(word_pattern(R"(\p{N}{1,3})"));
  if (cut == "qwen2") return pattern_then_bytes(word_pattern(R"(\p{N})"));
  if (cut == "smollm") {
    return in_turn({{"type", "Digits"}, {"individual_digits", true}}, byte_level(true));
  }
  return nullptr;
}

// The part "post_processor": what stands around a text.
json surrounded(const MergeVocabulary& vocabulary) {
  if (!vocabulary.begin && !vocabulary.end) return byte_level(true);
  json single = json::array(), tokens = json::object();
  const auto add = [&](std::optional<int> id) {
    if (!id) return;
    const std::string& name = vocabulary.names[static_cast<size_t>(*id)];
    single.push_back({{"SpecialToken", {{"id", name}, {"type_id", 0}}}});
    tokens[name] = {{"id", name}, {"ids", {*id}}, {"tokens", {name}}};
  };
  add(vocabulary.begin);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  add(vocabulary.end);
  return {{"type", "TemplateProcessing"},
          {"single", single},
          {"pair", json::array({{{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                                {{"Sequence", {{"id", "B"}, {"type_id", 1}}}}})},
          {"special_tokens", tokens}};
}

}  // namespace

bool is_utf8(const std::string& text) {
  try {
    json(text).dump();
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

std::string piece_model_file(const PieceVocabulary& vocabulary) {
  std::string file;
  bool bytes = false;
  std::optional<int> unknown;
  for (size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    const VocabularyPiece& from = vocabulary.pieces[id];
    std::string piece;
    add_text(&piece, 1, from.text);
    add_float(&piece, 2, from.score);
    if (from.kind != PieceKind::Normal) add_whole(&piece, 3, static_cast<uint64_t>(from.kind));
    add_text(&file, 1, piece);
    bytes = bytes || from.kind == PieceKind::Byte;
    if (from.kind == PieceKind::Unknown) unknown = static_cast<int>(id);
  }
  std::string trainer;
  constexpr uint64_t kBytePairs = 2;
  add_whole(&trainer, 3, kBytePairs);
  if (bytes) add_whole(&trainer, 35, 1);
  add_whole(&trainer, 40, id_field(unknown));
  add_whole(&trainer, 41, id_field(vocabulary.begin));
  add_whole(&trainer, 42, id_field(vocabulary.end));
  std::string normalizer;
  add_text(&normalizer, 1, "identity");
  add_whole(&normalizer, 3, vocabulary.prefix ? 1 : 0);
  add_whole(&normalizer, 4, 0);
  add_text(&file, 2, trainer);
  add_text(&file, 3, normalizer);
  return file;
}

std::string merge_tokenizer_file(const MergeVocabulary& vocabulary, const std::string& cut) {
  const json cuts = pre_tokenizer(cut);
  if (cuts.is_null()) return "";
  json added = json::array(), names = json::object();
  for (size_t id = 0; id < vocabulary.names.size(); ++id) {
    const PieceKind kind = vocabulary.kinds[id];
    if (kind == PieceKind::Unused) continue;
    const std::string& name = vocabulary.names[id];
    names[name] = id;
    const bool special = kind == PieceKind::Control || kind == PieceKind::Unknown;
    if (!special && kind != PieceKind::UserDefined) continue;
    added.push_back({{"id", id},
                     {"content", name},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", special}});
  }
  json normalizer = nullptr;
  if (cut == "qwen2") normalizer = {{"type", "NFC"}};
  const json file = {{"version", "1.0"},
                     {"truncation", nullptr},
                     {"padding", nullptr},
                     {"added_tokens", added},
                     {"normalizer", normalizer},
                     {"pre_tokenizer", cuts},
                     {"post_processor", surrounded(vocabulary)},
                     {"decoder", byte_level(true)},
                     {"model",
                      {{"type", "BPE"},
                       {"dropout", nullptr},
                       {"unk_token", nullptr},
                       {"continuing_subword_prefix", nullptr},
                       {"end_of_word_suffix", nullptr},
                       {"fuse_unk", false},
                       {"byte_fallback", false},
                       // Words of Llama 3 that are tokens stay whole.
                       {"ignore_merges", cut == "llama-bpe"},
                       {"vocab", names},
                       {"merges", vocabulary.merges}}}};
  return file.dump(1) + "\n";
}

const char* cut_names() { return "gpt-2, llama-bpe, qwen2 and smollm"; }

}  // namespace ow
