// SPDX-License-Identifier: Apache-2.0
// An API whose model is a hash of the context, with the tokenizer of data/models/carroll.
#ifndef OW_TB_SW_API_SERVER_BENCH_H_
#define OW_TB_SW_API_SERVER_BENCH_H_

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "fake_ring.h"
#include "ow/api/api.h"
#include "ow/base/error.h"

namespace ow::api {

constexpr int kPositions = 128;

inline std::shared_ptr<const Tokenizer> carroll_tokenizer() {
  static const auto tokenizer =
      std::make_shared<const Tokenizer>(OW_SOURCE_DIR "/data/models/carroll/tokenizer.json");
  return tokenizer;
}

inline Model bench_model() {
  Model model;
  model.id = "hash";
  model.created = 1700000000;
  model.tokenizer = carroll_tokenizer();
  model.vocabulary = model.tokenizer->size();
  model.positions = kPositions;
  model.fingerprint = "ow-test";
  model.regions = 3;
  model.clock_hz = 5e8;
  return model;
}

// A hash needs a moment, as a machine does, and may fail.
class SlowRing : public serve::FakeRing {
 public:
  SlowRing(serve::RingShape shape, int memory) : FakeRing(shape, memory, 1) {}
  serve::Pass receive() override {
    std::this_thread::sleep_for(pause.load());
    if (broken) throw DeviceFault("the ring is broken");
    return FakeRing::receive();
  }
  std::atomic<std::chrono::microseconds> pause{std::chrono::microseconds(0)};
  std::atomic<bool> broken{false};
};

class Bench {
 public:
  explicit Bench(int slots = 2, int queue = 6, const std::string& key = "",
                 Model model = bench_model())
      : ring({slots, kPositions, model.vocabulary, 4}, slots * kPositions),
        engine_(&ring, 4),
        service(&engine_, slots + queue),
        api(std::move(model), &service, key),
        thread_([this] {
          try {
            service.run([this] { return stop_.load(); });
          } catch (const DeviceFault&) {
            // The service says so to all that wait.
          }
        }) {}
  ~Bench() { stop(); }

  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  // The body of a reply, whole.
  Reply reply(const Call& call) {
    Reply r = api.reply(call);
    while (r.answer != nullptr && !r.answer->done()) {
      r.body += r.answer->next(std::chrono::milliseconds(1000));
    }
    r.answer = nullptr;
    return r;
  }
  Reply post(const std::string& path, const nlohmann::json& body) {
    return reply({"POST", path, "application/json", "", body.dump()});
  }
  nlohmann::json completion(nlohmann::json body) {
    body["model"] = api.model().id;
    const Reply r = post("/v1/completions", body);
    EXPECT_EQ(r.status, 200) << r.body;
    return nlohmann::json::parse(r.body);
  }
  // Whether all slots are free within ten seconds.
  bool idle() {
    for (int n = 0; n < 10000; ++n) {
      const Metrics m = service.metrics();
      if (m.engine.running == 0 && m.waiting == 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  SlowRing ring;

 private:
  serve::Engine engine_;

 public:
  Service service;
  Api api;

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// The chunks of a stream, without [DONE], which must be the last.
inline std::vector<nlohmann::json> chunks(const std::string& body) {
  std::vector<nlohmann::json> all;
  size_t at = 0;
  bool done = false;
  while (at < body.size()) {
    EXPECT_FALSE(done) << "after [DONE]: " << body.substr(at);
    const size_t end = body.find("\n\n", at);
    EXPECT_NE(end, std::string::npos) << body.substr(at);
    if (end == std::string::npos || body.compare(at, 6, "data: ") != 0) {
      ADD_FAILURE() << body.substr(at);
      return all;
    }
    const std::string data = body.substr(at + 6, end - at - 6);
    done = data == "[DONE]";
    if (!done) all.push_back(nlohmann::json::parse(data));
    at = end + 2;
  }
  EXPECT_TRUE(done) << body;
  return all;
}

}  // namespace ow::api

#endif  // OW_TB_SW_API_SERVER_BENCH_H_
