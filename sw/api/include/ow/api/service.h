// SPDX-License-Identifier: Apache-2.0
// Threads that want answers, and the one thread that has the engine.
#ifndef OW_API_SERVICE_H_
#define OW_API_SERVICE_H_

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ow/api/error.h"
#include "ow/api/metrics.h"
#include "ow/serve/engine.h"

namespace ow::api {

using Clock = std::chrono::steady_clock;

// A token of an answer or its prompt, with the natural logarithms of probabilities if they were
// asked for: those of the model, before temperature and cuts.
struct Token {
  int answer = 0;  // number in its job
  int id = 0;
  bool of_prompt = false;
  size_t position = 0;  // in its context
  serve::Finish finish = serve::Finish::Not;
  std::optional<uint64_t> cycle;
  Clock::time_point time;
  double probability = 0;
  std::vector<std::pair<int, double>> top;  // tokens, the most probable first
};

// Answers that are wanted together.
struct Job {
  std::vector<serve::Request> requests;
  std::optional<int> top;  // probabilities: of the token and of so many of the most probable
};

// The tokens of a job on their way from the engine's thread to the one that waits for them.
class Answers {
 public:
  // The next token; none if none has come within `most`. ApiError if the engine has ended.
  std::optional<Token> wait(std::chrono::milliseconds most);

 private:
  friend class Service;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Token> tokens_;
  std::optional<ApiError> failure_;
  std::vector<uint64_t> ids_;  // of the engine; the engine's thread alone uses them
};

class Service {
 public:
  // At most `most` answers at a time are begun or wait.
  Service(serve::Engine* engine, int most);

  int most() const { return most_; }
  // ApiError 503 if the engine has ended.
  void check() const;

  // For any thread. ApiError 429: there are too many answers, 503: the engine has ended. The
  // requests must be such that Engine::submit takes them.
  std::shared_ptr<Answers> submit(Job job);
  // No more tokens of this answer, or of all, are wanted. Their slots become free.
  void end(const std::shared_ptr<Answers>& answers, int answer);
  void end(const std::shared_ptr<Answers>& answers);
  // A reply of HTTP.
  void count_reply(const std::string& path, int status);
  Metrics metrics() const;

  // For the engine's thread: works until `stop`, which it asks at least every 100 ms and between
  // tokens. Then all answers fail. Errors of the engine come out after that.
  void run(const std::function<bool()>& stop);

 private:
  struct Order {
    std::shared_ptr<Answers> answers;
    std::optional<Job> job;  // to begin
    int end = -1;            // else the answer to end; -1: all
  };
  struct Running {
    std::shared_ptr<Answers> answers;
    int answer = 0;
    std::optional<int> top;
    Clock::time_point before;  // when it was asked for, or when its last token came
    bool first = true;         // no token has come
  };

  void order(Order order);
  std::deque<Order> take_orders(bool wait);
  void follow(Order* order);
  void begin(Order* order);
  void stop_answer(uint64_t id);
  void deliver(serve::Event* event);
  void publish();
  void close(const ApiError& failure);

  serve::Engine* engine_;
  int most_;
  std::map<uint64_t, Running> running_;  // the engine's thread alone

  mutable std::mutex mutex_;
  std::condition_variable ordered_;
  std::deque<Order> orders_;
  int open_ = 0;  // answers
  std::optional<ApiError> closed_;
  Metrics metrics_;
};

}  // namespace ow::api

#endif  // OW_API_SERVICE_H_
