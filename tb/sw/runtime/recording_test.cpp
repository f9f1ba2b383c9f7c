// SPDX-License-Identifier: Apache-2.0
// Runs of a user's own program, recorded and run again.
#include "ow/sim/recording.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "messages.h"
#include "openwafer/runtime.h"
#include "ow/base/file.h"
#include "ow/sim/sim_device.h"
#include "temporary_file.h"

namespace ow {
namespace {

// Copies an array there and back on a grid of 2 x 3.
void run_a_program(const std::string& name) {
  Runtime machine = open(name);
  ow::Run run = machine.load(Program(OW_KERNEL_DIR "/library_kernel.elf"));
  const std::vector<f16> a(6 * 24, f16(1.5f));
  run.write("matrix", a);
  EXPECT_EQ(run.read<f16>("matrix"), a);
}

std::string recorded(const std::string& name) {
  const std::string file = temporary_path(name);
  run_a_program("sim:2x3,record=" + file);
  return file;
}

std::string complaint(const std::string& file) {
  return refusal_of([&] { read_recording(file); });
}

// Fails if only one fixed job can be shown as waves.
TEST(Recording, OfAProgramOfAUserRunsAgainWithTheSameWords) {
  const std::string file = recorded("run.owr");
  Recording recording = read_recording(file);
  EXPECT_EQ(recording.shape.rows, 2);
  EXPECT_EQ(recording.shape.cols, 3);
  EXPECT_GT(recording.words.size(), 100u);
  auto again = make_simulator(recording.shape);
  again->replay(recording);
  EXPECT_EQ(again->cycle(), recording.cycles);

  // A recording of another host, or of another grid, is noticed.
  recording.words.resize(recording.words.size() / 2);
  EXPECT_THROW(make_simulator(recording.shape)->replay(recording), DeviceFault);
  EXPECT_THROW(make_simulator({3, 2})->replay(recording), BadInput);
  std::remove(file.c_str());
}

TEST(Recording, DamagedOnesAreRefused) {
  const std::string file = recorded("cut.owr");
  const std::string whole = read_bytes(file, 1 << 24);
  std::ofstream(file, std::ios::binary) << whole.substr(0, whole.size() - 5);
  EXPECT_NE(complaint(file).find("has no end"), std::string::npos) << complaint(file);
  std::string wrong = whole;
  wrong[whole.find('\n') + 1 + 5] = 0x40;
  std::ofstream(file, std::ios::binary) << wrong;
  EXPECT_NE(complaint(file).find("the grid has 10"), std::string::npos) << complaint(file);
  std::ofstream(file, std::ios::binary) << "no recording";
  EXPECT_NE(complaint(file).find("is no recording"), std::string::npos) << complaint(file);
  std::remove(file.c_str());
  EXPECT_THROW(Recorder("/nowhere/x.owr", {1, 1}, 4), BadInput);
}

// A program that asks for a recording and gets none must learn that before its run counts as done.
TEST(Recording, ThatCannotBeWrittenFailsWhenItEnds) {
  const std::string why = "/dev/full: cannot be written: No space left on device";
  {
    const Runtime machine = open("sim:1x1,record=/dev/full");
    EXPECT_EQ(refusal_of([&] { machine.end_recording(); }), why);
    EXPECT_EQ(refusal_of([&] { machine.end_recording(); }), "");
  }
  testing::internal::CaptureStderr();
  open("sim:1x1,record=/dev/full");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ow: bad input: " + why + ": there is no recording\n");
}

TEST(Recording, EndsBeforeItsMachineIfItIsAsked) {
  const std::string file = temporary_path("early.owr");
  const Runtime machine = open("sim:2x3,record=" + file);
  machine.end_recording();
  EXPECT_GT(read_recording(file).cycles, 0u);
  std::remove(file.c_str());
  open("sim:1x1").end_recording();  // there is none
}

TEST(Recording, HasAFileOfItsOwn) {
  const std::string file = temporary_path("own.owr");
  {
    const Runtime first = open("sim:1x1,record=" + file);
    EXPECT_EQ(refusal_of([&] { open("sim:1x1,record=" + file); }),
              file + ": cannot be written: it is being written already");
  }
  EXPECT_GT(read_recording(file).cycles, 0u);
  std::remove(file.c_str());
  const std::string same = testing::TempDir() + "./" + file.substr(testing::TempDir().size());
  const std::string both = "sim:1x1,record=" + file;
  EXPECT_EQ(refusal_of([&] { open(both + ",save=" + same); }),
            file + ": a recording cannot be the file that the run is saved in");
  EXPECT_EQ(refusal_of([&] { open(both + ",restore=" + same); }),
            file + ": a recording cannot be the file that the run goes on from");
  EXPECT_THROW(read_recording(file), BadInput) << "nothing was written";
}

// What cannot be recorded is refused before anything is made.
TEST(Recording, IsOfSimulatedGridsOfFullTilesAlone) {
  const std::string none = ",record=" + temporary_path("none.owr");
  for (const std::string machine : {"sim-mini:1x1", "wafer:none.yaml", "uart:/dev/null"}) {
    EXPECT_EQ(refusal_of([&] { open(machine + none); }),
              "machine '" + machine + none + "': only a simulated grid of full tiles is recorded");
  }
}

}  // namespace
}  // namespace ow
