// SPDX-License-Identifier: Apache-2.0
// Bytes of tokens: the part "decoder" of the file.
#ifndef OW_TEXT_DECODER_H_
#define OW_TEXT_DECODER_H_

#include <functional>
#include <string>
#include <vector>

#include "ow/base/json_object.h"

namespace ow::text {

// The byte of a token "<0x41>", or -1.
int byte_of(const std::string& name);

class Decoder {
 public:
  explicit Decoder(const JsonObject& file);

  // The bytes of a token by its name. `first`: no token stands before it.
  std::string bytes(const std::string& name, bool first) const;
  // Up to so many characters at the beginning of a text are left out if they are this one.
  int strip() const { return strip_; }
  const std::string& stripped() const { return stripped_; }

 private:
  struct State {
    std::string text;
    bool first;
    bool done = false;  // these are bytes, and no longer the characters of a name
  };
  using Step = std::function<void(State*)>;
  void add(const JsonObject& object);

  std::vector<Step> steps_;
  bool fused_ = false;
  int strip_ = 0;
  std::string stripped_;
};

}  // namespace ow::text

#endif  // OW_TEXT_DECODER_H_
