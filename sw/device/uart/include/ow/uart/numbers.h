// SPDX-License-Identifier: Apache-2.0
// Numbers of the host's byte stream (docs/fpga.md). The device's half is fpga/rtl/ow_host_pkg.sv; a
// test holds the two equal.
#ifndef OW_UART_NUMBERS_H_
#define OW_UART_NUMBERS_H_

#include <cstddef>
#include <cstdint>

namespace ow::uart {

constexpr uint8_t kProtocolVersion = 1;

constexpr uint8_t kFlag = 0x7E;
constexpr uint8_t kEscape = 0x7D;
constexpr uint8_t kEscapeFlip = 0x20;

constexpr size_t kHeaderBytes = 4;
constexpr size_t kCrcBytes = 4;
constexpr size_t kPayloadMax = 128;
constexpr int kWindow = 15;  // frames sent and not acknowledged, at most
constexpr size_t kInfoBytes = 9;
constexpr int kResendTries = 15;

constexpr int kKindBits = 3;
constexpr int kTurnBits = 4;
constexpr int kNackBit = 7;
enum class Kind : uint8_t { Open = 1, Opened = 2, Data = 3, Ack = 4, Closed = 5 };

enum Record : uint8_t {
  kSelect = 1,   // port, colour
  kData = 2,     // 4 bytes: a wavelet of the selected port and colour
  kControl = 3,  // the same with the control bit
  kChain = 4,    // to the device: end, 8 bytes of a chain's frame; to the host: 8 bytes
  kStatus = 5,   // to the device: nothing; to the host: flags, 6 bytes of cycle count
  kReport = 6,   // to the device: report all queues
  kRoom = 7      // to the host: port, colour, wavelets gone and credits
};

constexpr int kStatusQuietBit = 0;
constexpr int kStatusCreditBit = 1;
constexpr int kRoomCreditsBit = 6;
constexpr int kQueueSlots = 32;
constexpr int kChainSkipBit = 7;

constexpr uint32_t kCrc32Polynomial = 0xEDB88320;
constexpr uint32_t kCrc32Good = 0xDEBB20E3;

}  // namespace ow::uart

#endif  // OW_UART_NUMBERS_H_
