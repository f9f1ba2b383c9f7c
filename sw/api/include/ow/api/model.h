// SPDX-License-Identifier: Apache-2.0
// What a server says about its model and needs to know of it.
#ifndef OW_API_MODEL_H_
#define OW_API_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ow/text/chat_form.h"
#include "ow/text/tokenizer.h"

namespace ow::api {

struct Model {
  std::string id;       // by which clients name it
  int64_t created = 0;  // seconds since 1970
  std::shared_ptr<const Tokenizer> tokenizer;
  ChatForm form = ChatForm::Plain;
  std::vector<int> ends;    // tokens that end an answer
  int vocabulary = 0;       // tokens
  int positions = 0;        // of the longest context
  std::string fingerprint;  // what decides the bits of an answer: the region's shape, the type
  int regions = 0;
  double clock_hz = 1e9;  // of the machine: cycles become seconds by it
};

}  // namespace ow::api

#endif  // OW_API_MODEL_H_
