// SPDX-License-Identifier: Apache-2.0
// Test-access chains: the registers of a station, the frames, and access to all rows of a wafer
// (docs/bring-up.md).
#ifndef OW_DEVICE_TEST_CHAIN_H_
#define OW_DEVICE_TEST_CHAIN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ow/device/wafer_shape.h"
#include "ow/isa/isa.h"

namespace ow::wafer {

// Registers of a station.
enum StationRegister {
  kStationId = isa::station::Id::kAddress,
  kStationControl = isa::station::Control::kAddress,
  kStationTileFuse = isa::station::TileFuse::kAddress,
  kStationRowFuse = isa::station::RowFuse::kAddress,
  kStationPush = isa::station::Push::kAddress,
  kStationPushLast = isa::station::PushLast::kAddress,
  kStationPop = isa::station::Pop::kAddress,
  kStationPopState = isa::station::PopState::kAddress,
  kStationScan = isa::station::Scan::kAddress,
  kStationPatternLow = isa::station::PatternLow::kAddress,
  kStationPatternHigh = isa::station::PatternHigh::kAddress,
  kStationLink = isa::station::Link::kAddress,
  kStationLinkStatus = isa::station::LinkStatus::kAddress,
  // + 2 * side; the bits above are in the next register
  kStationCapture = isa::station::Capture::kAddress
};
constexpr uint32_t kStationIdValue = isa::station::Id::kReset;
constexpr uint32_t kStationRun = isa::station::Control::Run::put(1);
constexpr uint32_t kStationTest = isa::station::Control::Test::put(1);
constexpr uint32_t kScanEnable = isa::station::Scan::Enable::put(1);
constexpr int kEveryColumn = isa::kStationAllColumns;

// The chain of one physical row of one reticle, and the end from which to enter it.
struct ChainRow {
  int reticle = 0;
  int row = 0;
  bool from_east = false;
};

struct ChainCommand {
  int column = 0;  // kEveryColumn: all, without an answer
  bool write = false;
  int reg = 0;
  uint32_t data = 0;
  // It is sent again, kChainTries times in all, until its answer comes. No other goes out before.
  bool insist = false;
};
constexpr int kChainTries = 3;

// The next word of the answer that a station has from its tile. `turn` is 1 for the first word
// after the station's CONTROL.test was 0, and then changes from word to word.
inline ChainCommand pop_command(int column, bool turn) {
  return {column, true, kStationPop, isa::station::Pop::Turn::put(turn), true};
}

// Commands for one row, carried out in order; the answers take their places. `overlap`: a command
// may go out while the answer to the one before is on its way, which needs stations that have found
// each other.
struct ChainJob {
  ChainRow where;
  bool overlap = false;
  std::vector<ChainCommand> commands;
  std::vector<std::optional<uint32_t>> answers;  // nothing: no answer, or none was due
};

class ChainAccess {
 public:
  virtual ~ChainAccess() = default;
  virtual const Shape& wafer_shape() const = 0;
  // Carries the jobs out, different rows at the same time. No two jobs may name the same row.
  virtual void run_chains(std::vector<ChainJob>* jobs) = 0;
  // Lets the wafer run.
  virtual void wait_cycles(uint64_t cycles) = 0;
  // Resets the wafer: stations, tiles and links; memories keep what they hold. No wavelet may be
  // under way at the wafer's edges. False if this access cannot.
  virtual bool reset() { return false; }
};

// The host's end of one chain: what it drives, and what it makes of what it hears.
class ChainEnd {
 public:
  // Starts `command`, if it is `ready`. `stations` of the row; `answer` is where the answer goes,
  // if one comes.
  void begin(const ChainCommand& command, int stations, bool overlap,
             std::optional<uint32_t>* answer);
  bool ready() const { return sending_ == 0 && gap_ == 0; }
  bool busy() const { return !ready() || pending_ > 0; }
  // The bit to drive in this cycle.
  bool drive() const {
    return sending_ > 0 && (out_[sending_ > 64 ? 1 : 0] >> ((sending_ - 1) & 63) & 1);
  }
  // The bits that came out in this cycle: of the last station, and of the one before it.
  void hear(bool near, bool skip);

 private:
  struct Ear {
    int left = 0;
    uint64_t bits = 0;
  };
  // A command whose answer is due.
  struct Pending {
    uint64_t head = 0;
    int age = 0;  // cycles since it was begun
    int limit = 0;
    std::optional<uint32_t>* answer = nullptr;
  };
  bool listen(Ear* ear, bool bit);
  void drop_first();

  uint64_t out_[2] = {0, 0};
  int sending_ = 0;      // bits left to send
  int gap_ = 0;          // cycles until the next one may begin
  Pending pendings_[2];  // the older one first
  int pending_ = 0;
  Ear ears_[2];
};

// A chain's end at the reticle's port: what goes in in the next cycle, and what came out in the
// last one, of the last station and of the one before it.
struct ChainPins {
  bool in = false;
  bool near = false;
  bool skip = false;
};

// Carries jobs out over the pins of all rows, index (reticle * physical rows + row) * 2, + 1 for
// the east end; `step` runs a cycle. BadInput for a row that the wafer does not have.
void drive_chains(const Shape& shape, std::vector<ChainPins>* pins,
                  const std::function<void()>& step, std::vector<ChainJob>* jobs);

// CRC of the 48 bits before it in a frame.
uint16_t chain_crc(uint64_t bits48);

}  // namespace ow::wafer

#endif  // OW_DEVICE_TEST_CHAIN_H_
