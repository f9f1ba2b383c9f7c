// SPDX-License-Identifier: Apache-2.0
// The model and the tokenizer of a GGUF file. Keys and names are those of the GGUF specification
// and of llama.cpp's converters.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "gguf_file.h"
#include "ow/base/error.h"
#include "ow/base/text.h"
#include "ow/import/imported_model.h"
#include "tokenizer_files.h"

namespace ow {
namespace {

constexpr int kMostTokens = 1 << 20;

class Reader {
 public:
  explicit Reader(const std::string& path)
      : file_(path), family_(file_.text("general.architecture", "")) {}

  ImportedModel read(std::optional<HalfType> type) {
    if (family_ != "llama" && family_ != "gpt2") {
      file_.fail("general.architecture",
                 fmt::format("is '{}', must be gpt2 or llama", printable_text(family_)));
    }
    check_keys();
    constexpr int kMostlyBf16 = 32;
    const bool bf16 = file_.whole("general.file_type", 0, INT32_MAX, 0) == kMostlyBf16;
    imported_.model.type = type.value_or(bf16 ? HalfType::Bfloat16 : HalfType::Binary16);
    read_shape();
    read_tensors();
    read_tokenizer();
    return std::move(imported_);
  }

 private:
  std::string key(const std::string& name) const { return family_ + "." + name; }
  bool llama() const { return family_ == "llama"; }

  // All keys of the architecture are known, or have the value that changes nothing.
  void check_keys() const {
    static const std::set<std::string> kKnown = {"attention.head_count",
                                                 "attention.head_count_kv",
                                                 "attention.key_length",
                                                 "attention.layer_norm_epsilon",
                                                 "attention.layer_norm_rms_epsilon",
                                                 "attention.value_length",
                                                 "block_count",
                                                 "context_length",
                                                 "embedding_length",
                                                 "feed_forward_length",
                                                 "rope.dimension_count",
                                                 "rope.freq_base",
                                                 "vocab_size"};
    for (const auto& [name, value] : file_.notes()) {
      if (name.compare(0, family_.size() + 1, family_ + ".") != 0) continue;
      const std::string rest = name.substr(family_.size() + 1);
      if (kKnown.count(rest) != 0) continue;
      const bool none = (rest == "expert_count" || rest == "expert_used_count")
                            ? value == GgufValue(int64_t{0})
                            : rest == "rope.scaling.type" && value == GgufValue("none");
      if (!none) file_.fail(name, "is not supported");
    }
  }

  void read_shape() {
    LanguageShape& s = imported_.model.shape;
    s.family = llama() ? LanguageFamily::Llama : LanguageFamily::Gpt2;
    s.width = file_.whole(key("embedding_length"), 1, 1 << 17);
    s.layers = file_.whole(key("block_count"), 1, 1024);
    s.heads = file_.whole(key("attention.head_count"), 1, 4096);
    s.kv_heads = file_.whole(key("attention.head_count_kv"), 1, 4096, s.heads);
    s.hidden = file_.whole(key("feed_forward_length"), 1, 1 << 20);
    s.positions = file_.whole(key("context_length"), 1, 1 << 20);
    s.epsilon = file_.positive(
        key(llama() ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon"), 1);
    s.head_size = file_.whole(key("attention.key_length"), 2, 4096, s.width / s.heads);
    const int values = file_.whole(key("attention.value_length"), 2, 4096, s.head_size);
    if (s.heads % s.kv_heads != 0 || (!llama() && s.heads != s.kv_heads)) {
      file_.fail(key("attention.head_count_kv"),
                 fmt::format("is {}, with {} heads of queries", s.kv_heads, s.heads));
    }
    const bool divided = file_.has(key("attention.key_length")) || s.width % s.heads == 0;
    if (!divided || s.head_size < 2 || s.head_size % 2 != 0 || values != s.head_size ||
        (!llama() && s.head_size * s.heads != s.width)) {
      file_.fail(key("attention.head_count"),
                 fmt::format("is {}, which gives no heads of an even size from {} features",
                             s.heads, s.width));
    }
    if (llama()) {
      s.theta = file_.positive(key("rope.freq_base"), 1e12, 10000.0);
      const int turned = file_.whole(key("rope.dimension_count"), 1, 4096, s.head_size);
      if (turned != s.head_size) {
        file_.fail(key("rope.dimension_count"),
                   fmt::format("is {}, must be all {} features of a head", turned, s.head_size));
      }
    }
    const bool listed = file_.has("tokenizer.ggml.tokens");
    const size_t tokens = listed ? file_.texts("tokenizer.ggml.tokens").size() : 0;
    std::optional<int> absent;
    if (tokens >= 1 && tokens <= kMostTokens) absent = static_cast<int>(tokens);
    s.vocabulary = file_.whole(key("vocab_size"), 1, kMostTokens, absent);
  }

  void add(const std::string& name, std::vector<uint64_t> shape,
           std::vector<std::vector<uint16_t>*> values, int neighbours = 0) {
    parts_.push_back({name, std::move(shape), std::move(values), false, neighbours});
  }

  void read_tensors() {
    LanguageModel& m = imported_.model;
    const LanguageShape& s = m.shape;
    m.blocks.resize(static_cast<size_t>(s.layers));
    const auto width = static_cast<uint64_t>(s.width), tokens = static_cast<uint64_t>(s.vocabulary);
    add("token_embd.weight", {tokens, width}, {&m.embedding});
    if (!llama()) {
      add("position_embd.weight", {static_cast<uint64_t>(s.positions), width}, {&m.places});
    }
    for (size_t n = 0; n < m.blocks.size(); ++n) {
      const std::string prefix = fmt::format("blk.{}.", n);
      llama() ? add_llama(prefix, s, &m.blocks[n]) : add_gpt2(prefix, s, &m.blocks[n]);
    }
    add("output_norm.weight", {width}, {&m.norm});
    if (!llama()) add("output_norm.bias", {width}, {&m.norm_bias});
    const bool own_head = file_.tensors().count("output.weight") != 0;
    if (own_head) add("output.weight", {tokens, width}, {&m.head});
    read_parts(file_, parts_, m.type, "its header", [](const std::string&) { return false; });
  }

  void add_llama(const std::string& prefix, const LanguageShape& s, LanguageModel::Block* b) {
    const auto width = static_cast<uint64_t>(s.width), hidden = static_cast<uint64_t>(s.hidden);
    const auto size = static_cast<uint64_t>(s.head_size);
    const uint64_t queries = static_cast<uint64_t>(s.heads) * size;
    const uint64_t keys = static_cast<uint64_t>(s.kv_heads) * size;
    add(prefix + "attn_norm.weight", {width}, {&b->attention_norm});
    add(prefix + "attn_q.weight", {queries, width}, {&b->query}, s.head_size);
    add(prefix + "attn_k.weight", {keys, width}, {&b->key}, s.head_size);
    add(prefix + "attn_v.weight", {keys, width}, {&b->value});
    add(prefix + "attn_output.weight", {width, queries}, {&b->output});
    add(prefix + "ffn_norm.weight", {width}, {&b->hidden_norm});
    add(prefix + "ffn_gate.weight", {hidden, width}, {&b->gate});
    add(prefix + "ffn_up.weight", {hidden, width}, {&b->up});
    add(prefix + "ffn_down.weight", {width, hidden}, {&b->down});
  }

  void add_gpt2(const std::string& prefix, const LanguageShape& s, LanguageModel::Block* b) {
    const auto width = static_cast<uint64_t>(s.width), hidden = static_cast<uint64_t>(s.hidden);
    const auto both = [&](const char* name, uint64_t outputs, uint64_t inputs,
                          std::vector<std::vector<uint16_t>*> matrices,
                          std::vector<std::vector<uint16_t>*> biases) {
      const std::vector<uint64_t> shape =
          inputs == 0 ? std::vector<uint64_t>{outputs} : std::vector<uint64_t>{outputs, inputs};
      add(prefix + name + ".weight", shape, std::move(matrices));
      add(prefix + name + ".bias", {outputs}, std::move(biases));
    };
    both("attn_norm", width, 0, {&b->attention_norm}, {&b->attention_norm_bias});
    both("attn_qkv", 3 * width, width, {&b->query, &b->key, &b->value},
         {&b->query_bias, &b->key_bias, &b->value_bias});
    both("attn_output", width, width, {&b->output}, {&b->output_bias});
    both("ffn_norm", width, 0, {&b->hidden_norm}, {&b->hidden_norm_bias});
    both("ffn_up", hidden, width, {&b->up}, {&b->up_bias});
    both("ffn_down", width, hidden, {&b->down}, {&b->down_bias});
  }

  // A token that has a key, if the vocabulary has it.
  std::optional<int> token(const std::string& name) const {
    const std::string full = "tokenizer.ggml." + name;
    if (!file_.has(full)) return std::nullopt;
    return file_.whole(full, 0, static_cast<int>(tokens_) - 1);
  }

  // Whether a text begins or ends with a token, which then must be there.
  std::optional<int> around(const char* flag, bool absent, const char* name) const {
    if (!file_.flag(std::string("tokenizer.ggml.") + flag, absent)) return std::nullopt;
    return token(name);
  }

  void read_tokenizer() {
    const std::string kind = file_.text("tokenizer.ggml.model", "");
    if (kind.empty()) return;
    const std::vector<std::string>& names = file_.texts("tokenizer.ggml.tokens");
    tokens_ = names.size();
    if (tokens_ < 1 || tokens_ > static_cast<size_t>(imported_.model.shape.vocabulary)) {
      file_.fail("tokenizer.ggml.tokens", fmt::format("has {} tokens, the model has {}", tokens_,
                                                      imported_.model.shape.vocabulary));
    }
    for (const char* name : {"eos_token_id", "eot_token_id"}) {
      const auto id = token(name);
      if (id && (imported_.ends.empty() || imported_.ends[0] != *id)) imported_.ends.push_back(*id);
    }
    read_template();
    if (kind == "gpt2") {
      read_merges(names);
    } else if (kind == "llama") {
      read_pieces(names);
    } else {
      file_.fail("tokenizer.ggml.model",
                 fmt::format("is '{}', must be gpt2 or llama", printable_text(kind)));
    }
  }

  void read_template() {
    const std::string name = "tokenizer.chat_template", text = file_.text(name, "");
    if (text.empty()) return;
    check_texts(name, {text});
    const nlohmann::json config = {{"chat_template", text}};
    imported_.files["tokenizer_config.json"] = config.dump(2) + "\n";
  }

  // The kinds of tokens, all Normal if the file does not say.
  std::vector<PieceKind> kinds() const {
    std::vector<PieceKind> out(tokens_, PieceKind::Normal);
    const std::string name = "tokenizer.ggml.token_type";
    if (!file_.has(name)) return out;
    const std::vector<double>& numbers = list(name);
    for (size_t id = 0; id < tokens_; ++id) {
      if (!(numbers[id] >= 1 && numbers[id] <= 6)) {
        file_.fail(name, fmt::format("is {} for token {}, must be from 1 to 6", numbers[id], id));
      }
      out[id] = static_cast<PieceKind>(static_cast<int>(numbers[id]));
    }
    return out;
  }

  // A number for each token.
  const std::vector<double>& list(const std::string& name) const {
    const std::vector<double>& numbers = file_.numbers(name);
    if (numbers.size() != tokens_) {
      file_.fail(name, fmt::format("has {} numbers for {} tokens", numbers.size(), tokens_));
    }
    return numbers;
  }

  void check_texts(const std::string& name, const std::vector<std::string>& texts) const {
    for (const std::string& text : texts) {
      if (!is_utf8(text)) file_.fail(name, "holds a text that is not UTF-8");
    }
  }

  void read_merges(const std::vector<std::string>& names) {
    MergeVocabulary vocabulary{names, kinds(), file_.texts("tokenizer.ggml.merges"),
                               around("add_bos_token", false, "bos_token_id"),
                               around("add_eos_token", false, "eos_token_id")};
    check_texts("tokenizer.ggml.tokens", names);
    check_texts("tokenizer.ggml.merges", vocabulary.merges);
    if (file_.flag("tokenizer.ggml.add_space_prefix", false)) {
      file_.fail("tokenizer.ggml.add_space_prefix", "is true, which is not supported");
    }
    const std::string pre = "tokenizer.ggml.pre", cut = file_.text(pre, llama() ? "" : "gpt-2");
    std::string file = merge_tokenizer_file(vocabulary, cut);
    if (file.empty()) {
      file_.fail(pre, fmt::format("is '{}': {} are supported", printable_text(cut), cut_names()));
    }
    imported_.files["tokenizer.json"] = std::move(file);
  }

  void read_pieces(const std::vector<std::string>& names) {
    PieceVocabulary vocabulary;
    vocabulary.prefix = file_.flag("tokenizer.ggml.add_space_prefix", true);
    vocabulary.begin = around("add_bos_token", true, "bos_token_id");
    vocabulary.end = around("add_eos_token", false, "eos_token_id");
    check_texts("tokenizer.ggml.tokens", names);
    const std::vector<PieceKind> kinds = this->kinds();
    const std::vector<double>& scores = list("tokenizer.ggml.scores");
    for (size_t id = 0; id < tokens_; ++id) {
      vocabulary.pieces.push_back({names[id], static_cast<float>(scores[id]), kinds[id]});
    }
    imported_.files["tokenizer.model"] = piece_model_file(vocabulary);
  }

  const GgufFile file_;
  const std::string family_;
  ImportedModel imported_;
  std::vector<ModelPart> parts_;
  size_t tokens_ = 0;
};

}  // namespace

ImportedModel read_gguf(const std::string& path, std::optional<HalfType> type) {
  return Reader(path).read(type);
}

}  // namespace ow
