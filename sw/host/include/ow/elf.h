// SPDX-License-Identifier: Apache-2.0
// Reader of RV32 ELF executables for tiles.
#ifndef OW_ELF_H_
#define OW_ELF_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ow {

struct ElfSegment {
  uint32_t addr = 0;           // physical address, a multiple of 4 after loading
  uint32_t mem_bytes = 0;      // at least bytes.size(); the rest is zero
  std::vector<uint8_t> bytes;  // from the file
};

struct ElfImage {
  std::string path;
  uint32_t entry = 0;
  std::vector<ElfSegment> segments;  // ascending, without overlap, all within SRAM
  std::map<std::string, uint32_t> symbols;

  // "pc 0x1a4 in run+0x12 (src/main.c:68)", as far as the file knows: without debug information the
  // line is left out.
  std::string describe(uint32_t pc) const;
  // The source line of an instruction, as "src/main.c:68", or "" if it is not known.
  std::string source_line(uint32_t pc) const;
  // The function symbol at or before pc, as "name+0x12", or "?" if there is none.
  std::string locate(uint32_t pc) const;
  std::optional<uint32_t> find(const std::string& symbol) const;
  uint32_t symbol(const std::string& symbol) const;  // BadInput, naming the file, if it is missing

  std::map<uint32_t, std::string> functions;  // by address, for locate()
  std::map<uint32_t, std::string> lines;      // by first address, "" where unknown code begins
};

// Reads an executable whose loadable segments must lie within [0, sram_bytes). Throws BadInput with
// the file's name and the limit: missing file, not ELF, not 32-bit RISC-V little endian, not an
// executable, truncated, segment outside SRAM, overlapping segments, entry outside SRAM.
ElfImage read_elf(const std::string& path, uint32_t sram_bytes);

}  // namespace ow

#endif  // OW_ELF_H_
