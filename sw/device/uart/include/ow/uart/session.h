// SPDX-License-Identifier: Apache-2.0
// The host's end of the byte stream: payload in both directions that arrives whole, once and in
// order, whatever is lost, doubled or changed on the wire. The device's end is
// fpga/rtl/ow_host_link.
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
    // Seconds without a right frame, while one is due, after which the device is given up.
    double silence = 10;
    // Seconds without progress after which frames are sent again; 0: by the wire's rate.
    double resend = 0;
    // Of the session, 1 to 255: another one than that of the last, so that what is left of that is
    // told apart. 0: most likely another one.
    uint8_t number = 0;
  };
  struct Counts {
    uint64_t sent = 0;    // frames of payload, the repeated ones included
    uint64_t again = 0;   // of them, sent before
    uint64_t late = 0;    // times that frames were sent again because no answer came
    uint64_t taken = 0;   // frames of payload accepted
    uint64_t wrong = 0;   // frames with a wrong CRC or a wrong form
    uint64_t others = 0;  // right frames that were not the expected one
  };

  Session(std::unique_ptr<Wire> wire, const Options& options);

  // Resets the device and returns what it says of itself (kInfoBytes). DeviceFault if nothing
  // answers within the silence, ProtocolError if it speaks another version.
  Bytes open();

  // Payload to the device; goes out by work().
  void put(const Bytes& bytes) { put(bytes.data(), bytes.size()); }
  void put(const uint8_t* bytes, size_t count);
  // Bytes of payload that were never on the wire.
  size_t backlog() const { return outgoing_.size(); }
  bool outstanding() const { return !frames_.empty(); }

  // Sends what can be sent and takes what has come; if nothing has, waits up to `seconds` for it.
  // True if payload came. DeviceFault if the device is silent or was reset. `due`: an answer is due
  // though nothing is outstanding; then a device from which nothing comes hears an acknowledgement
  // now and then, because it stops resending when it hears nothing.
  bool work(double seconds, bool due = false);
  // Payload from the device since it was asked last.
  Bytes take();

  double now() { return wire_->now(); }
  // When the board last showed that it has payload for the host, taken or not: on a bad wire a long
  // frame may have to be sent many times.
  double last_tried() const { return last_tried_; }
  // When a frame of the board last came that was right.
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
  double last_sign_ = 0;      // of either end that nothing but waiting goes on
  double last_tried_ = 0;  // a right frame of payload came, or one that says that some is missing
};

}  // namespace ow::uart

#endif  // OW_UART_SESSION_H_
