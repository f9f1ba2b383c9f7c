// SPDX-License-Identifier: Apache-2.0
// The two ends of the host's byte stream have the same numbers.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <regex>
#include <string>

#include "ow/base/file.h"
#include "ow/uart/numbers.h"

namespace ow::uart {
namespace {

// The constants of a SystemVerilog package that are plain numbers.
std::map<std::string, uint64_t> constants(const std::string& text) {
  static const std::regex kConstant(
      "localparam[^=;]*\\b([A-Z][A-Z0-9_]*) = (?:\\d+'([hdb]))?([0-9A-Fa-f_]+);");
  std::map<std::string, uint64_t> out;
  for (std::sregex_iterator it(text.begin(), text.end(), kConstant), end; it != end; ++it) {
    const int base = (*it)[2] == "h" ? 16 : (*it)[2] == "b" ? 2 : 10;
    out[(*it)[1]] = std::stoull((*it)[3], nullptr, base);
  }
  return out;
}

TEST(HostNumbers, AreTheSameOnBothEnds) {
  const std::map<std::string, uint64_t> host = {
      {"PROTOCOL_VERSION", kProtocolVersion},
      {"BYTE_FLAG", kFlag},
      {"BYTE_ESCAPE", kEscape},
      {"ESCAPE_FLIP", kEscapeFlip},
      {"HEADER_BYTES", kHeaderBytes},
      {"CRC_BYTES", kCrcBytes},
      {"PAYLOAD_MAX", kPayloadMax},
      {"WINDOW", kWindow},
      {"INFO_BYTES", kInfoBytes},
      {"RESEND_TRIES", kResendTries},
      {"KIND_BITS", kKindBits},
      {"TURN_BITS", kTurnBits},
      {"NACK_BIT", kNackBit},
      {"FRAME_OPEN", static_cast<uint64_t>(Kind::Open)},
      {"FRAME_OPENED", static_cast<uint64_t>(Kind::Opened)},
      {"FRAME_DATA", static_cast<uint64_t>(Kind::Data)},
      {"FRAME_ACK", static_cast<uint64_t>(Kind::Ack)},
      {"FRAME_CLOSED", static_cast<uint64_t>(Kind::Closed)},
      {"RECORD_SELECT", kSelect},
      {"RECORD_DATA", kData},
      {"RECORD_CONTROL", kControl},
      {"RECORD_CHAIN", kChain},
      {"RECORD_STATUS", kStatus},
      {"RECORD_REPORT", kReport},
      {"RECORD_ROOM", kRoom},
      {"STATUS_QUIET_BIT", kStatusQuietBit},
      {"STATUS_CREDIT_BIT", kStatusCreditBit},
      {"ROOM_CREDITS_BIT", kRoomCreditsBit},
      {"QUEUE_SLOTS", kQueueSlots},
      {"CHAIN_SKIP_BIT", kChainSkipBit},
      {"CRC32_POLYNOMIAL", kCrc32Polynomial},
      {"CRC32_GOOD", kCrc32Good}};
  EXPECT_EQ(constants(read_text(OW_SOURCE_DIR "/fpga/rtl/ow_host_pkg.sv")), host);
}

}  // namespace
}  // namespace ow::uart
