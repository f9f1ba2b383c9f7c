// SPDX-License-Identifier: Apache-2.0
// Language models as other programs write them, byte by byte.
#ifndef OW_TB_SW_IMPORT_OTHER_FORMS_H_
#define OW_TB_SW_IMPORT_OTHER_FORMS_H_

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "numpy_files.h"
#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/tensor/safetensors.h"
#include "real_language.h"

namespace ow {

inline std::string float_bytes(const Reals& values) {
  std::string out;
  for (const double value : values) {
    const auto f = static_cast<float>(value);
    uint32_t word;
    std::memcpy(&word, &f, 4);
    out += little(word, 4);
  }
  return out;
}

inline std::string half_bytes(HalfType type, const Reals& values) {
  std::string out;
  for (const double value : values) out += little(to_half(type, value), 2);
  return out;
}

// [rows][columns] as [columns][rows].
inline Reals turned_over(const Reals& w, int columns) {
  const auto wide = static_cast<size_t>(columns), rows = w.size() / wide;
  Reals out(w.size());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < wide; ++c) out[c * rows + r] = w[r * wide + c];
  }
  return out;
}

// Rows i and i + size / 2 of each head become its rows 2 i and 2 i + 1.
inline Reals with_neighbours(const Reals& w, const LanguageShape& s) {
  const auto wide = static_cast<size_t>(s.width), size = static_cast<size_t>(s.head_size);
  Reals out;
  for (size_t head = 0; head < w.size() / wide; head += size) {
    for (size_t i = 0; i < size / 2; ++i) {
      for (const size_t row : {head + i, head + i + size / 2}) {
        const auto begin = w.begin() + static_cast<std::ptrdiff_t>(row * wide);
        out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(wide));
      }
    }
  }
  return out;
}

inline Reals one_after_the_other(const std::vector<const Reals*>& parts) {
  Reals out;
  for (const Reals* part : parts) out.insert(out.end(), part->begin(), part->end());
  return out;
}

// Hugging Face's folder with F32 tensors.
class FolderForm {
 public:
  FolderForm(const RealLanguage& m, const std::string& path) : s_(m.shape) {
    const auto w = static_cast<uint64_t>(s_.width), v = static_cast<uint64_t>(s_.vocabulary);
    const bool llama = s_.family == LanguageFamily::Llama;
    add(llama ? "model.embed_tokens.weight" : "wte.weight", {v, w}, m.embedding);
    if (!m.head.empty()) add("lm_head.weight", {v, w}, m.head);
    add(llama ? "model.norm.weight" : "ln_f.weight", {w}, m.norm);
    if (!llama) {
      add("wpe.weight", {static_cast<uint64_t>(s_.positions), w}, m.places);
      add("ln_f.bias", {w}, m.norm_bias);
    }
    for (size_t n = 0; n < m.blocks.size(); ++n) {
      llama ? add_llama("model.layers." + std::to_string(n) + ".", m.blocks[n])
            : add_gpt2("h." + std::to_string(n) + ".", m.blocks[n]);
    }
    write_safetensors(path + "/model.safetensors", tensors_);
    write_file(path + "/config.json", config(m.head.empty()).dump());
  }

 private:
  void add(const std::string& name, std::vector<uint64_t> shape, const Reals& values) {
    const std::string bytes = float_bytes(values);
    tensors_[name] = {TensorType::F32, std::move(shape), {bytes.begin(), bytes.end()}};
  }

  void add_llama(const std::string& prefix, const RealLanguage::Block& b) {
    const auto w = static_cast<uint64_t>(s_.width), f = static_cast<uint64_t>(s_.hidden);
    const uint64_t q = b.query.size() / w, k = b.key.size() / w;
    add(prefix + "input_layernorm.weight", {w}, b.attention_norm);
    add(prefix + "self_attn.q_proj.weight", {q, w}, b.query);
    add(prefix + "self_attn.k_proj.weight", {k, w}, b.key);
    add(prefix + "self_attn.v_proj.weight", {k, w}, b.value);
    add(prefix + "self_attn.o_proj.weight", {w, q}, b.output);
    add(prefix + "post_attention_layernorm.weight", {w}, b.hidden_norm);
    add(prefix + "mlp.gate_proj.weight", {f, w}, b.gate);
    add(prefix + "mlp.up_proj.weight", {f, w}, b.up);
    add(prefix + "mlp.down_proj.weight", {w, f}, b.down);
  }

  void add_gpt2(const std::string& prefix, const RealLanguage::Block& b) {
    const auto w = static_cast<uint64_t>(s_.width), f = static_cast<uint64_t>(s_.hidden);
    add(prefix + "ln_1.weight", {w}, b.attention_norm);
    add(prefix + "ln_1.bias", {w}, b.attention_norm_bias);
    add(prefix + "attn.c_attn.weight", {w, 3 * w},
        turned_over(one_after_the_other({&b.query, &b.key, &b.value}), s_.width));
    add(prefix + "attn.c_attn.bias", {3 * w},
        one_after_the_other({&b.query_bias, &b.key_bias, &b.value_bias}));
    add(prefix + "attn.c_proj.weight", {w, w}, turned_over(b.output, s_.width));
    add(prefix + "attn.c_proj.bias", {w}, b.output_bias);
    add(prefix + "attn.bias", {1, 1, 1, 1}, {1});  // a mask, which says nothing
    add(prefix + "ln_2.weight", {w}, b.hidden_norm);
    add(prefix + "ln_2.bias", {w}, b.hidden_norm_bias);
    add(prefix + "mlp.c_fc.weight", {w, f}, turned_over(b.up, s_.width));
    add(prefix + "mlp.c_fc.bias", {f}, b.up_bias);
    add(prefix + "mlp.c_proj.weight", {f, w}, turned_over(b.down, s_.hidden));
    add(prefix + "mlp.c_proj.bias", {w}, b.down_bias);
  }

  nlohmann::json config(bool tied) const {
    if (s_.family == LanguageFamily::Gpt2) {
      return {{"model_type", "gpt2"},
              {"vocab_size", s_.vocabulary},
              {"n_embd", s_.width},
              {"n_inner", s_.hidden},
              {"n_layer", s_.layers},
              {"n_head", s_.heads},
              {"n_positions", s_.positions},
              {"n_ctx", s_.positions},
              {"layer_norm_epsilon", s_.epsilon},
              {"tie_word_embeddings", tied},
              {"activation_function", "gelu_new"}};
    }
    return {{"model_type", "llama"},
            {"vocab_size", s_.vocabulary},
            {"hidden_size", s_.width},
            {"intermediate_size", s_.hidden},
            {"num_hidden_layers", s_.layers},
            {"num_attention_heads", s_.heads},
            {"num_key_value_heads", s_.kv_heads},
            {"head_dim", s_.head_size},
            {"max_position_embeddings", s_.positions},
            {"rms_norm_eps", s_.epsilon},
            {"rope_theta", s_.theta},
            {"tie_word_embeddings", tied}};
  }

  const LanguageShape& s_;
  Tensors tensors_;
};

// GGUF's types of elements.
enum class GgufType { F32 = 0, F16 = 1, Q4_0 = 2, Q4_1 = 3, Q8_0 = 8, BF16 = 30 };

// The bytes of values in a type, which become what these bytes mean.
inline std::string gguf_bytes(GgufType type, Reals* values) {
  if (type == GgufType::F32) return float_bytes(*values);
  if (type == GgufType::F16 || type == GgufType::BF16) {
    const HalfType half = type == GgufType::F16 ? HalfType::Binary16 : HalfType::Bfloat16;
    const std::string bytes = half_bytes(half, *values);
    for (double& v : *values) v = from_half(half, to_half(half, v));
    return bytes;
  }
  std::string out;
  const auto half = [&out](double x) {
    const uint16_t bits = to_half(HalfType::Binary16, x);
    out += little(bits, 2);
    return static_cast<double>(from_half(HalfType::Binary16, bits));
  };
  for (size_t first = 0; first < values->size(); first += 32) {
    double* x = &(*values)[first];
    double low = x[0], high = x[0];
    for (size_t k = 0; k < 32; ++k) {
      low = std::min(low, x[k]);
      high = std::max(high, x[k]);
    }
    const double most = std::max(high, -low);
    if (type == GgufType::Q8_0) {
      const double scale = half(most / 127);
      for (size_t k = 0; k < 32; ++k) {
        const double q = std::clamp(std::round(x[k] / scale), -127.0, 127.0);
        out += static_cast<char>(static_cast<int8_t>(q));
        x[k] = q * scale;
      }
      continue;
    }
    const bool plain = type == GgufType::Q4_0;
    const double scale = half(plain ? most / 7 : (high - low) / 15);
    const double least = plain ? -8 * scale : half(low);
    uint8_t nibbles[32];
    for (size_t k = 0; k < 32; ++k) {
      nibbles[k] = static_cast<uint8_t>(std::clamp(std::round((x[k] - least) / scale), 0.0, 15.0));
      x[k] = nibbles[k] * scale + least;
    }
    for (size_t k = 0; k < 16; ++k) out += static_cast<char>(nibbles[k] | nibbles[k + 16] << 4);
  }
  return out;
}

// A GGUF file: notes, then tensors.
class GgufForm {
 public:
  void whole(const std::string& key, uint64_t value) { note(key, 4, little(value, 4)); }
  void number(const std::string& key, double value) { note(key, 6, float_bytes({value})); }
  void flag(const std::string& key, bool value) { note(key, 7, little(value ? 1 : 0, 1)); }
  void text(const std::string& key, const std::string& value) { note(key, 8, sized(value)); }
  void texts(const std::string& key, const std::vector<std::string>& values) {
    std::string bytes = little(8, 4) + little(values.size(), 8);
    for (const std::string& value : values) bytes += sized(value);
    note(key, 9, bytes);
  }
  void numbers(const std::string& key, const Reals& values) {
    note(key, 9, little(6, 4) + little(values.size(), 8) + float_bytes(values));
  }
  void wholes(const std::string& key, const std::vector<int>& values) {
    std::string bytes = little(5, 4) + little(values.size(), 8);
    for (const int value : values) bytes += little(static_cast<uint64_t>(value), 4);
    note(key, 9, bytes);
  }
  // `shape`: [outputs][inputs].
  void tensor(const std::string& name, const std::vector<int>& shape, GgufType type,
              const std::string& bytes) {
    heads_ += sized(name) + little(shape.size(), 4);
    for (size_t k = shape.size(); k-- > 0;) heads_ += little(static_cast<uint64_t>(shape[k]), 8);
    heads_ += little(static_cast<uint64_t>(type), 4) + little(data_.size(), 8);
    data_ += bytes;
    data_.resize((data_.size() + 31) / 32 * 32);
    ++tensors_;
  }

  std::string file(int version = 3) const {
    std::string out = "GGUF" + little(static_cast<uint64_t>(version), 4) + little(tensors_, 8) +
                      little(notes_count_, 8) + notes_ + heads_;
    out.resize((out.size() + 31) / 32 * 32);
    return out + data_;
  }

 private:
  static std::string sized(const std::string& text) { return little(text.size(), 8) + text; }
  void note(const std::string& key, uint64_t type, const std::string& bytes) {
    notes_ += sized(key) + little(type, 4) + bytes;
    ++notes_count_;
  }

  std::string notes_, heads_, data_;
  uint64_t notes_count_ = 0, tensors_ = 0;
};

// A model with its matrices in `type`, which it then holds as they are in the file.
inline GgufForm gguf_form(RealLanguage* m, GgufType type) {
  const LanguageShape& s = m->shape;
  const bool llama = s.family == LanguageFamily::Llama;
  const std::string prefix = llama ? "llama." : "gpt2.";
  GgufForm out;
  out.text("general.architecture", llama ? "llama" : "gpt2");
  const auto whole = [&](const std::string& key, int value) {
    out.whole(prefix + key, static_cast<uint64_t>(value));
  };
  whole("block_count", s.layers);
  whole("context_length", s.positions);
  whole("embedding_length", s.width);
  whole("feed_forward_length", s.hidden);
  whole("attention.head_count", s.heads);
  whole("vocab_size", s.vocabulary);
  if (llama) {
    whole("attention.head_count_kv", s.kv_heads);
    whole("rope.dimension_count", s.head_size);
    whole("attention.key_length", s.head_size);
    whole("attention.value_length", s.head_size);
    out.number("llama.rope.freq_base", s.theta);
  }
  out.number(prefix + (llama ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon"),
             s.epsilon);
  const auto vector = [&](const std::string& name, const Reals& values) {
    out.tensor(name, {static_cast<int>(values.size())}, GgufType::F32, float_bytes(values));
  };
  const auto matrix = [&](const std::string& name, Reals* values, int inputs, bool turns = false) {
    const std::vector<int> shape = {static_cast<int>(values->size()) / inputs, inputs};
    std::string bytes = gguf_bytes(type, values);
    if (turns) {
      // Whole rows move, and so do their blocks.
      Reals moved = with_neighbours(*values, s);
      bytes = gguf_bytes(type, &moved);
    }
    out.tensor(name, shape, type, bytes);
  };
  matrix("token_embd.weight", &m->embedding, s.width);
  if (!llama)
    out.tensor("position_embd.weight", {s.positions, s.width}, GgufType::F32,
               float_bytes(m->places));
  for (size_t n = 0; n < m->blocks.size(); ++n) {
    RealLanguage::Block& b = m->blocks[n];
    const std::string blk = "blk." + std::to_string(n) + ".";
    vector(blk + "attn_norm.weight", b.attention_norm);
    vector(blk + "ffn_norm.weight", b.hidden_norm);
    matrix(blk + "attn_output.weight", &b.output, s.heads * s.head_size);
    matrix(blk + "ffn_up.weight", &b.up, s.width);
    matrix(blk + "ffn_down.weight", &b.down, s.hidden);
    if (llama) {
      matrix(blk + "attn_q.weight", &b.query, s.width, true);
      matrix(blk + "attn_k.weight", &b.key, s.width, true);
      matrix(blk + "attn_v.weight", &b.value, s.width);
      matrix(blk + "ffn_gate.weight", &b.gate, s.width);
      continue;
    }
    std::string bytes;
    for (Reals* part : {&b.query, &b.key, &b.value}) bytes += gguf_bytes(type, part);
    out.tensor(blk + "attn_qkv.weight", {3 * s.width, s.width}, type, bytes);
    vector(blk + "attn_qkv.bias", one_after_the_other({&b.query_bias, &b.key_bias, &b.value_bias}));
    vector(blk + "attn_norm.bias", b.attention_norm_bias);
    vector(blk + "ffn_norm.bias", b.hidden_norm_bias);
    vector(blk + "attn_output.bias", b.output_bias);
    vector(blk + "ffn_up.bias", b.up_bias);
    vector(blk + "ffn_down.bias", b.down_bias);
  }
  vector("output_norm.weight", m->norm);
  if (!llama) vector("output_norm.bias", m->norm_bias);
  if (!m->head.empty()) matrix("output.weight", &m->head, s.width);
  return out;
}

// llama2.c's first format.
inline std::string llama2c_form(const RealLanguage& m) {
  const LanguageShape& s = m.shape;
  std::string out;
  for (const int n : {s.width, s.hidden, s.layers, s.heads, s.kv_heads,
                      m.head.empty() ? s.vocabulary : -s.vocabulary, s.positions}) {
    out += little(static_cast<uint64_t>(n), 4);
  }
  out += float_bytes(m.embedding);
  const auto all = [&](Reals RealLanguage::Block::*part, bool turns = false) {
    for (const RealLanguage::Block& b : m.blocks) {
      out += float_bytes(turns ? with_neighbours(b.*part, s) : b.*part);
    }
  };
  using Block = RealLanguage::Block;
  all(&Block::attention_norm);
  all(&Block::query, true);
  all(&Block::key, true);
  all(&Block::value);
  all(&Block::output);
  all(&Block::hidden_norm);
  all(&Block::gate);
  all(&Block::down);
  all(&Block::up);
  out += float_bytes(m.norm);
  out += float_bytes(Reals(static_cast<size_t>(s.positions * s.head_size)));
  return out + float_bytes(m.head);
}

// Its pieces with scores.
inline std::string llama2c_pieces(const std::vector<std::pair<std::string, double>>& pieces) {
  std::string out = little(27, 4);
  for (const auto& [piece, score] : pieces) {
    out += float_bytes({score}) + little(piece.size(), 4) + piece;
  }
  return out;
}

// glassllm's archive of arrays in F32, and its text.
inline nlohmann::json npz_config(const LanguageShape& s) {
  return {{"vocab_size", s.vocabulary}, {"d_model", s.width},       {"n_layers", s.layers},
          {"n_heads", s.heads},         {"n_kv_heads", s.kv_heads}, {"max_len", s.positions},
          {"rope_base", s.theta},       {"eps", s.epsilon},         {"init_std", 0.02}};
}
inline std::string npz_form(const RealLanguage& m, bool packed, const std::string& text) {
  const LanguageShape& s = m.shape;
  std::string characters;
  for (const char c : text) characters += little(static_cast<uint8_t>(c), 4);
  std::vector<std::pair<std::string, std::string>> files = {
      {"__config__.npy", npy_of("<U" + std::to_string(text.size()), "()", characters)}};
  // `inputs`: of a matrix, which the file has the other way round; 0: as it is.
  const auto add = [&](const std::string& name, const Reals& values, int inputs) {
    const int columns = inputs > 0 ? static_cast<int>(values.size()) / inputs : 0;
    const std::string shape =
        inputs > 0 ? "(" + std::to_string(inputs) + ", " + std::to_string(columns) + ")"
                   : "(" + std::to_string(values.size()) + ",)";
    files.emplace_back(
        name + ".npy",
        npy_of("<f4", shape, float_bytes(inputs > 0 ? turned_over(values, inputs) : values)));
  };
  files.emplace_back(
      "E.npy",
      npy_of("<f4", "(" + std::to_string(s.vocabulary) + ", " + std::to_string(s.width) + ")",
             float_bytes(m.embedding)));
  for (size_t n = 0; n < m.blocks.size(); ++n) {
    const RealLanguage::Block& b = m.blocks[n];
    const std::string prefix = "blocks." + std::to_string(n) + ".";
    add(prefix + "norm1.gamma", b.attention_norm, 0);
    add(prefix + "attn.W_Q", with_neighbours(b.query, s), s.width);
    add(prefix + "attn.W_K", with_neighbours(b.key, s), s.width);
    add(prefix + "attn.W_V", b.value, s.width);
    add(prefix + "attn.W_O", b.output, s.width);
    add(prefix + "norm2.gamma", b.hidden_norm, 0);
    add(prefix + "ffn.W1", b.gate, s.width);
    add(prefix + "ffn.W3", b.up, s.width);
    add(prefix + "ffn.W2", b.down, s.hidden);
  }
  add("norm_f.gamma", m.norm, 0);
  return zip_of(files, packed);
}
inline std::string npz_form(const RealLanguage& m, bool packed = true) {
  return npz_form(m, packed, npz_config(m.shape).dump());
}

}  // namespace ow

#endif  // OW_TB_SW_IMPORT_OTHER_FORMS_H_
