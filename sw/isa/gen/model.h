// SPDX-License-Identifier: Apache-2.0
// The description of the machine's interfaces (sw/isa/*.yaml) in memory, and its rules.
#ifndef OW_ISA_GEN_MODEL_H_
#define OW_ISA_GEN_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/yaml.h"

namespace ow::isa_gen {

// A place in the description, for messages.
class Place {
 public:
  Place() = default;
  explicit Place(Yaml value) : value_(std::move(value)) {}
  // BadInput: one line with file, line and key.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::optional<Yaml> value_;
};

struct Constant {
  std::string name;
  uint64_t value = 0;
  int width = 0;  // bits of its SystemVerilog type; 0: an int unsigned
  std::string about;
  Place place;
};

struct EnumValue {
  std::string name;  // UPPER_SNAKE
  std::string cpp;   // UpperCamel
  std::string c;     // UPPER_SNAKE, as in the C header
  uint64_t value = 0;
  std::string about;
  std::string detail;
  bool planned = false;  // agreed, not built yet
  std::map<std::string, std::string> columns;
  Place place;
};

struct Enum {
  std::string name;  // lower_snake
  int width = 0;
  std::string sv_type, sv_prefix;
  std::string c_type, c_prefix;
  std::string about;
  std::vector<std::string> columns;
  std::vector<EnumValue> values;
  Place place;
};

struct Field {
  std::string name;  // lower_snake
  std::string cpp;   // UpperCamel
  int lsb = 0;
  int width = 0;       // bits of one element
  int count = 1;       // number of elements, side by side
  std::string type;    // an enum's or a layout's name, or empty
  std::string access;  // empty: the register's
  bool is_signed = false;
  std::string about;
  Place place;
  int msb() const { return lsb + width * count - 1; }
};

// The fields of a word. For the word of a register, the name is the register's.
struct Layout {
  std::string name;  // lower_snake
  std::string c;     // UPPER_SNAKE, as the C header has it
  int width = 0;
  std::string about;
  std::vector<Field> fields;
  Place place;
};

struct Register {
  std::string name;  // UPPER_SNAKE
  uint32_t offset = 0;
  uint32_t count = 1;
  uint32_t stride = 0;
  std::string index;    // letter of the index in documents; empty if count is 1
  std::string follows;  // the register that it comes right after
  std::string unit;
  std::string access;
  std::optional<uint64_t> reset;
  std::string layout;         // a layout that it shares with other registers, or empty
  std::vector<Field> fields;  // its own
  std::string about;
  bool planned = false;
  Place place;
};

struct Space {
  std::string name;  // lower_snake
  uint32_t base = 0;
  uint32_t size = 0;
  uint32_t step = 0;
  std::string prefix;
  std::string about;
  std::vector<Register> registers;
  Place place;
};

struct Parameter {
  std::string name;  // as in the RTL
  std::string word;  // a register that tells the parameter, field by field; or empty
  uint64_t min = 0;
  uint64_t max = 0;
  std::string about;
  Place place;
};

struct Configuration {
  std::string name;
  std::string about;
  std::vector<uint64_t> values;  // in the order of the parameters
  Place place;
};

struct Description {
  std::vector<Constant> constants;
  std::vector<Enum> enums;
  std::vector<Layout> layouts;
  std::vector<Space> spaces;
  std::vector<Parameter> parameters;
  std::vector<Configuration> configurations;

  const Constant* constant(const std::string& name) const;
  const Enum* enumeration(const std::string& name) const;
  const Layout* layout(const std::string& name) const;
  const Space* space(const std::string& name) const;
  const Register* find_register(const std::string& name) const;  // of any space
};

// Reads the files in this order. BadInput for anything that sw/isa/README.md does not allow.
Description read_description(const std::vector<std::string>& paths);

// The rules between the parts: unique names and numbers, no overlap, everything in its range.
void check_description(const Description& description);

// "row_end" -> "RowEnd", "ROW_END" -> "RowEnd"; "ROW_END"; "row_end".
std::string camel(const std::string& name);
std::string upper(const std::string& name);
std::string lower(const std::string& name);

// Bits of an index below n, at least 1.
int index_bits(uint64_t n);

}  // namespace ow::isa_gen

#endif  // OW_ISA_GEN_MODEL_H_
