// SPDX-License-Identifier: Apache-2.0
// How the kit talks to a device: a line asks, a line answers (docs/conformance.md, "The line
// protocol"). Every door is one of these, so a test does not know which one it goes through.
#ifndef OW_CONFORM_DOOR_H_
#define OW_CONFORM_DOOR_H_

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "openwafer/grid.h"

namespace ow::conform {

// The device does not answer any more: it ended, or its time is over. What it was asked counts as
// failed, and the next test begins with restart().
class Silent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Door {
 public:
  virtual ~Door() = default;
  // One line, without its end. The answer begins with "ok", "no" (the device does not have it) or
  // "error". Throws Silent.
  virtual std::string ask(const std::string& line) = 0;
  // After Silent: a new device, or Silent again.
  virtual void restart() {}
};

// A request that the device does not have, or cannot do.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Word {
  bool control = false;
  uint32_t data = 0;
};

struct Call {
  std::string op, type, result;
  size_t count = 0;
  std::vector<uint32_t> operands;  // a, then b, then c
};

// One clock of an end of a link. In: what comes from its tile and on its lanes, and a command: bit
// 0 resets it, bit 1 trains it, bit 2 keeps it off, bit 3 reads the word of the status in bits
// 13:8. Out: what it drives after this clock, and the word that was read last.
struct EndClock {
  uint64_t tile = 0;
  std::array<uint64_t, 2> lanes{};  // lane l of group g is bit l of word g
  uint32_t word = 0;                // the command, or the word of the status
};

// A device as functions. Those that a device does not have throw Refused.
class Device : public Door {
 public:
  std::string ask(const std::string& line) final;

 protected:
  [[noreturn]] static void lack(const char* what) { throw Refused(what); }

  virtual void reset(GridShape) { lack("reset"); }
  // `address` is SRAM or a register, a multiple of 4.
  virtual void write(int, int, uint32_t, const std::vector<uint32_t>&) { lack("write"); }
  virtual std::vector<uint32_t> read(int, int, uint32_t, size_t) { lack("read"); }
  virtual void send(Side, int, int, const std::vector<Word>&) { lack("send"); }
  // All that has left the grid there since the last call.
  virtual std::vector<Word> take(Side, int, int) { lack("take"); }
  virtual void hold(Side, int, int, bool) { lack("hold"); }
  // Until nothing moves, or for so many cycles. Returns the cycles.
  virtual uint64_t run(uint64_t) { lack("run"); }
  virtual std::vector<uint32_t> call(const Call&) { lack("call"); }

  // The two ends of a link after their reset, and one clock of both.
  virtual void open_ends(bool /*mini*/) { lack("ends"); }
  virtual std::array<EndClock, 2> clock_ends(const std::array<EndClock, 2>&) { lack("clock"); }

  // A host that trains. `text` is a job in JSON; numbers are encodings.
  virtual void begin_job(const std::string& /*text*/) { lack("job"); }
  // `what` of a parameter: value, first, second, mask, gradient.
  virtual std::vector<uint32_t> parameter(const std::string& /*name*/,
                                          const std::string& /*what*/) {
    lack("parameter");
  }
  virtual void set_parameter(const std::string&, const std::vector<uint32_t>&) { lack("set"); }
  virtual void set_gradient(const std::string&, const std::vector<uint32_t>&) { lack("gradient"); }
  // A micro-batch forward and backward. Returns the last layer's outputs.
  virtual std::vector<uint32_t> batch(const std::vector<uint32_t>& /*inputs*/,
                                      const std::vector<uint32_t>& /*targets*/) {
    lack("batch");
  }
  // Whether parameters were updated, and the loss scale after it.
  virtual std::pair<bool, uint32_t> end_step() { lack("step"); }
  virtual std::vector<uint32_t> order(uint64_t /*samples*/, uint64_t /*step*/) { lack("order"); }

 private:
  std::string answer_link(const std::vector<std::string>& words);
  // The lines of a host that trains; empty: it is none of them.
  std::string answer_host(const std::vector<std::string>& words);
  std::string answer(const std::vector<std::string>& words);
};

// Answers the lines of a file, such as standard input, until it ends or says "bye".
void serve(Door* door, std::FILE* in, std::FILE* out);

// A program that speaks the line protocol on its standard input and output; `command` is for the
// shell. An answer may take so many seconds. BadInput if it cannot be started.
std::unique_ptr<Door> make_line_door(const std::string& command, double seconds);

// Answers that were made elsewhere: TEST.txt of a directory has a line for each request of a test.
std::unique_ptr<Door> make_results_door(const std::string& directory);

// A shared library with the function ow_conform_open (openwafer/conform.h); `arguments` are for it.
// BadInput if it cannot be loaded.
std::unique_ptr<Door> make_library_door(const std::string& path, const std::string& arguments);

}  // namespace ow::conform

#endif  // OW_CONFORM_DOOR_H_
