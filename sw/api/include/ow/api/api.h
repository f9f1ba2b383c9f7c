// SPDX-License-Identifier: Apache-2.0
// Calls of HTTP, without sockets: which path does what, and who may. docs/serving.md has the list.
#ifndef OW_API_API_H_
#define OW_API_API_H_

#include <atomic>
#include <memory>
#include <string>

#include "ow/api/answer.h"
#include "ow/api/error.h"
#include "ow/api/model.h"
#include "ow/api/service.h"

namespace ow::api {

constexpr size_t kMostBody = 1 << 20;  // bytes of a request's body

struct Call {
  std::string method, path;
  std::string content_type, authorization;  // headers
  std::string body;
};

struct Reply {
  int status = 200;
  std::string content_type;
  std::string body;
  std::shared_ptr<Answer> answer;  // gives the body, which is empty
};

class Api {
 public:
  // `key`: what clients must send as "Authorization: Bearer KEY"; empty: nothing. `service` must
  // outlive the API and its answers.
  Api(Model model, Service* service, std::string key);

  const Model& model() const { return model_; }

  // For any thread.
  Reply reply(const Call& call);
  // The reply to a request that HTTP itself refuses with this status.
  Reply refusal(int status) const;

 private:
  Reply routed(const Call& call);
  Reply made(Task task);
  void check_key(const std::string& authorization) const;
  nlohmann::json model_json() const;

  const Model model_;
  Service* service_;
  const std::string key_;
  std::atomic<uint64_t> answers_{0};
};

}  // namespace ow::api

#endif  // OW_API_API_H_
