// SPDX-License-Identifier: Apache-2.0
#include "ow/check/answer_check.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/golden/sampling.h"

namespace ow::golden {

AnswerCheck::AnswerCheck(const Decoder* decoder, const serve::Request& request)
    : decoder_(decoder), sampling_(request.sampling) {
  if (request.prompt.empty()) throw BadInput("the prompt has no token");
  for (size_t n = 0; n + 1 < request.prompt.size(); ++n) {
    decoder_->extend(&cache_, request.prompt[n]);
  }
  token_ = request.prompt.back();
}

std::string AnswerCheck::compare(const serve::Event& event) {
  const std::vector<uint32_t> logits = decoder_->step(&cache_, token_);
  token_ = event.token;
  if (!event.logits.empty()) {
    if (event.logits.size() != logits.size()) {
      throw InternalError(fmt::format("an event has {} logits, the model has {}",
                                      event.logits.size(), logits.size()));
    }
    uint64_t wrong = 0;
    size_t first = 0;
    for (size_t n = logits.size(); n-- > 0;) {
      if (logits[n] == event.logits[n]) continue;
      ++wrong;
      first = n;
    }
    compared_ += logits.size();
    different_ += wrong;
    if (wrong > 0) {
      return fmt::format(
          "position {}: {} of {} logits differ from golden; that of token {} is {:08x}, golden "
          "has {:08x}",
          event.position, wrong, logits.size(), first, event.logits[first], logits[first]);
    }
  }
  const serve::Sampling& s = sampling_;
  const int token = s.temperature == 0
                        ? greedy_token(logits)
                        : sampled_token(logits, {s.temperature, s.top_k, s.top_p, s.seed, s.answer},
                                        event.position);
  if (token == event.token) return "";
  return fmt::format("position {}: token {}, golden chooses {}", event.position, event.token,
                     token);
}

}  // namespace ow::golden
