// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/elf.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "elf_notes.h"
#include "ow/base/error.h"
#include "ow/isa/isa.h"

namespace ow {
namespace {

class File {
 public:
  // O_NONBLOCK: a pipe without a writer is refused like the rest.
  explicit File(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (fd_ < 0) throw BadInput(fmt::format("{}: {}", path, std::strerror(errno)));
    struct stat info;
    if (fstat(fd_, &info) == 0 && !S_ISREG(info.st_mode)) {
      close(fd_);
      throw BadInput(fmt::format("{}: not a regular file", path));
    }
  }
  ~File() { close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

class ElfHandle {
 public:
  ElfHandle(const std::string& path, int fd) : elf_(elf_begin(fd, ELF_C_READ, nullptr)) {
    if (elf_ == nullptr) throw BadInput(fmt::format("{}: cut short or damaged", path));
  }
  ~ElfHandle() { elf_end(elf_); }
  ElfHandle(const ElfHandle&) = delete;
  ElfHandle& operator=(const ElfHandle&) = delete;
  Elf* get() const { return elf_; }

 private:
  Elf* elf_;
};

// libelf takes a file with truncated headers for a file without headers, and so without symbols.
void check_headers(const std::string& path, int fd, const GElf_Ehdr& header) {
  const auto file_size = static_cast<uint64_t>(lseek(fd, 0, SEEK_END));
  const auto check = [&](const char* what, uint64_t first, uint64_t count, uint64_t bytes) {
    const uint64_t end = first + count * bytes;
    if (end <= file_size) return;
    throw BadInput(fmt::format("{}: truncated: the {} headers end at byte {} of a file of {}", path,
                               what, end, file_size));
  };
  if (header.e_phoff != 0) check("program", header.e_phoff, header.e_phnum, header.e_phentsize);
  // If the file header says 0 sections, the first section header holds their number.
  const uint64_t sections = std::max<uint64_t>(header.e_shnum, 1);
  if (header.e_shoff != 0) check("section", header.e_shoff, sections, header.e_shentsize);
}

// A segment without contents that takes `bytes` (at least 1) from `addr` on. It begins with the
// word of `addr`, so that its contents are only the padding in front.
ElfSegment segment_at(const std::string& which, uint64_t addr, uint64_t bytes,
                      uint64_t sram_bytes) {
  if (addr + bytes > sram_bytes) {
    throw BadInput(fmt::format("{} at 0x{:x} to 0x{:x} does not fit the tile's {} bytes of SRAM",
                               which, addr, addr + bytes - 1, sram_bytes));
  }
  ElfSegment s;
  const auto pad = static_cast<uint32_t>(addr % 4);
  s.addr = static_cast<uint32_t>(addr) - pad;
  s.mem_bytes = static_cast<uint32_t>(bytes) + pad;
  s.bytes.assign(pad, 0);
  return s;
}

void read_at(const std::string& which, int fd, uint64_t offset, uint8_t* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = pread(fd, to + done, bytes - done, static_cast<off_t>(offset + done));
    if (n <= 0) throw BadInput(which + " cannot be read");
    done += static_cast<size_t>(n);
  }
}

void read_segments(const std::string& path, int fd, Elf* elf, uint64_t sram_bytes,
                   ElfImage* image) {
  const off_t file_size = lseek(fd, 0, SEEK_END);
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) {
    throw BadInput(fmt::format("{}: the program headers are cut short or damaged", path));
  }
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr ph;
    if (gelf_getphdr(elf, static_cast<int>(i), &ph) == nullptr) {
      throw BadInput(fmt::format("{}: program header {} is cut short or damaged", path, i));
    }
    if (ph.p_type != PT_LOAD || ph.p_memsz == 0) continue;
    // 64-bit sums of 32-bit fields cannot wrap.
    if (ph.p_filesz > ph.p_memsz) {
      throw BadInput(fmt::format("{}: segment {} has {} bytes in the file but {} in memory", path,
                                 i, ph.p_filesz, ph.p_memsz));
    }
    if (ph.p_offset + ph.p_filesz > static_cast<uint64_t>(file_size)) {
      throw BadInput(fmt::format("{}: truncated: segment {} ends at byte {} of a file of {}", path,
                                 i, ph.p_offset + ph.p_filesz, file_size));
    }
    // The file's bytes are loaded at the physical address; the program may copy them from there to
    // the virtual one. The rest is memory of the running program, at the virtual address.
    const bool moved = ph.p_paddr != ph.p_vaddr && ph.p_memsz > ph.p_filesz;
    const uint64_t loaded = moved ? ph.p_filesz : ph.p_memsz;
    const std::string which = fmt::format("{}: segment {}", path, i);
    if (loaded > 0) {
      ElfSegment s = segment_at(which, ph.p_paddr, loaded, sram_bytes);
      const size_t pad = s.bytes.size();
      s.bytes.resize(pad + ph.p_filesz);
      read_at(which, fd, ph.p_offset, s.bytes.data() + pad, ph.p_filesz);
      image->segments.push_back(std::move(s));
    }
    if (moved) {
      image->segments.push_back(
          segment_at(which, ph.p_vaddr + ph.p_filesz, ph.p_memsz - ph.p_filesz, sram_bytes));
    }
  }
  if (image->segments.empty()) throw BadInput(fmt::format("{}: no loadable segment", path));
  std::sort(image->segments.begin(), image->segments.end(),
            [](const ElfSegment& a, const ElfSegment& b) { return a.addr < b.addr; });
  for (size_t i = 1; i < image->segments.size();) {
    ElfSegment& a = image->segments[i - 1];
    const ElfSegment& b = image->segments[i];
    if (a.addr + a.mem_bytes <= b.addr) {
      ++i;
      continue;
    }
    // Segments may only share padding (two segments in one word); then they become one.
    const uint32_t shared = a.addr + a.mem_bytes - b.addr;
    const bool padding_only =
        shared < 4 && b.bytes.size() >= shared &&
        std::all_of(b.bytes.begin(), b.bytes.begin() + shared, [](uint8_t x) { return x == 0; });
    if (!padding_only) {
      throw BadInput(
          fmt::format("{}: segments at 0x{:x} and 0x{:x} overlap", path, a.addr, b.addr));
    }
    a.bytes.resize(a.mem_bytes, 0);
    a.bytes.insert(a.bytes.end(), b.bytes.begin() + shared, b.bytes.end());
    a.mem_bytes += b.mem_bytes - shared;
    image->segments.erase(image->segments.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// The flags are of a file that was linked: they do not say whether such an instruction is ever
// reached.
std::string foreign_instructions(uint32_t flags) {
  std::string text;
  if ((flags & EF_RISCV_RVC) != 0) text = "compressed instructions (C)";
  if ((flags & EF_RISCV_FLOAT_ABI) != EF_RISCV_FLOAT_ABI_SOFT) {
    text += text.empty() ? "" : " and ";
    text += "floating-point registers (F)";
  }
  return text;
}

void read_symbols(const std::string& path, Elf* elf, ElfImage* image) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr sh;
    if (gelf_getshdr(section, &sh) == nullptr || sh.sh_type != SHT_SYMTAB) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || sh.sh_entsize == 0) {
      throw BadInput(fmt::format("{}: the symbol table cannot be read", path));
    }
    const size_t n = sh.sh_size / sh.sh_entsize;
    for (size_t i = 0; i < n; ++i) {
      GElf_Sym sym;
      if (gelf_getsym(data, static_cast<int>(i), &sym) == nullptr) break;
      const char* name = elf_strptr(elf, sh.sh_link, sym.st_name);
      const int type = GELF_ST_TYPE(sym.st_info);
      if (name == nullptr || *name == 0 || sym.st_shndx == SHN_UNDEF || type == STT_SECTION ||
          type == STT_FILE || name[0] == '$') {
        continue;
      }
      const uint32_t value = static_cast<uint32_t>(sym.st_value);
      // A global symbol wins over a local one of the same name.
      const bool global = GELF_ST_BIND(sym.st_info) != STB_LOCAL;
      if (global || image->symbols.count(name) == 0) {
        image->symbols[name] = value;
        image->symbol_bytes[name] = static_cast<uint32_t>(sym.st_size);
      }
      GElf_Shdr target;
      Elf_Scn* target_section = elf_getscn(elf, sym.st_shndx);
      const bool code = target_section != nullptr &&
                        gelf_getshdr(target_section, &target) != nullptr &&
                        (target.sh_flags & SHF_EXECINSTR) != 0;
      if (type == STT_FUNC) {
        image->functions[value] = name;
      } else if (code && type == STT_NOTYPE) {
        image->functions.emplace(value, name);
      }
    }
  }
}

// Where code is: sections with instructions, or the executable segments if the file has no
// sections.
void read_code(Elf* elf, ElfImage* image) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr sh;
    constexpr GElf_Xword kCode = SHF_ALLOC | SHF_EXECINSTR;
    if (gelf_getshdr(section, &sh) == nullptr || (sh.sh_flags & kCode) != kCode) continue;
    if (sh.sh_size == 0) continue;
    image->code[static_cast<uint32_t>(sh.sh_addr)] = static_cast<uint32_t>(sh.sh_addr + sh.sh_size);
  }
  if (!image->code.empty()) return;
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr ph;
    if (gelf_getphdr(elf, static_cast<int>(i), &ph) == nullptr || ph.p_type != PT_LOAD) continue;
    if ((ph.p_flags & PF_X) == 0 || ph.p_memsz == 0) continue;
    image->code[static_cast<uint32_t>(ph.p_vaddr)] = static_cast<uint32_t>(ph.p_vaddr + ph.p_memsz);
  }
}

// Whether every string section that debug information uses ends with the end of a string. libdw
// assumes it and would read on.
bool debug_strings_end(Elf* elf) {
  size_t strings = 0;
  if (elf_getshdrstrndx(elf, &strings) != 0) return false;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr sh;
    if (gelf_getshdr(section, &sh) == nullptr) return false;
    const char* name = elf_strptr(elf, strings, sh.sh_name);
    if (name == nullptr) return false;
    if (std::strcmp(name, ".debug_str") != 0 && std::strcmp(name, ".debug_line_str") != 0) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr || data->d_size == 0 ||
        static_cast<const char*>(data->d_buf)[data->d_size - 1] != '\0') {
      return false;
    }
  }
  return true;
}

// The line tables of all compilation units. Debug information is optional: unreadable parts are
// left out.
void read_lines(Elf* elf, ElfImage* image) {
  if (!debug_strings_end(elf)) return;
  Dwarf* dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
  if (dwarf == nullptr) return;
  Dwarf_Off offset = 0;
  Dwarf_Off next = 0;
  size_t header = 0;
  while (dwarf_nextcu(dwarf, offset, &next, &header, nullptr, nullptr, nullptr) == 0) {
    Dwarf_Die die;
    Dwarf_Lines* table = nullptr;
    size_t count = 0;
    if (dwarf_offdie(dwarf, offset + header, &die) != nullptr &&
        dwarf_getsrclines(&die, &table, &count) == 0) {
      for (size_t i = 0; i < count; ++i) {
        Dwarf_Line* line = dwarf_onesrcline(table, i);
        Dwarf_Addr addr = 0;
        int number = 0;
        bool end = false;
        if (line == nullptr || dwarf_lineaddr(line, &addr) != 0 ||
            dwarf_lineno(line, &number) != 0 || dwarf_lineendsequence(line, &end) != 0) {
          continue;
        }
        const char* file = dwarf_linesrc(line, nullptr, nullptr);
        const auto at = static_cast<uint32_t>(addr);
        if (end) {
          image->lines.emplace(at, "");  // another unit may begin here
        } else if (file != nullptr && number > 0) {
          image->lines[at] = fmt::format("{}:{}", file, number);
        }
      }
    }
    offset = next;
  }
  dwarf_end(dwarf);
}

}  // namespace

uint32_t ElfImage::loaded_word(uint32_t addr) const {
  uint32_t word = 0;
  for (const ElfSegment& segment : segments) {
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t offset = addr + i - segment.addr;
      if (addr + i >= segment.addr && offset < segment.bytes.size()) {
        word |= uint32_t{segment.bytes[offset]} << (8 * i);
      }
    }
  }
  return word;
}

bool ElfImage::holds(uint32_t pc) const {
  if (code.empty()) return true;
  const auto after = code.upper_bound(pc);
  return after != code.begin() && pc < std::prev(after)->second;
}

std::string ElfImage::describe(uint32_t pc) const {
  if (!holds(pc)) return fmt::format("pc 0x{:x} outside the program", pc);
  const std::string line = source_line(pc);
  return fmt::format("pc 0x{:x} in {}{}", pc, locate(pc),
                     line.empty() ? line : fmt::format(" ({})", line));
}

std::string ElfImage::why_illegal(int cause) const {
  const bool decoded = cause == static_cast<int>(isa::Trap::Illegal) ||
                       cause == static_cast<int>(isa::Trap::FetchMisaligned);
  if (!decoded || foreign.empty()) return "";
  return fmt::format(
      "; the ELF's flags say that it uses {}, which a tile does not have "
      "(-march=rv32im_zicsr_zifencei -mabi=ilp32)",
      foreign);
}

std::string ElfImage::source_line(uint32_t pc) const {
  if (!holds(pc)) return "";
  auto it = lines.upper_bound(pc);
  if (it == lines.begin()) return "";
  --it;
  return it->second;
}

std::optional<uint32_t> ElfImage::find(const std::string& symbol) const {
  const auto it = symbols.find(symbol);
  if (it == symbols.end()) return std::nullopt;
  return it->second;
}

uint32_t ElfImage::symbol(const std::string& symbol) const {
  const auto it = symbols.find(symbol);
  if (it == symbols.end()) throw BadInput(fmt::format("{}: no symbol '{}'", path, symbol));
  return it->second;
}

std::string ElfImage::locate(uint32_t pc) const {
  if (!holds(pc)) return "outside the program";
  auto it = functions.upper_bound(pc);
  if (it == functions.begin()) return "?";
  --it;
  if (it->first == pc) return it->second;
  return fmt::format("{}+0x{:x}", it->second, pc - it->first);
}

ElfImage read_elf(const std::string& path, uint32_t sram_bytes) {
  if (elf_version(EV_CURRENT) == EV_NONE) throw InternalError("libelf is too old");
  const File file(path);
  const ElfHandle elf(path, file.fd());
  if (elf_kind(elf.get()) != ELF_K_ELF) throw BadInput(fmt::format("{}: not an ELF file", path));
  GElf_Ehdr eh;
  if (gelf_getehdr(elf.get(), &eh) == nullptr) {
    throw BadInput(fmt::format("{}: the ELF header is cut short or damaged", path));
  }
  if (eh.e_machine != EM_RISCV) {
    throw BadInput(fmt::format("{}: ELF for machine {}: must be RISC-V ({})", path, eh.e_machine,
                               static_cast<int>(EM_RISCV)));
  }
  if (eh.e_ident[EI_CLASS] != ELFCLASS32 || eh.e_ident[EI_DATA] != ELFDATA2LSB) {
    throw BadInput(fmt::format("{}: must be a 32-bit little-endian ELF", path));
  }
  if (eh.e_type != ET_EXEC) {
    throw BadInput(fmt::format("{}: ELF type {}: must be a linked executable ({})", path, eh.e_type,
                               static_cast<int>(ET_EXEC)));
  }
  ElfImage image;
  image.path = path;
  image.entry = static_cast<uint32_t>(eh.e_entry);
  image.foreign = foreign_instructions(eh.e_flags);
  check_headers(path, file.fd(), eh);
  read_segments(path, file.fd(), elf.get(), sram_bytes, &image);
  if (eh.e_entry >= sram_bytes || eh.e_entry % 4 != 0) {
    throw BadInput(
        fmt::format("{}: entry 0x{:x}: must be a multiple of 4 within the {} bytes of SRAM", path,
                    eh.e_entry, sram_bytes));
  }
  read_symbols(path, elf.get(), &image);
  read_code(elf.get(), &image);
  read_notes(path, elf.get(), sram_bytes, &image);
  check_tasks(image);
  check_descriptors(image);
  read_lines(elf.get(), &image);
  return image;
}

}  // namespace ow
