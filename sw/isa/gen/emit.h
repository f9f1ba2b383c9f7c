// SPDX-License-Identifier: Apache-2.0
// What is generated from the description: one function per file. Each returns the file's text.
#ifndef OW_ISA_GEN_EMIT_H_
#define OW_ISA_GEN_EMIT_H_

#include <string>
#include <vector>

#include "model.h"

namespace ow::isa_gen {

std::string emit_sv_package(const Description& d);  // rtl/common/ow_isa_pkg.sv
std::string emit_sv_exports(const Description& d);  // rtl/common/ow_isa_export.svh
std::string emit_c(const Description& d);           // sw/include/openwafer/tile/isa.h
std::string emit_cpp(const Description& d);         // sw/isa/include/ow/isa/isa.h
std::string emit_tables(const Description& d);      // sw/isa/src/tables.cpp
std::string emit_cmake(const Description& d);       // sw/isa/configurations.cmake

// The text of a document with new tables between its markers; `name` is for messages. A line
// "<!-- isa:begin WHAT -->" begins a table and "<!-- isa:end -->" ends it. WHAT is
// "registers SPACE", "word NAME", "enum NAME", "causes" or "configurations". The text itself if
// there are no markers. BadInput for a marker that is none of these.
std::string emit_document(const Description& d, const std::string& text, const std::string& name);

// Lines of at most 100 columns that begin with `start`.
std::string wrap(const std::string& text, const std::string& start);

// A register's fields: those of the layout that it shares, or its own.
const std::vector<Field>& fields_of(const Description& d, const Register& r);

// What each generated file says about itself, after its comment sign.
extern const char* const kGenerated;

}  // namespace ow::isa_gen

#endif  // OW_ISA_GEN_EMIT_H_
