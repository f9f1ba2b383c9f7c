// SPDX-License-Identifier: Apache-2.0
// What is generated from the description: one function per file. Each returns the file's text.
#ifndef OW_ISA_GEN_EMIT_H_
#define OW_ISA_GEN_EMIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model.h"

namespace ow::isa_gen {

std::string emit_sv_package(const Description& d);  // rtl/common/ow_isa_pkg.sv
std::string emit_sv_exports(const Description& d);  // rtl/common/ow_isa_export.svh
std::string emit_cmake(const Description& d);       // sw/isa/configurations.cmake
std::string emit_c(const Description& d);           // openwafer/tile/isa.h
std::string emit_cpp(const Description& d);         // ow/isa/isa.h
std::string emit_tables(const Description& d);      // tables.cpp

// The text of a document with new tables between its markers; `name` is for messages. A line
// "<!-- isa:begin WHAT -->" begins a table and "<!-- isa:end -->" ends it. WHAT is
// "registers SPACE", "registers SPACE 0xFIRST-0xLAST ..." (those that begin in these ranges of
// offsets), "word NAME", "enum NAME", "codes NAME", "constants PREFIX", "causes" or
// "configurations". The text itself if there are no markers. BadInput for a marker that is none of
// these, and if a register of a space that the document shows is in no table or in several.
std::string emit_document(const Description& d, const std::string& text, const std::string& name);

// Lines of at most 100 columns that begin with `start`.
std::string wrap(const std::string& text, const std::string& start);

// A register's fields: those of the layout that it shares, or its own.
const std::vector<Field>& fields_of(const Description& d, const Register& r);

// A number as C and C++ write it: from 1000 on hexadecimal.
std::string hex(uint64_t value);

// What a generated file says about itself, after its comment sign: a committed one, and one of the
// build.
extern const char* const kGenerated;
extern const char* const kBuilt;

}  // namespace ow::isa_gen

#endif  // OW_ISA_GEN_EMIT_H_
