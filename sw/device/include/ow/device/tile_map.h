// SPDX-License-Identifier: Apache-2.0
// Short names of the tile's registers (docs/memory-map.md) for the host. The numbers come from
// ow/isa/isa.h.
#ifndef OW_TILE_MAP_H_
#define OW_TILE_MAP_H_

#include <cstdint>

#include "ow/isa/isa.h"

namespace ow {

constexpr uint32_t kTileRegs = isa::reg::kBase;
constexpr uint32_t kRegRoute = isa::reg::Route::kAddress;
constexpr uint32_t kRegSwitch = isa::reg::Switch::kAddress;
constexpr uint32_t kRegInq = isa::reg::Inq::kAddress;
constexpr uint32_t kRegOutq = isa::reg::Outq::kAddress;
constexpr uint32_t kRegInqLevel = isa::reg::InqLevel::kAddress;
constexpr uint32_t kRegOutqLevel = isa::reg::OutqLevel::kAddress;
constexpr uint32_t kRegTaskEntry = isa::reg::TaskEntry::kAddress;
constexpr uint32_t kRegTaskActivate = isa::reg::TaskActivate::kAddress;
constexpr uint32_t kRegTaskBlock = isa::reg::TaskBlock::kAddress;
constexpr uint32_t kRegTaskUnblock = isa::reg::TaskUnblock::kAddress;
constexpr uint32_t kRegTaskRunning = isa::reg::TaskRunning::kAddress;
constexpr uint32_t kRegTaskPriority = isa::reg::TaskPriority::kAddress;
constexpr uint32_t kRegRed = isa::reg::RedAcc::kAddress;
constexpr uint32_t kRegRedStatus = isa::reg::RedStatus::kAddress;
constexpr uint32_t kRegCounters = isa::reg::Counter::kAddress;
constexpr uint32_t kRegCoreCtrl = isa::reg::CoreCtrl::kAddress;
constexpr uint32_t kRegCorePc = isa::reg::CorePc::kAddress;
constexpr uint32_t kRegCoreStatus = isa::reg::CoreStatus::kAddress;
constexpr uint32_t kRegCoreTval = isa::reg::CoreTval::kAddress;
constexpr uint32_t kRegEngineFault = isa::reg::EngineFault::kAddress;
constexpr uint32_t kRegError = isa::reg::Error::kAddress;
constexpr uint32_t kRegThread = isa::reg::Thread::kAddress;
constexpr uint32_t kRegRtOccupied = isa::reg::RtOccupied::kAddress;
constexpr uint32_t kRegRtMisroute = isa::reg::RtMisroute::kAddress;
constexpr uint32_t kRegRtTorn = isa::reg::RtTorn::kAddress;
constexpr uint32_t kRegRtCredits = isa::reg::RtCredits::kAddress;
constexpr uint32_t kRegRow = isa::reg::Row::kAddress;
constexpr uint32_t kRegCol = isa::reg::Col::kAddress;
constexpr uint32_t kRegPrng = isa::reg::Prng::kAddress;
constexpr uint32_t kRegConfig = isa::reg::Config::kAddress;
constexpr uint32_t kRegFilter = isa::reg::Filter::kAddress;

constexpr uint32_t kCoreRun = isa::reg::CoreCtrl::Run::put(1);
constexpr uint32_t kCoreStep = isa::reg::CoreCtrl::Step::put(1);
constexpr uint32_t kCoreReset = isa::reg::CoreCtrl::Reset::put(1);
constexpr uint32_t kCoreClearQueues = isa::reg::CoreCtrl::ClearQueues::put(1);

constexpr int kNumQueues = isa::kNumQueues;
constexpr int kNumFilters = isa::kNumFilters;
constexpr int kNumTasks = isa::kNumTasks;
constexpr int kTeardownTask = isa::kTaskTeardown;  // activated when a colour is torn down

// Indices of the counters.
enum Counter {
  kCtrBeats = static_cast<int>(isa::Counter::Beats),
  kCtrStallInput = static_cast<int>(isa::Counter::StallInput),
  kCtrStallOutput = static_cast<int>(isa::Counter::StallOutput),
  kCtrStallRow = static_cast<int>(isa::Counter::StallRow),
  kCtrStallMemory = static_cast<int>(isa::Counter::StallMemory),
  kCtrNoWork = static_cast<int>(isa::Counter::NoWork),
  kCtrReducerElements = static_cast<int>(isa::Counter::ReducerElements),
  kCtrInstructions = static_cast<int>(isa::Counter::Instructions),
  kCtrAsleep = static_cast<int>(isa::Counter::Asleep),
  kCtrWaveletsIn = static_cast<int>(isa::Counter::WaveletsIn),
  kCtrWaveletsOut = static_cast<int>(isa::Counter::WaveletsOut),
  kCtrWeights = static_cast<int>(isa::Counter::Weights),
  kCtrReducerWait = static_cast<int>(isa::Counter::ReducerWait),
  kNumCounters = static_cast<int>(isa::reg::Counter::kCount)
};

}  // namespace ow

#endif  // OW_TILE_MAP_H_
