// SPDX-License-Identifier: Apache-2.0
// The API over sockets.
#include "ow/api/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "draws.h"
#include "mutants.h"
#include "seed.h"
#include "server_bench.h"

namespace ow::api {
namespace {

using nlohmann::json;

const char* const kJson = "application/json";

class HttpBench : public Bench {
 public:
  explicit HttpBench(int slots = 2, int queue = 6)
      : Bench(slots, queue),
        server_(std::make_unique<HttpServer>(&api, HttpOptions{"127.0.0.1", 0, 24})) {}
  // The service first, as its users do.
  ~HttpBench() {
    stop();
    server_.reset();
  }

  int port() const { return server_->port(); }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port()); }
  httplib::Client client() const {
    httplib::Client client(address());
    client.set_read_timeout(20);
    return client;
  }

 private:
  std::unique_ptr<HttpServer> server_;
};

std::string request(int tokens, bool stream, int seed = 0) {
  return json{{"model", "hash"},
              {"prompt", "Alice"},
              {"max_tokens", tokens},
              {"stream", stream},
              {"seed", seed}}
      .dump();
}

TEST(HttpServer, AnswersAsTheApi) {
  HttpBench bench;
  const json expected = bench.completion({{"prompt", "Alice"}, {"max_tokens", 20}})["choices"][0];
  const auto whole = bench.client().Post("/v1/completions", request(20, false), kJson);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->status, 200);
  EXPECT_EQ(whole->get_header_value("Content-Type"), kJson);
  EXPECT_EQ(json::parse(whole->body)["choices"][0], expected);
  const auto stream = bench.client().Post("/v1/completions", request(20, true), kJson);
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->get_header_value("Content-Type"), "text/event-stream");
  std::string text;
  for (const json& chunk : chunks(stream->body)) text += chunk["choices"][0]["text"];
  EXPECT_EQ(text, expected["text"]);
}

TEST(HttpServer, AStreamComesWhileTheAnswerIsMade) {
  HttpBench bench;
  bench.ring.pause = std::chrono::microseconds(5000);
  size_t pieces = 0, while_running = 0;
  const auto result =
      bench.client().Post("/v1/completions", httplib::Headers(), request(40, true), kJson);
  ASSERT_TRUE(result);
  httplib::Request streamed;
  streamed.method = "POST";
  streamed.path = "/v1/completions";
  streamed.body = request(40, true);
  streamed.set_header("Content-Type", kJson);
  streamed.content_receiver = [&](const char*, size_t, uint64_t, uint64_t) {
    ++pieces;
    if (bench.service.metrics().engine.running > 0) ++while_running;
    return true;
  };
  httplib::Client client = bench.client();
  ASSERT_TRUE(client.send(streamed));
  EXPECT_GT(while_running, 2u);
  EXPECT_GE(pieces, while_running);
}

TEST(HttpServer, ErrorsOfHttpHaveTheFormOfTheApi) {
  HttpBench bench;
  const auto type = [](const httplib::Result& result, int status) {
    if (!result) return std::string("no reply");
    EXPECT_EQ(result->status, status);
    return json::parse(result->body)["error"]["type"].get<std::string>();
  };
  const std::string wrong = "invalid_request_error";
  httplib::Client client = bench.client();
  EXPECT_EQ(type(client.Get("/nowhere"), 404), wrong);
  EXPECT_EQ(type(client.Get("/a%0Ab"), 404), wrong);
  EXPECT_EQ(type(client.Get("/v1/completions"), 405), wrong);
  EXPECT_EQ(type(client.Put("/health", "{}", kJson), 405), wrong);
  EXPECT_EQ(type(client.Delete("/v1/models"), 405), wrong);
  EXPECT_EQ(type(client.Options("/v1/completions"), 405), wrong);
  EXPECT_EQ(type(client.Post("/v1/completions", "{", kJson), 400), wrong);
  EXPECT_EQ(type(client.Post("/v1/completions", "{}", "text/plain"), 415), wrong);
  EXPECT_EQ(type(client.Post("/v1/completions"), 415), wrong);
  httplib::MultipartFormDataItems form = {{"a", "b", "", ""}};
  EXPECT_EQ(type(client.Post("/v1/completions", form), 415), wrong);
  // One byte too many, and far too many.
  for (const size_t size : {kMostBody + 1, 3 * kMostBody}) {
    EXPECT_EQ(type(client.Post("/v1/completions", std::string(size, ' '), kJson), 413), wrong);
  }
  const auto blank = client.Post("/v1/completions", std::string(kMostBody, ' '), kJson);
  EXPECT_EQ(type(blank, 400), wrong);
  const auto head = client.Head("/health");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
}

TEST(HttpServer, EightClientsGetWhatEachGetsAlone) {
  HttpBench bench(3, 8);
  std::vector<json> alone;
  for (int n = 0; n < 8; ++n) {
    alone.push_back(
        bench.completion({{"prompt", "Alice"}, {"max_tokens", 60}, {"seed", n}})["choices"]);
  }
  std::vector<std::thread> clients;
  for (int n = 0; n < 8; ++n) {
    clients.emplace_back([&bench, &alone, n] {
      httplib::Client client = bench.client();
      for (int k = 0; k < 5; ++k) {
        const auto result = client.Post("/v1/completions", request(60, false, n), kJson);
        ASSERT_TRUE(result);
        ASSERT_EQ(result->status, 200) << result->body;
        EXPECT_EQ(json::parse(result->body)["choices"], alone[static_cast<size_t>(n)]);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_TRUE(bench.idle());
}

// A connection that sends bytes as they are.
class Connection {
 public:
  Connection(int port, const std::string& bytes) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The first bytes of the reply; none if none come in time, or the server ends the connection.
  std::string reply(int milliseconds) {
    const timeval limit = {0, milliseconds * 1000};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    std::string bytes(16, '\0');
    const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return bytes;
  }

 private:
  int socket_;
};

std::string post_of(const std::string& body) {
  return "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         "Accept-Encoding: identity\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Whether it becomes true within ten seconds.
bool soon(const std::function<bool()>& condition) {
  for (int n = 0; n < 10000 && !condition(); ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

TEST(HttpServer, ClientsThatVanishFreeTheirSlots) {
  HttpBench bench(2, 6);
  bench.ring.pause = std::chrono::microseconds(20000);  // an answer would take more than 2 seconds
  uint64_t taken = 0;
  for (const bool stream : {true, false}) {
    for (int n = 0; n < 8; ++n) {
      const Connection client(bench.port(), post_of(request(120, stream)));
      ++taken;
      EXPECT_TRUE(soon([&] {
        const Metrics m = bench.service.metrics();
        const auto found = m.replies.find({"/v1/completions", 200});
        return found != m.replies.end() && found->second == taken;
      }));
    }
    EXPECT_TRUE(soon([&] { return bench.service.metrics().stopped == taken; }));
    EXPECT_TRUE(bench.idle());
  }
}

TEST(HttpServer, MutantsOfRequestsDoNotEndIt) {
  HttpBench bench;
  const std::string body = request(3, false);
  for (const uint64_t seed : test_seeds({1})) {
    Rng rng(seed);
    int replies = 0;
    const int count = draws(400);
    for (int n = 0; n < count; ++n) {
      std::string bytes = post_of(body);
      for (uint64_t k = 1 + rng.below(3); k > 0; --k) damage(&rng, &bytes);
      const std::string reply = Connection(bench.port(), bytes).reply(50);
      if (reply.empty()) continue;
      ++replies;
      ASSERT_EQ(reply.substr(0, 7), "HTTP/1.") << "OW_SEED=" << seed << ", mutant " << n;
    }
    EXPECT_GT(replies, count / 10);
  }
  EXPECT_TRUE(bench.idle());
  const auto after = bench.client().Post("/v1/completions", body, kJson);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->status, 200);
}

TEST(HttpServer, TheEndOfTheServiceIsTheLastEventOfAStream) {
  HttpBench bench;
  bench.ring.pause = std::chrono::microseconds(5000);
  std::string body;
  std::thread waits([&] {
    const auto result = bench.client().Post("/v1/completions", request(120, true), kJson);
    if (result) body = result->body;
  });
  while (bench.service.metrics().engine.tokens == 0) std::this_thread::yield();
  bench.stop();
  waits.join();
  const size_t last = body.rfind("data: ");
  ASSERT_NE(last, std::string::npos);
  EXPECT_EQ(json::parse(body.substr(last + 6))["error"]["code"], "shutting_down") << body;
}

TEST(HttpServer, AnAddressThatIsTakenIsRefused) {
  HttpBench bench;
  const int port = bench.port();
  try {
    const HttpServer second(&bench.api, {"127.0.0.1", port, 1});
    ADD_FAILURE() << "two servers at one port";
  } catch (const BadInput& e) {
    EXPECT_EQ(e.what(), "cannot listen at 127.0.0.1 port " + std::to_string(port) +
                            ": the port is in use, or the address is none of this computer's");
  }
}

}  // namespace
}  // namespace ow::api
