// SPDX-License-Identifier: Apache-2.0
// Addresses of the tile's registers as the host sees them (docs/memory-map.md).
#ifndef OW_TILE_MAP_H_
#define OW_TILE_MAP_H_

#include <cstdint>

namespace ow {

constexpr uint32_t kTileRegs = 0xF0000000u;
constexpr uint32_t kRegRoute = kTileRegs + 0x000;   // +4*colour
constexpr uint32_t kRegSwitch = kTileRegs + 0x080;  // +4*colour
constexpr uint32_t kRegInq = kTileRegs + 0x100;     // +4*queue
constexpr uint32_t kRegOutq = kTileRegs + 0x140;    // +4*queue
constexpr uint32_t kRegInqLevel = kTileRegs + 0x180;
constexpr uint32_t kRegOutqLevel = kTileRegs + 0x184;
constexpr uint32_t kRegTaskEntry = kTileRegs + 0x200;  // +4*task
constexpr uint32_t kRegTaskActivate = kTileRegs + 0x280;
constexpr uint32_t kRegTaskBlock = kTileRegs + 0x284;
constexpr uint32_t kRegTaskUnblock = kTileRegs + 0x288;
constexpr uint32_t kRegTaskRunning = kTileRegs + 0x28C;
constexpr uint32_t kRegTaskPriority = kTileRegs + 0x290;
constexpr uint32_t kRegRed = kTileRegs + 0x300;
constexpr uint32_t kRegRedStatus = kTileRegs + 0x324;
constexpr uint32_t kRegCounters = kTileRegs + 0x400;  // +8*counter
constexpr uint32_t kRegCoreCtrl = kTileRegs + 0x500;
constexpr uint32_t kRegCorePc = kTileRegs + 0x504;
constexpr uint32_t kRegCoreStatus = kTileRegs + 0x508;
constexpr uint32_t kRegCoreTval = kTileRegs + 0x50C;
constexpr uint32_t kRegEngineFault = kTileRegs + 0x510;
constexpr uint32_t kRegError = kTileRegs + 0x514;   // then the address, then the pc
constexpr uint32_t kRegThread = kTileRegs + 0x600;  // +4*thread
constexpr uint32_t kRegRtOccupied = kTileRegs + 0x700;
constexpr uint32_t kRegRtMisroute = kTileRegs + 0x704;
constexpr uint32_t kRegRtTorn = kTileRegs + 0x70C;
constexpr uint32_t kRegRtCredits = kTileRegs + 0x710;  // 4 words a port
constexpr uint32_t kRegRow = kTileRegs + 0x780;
constexpr uint32_t kRegCol = kTileRegs + 0x784;
constexpr uint32_t kRegPrng = kTileRegs + 0x790;  // 4 words
constexpr uint32_t kRegConfig = kTileRegs + 0x788;
constexpr uint32_t kRegFilter = kTileRegs + 0x800;  // +16*filter: control, limits, count

constexpr uint32_t kCoreRun = 1u;
constexpr uint32_t kCoreStep = 2u;
constexpr uint32_t kCoreReset = 4u;
constexpr uint32_t kCoreClearQueues = 8u;

constexpr int kNumQueues = 8;
constexpr int kNumFilters = 6;
constexpr int kNumTasks = 32;
constexpr int kTeardownTask = 29;  // activated when a colour is torn down

// Indices of the counters.
enum Counter {
  kCtrBeats = 0,
  kCtrStallInput = 1,
  kCtrStallOutput = 2,
  kCtrStallRow = 3,
  kCtrStallMemory = 4,
  kCtrNoWork = 5,
  kCtrReducerElements = 6,
  kCtrInstructions = 7,
  kCtrAsleep = 8,
  kCtrWaveletsIn = 9,
  kCtrWaveletsOut = 10,
  kCtrWeights = 11,
  kCtrReducerWait = 12,
  kNumCounters = 13
};

}  // namespace ow

#endif  // OW_TILE_MAP_H_
