// SPDX-License-Identifier: Apache-2.0
// The state of Runtime, Run and Event.
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
#include "ow/runtime/counters.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/layout_state.h"
#include "ow/runtime/machine.h"
#include "ow/runtime/prints.h"
#include "ow/runtime/tile_config.h"
#include "spread.h"

namespace ow {

class Copy;
// A part of a copy, which begins when the one before has ended: names the words of tiles that are
// read and written, or none.
using CopyStep = std::function<void(Bulk* bulk)>;

// Cycles for which Event::done lets the machine work.
constexpr uint64_t kDoneCycles = 1000;

class Event::State {
 public:
  virtual ~State() = default;
  virtual void wait(uint64_t cycles) = 0;
  virtual bool done() = 0;
  virtual void cancel() = 0;
  uint64_t cycle() const { return cycle_; }

 protected:
  uint64_t cycle_ = 0;  // of the machine when the operation was found done
};

class Runtime::State : public std::enable_shared_from_this<Runtime::State> {
 public:
  explicit State(std::unique_ptr<Device> device);

  Device& device() { return *device_; }
  // For requests of any kind. Copies under way are finished first.
  ControlPlane& control();
  // Call it after writes to these tiles that nobody has waited for; a copy will wait.
  void written(const Rect& rect);
  void settled() { unfenced_.clear(); }
  const MachineInfo& info() const { return info_; }
  const TileConfig& tile() const { return tile_; }

  // Lets the machine work, serving streams, until `done` returns true (it may be empty), nothing
  // moves, or the cycles have passed.
  RunStatus work(uint64_t cycles, const std::function<bool()>& done);

  // Copies into tiles go straight into the memories of a simulated machine.
  void set_direct(bool direct) { direct_ = direct; }
  // Starts a copy.
  std::shared_ptr<Event::State> copy(std::vector<CopyStep> steps);

  void produce(const StreamPort& port, MakeWavelets make);
  // `take` returns false for a word that it will take later.
  void consume(const StreamPort& port, std::function<bool(Word)> take);
  // Words that have arrived and have no consumer.
  std::vector<Word> take_words(const StreamPort& port, size_t most);
  // Returns words that were taken, so that they are taken again before all others.
  void give_back(const StreamPort& port, const std::vector<uint32_t>& words);
  // Whether a consumer did not take a word when it was last asked; the ports of such consumers.
  bool refused() const { return !refusing().empty(); }
  std::vector<StreamPort> refusing() const;
  // Whether producers of these ports have not ended, or their wavelets have not entered the grid.
  bool sends_left(const std::vector<StreamPort>& ports) const;
  // Stops calling producers and consumers of a port. Arrived words stay.
  void end_callbacks(const StreamPort& port);
  void end_callbacks(const Run::State& run);
  // Removes those of the program, and the words waiting at its ports.
  void drop_streams(const Run::State& run);
  // Words that producers of a port have given, or consumers and receivers have taken.
  uint64_t moved(const StreamPort& port) const;

  // Loaded programs, until others take their tiles.
  std::vector<std::shared_ptr<Run::State>> runs;

 private:
  friend class Copy;
  struct Sink {
    std::function<bool(Word)> take;  // empty: kept in `words`
    std::vector<Word> words;
    size_t taken = 0;
    bool held = false;  // a word was refused: the port returns no credits
  };
  void serve();
  void fetch(const StreamPort& port, Sink* sink);
  void hold(const StreamPort& port, Sink* sink, bool held);

  std::unique_ptr<Device> device_;
  ControlPlane control_;
  MachineInfo info_;
  TileConfig tile_;
  std::shared_ptr<Copy> copy_;  // under way
  bool direct_ = false;
  std::vector<Rect> unfenced_;
  std::map<StreamPort, std::vector<MakeWavelets>> sources_;
  std::map<StreamPort, Sink> sinks_;
  std::map<StreamPort, uint64_t> moved_;
};

class Run::State {
 public:
  struct LoadedPart {
    Rect rect;  // of the machine
    ElfImage image;
  };
  // Tiles of a part.
  struct Tiles {
    const LoadedPart* part = nullptr;
    Rect rect;  // of the machine
  };
  // Where an exported array is in the tiles that have it.
  struct Array {
    const ElfExport* shape = nullptr;
    Rect rect;  // of the machine
    struct Place {
      Rect rect;
      uint32_t addr = 0;
    };
    std::vector<Place> places;  // they fill the rectangle
  };

  Runtime::State* machine = nullptr;  // it has this one
  Rect rect;
  std::vector<LoadedPart> parts;
  std::map<std::string, std::vector<StreamPort>> streams_in, streams_out;
  std::map<std::string, size_t> parts_of;      // streams that are scattered: tiles of a port
  std::set<std::tuple<int, int, int>> routed;  // row, col, colour; beyond the rectangle, too
  std::map<std::string, Rect> regions;         // of the machine
  bool switched = false;
  bool replaced = false;              // another program has been loaded over it
  std::string cancelled;              // the launch whose tiles have been stopped
  std::vector<PrintReader> printers;  // of the parts
  // Of a tile: what its counters were when they were last read.
  struct Counted {
    Counters counters{};
    uint64_t cycle = 0;
  };
  // Of a tile: bits of the tasks that were launched and may not have begun; those of them that have
  // arguments.
  struct Launched {
    uint32_t tasks = 0;
    uint32_t arguments = 0;
  };
  // By tile, row by row.
  std::vector<Counted> counted;
  std::vector<Launched> launched;

  void check_loaded() const;
  void check_usable() const;  // no launch has been cancelled either
  // Rectangles are of the machine. The parts' tiles in one; the indices of its tiles.
  std::vector<Tiles> tiles(const Rect& within) const;
  std::vector<size_t> places(const Rect& within) const;
  // For messages: "the program", "region 'a'" or "the run"; " in region 'a'", " in 1 x 2 tiles at
  // (0, 1)" of the program, or nothing for all of it.
  std::string title(const Rect& area) const;
  std::string where(const Rect& area) const;
  // wait_for_rest and reach_rest for some of the tiles.
  void rest(const std::vector<Tiles>& some, const std::string& what, uint64_t cycles,
            const std::vector<StreamPort>& sends = {}, uint64_t* at = nullptr);
  bool rests(const std::vector<Tiles>& some, const std::string& what, uint64_t cycles,
             uint64_t* at);
  void forget_launches(const std::vector<Tiles>& some);
  // Stops tiles of a launch for good.
  void stop(const std::vector<Tiles>& some, const std::string& what);
  // Waits until a launch neither loses nor changes an earlier one in these tiles.
  void await_turn(const Tiles& tiles, const std::string& what, uint32_t task, bool arguments);
  // In all tiles of the area that have the array, or in those of Mapping::only.
  Array array(const std::string& name, ElementType type, const std::optional<Rect>& only,
              const Rect& area) const;
  // The target of a write by name. BadInput if the type differs from the array's, or the number of
  // elements from the mapping's.
  struct Target {
    Array array;
    Spread spread;
  };
  Target target(const std::string& name, ElementType type, size_t count, const Mapping& mapping,
                const Rect& area) const;
  // Starts the copy. `data` is no longer needed when it returns.
  std::shared_ptr<Event::State> write(const std::string& name, ElementType type, const void* data,
                                      size_t count, const Mapping& mapping, const Rect& area);
  const std::vector<StreamPort>& stream(const std::string& name, bool in) const;
  void begin_counts();  // when the program has started
  void read_counters(const Rect& within);
};

// What is behind the installed interface.
class Internals {
 public:
  static Runtime::State& of(const Runtime& machine) { return *machine.state_; }
  static Run::State& of(const Run& run) { return *run.state_; }
};

inline size_t tiles_of(const Rect& r) {
  return static_cast<size_t>(r.rows) * static_cast<size_t>(r.cols);
}
// The intersection; it has no rows or no columns if there is none.
Rect common(const Rect& a, const Rect& b);
std::string rect_text(const Rect& rect);  // "1 x 2 tiles at (0, 1)"

// The ports of all of these streams.
std::vector<StreamPort> ports_of(const std::map<std::string, std::vector<StreamPort>>& streams);

// The tiles of a rectangle that are not at rest, row by row: a task runs or is activated, a tensor
// instruction or a drain is under way, or the core does not sleep.
bool at_rest(ControlPlane& control, const Rect& rect);

// Lets the machine work until the tiles are at rest and everything for `sends` has entered the
// grid. False if it needs more cycles, or a consumer that takes words. Throws like Event::wait for
// other reasons. Errors name `what`.
// `at`, if given, is the cycle in which the machine was last let work.
bool reach_rest(Runtime::State& machine, const std::vector<Run::State::Tiles>& tiles,
                const std::string& what, uint64_t cycles, const std::vector<StreamPort>& sends = {},
                uint64_t* at = nullptr);
// The same, but false is an error as well.
void wait_for_rest(Runtime::State& machine, const std::vector<Run::State::Tiles>& tiles,
                   const std::string& what, uint64_t cycles,
                   const std::vector<StreamPort>& sends = {}, uint64_t* at = nullptr);

// The hang report of a machine as its program left it; earlier host requests are finished first.
std::string hang_text(Runtime::State& machine);
// Why something does not go on: the error of a stopped tile, the hang report, or why neither is
// available. `held`: the host holds back its own words, so a quiet grid proves nothing.
std::string fault_text(Runtime::State& machine, bool held);

// Loading (load.cpp). The pointer keeps the machine alive; the program's callbacks end with its
// last copy.
std::shared_ptr<Run::State> load(std::shared_ptr<Runtime::State> machine, const Program& program,
                                 const Rect& rect);

}  // namespace ow

#endif  // OW_SRC_RUNTIME_STATE_H_
