// SPDX-License-Identifier: Apache-2.0
#include "ow/api/error.h"

#include <utility>

namespace ow::api {
namespace {

nlohmann::json or_null(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

}  // namespace

ApiError::ApiError(int status_, const std::string& message, std::string param_, std::string code_)
    : std::runtime_error(message),
      status(status_),
      param(std::move(param_)),
      code(std::move(code_)) {}

nlohmann::json ApiError::json() const {
  const char* type = status == 429   ? "rate_limit_error"
                     : status >= 500 ? "server_error"
                                     : "invalid_request_error";
  return {
      {"error",
       {{"message", what()}, {"type", type}, {"param", or_null(param)}, {"code", or_null(code)}}}};
}

}  // namespace ow::api
