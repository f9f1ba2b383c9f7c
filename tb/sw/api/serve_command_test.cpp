// SPDX-License-Identifier: Apache-2.0
// `ow serve` as its users run it.
#include <gtest/gtest.h>
#include <httplib.h>
#include <signal.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"

namespace ow {
namespace {

using nlohmann::json;

const std::string kFolder = OW_SOURCE_DIR "/data/models/carroll";

// A server that runs until it is told to end.
class Server {
 public:
  explicit Server(const std::string& arguments) {
    const std::string command =
        "echo $$; exec '" OW_PROGRAM "' 2>&1 serve --model '" + kFolder + "' --port 0 " + arguments;
    pipe_ = popen(command.c_str(), "r");
    pid_ = static_cast<pid_t>(std::stol(line()));
    first_ = line();
  }
  ~Server() {
    if (pipe_ != nullptr) end(SIGKILL);
  }

  const std::string& first() const { return first_; }
  httplib::Client client() const {
    httplib::Client client(
        first_.substr(first_.find("http://"), first_.rfind('/') - first_.find("http://")));
    client.set_read_timeout(60);
    return client;
  }
  // What it prints after the first line, and its status.
  Result end(int signal) {
    kill(pid_, signal);
    Result r{-1, ""};
    for (std::string next = line(); !next.empty(); next = line()) r.output += next;
    const int status = pclose(pipe_);
    pipe_ = nullptr;
    if (WIFEXITED(status)) r.status = WEXITSTATUS(status);
    return r;
  }

 private:
  std::string line() {
    char buffer[1024] = "";
    return std::fgets(buffer, sizeof buffer, pipe_) == nullptr ? "" : buffer;
  }

  std::FILE* pipe_;
  pid_t pid_ = 0;
  std::string first_;
};

TEST(Serve, AnswersWithTheTextOfGenerate) {
  Server server("");
  EXPECT_EQ(server.first().rfind("carroll on golden, slots 4: http://127.0.0.1:", 0), 0u);
  const json greedy = json::parse(std::ifstream(kFolder + "/greedy.json"));
  const json request = {{"model", "carroll"},
                        {"prompt", greedy["prompt"]},
                        {"max_tokens", 100},
                        {"temperature", 0},
                        {"stop", "little fellow"}};
  const auto result = server.client().Post("/v1/completions", request.dump(), "application/json");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->status, 200) << result->body;
  const json body = json::parse(result->body);
  const std::string text = body["choices"][0]["text"];
  EXPECT_EQ(text.rfind(" the\nQueen to the Queen", 0), 0u);
  EXPECT_EQ(text.substr(text.size() - 7), "much a ");
  EXPECT_EQ(body["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(body["system_fingerprint"], "ow-4x4-binary16");
  const Result end = server.end(SIGTERM);
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.output.rfind("ow: SIGTERM: the server ends\n1 replies, ", 0), 0u) << end.output;
}

TEST(Serve, ItsKeyComesFromTheEnvironmentToo) {
  setenv("OW_API_KEY", "secret", 1);
  Server server("--name alice --slots 1");
  unsetenv("OW_API_KEY");
  EXPECT_EQ(server.first().rfind("alice on golden, slots 1, with a key: ", 0), 0u);
  httplib::Client client = server.client();
  EXPECT_EQ(client.Get("/v1/models")->status, 401);
  client.set_bearer_token_auth("secret");
  EXPECT_EQ(client.Get("/v1/models/alice")->status, 200);
  EXPECT_EQ(server.end(SIGINT).status, 0);
}

TEST(Serve, RefusesBadInputInOneLine) {
  const auto serve = [](const std::string& arguments) {
    return run_ow("serve --model '" + kFolder + "' --port 0 " + arguments);
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--chat-form chatml", "the tokenizer has no token <|im_start|>"},
      {"--region 0x1", "language model: a region has at least 1 x 1 tiles"},
      {"--api-key ' '", "--api-key: letters, digits and signs only"},
      {"--host 192.0.2.1",
       "cannot listen at 192.0.2.1 port 0: the port is in use, or the address is none of this "
       "computer's"},
  };
  for (const auto& [arguments, message] : cases) {
    const Result r = serve(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(r.output, "ow: bad input: " + message + "\n");
  }
  for (const char* arguments :
       {"--port 65536", "--slots 0", "--queue -1", "--clock-hz 0", "--chat-form jinja"}) {
    const Result r = serve(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(lines(r.output), 1) << r.output;
  }
}

}  // namespace
}  // namespace ow
