// SPDX-License-Identifier: Apache-2.0
// What tiles print with ow_printf (openwafer/tile/print.h), fetched through the control plane.
#ifndef OW_PRINTS_H_
#define OW_PRINTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "openwafer/runtime.h"
#include "ow/device/control_plane.h"
#include "ow/runtime/elf.h"

namespace ow {

// Formats a record as C's printf does. `arguments` are words; floats are given as their bits.
// Strings are looked up in the image. A conversion that print.h does not list stays as it is.
std::string format_print(const ElfImage& image, const std::string& format,
                         const std::vector<uint32_t>& arguments);

// Reads the prints of one program in a rectangle of tiles, each print once.
class PrintReader {
 public:
  // BadInput if the program was built with another layout of the ring. A program that does not
  // print has nothing to read. Reading starts with the first print after loading.
  PrintReader(ControlPlane& control, const Rect& rect, const ElfImage& image);

  // The prints after the last call, by cycle, then row by row: of all tiles, or of those that lie
  // in a rectangle of the machine. Reads one word of each tile, and the ring of the tiles that have
  // printed.
  std::vector<Print> take_prints() { return take_prints(rect_); }
  std::vector<Print> take_prints(const Rect& of);
  // Prints that were overwritten before they were read, up to the last take_prints().
  uint64_t lost() const { return lost(rect_); }
  uint64_t lost(const Rect& of) const;

 private:
  Rect tile(size_t i) const;
  void take_tile(size_t i, uint32_t to, const std::vector<uint32_t>& ring, uint32_t begun,
                 std::vector<Print>* prints);

  ControlPlane& control_;
  const Rect rect_;
  const ElfImage& image_;
  uint32_t ring_ = 0;            // address; 0: the program does not print
  uint32_t records_ = 0;         // it holds
  std::vector<uint32_t> taken_;  // by tile
  std::vector<uint64_t> lost_;   // by tile
};

}  // namespace ow

#endif  // OW_PRINTS_H_
