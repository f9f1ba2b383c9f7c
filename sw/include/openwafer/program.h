// SPDX-License-Identifier: Apache-2.0
// A program for a rectangle of tiles: firmware, a layout that joins the tiles to each other and to
// the host, and parameters that the firmware starts with.
#ifndef OPENWAFER_PROGRAM_H_
#define OPENWAFER_PROGRAM_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "openwafer/grid.h"
#include "openwafer/layout.h"
#include "openwafer/mapping.h"
#include "openwafer/number.h"

namespace ow {

class ProgramState;  // internal to the library

// Firmware, layout and parameters. A value: load it as often as you want. It keeps the layout as it
// is when the program is made.
class Program {
 public:
  // One firmware (an ELF file) for all tiles of the rectangle.
  explicit Program(const std::string& elf);
  Program(const std::string& elf, const Layout& layout);
  // Several firmwares, each in its part of the rectangle.
  explicit Program(const Layout& layout);
  Program(const Program& other);
  Program& operator=(const Program& other);

  // Adds firmware for a part of the rectangle, such as a region. Its tiles find their row and
  // column within the part in OW_REG_ROW and OW_REG_COL. BadInput if parts overlap.
  Program& add_firmware(const Rect& part, const std::string& elf);

  // A parameter: the firmware's export `name` has this value when the cores start, so ow_main finds
  // it. Type, size and mapping follow the rules of Run::write. Rows and columns of
  // Mapping::on_tiles are those of the program's rectangle. Every load writes the parameters; a
  // later value for the same tile wins. Runtime::load refuses what does not fit, and a name that
  // the layout writes.
  template <typename T>
  Program& set_parameter(const std::string& name, const std::vector<T>& data,
                         const Mapping& mapping = Mapping::tiles()) {
    return set_parameter_bytes(name, ElementOf<T>::kType, data.data(), data.size(), mapping);
  }
  template <typename T>
  Program& set_parameter(const std::string& name, T value,
                         const Mapping& mapping = Mapping::same()) {
    return set_parameter_bytes(name, ElementOf<T>::kType, &value, 1, mapping);  // a scalar
  }

  const ProgramState& state() const { return *state_; }  // for the library

 private:
  Program& set_parameter_bytes(const std::string& name, ElementType type, const void* data,
                               size_t count, const Mapping& mapping);

  std::shared_ptr<ProgramState> state_;  // never shared with another Program
};

}  // namespace ow

#endif  // OPENWAFER_PROGRAM_H_
