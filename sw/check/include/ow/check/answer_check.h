// SPDX-License-Identifier: Apache-2.0
// An answer of a machine, compared with golden token by token as it comes.
#ifndef OW_CHECK_ANSWER_CHECK_H_
#define OW_CHECK_ANSWER_CHECK_H_

#include <cstdint>
#include <string>

#include "ow/golden/decode.h"
#include "ow/serve/engine.h"

namespace ow::golden {

class AnswerCheck {
 public:
  // Decodes the prompt; BadInput if there is none, or as Decoder. The decoder must outlive this.
  AnswerCheck(const Decoder* decoder, const serve::Request& request);

  // Compares the next token of the request's answer, and its logits if the event has them. What
  // differs, with the position; nothing if all is golden's. The next event is compared after the
  // machine's own token, whatever golden's is.
  std::string compare(const serve::Event& event);

  uint64_t compared() const { return compared_; }  // logits
  uint64_t different() const { return different_; }

 private:
  const Decoder* decoder_;
  serve::Sampling sampling_;
  DecodeCache cache_;
  int token_;  // whose logits are the next event's
  uint64_t compared_ = 0, different_ = 0;
};

}  // namespace ow::golden

#endif  // OW_CHECK_ANSWER_CHECK_H_
