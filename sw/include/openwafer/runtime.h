// SPDX-License-Identifier: Apache-2.0
// A machine, and the programs that run on it.
//
//   ow::Runtime machine = ow::open("sim:1x1");
//   ow::Run run = machine.load(ow::Program("gemv.elf"));
//   run.write("A", a);                       // type and size must match the firmware's export
//   run.launch("compute").wait();            // a trap, a hang or the time limit is an exception
//   std::vector<ow::f16> y = run.read<ow::f16>("y");
//
// Errors are those of openwafer/error.h. BadInput is a mistake of the caller, DeviceFault a failure
// of the machine. Calls on one machine take effect in their order. A Runtime and everything made
// from it belong to one thread.
#ifndef OPENWAFER_RUNTIME_H_
#define OPENWAFER_RUNTIME_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "openwafer/argument.h"
#include "openwafer/error.h"
#include "openwafer/grid.h"
#include "openwafer/mapping.h"
#include "openwafer/number.h"
#include "openwafer/program.h"

namespace ow {

// Internal to the library.
class Device;  // drives a machine
class Internals;

// Properties of a machine, read from the machine itself.
struct MachineInfo {
  std::string description;
  GridShape grid;           // working tiles
  int lanes = 0;            // 16-bit elements per beat
  int threads = 0;          // the task thread and the microthreads
  int colours = 0;          // data colours
  uint32_t sram_bytes = 0;  // per tile
  int queues = 0;           // per tile, each way
  int descriptors = 0;
  int tasks = 0;
  int positions = 0;  // of a colour's switch; 1: no colour can be switched
  int filters = 0;    // per tile
  int fifos = 0;
  bool counters = false;  // whether Run::profile can read them
};

// An operation under way: a copy or a launch. A second wait() does nothing.
class Event {
 public:
  class State;

  // Runs the machine until the operation is done. Throws DeviceFault if it takes more than `cycles`
  // machine cycles, if nothing moves any more and it is not done (with the hang report), or if a
  // tile of the run has stopped (with cause and source line). A copy does not need running tiles.
  // An operation that is late goes on; wait for it again.
  void wait(uint64_t cycles = kCycleLimit);
  // Lets the machine work for a short time, a few thousand cycles, and tells whether the operation
  // is done. Throws like wait(), but not because the operation needs more cycles.
  bool done() const;
  // Ends the operation; then it counts as done. A copy sends nothing more: some of its elements
  // have been written, and an array that it reads is not filled. The tiles of a launch are stopped,
  // and their program must be loaded again: until then it can only be read.
  void cancel();
  // The machine's cycle (Runtime::cycle) in which the operation was found done; 0 before. A launch
  // is found done in the cycle in which its tiles came to rest, if the machine can tell that
  // nothing moves (a simulated one) and no other program runs; else at the next look.
  uint64_t cycle() const;

  static constexpr uint64_t kCycleLimit = 10'000'000;

 private:
  friend class Run;
  explicit Event(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// What tiles did between two calls of Run::profile, summed over the tiles. The tiles together had
// `cycles` x tiles cycles, if the call before was for the same tiles. Otherwise `cycles` are the
// longest time of a tile.
struct Activity {
  uint64_t beats = 0;  // cycles in which the engine worked
  // Cycles in which the engine had work and waited: for an input queue, an output queue, an
  // accumulator row, or memory.
  uint64_t stall_input = 0, stall_output = 0, stall_row = 0, stall_memory = 0;
  uint64_t no_work = 0;
  uint64_t instructions = 0;                   // executed by the core
  uint64_t asleep = 0;                         // cycles of the core
  uint64_t wavelets_in = 0, wavelets_out = 0;  // through the ramps
  uint64_t reducer_elements = 0, reducer_waits = 0;
};
struct Profile {
  uint64_t cycles = 0;
  Activity total;
  std::vector<Activity> tiles;  // row by row
};

// A line printed by a tile with ow_printf (openwafer/tile/print.h).
struct Print {
  int row = 0;  // of the machine
  int col = 0;
  uint32_t cycle = 0;  // low word of the cycle count
  std::string text;    // without a newline at the end

  std::string line() const;  // "tile (0, 1), cycle 1234: text"
};

// A word at the edge: a consumer gets it, a producer makes it.
struct Word {
  uint32_t data = 0;
  bool control = false;
  uint64_t cycle = 0;  // of the machine, in which it left the grid; for a producer's word unused
};

// A loaded program, or some of its tiles (on()). It keeps running, and keeps its colours, until
// another program takes its tiles. Copies of a Run are the same program. Its producers, consumers
// and sends end when the last copy and the last Event of its launches are gone.
class Run {
 public:
  class State;
  Rect rect() const;
  // Colours of the machine that its flows use.
  int colours() const;

  // The same program, but only these of its tiles: copies, launches, wait(), profile and prints
  // act on them. Rows and columns are relative to this Run's tiles. Streams stay the program's.
  // BadInput if the tiles are not all in this Run.
  Run on(const Rect& tiles) const;

  // Copies an array to all tiles whose firmware exports `name`. Throws BadInput if no firmware
  // does, if the type differs, or if the size does not match the mapping.
  template <typename T>
  void write(const std::string& name, const std::vector<T>& data,
             const Mapping& mapping = Mapping::tiles()) {
    write_async(name, data, mapping).wait();
  }
  template <typename T>
  void write(const std::string& name, T value) {  // a scalar, the same in all tiles
    write(name, std::vector<T>(1, value), Mapping::same());
  }
  template <typename T>
  Event write_async(const std::string& name, const std::vector<T>& data,
                    const Mapping& mapping = Mapping::tiles()) {
    return write_bytes(name, ElementOf<T>::kType, data.data(), data.size(), mapping);
  }
  template <typename T>
  std::vector<T> read(const std::string& name, const Mapping& mapping = Mapping::tiles()) {
    // The copy holds the data too: a late copy may end after this function has thrown.
    const auto data =
        std::make_shared<std::vector<T>>(elements(name, ElementOf<T>::kType, mapping));
    read_bytes(name, ElementOf<T>::kType, data->data(), data->size(), mapping, data).wait();
    return std::move(*data);
  }
  // `data` is resized now and filled when the event is done. It must live until then.
  template <typename T>
  Event read_async(const std::string& name, std::vector<T>* data,
                   const Mapping& mapping = Mapping::tiles()) {
    data->resize(elements(name, ElementOf<T>::kType, mapping));
    return read_bytes(name, ElementOf<T>::kType, data->data(), data->size(), mapping);
  }

  // Calls the function of OW_LAUNCH(name, ...) in all tiles that have it, with an argument for each
  // of its parameters: run.launch("scale", 8, 1.5f). BadInput if their number or a type differs, or
  // if an integer does not fit (openwafer/argument.h). The launch is done when
  // these tiles are at rest: no task runs or is activated, and no tensor instruction is under way.
  // You may start several launches before waiting. Each has its own arguments and runs once. If a
  // launch would overwrite one that has not begun, the machine first runs until that one has begun.
  template <typename... T>
  Event launch(const std::string& name, T... arguments) {
    return launch_with(name, {Argument(arguments)...});
  }

  // Waits until all tiles are at rest and, for a whole program, everything sent has entered the
  // grid. Limits and errors are those of Event::wait.
  void wait(uint64_t cycles = Event::kCycleLimit);

  // Streams of the layout. An array is cut evenly over the ports and packed into wavelets: two
  // 16-bit elements (the first in the low half) or one 32-bit element. Words are sent while the
  // machine works (wait).
  template <typename T>
  void send(const std::string& stream, const std::vector<T>& data) {
    send_bytes(stream, sizeof(T), data.data(), data.size());
  }
  // Waits for `count` elements per port and returns them port by port, without control wavelets. If
  // it throws, words that have arrived can still be received.
  template <typename T>
  std::vector<T> receive(const std::string& stream, size_t count,
                         uint64_t cycles = Event::kCycleLimit) {
    std::vector<T> data(count * ports(stream));
    receive_bytes(stream, sizeof(T), data.data(), count, cycles);
    return data;
  }
  size_t ports(const std::string& stream) const;

  // Asks `next` for words when the port has room (at most a few hundred wait), until it returns
  // none. `next` must not use this machine. An exception from `next` or `take` leaves the call that
  // runs the machine. No word is lost, and the function is called again when the machine runs
  // again.
  void produce(const std::string& stream, size_t port, std::function<std::optional<Word>()> next);
  // `take` gets all words in order, including those that have already arrived. If it returns a
  // bool, false means "not now": the word comes again when the machine works, and the words after
  // it wait in the grid. Words that nobody consumes are kept by the host, however many come.
  // BadInput for such a `take` if the machine cannot make words wait (a board).
  template <typename Take>
  void consume(const std::string& stream, size_t port, Take take) {
    if constexpr (std::is_same_v<std::invoke_result_t<Take&, Word>, bool>) {
      set_consumer(stream, port, std::move(take), true);
    } else {
      const auto always = [take = std::move(take)](Word word) mutable {
        take(word);
        return true;
      };
      set_consumer(stream, port, always, false);
    }
  }
  // Removes producers, sends and consumers of a stream. Returns the number of words that were made
  // for it or taken from it since the program was loaded.
  uint64_t cancel(const std::string& stream);

  // What each tile did after the last call for it, or after loading. Throws BadInput if the tiles
  // have no counters (MachineInfo::counters).
  Profile profile();

  // Lines printed after the last call, or after loading, sorted by cycle. Includes tiles that have
  // stopped. Lines that a tile's ring has overwritten are lost.
  std::vector<Print> prints();
  uint64_t prints_lost() const;  // up to the last call of prints()

 private:
  friend class Runtime;
  friend class Internals;
  Run(std::shared_ptr<State> state, const Rect& tiles);
  Event write_bytes(const std::string& name, ElementType type, const void* data, size_t count,
                    const Mapping& mapping);
  Event launch_with(const std::string& name, const std::vector<Argument>& arguments);
  // `keep` lives until the copy is done.
  Event read_bytes(const std::string& name, ElementType type, void* data, size_t count,
                   const Mapping& mapping, std::shared_ptr<void> keep = nullptr);
  void set_consumer(const std::string& stream, size_t port, std::function<bool(Word)> take,
                    bool refuses);
  size_t elements(const std::string& name, ElementType type, const Mapping& mapping) const;
  void send_bytes(const std::string& stream, size_t element, const void* data, size_t count);
  void receive_bytes(const std::string& stream, size_t element, void* data, size_t count,
                     uint64_t cycles);

  std::shared_ptr<State> state_;
  Rect area_;  // of the machine
};

// A machine. Copies are the same machine.
class Runtime {
 public:
  class State;

  const MachineInfo& info() const;
  GridShape grid() const { return info().grid; }
  uint64_t cycle() const;

  // Loads a program into a rectangle and waits until its cores have started. The default rectangle
  // is the layout's size at the north-west corner, or the whole machine without a layout. SRAM,
  // routes, queues, filters, coordinates, parameters and cores of these tiles are set anew. The
  // fabric must be quiet there. Throws BadInput if the firmware does not fit SRAM, colours are
  // missing, routes cannot work, or a variable or parameter does not match the firmware's exports.
  Run load(const Program& program, std::optional<Rect> rect = std::nullopt);

  // Ends the recording that open() began (record=), if there is one: its file gets its name. Throws
  // BadInput if it cannot be written. Without this call the recording ends with the machine, which
  // can only print that to standard error.
  void end_recording() const;

 private:
  friend Runtime make_runtime(std::unique_ptr<Device> device);
  friend class Internals;
  explicit Runtime(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Opens a machine:
//   sim:RxC                     a simulated grid of R x C tiles
//   sim-mini:RxC                the same with `mini` tiles
//   mono:RxC                    the same, Verilated as one model; only 2x2 is built
//   wafer:FILE[,OPTION]...      a simulated wafer, which is brought up and repaired
//   uart:PATH, uart:PATH:BAUD   a board at a serial port (docs/fpga.md), 3,000,000 baud by default
//
// A comma ends a file's name, unless a backslash stands before it.
//
// Options of a wafer, each at most once:
//   defects=FILE                what is broken
//   window=RxC[@ROW,COLUMN]     only these logical tiles
//   accept-smaller              the largest working rectangle, if the wafer cannot be repaired
//   map=FILE                    the map of an earlier `ow bringup`; no bring-up now; not with the
//                               two options before
//
// Options of sim are in docs/simulation.md. With one of them open() returns in one process alone:
//   split=K                     K processes (mpirun) simulate the grid together. In ranks other
//                               than 0 open() serves rank 0, and the process ends with rank 0's
//                               device
//
// The option of sim and mono:
//   record=FILE                 the run is recorded, for waves of it afterwards (docs/debugging.md)
//
// A board is reset when it is opened, and it must answer within 10 s (else DeviceFault). Throws
// BadInput for any other name, DeviceFault if a wafer cannot be repaired. `firmware` is the
// directory of the self-test for bring-up; the installed package knows its own.
#ifndef OPENWAFER_FIRMWARE
#define OPENWAFER_FIRMWARE ""
#endif
Runtime open(const std::string& machine, const std::string& firmware = OPENWAFER_FIRMWARE);

}  // namespace ow

#endif  // OPENWAFER_RUNTIME_H_
