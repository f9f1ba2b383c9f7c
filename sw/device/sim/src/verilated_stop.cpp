// SPDX-License-Identifier: Apache-2.0
// How a model ends. Verilator's runtime would print and abort. Here a failed assertion of the RTL
// becomes a device fault with the assertion, its text and the tile, and an error that Verilator
// itself finds becomes an internal error. Do not evaluate the model after either.
#include <verilated.h>

#include <cstdarg>
#include <cstdio>
#include <regex>
#include <string>

#include "openwafer/error.h"
#include "verilated_stop.h"

namespace {

// The last error that a model of this thread reported before it stops.
thread_local std::string told;

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Models are named after their place: "reticle_0_1_tile_2_3" is reticle (0, 1) tile (2, 3).
std::string place(const std::string& name) {
  static const std::regex pair("_?([a-z]+)_(\\d+)_(\\d+)");
  std::string text = std::regex_replace(name, pair, "$1 ($2, $3) ");
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// "[0] %Error: FILE:LINE: Assertion failed in MODEL.PATH: MODEL.PATH: TEXT" as a user reads it.
std::string assertion(const std::string& error, const char* file, int line) {
  static const std::regex form("Assertion failed in ([^.:]+)\\.([^:]*): (?:[^ ]+: )?(.*)");
  const std::string at = " (" + std::string(file) + ":" + std::to_string(line) + ")";
  std::smatch part;
  if (!std::regex_search(error, part, form)) return "internal assertion: " + error + at;
  return place(part[1]) + ": internal assertion " + part[2].str() + ": " + part[3].str() + at;
}

}  // namespace

int ow_verilated_print(const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string text(static_cast<size_t>(length > 0 ? length : 0) + 1, '\0');
  std::vsnprintf(&text[0], text.size(), format, again);
  va_end(again);
  text.pop_back();
  if (text.find("%Error") != std::string::npos) {
    told = trimmed(text);
  } else {
    std::fputs(text.c_str(), stderr);
  }
  return length;
}

void vl_stop(const char* file, int line, const char*) {
  std::string error;
  error.swap(told);
  throw ow::DeviceFault(assertion(error, file, line));
}

void vl_fatal(const char* file, int line, const char*, const char* text) {
  throw ow::InternalError("model of the hardware: " + trimmed(text) + " (" + std::string(file) +
                          ":" + std::to_string(line) + ")");
}
