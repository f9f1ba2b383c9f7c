// SPDX-License-Identifier: Apache-2.0
// What a client is told if its request fails.
#ifndef OW_API_ERROR_H_
#define OW_API_ERROR_H_

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace ow::api {

struct ApiError : std::runtime_error {
  // `status` of HTTP; `param`: the field of the request that is wrong; `code`: for programs. Both
  // may be empty.
  ApiError(int status, const std::string& message, std::string param = "", std::string code = "");

  // {"error": {"message", "type", "param", "code"}}
  nlohmann::json json() const;

  int status;
  std::string param, code;
};

}  // namespace ow::api

#endif  // OW_API_ERROR_H_
