// SPDX-License-Identifier: Apache-2.0
// The sockets of an API: cpp-httplib with a thread a connection.
#ifndef OW_API_HTTP_SERVER_H_
#define OW_API_HTTP_SERVER_H_

#include <memory>
#include <string>

#include "ow/api/api.h"

namespace ow::api {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;   // 0: one that is free
  int threads = 16;  // connections at a time; others wait
};

class HttpServer {
 public:
  // Begins to serve. BadInput if the address cannot be had. `api` must outlive it.
  HttpServer(Api* api, const HttpOptions& options);
  // Ends connections when their replies are done: end the service first.
  ~HttpServer();

  int port() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ow::api

#endif  // OW_API_HTTP_SERVER_H_
