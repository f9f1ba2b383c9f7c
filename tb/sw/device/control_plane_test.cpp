// SPDX-License-Identifier: Apache-2.0
#include "ow/device/control_plane.h"

#include <gtest/gtest.h>

#include "fake_device.h"
#include "ow/base/error.h"
#include "ow/device/bulk.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"

namespace ow {
namespace {

TEST(ControlPlane, AWriteReachesEveryTileOfItsRectangleAndNoOther) {
  FakeDevice device(4, 5);
  ControlPlane control(device);
  control.write(Rect{1, 2, 2, 3}, 0x100, {7, 8, 9});
  control.fence(whole(device.shape()));
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 5; ++c) {
      const bool inside = r >= 1 && r < 3 && c >= 2;
      EXPECT_EQ(device.tile(r, c)[0x104], inside ? 8u : 0u) << r << "," << c;
    }
  }
  EXPECT_EQ(device.misdirected(), 0);
}

TEST(ControlPlane, AUnicastWriteIsTheDocumentedPacket) {
  FakeDevice device(4, 4);
  ControlPlane control(device);
  control.write_tile(3, 1, kRegCoreCtrl, 5);
  device.run(100);
  using Header = isa::PacketHeader;
  using Command = isa::PacketCommand;
  EXPECT_EQ(
      device.last_packet,
      (std::vector<uint32_t>{Header::Near::put(1) | Header::Far::put(1),
                             Header::Near::put(3) | Header::Far::put(3),
                             Command::Operation::put(isa::PacketOp::Write) | Command::Count::put(1),
                             kRegCoreCtrl, 5}));
}

TEST(ControlPlane, ReadsCarryTheWayBackToTheWestEdge) {
  FakeDevice device(2, 2);
  ControlPlane control(device);
  device.tile(1, 1)[0x40] = 0xABCD;
  EXPECT_EQ(control.read_tile(1, 1, 0x40), 0xABCDu);
  ASSERT_EQ(device.last_packet.size(), 6u);
  EXPECT_EQ(device.last_packet[4],
            isa::PacketHeader::Negative::put(1) | isa::PacketHeader::ToEdge::put(1));
}

TEST(ControlPlane, ReadRectIsRowByRow) {
  FakeDevice device(3, 4);
  ControlPlane control(device);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 4; ++c) device.tile(r, c)[8] = static_cast<uint32_t>(10 * r + c);
  }
  const auto words = control.read_rect(Rect{1, 1, 2, 3}, 8, 1);
  ASSERT_EQ(words.size(), 6u);
  EXPECT_EQ(words[0][0], 11u);
  EXPECT_EQ(words[2][0], 13u);
  EXPECT_EQ(words[3][0], 21u);
}

TEST(Device, WhatAPortHasNoRoomForWaitsAndArrivesInOrder) {
  FakeDevice device(1, 2);
  device.set_room(10);
  ControlPlane control(device);
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < 500; ++i) words.push_back(3 * i + 1);
  control.write_tile(0, 1, 0x200, words);
  EXPECT_EQ(device.pending_sends(), 504u);
  EXPECT_EQ(device.queued(), 10u);
  EXPECT_EQ(control.read_tile(0, 1, 0x200, 500), words);
  EXPECT_EQ(device.pending_sends(), 0u);
  EXPECT_LE(device.most_queued(), 10u);
}

// Fails if host writes beyond a tile's memory vanish.
TEST(ControlPlane, AWriteBeyondTheSramOfATileIsRefused) {
  FakeDevice device(2, 2);
  ControlPlane control(device);
  EXPECT_THROW(control.write_tile(1, 1, 0x20000, {1, 2}), BadInput);
  EXPECT_THROW(control.write_tile(0, 0, FakeDevice::kSramBytes - 4, {1, 2}), BadInput);
  EXPECT_NO_THROW(control.write_tile(0, 0, FakeDevice::kSramBytes - 8, {1, 2}));
  try {
    control.write(whole(device.shape()), 0xC000, 7u);
    FAIL();
  } catch (const BadInput& e) {
    EXPECT_STREQ(e.what(), "write of 4 bytes at 0xc000: a tile has 49152 bytes of SRAM");
  }
}

TEST(ControlPlane, OutstandingReadsAreBounded) {
  FakeDevice device(4, 4);
  ControlPlane::Options options;
  options.max_outstanding = 3;
  ControlPlane control(device, options);
  const auto words = control.read_rect(whole(device.shape()), 0, 100);
  EXPECT_EQ(words.size(), 16u);
  EXPECT_LE(device.most_outstanding(), 3);
}

TEST(ControlPlane, AnEntryInTheMiddleSplitsRectanglesThatSpanIt) {
  FakeDevice device(4, 2);
  device.set_entry_row(2);
  ControlPlane::Options options;
  options.entry_row = 2;
  ControlPlane control(device, options);
  control.write(whole(device.shape()), 0x10, 77);
  for (const auto& words : control.read_rect(whole(device.shape()), 0x10, 1)) {
    EXPECT_EQ(words[0], 77u);
  }
}

TEST(ControlPlane, ARefusedReadNamesTheTileAndTheAddress) {
  FakeDevice device(2, 2);
  ControlPlane control(device);
  try {
    control.read_tile(0, 1, 0x80000);
    FAIL();
  } catch (const DeviceFault& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "tile (0, 1) refused a read of 1 words at 0x80000: address error"),
              std::string::npos)
        << e.what();
  }
}

TEST(ControlPlane, ASilentTileIsAFaultNotAHang) {
  FakeDevice device(2, 2);
  device.set_deaf(true);
  ControlPlane control(device);
  EXPECT_THROW(control.read_tile(0, 1, 0), DeviceFault);
}

// A tile that answers when nobody waits any more: its answer has the tag, the row and the length of
// the next read.
TEST(ControlPlane, ALateAnswerIsNotThatOfAnotherRead) {
  FakeDevice device(2, 2);
  device.tile(0, 1)[0x40] = 1;
  device.tile(0, 1)[0x44] = 2;
  device.tile(1, 0)[0x44] = 3;
  ControlPlane control(device);
  for (int n = 0; n < 3; ++n) {  // each leaves an answer behind
    device.set_deaf(true);
    EXPECT_THROW(control.read_tile(0, 1, 0x40), DeviceFault);
    EXPECT_THROW(control.read_many({{0, 1, 0x40, 1}, {1, 0, 0x44, 1}}), DeviceFault);
    device.set_deaf(false);
    if (n == 0) continue;  // several at a time, too
    EXPECT_EQ(control.read_tile(0, 1, 0x44), 2u);
    EXPECT_EQ(control.read_tile(1, 0, 0x44), 3u);
    EXPECT_EQ(control.read_tile(0, 1, 0x44), 2u);
  }
}

// A copy then uses the port of the row.
class WestDevice : public FakeDevice {
 public:
  using FakeDevice::FakeDevice;
  bool has_side(Side side) const override { return side == Side::West; }
};

// The same for a copy that is given up, whose answers leave at the same port.
TEST(ControlPlane, ALateAnswerToACopyIsNotThatOfARead) {
  WestDevice device(1, 1);
  device.tile(0, 0)[0x40] = 1;
  device.tile(0, 0)[0x44] = 2;
  ControlPlane control(device);
  std::vector<uint32_t> late(1), words(1);
  device.set_deaf(true);
  {
    Bulk bulk(control, FakeDevice::kSramBytes);
    bulk.read(0, 0, 0x40, &late);
    EXPECT_EQ(device.run(1000, [&] { return bulk.pump(); }), RunStatus::Quiet);
  }
  EXPECT_THROW(control.read_tile(0, 0, 0x40), DeviceFault);
  device.set_deaf(false);
  Bulk bulk(control, FakeDevice::kSramBytes);
  bulk.read(0, 0, 0x44, &words);
  EXPECT_EQ(device.run(1000, [&] { return bulk.pump(); }), RunStatus::Done);
  EXPECT_EQ(words[0], 2u);
  EXPECT_EQ(late[0], 0u);
  EXPECT_EQ(control.read_tile(0, 0, 0x44), 2u);
}

// Packets of 256, 43 and 1 words for the rows above the entry, and the same for the others.
TEST(ControlPlane, ACopyToARectangleReachesTheRowsOnBothSidesOfTheEntry) {
  FakeDevice device(4, 3);
  device.set_entry_row(2);
  ControlPlane::Options options;
  options.entry_row = 2;
  ControlPlane control(device, options);
  std::vector<uint32_t> words;
  for (uint32_t k = 0; k < 300; ++k) words.push_back(k + 1);
  Bulk bulk(control, FakeDevice::kSramBytes);
  bulk.write(Rect{0, 1, 4, 2}, {{0x100, 299}, {0x2000, 1}}, words);
  EXPECT_EQ(device.run(10000, [&] { return bulk.pump(); }), RunStatus::Done);
  EXPECT_EQ(device.misdirected(), 0);
  EXPECT_EQ(device.packets(), 2u * 3 + 4u) << "and a fence of each row";
  for (int row = 0; row < 4; ++row) {
    for (int col = 0; col < 3; ++col) {
      EXPECT_EQ(device.tile(row, col)[0x100], col == 0 ? 0u : 1u);
      EXPECT_EQ(device.tile(row, col)[0x100 + 4 * 298], col == 0 ? 0u : 299u);
      EXPECT_EQ(device.tile(row, col)[0x2000], col == 0 ? 0u : 300u);
    }
  }
  EXPECT_THROW(bulk.write(Rect{0, 2, 4, 2}, {{0x100, 1}}, {1}), BadInput);
  EXPECT_THROW(bulk.write(Rect{0, 0, 0, 1}, {{0x100, 1}}, {1}), BadInput);
  EXPECT_THROW(bulk.write(Rect{0, 0, 1, 1}, {{0x100, 2}}, {1}), BadInput);
}

TEST(ControlPlane, ATileThatNeverAnswersUsesUpTheTagsOfItsRow) {
  FakeDevice device(2, 1);
  ControlPlane control(device);
  device.set_deaf(true);
  for (size_t n = 0; n < ControlReads::kTags; ++n) {
    EXPECT_THROW(control.read_tile(0, 0, 0), DeviceFault);
  }
  try {
    control.read_tile(0, 0, 0);
    FAIL();
  } catch (const DeviceFault& e) {
    EXPECT_STREQ(e.what(),
                 "no read can be sent: the tiles of row 0 have not answered 256 earlier ones");
  }
  device.set_deaf(false);
  EXPECT_NO_THROW(control.read_tile(1, 0, 0)) << "another row has tags of its own";
  EXPECT_NO_THROW(control.read_tile(0, 0, 0)) << "the answers have come";
}

TEST(ControlPlane, BadArgumentsAreRefused) {
  FakeDevice device(2, 2);
  ControlPlane control(device);
  EXPECT_THROW(control.write(Rect{0, 1, 1, 2}, 0, 1), BadInput);
  EXPECT_THROW(control.write_tile(0, 0, 2, 1), BadInput);
  EXPECT_THROW(control.read_tile(2, 0, 0), BadInput);
  EXPECT_THROW(control.read_tile(0, 0, 0, 0), BadInput);
  EXPECT_THROW(control.write_tile(0, 0, 0, std::vector<uint32_t>{}), BadInput);
}

TEST(Program, LoadingWritesSegmentsAndZeroesTheRest) {
  FakeDevice device(2, 2);
  ControlPlane control(device);
  device.tile(1, 0)[0x108] = 99;
  ElfImage image;
  image.segments.push_back(ElfSegment{0x100, 12, {1, 2, 3, 4, 5}});
  EXPECT_EQ(load_program(control, whole(device.shape()), image, true), 3u);
  EXPECT_EQ(device.tile(1, 0)[0x100], 0x04030201u);
  EXPECT_EQ(device.tile(1, 0)[0x104], 5u);
  EXPECT_EQ(device.tile(1, 0)[0x108], 0u);
}

TEST(Program, IdentityIsTheTilesCoordinates) {
  FakeDevice device(3, 3);
  ControlPlane control(device);
  set_identity(control, whole(device.shape()));
  control.fence(whole(device.shape()));
  EXPECT_EQ(device.tile(2, 1)[kRegRow], 2u);
  EXPECT_EQ(device.tile(2, 1)[kRegCol], 1u);
}

}  // namespace
}  // namespace ow
