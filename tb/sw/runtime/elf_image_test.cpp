// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/elf.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "messages.h"
#include "ow/base/error.h"

namespace ow {
namespace {

// A small executable: header, one program header for each segment, contents.
struct Builder {
  Elf32_Ehdr header{};
  std::vector<Elf32_Phdr> segments;
  std::vector<uint8_t> contents;

  Builder() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof(Elf32_Ehdr);
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phoff = sizeof(Elf32_Ehdr);
  }
  void segment(uint32_t addr, std::vector<uint8_t> bytes, uint32_t mem) {
    Elf32_Phdr p{};
    p.p_type = PT_LOAD;
    p.p_vaddr = p.p_paddr = addr;
    p.p_filesz = static_cast<uint32_t>(bytes.size());
    p.p_memsz = mem;
    p.p_offset = static_cast<uint32_t>(contents.size());  // made absolute when written
    contents.insert(contents.end(), bytes.begin(), bytes.end());
    segments.push_back(p);
  }
  std::string write(const std::string& name, size_t cut = 0) {
    const std::string path = testing::TempDir() + name + std::to_string(getpid());
    header.e_phnum = static_cast<uint16_t>(segments.size());
    const uint32_t base =
        static_cast<uint32_t>(sizeof(header) + segments.size() * sizeof(Elf32_Phdr));
    std::vector<uint8_t> bytes(base);
    std::memcpy(bytes.data(), &header, sizeof(header));
    for (size_t i = 0; i < segments.size(); ++i) {
      Elf32_Phdr p = segments[i];
      p.p_offset += base;
      std::memcpy(bytes.data() + sizeof(header) + i * sizeof(p), &p, sizeof(p));
    }
    bytes.insert(bytes.end(), contents.begin(), contents.end());
    std::FILE* f = std::fopen(path.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size() - cut, f);
    std::fclose(f);
    return path;
  }
};

std::string refusal(const std::string& path, uint32_t sram = 49152) {
  const std::string text = refusal_of([&] { read_elf(path, sram); });
  if (text.empty()) return "accepted";
  expect_in(path, text);
  return text;
}

TEST(Elf, SegmentsAreReadAsTheyStand) {
  Builder b;
  b.segment(0, {1, 2, 3, 4}, 4);
  b.segment(0x100, {9}, 40);
  b.header.e_entry = 0;
  const ElfImage image = read_elf(b.write("good"), 49152);
  ASSERT_EQ(image.segments.size(), 2u);
  EXPECT_EQ(image.segments[0].bytes, (std::vector<uint8_t>{1, 2, 3, 4}));
  EXPECT_EQ(image.segments[1].mem_bytes, 40u);
}

TEST(Elf, SegmentsThatShareAWordBecomeOne) {
  Builder b;
  b.segment(0, {1, 2, 3, 4, 5, 6}, 6);
  b.segment(6, {7, 8}, 2);
  const ElfImage image = read_elf(b.write("shared"), 49152);
  ASSERT_EQ(image.segments.size(), 1u);
  EXPECT_EQ(image.segments[0].bytes, (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Elf, WrongFilesAreRefusedWithTheReason) {
  EXPECT_NE(refusal("/nonexistent/file.elf").find("No such file"), std::string::npos);
  Builder b;
  b.segment(0, {1, 2, 3, 4}, 4);
  Builder machine = b;
  machine.header.e_machine = EM_ARM;
  EXPECT_NE(refusal(machine.write("arm")).find("must be RISC-V"), std::string::npos);
  Builder wide = b;
  wide.header.e_type = ET_DYN;
  EXPECT_NE(refusal(wide.write("dyn")).find("executable"), std::string::npos);
  EXPECT_NE(refusal(b.write("cut", 2)).find("truncated"), std::string::npos);
  Builder entry = b;
  entry.header.e_entry = 49152;
  EXPECT_NE(refusal(entry.write("entry")).find("entry 0xc000"), std::string::npos);
  Builder none;
  none.header.e_phoff = 0;
  EXPECT_NE(refusal(none.write("none")).find("no loadable segment"), std::string::npos)
      << refusal(none.write("none"));
}

// A file without its symbols would be run as one that has none.
TEST(Elf, CutSectionHeadersAreRefused) {
  Builder b;
  b.segment(0, {1, 2, 3, 4}, 4);
  b.header.e_shentsize = sizeof(Elf32_Shdr);
  b.header.e_shnum = 2;
  b.header.e_shoff = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr) + 4;
  b.contents.resize(4 + 2 * sizeof(Elf32_Shdr));
  const size_t size = b.header.e_shoff + 2 * sizeof(Elf32_Shdr);
  EXPECT_EQ(refusal(b.write("sections")), "accepted");
  for (const size_t cut : {size_t{1}, sizeof(Elf32_Shdr), 2 * sizeof(Elf32_Shdr)}) {
    EXPECT_NE(refusal(b.write("cut_sections", cut))
                  .find("truncated: the section headers end at byte " + std::to_string(size) +
                        " of a file of " + std::to_string(size - cut)),
              std::string::npos)
        << refusal(b.write("cut_sections", cut));
  }
  b.header.e_shoff = 0xFFFFFFF0;
  EXPECT_NE(refusal(b.write("far")).find("truncated"), std::string::npos);
  b.header.e_shnum = 0;
  EXPECT_NE(refusal(b.write("far")).find("truncated"), std::string::npos);
}

TEST(Elf, DamagedHeadersAreRefusedInPlainWords) {
  Builder b;
  b.segment(0, {1, 2, 3, 4}, 4);
  for (size_t left = 4; left < sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr); left += 4) {
    const size_t size = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr) + 4;
    const std::string text = refusal(b.write("short", size - left));
    EXPECT_TRUE(text.find("cut short or damaged") != std::string::npos ||
                text.find("truncated: the program headers end") != std::string::npos ||
                text.find("not an ELF file") != std::string::npos)
        << left << ": " << text;
  }
}

TEST(Elf, FlagsOfOtherInstructionsAreNamedWhenTheyTrap) {
  Builder b;
  b.segment(0, {1, 2, 3, 4}, 4);
  EXPECT_EQ(read_elf(b.write("plain"), 49152).why_illegal(2), "");
  b.header.e_flags = EF_RISCV_RVC;
  const ElfImage compressed = read_elf(b.write("rvc"), 49152);
  for (const int cause : {0, 2}) {
    EXPECT_NE(compressed.why_illegal(cause).find("uses compressed instructions (C), which a tile"),
              std::string::npos);
  }
  EXPECT_EQ(compressed.why_illegal(5), "") << "a load that fails has nothing to do with it";
  b.header.e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE;
  EXPECT_NE(
      read_elf(b.write("rvd"), 49152).why_illegal(2).find("(C) and floating-point registers (F)"),
      std::string::npos);
}

// .data lies in ROM after .text and is copied by the program; .bss follows .data in RAM.
TEST(Elf, MemoryBeyondASegmentsBytesIsAtItsVirtualAddress) {
  Builder b;
  b.segment(0, std::vector<uint8_t>(0xF00, 1), 0xF00);
  b.segment(0x2000, std::vector<uint8_t>(0x100, 2), 0x100 + 8192);
  b.segments[1].p_paddr = 0xF00;
  b.segment(0x1000, {0, 0, 0, 0}, 4);  // .tohost
  const ElfImage image = read_elf(b.write("rom"), 49152);
  ASSERT_EQ(image.segments.size(), 4u);
  EXPECT_EQ(image.loaded_word(0xF00), 0x02020202u);
  EXPECT_EQ(image.segments[1].addr, 0xF00u);
  EXPECT_EQ(image.segments[1].mem_bytes, 0x100u);
  EXPECT_EQ(image.segments[2].addr, 0x1000u);
  EXPECT_EQ(image.segments[3].addr, 0x2100u);
  EXPECT_EQ(image.segments[3].mem_bytes, 8192u);
  EXPECT_TRUE(image.segments[3].bytes.empty());
}

TEST(Elf, MemoryWithoutBytesIsAtItsVirtualAddress) {
  Builder b;
  b.segment(0, std::vector<uint8_t>(0x40, 1), 0x40);
  b.segment(0x2000, {}, 0x1000);  // .bss, whose load address a linker counts on from ROM
  b.segments[1].p_paddr = 0x20;
  b.segments[1].p_vaddr = 0x2000;
  b.segment(0x4002, {}, 0x80000000);
  b.segments[2].p_memsz = 6;
  b.segments[2].p_paddr = 0xFFFFFFFC;
  const ElfImage image = read_elf(b.write("bss"), 49152);
  ASSERT_EQ(image.segments.size(), 3u);
  EXPECT_EQ(image.segments[1].addr, 0x2000u);
  EXPECT_EQ(image.segments[1].mem_bytes, 0x1000u);
  EXPECT_EQ(image.segments[2].addr, 0x4000u);
  EXPECT_EQ(image.segments[2].mem_bytes, 8u);
}

TEST(Elf, MemoryBeyondASegmentsBytesIsCheckedWhereItIs) {
  Builder outside;
  outside.segment(0xBFF0, {1, 2, 3, 4}, 0x20);
  outside.segments[0].p_paddr = 0x100;
  EXPECT_NE(refusal(outside.write("outside")).find("0xbff4 to 0xc00f does not fit"),
            std::string::npos)
      << refusal(outside.write("outside"));
  Builder overlap;
  overlap.segment(0, std::vector<uint8_t>(0x40, 1), 0x40);
  overlap.segment(0x10, {1, 2, 3, 4}, 0x20);
  overlap.segments[1].p_paddr = 0x40;
  EXPECT_NE(refusal(overlap.write("bss_on_code")).find("overlap"), std::string::npos);
}

// Fails if an error is in a library's words.
TEST(Elf, ADirectoryIsNoFile) {
  EXPECT_NE(refusal(testing::TempDir()).find("not a regular file"), std::string::npos);
}

// Opening a pipe waits for its writer, who may never come.
TEST(Elf, APipeIsNoFile) {
  const std::string pipe = testing::TempDir() + "elf_pipe" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  alarm(60);  // ends the test
  EXPECT_NE(refusal(pipe).find("not a regular file"), std::string::npos);
  alarm(0);
  unlink(pipe.c_str());
}

TEST(Elf, SegmentsOutsideMemoryAreRefusedAndSumsDoNotWrap) {
  Builder b;
  b.segment(49148, {1, 2, 3, 4}, 8);
  EXPECT_NE(refusal(b.write("large")).find("49152 bytes"), std::string::npos);
  Builder wrap;
  wrap.segment(0xFFFFFFF0, {1, 2, 3, 4}, 0x20);
  EXPECT_NE(refusal(wrap.write("wrap")).find("does not fit"), std::string::npos);
  Builder offset;
  offset.segment(0, {1, 2, 3, 4}, 8);
  offset.segments[0].p_offset = 0xFFFFFF00;
  EXPECT_NE(refusal(offset.write("offset")).find("truncated"), std::string::npos);
  Builder overlap;
  overlap.segment(0, std::vector<uint8_t>(16, 1), 16);
  overlap.segment(8, std::vector<uint8_t>(16, 1), 16);
  EXPECT_NE(refusal(overlap.write("overlap")).find("overlap"), std::string::npos);
  Builder more;
  more.segment(0, std::vector<uint8_t>(16, 1), 8);
  EXPECT_NE(refusal(more.write("more")).find("in memory"), std::string::npos);
}

TEST(Elf, LocateNamesTheFunctionBefore) {
  ElfImage image;
  image.functions[0x100] = "main";
  EXPECT_EQ(image.locate(0x100), "main");
  EXPECT_EQ(image.locate(0x104), "main+0x4");
  EXPECT_EQ(image.locate(0x10), "?");
}

// Fails if a wild pc is named as an offset into a function.
TEST(Elf, APcWithoutCodeIsOutsideTheProgram) {
  Builder b;
  b.segment(0, std::vector<uint8_t>(16, 0x13), 16);
  b.segments[0].p_flags = PF_R | PF_X;
  b.segment(0x20, std::vector<uint8_t>(16, 1), 16);
  b.segments[1].p_flags = PF_R | PF_W;
  ElfImage image = read_elf(b.write("code"), 49152);
  image.functions[0] = "main";
  image.lines[0] = "main.c:1";
  EXPECT_EQ(image.describe(0xc), "pc 0xc in main+0xc (main.c:1)");
  EXPECT_EQ(image.describe(0x80000000), "pc 0x80000000 outside the program");
  for (uint32_t pc : {0x10u, 0x20u, 0x80000000u}) {
    EXPECT_EQ(image.locate(pc), "outside the program");
    EXPECT_EQ(image.source_line(pc), "");
  }
}

TEST(Elf, LoadedWordsAreThoseOfTheFile) {
  Builder b;
  b.segment(0, {1, 2, 3, 4, 5, 6}, 12);
  const ElfImage image = read_elf(b.write("words"), 49152);
  EXPECT_EQ(image.loaded_word(0), 0x04030201u);
  EXPECT_EQ(image.loaded_word(4), 0x0605u);
  EXPECT_EQ(image.loaded_word(8), 0u);
  EXPECT_EQ(image.loaded_word(0x100), 0u);
}

}  // namespace
}  // namespace ow
