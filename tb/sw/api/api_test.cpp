// SPDX-License-Identifier: Apache-2.0
// Paths, methods and keys.
#include "ow/api/api.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server_bench.h"

namespace ow::api {
namespace {

using nlohmann::json;

Reply get(Bench* bench, const std::string& path, const std::string& authorization = "") {
  return bench->reply({"GET", path, "", authorization, ""});
}

json error_of(const Reply& reply, int status) {
  EXPECT_EQ(reply.status, status) << reply.body;
  EXPECT_EQ(reply.content_type, "application/json");
  const json body = json::parse(reply.body);
  EXPECT_EQ(body.size(), 1u);
  const json error = body["error"];
  EXPECT_EQ(error.size(), 4u) << error;
  for (const char* key : {"message", "type", "param", "code"}) EXPECT_TRUE(error.contains(key));
  return error;
}

TEST(Api, ListsItsModel) {
  Bench bench;
  const json list = json::parse(get(&bench, "/v1/models").body);
  EXPECT_EQ(list["object"], "list");
  ASSERT_EQ(list["data"].size(), 1u);
  const json& model = list["data"][0];
  EXPECT_EQ(model["id"], "hash");
  EXPECT_EQ(model["object"], "model");
  EXPECT_EQ(model["created"], 1700000000);
  EXPECT_EQ(model["owned_by"], "openwafer");
  EXPECT_EQ(model["openwafer"]["positions"], kPositions);
  EXPECT_EQ(json::parse(get(&bench, "/v1/models/hash").body), model);
  EXPECT_EQ(error_of(get(&bench, "/v1/models/gpt"), 404)["code"], "model_not_found");
}

TEST(Api, HasAPageHealthAndMetrics) {
  Bench bench;
  const Reply page = get(&bench, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.body.rfind("<!DOCTYPE html>", 0), 0u);
  // It needs nothing from elsewhere.
  EXPECT_EQ(page.body.find("://"), std::string::npos);
  EXPECT_EQ(json::parse(get(&bench, "/health").body), json({{"status", "ok"}}));
  get(&bench, "/nowhere");
  const Reply metrics = get(&bench, "/metrics");
  EXPECT_EQ(metrics.content_type, "text/plain; version=0.0.4");
  for (const char* line : {"openwafer_replies_total{path=\"/health\",status=\"200\"} 1\n",
                           "openwafer_replies_total{path=\"other\",status=\"404\"} 1\n"}) {
    EXPECT_NE(metrics.body.find(line), std::string::npos) << line << metrics.body;
  }
  bench.stop();
  EXPECT_EQ(error_of(get(&bench, "/health"), 503)["code"], "shutting_down");
}

TEST(Api, OtherPathsAndMethodsHaveTheFormOfErrors) {
  Bench bench;
  EXPECT_EQ(error_of(get(&bench, "/v1/embeddings"), 404)["message"],
            "there is no path '/v1/embeddings'");
  EXPECT_EQ(error_of(get(&bench, "/\n<b>"), 404)["message"], "there is no path '/?<b>'");
  EXPECT_EQ(error_of(get(&bench, "/v1/completions"), 405)["message"],
            "/v1/completions takes POST, not GET");
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    error_of(bench.reply({method, "/health", "application/json", "", "{}"}), 405);
  }
  error_of(bench.reply({"PUT", "/v1/completions", "application/json", "", "{}"}), 405);
  error_of(bench.api.refusal(413), 413);
}

TEST(Api, BodiesAreJsonByTheirContentType) {
  Bench bench;
  const std::string body = R"({"model": "hash", "prompt": "x", "max_tokens": 1})";
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded",
                           "application/jsonx", "multipart/form-data; boundary=x"}) {
    error_of(bench.reply({"POST", "/v1/completions", type, "", body}), 415);
  }
  for (const char* type : {"application/json", "application/json; charset=utf-8"}) {
    EXPECT_EQ(bench.reply({"POST", "/v1/completions", type, "", body}).status, 200);
  }
}

TEST(Api, AnotherModelIsRefused) {
  Bench bench;
  const json error =
      error_of(bench.post("/v1/completions", {{"model", "gpt"}, {"prompt", "x"}}), 404);
  EXPECT_EQ(error["message"], "there is no model 'gpt': this server has 'hash'");
  EXPECT_EQ(error["code"], "model_not_found");
  EXPECT_EQ(error["param"], "model");
}

TEST(Api, AKeyIsNeededWhereThereIsOne) {
  Bench bench(2, 6, "secret");
  for (const char* path : {"/v1/models", "/v1/completions", "/v1/nowhere", "/metrics"}) {
    for (const char* wrong : {"", "secret", "Bearer ", "Bearer secre", "Bearer secret1",
                              "bearer secret", "Basic secret"}) {
      const json error = error_of(get(&bench, path, wrong), 401);
      EXPECT_EQ(error["code"], "invalid_api_key");
    }
  }
  EXPECT_EQ(get(&bench, "/v1/models", "Bearer secret").status, 200);
  EXPECT_EQ(get(&bench, "/metrics", "Bearer secret").status, 200);
  // The page asks its user for the key.
  EXPECT_EQ(get(&bench, "/").status, 200);
  EXPECT_EQ(get(&bench, "/health").status, 200);
}

TEST(Api, AFullQueueIsSaid) {
  Bench bench(1, 0);
  bench.ring.pause = std::chrono::microseconds(20000);
  const json request = {{"model", "hash"}, {"prompt", "x"}, {"max_tokens", 100}};
  Call call = {"POST", "/v1/completions", "application/json", "", request.dump()};
  Reply first = bench.api.reply(call);
  ASSERT_EQ(first.status, 200);
  const json error = error_of(bench.api.reply(call), 429);
  EXPECT_EQ(error["code"], "queue_full");
  EXPECT_EQ(error["type"], "rate_limit_error");
  // A client that goes away frees its slot.
  first.answer = nullptr;
  EXPECT_TRUE(bench.idle());
  bench.ring.pause = std::chrono::microseconds(0);
  EXPECT_EQ(bench.reply(call).status, 200);
}

}  // namespace
}  // namespace ow::api
