// SPDX-License-Identifier: Apache-2.0
// A machine, and programs that run on it.
//
//   ow::Runtime machine = ow::open("sim:1x1");
//   ow::Run run = machine.load(ow::Program("gemv.elf"));
//   run.write("A", a);                       // type and size are those that the firmware exports
//   run.launch("compute").wait();            // a trap, a hang, the time limit: an exception
//   std::vector<ow::f16> y = run.read<ow::f16>("y");
//
// Errors are those of openwafer/error.h: BadInput for what the caller got wrong, DeviceFault for
// what the machine did. What is done with one machine takes effect in the order of the calls. A
// Runtime and what comes from it belong to one thread.
#ifndef OPENWAFER_RUNTIME_H_
#define OPENWAFER_RUNTIME_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "openwafer/error.h"
#include "openwafer/grid.h"
#include "openwafer/mapping.h"
#include "openwafer/number.h"
#include "openwafer/program.h"

namespace ow {

class Device;  // what the library drives a machine by

// What a machine is: read from it, never known beforehand.
struct MachineInfo {
  std::string description;
  GridShape grid;           // of tiles that work
  int lanes = 0;            // 16-bit elements a beat
  int threads = 0;          // the task thread and the microthreads
  int colours = 0;          // for data
  uint32_t sram_bytes = 0;  // of a tile
  int queues = 0;           // of a tile, each way
  int descriptors = 0;
  int tasks = 0;
  int positions = 0;  // of a colour's switch; 1: no colour can be switched
  int filters = 0;    // of a tile
  int fifos = 0;
  bool counters = false;  // what Run::profile reads
};

// Something that goes on: a copy or a launch. wait() may be called again and does nothing then.
class Event {
 public:
  class State;

  // Lets the machine work until it is done. `cycles`: of the machine; DeviceFault if it takes
  // longer or if nothing moves any more and it is not done (with the hang report), or if a tile of
  // the run stopped (with its cause and the line of the source; a copy needs no tile that runs).
  // What takes longer goes on, and can be waited for again.
  void wait(uint64_t cycles = kPatience);
  bool done() const;

  static constexpr uint64_t kPatience = 10'000'000;

 private:
  friend class Run;
  explicit Event(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// What tiles did between two calls of Run::profile. Sums over the tiles; cycles of each are
// `cycles` x tiles.
struct Activity {
  uint64_t beats = 0;  // of the engine: cycles in which it worked
  // Cycles in which it had work and waited: for an input queue, an output queue, an accumulator
  // row, memory.
  uint64_t stall_input = 0, stall_output = 0, stall_row = 0, stall_memory = 0;
  uint64_t no_work = 0;
  uint64_t instructions = 0;                   // of the core
  uint64_t asleep = 0;                         // cycles of the core
  uint64_t wavelets_in = 0, wavelets_out = 0;  // through the ramps
  uint64_t reducer_elements = 0, reducer_waits = 0;
};
struct Profile {
  uint64_t cycles = 0;
  Activity total;
  std::vector<Activity> tiles;  // row by row
};

// What a tile has printed with ow_printf (openwafer/tile/print.h).
struct Print {
  int row = 0;  // of the machine
  int col = 0;
  uint32_t cycle = 0;  // low word of the cycle count
  std::string text;    // without a newline at its end

  std::string line() const;  // "tile (0, 1), cycle 1234: text"
};

// What a consumer gets, and a producer makes, at the edge.
struct Word {
  uint32_t data = 0;
  bool control = false;
};

// A loaded program. It goes on, and keeps its colours, until another one has its tiles. Copies are
// the same program; when the last of them and of the Events of its launches goes, nobody is left
// whom its producers, consumers and sends are for: they end.
class Run {
 public:
  class State;
  Rect rect() const;

  // Copies an array to the tiles whose firmware exports `name`. BadInput if there is none, the type
  // is another, or the size is not that of the mapping; the message says which.
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
    // The copy has it, too: one that is late may end when this has thrown.
    const auto data =
        std::make_shared<std::vector<T>>(elements(name, ElementOf<T>::kType, mapping));
    read_bytes(name, ElementOf<T>::kType, data->data(), data->size(), mapping, data).wait();
    return std::move(*data);
  }
  // `data` gets the size, and its contents when the event is done; it must live as long.
  template <typename T>
  Event read_async(const std::string& name, std::vector<T>* data,
                   const Mapping& mapping = Mapping::tiles()) {
    data->resize(elements(name, ElementOf<T>::kType, mapping));
    return read_bytes(name, ElementOf<T>::kType, data->data(), data->size(), mapping);
  }

  // Calls the function of OW_LAUNCH(name, ...) in all tiles that have it. It is done when these
  // tiles are at rest: no task runs or is activated, no tensor instruction is under way. Launches
  // of a tile need not be waited for one by one: each has its own arguments and runs once. One that
  // would take the place of another which has not begun lets the machine work until it has.
  Event launch(const std::string& name, const std::vector<uint32_t>& arguments = {});

  // Waits until all of the program's tiles are at rest and all that was sent has entered the grid,
  // as Event::wait.
  void wait(uint64_t cycles = Event::kPatience);

  // Streams of the layout. An array is cut evenly over the ports and packed: two 16-bit elements a
  // wavelet (the first in the low half), or one of 32 bits. Sending takes effect while the machine
  // works (wait).
  template <typename T>
  void send(const std::string& stream, const std::vector<T>& data) {
    send_bytes(stream, sizeof(T), data.data(), data.size());
  }
  // Waits for `count` elements of each port, which come port by port; control wavelets are left
  // out. If it throws, what has come can still be received.
  template <typename T>
  std::vector<T> receive(const std::string& stream, size_t count,
                         uint64_t cycles = Event::kPatience) {
    std::vector<T> data(count * ports(stream));
    receive_bytes(stream, sizeof(T), data.data(), count, cycles);
    return data;
  }
  size_t ports(const std::string& stream) const;

  // `next` is asked for words as the port can take them (at most a few hundred wait), until it
  // returns none. It must not use this machine. What it, or `take`, throws comes out of the call
  // that lets the machine work; no word is lost, and it is called again when the machine works on.
  void produce(const std::string& stream, size_t port, std::function<std::optional<Word>()> next);
  // `take` gets what has arrived and what arrives, in order.
  void consume(const std::string& stream, size_t port, std::function<void(Word)> take);

  // What happened since the last call, or since loading. BadInput if the tiles have no counters
  // (MachineInfo::counters).
  Profile profile();

  // What the tiles have printed since the last call, or since loading, by cycle; of tiles that have
  // been stopped, too. What was printed too often between two calls for a tile's ring is lost.
  std::vector<Print> prints();
  uint64_t prints_lost() const;  // up to the last call of prints()

 private:
  friend class Runtime;
  explicit Run(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Event write_bytes(const std::string& name, ElementType type, const void* data, size_t count,
                    const Mapping& mapping);
  // `keep` lives until the copy is done.
  Event read_bytes(const std::string& name, ElementType type, void* data, size_t count,
                   const Mapping& mapping, std::shared_ptr<void> keep = nullptr);
  size_t elements(const std::string& name, ElementType type, const Mapping& mapping) const;
  void send_bytes(const std::string& stream, size_t element, const void* data, size_t count);
  void receive_bytes(const std::string& stream, size_t element, void* data, size_t count,
                     uint64_t cycles);

  std::shared_ptr<State> state_;
};

// A machine. Copies are the same machine.
class Runtime {
 public:
  class State;

  const MachineInfo& info() const;
  GridShape grid() const { return info().grid; }
  uint64_t cycle() const;

  // Loads a program into a rectangle (its layout's size, if it has one and none is given at the
  // north-west corner; else the whole machine) and waits until its cores have started: SRAM,
  // routes, queues, filters, coordinates, parameters and cores of these tiles are set anew.
  // BadInput for what does not fit: firmware and SRAM, colours, routes that cannot work, a variable
  // that the firmware does not export, a parameter of another name, type or size than what it
  // exports. The fabric must be quiet there.
  Run load(const Program& program, std::optional<Rect> rect = std::nullopt);

 private:
  friend Runtime make_runtime(std::unique_ptr<Device> device);
  explicit Runtime(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Opens a machine:
//   sim:RxC      a simulated grid of R x C tiles
//   sim-mini:RxC   the same of the tiles of `mini`
//   mono:RxC     the same, Verilated as a whole (only sizes that were built: 2x2)
//   wafer:FILE[,OPTION]...   a simulated wafer by its configuration; it is brought up and
//                repaired, and has the logical tiles that this gives. A comma ends a file's name.
//                Options, each at most once:
//                  defects=FILE: what is broken in it;
//                  window=RxC[@ROW,COLUMN]: only these logical tiles;
//                  accept-smaller: the largest rectangle that works, if the rest cannot be
//                  repaired;
//                  map=FILE: the map of an earlier bring-up (ow bringup), instead of one now, and
//                  without the two options before.
//   uart:PATH, uart:PATH:BAUD   a board at a serial port (docs/fpga.md); 3,000,000 baud if none is
//                named. It is reset; what it does not answer in 10 s is DeviceFault
// BadInput for anything else; DeviceFault if a wafer cannot be repaired. `firmware` is the
// directory of the self-test that a wafer is brought up with; the package knows its own. With
// OPENWAFER_RECORD=FILE in the environment the run of a simulated grid of full tiles is recorded,
// so that waves of it can be made afterwards; other machines are refused then.
#ifndef OPENWAFER_FIRMWARE
#define OPENWAFER_FIRMWARE ""
#endif
Runtime open(const std::string& machine, const std::string& firmware = OPENWAFER_FIRMWARE);

}  // namespace ow

#endif  // OPENWAFER_RUNTIME_H_
