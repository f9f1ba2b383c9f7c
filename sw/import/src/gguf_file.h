// SPDX-License-Identifier: Apache-2.0
// GGUF files: notes by their keys, and tensors, of which some are quantised in blocks of 32.
#ifndef OW_IMPORT_SRC_GGUF_FILE_H_
#define OW_IMPORT_SRC_GGUF_FILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "input_file.h"
#include "parts.h"

namespace ow {

// A whole number, another number, a truth, a text, or a list of numbers or texts. Whole numbers
// beyond 64 bits with a sign are no values of keys that are read.
using GgufValue =
    std::variant<int64_t, double, bool, std::string, std::vector<double>, std::vector<std::string>>;

class GgufFile : public TensorSource {
 public:
  // Reads all but the elements. BadInput: no GGUF of version 2 or 3, a key or a tensor that is
  // there twice, types that are not supported, elements beyond the file's end, a broken file.
  explicit GgufFile(const std::string& path);

  const std::string& path() const override { return file_.path(); }
  // A shape is [outputs][inputs], though the file has the numbers in the other order. The types are
  // not those of the file.
  const Tensors& tensors() const override { return tensors_; }
  std::vector<uint16_t> read(const std::string& name, HalfType type) const override;

  const std::map<std::string, GgufValue>& notes() const { return notes_; }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

  // Values of keys. BadInput for another kind, a number outside the limits, and an absent key
  // unless there is a value for that.
  int whole(const std::string& key, int low, int high, std::optional<int> absent = {}) const;
  double positive(const std::string& key, double high, std::optional<double> absent = {}) const;
  bool flag(const std::string& key, bool absent) const;
  std::string text(const std::string& key, const std::string& absent) const;
  const std::vector<double>& numbers(const std::string& key) const;
  const std::vector<std::string>& texts(const std::string& key) const;
  bool has(const std::string& key) const { return notes_.count(key) != 0; }

 private:
  struct Place {
    uint32_t type = 0;
    uint64_t first = 0;  // of its bytes in the file
    uint64_t elements = 0;
  };
  class Header;
  template <typename T>
  const T* find(const std::string& key, const char* kind) const;

  mutable InputFile file_;
  std::map<std::string, GgufValue> notes_;
  Tensors tensors_;
  std::map<std::string, Place> places_;
};

}  // namespace ow

#endif  // OW_IMPORT_SRC_GGUF_FILE_H_
