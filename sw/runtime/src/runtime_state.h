// SPDX-License-Identifier: Apache-2.0
// What stands behind Runtime, Run and Event.
#ifndef OW_SRC_RUNTIME_STATE_H_
#define OW_SRC_RUNTIME_STATE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "openwafer/runtime.h"
#include "ow/device/bulk.h"
#include "ow/device/control_plane.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/prints.h"
#include "ow/runtime/program.h"
#include "spread.h"

namespace ow {

// An edge port of the machine and a colour.
struct StreamPort {
  Side side = Side::West;
  int index = 0;
  int colour = 0;
};
inline bool operator<(const StreamPort& a, const StreamPort& b) {
  return std::tie(a.side, a.index, a.colour) < std::tie(b.side, b.index, b.colour);
}

class Event::State {
 public:
  virtual ~State() = default;
  virtual void wait(uint64_t cycles) = 0;
  virtual bool done() const = 0;
};

class Runtime::State : public std::enable_shared_from_this<Runtime::State> {
 public:
  explicit State(std::unique_ptr<Device> device);

  Device& device() { return *device_; }
  // For requests of any kind: copies that are under way are done first.
  ControlPlane& control();
  // Writes to these tiles have been made that nothing has waited for: a copy does.
  void written(const Rect& rect);
  void settled() { unfenced_.clear(); }
  const MachineInfo& info() const { return info_; }
  const TileConfig& tile() const { return tile_; }

  // Lets the machine work, serving streams, until `done` says true (may be empty), nothing moves or
  // the cycles have passed.
  RunStatus work(uint64_t cycles, const std::function<bool()>& done);

  // Starts a copy; `finished` is called when it is done.
  std::shared_ptr<Event::State> copy(std::unique_ptr<Bulk> bulk, std::function<void()> finished);

  void produce(const StreamPort& port, std::function<std::optional<Word>()> next);
  void consume(const StreamPort& port, std::function<void(Word)> take);
  // What has arrived and nobody consumes.
  std::vector<Word> take(const StreamPort& port, size_t most);
  // Words that were taken, to be taken again before all others.
  void give_back(const StreamPort& port, const std::vector<uint32_t>& words);
  size_t waiting(const StreamPort& port) const;
  // Producers of these ports that have not ended, or wavelets of them that have not entered the
  // grid.
  bool sends_left(const std::vector<StreamPort>& ports) const;
  // No producer and no consumer of the program is called any more. What has come stays.
  void end_callbacks(const Run::State& run);
  // These, and what waits at its ports, are gone.
  void drop_streams(const Run::State& run);

  // Programs that are loaded, until others have their tiles.
  std::vector<std::shared_ptr<Run::State>> runs;

 private:
  class Copy;
  struct Sink {
    std::function<void(Word)> take;  // empty: kept in `words`
    std::vector<Word> words;
    size_t taken = 0;
  };
  void serve();
  void fetch(const StreamPort& port, Sink* sink);

  std::unique_ptr<Device> device_;
  ControlPlane control_;
  MachineInfo info_;
  TileConfig tile_;
  std::shared_ptr<Copy> copy_;  // under way
  std::vector<Rect> unfenced_;
  std::map<StreamPort, std::vector<std::function<std::optional<Word>()>>> sources_;
  mutable std::map<StreamPort, Sink> sinks_;
};

class Run::State {
 public:
  struct Part {
    Rect rect;  // of the machine
    ElfImage image;
  };
  // The place of an exported array in the tiles that have it.
  struct Array {
    const ElfExport* shape = nullptr;
    Rect rect;                   // of the machine
    std::vector<uint32_t> addr;  // of each tile, row by row
  };

  Runtime::State* machine = nullptr;  // it has this one
  Rect rect;
  std::vector<Part> parts;
  std::map<std::string, std::vector<StreamPort>> streams_in, streams_out;
  std::map<std::string, size_t> parts_of;      // streams that are scattered: tiles of a port
  std::set<std::tuple<int, int, int>> routed;  // row, col, colour; beyond the rectangle, too
  bool switched = false;
  bool replaced = false;  // another program has been loaded over it
  std::vector<Counters> counters;
  uint64_t counted_at = 0;
  std::vector<PrintReader> printers;  // of the parts
  // Tasks that were launched in a part which has not been seen at rest since, and whether they have
  // arguments.
  std::map<const Part*, std::map<uint32_t, bool>> launched;

  void check_loaded() const;
  // wait_for_rest for some of the parts.
  void rest(const std::vector<const Part*>& some, const std::string& what, uint64_t cycles,
            const std::vector<StreamPort>& sends = {});
  // Waits until a launch neither loses nor changes one before it in this part.
  void await_turn(const Part& part, const std::string& name, uint32_t task, bool arguments);
  // In all tiles that have it, or in those of Mapping::only.
  Array array(const std::string& name, ElementType type, const std::optional<Rect>& only) const;
  // What a write by name goes to. BadInput for another type than the array's, or another number of
  // elements than the mapping wants.
  struct Target {
    Array array;
    Spread spread;
  };
  Target target(const std::string& name, ElementType type, size_t count,
                const Mapping& mapping) const;
  // Starts the copy; `data` is not needed any more when it returns.
  std::shared_ptr<Event::State> write(const std::string& name, ElementType type, const void* data,
                                      size_t count, const Mapping& mapping);
  const std::vector<StreamPort>& stream(const std::string& name, bool in) const;
  void read_counters();
};

// The ports of all of these streams.
std::vector<StreamPort> ports_of(const std::map<std::string, std::vector<StreamPort>>& streams);

// The tiles of a rectangle that are not at rest, row by row: a task runs or is activated, a tensor
// instruction or a drain is under way, the core does not sleep.
bool at_rest(ControlPlane& control, const Rect& rect);

// Waits until the tiles are at rest and all that goes to `sends` has entered the grid, and throws
// as Event::wait says. `what` is named in errors.
void wait_for_rest(Runtime::State& machine, const std::vector<const Run::State::Part*>& parts,
                   const std::string& what, uint64_t cycles,
                   const std::vector<StreamPort>& sends = {});

// The hang report of a machine as its program left it: what the host has asked since is over first.
std::string hang_text(Runtime::State& machine);
// Why something does not go on: the error of a tile that has stopped, or the hang report, or why
// neither can be had. `held`: the host holds back what it has to send, so that nothing moves says
// nothing.
std::string fault_text(Runtime::State& machine, bool held);

// Loading: load.cpp. The pointer keeps the machine; when the last copy of it goes, so do the
// program's callbacks.
std::shared_ptr<Run::State> load(std::shared_ptr<Runtime::State> machine, const Program& program,
                                 const Rect& rect);

}  // namespace ow

#endif  // OW_SRC_RUNTIME_STATE_H_
