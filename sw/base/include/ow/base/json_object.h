// SPDX-License-Identifier: Apache-2.0
// Objects of JSON files, read key by key. Every error is a BadInput in one line with the file, the
// key and the limit:
//   model/config.json: 'rope_scaling.factor' is missing
#ifndef OW_BASE_JSON_OBJECT_H_
#define OW_BASE_JSON_OBJECT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ow {

// A key whose value is null counts as absent. A function without a value for an absent key refuses
// it. The JSON value must outlive the object.
class JsonObject {
 public:
  // `key`: the place of the value in the file, for messages; empty: the whole file. BadInput if the
  // value is no object.
  JsonObject(std::string path, const nlohmann::json& value, const std::string& key = "");

  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

  // Null if it is absent.
  const nlohmann::json* find(const std::string& key) const;
  const nlohmann::json& at(const std::string& key) const;

  int whole(const std::string& key, int low, int high, std::optional<int> absent = {}) const;
  // Above 0.
  double positive(const std::string& key, double high, std::optional<double> absent = {}) const;
  bool flag(const std::string& key, std::optional<bool> absent = {}) const;
  std::string text(const std::string& key, const std::optional<std::string>& absent = {}) const;
  JsonObject object(const std::string& key) const;
  std::vector<JsonObject> objects(const std::string& key) const;  // a list of them

  // A value as a message shows it.
  static std::string shown(const nlohmann::json& value);

 private:
  std::string path_;
  const nlohmann::json& object_;
  std::string prefix_;  // of its keys in messages
};

}  // namespace ow

#endif  // OW_BASE_JSON_OBJECT_H_
