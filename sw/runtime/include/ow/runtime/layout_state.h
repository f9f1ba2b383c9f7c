// SPDX-License-Identifier: Apache-2.0
// What a layout and a program hold, for the loader.
//
// A flow is made of nets. A net is one colour's routes from where words enter it to where they
// leave it; nets that meet in a tile need different colours (colours.h). All places count within
// the layout.
#ifndef OW_RUNTIME_LAYOUT_STATE_H_
#define OW_RUNTIME_LAYOUT_STATE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "openwafer/layout.h"
#include "openwafer/mapping.h"
#include "openwafer/number.h"
#include "openwafer/program.h"

namespace ow {

class LayoutState {
 public:
  using Place = std::pair<int, int>;  // row, col
  struct EdgePort {
    int row, col;  // the tile at which it enters or leaves
    Side side;
    int net;
  };
  struct Stream {
    bool to_grid = true;
    size_t parts = 1;  // tiles that a port's data is scattered to
    std::vector<EdgePort> ports;
  };
  struct Queue {
    bool in = true;
    int number = 0;
    int net = 0;
    std::string name;  // of the flow
  };
  static constexpr uint32_t kNoQueue = 255;  // OW_NO_QUEUE of the firmware
  // What the firmware of a tile learns of a flow.
  struct Ends {
    uint32_t in = kNoQueue, out = kNoQueue;
    uint32_t end = 0;  // the control word of a gather
  };

  explicit LayoutState(GridShape of) : shape(of) {}

  int add_net(const std::string& flow);
  void route(const Place& tile, int net, const Switch& positions);
  void route(const Place& tile, int net, Route way) {
    route(tile, net, Switch{{way}, 0, false, PopMode::None});
  }
  // Binds the tile's next free queue to the net and leaves its number in the flow's ends.
  void queue(const std::string& flow, bool in, const Place& tile, int net);
  // BadInput if the tile has this end of a flow already. Patterns ask before they change anything.
  void check_free(const std::string& flow, bool in, const Place& tile) const;
  // Words from a tile to others, along rows and columns: along the source's row first or along its
  // column first. The source may be one of the others.
  struct Connection {
    Place source;
    std::vector<Place> to;
    bool row_first = true;
  };
  void check_free(const std::string& flow, const std::vector<Connection>& connections) const;
  // A net for each connection, with routes and queues. `name`: of the nets.
  void connect(const std::string& flow, const std::string& name,
               const std::vector<Connection>& connections);
  // The most nets in any tile on the way.
  int crowd(const Connection& connection) const;
  static std::map<Place, Route> ways(const Connection& connection);
  // The stream, or a new one that ends in ports of the host.
  Stream& host_stream(const std::string& name, bool to_grid);
  // BadInput if a name is taken.
  void take_name(const std::string& name);
  [[noreturn]] void refuse_taken(const std::string& name) const;
  // A region that holds the tile; the smallest one. For reports: " (of region 'a')", or nothing.
  std::string region_text(const Place& tile) const;

  GridShape shape;
  std::map<std::string, Rect> regions;
  std::vector<std::string> nets;                       // name of the flow of each, with its region
  std::set<std::string> names;                         // of flows, with their region
  std::set<std::string> host_streams;                  // of host_sends and host_receives
  std::map<std::tuple<int, int, int>, Switch> routes;  // row, col, net
  std::map<Place, std::vector<Filter>> filters;        // their colours are nets
  std::map<std::string, Stream> streams;
  std::map<Place, std::vector<Queue>> queues;
  std::map<std::string, std::map<Place, Ends>> flows;  // by the firmware's name
};

class ProgramState {
 public:
  struct Parameter {
    std::string name;
    ElementType type = ElementType::U32;
    std::vector<uint8_t> bytes;
    size_t count = 0;  // elements
    Mapping mapping;
  };
  struct Firmware {
    std::optional<Rect> rect;  // none: all
    std::string elf;
  };

  std::vector<Firmware> parts;
  std::vector<Parameter> parameters;
  std::optional<Layout> layout;
};

}  // namespace ow

#endif  // OW_RUNTIME_LAYOUT_STATE_H_
