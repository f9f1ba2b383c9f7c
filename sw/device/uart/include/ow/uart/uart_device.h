// SPDX-License-Identifier: Apache-2.0
// A machine at the end of a wire, as a device: its edge ports and test-access chains over the
// host's byte stream (docs/fpga.md). It is dark until its fuses are set (ow/open/board.h).
#ifndef OW_UART_DEVICE_H_
#define OW_UART_DEVICE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/test_chain.h"
#include "ow/uart/session.h"

namespace ow::uart {

class UartDevice : public Device, public wafer::ChainAccess {
 public:
  // Opens a session, which resets the machine.
  explicit UartDevice(std::unique_ptr<Wire> wire, const Session::Options& options = {});

  GridShape shape() const override { return grid_; }
  uint64_t cycle() const override { return cycle_; }
  // Leaves out the cycles in which the wire was in use, which are not the machine's. Wavelets on
  // the wire count as the cycles that they take at the machine's ports, so a program that sends
  // forever reaches its limit.
  uint64_t patience_cycle() const override {
    return cycle_ - wire_cycles_ + moved_ / ports_.size();
  }
  std::string description() const override;
  // Asks the board. No answer in time is DeviceFault, as everywhere.
  int send_credits(Side side, int index, int colour) const override;
  std::vector<Arrival> take_arrivals(Side side, int index, int colour) override;
  size_t available(Side side, int index, int colour) const override;
  bool tells_quiet() const override { return true; }
  size_t offer(Side side, int index, const Wavelet* wavelets, size_t count) override;
  size_t queued(Side side, int index, int colour) const override;
  size_t queued(Side side, int index) const override;
  size_t queued() const override { return queued_; }
  Pause advance(uint64_t max_cycles) override;

  const wafer::Shape& wafer_shape() const override { return shape_; }
  void run_chains(std::vector<wafer::ChainJob>* jobs) override;
  void wait_cycles(uint64_t cycles) override;

  const Session::Counts& counts() const { return session_.counts(); }

 private:
  // State of a port and a colour, on the way into the grid.
  struct Queue {
    std::deque<Wavelet> waiting;  // at most kPortRoom
    uint8_t pushed = 0;           // modulo 64: what the board got; what has left it
    uint8_t gone = 0;
    int credits = 0;     // as last reported
    bool fresh = false;  // reported since it was asked for
    int on_board() const { return (pushed - gone) & 63; }
    size_t all() const { return waiting.size() + static_cast<size_t>(on_board()); }
  };
  struct Port {
    std::array<Queue, kMaxColours> queues;
    std::array<std::vector<Arrival>, kMaxColours> arrivals;
    size_t queued = 0;
    int next_colour = 0;
  };

  size_t port_at(Side side, int index) const;  // BadInput if it does not exist
  int checked(int colour) const;
  int known_colour(int colour) const;
  void flow();
  bool flow_port(size_t port);
  void select(size_t port, int colour, Bytes* out);
  void owe();
  // Lets the wire work for up to `seconds`, and takes what arrived. DeviceFault if the board
  // accepts data and answers nothing.
  void work(double seconds);
  void parse();
  size_t record_bytes(uint8_t record) const;
  void carry_out(const uint8_t* record);
  void arrived(uint32_t data, bool control);
  void room(const uint8_t* record);
  void status(const uint8_t* record);
  void ask_status();
  void report(Side side, int index, int colour);
  bool can_send() const;
  // `beyond`: listens past the station at this end of a chain.
  void send_command(int end, bool beyond, const wafer::ChainCommand& command);
  std::optional<uint32_t> next_answer(const wafer::ChainCommand& command);
  static std::optional<uint32_t> answer_to(const wafer::ChainCommand& command, uint64_t frame);

  Session session_;
  wafer::Shape shape_;
  GridShape grid_;
  int colours_ = 0;
  std::vector<Port> ports_;
  size_t queued_ = 0;
  size_t next_port_ = 0;

  Bytes stream_;  // payload from the board, from a record's first byte on
  size_t sent_port_ = SIZE_MAX, come_port_ = SIZE_MAX;  // as selected in each direction
  int sent_colour_ = -1, come_colour_ = -1;
  std::deque<uint64_t> chain_answers_;
  std::map<int, bool> listens_beyond_;  // by the end of a chain

  uint64_t cycle_ = 0;
  uint64_t wire_cycles_ = 0;
  uint64_t moved_ = 0;  // wavelets that have entered or left the grid
  const double silence_;
  int owed_ = 0;            // answers that are due
  int chains_owed_ = 0;     // of them, of chains
  double last_record_ = 0;  // when one came, or since when one is due
  bool used_ = false;       // the wire carried something besides status since the last one
  bool asked_ = false;      // for a status that has not come
  bool told_ = false;       // a status has come since advance() looked
  bool quiet_ = false;  // the last status said so; nothing was sent since the question, or can be
  bool asked_quietly_ = false;  // nothing waited to be sent when it was asked for
  bool sent_since_ = false;
  uint64_t report_cycle_ = UINT64_MAX;  // when all queues were reported
  bool event_ = false;
};

}  // namespace ow::uart

#endif  // OW_UART_DEVICE_H_
