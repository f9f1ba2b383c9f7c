// SPDX-License-Identifier: Apache-2.0
// The host bridge against the host: what goes in at one end comes out at the other, once and in
// order, whatever the wire does; and where it cannot, there is an error.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "../harness/seed.h"
#include "bridge_wire.h"
#include "ow/uart/session.h"
#include "ow/uart/uart_device.h"

namespace ow::uart {
namespace {

constexpr std::array<int, 6> kColours = {0, 1, 2, 3, kColourReq, kColourRsp};

struct PortName {
  Side side;
  int index;
};
constexpr std::array<PortName, kPorts> kPortNames = {{{Side::North, 0},
                                                      {Side::North, 1},
                                                      {Side::East, 0},
                                                      {Side::East, 1},
                                                      {Side::South, 0},
                                                      {Side::South, 1},
                                                      {Side::West, 0},
                                                      {Side::West, 1}}};

Wavelet random_wavelet(Rng* rng) {
  Wavelet w;
  w.colour = static_cast<uint8_t>(kColours[rng->below(kColours.size())]);
  w.ctrl = rng->below(8) == 0;
  // Flags, escapes and their neighbours are frequent; some control wavelets hold commands.
  for (int i = 0; i < 4; ++i) {
    const uint64_t byte = rng->below(4) == 0 ? 0x7C + rng->below(4) : rng->below(256);
    w.data |= static_cast<uint32_t>(byte) << (8 * i);
  }
  if (w.ctrl && rng->below(2) == 0) w.data &= ~isa::Control::Commands::kMask;
  return w;
}

// Random wavelets through all ports, both ways at the same time.
class Traffic {
 public:
  Traffic(Board* board, UartDevice* device, uint64_t seed)
      : board_(*board), device_(*device), rng_(seed) {}

  void add(size_t wavelets, bool both_ways = true) {
    for (size_t i = 0; i < wavelets; ++i) {
      if (both_ways) {
        const size_t p = rng_.below(kPorts);
        const Wavelet in = random_wavelet(&rng_);
        device_.send(kPortNames[p].side, kPortNames[p].index, in);
        in_[p][in.colour].push_back(in);
      }
      const size_t q = rng_.below(kPorts);
      const Wavelet out = random_wavelet(&rng_);
      board_.edges[q].give(out);
      out_[q][out.colour].push_back(out);
    }
    added_ += wavelets;
  }

  // Until all is through, or so much has come out.
  bool run(uint64_t cycles, size_t enough = SIZE_MAX) {
    const RunStatus status = device_.run(cycles, [this, enough] {
      for (size_t p = 0; p < kPorts; ++p) {
        for (const int c : kColours) {
          for (const Arrival& a :
               device_.take_arrivals(kPortNames[p].side, kPortNames[p].index, c)) {
            came_[p][static_cast<size_t>(c)].push_back(a.wavelet);
            ++count_;
          }
        }
      }
      return count_ >= enough || (count_ == added_ && device_.pending_sends() == 0);
    });
    return status == RunStatus::Done;
  }

  void check() const {
    for (size_t p = 0; p < kPorts; ++p) {
      EXPECT_EQ(board_.edges[p].broken, "");
      for (const int c : kColours) {
        const auto at = static_cast<size_t>(c);
        EXPECT_EQ(board_.edges[p].got(c), in_[p][at]) << "into port " << p << ", colour " << c;
        EXPECT_EQ(came_[p][at], out_[p][at]) << "out of port " << p << ", colour " << c;
      }
    }
  }

 private:
  using Sorted = std::array<std::array<std::vector<Wavelet>, kMaxColours>, kPorts>;
  Board& board_;
  UartDevice& device_;
  Rng rng_;
  Sorted in_, out_, came_;
  size_t count_ = 0, added_ = 0;
};

// The number of a session is on the wire, where noise and escapes depend on it: `seed` names it, so
// that a test is the same each time.
std::unique_ptr<UartDevice> open_device(Board* board, double silence = 10, uint64_t seed = 1) {
  Session::Options options;
  options.silence = silence;
  options.number = static_cast<uint8_t>(1 + seed % 255);
  return std::make_unique<UartDevice>(std::make_unique<BridgeWire>(board), options);
}

// The seeds of a campaign. With 115 a frame on its way to the host was acknowledged, and its place
// filled anew, while it was still read.
std::vector<uint64_t> seeds() { return test_seeds({1, 2, 3, 4, 115}); }

TEST(Bridge, SaysWhatItIs) {
  Board board(1);
  const auto device = open_device(&board);
  EXPECT_EQ(device->shape().rows, 2);
  EXPECT_EQ(device->shape().cols, 2);
  EXPECT_EQ(device->wafer_shape().reticle_cols, 2);
  EXPECT_EQ(device->wafer_shape().spare_rows, 0);
}

TEST(Bridge, CarriesWaveletsBothWays) {
  Board board(7);
  const auto device = open_device(&board);
  Traffic traffic(&board, device.get(), 7);
  traffic.add(3000);
  ASSERT_TRUE(traffic.run(10'000'000));
  traffic.check();
  EXPECT_EQ(device->counts().again, 0u);
  EXPECT_EQ(device->counts().wrong, 0u);
}

TEST(Bridge, LosesNothingWhenBytesAreLostDoubledAndChanged) {
  for (const uint64_t seed : seeds()) {
    SCOPED_TRACE(fmt::format("OW_SEED={}", seed));
    Board board(seed);
    board.down = board.up = {1e-3, 1e-3, 1e-3};
    const auto device = open_device(&board, 10, seed);
    Traffic traffic(&board, device.get(), seed);
    traffic.add(2000);
    ASSERT_TRUE(traffic.run(100'000'000));
    traffic.check();
    EXPECT_GT(board.faults, 100u);
    RecordProperty(fmt::format("cycles_{}", seed), static_cast<int>(board.cycles));
    if (std::getenv("OW_VERBOSE") != nullptr) {
      fmt::print(
          "seed {}: {} cycles, {} faults, {} sent, {} again, {} late, {} taken, {} wrong, {} "
          "others\n",
          seed, board.cycles, board.faults, device->counts().sent, device->counts().again,
          device->counts().late, device->counts().taken, device->counts().wrong,
          device->counts().others);
    }
    EXPECT_GT(device->counts().again, 0u);
    EXPECT_GT(device->counts().wrong, 0u);
  }
}

TEST(Bridge, GetsThroughAWireThatSpoilsMostFrames) {
  Board board(5);
  board.down = board.up = {1e-2, 5e-3, 5e-3};
  const auto device = open_device(&board);
  Traffic traffic(&board, device.get(), 5);
  traffic.add(200);
  ASSERT_TRUE(traffic.run(100'000'000));
  traffic.check();
}

TEST(Bridge, ABlockedColourHoldsNoOther) {
  Board board(3);
  const auto device = open_device(&board);
  for (Edge& e : board.edges) e.set_blocked(1u << 2);
  const std::vector<Wavelet> stuck(200, Wavelet{2, false, 9});
  device->send(Side::West, 0, stuck);
  device->send(Side::West, 0, std::vector<Wavelet>(200, Wavelet{1, false, 5}));
  device->run(1'000'000, [&] { return board.edges[6].got(1).size() == 200; });
  EXPECT_EQ(board.edges[6].got(1).size(), 200u);
  EXPECT_EQ(board.edges[6].got(2).size(), static_cast<size_t>(link_credits(2)));
  // What is stuck does not keep the device from saying that nothing moves.
  EXPECT_EQ(device->run(1'000'000), RunStatus::Quiet);
  EXPECT_EQ(device->pending_sends(Side::West, 0, 2), 200u - static_cast<size_t>(link_credits(2)));
  EXPECT_EQ(device->send_credits(Side::West, 0, 2), 0);
  EXPECT_EQ(device->send_credits(Side::West, 0, 1), link_credits(1));
  for (Edge& e : board.edges) e.set_blocked(0);
  device->run(1'000'000, [&] { return board.edges[6].got(2).size() == 200; });
  EXPECT_EQ(board.edges[6].got(2).size(), 200u);
}

// While the host acknowledges nothing, reports wait on the board; its queues send on meanwhile.
TEST(Bridge, AReportThatWaitsHoldsNoQueue) {
  Board board(4);
  Session::Options options;
  options.number = 1;
  Session session(std::make_unique<BridgeWire>(&board), options);
  session.open();
  for (uint32_t i = 0; i < 4000; ++i) board.edges[0].give(Wavelet{1, false, i});
  for (int i = 0; i < 50000; ++i) board.clock();  // a window of frames to the host, and more
  board.up.lost = 1;
  board.to_host.clear();
  Bytes records = {kSelect, 6, 0, kData, 1, 0, 0, 0, kSelect, 6, 1};
  for (int i = 0; i < kQueueSlots; ++i) records.insert(records.end(), {kData, 5, 0, 0, 0});
  session.send_payload(records);
  while (session.backlog() > 0) session.work(0.001);
  for (int i = 0; i < 50000; ++i) board.clock();
  EXPECT_EQ(board.edges[6].got(0).size(), 1u);
  EXPECT_EQ(board.edges[6].got(1).size(), static_cast<size_t>(kQueueSlots));
}

TEST(Bridge, GoesOnWhenTheCableWasOutForTwoSeconds) {
  Board board(11);
  const auto device = open_device(&board);
  Traffic traffic(&board, device.get(), 11);
  traffic.add(2000);
  traffic.run(10'000'000, 500);
  const uint64_t pulled = board.cycles;
  board.out_until = pulled + static_cast<uint64_t>(2 * kClockHz);
  ASSERT_TRUE(traffic.run(10'000'000));
  EXPECT_GT(board.cycles, board.out_until);
  traffic.check();
}

// The board has something to send, hears nothing and gives up resending; the host has nothing to
// send and waits for an answer. The cable goes out at several moments of their exchange.
TEST(Bridge, GoesOnAfterAnOutageInWhichOnlyTheBoardHadToSend) {
  for (uint64_t seed = 21; seed < 29; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Board board(seed);
    const auto device = open_device(&board, 20);
    Traffic traffic(&board, device.get(), seed);
    traffic.add(600, false);
    traffic.run(10'000'000, 10 + 37 * (seed - 21));
    board.out_until = board.cycles + static_cast<uint64_t>(8 * kClockHz);  // 20 resends
    ASSERT_TRUE(traffic.run(10'000'000));
    traffic.check();
  }
}

std::string fault_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const DeviceFault& e) {
    return e.what();
  }
  return "no error";
}

TEST(Bridge, ACableThatStaysOutIsAnError) {
  Board board(12);
  const auto device = open_device(&board, 3);
  Traffic traffic(&board, device.get(), 12);
  traffic.add(1000);
  traffic.run(10'000'000, 300);
  board.out_until = UINT64_MAX;
  EXPECT_EQ(fault_of([&] { traffic.run(1'000'000'000); }),
            "bridge: the board has been silent for 3 s");
}

TEST(Bridge, ABoardThatDoesNotAnswerIsAnError) {
  Board board(13);
  board.out_until = UINT64_MAX;
  EXPECT_EQ(
      fault_of([&] { open_device(&board, 1); }),
      "bridge: no answer within 1 s: the board has no power or no design, or the rate is wrong");
}

TEST(Bridge, ABoardThatIsResetIsAnError) {
  Board board(14);
  const auto device = open_device(&board);
  Traffic traffic(&board, device.get(), 14);
  traffic.add(1000);
  traffic.run(10'000'000, 300);
  board.reset();
  EXPECT_EQ(fault_of([&] { traffic.run(100'000'000); }),
            "bridge: the board was reset while it was in use");
}

// Opens sessions and acknowledges frames, and does nothing else but what `answers` says: it gets
// the payload of a frame and returns one.
class LazyBoard : public Wire {
 public:
  std::function<Bytes(const Bytes&)> answers;
  int frames = -1;  // that it answers before the wire goes out; -1: all
  size_t write(const uint8_t* data, size_t count) override {
    for (size_t i = 0; i < count; ++i) {
      const auto event = decoder_.decode(data[i]);
      if (!event || !event->valid || frames == 0) continue;
      if (frames > 0) --frames;
      Frame answer;
      answer.session = event->frame.session;
      answer.kind = Kind::Ack;
      if (event->frame.kind == Kind::Open) {
        answer.kind = Kind::Opened;
        answer.payload = {kProtocolVersion, 1, 2, 2, 1, 0, 0, 4, kQueueSlots};
      } else if (event->frame.kind == Kind::Data) {
        answer.ack = static_cast<uint8_t>(event->frame.seq + 1);
      }
      encode(answer, &bytes_);
      if (event->frame.kind != Kind::Data || !answers) continue;
      answer.payload = answers(event->frame.payload);
      if (answer.payload.empty()) continue;
      answer.kind = Kind::Data;
      answer.seq = seq_++;
      encode(answer, &bytes_);
    }
    return count;
  }
  size_t read(uint8_t* data, size_t count, double seconds) override {
    const size_t n = std::min(count, bytes_.size());
    std::copy_n(bytes_.begin(), n, data);
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(n));
    if (n == 0) now_ += seconds;
    return n;
  }
  double now() override { return now_; }
  double rate() const override { return 1e6; }
  double latency() const override { return 0; }
  std::string description() const override { return "lazy"; }

 private:
  Decoder decoder_;
  Bytes bytes_;
  double now_ = 0;
  uint8_t seq_ = 0;
};

// A grid that sends for ever keeps the wire in use for ever.
TEST(Bridge, AProgramThatSendsForEverComesToItsLimit) {
  constexpr uint64_t kLimit = 500;
  Board board(6);
  const auto device = open_device(&board);
  for (uint32_t i = 0; i < 20000; ++i) board.edges[i % kPorts].give(Wavelet{1, false, i});
  EXPECT_EQ(device->run(kLimit), RunStatus::CycleLimit);
  EXPECT_LE(device->available(Side::North, 0, 1), 2 * kLimit);
  EXPECT_GT(board.edges[0].left(), 0u);
}

TEST(Bridge, AnAnswerThatNobodyAskedForIsAnError) {
  auto wire = std::make_unique<LazyBoard>();
  wire->answers = [](const Bytes&) { return Bytes{kChain, 1, 2, 3, 4, 5, 6, 7, 8}; };
  UartDevice device(std::move(wire));
  try {
    device.run(1000);
    FAIL() << "the answer was taken";
  } catch (const ProtocolError& e) {
    EXPECT_STREQ(e.what(), "the board sends the answer of a chain that nobody asked");
  }
}

// Its queue is full when the host asks; when it answers, it has sent all and rests.
TEST(Bridge, ABoardThatRestsWhileWordsWaitForItsReportIsNotQuiet) {
  constexpr size_t kAll = kQueueSlots + 20;
  size_t got = 0;
  auto wire = std::make_unique<LazyBoard>();
  wire->answers = [&got](const Bytes& records) {
    Bytes out;
    for (size_t at = 0; at < records.size();) {
      const uint8_t kind = records[at];
      at += kind == kSelect ? 3 : kind == kData ? 5 : 1;
      if (kind == kData) ++got;
      if (kind != kStatus) continue;
      const bool rests = got == kQueueSlots || got == kAll;
      if (rests) out.insert(out.end(), {kRoom, 6, 1, static_cast<uint8_t>(got & 63)});
      const auto flags = static_cast<uint8_t>(rests ? 1 << isa::kHostQuietBit : 0);
      out.insert(out.end(), {kStatus, flags, 0, 0, 0, 0, 0, 0});
    }
    return out;
  };
  UartDevice device(std::move(wire));
  device.send(Side::West, 0, std::vector<Wavelet>(kAll, Wavelet{1, false, 5}));
  EXPECT_EQ(device.run(1000), RunStatus::Quiet);
  EXPECT_EQ(got, kAll);
  EXPECT_EQ(device.pending_sends(), 0u);
}

// It has acknowledged the question.
TEST(Bridge, AWireThatGoesOutBeforeAnAnswerIsSilent) {
  auto wire = std::make_unique<LazyBoard>();
  wire->frames = 2;
  UartDevice device(std::move(wire));
  EXPECT_EQ(fault_of([&] { device.run(1000); }), "lazy: the board has been silent for 10 s");
}

TEST(Bridge, ABoardThatOnlyAcknowledgesIsAnError) {
  const std::string expected =
      "lazy: the board takes what it gets and has answered nothing for 10 s";
  UartDevice device(std::make_unique<LazyBoard>());
  EXPECT_EQ(fault_of([&] { device.run(1000); }), expected);
  UartDevice other(std::make_unique<LazyBoard>());
  EXPECT_EQ(fault_of([&] { other.send_credits(Side::West, 0, 0); }), expected);
  UartDevice third(std::make_unique<LazyBoard>());
  std::vector<wafer::ChainJob> jobs(1);
  jobs[0].commands = {{0, false, wafer::kStationId, 0}};
  EXPECT_EQ(fault_of([&] { third.run_chains(&jobs); }), expected);
}

// Rows of the second reticle: one has a station at its west end, one has a dead station in front of
// it.
TEST(Bridge, ListensPastADeadStation) {
  Board board(1);
  board.stations.emplace(4, Board::Chain{Station(0), false});
  board.stations.emplace(6, Board::Chain{Station(1), true});
  const auto device = open_device(&board);
  std::vector<wafer::ChainJob> jobs(3);
  for (int k = 0; k < 3; ++k) {
    jobs[static_cast<size_t>(k)].where = {1, k % 2, k == 2};
    jobs[static_cast<size_t>(k)].commands = {{0, false, wafer::kStationId, 0},
                                             {1, false, wafer::kStationId, 0},
                                             {1, false, wafer::kStationScan, 0}};
  }
  for (int round = 0; round < 2; ++round) {
    device->run_chains(&jobs);
    const std::optional<uint32_t> id = wafer::kStationIdValue, none;
    EXPECT_EQ(jobs[0].answers, (std::vector<std::optional<uint32_t>>{id, none, none}));
    // The first time it does not yet listen there.
    EXPECT_EQ(jobs[1].answers,
              (std::vector<std::optional<uint32_t>>{none, id, round == 0 ? none : id}));
    EXPECT_EQ(jobs[2].answers, (std::vector<std::optional<uint32_t>>{none, none, none}));
  }
}

// The next command waits for the answer, as it would take the next word.
TEST(Bridge, ACommandThatTakesAWordIsSentAgainUntilItsAnswerComes) {
  Board board(1);
  board.stations.emplace(4, Board::Chain{Station(0), false});
  const auto device = open_device(&board);
  Station& station = board.stations.at(4).station;
  const std::optional<uint32_t> word = wafer::kStationIdValue, none;
  std::vector<wafer::ChainJob> jobs(1);
  jobs[0].where = {1, 0, false};
  jobs[0].commands = {wafer::pop_command(0, true), wafer::pop_command(0, false)};
  station.lose(wafer::kChainTries - 1);
  device->run_chains(&jobs);
  EXPECT_EQ(jobs[0].answers, (std::vector<std::optional<uint32_t>>{word, word}));
  EXPECT_EQ(station.commands(), wafer::kChainTries + 1);
  station.lose(wafer::kChainTries);
  device->run_chains(&jobs);
  EXPECT_EQ(jobs[0].answers, (std::vector<std::optional<uint32_t>>{none, word}));
  EXPECT_EQ(station.commands(), 2 * (wafer::kChainTries + 1));
}

TEST(Bridge, ASessionBeginsAnewAfterAnyBytes) {
  for (const uint64_t seed : seeds()) {
    SCOPED_TRACE(fmt::format("OW_SEED={}", seed));
    Board board(seed);
    Rng rng(seed);
    {
      const auto device = open_device(&board, 10, seed);
      Traffic traffic(&board, device.get(), seed);
      traffic.add(300);
      traffic.run(10'000'000, 100);  // left in the middle
    }
    for (int i = 0; i < 3000; ++i) {
      board.to_board.push_back(static_cast<uint8_t>(rng.below(8) == 0 ? kFlag : rng.below(256)));
      while (board.to_board.size() > 100) board.clock();
    }
    for (Edge& e : board.edges) e = Edge(seed);
    const auto device = open_device(&board, 10, seed + 1);
    Traffic traffic(&board, device.get(), seed + 1);
    traffic.add(500);
    ASSERT_TRUE(traffic.run(10'000'000));
    traffic.check();
  }
}

TEST(Bridge, RefusesColoursAndPortsThatTheBoardDoesNotHave) {
  Board board(1);
  const auto device = open_device(&board);
  EXPECT_THROW(device->send(Side::West, 0, Wavelet{4, false, 0}), BadInput);
  EXPECT_THROW(device->send(Side::West, 2, Wavelet{0, false, 0}), BadInput);
  EXPECT_THROW(device->take_arrivals(Side::North, 0, 32), BadInput);
}

}  // namespace
}  // namespace ow::uart
