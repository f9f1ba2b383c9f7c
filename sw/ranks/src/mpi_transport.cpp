// SPDX-License-Identifier: Apache-2.0
// Ranks as processes of MPI. One thread at a time makes calls of MPI, and none waits inside one. A
// thread of its own starts transfers, polls for finished ones, sends signs of life and watches for
// those of others. A thread that sends or receives does the first two itself for a short while,
// because two threads take long to wake each other; else they talk through queues.
#include "mpi_transport.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "mpi_message.h"
#include "ow/base/error.h"
#include "ow/ranks/mailbox.h"
#include "rank_signals.h"

namespace ow::ranks {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// MPI tags after those of messages.
constexpr int kFail = kTags;
constexpr int kBeat = kTags + 1;
constexpr int kBye = kTags + 2;

constexpr size_t kOutstanding = 8;  // messages on their way to a rank
constexpr milliseconds kBeatEvery{500};
constexpr std::chrono::microseconds kIdle{100};   // between two polls
constexpr std::chrono::microseconds kRare{1000};  // likewise, while another thread polls
// A thread that receives polls by itself for a while, at first without a break. Breaks are sleeps:
// a thread that yields waits on a busy machine for the time slices of all others.
constexpr std::chrono::microseconds kHot{50}, kWarm{20000}, kNap{20};
constexpr milliseconds kTell{1000};  // limit for telling the others of a failure
constexpr milliseconds kGrace{300};  // until the process is ended; mpirun kills after a second
constexpr milliseconds kBehind = kTell + kGrace;  // a told rank ends after the teller
constexpr milliseconds kGoodbye{10000};           // limit for closing, after the last sign of life
constexpr milliseconds kStart{120000};  // limit for the start of MPI, for all ranks together
constexpr milliseconds kLook{200};      // interval at which a wait checks for signs of life

class MpiTransport : public Transport {
 public:
  explicit MpiTransport(const TransportOptions& options)
      : options_(options), signals_(options.owns_process) {
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
    return options_.first_speaks && rank_ != 0 ? "" : line_of(rank_, failure);
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
  bool works(int code, const char* call, int rank);
  bool start_sends();
  bool end_sends();
  bool start_receives();
  bool end_receives();
  void arrived(IncomingMessage* message);
  void beat(Clock::time_point now);
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
  bool told_ = false;         // it came from another rank
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
  std::list<OutgoingMessage> sending_;
  std::list<IncomingMessage> receiving_;
  std::vector<Clock::time_point> heard_;  // by rank
  std::vector<MPI_Request> beats_;
  std::vector<bool> bye_;
  bool bye_sent_ = false;
  Clock::time_point beat_at_;
  uint8_t nothing_ = 0;
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
  const auto n = static_cast<size_t>(ranks_);
  outstanding_.assign(n, 0);
  heard_.assign(n, Clock::now());
  beats_.assign(n, MPI_REQUEST_NULL);
  bye_.assign(n, false);
  beat_at_ = Clock::now();
  box_ = std::make_unique<Mailbox>(ranks_, options_.patience);
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
  const bool sent = start_sends(), left = end_sends();
  const bool came = start_receives(), taken = end_receives();
  return sent || left || came || taken;
}

void MpiTransport::work() {
  std::unique_lock<std::mutex> calls(calls_);
  for (;; calls.lock()) {
    const auto now = Clock::now();
    const bool moved = move_messages();
    beat(now);
    watch(now);
    if (said_goodbye()) break;
    calls.unlock();
    std::unique_lock<std::mutex> lock(mutex_);
    const bool waits = told_ ? now - kBehind <= failed_at_ : failing_ && now - kTell <= failed_at_;
    if (stop_ && !waits) return;  // without another call of MPI
    if (!moved) changed_.wait_for(lock, polled_.exchange(false) ? kRare : kIdle);
  }
  if (!works(MPI_Finalize(), "MPI_Finalize", rank_)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

// Whether a call of MPI has done its work. Otherwise the run fails at once.
bool MpiTransport::works(int code, const char* call, int rank) {
  if (code == MPI_SUCCESS) return true;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  const std::string of = rank == rank_ ? "" : fmt::format(" with rank {}", rank);
  const std::string what = fmt::format("{}{} has failed: {}", call, of, text);
  fail_by_itself(3, what, ended_text(rank_, what));
  return false;
}

bool MpiTransport::start_sends() {
  std::deque<OutgoingMessage> now;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    now.swap(waiting_);
  }
  for (OutgoingMessage& message : now) {
    sending_.push_back(std::move(message));
    OutgoingMessage& m = sending_.back();
    // Synchronous sends bound the messages in flight.
    works(m.start(options_.piece_bytes, m.tag() != kFail), "a send", m.to());
  }
  return !now.empty();
}

bool MpiTransport::end_sends() {
  bool any = false, failing = false;
  for (auto m = sending_.begin(); m != sending_.end();) {
    bool done = false;
    const bool works = this->works(m->done(&done), "a send", m->to());
    if (!done) {  // nobody waits for one that has failed
      failing = failing || (works && m->tag() == kFail);
      ++m;
      continue;
    }
    any = true;
    if (m->tag() < kTags) {
      const std::lock_guard<std::mutex> lock(mutex_);
      --outstanding_[static_cast<size_t>(m->to())];
      room_.notify_all();
    }
    m = sending_.erase(m);
  }
  for (int r = 0; r < ranks_; ++r) {
    failing = failing || (r != rank_ && !bye_[static_cast<size_t>(r)]);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failing_ && !failing && waiting_.empty()) {
    failing_ = false;
    changed_.notify_all();
  }
  return any;
}

// At most one message per sender and tag at a time, so they keep their order.
bool MpiTransport::start_receives() {
  bool any = false;
  int something = 0;
  const int code =
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &something, MPI_STATUS_IGNORE);
  if (!works(code, "a look for messages", rank_) || something == 0) return false;
  for (int from = 0; from < ranks_; ++from) {
    if (from == rank_) continue;
    for (int tag = 0; tag <= kBye; ++tag) {
      auto m = std::find_if(receiving_.begin(), receiving_.end(), [&](const IncomingMessage& open) {
        return open.from() == from && open.tag() == tag;
      });
      const bool begins = m == receiving_.end();
      if (begins && tag < kTags && !box_->room(from, static_cast<Tag>(tag))) continue;
      if (begins) m = receiving_.emplace(receiving_.end(), from, tag);
      bool started = false;
      works(m->start(&started), "a receive", from);
      if (begins && !started) receiving_.erase(m);
      any = any || started;
    }
  }
  return any;
}

bool MpiTransport::end_receives() {
  bool any = false;
  for (auto m = receiving_.begin(); m != receiving_.end();) {
    bool done = false, moved = false;
    works(m->done(options_.piece_bytes, &done, &moved), "a receive", m->from());
    any = any || moved;
    if (!done) {
      ++m;
      continue;
    }
    arrived(&*m);
    m = receiving_.erase(m);
  }
  return any;
}

void MpiTransport::arrived(IncomingMessage* message) {
  const auto from = static_cast<size_t>(message->from());
  const int tag = message->tag();
  Message data = message->take();
  heard_[from] = Clock::now();
  box_->alive();
  if (tag == kBye) bye_[from] = true;
  if (tag == kFail && !data.empty()) {
    fail_by_itself(data.front(), std::string(data.begin() + 1, data.end()), "");
    // The rank that failed waits for this before it ends.
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace_back(message->from(), kBye, Message(1));
  }
  if (tag < kTags) box_->deliver(message->from(), static_cast<Tag>(tag), std::move(data));
}

// Signs of life: rank 0 hears all others, and all others hear rank 0.
void MpiTransport::beat(Clock::time_point now) {
  if (now < beat_at_) return;
  beat_at_ = now + kBeatEvery;
  for (int to = 0; to < ranks_; ++to) {
    if (to == rank_ || (rank_ != 0 && to != 0)) continue;
    MPI_Request& request = beats_[static_cast<size_t>(to)];
    int done = 1;
    if (request != MPI_REQUEST_NULL) {
      works(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "a sign of life", to);
    }
    if (done == 0) continue;
    works(MPI_Isend(&nothing_, 1, MPI_BYTE, to, kBeat, MPI_COMM_WORLD, &request), "a sign of life",
          to);
  }
}

void MpiTransport::watch(Clock::time_point now) {
  for (int from = 0; from < ranks_; ++from) {
    const auto f = static_cast<size_t>(from);
    if (from == rank_ || (rank_ != 0 && from != 0) || bye_[f]) continue;
    if (now - heard_[f] > options_.silence) {
      const std::string what = ended_text(
          from, fmt::format("it has given no sign of life for {} ms", options_.silence.count()));
      fail_by_itself(3, what, what);
    }
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stop_ || grace_over_ || now - (told_ ? kBehind : kGrace) <= failed_at_) return;
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
  told_ = to_others.empty();
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
  bool all = sending_.empty() && receiving_.empty();
  for (int r = 0; r < ranks_; ++r) all = all && (r == rank_ || bye_[static_cast<size_t>(r)]);
  return all;
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
