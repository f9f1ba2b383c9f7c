// SPDX-License-Identifier: Apache-2.0
// The description of the machine's interfaces as data, for programs that print it.
#ifndef OW_ISA_TABLES_H_
#define OW_ISA_TABLES_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace ow::isa {

struct ValueInfo {
  const char* name;
  uint64_t value;
  const char* about;
  bool planned;                                              // agreed, not in the hardware yet
  std::vector<std::pair<const char*, const char*>> columns;  // further texts about it
};

struct EnumInfo {
  const char* name;
  int width;  // bits
  const char* about;
  std::vector<ValueInfo> values;
};

// Elements `count` of `width` bits each, side by side from bit `lsb` on.
struct FieldInfo {
  const char* name;
  int lsb;
  int width;
  int count;
  const char* type;  // an enum's or a word's name, or empty
  const char* access;
  const char* about;
};

struct WordInfo {
  const char* name;
  int width;
  const char* about;
  std::vector<FieldInfo> fields;
};

// `count` registers, `stride` from one to the next.
struct RegisterInfo {
  const char* name;
  uint32_t offset;
  uint32_t count;
  uint32_t stride;
  const char* unit;
  const char* access;
  bool has_reset;
  uint32_t reset;
  bool planned;
  const char* about;
  std::vector<FieldInfo> fields;
};

struct SpaceInfo {
  const char* name;
  uint32_t base;
  uint32_t size;
  const char* about;
  std::vector<RegisterInfo> registers;
};

const std::vector<EnumInfo>& enums();
const std::vector<WordInfo>& words();
const std::vector<SpaceInfo>& spaces();

}  // namespace ow::isa

#endif  // OW_ISA_TABLES_H_
