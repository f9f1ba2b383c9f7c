// SPDX-License-Identifier: Apache-2.0
#include "ow/api/service.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/clock.h"
#include "ow/base/error.h"
#include "probabilities.h"

namespace ow::api {
namespace {

constexpr std::chrono::milliseconds kLookAround(100);

int size(const std::vector<serve::Request>& requests) { return static_cast<int>(requests.size()); }

}  // namespace

std::optional<Token> Answers::wait(std::chrono::milliseconds most) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, most, [this] { return !tokens_.empty() || failure_; });
  if (!tokens_.empty()) {
    Token token = std::move(tokens_.front());
    tokens_.pop_front();
    return token;
  }
  if (failure_) throw ApiError(*failure_);
  return std::nullopt;
}

Service::Service(serve::Engine* engine, int most) : engine_(engine), most_(most) {
  metrics_.most = most;
  metrics_.slots = engine->slots();
}

void Service::check() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) throw ApiError(*closed_);
}

std::shared_ptr<Answers> Service::submit(Job job) {
  auto answers = std::make_shared<Answers>();
  const int count = size(job.requests);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) throw ApiError(*closed_);
    if (open_ + count > most_) {
      throw ApiError(429,
                     fmt::format("{} answers are being made or wait, and at most {} may: try again",
                                 open_, most_),
                     "", "queue_full");
    }
    open_ += count;
    orders_.push_back({answers, std::move(job), -1});
  }
  ordered_.notify_one();
  return answers;
}

void Service::end(const std::shared_ptr<Answers>& answers, int answer) {
  order({answers, std::nullopt, answer});
}

void Service::end(const std::shared_ptr<Answers>& answers) { order({answers, std::nullopt, -1}); }

void Service::order(Order order) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return;
    orders_.push_back(std::move(order));
  }
  ordered_.notify_one();
}

void Service::count_reply(const std::string& path, int status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++metrics_.replies[{path, status}];
}

Metrics Service::metrics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Metrics metrics = metrics_;
  metrics.waiting = std::max(0, open_ - metrics.engine.running);
  return metrics;
}

void Service::run(const std::function<bool()>& stop) {
  try {
    while (!stop()) {
      for (Order& order : take_orders(!engine_->busy())) follow(&order);
      if (!engine_->busy()) continue;
      if (auto event = engine_->step()) deliver(&*event);
      publish();
    }
  } catch (const Error& e) {
    close(ApiError(503, std::string("the machine has failed: ") + e.what(), "", "machine_failed"));
    throw;
  }
  close(ApiError(503, "the server is ending", "", "shutting_down"));
}

std::deque<Service::Order> Service::take_orders(bool wait) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (wait) ordered_.wait_for(lock, kLookAround, [this] { return !orders_.empty(); });
  return std::exchange(orders_, {});
}

void Service::follow(Order* order) {
  if (order->job) {
    begin(order);
    return;
  }
  const std::vector<uint64_t>& ids = order->answers->ids_;
  for (size_t n = 0; n < ids.size(); ++n) {
    if (order->end < 0 || order->end == static_cast<int>(n)) stop_answer(ids[n]);
  }
  publish();
}

void Service::begin(Order* order) {
  const std::shared_ptr<Answers>& answers = order->answers;
  for (int n = 0; n < size(order->job->requests); ++n) {
    const uint64_t id = engine_->submit(std::move(order->job->requests[static_cast<size_t>(n)]));
    answers->ids_.push_back(id);
    running_[id] = {answers, n, order->job->top, Clock::now(), true};
  }
}

// Nothing happens if it has ended already.
void Service::stop_answer(uint64_t id) {
  if (running_.erase(id) == 0) return;
  engine_->cancel(id);
  const std::lock_guard<std::mutex> lock(mutex_);
  --open_;
  ++metrics_.stopped;
}

void Service::deliver(serve::Event* event) {
  const auto found = running_.find(event->request);
  if (found == running_.end()) return;
  Running& running = found->second;
  Token token;
  token.answer = running.answer;
  token.id = event->token;
  token.of_prompt = event->of_prompt;
  token.position = static_cast<size_t>(event->position);
  token.finish = event->finish;
  token.cycle = event->cycle;
  token.time = Clock::now();
  if (running.top) {
    Probabilities all = log_probabilities(event->logits, event->token, *running.top);
    token.probability = all.chosen;
    token.top = std::move(all.top);
  }
  const bool ended = token.finish != serve::Finish::Not;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!token.of_prompt) {
      const double seconds = std::chrono::duration<double>(token.time - running.before).count();
      (running.first ? metrics_.first_token : metrics_.token).add(seconds);
      running.first = false;
      running.before = token.time;
    }
    if (token.cycle) metrics_.cycle = *token.cycle;
    if (ended) --open_;
  }
  const std::shared_ptr<Answers> answers = running.answers;
  if (ended) running_.erase(found);
  {
    const std::lock_guard<std::mutex> lock(answers->mutex_);
    answers->tokens_.push_back(std::move(token));
  }
  answers->changed_.notify_one();
}

void Service::publish() {
  const serve::EngineCounts counts = engine_->counts();
  const Clock::time_point now = Clock::now();
  const std::lock_guard<std::mutex> lock(mutex_);
  metrics_.engine = counts;
  metrics_.prompt_rate.add(counts.prompt_tokens, now);
  metrics_.token_rate.add(counts.tokens, now);
}

void Service::close(const ApiError& failure) {
  std::deque<Order> orders;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = failure;
    orders = std::exchange(orders_, {});
  }
  for (const auto& [id, running] : running_) {
    engine_->cancel(id);
    orders.push_back({running.answers, std::nullopt, -1});
  }
  running_.clear();
  for (const Order& order : orders) {
    {
      const std::lock_guard<std::mutex> lock(order.answers->mutex_);
      order.answers->failure_ = failure;
    }
    order.answers->changed_.notify_one();
  }
}

}  // namespace ow::api
