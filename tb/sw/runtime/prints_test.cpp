// SPDX-License-Identifier: Apache-2.0
// Prints read from rings that tiles still write.
#include "ow/runtime/prints.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_device.h"
#include "ow/base/error.h"

namespace ow {
namespace {

constexpr uint32_t kRing = 0x400, kRecords = 3, kFormats = 0x9000;

// A program that prints one number.
ElfImage image_with_ring(uint32_t words = 2 + 8 * kRecords) {
  ElfImage image;
  image.path = "prints.elf";
  image.formats = std::string("number %u\0", 10);
  image.formats_begin = kFormats;
  image.export_list.push_back({"ow_print_ring", ElementType::U32, {words}, kRing});
  return image;
}

// The tile's ring after `complete` records, of which the next one may have been begun.
void print(FakeDevice* device, uint32_t complete, bool begun) {
  std::map<uint32_t, uint32_t>& tile = device->tile(0, 0);
  tile[kRing] = complete;
  tile[kRing + 4] = complete + (begun ? 1 : 0);
  for (uint32_t n = complete > kRecords ? complete - kRecords : 0; n < complete; ++n) {
    const uint32_t record = kRing + 8 + 32 * (n % kRecords);
    tile[record] = kFormats;
    tile[record + 4] = 100 + n;  // the cycle
    tile[record + 8] = n;
  }
  if (begun) tile[kRing + 8 + 32 * (complete % kRecords)] = 0xDEADBEEF;  // half of it
}

std::vector<std::string> texts(PrintReader* reader) {
  std::vector<std::string> all;
  for (const Print& p : reader->take_prints()) all.push_back(p.text);
  return all;
}
using Texts = std::vector<std::string>;

TEST(Prints, AFullRingIsReadWhole) {
  FakeDevice device(1, 1);
  ControlPlane control(device);
  const ElfImage image = image_with_ring();
  PrintReader reader(control, {0, 0, 1, 1}, image);
  print(&device, 0, false);
  EXPECT_EQ(texts(&reader), Texts{});
  print(&device, 3, false);
  EXPECT_EQ(texts(&reader), (Texts{"number 0", "number 1", "number 2"}));
  print(&device, 4, false);
  EXPECT_EQ(texts(&reader), Texts{"number 3"});
  EXPECT_EQ(reader.lost(), 0u);
}

// The tile counts a record when it is complete. Until then the place holds neither the old one nor
// the new one.
TEST(Prints, ARecordThatIsBeingOverwrittenIsLost) {
  FakeDevice device(1, 1);
  ControlPlane control(device);
  const ElfImage image = image_with_ring();
  PrintReader reader(control, {0, 0, 1, 1}, image);
  print(&device, 3, true);
  EXPECT_EQ(texts(&reader), (Texts{"number 1", "number 2"}));
  EXPECT_EQ(reader.lost(), 1u);
  print(&device, 8, true);
  EXPECT_EQ(texts(&reader), (Texts{"number 6", "number 7"}));
  EXPECT_EQ(reader.lost(), 4u) << "3, 4 and 5, too";
  print(&device, 9, false);
  EXPECT_EQ(texts(&reader), Texts{"number 8"});
}

TEST(Prints, TilesAreReadBesideEachOther) {
  FakeDevice device(4, 4);
  ControlPlane control(device);
  const ElfImage image = image_with_ring();
  PrintReader reader(control, {0, 0, 4, 4}, image);
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) {
      device.tile(r, c)[kRing] = device.tile(r, c)[kRing + 4] = 1;
      device.tile(r, c)[kRing + 8] = kFormats;
    }
  }
  EXPECT_EQ(reader.take_prints().size(), 16u);
  EXPECT_GT(device.most_outstanding(), 8) << "one tile does not wait for another";
}

TEST(Prints, ARingOfAnotherLayoutIsRefused) {
  FakeDevice device(1, 1);
  ControlPlane control(device);
  const ElfImage image = image_with_ring(1 + 8 * kRecords);
  EXPECT_THROW(PrintReader(control, {0, 0, 1, 1}, image), BadInput);
}

}  // namespace
}  // namespace ow
