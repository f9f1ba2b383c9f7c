// SPDX-License-Identifier: Apache-2.0
// A tile that stops by an error: what the control plane reads, what the host says of it, that the
// rest of the grid goes on, and that a reset brings the tile back.
#include "ow/diagnose/tile_error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include "faults_kernel.h"
#include "ow/base/error.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/hang_report.h"
#include "ow/isa/isa.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "ow/sim/sim.h"

namespace ow {
namespace {

// Bits of a control wavelet: row end, stream end.
constexpr uint32_t kLast = isa::Control::RowEnd::kMask | isa::Control::StreamEnd::kMask;

constexpr int kRow = 1;
constexpr int kCol = 1;
constexpr int kColour = 5;   // to the tile's ramp
constexpr int kThrough = 6;  // through the tile, from west to east
constexpr int kRows = 8;     // to the tile's ramp: control wavelets that close rows
constexpr int kOut = 7;      // of the output queue, to the east edge
const char* const kSource = "tb/sw/runtime/faults_kernel.c";

// The line of the firmware with the comment "stops: <name>".
int line_of(const std::string& name) {
  std::ifstream file(std::string(OW_SOURCE_DIR "/") + kSource);
  std::string line;
  for (int n = 1; std::getline(file, line); ++n) {
    if (line.find("stops: " + name) != std::string::npos) return n;
  }
  return -1;
}

class TileErrorTest : public testing::Test {
 protected:
  TileErrorTest() : image(read_elf(OW_FIRMWARE_DIR "/faults.elf", isa::kFull.sram_bytes)) {
    SimOptions options;
    options.check_idle = true;
    device = make_device(DeviceKind::Replicated, GridShape{2, 3}, options);
    control = std::make_unique<ControlPlane>(*device);
    load_program(*control, tile, image);
    RouteSet routes(device->shape());
    for (const int colour : {kColour, kThrough, kRows}) {
      routes.set(kRow, 0, colour, Route{Port::West, kOutE});
    }
    routes.set(kRow, kCol, kColour, Route{Port::West, kOutRamp});
    routes.set(kRow, kCol, kRows, Route{Port::West, kOutRamp});
    routes.set(kRow, kCol, kThrough, Route{Port::West, kOutE});
    routes.set(kRow, kCol, kOut, Route{Port::Ramp, kOutE});
    for (const int colour : {kThrough, kOut}) {
      routes.set(kRow, 2, colour, Route{Port::West, kOutE});
      routes.listen(Side::East, kRow, colour);
    }
    routes.apply(*control);
    bind_outq(*control, tile, OW_FAULTS_QUEUE, kOut);
    bind_inq(*control, tile, OW_FAULTS_ROWS, kRows);
  }

  void start(ow_fault fault) {
    control->write(tile, image.symbol("ow_fault"), static_cast<uint32_t>(fault));
    start_cores(*control, tile, image.entry);
    control->fence(tile);
    EXPECT_EQ(device->run(20000), RunStatus::Quiet) << "a stopped tile is at rest";
  }
  void bind() { bind_inq(*control, tile, OW_FAULTS_QUEUE, kColour); }
  void stream(int n, uint32_t data = 1) {
    for (int k = 0; k < n; ++k) device->send(Side::West, kRow, Wavelet{kColour, false, data});
    EXPECT_EQ(device->run(20000), RunStatus::Quiet);
  }
  uint32_t word(const std::string& symbol) {
    return control->read_tile(kRow, kCol, image.symbol(symbol));
  }
  std::string line(const std::string& name) {
    return fmt::format("({}:{})", kSource, line_of(name));
  }

  // The tile stopped as expected, the host says so in one line, and the grid goes on.
  TileError expect_stopped(ErrorSource source, int cause, const std::string& text,
                           size_t roots = 1) {
    const TileError error = read_error(*control, kRow, kCol);
    EXPECT_TRUE(error.stopped);
    EXPECT_EQ(error.source, source);
    EXPECT_EQ(error.cause, cause);
    try {
      check_errors(*control, whole(device->shape()), &image);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DeviceFault& e) {
      const std::string what = e.what();
      EXPECT_EQ(what.find("tile (1, 1) stopped: "), 0u) << what;
      EXPECT_NE(what.find(text), std::string::npos) << what << "\nexpected: " << text;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
    EXPECT_FALSE(read_core_state(*control, kRow, kCol).running);
    const HangReport report = make_hang_report(*control, &image);
    EXPECT_EQ(count_roots(report), roots) << report.text();

    for (uint32_t k = 0; k < 10; ++k) device->send(Side::West, kRow, Wavelet{kThrough, false, k});
    EXPECT_EQ(device->run(1000), RunStatus::Quiet);
    const std::vector<Arrival> out = device->take_arrivals(Side::East, kRow, kThrough);
    EXPECT_EQ(out.size(), 10u) << "through traffic";
    control->write(tile, 0xBF00, 0x12345678u);
    EXPECT_EQ(control->read_tile(kRow, kCol, 0xBF00), 0x12345678u);
    return error;
  }

  static size_t count_roots(const HangReport& report) {
    return static_cast<size_t>(std::count_if(report.diagnoses.begin(), report.diagnoses.end(),
                                             [](const Diagnosis& d) { return d.root; }));
  }

  // A reset clears the error and the tile computes again.
  void expect_recovers() {
    control->write(tile, kRegCoreCtrl, kCoreReset | kCoreClearQueues);
    start(OW_FAULT_NONE);
    EXPECT_FALSE(read_error(*control, kRow, kCol).stopped);
    EXPECT_NO_THROW(check_errors(*control, whole(device->shape()), &image));
    EXPECT_EQ(word("ow_faults_done"), 1u);
    EXPECT_EQ(word("ow_faults_sum"), 7u) << "the engine works";
    EXPECT_TRUE(make_hang_report(*control, &image).diagnoses.empty());
  }

  const Rect tile{kRow, kCol, 1, 1};
  const ElfImage image;
  std::unique_ptr<Device> device;
  std::unique_ptr<ControlPlane> control;
};

TEST_F(TileErrorTest, ATileWithoutAnErrorRuns) {
  start(OW_FAULT_NONE);
  EXPECT_EQ(word("ow_faults_done"), 1u);
  EXPECT_EQ(word("ow_faults_sum"), 7u);
  EXPECT_TRUE(read_errors(*control, whole(device->shape())).empty());
}

TEST_F(TileErrorTest, LoadsStoresAndJumpsOutsideMemory) {
  start(OW_FAULT_LOAD);
  TileError e =
      expect_stopped(ErrorSource::Core, 5, "load access fault, address 0x40000000; pc 0x");
  EXPECT_EQ(e.addr, 0x40000000u);
  EXPECT_NE(e.describe(&image).find(line("load")), std::string::npos) << e.describe(&image);
  expect_recovers();
  start(OW_FAULT_STORE);
  e = expect_stopped(ErrorSource::Core, 7, "store access fault, address 0xc000; pc 0x");
  EXPECT_NE(e.describe(&image).find("ow_main+0x"), std::string::npos) << e.describe(&image);
  EXPECT_NE(e.describe(&image).find(line("store")), std::string::npos) << e.describe(&image);
  expect_recovers();
  start(OW_FAULT_JUMP);
  e = expect_stopped(ErrorSource::Core, 1, "instruction access fault, address 0x40000000; pc ");
  EXPECT_EQ(e.pc, 0x40000000u);
  expect_recovers();
}

TEST_F(TileErrorTest, OtherTrapsWithoutAHandler) {
  start(OW_FAULT_MISALIGNED);
  TileError e = expect_stopped(ErrorSource::Core, 4, "load address misaligned, address 0x");
  EXPECT_NE(e.describe(&image).find(line("misaligned")), std::string::npos) << e.describe(&image);
  expect_recovers();
  start(OW_FAULT_ILLEGAL);
  e = expect_stopped(ErrorSource::Core, 2, "illegal instruction 0xffffffdb; pc 0x");
  EXPECT_NE(e.describe(&image).find(line("illegal")), std::string::npos) << e.describe(&image);
  expect_recovers();
  start(OW_FAULT_ECALL);
  e = expect_stopped(ErrorSource::Core, 11, "environment call; pc 0x");
  EXPECT_NE(e.describe(&image).find(line("ecall")), std::string::npos) << e.describe(&image);
  expect_recovers();
}

TEST_F(TileErrorTest, AHandledTrapDoesNotStopTheTile) {
  start(OW_FAULT_HANDLED);
  EXPECT_FALSE(read_error(*control, kRow, kCol).stopped);
  EXPECT_EQ(word("ow_faults_done"), 1u);
}

TEST_F(TileErrorTest, ATrapInATask) {
  bind();
  start(OW_FAULT_TASK_LOAD);
  EXPECT_FALSE(read_error(*control, kRow, kCol).stopped);
  stream(1, 0x10);
  const TileError e = expect_stopped(ErrorSource::Core, 5, line("task"));
  EXPECT_EQ(e.addr, 0x40000010u);
  EXPECT_NE(e.describe(&image).find("bad_task"), std::string::npos);
  expect_recovers();
}

TEST_F(TileErrorTest, TensorInstructions) {
  start(OW_FAULT_OPERATION);
  TileError e = expect_stopped(ErrorSource::Engine, kEngineIllegal,
                               "tensor instruction of thread 3: illegal operation or type; pc 0x");
  EXPECT_EQ(e.unit, OW_FAULTS_THREAD);
  EXPECT_NE(e.describe(&image).find(line("operation")), std::string::npos) << e.describe(&image);
  expect_recovers();
  start(OW_FAULT_THREAD0);
  e = expect_stopped(ErrorSource::Engine, kEngineIllegal,
                     "tensor instruction of thread 0: illegal operation or type; pc 0x");
  EXPECT_NE(e.describe(&image).find(line("thread 0")), std::string::npos) << e.describe(&image);
  expect_recovers();
  start(OW_FAULT_DESCRIPTOR);
  e = expect_stopped(ErrorSource::Engine, kEngineDescriptor, "malformed descriptor; pc 0x");
  EXPECT_NE(e.describe(&image).find(line("descriptor")), std::string::npos) << e.describe(&image);
  expect_recovers();
  start(OW_FAULT_ADDRESS);  // the elements from the top of memory on
  e = expect_stopped(ErrorSource::Engine, kEngineAddress,
                     "address outside memory, address 0xc000; pc 0x");
  EXPECT_NE(e.describe(&image).find(line("address")), std::string::npos) << e.describe(&image);
  expect_recovers();
  start(OW_FAULT_BELOW);  // the first element; beyond 24 bits the low ones are kept
  e = expect_stopped(ErrorSource::Engine, kEngineAddress,
                     "address outside memory, address 0x7fffe0; pc 0x");
  expect_recovers();
}

TEST_F(TileErrorTest, TheReducer) {
  start(OW_FAULT_RED_REGISTERS);
  TileError e =
      expect_stopped(ErrorSource::Reducer, kReducerRegisters, "bad reducer registers; drain at pc");
  EXPECT_NE(e.describe(&image).find(line("drain")), std::string::npos) << e.describe(&image);
  expect_recovers();
  start(OW_FAULT_RED_STORE);
  EXPECT_FALSE(read_error(*control, kRow, kCol).stopped);
  device->send(Side::West, kRow, Wavelet{kRows, true, kLast});
  EXPECT_EQ(device->run(1000), RunStatus::Quiet);
  e = expect_stopped(ErrorSource::Reducer, kReducerStore,
                     "the reducer stores outside memory, address 0xc00");
  EXPECT_NE(e.describe(&image).find(line("drain")), std::string::npos) << e.describe(&image);
  expect_recovers();
}

TEST_F(TileErrorTest, AColourWithoutAConsumer) {
  start(OW_FAULT_DATA_TASK);
  stream(3, 5);
  const TileError e = expect_stopped(
      ErrorSource::Ramp, kRampNoConsumer,
      "a wavelet of colour 5 came in, to which no input queue is bound; core at pc 0x");
  EXPECT_EQ(e.unit, kColour);
  // The wavelets wait in the router: with a queue, and after a reset, they are there.
  control->write(tile, kRegCoreCtrl, kCoreReset);
  control->fence(tile);
  EXPECT_TRUE(read_error(*control, kRow, kCol).stopped) << "the reason is still there";
  bind();
  start(OW_FAULT_DATA_TASK);
  EXPECT_FALSE(read_error(*control, kRow, kCol).stopped);
  EXPECT_EQ(word("ow_faults_sum"), 15u);
}

// Every register of the map, through the control plane: what is written reads back in the bits that
// exist, and what is reserved reads 0.
TEST_F(TileErrorTest, RegistersReadBackWhatTheyHold) {
  start(OW_FAULT_NONE);
  namespace reg = isa::reg;
  const auto write = [&](uint32_t addr, uint32_t value) { control->write(tile, addr, value); };
  const auto read = [&](uint32_t addr) { return control->read_tile(kRow, kCol, addr); };
  // Latched by a read of a low word, of which there was none.
  EXPECT_EQ(read(reg::CounterHigh::address(0)), 0u);
  struct Register {
    uint32_t addr, mask;
    bool writable = true;
  };
  // The last three are reserved.
  const std::vector<Register> registers = {
      {reg::RedAcc::kAddress, reg::RedAcc::Samples::kMask | reg::RedAcc::Ring::kMask},
      {reg::RedCount::kAddress, reg::RedCount::Rows::kMask},
      {reg::RedPhase::kAddress, ~0u},
      {reg::RedPitch::kAddress, reg::RedPitch::Pitch::kMask},
      {reg::Row::kAddress, reg::Row::Number::kMask},
      {reg::Col::kAddress, reg::Col::Number::kMask},
      {reg::Prng::address(0), ~0u},
      {reg::Prng::address(1), ~0u},
      {reg::Prng::address(2), ~0u},
      {reg::Prng::address(3), ~0u},
      {reg::TaskPriority::kAddress, ~0u},
      {reg::TaskEntry::address(9), ~0u},
      {reg::EngineFault::kAddress, 0, false},
      {reg::Error::kAddress, 0, false},
      {kTileRegs + 0x5FC, 0},
      {kTileRegs + 0x33C, 0},
      {kTileRegs + 0x3C0, 0}};
  for (const Register& r : registers) {
    for (const uint32_t value : {0xA5C3F00Fu, 0x5A3C0FF0u, 0u}) {
      if (!r.writable) continue;
      write(r.addr, value);
      EXPECT_EQ(read(r.addr), value & r.mask) << std::hex << r.addr;
    }
    if (r.mask == 0) {
      EXPECT_EQ(read(r.addr), 0u) << std::hex << r.addr;
    }
  }
  write(reg::TaskBlock::kAddress, 0x00F00000);
  EXPECT_EQ(read(reg::TaskBlock::kAddress), 0x00F00000u);
  write(reg::TaskUnblock::kAddress, 0x00500000);
  EXPECT_EQ(read(reg::TaskUnblock::kAddress), 0x00A00000u);
  EXPECT_FALSE(reg::TaskRunning::Running::get(read(reg::TaskRunning::kAddress))) << "no task runs";
  for (uint32_t t = 0; t < isa::kFull.num_threads; ++t) {
    EXPECT_FALSE(reg::Thread::Active::get(read(reg::Thread::address(t))));
  }
  for (uint32_t k = 0; k < kNumCounters; ++k) {
    const std::vector<uint32_t> w = control->read_tile(kRow, kCol, reg::Counter::address(k), 2);
    EXPECT_EQ(w[1], 0u) << k;
  }
}

TEST_F(TileErrorTest, TwoReadersOfAnInputQueue) {
  bind();
  start(OW_FAULT_TAKERS);
  EXPECT_FALSE(read_error(*control, kRow, kCol).stopped);
  device->send(Side::West, kRow, Wavelet{kRows, true, kLast});
  EXPECT_EQ(device->run(1000), RunStatus::Quiet);
  stream(6);
  const TileError e = expect_stopped(ErrorSource::Ramp, kRampTwoTakers, "input queue 2 was read");
  EXPECT_EQ(e.unit, OW_FAULTS_QUEUE);
  expect_recovers();
}

TEST_F(TileErrorTest, TwoWritersToAnOutputQueue) {
  start(OW_FAULT_OVERRUN);
  const TileError e = expect_stopped(ErrorSource::Ramp, kRampOverrun, "output queue 2 was pushed");
  EXPECT_EQ(e.unit, OW_FAULTS_QUEUE);
  expect_recovers();
}

// Fails if a store of firmware to the self-test's registers aborts the simulator.
TEST_F(TileErrorTest, TheSelfTestStartedByFirmware) {
  start(OW_FAULT_SELFTEST);
  TileError e = expect_stopped(ErrorSource::Regs, static_cast<int>(isa::RegsCause::Selftest),
                               "the memory self-test was started by the core, or while the engine "
                               "or the reducer ran, register 0xf00007c0; pc 0x");
  EXPECT_EQ(e.addr, isa::reg::Mbist::kAddress);
  EXPECT_NE(e.describe(&image).find(line("register")), std::string::npos) << e.describe(&image);
  EXPECT_EQ(control->read_tile(kRow, kCol, isa::reg::Mbist::kAddress), 0u) << "it has not run";
  expect_recovers();
}

// The control plane, which starts the memory self-test, may ask for the memory at once: it waits.
TEST_F(TileErrorTest, TheHostAsksForMemoryDuringTheSelfTest) {
  using Mbist = isa::reg::Mbist;
  for (const uint32_t addr : {0u, 8u, 0x40u}) {
    control->write(tile, Mbist::kAddress, Mbist::Start::put(1));
    control->write(tile, addr, 0x12345678u);
    EXPECT_EQ(control->read_tile(kRow, kCol, addr), 0x12345678u) << "written behind the test";
    const uint32_t state = control->read_tile(kRow, kCol, Mbist::kAddress);
    EXPECT_TRUE(Mbist::Done::get(state));
    EXPECT_EQ(Mbist::Failed::get(state), 0u);
  }
}

// Fails if a write of the random state during a stochastic conversion aborts the simulator.
TEST_F(TileErrorTest, TheRandomStateWrittenWhileAConversionRounds) {
  const uint32_t word = control->read_tile(kRow, kCol, isa::reg::Prng::address(2));
  start(OW_FAULT_SEED);
  TileError e = expect_stopped(ErrorSource::Regs, static_cast<int>(isa::RegsCause::PrngBusy),
                               "the state of the random generator was written while a conversion "
                               "uses it, register 0xf0000798; pc 0x");
  EXPECT_EQ(e.addr, isa::reg::Prng::address(2));
  EXPECT_NE(e.describe(&image).find(line("register")), std::string::npos) << e.describe(&image);
  EXPECT_NE(control->read_tile(kRow, kCol, isa::reg::Prng::address(2)), 5u)
      << "the write has no effect";
  expect_recovers();
  control->write(tile, isa::reg::Prng::address(2), word);  // at rest it may be written
  EXPECT_EQ(control->read_tile(kRow, kCol, isa::reg::Prng::address(2)), word);
  EXPECT_FALSE(read_error(*control, kRow, kCol).stopped);
}

// A colour moves from one input queue to another, but not away from a reader.
// Fails if two input queues on one colour abort the simulator.
TEST_F(TileErrorTest, ASecondInputQueueForAColourThatIsRead) {
  bind();
  start(OW_FAULT_TWO_QUEUES);
  TileError e = expect_stopped(ErrorSource::Ramp, static_cast<int>(isa::RampCause::TwoQueues),
                               "colour 5 was bound to input queue 3 while an instruction or a "
                               "drain reads the queue that has it; pc 0x");
  EXPECT_EQ(e.unit, kColour);
  EXPECT_EQ(e.addr, isa::reg::Inq::address(OW_FAULTS_QUEUE + 1));
  EXPECT_NE(e.describe(&image).find(line("register")), std::string::npos) << e.describe(&image);
  EXPECT_EQ(control->read_tile(kRow, kCol, isa::reg::Inq::address(OW_FAULTS_QUEUE + 1)), 0u);
  expect_recovers();
  start(OW_FAULT_DATA_TASK);
  stream(3, 5);
  EXPECT_EQ(word("ow_faults_sum"), 15u) << "the first queue has kept it";
}

// An assertion of the hardware is a device fault with its text and its tile. Here the host breaks a
// rule that no program can break.
TEST_F(TileErrorTest, AnInternalAssertionIsADeviceFault) {
  control->write(tile, 0, 0x0000006Fu);  // a loop, which fetches from the memory under test
  start_cores(*control, tile, 0);
  control->write(tile, isa::reg::Mbist::kAddress, isa::reg::Mbist::Start::put(1));
  try {
    device->run(20000);
    FAIL();
  } catch (const DeviceFault& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.find("tile (1, 1): internal assertion ow_tile.u_mbist_port.alone: the memory "
                        "self-test runs while the core or the engine use the memory "
                        "(rtl/tile/memory/ow_mbist_port.sv:"),
              0u)
        << what;
    EXPECT_EQ(e.exit_status(), 3);
  }
}

TEST_F(TileErrorTest, TheFirstErrorIsKept) {
  start(OW_FAULT_LOAD);
  EXPECT_TRUE(read_error(*control, kRow, kCol).stopped);
  stream(1);  // no consumer
  expect_stopped(ErrorSource::Core, 5, "load access fault", 2);
}

TEST_F(TileErrorTest, SeveralTilesAreCounted) {
  const Rect all = whole(device->shape());
  load_program(*control, all, image);
  control->write(all, image.symbol("ow_fault"), uint32_t{OW_FAULT_STORE});
  start_cores(*control, all, image.entry);
  control->fence(all);
  device->run(10000);
  EXPECT_EQ(read_errors(*control, all).size(), 6u);
  try {
    check_errors(*control, all);
    ADD_FAILURE();
  } catch (const DeviceFault& e) {
    EXPECT_NE(std::string(e.what()).find("(and 5 other tiles)"), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find("tile (0, 0) stopped: store"), 0u) << e.what();
  }
}

}  // namespace
}  // namespace ow
