// SPDX-License-Identifier: Apache-2.0
// Exports and launches: as the compiler writes them, as the reader has them, and on a tile.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "ow/sim/sim.h"

namespace ow {
namespace {

const char* const kElf = OW_KERNEL_DIR "/exports.elf";
constexpr uint32_t kSram = 49152;

TEST(Exports, NamesTypesAndShapesAreThoseOfTheSource) {
  const ElfImage image = read_elf(kElf, kSram);
  const std::pair<const char*, const char*> want[] = {
      {"a", "f16[3][5]"}, {"b", "bf16[2][3][4]"}, {"c", "f32[7]"}, {"d", "i16[1][2][3][4]"},
      {"e", "i32"},       {"odd_name", "i8[9]"},  {"g", "u16[2]"}, {"log", "u32[16]"},
      {"i", "u8[1]"},     {"ow_args", "u32[8]"},
  };
  EXPECT_EQ(image.exports().size(), std::size(want));
  for (const auto& [name, shape] : want) {
    const ElfExport& e = image.exported(name);
    EXPECT_EQ(e.shape(), shape) << name;
    EXPECT_EQ(e.addr, image.symbol(name)) << name;
    EXPECT_EQ(e.bytes(), image.symbol_bytes.at(name)) << name;
    EXPECT_EQ(e.addr % 8, 0u) << name;
  }
}

TEST(Exports, NamedTasksHaveNumbersOfTheirOwnBelowTheTeardownTask) {
  const ElfImage image = read_elf(kElf, kSram);
  ASSERT_EQ(image.launches().size(), 2u);
  const ElfLaunch& all = image.launch("all");
  const ElfLaunch& nothing = image.launch("nothing");
  const std::vector<ElementType> types = {ElementType::U32, ElementType::I32, ElementType::U16,
                                          ElementType::I16, ElementType::U8,  ElementType::I8,
                                          ElementType::F32, ElementType::Bf16};
  EXPECT_EQ(all.arguments, types);
  EXPECT_EQ(all.parameters, (std::vector<std::string>{"u32 a0", "i32 a1", "u16 a2", "i16 a3",
                                                      "u8 a4", "i8 a5", "f32 a6", "bf16 a7"}));
  EXPECT_TRUE(nothing.arguments.empty() && nothing.parameters.empty());
  const std::set<uint32_t> tasks = {all.task, nothing.task, image.symbol("ow_task_id_later")};
  EXPECT_EQ(tasks, (std::set<uint32_t>{26, 27, 28}));
}

TEST(Exports, NotesTakeNoMemoryOfTheTile) {
  const ElfImage image = read_elf(kElf, kSram);
  const std::string owner = "openwafer";
  for (const ElfSegment& s : image.segments) {
    EXPECT_EQ(std::search(s.bytes.begin(), s.bytes.end(), owner.begin(), owner.end()),
              s.bytes.end());
  }
}

TEST(Exports, UnknownNamesAreRefusedWithWhatThereIs) {
  const ElfImage image = read_elf(kElf, kSram);
  try {
    image.launch("al");
    FAIL();
  } catch (const BadInput& e) {
    EXPECT_NE(std::string(e.what()).find("no launch 'al' (it has: "), std::string::npos)
        << e.what();
  }
  EXPECT_THROW(image.exported("z"), BadInput);
}

TEST(Exports, LaunchesRunWithTheirArgumentsAndTasksForTheirWavelets) {
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 1});
  ControlPlane control(*device);
  const Rect tile{0, 0, 1, 1};
  const ElfImage image = read_elf(kElf, kSram);
  load_program(control, tile, image);
  RouteSet routes(device->shape());
  routes.set(0, 0, 3, Route{Port::West, kOutRamp});
  routes.apply(control);
  bind_inq(control, tile, 2, 3);
  start_cores(control, tile, image.entry);
  const std::vector<uint32_t> args = {11, 22, 33, 44, 55, 66, 77, 88};
  control.write(tile, image.exported("ow_args").addr, args);
  control.write(tile, kRegTaskActivate,
                1u << image.launch("all").task | 1u << image.launch("nothing").task);
  control.fence(tile);
  device->send(Side::West, 0, {{3, false, 0x1234}, {3, true, 0x5678}});
  EXPECT_EQ(device->run(10000), RunStatus::Quiet);
  std::vector<uint32_t> want = args;
  want.insert(want.end(), {0x1A7E4, 0x1234, 0x5678});
  EXPECT_EQ(control.read_tile(0, 0, image.exported("log").addr, want.size()), want);
}

// The file with the word at `word` of the descriptor of the note of `name` replaced by `value`.
std::string refusal(const std::string& name, size_t word, uint32_t value) {
  std::ifstream in(kElf, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  size_t at = 0;  // of the owner's name in the note
  for (;;) {
    at = bytes.find(std::string("openwafer\0\0\0", 12), at + 1);
    if (at == std::string::npos) return "no such note";
    const auto size = static_cast<unsigned char>(bytes[at - 8]);
    if (bytes.substr(at + 12, size).find(name + '\0') != std::string::npos) break;
  }
  for (size_t i = 0; i < 4; ++i) {
    bytes[at + 12 + 4 * word + i] = static_cast<char>(value >> (8 * i));
  }
  const std::string path = testing::TempDir() + "note" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    read_elf(path, kSram);
  } catch (const BadInput& e) {
    return e.what();
  }
  return "accepted";
}

std::string refusal_of(const std::string& kernel) {
  try {
    read_elf(OW_KERNEL_DIR "/" + kernel + ".elf", kSram);
  } catch (const BadInput& e) {
    return e.what();
  }
  return "accepted";
}

TEST(TaskNumbers, OfNamesAndOfTheProgramMayNotMeet) {
  EXPECT_EQ(refusal_of("tasks_3_6"), "accepted");
  EXPECT_EQ(refusal_of("tasks_12_1"), "accepted");
  const std::string many = refusal_of("tasks_12_6");
  EXPECT_NE(many.find("tasks_12_6.elf: task 17 has the name '"), std::string::npos) << many;
  EXPECT_NE(many.find("with 12 names, numbers of one's own are 16 to 16"), std::string::npos)
      << many;
  const std::string high = refusal_of("tasks_3_7");
  EXPECT_NE(high.find("task 28 has the name '"), std::string::npos) << high;
  EXPECT_NE(high.find("with 3 names, numbers of one's own are 16 to 25"), std::string::npos)
      << high;
}

TEST(TaskNumbers, OfOneQueueBelongToOneTask) {
  const std::string text = refusal_of("tasks_twice");
  EXPECT_NE(text.find("tasks_twice.elf: 'also_received' and 'received' are both task 3"),
            std::string::npos)
      << text;
}

TEST(Descriptors, OfTheKernelLibraryAreNotWrittenByTheProgram) {
  EXPECT_EQ(refusal_of("descriptor_9"), "accepted");
  EXPECT_EQ(refusal_of("descriptor_31"), "accepted");
  for (const std::string number : {"10", "30"}) {
    const std::string text = refusal_of("descriptor_" + number);
    EXPECT_NE(text.find(".elf: the program writes descriptor " + number +
                        " by its number: 'kernel_library' has 10 to 30"),
              std::string::npos)
        << text;
  }
}

TEST(Descriptors, OfNamesAndOfTheProgramMayNotMeet) {
  EXPECT_EQ(refusal_of("descriptor_1_and_a_name"), "accepted");
  const std::string text = refusal_of("descriptor_0_and_a_name");
  EXPECT_NE(text.find(".elf: 'X' is descriptor 0 (OW_DSR), which the program also writes by its "
                      "number: numbers of one's own begin at 1"),
            std::string::npos)
      << text;
}

TEST(Exports, NotesThatCannotBeAreRefused) {
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(refusal("log", 0, 3), "export 'log': element type 3 is unknown");
  expect(refusal("log", 1, 5), "export of 5 dimensions: must be 0 to 4");
  expect(refusal("log", 1, 4), "a note is too short");
  // 0 is all memory that is left, from ow_heap on, and this array stands elsewhere.
  expect(refusal("log", 2, 0), "dimensions 0: must be 1 or more");
  expect(refusal("log", 2, 12289), "dimensions 12289: must be 1 or more and fit the 49152 bytes");
  expect(refusal("b", 3, 0xFFFFFFFF), "must be 1 or more and fit the 49152 bytes");
  expect(refusal("log", 3, 0x102), "aligned to 4");
  expect(refusal("log", 3, 0xFFFFFFF0), "lie within the 49152 bytes");
  expect(refusal("log", 4, 0), "note without a name");
  expect(refusal("log", 4, 0x65), "two exports of the name 'e'");
  expect(refusal("nothing", 0, 15), "task 15 with 0 arguments: must be 16 to 31");
  expect(refusal("nothing", 1, 9), "with 9 arguments: must be 16 to 31 with at most 8");
  expect(refusal("nothing", 1, 1), "launch 'ing': element type 1752461166 is unknown");
  expect(refusal("all", 3, 3), "launch 'all': element type 3 is unknown");
  expect(refusal("all", 11, 0), "launch 'all': parameters '");
  expect(refusal("nothing", static_cast<size_t>(-4), 9), "note of type 9: must be 1 to 8");
  expect(refusal("stream", 0, 49142), "flow 'stream': 12 bytes at 0xbff6: must be aligned to 4");
  expect(refusal("stream", 0, 49144), "lie within the 49152 bytes of SRAM");
  expect(refusal("NAMED", 0, 31), "descriptor 'NAMED': number 31: must be 0 to 30");
  expect(refusal("claimed", 1, 33), "claim 'claimed': descriptors 10 to before 33");
  expect(refusal("claimed", 2, 14), "threads 14 to before 13: at most 32 and 16");
  expect(refusal("nothing", static_cast<size_t>(-5), 0xFFFF), "malformed note");
}

}  // namespace
}  // namespace ow
