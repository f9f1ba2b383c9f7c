// SPDX-License-Identifier: Apache-2.0
#include "openwafer/program.h"

#include <fmt/format.h>

#include "openwafer/error.h"
#include "ow/runtime/layout_state.h"

namespace ow {

Program::Program(const std::string& elf) : state_(std::make_shared<ProgramState>()) {
  state_->parts.push_back({std::nullopt, elf});
}
Program::Program(const std::string& elf, const Layout& layout) : Program(elf) {
  state_->layout = layout;
}
Program::Program(const Layout& layout) : state_(std::make_shared<ProgramState>()) {
  state_->layout = layout;
}
Program::Program(const Program& other) : state_(std::make_shared<ProgramState>(*other.state_)) {}
Program& Program::operator=(const Program& other) {
  if (this != &other) state_ = std::make_shared<ProgramState>(*other.state_);
  return *this;
}

Program& Program::add_firmware(const Rect& part, const std::string& elf) {
  if (part.row < 0 || part.col < 0 || part.rows < 1 || part.cols < 1) {
    throw BadInput(fmt::format("program: {}: {} x {} tiles at ({}, {})", elf, part.rows, part.cols,
                               part.row, part.col));
  }
  for (const ProgramState::Firmware& other : state_->parts) {
    if (!other.rect || overlap(*other.rect, part)) {
      throw BadInput(fmt::format("program: {} and {} are for the same tiles", other.elf, elf));
    }
  }
  state_->parts.push_back({part, elf});
  return *this;
}

Program& Program::set_parameter_bytes(const std::string& name, ElementType type, const void* data,
                                      size_t count, const Mapping& mapping) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  state_->parameters.push_back(
      {name, type, {bytes, bytes + count * element_bytes(type)}, count, mapping});
  return *this;
}

}  // namespace ow
