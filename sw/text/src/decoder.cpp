// SPDX-License-Identifier: Apache-2.0
#include "decoder.h"

#include <cstdint>
#include <unordered_map>

#include <fmt/format.h>

#include "ow/base/text.h"
#include "pieces.h"
#include "unicode.h"

namespace ow::text {
namespace {

// The text with `by` in place of each `mark`.
std::string replaced(const std::string& text, const std::string& mark, const std::string& by) {
  std::string out;
  size_t at = 0;
  for (size_t found; (found = text.find(mark, at)) != std::string::npos; at = found + mark.size()) {
    out.append(text, at, found - at);
    out += by;
  }
  return out.append(text, at, std::string::npos);
}

// A name of a byte-level vocabulary. One with other characters stands for itself.
std::string bytes_of_level(const std::string& name) {
  static const std::unordered_map<std::string, char> bytes = [] {
    std::unordered_map<std::string, char> all;
    for (int b = 0; b < 256; ++b)
      all[byte_character(static_cast<uint8_t>(b))] = static_cast<char>(b);
    return all;
  }();
  std::string out;
  for (size_t at = 0; at < name.size();) {
    const size_t size = character_bytes(std::string_view(name).substr(at));
    const auto found = bytes.find(name.substr(at, size));
    if (found == bytes.end()) return name;
    out += found->second;
    at += size;
  }
  return out;
}

}  // namespace

int byte_of(const std::string& name) {
  if (name.size() != 6 || name.compare(0, 3, "<0x") != 0 || name[5] != '>') return -1;
  int value = 0;
  for (const char c : name.substr(3, 2)) {
    const size_t digit = std::string("0123456789ABCDEF0123456789abcdef").find(c);
    if (digit == std::string::npos) return -1;
    value = value * 16 + static_cast<int>(digit % 16);
  }
  return value;
}

Decoder::Decoder(const JsonObject& file) { add(file.object("decoder")); }

void Decoder::add(const JsonObject& object) {
  const std::string type = object.text("type");
  if (type == "Sequence") {
    for (const JsonObject& step : object.objects("decoders")) add(step);
  } else if (type == "ByteLevel") {
    steps_.push_back([](State* s) {
      s->text = bytes_of_level(s->text);
      s->done = true;
    });
  } else if (type == "ByteFallback") {
    steps_.push_back([](State* s) {
      const int byte = byte_of(s->text);
      if (byte < 0) return;
      s->text = std::string(1, static_cast<char>(byte));
      s->done = true;
    });
  } else if (type == "Replace") {
    const std::string mark = object.object("pattern").text("String");
    if (!one_character(mark)) object.fail("pattern", "must be one character");
    steps_.push_back(
        [mark, by = object.text("content")](State* s) { s->text = replaced(s->text, mark, by); });
  } else if (type == "Metaspace") {
    const Metaspace space = read_metaspace(object);
    steps_.push_back([space](State* s) {
      const bool dropped = s->first && space.prepend != Metaspace::Prepend::Never;
      s->text = replaced(s->text, space.mark, dropped ? "" : " ");
    });
  } else if (type == "Fuse") {
    fused_ = true;
  } else if (type == "Strip") {
    if (!fused_) object.fail("type", "'Strip' is supported after 'Fuse' alone");
    if (object.whole("stop", 0, 1000, 0) != 0) object.fail("stop", "must be 0");
    strip_ = object.whole("start", 0, 1000, 0);
    stripped_ = object.text("content");
    if (!one_character(stripped_)) object.fail("content", "must be one character");
  } else {
    object.fail("type", fmt::format("'{}' is not supported: ByteFallback, ByteLevel, Fuse, "
                                    "Metaspace, Replace, Sequence and Strip are",
                                    printable_text(type)));
  }
}

std::string Decoder::bytes(const std::string& name, bool first) const {
  State state{name, first};
  for (const Step& step : steps_) {
    if (!state.done) step(&state);
  }
  return std::move(state.text);
}

}  // namespace ow::text
