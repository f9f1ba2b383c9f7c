// SPDX-License-Identifier: Apache-2.0
// What flows between the tiles of a program, between its regions, and between tiles and host.
//
// A layout names what flows. The library chooses colours and queues for each flow and sets the
// routes of every tile. Two flows that meet in a tile get different colours; flows that never meet
// share one. Firmware finds the queue numbers of a flow "x" in x.in and x.out of OW_FLOW(x). They
// are OW_NO_QUEUE where the tile has no such end.
#ifndef OPENWAFER_LAYOUT_H_
#define OPENWAFER_LAYOUT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "openwafer/grid.h"
#include "openwafer/route.h"

namespace ow {

class LayoutState;  // internal to the library

// A rectangle of a layout with flows of its own. Rows and columns in its members count within the
// region, and so do those that its firmware reads (OW_REG_ROW, OW_REG_COL). Two regions may use the
// same names, so one firmware serves both. A stream of region "a" has the name "a.x" for the host.
//
// Copies of a region are the same region, of the same layout; it stays valid without the Layout. A
// member that names a flow throws BadInput if the region has a flow of that name, if a tile has two
// ends of that name, or if a place is not in the region.
class Region {
 public:
  const std::string& name() const { return name_; }
  GridShape shape() const { return {rect_.rows, rect_.cols}; }
  // Within the layout. A region may be given wherever such a rectangle is asked for.
  const Rect& rect() const { return rect_; }
  operator const Rect&() const { return rect_; }
  // Some of its tiles, as a rectangle within the layout, for Layout::flow.
  Rect row(int row) const;
  Rect column(int col) const;
  Rect tile(int row, int col) const;

  // From the host to all tiles of a row (West, East) or column (North, South), entering at edge
  // `from` of the machine. The stream has one port per row or column. Tiles: x.in.
  void broadcast(const std::string& name, Side from);

  // From tile to tile towards a side. Tiles: x.in (not in the first), x.out (not in the
  // last). With `enter` the first tile takes from the machine's edge, with `leave` the last one
  // sends to the edge. The stream then has one port per row or column there. With both, the stream
  // that leaves is called name + ".out".
  void chain(const std::string& name, Side towards, bool enter = false, bool leave = false);
  // The same without the host, for data that tiles exchange with their neighbours.
  void shift(const std::string& name, Side towards) { chain(name, towards); }
  // A shift in which the last tile of each row or column sends to the first one, past the others.
  void ring(const std::string& name, Side towards);

  // From every tile to an edge, in turn; the tile next to the edge comes first. A tile puts its
  // words into x.out, followed by a control wavelet that holds x.end, which lets the next
  // tile pass. The control wavelet of the last tile resets all switches for the next turn. There is
  // no x.end if a line has one tile. The stream has one port per row or column. Needs a switch
  // of two positions in all tiles but the last.
  void gather(const std::string& name, Side to);

  // From an edge to every tile of a row or column, a part to each: the reverse of gather. The
  // stream has one port per row or column. Run::send cuts the data of a port into equal parts, the
  // nearest tile's first, and may be called again. Tiles: x.in. Needs a switch of two positions
  // if a line has more than one tile.
  void scatter(const std::string& name, Side from);

  // Between one tile and an edge, straight along its row or column: from the edge (x.in) or to
  // it (x.out). The stream has one port.
  void enter(const std::string& name, Side from, int row, int col);
  void leave(const std::string& name, int row, int col, Side to);

  // From one tile to all others: of the region, of its row (the source is in column `col` of each
  // row), or of its column (the source is in row `row`). `itself`: the source receives its own
  // words too. Tiles: x.out in the source, x.in in those that receive. There is no stream.
  // BadInput if nobody receives.
  void broadcast(const std::string& name, int row, int col, bool itself = false);
  void broadcast_rows(const std::string& name, int col, bool itself = false);
  void broadcast_columns(const std::string& name, int row, bool itself = false);

  // For flows that are none of the above: a colour, its routes, and the queues of a tile. The
  // number stands for the colour in this layout; the machine's is chosen at loading. These routes
  // are checked when the program is loaded, like those of the library.
  int colour(const std::string& name);
  void route(int row, int col, int colour, const Switch& positions);
  void route(int row, int col, int colour, Route route) {
    this->route(row, col, colour, Switch{{route}, 0, false, PopMode::None});
  }
  // A filter of the tile for `filter.colour`: at most one per tile and colour, and no more than the
  // tile has.
  void filter(int row, int col, const Filter& filter);
  void tile_receives(const std::string& name, int row, int col, int colour);  // x.in
  void tile_sends(const std::string& name, int row, int col, int colour);     // x.out
  // The host's ends, at the edge port straight in front of the tile. Each call adds a port to the
  // stream; all its ports go the same way. The name must not be that of a flow with a stream.
  void host_sends(const std::string& name, Side from, int row, int col, int colour);
  void host_receives(const std::string& name, int row, int col, Side to, int colour);

 protected:
  Region(std::shared_ptr<LayoutState> layout, std::string name, const Rect& rect);

  std::shared_ptr<LayoutState> layout_;

 private:
  friend class Layout;
  // With the region's name: "a.x". BadInput if it is empty.
  std::string name_of(const std::string& flow) const;
  int flow_colour(const std::string& name);

  std::string name_;
  Rect rect_;
};

// The rectangle that a program is loaded into; as a region, all of it. Copies are layouts of their
// own; regions belong to the layout that made them.
class Layout : public Region {
 public:
  // A layout of rows x cols tiles.
  explicit Layout(GridShape shape);
  Layout(const Layout& other);
  Layout(Layout&& other) = default;
  Layout& operator=(const Layout& other);
  Layout& operator=(Layout&& other) = default;

  // A part of the layout. Regions may overlap. BadInput if the name is empty, holds a '.', or is
  // another region's.
  Region region(const std::string& name, const Rect& rect);

  // From tiles to tiles anywhere in the layout, along rows and columns, past the tiles between. The
  // rectangles count within the layout (Region::row, column, tile). Tiles: x.out in the senders,
  // x.in in the receivers; a tile may be both, and receive its own words. Which sender has which
  // receivers:
  //   one sender                          all receivers
  //   a column, as high as `receivers`    its row of them
  //   a row, as wide as `receivers`       its column of them
  //   as many senders as receivers        the one with the same number, counted row by row
  // BadInput for anything else. The same name may be used again for other tiles, so a tile receives
  // `next` from one region and sends `next` to another.
  void flow(const std::string& name, const Rect& senders, const Rect& receivers);

  const LayoutState& state() const { return *layout_; }  // for the library
};

}  // namespace ow

#endif  // OPENWAFER_LAYOUT_H_
