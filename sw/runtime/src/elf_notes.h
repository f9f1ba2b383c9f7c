// SPDX-License-Identifier: Apache-2.0
// The notes of openwafer/tile/export.h in an ELF file.
#ifndef OW_ELF_NOTES_H_
#define OW_ELF_NOTES_H_

#include <libelf.h>

#include <cstdint>
#include <string>

#include "ow/runtime/elf.h"

namespace ow {

// Adds the file's exports and launches to `image`. BadInput if a note is malformed.
void read_notes(const std::string& path, Elf* elf, uint32_t sram_bytes, ElfImage* image);

// BadInput if two tasks of the program have one number, as far as the file tells.
void check_tasks(const ElfImage& image);

// BadInput if the program writes, by its number, a descriptor of the kernel library or of a name,
// as far as the file tells.
void check_descriptors(const ElfImage& image);

}  // namespace ow

#endif  // OW_ELF_NOTES_H_
