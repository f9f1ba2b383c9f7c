// SPDX-License-Identifier: Apache-2.0
// A program for a rectangle of tiles: firmware, a layout that joins the tiles to each other and to
// the host, and parameters that the firmware starts with.
//
// A layout names what flows. The library chooses colours and queues for each flow and sets the
// routes of every tile. It writes the queue numbers into variables that the firmware exports. For a
// flow "x", `x_in` is the input queue of the tile and `x_out` its output queue (u32; kNoQueue if
// the tile has none). Firmware needs a variable only where the flow has such an end.
#ifndef OPENWAFER_PROGRAM_H_
#define OPENWAFER_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "openwafer/grid.h"
#include "openwafer/mapping.h"
#include "openwafer/number.h"
#include "openwafer/route.h"

namespace ow {

constexpr uint32_t kNoQueue = 255;

// Rows and columns are relative to the rectangle that the program is loaded into. A member that
// names a flow, a descriptor or a task throws BadInput if the name, or a variable for it, is taken.
class Layout {
 public:
  // A layout of rows x cols tiles.
  explicit Layout(GridShape shape);
  GridShape shape() const { return shape_; }

  // From the host to all tiles of a row (West, East) or column (North, South), entering at edge
  // `from`. The stream `name` has one port per row or column. Tiles: name_in.
  void broadcast(const std::string& name, Side from);

  // From tile to tile towards a side. Tiles: name_in (not in the first), name_out (not in the
  // last). With `enter` the first tile takes from the machine's edge, with `leave` the last one
  // sends to the edge. The stream `name` then has one port per row or column there. With both, the
  // stream that leaves is called name + ".out".
  void chain(const std::string& name, Side towards, bool enter = false, bool leave = false);
  // The same without the host, for data that tiles exchange with their neighbours.
  void shift(const std::string& name, Side towards) { chain(name, towards); }

  // From every tile to an edge, in turn; the tile next to the edge comes first. A tile puts its
  // words into name_out, followed by a control wavelet that holds name_end, which lets the next
  // tile pass. The control wavelet of the last tile resets all switches for the next turn. There is
  // no name_end if a line has one tile. The stream `name` has one port per row or column. Needs a
  // switch of two positions in all tiles but the last.
  void gather(const std::string& name, Side to);

  // Between one tile and an edge, straight along its row or column: from the edge (name_in) or to
  // it (name_out). The stream has one port.
  void enter(const std::string& name, Side from, int row, int col);
  void leave(const std::string& name, int row, int col, Side to);

  // From one tile to all others: of the layout, of its row (the source is in column `col` of each
  // row), or of its column (the source is in row `row`). Tiles: name_out in the source, name_in in
  // the others. There is no stream. BadInput if there is no other tile.
  void broadcast(const std::string& name, int row, int col);
  void broadcast_rows(const std::string& name, int col);
  void broadcast_columns(const std::string& name, int row);

  // From an edge to every tile of a row or column, a part to each: the reverse of gather. The
  // stream `name` has one port per row or column. Run::send cuts the data of a port into equal
  // parts, the nearest tile's first, and may be called again. Tiles: name_in. Needs a switch of two
  // positions if a line has more than one tile.
  void scatter(const std::string& name, Side from);

  // For flows that are none of the above: a colour, its routes, and the queues of a tile. These
  // routes are checked when the program is loaded, like those of the library.
  int colour(const std::string& name);
  void route(int row, int col, int colour, const Switch& positions);
  void route(int row, int col, int colour, Route route) {
    this->route(row, col, colour, Switch{{route}, 0, false, PopMode::None});
  }
  // A filter of the tile for `filter.colour`: at most one per tile and colour, and no more than the
  // tile has.
  void filter(int row, int col, const Filter& filter);
  void tile_receives(const std::string& name, int row, int col, int colour);  // name_in
  void tile_sends(const std::string& name, int row, int col, int colour);     // name_out
  // The host's ends, at the edge port straight in front of the tile. Each call adds a port to the
  // stream `name`; all its ports go the same way. The name must not be that of a flow with a
  // stream.
  void host_sends(const std::string& name, Side from, int row, int col, int colour);
  void host_receives(const std::string& name, int row, int col, Side to, int colour);

  // A descriptor, or a local task, that no other name has. The number is written into the exported
  // u32 `name` of all tiles. Both count upwards; descriptors start at 0. At loading, numbers must
  // be below what the machine has and below what the firmware claims (OW_CLAIM, OW_TASK,
  // OW_LAUNCH).
  int descriptor(const std::string& name);
  int task(const std::string& name);

  // ---- Results, for the library.
  struct EdgePort {
    int row, col;  // the tile at which it enters or leaves
    Side side;
    int colour;
  };
  struct Stream {
    bool to_grid = true;
    size_t parts = 1;  // tiles that a port's data is scattered to
    std::vector<EdgePort> ports;
  };
  struct Queue {
    bool in = true;
    int number = 0;
    int colour = 0;
    std::string name;  // of the flow
  };
  using Place = std::pair<int, int>;  // row, col
  // Colour numbers of the layout. A machine uses other numbers where another program has these.
  int colours() const { return next_colour_; }
  const std::vector<std::string>& descriptors() const { return descriptors_; }
  const std::vector<std::string>& tasks() const { return tasks_; }
  const std::map<std::tuple<int, int, int>, Switch>& routes() const { return routes_; }
  const std::map<Place, std::vector<Filter>>& filters() const { return filters_; }
  const std::map<std::string, Stream>& streams() const { return streams_; }
  const std::map<Place, std::vector<Queue>>& queues() const { return queues_; }
  const std::map<std::string, std::map<Place, uint32_t>>& variables() const { return variables_; }

 private:
  void take_name(const std::string& name);
  void take_number_name(const std::string& name);
  [[noreturn]] void refuse_taken(const std::string& name) const;
  void set_variable(const std::string& variable, const Place& place, uint32_t value);
  Stream& host_stream(const std::string& name, bool to_grid);
  void check_tile(const std::string& name, int row, int col) const;
  int queue(const std::string& name, bool in, int row, int col, int colour);
  void tree(const std::string& name, int colour, const Rect& area, int row, int col);
  int leave_number(const std::string& name, int number);
  // The tiles of each line that runs towards a side, in that direction.
  std::vector<std::vector<Place>> lines(Side towards) const;

  GridShape shape_;
  int next_colour_ = 0;
  std::vector<std::string> descriptors_;                // by number
  std::vector<std::string> tasks_;                      // from the first local task on
  std::set<std::string> names_;                         // of flows, descriptors, tasks
  std::set<std::string> host_streams_;                  // of host_sends and host_receives
  std::map<std::tuple<int, int, int>, Switch> routes_;  // row, col, colour
  std::map<Place, std::vector<Filter>> filters_;
  std::map<std::string, Stream> streams_;
  std::map<Place, std::vector<Queue>> queues_;
  std::map<std::string, std::map<Place, uint32_t>> variables_;
};

// Firmware, layout and parameters. A value: load it as often as you want.
class Program {
 public:
  // One firmware (an ELF file) for all tiles of the rectangle.
  explicit Program(std::string elf);
  Program(std::string elf, Layout layout);
  // Several firmwares, each in its part of the rectangle. Parts do not overlap.
  explicit Program(Layout layout);
  Program& add_firmware(const Rect& part, std::string elf);

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

  // ---- Results, for the library.
  struct Parameter {
    std::string name;
    ElementType type = ElementType::U32;
    std::vector<uint8_t> bytes;
    size_t count = 0;  // elements
    Mapping mapping;
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }
  struct Firmware {
    std::optional<Rect> rect;  // none: all
    std::string elf;
  };
  const std::vector<Firmware>& parts() const { return parts_; }
  const std::optional<Layout>& layout() const { return layout_; }

 private:
  Program& set_parameter_bytes(const std::string& name, ElementType type, const void* data,
                               size_t count, const Mapping& mapping);

  std::vector<Firmware> parts_;
  std::vector<Parameter> parameters_;
  std::optional<Layout> layout_;
};

}  // namespace ow

#endif  // OPENWAFER_PROGRAM_H_
