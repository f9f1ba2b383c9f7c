// SPDX-License-Identifier: Apache-2.0
// The host's end of the byte stream. Payload arrives whole, once and in order in both directions,
// whatever the wire loses, doubles or changes. The device's end is fpga/rtl/ow_host_link.
#ifndef OW_UART_SESSION_H_
#define OW_UART_SESSION_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "ow/uart/frame.h"
#include "ow/uart/wire.h"

namespace ow::uart {

class Session {
 public:
  struct Options {
    // If an answer is due and no right frame arrives for this many seconds, the device is given up.
    double silence = 10;
    // Frames are resent after this many seconds without progress; 0: by the wire's rate.
    double resend = 0;
    // Number of the session, 1 to 255. It should differ from the last session's, so that late
    // frames of that one are recognised. 0: a drawn number.
    uint8_t number = 0;
  };
  struct Counts {
    uint64_t sent = 0;    // frames of payload, the repeated ones included
    uint64_t again = 0;   // of them, sent before
    uint64_t late = 0;    // times that frames were sent again because no answer came
    uint64_t taken = 0;   // frames of payload accepted
    uint64_t wrong = 0;   // frames with a wrong CRC or a wrong form
    uint64_t others = 0;  // right frames that were not expected
  };

  Session(std::unique_ptr<Wire> wire, const Options& options);

  // Resets the device and returns its description (kInfoBytes). DeviceFault if nothing answers in
  // time, ProtocolError if the device speaks another version.
  Bytes open();

  // Payload for the device; work() sends it.
  void send_payload(const Bytes& bytes) { send_payload(bytes.data(), bytes.size()); }
  void send_payload(const uint8_t* bytes, size_t count);
  // Bytes of payload that were never on the wire.
  size_t backlog() const { return outgoing_.size(); }
  bool outstanding() const { return !frames_.empty(); }

  // Sends what can be sent and takes what has arrived; waits up to `seconds` if nothing has. True
  // if payload arrived. DeviceFault if the device is silent or was reset. `due`: an answer is due
  // although nothing is outstanding. Then a silent device gets an acknowledgement now and then,
  // because it stops resending when it hears nothing.
  bool work(double seconds, bool due = false);
  // Payload from the device after the last call.
  Bytes take_payload();

  double now() { return wire_->now(); }
  // When the board last showed that it has payload for the host, taken or not. On a bad wire a long
  // frame may have to be sent many times.
  double last_tried() const { return last_tried_; }
  // When the last right frame of the board arrived.
  double last_frame() const { return last_frame_; }
  const Wire& wire() const { return *wire_; }
  const Counts& counts() const { return counts_; }

 private:
  void pump_out();
  void next_frame();
  void hear(const Frame& frame);
  void follow(const Frame& frame);
  void acknowledged(uint8_t ack);
  void wrong_frame();
  void go_back();
  void check_time();
  void remind();

  std::unique_ptr<Wire> wire_;
  Options options_;  // with a number and a time to send again
  Decoder decoder_;
  Counts counts_;
  bool open_ = false;
  Bytes info_;

  std::deque<uint8_t> outgoing_;
  std::deque<Bytes> frames_;  // sent or being sent, not acknowledged
  uint8_t first_ = 0;         // number of the first of them
  size_t next_ = 0;           // which of them goes next
  size_t reached_ = 0;        // how many of them were sent before
  uint8_t turn_ = 0;          // times that it went back
  Bytes encoded_;             // of the frame on its way
  size_t encoded_at_ = 0;

  uint8_t expected_ = 0;
  uint8_t last_turn_ = 0;  // of the last right frame
  bool asked_ = false;
  bool ack_due_ = false;
  bool nack_due_ = false;
  Bytes incoming_;

  double last_heard_ = 0;  // or since when something is due
  double last_frame_ = 0;
  double last_progress_ = 0;  // of what was sent
  double last_sign_ = 0;      // a right frame arrived, or a reminder was sent
  double last_tried_ = 0;     // a right frame with payload, or one that reports a loss
};

}  // namespace ow::uart

#endif  // OW_UART_SESSION_H_
