// SPDX-License-Identifier: Apache-2.0
#include "ow/api/api.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "chat_page.h"
#include "ow/base/json.h"
#include "ow/base/text.h"

namespace ow::api {
namespace {

constexpr const char* kJson = "application/json";

struct Route {
  const char* method;
  const char* path;
};
constexpr std::array<Route, 6> kRoutes = {{{"GET", "/"},
                                           {"GET", "/health"},
                                           {"GET", "/metrics"},
                                           {"GET", "/v1/models"},
                                           {"POST", "/v1/completions"},
                                           {"POST", "/v1/chat/completions"}}};

Reply json_reply(int status, const nlohmann::json& body) {
  return {status, kJson, json_text(body), nullptr};
}

const Route* route_of(const std::string& path) {
  for (const Route& route : kRoutes) {
    if (path == route.path) return &route;
  }
  return nullptr;
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

// A page of another origin can send JSON only if the browser asks first, and is refused. It can
// send what a form sends without asking.
void check_json(const Call& call) {
  const std::string type = call.content_type.substr(0, call.content_type.find(';'));
  if (type == kJson) return;
  throw ApiError(415, fmt::format("the content type must be application/json, not '{}'",
                                  printable_text(call.content_type)));
}

}  // namespace

Api::Api(Model model, Service* service, std::string key)
    : model_(std::move(model)), service_(service), key_(std::move(key)) {}

Reply Api::reply(const Call& call) {
  Reply reply;
  try {
    reply = routed(call);
  } catch (const ApiError& e) {
    reply = json_reply(e.status, e.json());
  } catch (const std::exception& e) {
    reply = json_reply(500, ApiError(500, e.what()).json());
  }
  const Route* route = route_of(call.path);
  service_->count_reply(route == nullptr ? "other" : route->path, reply.status);
  return reply;
}

Reply Api::refusal(int status) const {
  const std::string message =
      status == 404   ? "there is no such path"
      : status == 413 ? fmt::format("the body is more than {} bytes", kMostBody)
                      : fmt::format("the request is refused by HTTP with status {}", status);
  return json_reply(status, ApiError(status, message).json());
}

Reply Api::routed(const Call& call) {
  const std::string& path = call.path;
  const bool get = call.method == "GET" || call.method == "HEAD";
  if (starts_with(path, "/v1/") || path == "/metrics") check_key(call.authorization);
  const Route* route = route_of(path);
  if (route == nullptr) {
    const std::string one = "/v1/models/";
    if (get && path == one + model_.id) return json_reply(200, model_json());
    if (get && starts_with(path, one)) {
      throw ApiError(404,
                     fmt::format("there is no model '{}'", printable_text(path.substr(one.size()))),
                     "model", "model_not_found");
    }
    throw ApiError(404, fmt::format("there is no path '{}'", printable_text(path, 100)), "",
                   "unknown_path");
  }
  if (get != (std::string(route->method) == "GET") || (!get && call.method != "POST")) {
    throw ApiError(
        405, fmt::format("{} takes {}, not {}", path, route->method, printable_text(call.method)),
        "", "method_not_allowed");
  }
  if (!get) {
    check_json(call);
    return made(path == "/v1/completions" ? read_completion(call.body) : read_chat(call.body));
  }
  if (path == "/") return {200, "text/html; charset=utf-8", kChatPage, nullptr};
  if (path == "/metrics") {
    return {200, "text/plain; version=0.0.4", service_->metrics().text(), nullptr};
  }
  if (path == "/health") {
    service_->check();
    return json_reply(200, {{"status", "ok"}});
  }
  return json_reply(200, {{"object", "list"}, {"data", {model_json()}}});
}

Reply Api::made(Task task) {
  if (task.model != model_.id) {
    throw ApiError(404,
                   fmt::format("there is no model '{}': this server has '{}'",
                               printable_text(task.model), model_.id),
                   "model", "model_not_found");
  }
  const std::string id =
      fmt::format("{}-{:x}-{}", task.chat ? "chatcmpl" : "cmpl", model_.created, ++answers_);
  Reply reply;
  reply.answer = std::make_shared<Answer>(model_, service_, std::move(task), id);
  reply.content_type = reply.answer->content_type();
  return reply;
}

// Takes the same time for all keys of a length.
void Api::check_key(const std::string& authorization) const {
  if (key_.empty()) return;
  const std::string expected = "Bearer " + key_;
  unsigned different = authorization.size() != expected.size() ? 1 : 0;
  for (size_t n = 0; n < expected.size(); ++n) {
    const char c = n < authorization.size() ? authorization[n] : '\0';
    different |= static_cast<unsigned char>(c ^ expected[n]);
  }
  if (different == 0) return;
  throw ApiError(401, authorization.empty() ? "an API key is needed" : "the API key is wrong", "",
                 "invalid_api_key");
}

nlohmann::json Api::model_json() const {
  return {{"id", model_.id},
          {"object", "model"},
          {"created", model_.created},
          {"owned_by", "openwafer"},
          {"openwafer",
           {{"positions", model_.positions},
            {"vocabulary", model_.vocabulary},
            {"chat_form", chat_form_name(model_.form)},
            {"regions", model_.regions},
            {"clock_hz", model_.clock_hz}}}};
}

}  // namespace ow::api
