// SPDX-License-Identifier: Apache-2.0
// The first export format of llama2.c (Andrej Karpathy, 2023) and its tokenizer.bin.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "input_file.h"
#include "ow/base/error.h"
#include "ow/import/imported_model.h"
#include "parts.h"
#include "tokenizer_files.h"

namespace ow {
namespace {

constexpr size_t kHeader = 7 * 4;
constexpr double kEpsilon = 1e-5;  // of the program, not in the file
// Pieces with these ids have a meaning that the file does not say.
constexpr int kUnknown = 0, kBegin = 1, kEnd = 2, kFirstByte = 3;

int32_t whole_at(const uint8_t* bytes) {
  return static_cast<int32_t>(bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 |
                              uint32_t{bytes[3]} << 24);
}

struct Header {
  LanguageShape shape;
  bool tied = false;
};

Header read_header(InputFile* file) {
  std::array<uint8_t, kHeader> bytes;
  file->read(0, bytes.size(), bytes.data());
  constexpr int32_t kLaterMagic = 0x616B3432;
  if (whole_at(bytes.data()) == kLaterMagic) {
    file->fail("is of a later format of llama2.c; the first one (version 0) is supported");
  }
  size_t next = 0;
  const auto whole = [&](const char* what, int high) {
    const int32_t value = whole_at(&bytes[4 * next++]);
    if (value < 1 || value > high) {
      file->fail(
          fmt::format("is no file of llama2.c: {} is {}, must be from 1 to {}", what, value, high));
    }
    return static_cast<int>(value);
  };
  Header header;
  LanguageShape& s = header.shape;
  s.width = whole("dim", 1 << 17);
  s.hidden = whole("hidden_dim", 1 << 20);
  s.layers = whole("n_layers", 1024);
  s.heads = whole("n_heads", 4096);
  s.kv_heads = whole("n_kv_heads", 4096);
  const int32_t vocabulary = whole_at(&bytes[4 * next++]);
  // A negative size says that the head is not the embedding.
  header.tied = vocabulary > 0;
  if (vocabulary == 0 || vocabulary < -(1 << 20) || vocabulary > 1 << 20) {
    file->fail(fmt::format("is no file of llama2.c: vocab_size is {}", vocabulary));
  }
  s.vocabulary = std::abs(vocabulary);
  s.positions = whole("seq_len", 1 << 20);
  s.epsilon = kEpsilon;
  if (s.width % (2 * s.heads) != 0 || s.heads % s.kv_heads != 0) {
    file->fail(fmt::format("has {} heads, {} of keys and values, for {} features", s.heads,
                           s.kv_heads, s.width));
  }
  s.head_size = s.width / s.heads;
  return header;
}

// In the order of the file: one matrix of all blocks after the other. A part without values is
// skipped.
std::vector<ModelPart> parts_of(LanguageModel* m, bool tied) {
  const LanguageShape& s = m->shape;
  const auto width = static_cast<uint64_t>(s.width), hidden = static_cast<uint64_t>(s.hidden);
  const auto tokens = static_cast<uint64_t>(s.vocabulary);
  const auto keys = static_cast<uint64_t>(s.kv_heads) * static_cast<uint64_t>(s.head_size);
  using Block = LanguageModel::Block;
  std::vector<ModelPart> parts;
  const auto blocks = [&](const char* name, const std::vector<uint64_t>& shape,
                          std::vector<uint16_t> Block::*values, int neighbours = 0) {
    for (size_t n = 0; n < m->blocks.size(); ++n) {
      parts.push_back({fmt::format("{} of block {}", name, n),
                       shape,
                       {&(m->blocks[n].*values)},
                       false,
                       neighbours});
    }
  };
  parts.push_back({"token_embedding_table", {tokens, width}, {&m->embedding}});
  blocks("rms_att_weight", {width}, &Block::attention_norm);
  blocks("wq", {width, width}, &Block::query, s.head_size);
  blocks("wk", {keys, width}, &Block::key, s.head_size);
  blocks("wv", {keys, width}, &Block::value);
  blocks("wo", {width, width}, &Block::output);
  blocks("rms_ffn_weight", {width}, &Block::hidden_norm);
  blocks("w1", {hidden, width}, &Block::gate);
  blocks("w2", {width, hidden}, &Block::down);
  blocks("w3", {hidden, width}, &Block::up);
  parts.push_back({"rms_final_weight", {width}, {&m->norm}});
  // Cosines and sines of the rotation.
  const auto angles = static_cast<uint64_t>(s.positions) * static_cast<uint64_t>(s.head_size / 2);
  parts.push_back({"freq_cis", {2 * angles}, {}});
  if (!tied) parts.push_back({"wcls", {tokens, width}, {&m->head}});
  return parts;
}

uint64_t elements(const ModelPart& part) {
  uint64_t all = 1;
  for (const uint64_t n : part.shape) all *= n;
  return all;
}

// Pieces with scores: a number for the longest one, then score, size and bytes of each.
std::string read_pieces(const std::string& path, int vocabulary) {
  InputFile file(path);
  constexpr size_t kMostPiece = 1 << 16;
  uint64_t at = 4;
  PieceVocabulary out;
  for (int id = 0; id < vocabulary; ++id) {
    uint8_t head[8];
    file.read(at, sizeof head, head);
    const int32_t size = whole_at(head + 4);
    if (size < 0 || static_cast<size_t>(size) > kMostPiece) {
      file.fail(fmt::format("piece {} of {} bytes, the limit is {}", id, size, kMostPiece));
    }
    VocabularyPiece piece;
    piece.score = file.floats(at, 1)[0];
    piece.text.resize(static_cast<size_t>(size));
    file.read(at + sizeof head, piece.text.size(), piece.text.data());
    at += sizeof head + piece.text.size();
    if (!is_utf8(piece.text)) file.fail(fmt::format("piece {} is not UTF-8", id));
    if (id == kUnknown) {
      piece.kind = PieceKind::Unknown;
    } else if (id == kBegin || id == kEnd) {
      piece = {id == kBegin ? "<s>" : "</s>", 0, PieceKind::Control};
    } else if (piece.text == fmt::format("<0x{:02X}>", id - kFirstByte)) {
      piece.kind = PieceKind::Byte;
    } else {
      // The file has blanks where SentencePiece has U+2581.
      std::string marked;
      for (const char c : piece.text) c == ' ' ? marked += "\xE2\x96\x81" : marked += c;
      piece.text = std::move(marked);
    }
    out.pieces.push_back(std::move(piece));
  }
  if (at != file.bytes()) {
    file.fail(fmt::format("has {} bytes after the {} pieces of the model", file.bytes() - at,
                          vocabulary));
  }
  if (vocabulary > kBegin) out.begin = kBegin;
  return piece_model_file(out);
}

}  // namespace

ImportedModel read_llama2c(const std::string& path, const std::string& tokenizer,
                           std::optional<HalfType> type) {
  InputFile file(path);
  const Header header = read_header(&file);
  ImportedModel out;
  LanguageModel& model = out.model;
  model.shape = header.shape;
  model.type = type.value_or(HalfType::Binary16);
  model.blocks.resize(static_cast<size_t>(header.shape.layers));
  const std::vector<ModelPart> parts = parts_of(&model, header.tied);
  uint64_t bytes = kHeader;
  for (const ModelPart& part : parts) bytes += 4 * elements(part);
  if (file.bytes() != bytes) {
    file.fail(fmt::format("has {} bytes, its header asks for {}", file.bytes(), bytes));
  }
  out.files["tokenizer.model"] = read_pieces(tokenizer, header.shape.vocabulary);
  if (header.shape.vocabulary > kEnd) out.ends = {kBegin, kEnd};
  uint64_t at = kHeader;
  for (const ModelPart& part : parts) {
    const uint64_t count = elements(part);
    if (!part.values.empty()) {
      std::vector<uint16_t> values;
      values.reserve(count);
      for (const float v : file.floats(at, count)) values.push_back(to_half(model.type, v));
      check_finite(path, part.name, model.type, values);
      place_values(part, std::move(values));
    }
    at += 4 * count;
  }
  return out;
}

}  // namespace ow
