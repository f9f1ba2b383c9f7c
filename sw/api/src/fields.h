// SPDX-License-Identifier: Apache-2.0
// An object of a request's body, read field by field. A field whose value is null counts as absent.
#ifndef OW_API_SRC_FIELDS_H_
#define OW_API_SRC_FIELDS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace ow::api {

// Every error is an ApiError 400 that names the field. The value must outlive the object.
class Fields {
 public:
  // `prefix`: the place of the object in the body; empty: the body itself.
  explicit Fields(const nlohmann::json& object, std::string prefix = "");

  std::string name(const std::string& key) const { return prefix_ + key; }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

  // Null if it is absent.
  const nlohmann::json* find(const std::string& key);
  const nlohmann::json& at(const std::string& key);

  int whole(const std::string& key, int low, int high, int absent);
  double number(const std::string& key, double low, double high, double absent);
  bool flag(const std::string& key, bool absent);
  std::string text(const std::string& key);
  uint64_t seed(const std::string& key);
  // A text or a list of at most `most` texts, none empty.
  std::vector<std::string> texts(const std::string& key, size_t most);

  // A field that is known to change nothing.
  void ignore(const std::string& key) { seen_.insert(key); }
  // One that changes nothing if it has this value or is empty.
  void require(const std::string& key, const nlohmann::json& value);
  // Refuses all others.
  void finish() const;

 private:
  const nlohmann::json& object_;
  std::string prefix_;
  std::set<std::string> seen_;
};

// A value as a message shows it: short and printable.
std::string shown(const nlohmann::json& value);

}  // namespace ow::api

#endif  // OW_API_SRC_FIELDS_H_
