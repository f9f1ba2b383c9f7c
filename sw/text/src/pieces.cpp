// SPDX-License-Identifier: Apache-2.0
#include "pieces.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "ow/base/text.h"
#include "pattern.h"
#include "unicode.h"

namespace ow::text {
namespace {

// How a pattern cuts a text.
enum class Behavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

Behavior read_behavior(const JsonObject& object) {
  static const std::pair<const char*, Behavior> kNames[] = {
      {"Removed", Behavior::Removed},
      {"Isolated", Behavior::Isolated},
      {"MergedWithPrevious", Behavior::MergedWithPrevious},
      {"MergedWithNext", Behavior::MergedWithNext},
      {"Contiguous", Behavior::Contiguous}};
  const std::string name = object.text("behavior");
  for (const auto& [known, behavior] : kNames) {
    if (name == known) return behavior;
  }
  object.fail("behavior", fmt::format("'{}' is not known", printable_text(name)));
}

// Which parts become one piece: [begin, end) of each.
std::vector<Span> merged(const std::vector<Span>& parts, Behavior behavior) {
  std::vector<Span> out;
  const bool reverse = behavior == Behavior::MergedWithNext;
  bool before = false;  // whether the part before was a match
  for (size_t k = 0; k < parts.size(); ++k) {
    const Span& part = parts[reverse ? parts.size() - 1 - k : k];
    const bool joins =
        behavior == Behavior::Contiguous
            ? part.match == before
            : (reverse || behavior == Behavior::MergedWithPrevious) && part.match && !before;
    before = part.match;
    if (joins && !out.empty()) {
      (reverse ? out.back().begin : out.back().end) = reverse ? part.begin : part.end;
    } else if (behavior != Behavior::Removed || !part.match) {
      out.push_back(part);
    }
  }
  if (reverse) std::reverse(out.begin(), out.end());
  return out;
}

void split(const Piece& piece, std::vector<Span> parts, bool invert, Behavior behavior,
           std::vector<Piece>* out) {
  if (invert) {
    for (Span& part : parts) part.match = !part.match;
  }
  for (const Span& part : merged(parts, behavior)) {
    if (part.begin == part.end) continue;
    out->push_back(
        {piece.text.substr(part.begin, part.end - part.begin), piece.first && part.begin == 0});
  }
}

std::string replaced(const std::string& text, const Pattern& pattern, const std::string& by) {
  std::string out;
  for (const Span& part : pattern.find(text)) {
    part.match ? out += by : out.append(text, part.begin, part.end - part.begin);
  }
  return out;
}

bool begins_with(const std::string& text, const std::string& part) {
  return text.compare(0, part.size(), part) == 0;
}

Normalizer one_normalizer(const JsonObject& object);

Normalizer normalizers(const JsonObject& object) {
  std::vector<Normalizer> steps;
  for (const JsonObject& step : object.objects("normalizers")) {
    steps.push_back(one_normalizer(step));
  }
  return [steps = std::move(steps)](std::string text) {
    for (const Normalizer& step : steps) text = step(std::move(text));
    return text;
  };
}

Normalizer one_normalizer(const JsonObject& object) {
  const std::string type = object.text("type");
  if (type == "Sequence") return normalizers(object);
  if (type == "Prepend") {
    return [prefix = object.text("prepend")](std::string text) {
      return text.empty() ? text : prefix + text;
    };
  }
  if (type == "Replace") {
    return [pattern = Pattern::read(object, "pattern"), by = object.text("content")](
               const std::string& text) { return replaced(text, pattern, by); };
  }
  static const std::pair<const char*, NormalForm> kForms[] = {{"NFC", NormalForm::C},
                                                              {"NFD", NormalForm::D},
                                                              {"NFKC", NormalForm::KC},
                                                              {"NFKD", NormalForm::KD}};
  for (const auto& [name, form] : kForms) {
    if (type == name) {
      return [form = form](const std::string& text) { return normal_form(text, form); };
    }
  }
  object.fail("type", fmt::format("'{}' is not supported: NFC, NFD, NFKC, NFKD, Prepend, Replace "
                                  "and Sequence are",
                                  printable_text(type)));
}

Splitter one_splitter(const JsonObject& object);

Splitter splitters(const JsonObject& object) {
  std::vector<Splitter> steps;
  for (const JsonObject& step : object.objects("pretokenizers")) {
    steps.push_back(one_splitter(step));
  }
  return [steps = std::move(steps)](const Piece& piece, std::vector<Piece>* out) {
    std::vector<Piece> pieces = {piece};
    for (const Splitter& step : steps) {
      std::vector<Piece> parts;
      for (const Piece& part : pieces) step(part, &parts);
      pieces = std::move(parts);
    }
    std::move(pieces.begin(), pieces.end(), std::back_inserter(*out));
  };
}

// Contractions of English, then words with a blank before them, as GPT-2 cuts them.
constexpr const char* kByteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Splitter byte_level(const JsonObject& object) {
  const bool prefix = object.flag("add_prefix_space", true);
  const bool cuts = object.flag("use_regex", true);
  const Pattern pattern(kByteLevelPattern, Pattern::Kind::Expression, object, "use_regex");
  return [prefix, cuts, pattern](const Piece& piece, std::vector<Piece>* out) {
    std::vector<Piece> parts = {piece};
    if (prefix && !begins_with(piece.text, " ")) parts[0].text = " " + piece.text;
    if (cuts) {
      const Piece whole = std::move(parts[0]);
      parts.clear();
      split(whole, pattern.find(whole.text), false, Behavior::Isolated, &parts);
    }
    for (const Piece& part : parts) {
      Piece mapped{"", part.first};
      for (const char byte : part.text) mapped.text += byte_character(static_cast<uint8_t>(byte));
      out->push_back(std::move(mapped));
    }
  };
}

Splitter metaspace(const JsonObject& object) {
  const Metaspace space = read_metaspace(object);
  const bool cuts = object.flag("split", true);
  const Pattern blank(" ", Pattern::Kind::Plain, object, "replacement");
  const Pattern mark(space.mark, Pattern::Kind::Plain, object, "replacement");
  return [space, cuts, blank, mark](const Piece& piece, std::vector<Piece>* out) {
    Piece whole{replaced(piece.text, blank, space.mark), piece.first};
    const bool prepends = space.prepend == Metaspace::Prepend::Always ||
                          (space.prepend == Metaspace::Prepend::First && piece.first);
    if (prepends && !begins_with(whole.text, space.mark)) whole.text = space.mark + whole.text;
    if (cuts) return split(whole, mark.find(whole.text), false, Behavior::MergedWithNext, out);
    out->push_back(std::move(whole));
  };
}

Splitter one_splitter(const JsonObject& object) {
  const std::string type = object.text("type");
  if (type == "Sequence") return splitters(object);
  if (type == "ByteLevel") return byte_level(object);
  if (type == "Metaspace") return metaspace(object);
  const auto by_pattern = [](const Pattern& pattern, bool invert, Behavior behavior) -> Splitter {
    return [=](const Piece& piece, std::vector<Piece>* out) {
      split(piece, pattern.find(piece.text), invert, behavior, out);
    };
  };
  if (type == "Split") {
    return by_pattern(Pattern::read(object, "pattern"), object.flag("invert", false),
                      read_behavior(object));
  }
  if (type == "Digits") {
    return by_pattern(
        Pattern("\\p{N}", Pattern::Kind::Expression, object, "type"), false,
        object.flag("individual_digits", false) ? Behavior::Isolated : Behavior::Contiguous);
  }
  object.fail("type", fmt::format("'{}' is not supported: ByteLevel, Digits, Metaspace, Sequence "
                                  "and Split are",
                                  printable_text(type)));
}

}  // namespace

Normalizer read_normalizer(const JsonObject& file) {
  if (file.find("normalizer") == nullptr) return [](std::string text) { return text; };
  return one_normalizer(file.object("normalizer"));
}

Splitter read_splitter(const JsonObject& file) {
  if (file.find("pre_tokenizer") == nullptr) {
    return [](const Piece& piece, std::vector<Piece>* out) { out->push_back(piece); };
  }
  return one_splitter(file.object("pre_tokenizer"));
}

Metaspace read_metaspace(const JsonObject& object) {
  Metaspace out{object.text("replacement"), Metaspace::Prepend::Always};
  if (!one_character(out.mark)) object.fail("replacement", "must be one character");
  // Older files have a flag instead of the scheme.
  const bool old = object.flag("add_prefix_space", true);
  const std::string scheme = object.text("prepend_scheme", old ? "always" : "never");
  if (scheme == "first") {
    out.prepend = Metaspace::Prepend::First;
  } else if (scheme == "never") {
    out.prepend = Metaspace::Prepend::Never;
  } else if (scheme != "always") {
    object.fail("prepend_scheme",
                fmt::format("is '{}', must be always, first or never", printable_text(scheme)));
  }
  return out;
}

const std::string& byte_character(uint8_t byte) {
  static const std::array<std::string, 256> characters = [] {
    std::array<std::string, 256> all;
    uint32_t next = 0x100;
    for (uint32_t b = 0; b < 256; ++b) {
      const bool itself = (b > 0x20 && b < 0x7F) || (b > 0xA0 && b != 0xAD);
      all[b] = character(itself ? b : next++);
    }
    return all;
  }();
  return characters[byte];
}

}  // namespace ow::text
