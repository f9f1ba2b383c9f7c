// SPDX-License-Identifier: Apache-2.0
#include "piece_model.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "decoder.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/text.h"
#include "unicode.h"
#include "vocabulary.h"

namespace ow::text {
namespace {

// The fields of a message, one after the other.
class Message {
 public:
  Message(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  // Goes to the next field. False at the end.
  bool next() {
    if (at_ == bytes_.size()) return false;
    const uint64_t tag = varint();
    field_ = tag >> 3;
    switch (tag & 7) {
      case 0:
        number_ = varint();
        break;
      case 1:
        number_ = fixed(8);
        break;
      case 2: {
        const uint64_t size = varint();
        if (size > bytes_.size() - at_) broken();
        part_ = bytes_.substr(at_, size);
        at_ += size;
        break;
      }
      case 5:
        number_ = fixed(4);
        break;
      default:
        broken();
    }
    wire_ = static_cast<unsigned>(tag & 7);
    return true;
  }

  uint64_t field() const { return field_; }
  Message message() const { return {text(), path_}; }
  std::string_view text() const {
    if (wire_ != 2) broken();
    return part_;
  }
  bool flag() const { return whole() != 0; }
  int64_t whole() const {
    if (wire_ != 0) broken();
    return static_cast<int64_t>(number_);
  }
  float real() const {
    if (wire_ != 5) broken();
    const auto word = static_cast<uint32_t>(number_);
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const { throw BadInput(path_ + ": " + what); }

 private:
  [[noreturn]] void broken() const { fail("is no model of SentencePiece, or damaged"); }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) broken();
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    broken();
  }
  uint64_t fixed(size_t size) {
    if (size > bytes_.size() - at_) broken();
    uint64_t value = 0;
    for (size_t k = size; k-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes_[at_ + k]);
    at_ += size;
    return value;
  }

  std::string_view bytes_;
  const std::string& path_;
  size_t at_ = 0;
  uint64_t field_ = 0, number_ = 0;
  unsigned wire_ = 0;
  std::string_view part_;
};

ScoredPiece read_piece(Message message, size_t id) {
  ScoredPiece piece;
  int64_t kind = 1;
  while (message.next()) {
    if (message.field() == 1) piece.text = message.text();
    if (message.field() == 2) piece.score = message.real();
    if (message.field() == 3) kind = message.whole();
  }
  if (kind < 1 || kind > 6) {
    message.fail(fmt::format("piece {} is of the kind {}, must be from 1 to 6", id, kind));
  }
  piece.kind = static_cast<ScoredPiece::Kind>(kind);
  if (piece.text.empty() || utf8_error(piece.text) != std::string_view::npos) {
    message.fail(fmt::format("piece {} is empty, or not UTF-8", id));
  }
  if (piece.kind == ScoredPiece::Kind::Byte && byte_of(piece.text) < 0) {
    message.fail(
        fmt::format("piece {} is '{}', which names no byte", id, printable_text(piece.text)));
  }
  if (piece.score != piece.score) message.fail(fmt::format("piece {} has no score", id));
  return piece;
}

void read_trainer(Message message, PieceModel* to, int64_t* kind, int64_t* begin) {
  while (message.next()) {
    switch (message.field()) {
      case 3:
        *kind = message.whole();
        break;
      case 24:
        if (message.flag()) message.fail("'treat_whitespace_as_suffix' is not supported");
        break;
      case 35:
        to->byte_fallback = message.flag();
        break;
      case 41:
        *begin = message.whole();
        break;
      case 44:
        to->unknown_text = message.text();
        if (utf8_error(to->unknown_text) != std::string_view::npos) {
          message.fail("'unk_surface' is not UTF-8");
        }
        break;
      default:
        break;
    }
  }
}

void read_normalizer(Message message, PieceModel* to) {
  while (message.next()) {
    switch (message.field()) {
      case 2:
        if (!message.text().empty()) {
          message.fail(
              "has a table of normal forms ('precompiled_charsmap'), which is not "
              "supported: the normalizer must be 'identity'");
        }
        break;
      case 3:
        to->prefix = message.flag();
        break;
      case 4:
        to->single_blanks = message.flag();
        break;
      case 5:
        to->marks = message.flag();
        break;
      default:
        break;
    }
  }
}

}  // namespace

PieceModel read_piece_model(const std::string& path) {
  const std::string file = read_text(path);
  PieceModel out;
  constexpr int64_t kBytePairs = 2;
  int64_t kind = 1, begin = 1;  // the file's defaults
  Message message(file, path);
  while (message.next()) {
    if (message.field() == 1) {
      if (out.pieces.size() > static_cast<size_t>(kMaxId)) message.fail("has too many pieces");
      out.pieces.push_back(read_piece(message.message(), out.pieces.size()));
    } else if (message.field() == 2) {
      read_trainer(message.message(), &out, &kind, &begin);
    } else if (message.field() == 3) {
      read_normalizer(message.message(), &out);
    }
  }
  if (out.pieces.empty()) message.fail("has no pieces");
  if (kind != kBytePairs) {
    message.fail(fmt::format("is a model of the kind {}; 2 (BPE) is supported alone", kind));
  }
  for (size_t id = 0; id < out.pieces.size(); ++id) {
    if (out.pieces[id].kind != ScoredPiece::Kind::Unknown) continue;
    if (out.unknown) message.fail("has two unknown tokens");
    out.unknown = static_cast<int>(id);
  }
  if (begin >= static_cast<int64_t>(out.pieces.size())) {
    message.fail(fmt::format("'bos_id' is {}, of {} pieces", begin, out.pieces.size()));
  }
  if (begin >= 0) out.begin = static_cast<int>(begin);
  return out;
}

}  // namespace ow::text
