// SPDX-License-Identifier: Apache-2.0
// Reader of RV32 ELF executables for tiles.
#ifndef OW_ELF_H_
#define OW_ELF_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "openwafer/number.h"

namespace ow {

struct ElfSegment {
  uint32_t addr = 0;           // physical address, a multiple of 4 after loading
  uint32_t mem_bytes = 0;      // at least bytes.size(); the rest is zero
  std::vector<uint8_t> bytes;  // from the file
};

// An array or scalar that firmware exports. Arrays are row-major; the last dimension runs fastest.
struct ElfExport {
  std::string name;
  ElementType type = ElementType::U32;
  std::vector<uint32_t> dims;  // none for a scalar, at most 4, each at least 1
  uint32_t addr = 0;

  uint32_t elements() const;
  uint32_t bytes() const { return elements() * element_bytes(type); }
  std::string shape() const;  // "f16[3][5]", "u32" for a scalar
};

// A function that the host can launch.
struct ElfLaunch {
  std::string name;
  uint32_t task = 0;                    // 16 to 31
  std::vector<ElementType> arguments;   // at most 8: words of the exported array ow_args
  std::vector<std::string> parameters;  // as in the source: "u32 n"
};

// A flow, and where the firmware finds its queues: struct ow_flow of openwafer/tile/export.h.
struct ElfFlow {
  std::string name;
  uint32_t addr = 0;
};

// A descriptor that the linker has numbered.
struct ElfDescriptor {
  std::string name;
  uint32_t number = 0;
};

// Descriptors and threads that firmware code uses by number: first, and one after the last.
struct ElfClaim {
  std::string name;
  uint32_t dsr = 0, dsr_end = 0;
  uint32_t thread = 0, thread_end = 0;
};

struct ElfImage {
  std::string path;
  uint32_t entry = 0;
  std::string foreign;  // instructions that it may hold and a tile does not have; "" for none
  std::vector<ElfSegment> segments;  // ascending, without overlap, all within SRAM
  std::map<std::string, uint32_t> symbols;
  std::map<std::string, uint32_t> symbol_bytes;  // sizes, where the file knows one

  // What the firmware exports by name, in the order of the file. Names are unique.
  const std::vector<ElfExport>& exports() const { return export_list; }
  const std::vector<ElfLaunch>& launches() const { return launch_list; }
  const std::vector<ElfClaim>& claims() const { return claim_list; }
  const std::vector<ElfDescriptor>& descriptors() const { return descriptor_list; }
  const std::vector<ElfFlow>& flows() const { return flow_list; }
  // The names of tasks and launches by their numbers.
  std::map<uint32_t, std::string> named_tasks() const;
  // The lowest task number that the linker gave away. Named tasks go up to kTaskTeardown; without
  // named tasks it is kTaskTeardown.
  uint32_t first_named_task() const;
  // Throw BadInput with the file's name and the existing names if the name is missing.
  const ElfExport& exported(const std::string& name) const;
  const ElfLaunch& launch(const std::string& name) const;

  // The format of ow_printf at the address that a record holds; "?" if there is none.
  std::string format_string(uint32_t addr) const;

  // Text for the end of a message about a trap of this cause: what the flags of the file say that
  // it uses and a tile does not have, if that explains the trap; else "".
  std::string why_illegal(int cause) const;

  // The word at an address (a multiple of 4) after loading; 0 outside the segments.
  uint32_t loaded_word(uint32_t addr) const;
  // Whether the program has code at pc. An image without code ranges counts as code everywhere.
  bool holds(uint32_t pc) const;

  // "pc 0x1a4 in run+0x12 (src/main.c:68)", as far as the file knows; without debug information
  // there is no line. "pc 0x80000000 outside the program" if there is no code.
  std::string describe(uint32_t pc) const;
  // The source line of an instruction, such as "src/main.c:68"; "" if it is unknown or outside.
  std::string source_line(uint32_t pc) const;
  // The function symbol at or before pc, such as "name+0x12"; "?" if there is none, or "outside the
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
  std::vector<ElfDescriptor> descriptor_list;
  std::vector<ElfFlow> flow_list;
  // Constant numbers in the program: of tasks that it registers, of descriptors that it writes, of
  // FIFOs that it uses.
  std::set<uint32_t> numbered_tasks, written_descriptors, used_fifos;
  std::string formats;         // of ow_printf, each ended by a zero
  uint32_t formats_begin = 0;  // address of the first
};

// Reads an executable whose loadable segments must lie within [0, sram_bytes). Throws BadInput with
// the file's name and the limit if the file is missing, not a regular file, not an ELF executable
// for 32-bit little-endian RISC-V, or truncated; if a segment or the entry is outside SRAM or
// segments overlap; if two tasks have one number, or the program writes by its number a descriptor
// of the kernel library or of a name; or if a note is malformed, outside SRAM, or repeats a name.
ElfImage read_elf(const std::string& path, uint32_t sram_bytes);

}  // namespace ow

#endif  // OW_ELF_H_
