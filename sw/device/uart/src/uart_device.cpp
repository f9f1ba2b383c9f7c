// SPDX-License-Identifier: Apache-2.0
#include "ow/uart/uart_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ow/base/error.h"

namespace ow::uart {
namespace {

// The most payload that waits for a frame. A later choice is better.
constexpr size_t kBacklog = 2 * kPayloadMax;
// Time between status questions while nothing arrives: starts here, doubles up to there.
constexpr double kFirstWait = 0.0002;
constexpr double kLongestWait = 0.02;
// A board that sends, but whose frames never get through, is given up after this many times the
// limit for a silent board.
constexpr double kTrials = 10;

void put_word(uint32_t word, Bytes* out) {
  for (int i = 0; i < 4; ++i) out->push_back(static_cast<uint8_t>(word >> (8 * i)));
}
uint64_t get_word(const uint8_t* bytes, int n) {
  uint64_t word = 0;
  for (int i = 0; i < n; ++i) word |= uint64_t{bytes[i]} << (8 * i);
  return word;
}

}  // namespace

UartDevice::UartDevice(std::unique_ptr<Wire> wire, const Session::Options& options)
    : session_(std::move(wire), options), silence_(options.silence) {
  const Bytes info = session_.open();
  shape_ = wafer::Shape{info[1], info[2], info[3], info[4], info[5], info[6]};
  shape_.check();
  grid_ = {shape_.logical_rows(), shape_.logical_cols()};
  colours_ = info[7];
  if (colours_ < 2 || colours_ > kMaxDataColours || info[8] != kQueueSlots) {
    throw ProtocolError(fmt::format("{}: says that it has {} colours and queues of {} wavelets",
                                    session_.wire().description(), colours_, info[8]));
  }
  ports_.resize(static_cast<size_t>(2 * (grid_.rows + grid_.cols)));
}

std::string UartDevice::description() const {
  return fmt::format("board of {} x {} tiles in {} x {} reticles behind {}", grid_.rows, grid_.cols,
                     shape_.reticle_rows, shape_.reticle_cols, session_.wire().description());
}

// North by column, east by row, south, west: the order of ow_bridge.
size_t UartDevice::port_at(Side side, int index) const {
  const bool column = side == Side::North || side == Side::South;
  const int n = column ? grid_.cols : grid_.rows;
  if (index < 0 || index >= n) {
    throw BadInput(fmt::format("no port {} on the {} edge: the grid has {} there (0 to {})", index,
                               side_name(side), n, n - 1));
  }
  int first = 0;
  if (side == Side::East) first = grid_.cols;
  if (side == Side::South) first = grid_.cols + grid_.rows;
  if (side == Side::West) first = 2 * grid_.cols + grid_.rows;
  return static_cast<size_t>(first + index);
}

int UartDevice::checked(int colour) const {
  if (colour < 0 || colour >= kMaxColours) {
    throw BadInput(fmt::format("colour {}: must be 0 to {}", colour, kMaxColours - 1));
  }
  return colour;
}

int UartDevice::known_colour(int colour) const {
  if (checked(colour) >= colours_ && colour != kColourReq && colour != kColourRsp) {
    throw BadInput(
        fmt::format("colour {} of a wavelet to send: the board's tiles have {}", colour, colours_));
  }
  return colour;
}

// ------------------------------------------------------------------------------- into the grid --
size_t UartDevice::offer(Side side, int index, const Wavelet* wavelets, size_t count) {
  Port& port = ports_[port_at(side, index)];
  size_t taken = 0;
  for (; taken < count; ++taken) {
    Queue& q = port.queues[static_cast<size_t>(known_colour(wavelets[taken].colour))];
    if (q.waiting.size() == kPortRoom) break;
    q.waiting.push_back(wavelets[taken]);
  }
  port.queued += taken;
  queued_ += taken;
  return taken;
}

size_t UartDevice::queued(Side side, int index, int colour) const {
  return ports_[port_at(side, index)].queues[static_cast<size_t>(checked(colour))].all();
}
size_t UartDevice::queued(Side side, int index) const {
  return ports_[port_at(side, index)].queued;
}

void UartDevice::select(size_t port, int colour, Bytes* out) {
  if (sent_port_ == port && sent_colour_ == colour) return;
  sent_port_ = port;
  sent_colour_ = colour;
  out->insert(out->end(), {kSelect, static_cast<uint8_t>(port), static_cast<uint8_t>(colour)});
}

// Some wavelets of the port's next colour; false if the board has no room for any colour that
// waits.
bool UartDevice::flow_port(size_t index) {
  constexpr int kTurn = 16;
  Port& port = ports_[index];
  if (port.queued == 0) return false;
  for (int k = 0; k < kMaxColours; ++k) {
    const int colour = (port.next_colour + k) % kMaxColours;
    Queue& q = port.queues[static_cast<size_t>(colour)];
    const int n = std::min({kTurn, kQueueSlots - q.on_board(), static_cast<int>(q.waiting.size())});
    if (n <= 0) continue;
    Bytes out;
    select(index, colour, &out);
    for (int i = 0; i < n; ++i) {
      const Wavelet& w = q.waiting.front();
      out.push_back(w.ctrl ? kControl : kData);
      put_word(w.data, &out);
      q.waiting.pop_front();
      q.pushed = static_cast<uint8_t>((q.pushed + 1) & 63);
    }
    session_.send_payload(out);
    used_ = true;
    quiet_ = false;
    sent_since_ = true;
    port.next_colour = (colour + 1) % kMaxColours;
    return true;
  }
  return false;
}

void UartDevice::flow() {
  if (queued_ == 0) return;
  for (size_t idle = 0; idle < ports_.size() && session_.backlog() < kBacklog;) {
    idle = flow_port(next_port_) ? 0 : idle + 1;
    next_port_ = (next_port_ + 1) % ports_.size();
  }
}

bool UartDevice::can_send() const {
  return std::any_of(ports_.begin(), ports_.end(), [](const Port& p) {
    return p.queued != 0 && std::any_of(p.queues.begin(), p.queues.end(), [](const Queue& q) {
             return !q.waiting.empty() && q.on_board() < kQueueSlots;
           });
  });
}

// ----------------------------------------------------------------------------- out of the grid --
std::vector<Arrival> UartDevice::take_arrivals(Side side, int index, int colour) {
  return std::exchange(ports_[port_at(side, index)].arrivals[static_cast<size_t>(checked(colour))],
                       std::vector<Arrival>());
}
size_t UartDevice::available(Side side, int index, int colour) const {
  return ports_[port_at(side, index)].arrivals[static_cast<size_t>(checked(colour))].size();
}

void UartDevice::arrived(uint32_t data, bool control) {
  if (come_port_ >= ports_.size()) {
    throw ProtocolError("the board sends a wavelet of a port that it does not have");
  }
  const Wavelet w{static_cast<uint8_t>(come_colour_), control, data};
  ports_[come_port_].arrivals[w.colour].push_back({cycle_, w});
  ++moved_;
  event_ = true;
  used_ = true;
}

void UartDevice::room(const uint8_t* record) {
  if (record[1] >= ports_.size() || record[2] >= kMaxColours) {
    throw ProtocolError("the board reports a queue that it does not have");
  }
  Port& port = ports_[record[1]];
  Queue& q = port.queues[record[2]];
  const size_t before = q.all();
  const auto n = static_cast<size_t>((record[3] - q.gone) & 63);
  if (n > static_cast<size_t>(q.on_board())) {
    throw ProtocolError(fmt::format("the board reports {} wavelets gone of {}", n, q.on_board()));
  }
  q.gone = record[3] & 63;
  q.credits = record[3] >> isa::kHostRoomCreditsBit;
  q.fresh = true;
  port.queued -= n;
  queued_ -= n;
  moved_ += n;
  const size_t after = q.all();
  if ((before > kPortRefill && after <= kPortRefill) || (before > 0 && after == 0)) event_ = true;
  if (n > 0) used_ = true;
}

int UartDevice::send_credits(Side side, int index, int colour) const {
  const Queue& q = ports_[port_at(side, index)].queues[static_cast<size_t>(checked(colour))];
  if (colour >= colours_ && colour != kColourReq && colour != kColourRsp) {
    return link_credits(colour);  // never used
  }
  // Asking only changes what is known of the board.
  auto* self = const_cast<UartDevice*>(this);
  self->report(side, index, colour);
  return q.credits;
}

void UartDevice::report(Side side, int index, int colour) {
  Queue& q = ports_[port_at(side, index)].queues[static_cast<size_t>(colour)];
  if (report_cycle_ == cycle_ && q.fresh) return;
  for (Port& port : ports_) {
    for (Queue& each : port.queues) each.fresh = false;
  }
  owe();
  session_.send_payload({kReport});
  while (!q.fresh) work(kLongestWait);
  --owed_;
  report_cycle_ = cycle_;
}

// -------------------------------------------------------------------------------------- status --
void UartDevice::ask_status() {
  if (asked_) return;
  asked_ = true;
  asked_quietly_ = !can_send();
  sent_since_ = false;
  owe();
  session_.send_payload({kStatus});
}

void UartDevice::status(const uint8_t* record) {
  if (!asked_) throw ProtocolError("the board sends a status that nobody asked for");
  asked_ = false;
  --owed_;
  const uint8_t flags = record[1];
  if ((flags >> isa::kHostCreditBit & 1) != 0) {
    throw ProtocolError("the board got a credit too many at one of its edge ports");
  }
  const uint64_t cycle = get_word(record + 2, 6);
  if (cycle < cycle_) {
    throw ProtocolError(
        fmt::format("the board's cycle count went back from {} to {}", cycle_, cycle));
  }
  if (used_) wire_cycles_ += cycle - cycle_;
  used_ = false;
  cycle_ = cycle;
  told_ = true;
  // Reports before this one may have made room for wavelets that wait here.
  quiet_ = (flags >> isa::kHostQuietBit & 1) != 0 && asked_quietly_ && !sent_since_ && !can_send();
}

// ------------------------------------------------------------------------------------- records --
void UartDevice::owe() {
  if (owed_++ == 0) last_record_ = session_.now();
}

void UartDevice::work(double seconds) {
  const bool came = session_.work(seconds, owed_ > 0);
  const double waited = session_.now() - last_record_;
  if (!came && owed_ > 0 &&
      (waited > kTrials * silence_ ||
       (waited > silence_ && session_.now() - session_.last_tried() > silence_))) {
    // The board may also have taken the question before the wire failed.
    const bool silent = session_.now() - session_.last_frame() > silence_;
    throw DeviceFault(
        fmt::format("{}: the board {} for {:g} s", session_.wire().description(),
                    silent ? "has been silent" : "takes what it gets and has answered nothing",
                    !silent && waited > kTrials * silence_ ? kTrials * silence_ : silence_));
  }
  if (!came) return;
  last_record_ = session_.now();
  const Bytes come = session_.take_payload();
  stream_.insert(stream_.end(), come.begin(), come.end());
  parse();
}

size_t UartDevice::record_bytes(uint8_t record) const {
  switch (record) {
    case kSelect:
      return 3;
    case kData:
    case kControl:
      return 5;
    case kChain:
      return 9;
    case kStatus:
      return 8;
    case kRoom:
      return 4;
    default:
      throw ProtocolError(fmt::format("the board sends a record of kind {}", record));
  }
}

void UartDevice::parse() {
  size_t at = 0;
  while (at < stream_.size()) {
    const size_t n = record_bytes(stream_[at]);
    if (at + n > stream_.size()) break;
    carry_out(stream_.data() + at);
    at += n;
  }
  stream_.erase(stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(at));
}

void UartDevice::carry_out(const uint8_t* record) {
  switch (record[0]) {
    case kSelect:
      come_port_ = record[1];
      come_colour_ = record[2] % kMaxColours;
      break;
    case kData:
    case kControl:
      arrived(static_cast<uint32_t>(get_word(record + 1, 4)), record[0] == kControl);
      break;
    case kChain: {
      uint64_t answer = 0;  // most significant byte first
      for (int i = 1; i <= 8; ++i) answer = answer << 8 | record[i];
      if (chains_owed_ == 0) {
        throw ProtocolError("the board sends the answer of a chain that nobody asked");
      }
      --chains_owed_;
      chain_answers_.push_back(answer);
      --owed_;
      used_ = true;
      break;
    }
    case kStatus:
      status(record);
      break;
    default:
      room(record);
  }
}

Pause UartDevice::advance(uint64_t max_cycles) {
  const uint64_t begin = patience_cycle();
  double wait = 0;
  event_ = false;
  told_ = false;
  for (;;) {
    flow();
    if (!asked_ && session_.backlog() == 0) ask_status();
    work(wait == 0 ? kFirstWait : wait);
    if (event_) return Pause::Event;
    if (!told_) continue;
    told_ = false;
    if (quiet_) return Pause::Quiet;
    if (patience_cycle() - begin >= max_cycles) return Pause::Limit;
    // Nothing to tell yet: look again a little later.
    wait = wait == 0 ? kFirstWait : std::min(2 * wait, kLongestWait);
    const double until = session_.now() + wait;
    while (!event_ && session_.now() < until) {
      flow();
      work(until - session_.now());
    }
    if (event_) return Pause::Event;
  }
}

// -------------------------------------------------------------------------------------- chains --
void UartDevice::wait_cycles(uint64_t cycles) {
  ask_status();
  told_ = false;
  while (!told_) work(kLongestWait);
  const uint64_t end = cycle_ + cycles;
  while (cycle_ < end) {
    ask_status();
    work(kLongestWait);
  }
}

void UartDevice::run_chains(std::vector<wafer::ChainJob>* jobs) {
  for (wafer::ChainJob& job : *jobs) {
    const wafer::ChainRow& w = job.where;
    if (w.reticle < 0 || w.reticle >= shape_.reticles() || w.row < 0 ||
        w.row >= shape_.physical_rows()) {
      throw BadInput(
          fmt::format("chain of row {} of reticle {}: the board has none", w.row, w.reticle));
    }
    const int end = 2 * (w.reticle * shape_.physical_rows() + w.row) + (w.from_east ? 1 : 0);
    bool& beyond = listens_beyond_[end];
    job.answers.assign(job.commands.size(), std::nullopt);
    // The board holds back at most one answer; the wire stays full all the same.
    constexpr size_t kAhead = 4;
    int tries = 1;
    for (size_t sent = 0, got = 0; got < job.commands.size();) {
      const bool insists = sent > got && job.commands[sent - 1].insist;
      if (sent < job.commands.size() && sent - got < kAhead && !insists) {
        send_command(end, beyond, job.commands[sent++]);
        continue;
      }
      job.answers[got] = next_answer(job.commands[got]);
      if (job.commands[got].insist && !job.answers[got] && tries < wafer::kChainTries) {
        send_command(end, beyond, job.commands[got]);
        ++tries;
        continue;
      }
      tries = 1;
      ++got;
    }
    // The station at this end may be dead: the board can listen to the one beyond it. Asking what a
    // station is twice does no harm.
    for (size_t k = 0; k < job.commands.size(); ++k) {
      const wafer::ChainCommand& command = job.commands[k];
      if (job.answers[k] || command.write || command.reg != wafer::kStationId ||
          command.column == wafer::kEveryColumn) {
        continue;
      }
      send_command(end, !beyond, command);
      job.answers[k] = next_answer(command);
      if (job.answers[k]) beyond = !beyond;
    }
  }
}

std::optional<uint32_t> UartDevice::next_answer(const wafer::ChainCommand& command) {
  while (chain_answers_.empty()) work(kLongestWait);
  const std::optional<uint32_t> answer = answer_to(command, chain_answers_.front());
  chain_answers_.pop_front();
  return answer;
}

void UartDevice::send_command(int end, bool beyond, const wafer::ChainCommand& command) {
  using Chain = isa::ChainFrame;
  const uint64_t head = Chain::Column::put(command.column) | Chain::Write::put(command.write) |
                        Chain::Register::put(command.reg) | Chain::Data::put(command.data);
  const uint64_t frame = head | wafer::chain_crc(head >> Chain::Crc::kWidth);
  Bytes record{kChain, static_cast<uint8_t>(end | (beyond ? 1 << isa::kHostChainSkipBit : 0))};
  for (int i = 7; i >= 0; --i) record.push_back(static_cast<uint8_t>(frame >> (8 * i)));
  owe();
  ++chains_owed_;
  session_.send_payload(record);
  used_ = true;
  sent_since_ = true;
  quiet_ = false;
}

// Decodes an answer to this command (as wafer::ChainEnd does).
std::optional<uint32_t> UartDevice::answer_to(const wafer::ChainCommand& command, uint64_t frame) {
  using Chain = isa::ChainFrame;
  if (wafer::chain_crc(frame >> Chain::Crc::kWidth) != Chain::Crc::get(frame) ||
      !Chain::Answer::get(frame) ||
      Chain::Column::get(frame) != static_cast<uint64_t>(command.column) ||
      (Chain::Write::get(frame) != 0) != command.write ||
      Chain::Register::get(frame) != static_cast<uint64_t>(command.reg)) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(Chain::Data::get(frame));
}

}  // namespace ow::uart
