// SPDX-License-Identifier: Apache-2.0
#include "ow/api/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "ow/base/error.h"

namespace ow::api {
namespace {

constexpr std::chrono::milliseconds kLookAround(200);
constexpr int kSeconds = 10;  // for the next bytes of a request, and for a client to take a reply
// Bodies that are too long are read to here: a connection that ends with unread bytes would lose
// the reply.
constexpr size_t kMostRead = 16 * kMostBody;

Call call_of(const httplib::Request& request) {
  Call call;
  call.method = request.method;
  call.path = request.path;
  call.content_type = request.get_header_value("Content-Type");
  call.authorization = request.get_header_value("Authorization");
  return call;
}

// False: it is too long.
bool read_body(const httplib::Request& request, const httplib::ContentReader& reader,
               std::string* body) {
  if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding")) {
    return true;
  }
  size_t bytes = 0;
  const auto take = [&](const char* data, size_t size) {
    bytes += size;
    if (bytes <= kMostBody) body->append(data, size);
    return bytes <= kMostRead;
  };
  if (request.is_multipart_form_data()) {
    // Parts of a form, which the API refuses.
    reader([](const httplib::MultipartFormData&) { return true; }, take);
  } else {
    reader(take);
  }
  return bytes <= kMostBody;
}

// A part of an answer: as long as it is made, the client must be there.
bool provide(Answer* answer, httplib::DataSink* sink) {
  try {
    const std::string part = answer->next(kLookAround);
    const bool there = part.empty() ? sink->is_writable() : sink->write(part.data(), part.size());
    if (there && answer->done()) sink->done();
    return there;
  } catch (const std::exception&) {
    return false;  // the connection ends early, which a client finds
  }
}

// `open`: answers that are being sent.
void send(Reply reply, std::atomic<int>* open, httplib::Response* response) {
  response->status = reply.status;
  if (reply.status == 429) response->set_header("Retry-After", "1");
  if (reply.answer == nullptr) {
    response->set_content(reply.body, reply.content_type);
    return;
  }
  ++*open;
  response->set_chunked_content_provider(
      reply.content_type,
      [answer = std::move(reply.answer)](size_t, httplib::DataSink& sink) {
        return provide(answer.get(), &sink);
      },
      [open](bool) { --*open; });
}

}  // namespace

struct HttpServer::Parts {
  httplib::Server server;
  int port = 0;
  std::atomic<int> open{0};
  std::thread listening;
};

HttpServer::HttpServer(Api* api, const HttpOptions& options) : parts_(std::make_unique<Parts>()) {
  httplib::Server& server = parts_->server;
  server.new_task_queue = [threads = options.threads] {
    return new httplib::ThreadPool(static_cast<size_t>(threads));
  };
  // Another server on the same port is an error, which cpp-httplib's own options would not say.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_tcp_nodelay(true);
  // A connection that waits for a further request would hold a thread.
  server.set_keep_alive_max_count(1);
  server.set_read_timeout(kSeconds);
  server.set_write_timeout(kSeconds);
  server.set_payload_max_length(std::numeric_limits<size_t>::max());  // read_body() holds it
  server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                              {"Cache-Control", "no-store"},
                              {"Content-Security-Policy",
                               "default-src 'none'; script-src 'unsafe-inline'; style-src "
                               "'unsafe-inline'; img-src data:; connect-src 'self'"}});
  std::atomic<int>* open = &parts_->open;
  const auto plain = [api, open](const httplib::Request& request, httplib::Response& response) {
    send(api->reply(call_of(request)), open, &response);
  };
  const auto with_body = [api, open](const httplib::Request& request, httplib::Response& response,
                                     const httplib::ContentReader& reader) {
    Call call = call_of(request);
    const bool fits = read_body(request, reader, &call.body);
    send(fits ? api->reply(call) : api->refusal(413), open, &response);
  };
  server.Get(".*", plain);
  server.Options(".*", plain);
  server.Post(".*", with_body);
  server.Put(".*", with_body);
  server.Patch(".*", with_body);
  server.Delete(".*", with_body);
  server.set_error_handler([api, open](const httplib::Request&, httplib::Response& response) {
    if (response.body.empty()) send(api->refusal(response.status), open, &response);
  });

  parts_->port = options.port == 0
                     ? server.bind_to_any_port(options.host)
                     : (server.bind_to_port(options.host, options.port) ? options.port : -1);
  if (parts_->port < 0) {
    throw BadInput(
        fmt::format("cannot listen at {} port {}: the port is in use, or the address is "
                    "none of this computer's",
                    options.host, options.port));
  }
  parts_->listening = std::thread([&server] { server.listen_after_bind(); });
  // stop() does nothing before it runs.
  while (!server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// stop() cuts what is being sent; with the service at its end that is soon over.
HttpServer::~HttpServer() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSeconds);
  while (parts_->open > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  parts_->server.stop();
  parts_->listening.join();
}

int HttpServer::port() const { return parts_->port; }

}  // namespace ow::api
