// SPDX-License-Identifier: Apache-2.0
// What each part of a file does is what the library does that writes it: version 0.20 of Hugging
// Face's tokenizers, version 0.2 of SentencePiece.
#include "ow/text/tokenizer.h"

#include <climits>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "added_tokens.h"
#include "byte_pairs.h"
#include "decoder.h"
#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/base/json_object.h"
#include "ow/base/text.h"
#include "piece_model.h"
#include "pieces.h"
#include "scored_pairs.h"
#include "unicode.h"
#include "vocabulary.h"

namespace ow {

using nlohmann::json;
using text::AddedToken;
using text::AddedTokens;
using text::Found;
using text::Piece;

namespace {

void check_model(const JsonObject& model) {
  // Older files do not name the type of a model with merges.
  const std::string type = model.text("type", model.find("merges") != nullptr ? "BPE" : "");
  if (type != "BPE") {
    model.fail("type", fmt::format("is '{}': BPE is supported alone", printable_text(type)));
  }
}

text::Vocabulary read_vocabulary(const JsonObject& model) {
  text::Vocabulary vocabulary;
  const json& list = model.at("vocab");
  if (!list.is_object()) model.fail("vocab", "must be an object");
  const JsonObject ids = model.object("vocab");
  for (const auto& [name, value] : list.items()) {
    const int id = ids.whole(name, 0, text::kMaxId);
    if (!vocabulary.add(name, id)) {
      ids.fail(name, fmt::format("has the id {}, which '{}' has already", id,
                                 printable_text(vocabulary.name(id))));
    }
  }
  return vocabulary;
}

AddedToken read_added_token(const JsonObject& object) {
  AddedToken token;
  token.id = object.whole("id", 0, text::kMaxId);
  token.content = object.text("content");
  token.takes_left = object.flag("lstrip", false);
  token.takes_right = object.flag("rstrip", false);
  token.special = object.flag("special", false);
  token.normalized = object.flag("normalized", !token.special);
  if (token.content.empty()) object.fail("content", "is empty");
  if (object.flag("single_word", false)) object.fail("single_word", "is not supported");
  return token;
}

}  // namespace

struct Tokenizer::Parts {
  Parts(const JsonObject& file, const JsonObject& model);
  explicit Parts(const text::PieceModel& model);

  void read_added_tokens(const JsonObject& file);
  void read_template(const JsonObject& object);
  void add_special(const JsonObject& object, const json& item, std::vector<int>* to) const;
  void check_id(int id) const;
  // Appends the ids of what stands between added tokens, before and after the normalizer.
  void encode_raw(const std::string& text, bool first, bool special, std::vector<int>* ids) const;
  void encode_normalized(const std::string& text, bool first, std::vector<int>* ids) const;
  const std::string& bytes(int id, bool first) const {
    const bool differ = first && !first_bytes.empty();
    return (differ ? first_bytes : other_bytes)[static_cast<size_t>(id)];
  }

  text::Vocabulary vocabulary;
  text::Normalizer normalize;
  text::Splitter split;
  // Merges, or scores: one of them.
  std::optional<text::BytePairs> pairs;
  std::optional<text::ScoredPairs> scored;
  AddedTokens raw, normalized;
  std::vector<bool> special;  // by id
  std::vector<int> before, after;
  std::vector<std::string> first_bytes, other_bytes;  // by id; the first empty if they are equal
  // Up to so many characters at the beginning of a text are left out if they are this one.
  int strip = 0;
  std::string stripped;
};

Tokenizer::Parts::Parts(const JsonObject& file, const JsonObject& model)
    : vocabulary((check_model(model), read_vocabulary(model))),
      normalize(text::read_normalizer(file)),
      split(text::read_splitter(file)) {
  pairs.emplace(model, vocabulary);
  const text::Decoder decoder(file);
  strip = decoder.strip();
  stripped = decoder.stripped();
  read_added_tokens(file);
  special.resize(static_cast<size_t>(vocabulary.size()));
  if (file.find("post_processor") != nullptr) read_template(file.object("post_processor"));
  for (int id = 0; id < vocabulary.size(); ++id) {
    first_bytes.push_back(decoder.bytes(vocabulary.name(id), true));
    other_bytes.push_back(decoder.bytes(vocabulary.name(id), false));
  }
  if (first_bytes == other_bytes) first_bytes = {};
}

Tokenizer::Parts::Parts(const text::PieceModel& model)
    : normalize([](std::string text) { return text; }) {
  using Kind = text::ScoredPiece::Kind;
  scored.emplace(model);
  for (size_t k = 0; k < model.pieces.size(); ++k) {
    const text::ScoredPiece& piece = model.pieces[k];
    const auto id = static_cast<int>(k);
    if (!vocabulary.add(piece.text, id)) {
      throw BadInput(
          fmt::format("piece {} is '{}', which is there already", id, printable_text(piece.text)));
    }
    const bool control = piece.kind == Kind::Control;
    special.push_back(control);
    if (control) raw.add(piece.text, {id, piece.text, false, false, false, true});
    other_bytes.push_back(scored->bytes(id));
  }
  if (model.begin) before = {*model.begin};
  strip = model.single_blanks ? INT_MAX : model.prefix ? 1 : 0;
  stripped = " ";
}

void Tokenizer::Parts::read_added_tokens(const JsonObject& file) {
  if (file.find("added_tokens") == nullptr) return;
  for (const JsonObject& object : file.objects("added_tokens")) {
    const AddedToken token = read_added_token(object);
    if (!vocabulary.add(token.content, token.id)) {
      const auto other = vocabulary.find(token.content);
      object.fail("id", other ? fmt::format("is {}, but '{}' has the id {}", token.id,
                                            printable_text(token.content), *other)
                              : fmt::format("is {}, which '{}' has already", token.id,
                                            printable_text(vocabulary.name(token.id))));
    }
    const std::string form = token.normalized ? normalize(token.content) : token.content;
    if (form.empty() || !(token.normalized ? normalized : raw).add(form, token)) {
      object.fail("content", "is there twice, or normalized to nothing");
    }
    special.resize(static_cast<size_t>(vocabulary.size()));
    if (token.special) special[static_cast<size_t>(token.id)] = true;
  }
}

// The ids that a template puts around a single text.
void Tokenizer::Parts::read_template(const JsonObject& object) {
  const std::string type = object.text("type");
  if (type == "ByteLevel") return;  // of places in the text
  if (type == "Sequence") {
    for (const JsonObject& step : object.objects("processors")) read_template(step);
    return;
  }
  if (type != "TemplateProcessing") {
    object.fail("type", fmt::format("'{}' is not supported: ByteLevel, Sequence and "
                                    "TemplateProcessing are",
                                    printable_text(type)));
  }
  bool behind = false;
  for (const JsonObject& item : object.objects("single")) {
    if (item.find("Sequence") != nullptr) {
      if (behind) item.fail("Sequence", "stands there twice");
      behind = true;
      continue;
    }
    const std::string name = item.object("SpecialToken").text("id");
    const JsonObject tokens = object.object("special_tokens").object(name);
    const json& ids = tokens.at("ids");
    if (!ids.is_array()) tokens.fail("ids", "must be a list");
    for (const json& id : ids) {
      const bool whole = id.is_number_integer() && id >= 0 && id <= text::kMaxId;
      if (!whole || !vocabulary.has(id.get<int>())) {
        tokens.fail("ids", "holds " + JsonObject::shown(id) + ", which is not in the vocabulary");
      }
      (behind ? after : before).push_back(id.get<int>());
    }
  }
  if (!behind) object.fail("single", "has no 'Sequence'");
}

void Tokenizer::Parts::check_id(int id) const {
  if (vocabulary.has(id)) return;
  throw BadInput(fmt::format("token {} is not in the vocabulary, whose ids end at {}", id,
                             vocabulary.size() - 1));
}

namespace {

// Calls `between` for each part of the text between tokens, and appends the ids of these.
template <typename Between>
void walk(const std::string& text, const std::vector<Found>& tokens, std::vector<int>* ids,
          const Between& between) {
  size_t done = 0;
  for (const Found& token : tokens) {
    if (done < token.begin) between(text.substr(done, token.begin - done), done == 0);
    ids->push_back(token.id);
    done = token.end;
  }
  if (done < text.size()) between(text.substr(done), done == 0);
}

}  // namespace

void Tokenizer::Parts::encode_raw(const std::string& text, bool first, bool special_names,
                                  std::vector<int>* ids) const {
  const std::string form = normalize(text);
  walk(form, normalized.find(form, special_names), ids, [&](const std::string& part, bool begins) {
    encode_normalized(part, first && begins, ids);
  });
}

void Tokenizer::Parts::encode_normalized(const std::string& text, bool first,
                                         std::vector<int>* ids) const {
  if (scored) return scored->encode(text, first, ids);
  std::vector<Piece> pieces;
  split({text, first}, &pieces);
  for (const Piece& piece : pieces) pairs->encode(piece.text, ids);
}

std::string tokenizer_file(const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path json = fs::path(folder) / "tokenizer.json",
                 pieces = fs::path(folder) / "tokenizer.model";
  std::error_code error;
  const bool other = !fs::exists(json, error) && fs::exists(pieces, error);
  return (other ? pieces : json).string();
}

Tokenizer::Tokenizer(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".model") {
    const text::PieceModel model = text::read_piece_model(path);
    try {
      parts_ = std::make_unique<Parts>(model);
    } catch (const BadInput& e) {
      throw BadInput(path + ": " + e.what());
    }
    return;
  }
  const json file = read_json(path);
  const JsonObject object(path, file);
  parts_ = std::make_unique<Parts>(object, object.object("model"));
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;

std::vector<int> Tokenizer::encode(const std::string& text, SpecialNames names) const {
  if (const size_t at = text::utf8_error(text); at != std::string::npos) {
    throw BadInput(fmt::format("the text is not UTF-8 at byte {}", at));
  }
  const bool special = names == SpecialNames::AsTokens;
  std::vector<int> ids;
  walk(text, parts_->raw.find(text, special), &ids, [&](const std::string& part, bool begins) {
    parts_->encode_raw(part, begins, special, &ids);
  });
  return ids;
}

const std::vector<int>& Tokenizer::before() const { return parts_->before; }
const std::vector<int>& Tokenizer::after() const { return parts_->after; }

std::string Tokenizer::decode(const std::vector<int>& ids) const {
  TextStream stream(*this);
  std::string text;
  for (const int id : ids) text += stream.add(id);
  return text + stream.finish();
}

int Tokenizer::size() const { return parts_->vocabulary.size(); }

std::optional<int> Tokenizer::find(const std::string& name) const {
  return parts_->vocabulary.find(name);
}

const std::string& Tokenizer::name(int id) const { return parts_->vocabulary.name(id); }

bool Tokenizer::special(int id) const {
  return parts_->vocabulary.has(id) && parts_->special[static_cast<size_t>(id)];
}

TextStream::TextStream(const Tokenizer& tokenizer)
    : tokenizer_(tokenizer), strip_(tokenizer.parts_->strip) {}

std::string TextStream::add(int id) {
  const Tokenizer::Parts& parts = *tokenizer_.parts_;
  parts.check_id(id);
  if (parts.special[static_cast<size_t>(id)]) return "";
  bytes_ += parts.bytes(id, first_);
  first_ = false;
  return take(false);
}

std::string TextStream::finish() {
  const std::string rest = take(true);
  bytes_.clear();
  first_ = true;
  strip_ = tokenizer_.parts_->strip;
  return rest;
}

// The characters that are whole, or all that there is at the end.
std::string TextStream::take(bool end) {
  std::string out;
  size_t at = 0;
  while (at < bytes_.size()) {
    const text::Utf8 next = text::utf8_at(std::string_view(bytes_).substr(at));
    if (next.kind == text::Utf8::Kind::Incomplete && !end) break;
    const std::string character = next.kind == text::Utf8::Kind::Character
                                      ? bytes_.substr(at, next.bytes)
                                      : text::kReplacement;
    at += next.bytes;
    if (strip_ > 0 && character == tokenizer_.parts_->stripped) {
      --strip_;
      continue;
    }
    strip_ = 0;
    out += character;
  }
  bytes_.erase(0, at);
  return out;
}

}  // namespace ow
