// SPDX-License-Identifier: Apache-2.0
// Reader of RV32 ELF executables for tiles.
#ifndef OW_ELF_H_
#define OW_ELF_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "openwafer/number.h"

namespace ow {

struct ElfSegment {
  uint32_t addr = 0;           // physical address, a multiple of 4 after loading
  uint32_t mem_bytes = 0;      // at least bytes.size(); the rest is zero
  std::vector<uint8_t> bytes;  // from the file
};

// An array or a scalar that firmware exports: row-major, the last dimension runs fastest.
struct ElfExport {
  std::string name;
  ElementType type = ElementType::U32;
  std::vector<uint32_t> dims;  // none for a scalar, at most 4, each at least 1
  uint32_t addr = 0;

  uint32_t elements() const;
  uint32_t bytes() const { return elements() * element_bytes(type); }
  std::string shape() const;  // "f16[3][5]", "u32" for a scalar
};

// A function that firmware lets the host launch.
struct ElfLaunch {
  std::string name;
  uint32_t task = 0;       // 16 to 31
  uint32_t arguments = 0;  // words of the exported array ow_args, 0 to 8
};

// Descriptors and threads that code of the firmware has by number, from the first to before the
// end.
struct ElfClaim {
  std::string name;
  uint32_t dsr = 0, dsr_end = 0;
  uint32_t thread = 0, thread_end = 0;
};

struct ElfImage {
  std::string path;
  uint32_t entry = 0;
  std::vector<ElfSegment> segments;  // ascending, without overlap, all within SRAM
  std::map<std::string, uint32_t> symbols;
  std::map<std::string, uint32_t> symbol_bytes;  // sizes, where the file knows one

  // What the firmware shows by name, in the order of the file; names are unique.
  const std::vector<ElfExport>& exports() const { return export_list; }
  const std::vector<ElfLaunch>& launches() const { return launch_list; }
  const std::vector<ElfClaim>& claims() const { return claim_list; }
  // The lowest number that the linker has given to a named task; they go on up to kTaskTeardown,
  // which is what it is if there is none.
  uint32_t first_named_task() const;
  // BadInput, naming the file and what it has instead, if there is none of that name.
  const ElfExport& exported(const std::string& name) const;
  const ElfLaunch& launch(const std::string& name) const;

  // A format of ow_printf by the address that a record holds; "?" if there is none.
  std::string format_string(uint32_t addr) const;

  // The word at an address (a multiple of 4) after loading; 0 where no segment is.
  uint32_t loaded_word(uint32_t addr) const;
  // There is code of the program at pc. An image without ranges of code is taken to be anywhere.
  bool holds(uint32_t pc) const;

  // "pc 0x1a4 in run+0x12 (src/main.c:68)", as far as the file knows: without debug information the
  // line is left out. "pc 0x80000000 outside the program" where there is no code.
  std::string describe(uint32_t pc) const;
  // The source line of an instruction, as "src/main.c:68", or "" if it is not known or outside.
  std::string source_line(uint32_t pc) const;
  // The function symbol at or before pc, as "name+0x12", or "?" if there is none, or "outside the
  // program".
  std::string locate(uint32_t pc) const;
  std::optional<uint32_t> find(const std::string& symbol) const;
  uint32_t symbol(const std::string& symbol) const;  // BadInput, naming the file, if it is missing

  std::map<uint32_t, std::string> functions;  // by address, for locate()
  std::map<uint32_t, std::string> lines;      // by first address, "" where unknown code begins
  std::map<uint32_t, uint32_t> code;          // ranges that hold code: first address, end
  std::vector<ElfExport> export_list;
  std::vector<ElfLaunch> launch_list;
  std::vector<ElfClaim> claim_list;
  std::string formats;         // of ow_printf, each ended by a zero
  uint32_t formats_begin = 0;  // address of the first
};

// Reads an executable whose loadable segments must lie within [0, sram_bytes). Throws BadInput with
// the file's name and the limit: missing file, not a file, not ELF, not 32-bit RISC-V little
// endian, with compressed instructions, not an executable, truncated, segment outside SRAM,
// overlapping segments, entry outside SRAM, a note of an export or a launch that is malformed,
// outside SRAM or of a name that is taken.
ElfImage read_elf(const std::string& path, uint32_t sram_bytes);

}  // namespace ow

#endif  // OW_ELF_H_
