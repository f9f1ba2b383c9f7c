// SPDX-License-Identifier: Apache-2.0
// Ranks as processes of MPI: their start, their end, and what each reports if one fails. One thread
// at a time makes calls of MPI, and none waits inside one. A thread of its own starts transfers,
// polls for finished ones, sends signs of life and watches for those of others. A thread that sends
// or receives does the first two itself for a short while, because two threads take long to wake
// each other; else they talk through queues.
#include "mpi_transport.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "mpi_traffic.h"
#include "ow/base/error.h"
#include "rank_signals.h"

namespace ow::ranks {
namespace {

using Clock = MpiTraffic::Clock;
using std::chrono::milliseconds;

constexpr size_t kOutstanding = 8;                // messages on their way to a rank
constexpr std::chrono::microseconds kIdle{100};   // between two polls
constexpr std::chrono::microseconds kRare{1000};  // likewise, while another thread polls
// A thread that receives polls by itself for a while, at first without a break. Breaks are sleeps:
// a thread that yields waits on a busy machine for the time slices of all others.
constexpr std::chrono::microseconds kHot{50}, kWarm{20000}, kNap{20};
constexpr milliseconds kTell{1000};  // limit for telling the others of a failure
constexpr milliseconds kGrace{300};  // until the process is ended; mpirun kills after a second
constexpr milliseconds kAfterwards = kTell + kGrace;  // others end after the one that ends first
constexpr milliseconds kGoodbye{10000};  // limit for closing, after the last sign of life
constexpr milliseconds kStart{120000};   // limit for the start of MPI, for all ranks together
constexpr milliseconds kLook{200};       // interval at which a wait checks for signs of life

class MpiTransport : public Transport {
 public:
  explicit MpiTransport(const TransportOptions& options)
      : options_(options), signals_(options.owns_process, options.silence - 2 * kBeatEvery) {
    thread_ = std::thread([this] { run(); });
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait_for(lock, kStart, [this] { return begun_; })) {
      give_up(fmt::format("MPI has not started within {} s", kStart.count() / 1000));
    }
    if (!start_error_.empty()) {
      lock.unlock();
      thread_.join();
      throw BadInput(start_error_);
    }
  }

  ~MpiTransport() override {
    if (!closing_ && !failed_here_) fail(3, "it has not said why");
    stop_ = true;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.notify_all();
      if (!changed_.wait_for(lock, kGoodbye, [this] { return ended_; })) {
        end_if_failed();
        give_up(fmt::format("MPI has not ended within {} s", kGoodbye.count() / 1000));
      }
    }
    thread_.join();
    // If the run has failed, it is about to report that and end.
    if (box_->failed() || failed_here_) {
      signals_.report();
    } else {
      signals_.restore();
    }
  }

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  int ranks_here() const override { return ranks_here_; }
  std::chrono::seconds patience() const override { return options_.patience; }

  void send(int to, Tag tag, Message message) override {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool room = wait(&lock, &room_, options_.patience, [&] {
      return box_->failed() || outstanding_[static_cast<size_t>(to)] < kOutstanding;
    });
    box_->check();
    if (!room) throw DeviceFault(fmt::format("rank {} takes no message", to));
    ++outstanding_[static_cast<size_t>(to)];
    waiting_.emplace_back(to, static_cast<int>(tag), std::move(message));
    lock.unlock();
    const std::unique_lock<std::mutex> calls(calls_, std::try_to_lock);
    calls.owns_lock() ? static_cast<void>(start_sends()) : changed_.notify_all();
  }
  Message receive(int from, Tag tag) override {
    const auto begun = Clock::now();
    for (auto now = begun; now - begun < kWarm; now = Clock::now()) {
      if (auto message = box_->take_if_there(from, tag)) return std::move(*message);
      if (!poll() && now - begun > kHot) std::this_thread::sleep_for(kNap);
    }
    return box_->take_message(from, tag);
  }
  void check() override { box_->check(); }

  void fail(int status, const std::string& what) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (closing_ || failed_here_) return;
    const bool told = box_->failed();  // by another rank, which tells all others
    box_->fail(status, what);
    know(status, what);
    failed_here_ = true;
    if (told) return;
    Message message(1, static_cast<uint8_t>(status));
    const std::string text = ended_text(rank_, what);
    message.insert(message.end(), text.begin(), text.end());
    for (int to = 0; to < ranks_; ++to) {
      if (to != rank_) waiting_.emplace_front(to, kFail, message);
    }
    failing_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, kTell, [this] { return !failing_; });
    failing_ = false;
    failed_at_ = Clock::now();
  }

  void close() override {
    std::unique_lock<std::mutex> lock(mutex_);
    box_->check();
    closing_ = true;
    changed_.notify_all();
    wait(&lock, &changed_, kGoodbye, [this] { return finished_ || box_->failed(); });
    if (finished_) return;
    box_->check();
    throw DeviceFault(
        fmt::format("the other ranks have not ended {} ms after the last sign of life of theirs",
                    kGoodbye.count()));
  }

 private:
  // False if `ready` is still false `limit` after the last sign of life or the wait's beginning.
  template <typename Ready>
  bool wait(std::unique_lock<std::mutex>* lock, std::condition_variable* changed,
            milliseconds limit, const Ready& ready) {
    const auto begun = Clock::now();
    while (!changed->wait_for(*lock, kLook, ready)) {
      if (Clock::now() - std::max(begun, box_->heard()) > limit) return false;
    }
    return true;
  }
  // A call of MPI does not return, and its thread cannot be ended in another way.
  [[noreturn]] static void give_up(const std::string& what) {
    end_process(3, "ow: device fault: " + what);
  }
  // The thread that uses this rank does not end it, because it simulates.
  void end_if_failed() const {
    const auto failure = box_->failure();
    if (failure && options_.owns_process) end_process(failure->status, line(*failure));
  }
  // Records the failure for the handlers of signals; with mutex_ held.
  void know(int status, const std::string& what) { signals_.know(status, line({status, what})); }
  std::string line(const Mailbox::Failure& failure) const {
    return options_.first_speaks && rank_ != speaker(failure.what) ? "" : line_of(rank_, failure);
  }
  // Moves messages, unless another thread does. Whether any has moved.
  bool poll() {
    const std::unique_lock<std::mutex> calls(calls_, std::try_to_lock);
    polled_ = true;
    return calls.owns_lock() && move_messages();
  }
  void run();
  void work();
  bool begin();
  bool move_messages();
  bool start_sends();
  bool end_sends();
  void watch(Clock::time_point now);
  void fail_by_itself(int status, const std::string& what, const std::string& to_others);
  bool said_goodbye();

  TransportOptions options_;
  RankSignals signals_;
  std::thread thread_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable room_;  // for a message to a rank
  std::string start_error_;
  std::unique_ptr<Mailbox> box_;
  int rank_ = 0, ranks_ = 1, ranks_here_ = 1;
  std::vector<size_t> outstanding_;  // by rank
  std::deque<OutgoingMessage> waiting_;
  bool failing_ = false;      // the others are being told
  bool ends_later_ = false;   // another rank ends first, because it speaks or has found the failure
  bool failed_here_ = false;  // no thread waits here any more
  bool closing_ = false;
  bool finished_ = false;
  bool begun_ = false;  // MPI has started, or failed to
  bool ended_ = false;  // the thread makes no further call
  Clock::time_point failed_at_ = Clock::time_point::max();
  bool grace_over_ = false;
  std::atomic<bool> stop_{false};
  std::atomic<bool> polled_{false};  // by a thread that receives

  // The thread that holds this makes calls of MPI and uses what follows. It may take mutex_ then.
  std::mutex calls_;
  std::unique_ptr<MpiTraffic> traffic_;
  bool bye_sent_ = false;
  Clock::time_point watched_ = Clock::now();  // the last call of watch()
  Clock::time_point resumed_ = watched_;
};

bool MpiTransport::begin() {
  // With more ranks than cores, Open MPI yields the core in every call, and a poll then takes
  // hundreds of milliseconds on a busy machine. This thread sleeps by itself instead.
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
  int level = 0, already = 0;
  MPI_Initialized(&already);
  if (already == 0 && MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level) != 0) {
    start_error_ = "MPI does not start";
    return false;
  }
  MPI_Comm here = MPI_COMM_NULL;
  if (MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
      MPI_Comm_rank(MPI_COMM_WORLD, &rank_) != MPI_SUCCESS ||
      MPI_Comm_size(MPI_COMM_WORLD, &ranks_) != MPI_SUCCESS ||
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here) !=
          MPI_SUCCESS ||
      MPI_Comm_size(here, &ranks_here_) != MPI_SUCCESS || MPI_Comm_free(&here) != MPI_SUCCESS) {
    start_error_ = "MPI does not tell the ranks";
    return false;
  }
  outstanding_.assign(static_cast<size_t>(ranks_), 0);
  box_ = std::make_unique<Mailbox>(ranks_, options_.patience);
  MpiTraffic::Events events;
  events.sent = [this](int to) {
    const std::lock_guard<std::mutex> lock(mutex_);
    --outstanding_[static_cast<size_t>(to)];
    room_.notify_all();
  };
  events.told = [this](int from, const Message& failure) {
    fail_by_itself(failure.front(), std::string(failure.begin() + 1, failure.end()), "");
    // The rank that failed waits for this before it ends.
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace_back(from, kBye, Message(1));
  };
  events.broken = [this](const std::string& what) {
    fail_by_itself(3, what, ended_text(rank_, what));
  };
  traffic_ = std::make_unique<MpiTraffic>(rank_, ranks_, options_.piece_bytes, box_.get(),
                                          std::move(events));
  if (options_.first_speaks && rank_ != 0) signals_.hush();
  return true;
}

void MpiTransport::run() {
  const bool good = begin();  // no other thread uses what it makes before begun_ is set
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    begun_ = true;
    changed_.notify_all();
  }
  if (good) work();
  const std::lock_guard<std::mutex> lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

// Whether any has begun or ended its way.
bool MpiTransport::move_messages() {
  const bool sent = start_sends(), left = end_sends(), came = traffic_->receive();
  return sent || left || came;
}

bool MpiTransport::start_sends() {
  std::deque<OutgoingMessage> now;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    now.swap(waiting_);
  }
  const bool any = !now.empty();
  traffic_->start_sends(std::move(now));
  return any;
}

bool MpiTransport::end_sends() {
  const MpiTraffic::Sends sends = traffic_->end_sends();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failing_ && !sends.telling && waiting_.empty()) {
    failing_ = false;
    changed_.notify_all();
  }
  return sends.any;
}

void MpiTransport::work() {
  std::unique_lock<std::mutex> calls(calls_);
  for (;; calls.lock()) {
    const auto now = Clock::now();
    signals_.alive(now);
    const bool moved = move_messages();
    traffic_->beat(now);
    watch(now);
    if (said_goodbye()) break;
    calls.unlock();
    std::unique_lock<std::mutex> lock(mutex_);
    const bool waits =
        ends_later_ ? now - kAfterwards <= failed_at_ : failing_ && now - kTell <= failed_at_;
    if (stop_ && !waits) return;  // without another call of MPI
    if (!moved) changed_.wait_for(lock, polled_.exchange(false) ? kRare : kIdle);
  }
  if (!traffic_->works(MPI_Finalize(), "MPI_Finalize", rank_)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

void MpiTransport::watch(Clock::time_point now) {
  // After a while in which this rank was suspended it has not heard what the others have said.
  if (now - watched_ > options_.silence / 2) resumed_ = now;
  watched_ = now;
  for (int from = 0; from < ranks_; ++from) {
    if (from == rank_ || (rank_ != 0 && from != 0) || traffic_->said_bye(from)) continue;
    if (now - std::max(traffic_->heard(from), resumed_) > options_.silence) {
      const std::string what = ended_text(  // of rank 0: kFirstIsSilent
          from, fmt::format("it has given no sign of life for {} ms", options_.silence.count()));
      fail_by_itself(3, what, what);
    }
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stop_ || grace_over_ || now - (ends_later_ ? kAfterwards : kGrace) <= failed_at_) return;
    grace_over_ = true;
  }
  signals_.report();
  end_if_failed();
}

// `to_others`: what the other ranks are told; nothing if it is empty.
void MpiTransport::fail_by_itself(int status, const std::string& what,
                                  const std::string& to_others) {
  if (box_->failed()) return;
  box_->fail(status, what);
  const std::lock_guard<std::mutex> lock(mutex_);
  know(status, what);
  failed_at_ = Clock::now();
  ends_later_ = options_.first_speaks ? rank_ != speaker(what) : to_others.empty();
  if (!to_others.empty()) {
    Message message(1, static_cast<uint8_t>(status));
    message.insert(message.end(), to_others.begin(), to_others.end());
    for (int to = 0; to < ranks_; ++to) {
      if (to != rank_) waiting_.emplace_front(to, kFail, message);
    }
    failing_ = true;
  }
  changed_.notify_all();
}

// Whether every rank has said that it sends nothing more, and nothing is in flight.
bool MpiTransport::said_goodbye() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!closing_ || box_->failed()) return false;
    if (!bye_sent_) {
      bye_sent_ = true;
      for (int to = 0; to < ranks_; ++to) {
        if (to != rank_) waiting_.emplace_back(to, kBye, Message(1));
      }
      return false;
    }
    if (!waiting_.empty()) return false;
  }
  return traffic_->empty() && traffic_->all_said_bye();
}

}  // namespace

std::unique_ptr<Transport> open_mpi(const TransportOptions& options) {
  static std::atomic<bool> joined{false};  // MPI starts and ends once in a process
  if (joined.exchange(true)) {
    throw BadInput("the ranks that mpirun has started are joined a second time in this process");
  }
  return std::make_unique<MpiTransport>(options);
}

}  // namespace ow::ranks
