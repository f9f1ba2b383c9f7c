// SPDX-License-Identifier: Apache-2.0
#include "ow/base/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxBytes = size_t{1} << 24;

// What an error shows of a text: one line, not too long.
std::string one_line(const std::string& text) {
  constexpr size_t kMost = 60;
  std::string out;
  for (const char c : text.substr(0, kMost)) {
    out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
  }
  return text.size() > kMost ? out + "..." : out;
}

}  // namespace

struct Yaml::Node {
  enum class Kind { Null, Scalar, List, Map };
  Kind kind = Kind::Null;
  bool quoted = false;
  int line = 1;
  std::string text;
  // The elements of a list (without names), or of a mapping in the order of the file.
  std::vector<std::pair<std::string, Node>> children;
  std::vector<int> key_lines;
};

struct Yaml::Document {
  std::string file;
  Node root;
};

// Makes the tree from the parser's events. Events know their line, so a construct that is not
// supported is refused at its line.
class Yaml::Builder : public YAML::EventHandler {
 public:
  explicit Builder(Document* document) : document_(document) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "a reference to another value is not taken");
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "", anchor);
    add(mark, Node::Kind::Null, "", false);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    add(mark, Node::Kind::Scalar, value, tag == "!");
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check(mark, tag, anchor);
    open(mark, Node::Kind::List);
  }
  void OnSequenceEnd() override { stack_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check(mark, tag, anchor);
    open(mark, Node::Kind::Map);
  }
  void OnMapEnd() override { stack_.pop_back(); }

 private:
  struct Open {
    Node* node = nullptr;
    bool have_key = false;  // a key was read, its value was not
    std::string key;        // the last one
    std::set<std::string> names;
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    throw BadInput(fmt::format("{}:{}: {}", document_->file, mark.line + 1, what));
  }

  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != 0) fail(mark, "an anchor (&) is not taken");
    // A plain scalar comes with "?", a quoted one with "!".
    if (!tag.empty() && tag != "?" && tag != "!") fail(mark, "a tag (!) is not taken");
  }

  // Returns a place for a value, or nothing if this scalar is a key.
  Node* place(const YAML::Mark& mark, Node::Kind kind, const std::string& text) {
    if (stack_.empty()) return &document_->root;
    Open& top = stack_.back();
    if (top.node->kind == Node::Kind::List) {
      top.node->children.emplace_back();
    } else if (!top.have_key) {
      if (kind != Node::Kind::Scalar || text.empty()) fail(mark, "a key must be a word");
      if (!top.names.insert(text).second) {
        fail(mark, fmt::format("key '{}' stands there twice", one_line(full(text))));
      }
      top.have_key = true;
      top.key = text;
      return nullptr;
    } else {
      top.have_key = false;
      top.node->children.emplace_back(top.key, Node{});
    }
    return &top.node->children.back().second;
  }

  Node* add(const YAML::Mark& mark, Node::Kind kind, const std::string& text, bool quoted) {
    Node* const node = place(mark, kind, text);
    if (node == nullptr) {
      stack_.back().node->key_lines.push_back(mark.line + 1);
      return nullptr;
    }
    node->kind = kind;
    node->quoted = quoted;
    node->text = text;
    node->line = std::max(mark.line + 1, 1);
    // A missing value has the mark of what follows it.
    if (kind == Node::Kind::Null && !stack_.empty() && !stack_.back().node->key_lines.empty()) {
      node->line = stack_.back().node->key_lines.back();
    }
    return node;
  }

  void open(const YAML::Mark& mark, Node::Kind kind) {
    if (stack_.size() == kMaxDepth) {
      fail(mark, fmt::format("nested more than {} deep, the limit", kMaxDepth));
    }
    // Nothing is added to the parent before this node is closed, so the pointer stays valid.
    Node* const node = add(mark, kind, "", false);
    stack_.emplace_back();
    stack_.back().node = node;
  }

  std::string full(const std::string& key) const {
    std::string out;
    for (size_t k = 0; k + 1 < stack_.size(); ++k) {
      if (!stack_[k].key.empty()) out += stack_[k].key + ".";
    }
    return out + key;
  }

  Document* document_;
  std::vector<Open> stack_;
};

Yaml Yaml::parse(const std::string& text, const std::string& name) {
  auto document = std::make_shared<Document>();
  document->file = name;
  Builder builder(document.get());
  std::istringstream in(text);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    Document rest;
    rest.file = name;
    Builder second(&rest);
    if (parser.HandleNextDocument(second)) {
      throw BadInput(fmt::format("{}: a second document: one is the limit", name));
    }
  } catch (const YAML::Exception& e) {
    const int line = std::max(e.mark.line, 0);
    const int column = std::max(e.mark.column, 0);
    throw BadInput(fmt::format("{}:{}: not YAML, from column {} on", name, line + 1, column + 1));
  }
  const Node* root = &document->root;
  return Yaml(std::move(document), root, "");
}

Yaml Yaml::read(const std::string& path) { return parse(read_text(path, kMaxBytes), path); }

bool Yaml::is_null() const { return node_->kind == Node::Kind::Null; }
bool Yaml::is_map() const { return node_->kind == Node::Kind::Map; }
bool Yaml::is_list() const { return node_->kind == Node::Kind::List; }

std::string Yaml::where_of(int line, const std::string& key) const {
  const std::string who = key.empty() ? "the file" : fmt::format("key '{}'", one_line(key));
  return fmt::format("{}:{}: {}", document_->file, line, who);
}

void Yaml::fail_at(int line, const std::string& key, const std::string& what) const {
  throw BadInput(where_of(line, key) + " " + what);
}

std::string Yaml::where() const { return where_of(node_->line, key_); }

void Yaml::fail(const std::string& what) const { fail_at(node_->line, key_, what); }

const std::string& Yaml::scalar(const std::string& limit) const {
  if (node_->kind != Node::Kind::Scalar) fail(limit);
  return node_->text;
}

int64_t Yaml::integer(int64_t low, int64_t high) const {
  const std::string limit = fmt::format("must be a whole number from {} to {}", low, high);
  const std::string& value = scalar(limit);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (node_->quoted || error != std::errc() || end != value.data() + value.size() || number < low ||
      number > high) {
    fail(fmt::format("{}, not '{}'", limit, one_line(value)));
  }
  return number;
}

double Yaml::real(double low, double high, bool low_open) const {
  const std::string limit =
      fmt::format("must be a number {} {:g} to {:g}", low_open ? "above" : "from", low, high);
  const std::string& value = scalar(limit);
  // strtod also takes hexadecimal numbers, words and leading space. None of these is a number here.
  const bool plain = value.find_first_not_of("0123456789+-.eE") == std::string::npos;
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (node_->quoted || !plain || value.empty() || *end != '\0' || !std::isfinite(number) ||
      number < low || number > high || (low_open && number <= low)) {
    fail(fmt::format("{}, not '{}'", limit, one_line(value)));
  }
  return number;
}

bool Yaml::flag() const {
  const std::string& value = scalar("must be true or false");
  if (node_->quoted || (value != "true" && value != "false")) {
    fail(fmt::format("must be true or false, not '{}'", one_line(value)));
  }
  return value == "true";
}

std::string Yaml::text() const {
  const std::string& value = scalar("must be a text");
  if (value.empty()) fail("must not be empty");
  return value;
}

std::string Yaml::one_of(const std::vector<std::string>& words) const {
  std::string limit = "must be ";
  for (size_t k = 0; k < words.size(); ++k) {
    limit += (k == 0 ? "" : k + 1 == words.size() ? " or " : ", ") + words[k];
  }
  const std::string& value = scalar(limit);
  if (std::find(words.begin(), words.end(), value) == words.end()) {
    fail(fmt::format("{}, not '{}'", limit, one_line(value)));
  }
  return value;
}

std::vector<Yaml> Yaml::list(size_t min_count, size_t max_count, const std::string& of) const {
  if (!is_list() || node_->children.size() < min_count || node_->children.size() > max_count) {
    fail(min_count == max_count
             ? fmt::format("must be a list of {} {}", min_count, of)
             : fmt::format("must be a list of {} to {} {}", min_count, max_count, of));
  }
  std::vector<Yaml> out;
  for (const auto& child : node_->children) {
    out.push_back(Yaml(document_, &child.second, fmt::format("{}[{}]", key_, out.size())));
  }
  return out;
}

std::vector<int> Yaml::integers(size_t min_count, size_t max_count, int low, int high) const {
  std::vector<int> values;
  for (const Yaml& item : list(min_count, max_count, "whole numbers")) {
    values.push_back(static_cast<int>(item.integer(low, high)));
  }
  return values;
}

YamlMap Yaml::map() const { return YamlMap(*this); }

YamlMap::YamlMap(const Yaml& value) : value_(value) {
  if (!value.is_map()) value.fail("must hold keys and values");
}

std::string YamlMap::full(const std::string& key) const {
  return value_.key_.empty() ? key : value_.key_ + "." + key;
}

bool YamlMap::has(const std::string& key) const {
  const auto& children = value_.node_->children;
  return std::any_of(children.begin(), children.end(),
                     [&](const auto& child) { return child.first == key; });
}

std::optional<Yaml> YamlMap::find(const std::string& key) {
  known_.insert(key);
  for (const auto& child : value_.node_->children) {
    if (child.first == key) return Yaml(value_.document_, &child.second, full(key));
  }
  return std::nullopt;
}

Yaml YamlMap::operator[](const std::string& key) {
  std::optional<Yaml> value = find(key);
  if (!value) value_.fail_at(value_.node_->line, full(key), "is missing");
  return *value;
}

std::vector<std::pair<std::string, Yaml>> YamlMap::items() {
  std::vector<std::pair<std::string, Yaml>> out;
  for (const auto& child : value_.node_->children) {
    known_.insert(child.first);
    out.emplace_back(child.first, Yaml(value_.document_, &child.second, full(child.first)));
  }
  return out;
}

void YamlMap::close() const {
  const auto& children = value_.node_->children;
  for (size_t k = 0; k < children.size(); ++k) {
    if (known_.count(children[k].first) != 0) continue;
    std::string list;
    for (const std::string& name : known_) list += (list.empty() ? "" : ", ") + name;
    value_.fail_at(value_.node_->key_lines[k], full(children[k].first),
                   "is not known; known here: " + list);
  }
}

}  // namespace ow
