// SPDX-License-Identifier: Apache-2.0
// Reads YAML, strictly. No other code does. Every error is a BadInput in one line with the file,
// the line, the key and the limit:
//   configs/digits-train.yaml:20: key 'train.seed' must be a whole number from 0 to 9, not 'x'
//
// It reads mappings, lists and plain or quoted scalars. It refuses keys that appear twice or are
// not plain words, anchors, tags, a second document, and more than 32 nested levels.
#ifndef OW_BASE_YAML_H_
#define OW_BASE_YAML_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ow {

class YamlMap;

// A value and its place in the file. Copies are cheap and share the document.
class Yaml {
 public:
  static Yaml read(const std::string& path);
  // Errors use `name` in place of the file.
  static Yaml parse(const std::string& text, const std::string& name);

  bool is_null() const;
  bool is_map() const;
  bool is_list() const;

  int64_t integer(int64_t low, int64_t high) const;
  // `low_open`: `low` itself is not allowed.
  double real(double low, double high, bool low_open = false) const;
  bool flag() const;         // true or false
  std::string text() const;  // not empty
  std::string one_of(const std::vector<std::string>& words) const;
  std::vector<Yaml> list(size_t min_count, size_t max_count,
                         const std::string& of = "values") const;
  std::vector<int> integers(size_t min_count, size_t max_count, int low, int high) const;
  YamlMap map() const;

  // "file:line: key 'a.b'", and an error that begins with it.
  std::string where() const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  friend class YamlMap;
  struct Node;
  struct Document;
  class Builder;
  Yaml(std::shared_ptr<const Document> document, const Node* node, std::string key)
      : document_(std::move(document)), node_(node), key_(std::move(key)) {}
  std::string where_of(int line, const std::string& key) const;
  [[noreturn]] void fail_at(int line, const std::string& key, const std::string& what) const;
  const std::string& scalar(const std::string& limit) const;

  std::shared_ptr<const Document> document_;
  const Node* node_;
  std::string key_;  // such as "network.layers[1]"; empty: the whole file
};

// A mapping whose keys are read one by one. close() throws if a key has not been read.
class YamlMap {
 public:
  explicit YamlMap(const Yaml& value);  // BadInput if it is not a mapping

  bool has(const std::string& key) const;
  Yaml operator[](const std::string& key);  // BadInput if it is missing
  std::optional<Yaml> find(const std::string& key);
  // All keys and values, in the file's order, for mappings whose keys are names.
  std::vector<std::pair<std::string, Yaml>> items();

  // Call this after all keys have been read.
  void close() const;

  [[noreturn]] void fail(const std::string& what) const { value_.fail(what); }

 private:
  std::string full(const std::string& key) const;

  Yaml value_;
  std::set<std::string> known_;
};

}  // namespace ow

#endif  // OW_BASE_YAML_H_
