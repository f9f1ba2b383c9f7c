// SPDX-License-Identifier: Apache-2.0
// Numbers of the host's byte stream (docs/fpga.md) from sw/isa/host.yaml, in the types used here.
#ifndef OW_UART_NUMBERS_H_
#define OW_UART_NUMBERS_H_

#include <cstddef>
#include <cstdint>

#include "ow/isa/isa.h"

namespace ow::uart {

constexpr uint8_t kProtocolVersion = isa::kHostProtocol;

constexpr uint8_t kFlag = isa::kHostFlag;
constexpr uint8_t kEscape = isa::kHostEscape;
constexpr uint8_t kEscapeFlip = isa::kHostEscapeFlip;

constexpr size_t kHeaderBytes = isa::kHostHeaderBytes;
constexpr size_t kCrcBytes = isa::kHostCrcBytes;
constexpr size_t kPayloadMax = isa::kHostPayloadMax;
constexpr int kWindow = isa::kHostWindow;
constexpr size_t kInfoBytes = isa::kHostInfoBytes;
constexpr int kQueueSlots = isa::kHostQueueSlots;

using Kind = isa::HostFrame;

// The first bytes of records.
constexpr uint8_t record(isa::HostRecord r) { return static_cast<uint8_t>(r); }
constexpr uint8_t kSelect = record(isa::HostRecord::Select);
constexpr uint8_t kData = record(isa::HostRecord::Data);
constexpr uint8_t kControl = record(isa::HostRecord::Control);
constexpr uint8_t kChain = record(isa::HostRecord::Chain);
constexpr uint8_t kStatus = record(isa::HostRecord::Status);
constexpr uint8_t kReport = record(isa::HostRecord::Report);
constexpr uint8_t kRoom = record(isa::HostRecord::Room);

}  // namespace ow::uart

#endif  // OW_UART_NUMBERS_H_
