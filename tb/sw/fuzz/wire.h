// SPDX-License-Identifier: Apache-2.0
// Messages between two ranks as a file, for mutants of them.
#ifndef OW_TB_SW_FUZZ_WIRE_H_
#define OW_TB_SW_FUZZ_WIRE_H_

#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/ranks/transport.h"

namespace ow {

// Two ranks, of which this is one: what it sends is kept, what it receives is given.
class Wire : public ranks::Transport {
 public:
  explicit Wire(int rank, std::vector<ranks::Message> received = {})
      : rank_(rank), received_(std::move(received)) {}
  int rank() const override { return rank_; }
  int ranks() const override { return 2; }
  std::chrono::seconds patience() const override { return std::chrono::seconds(1); }
  void send(int, ranks::Tag, ranks::Message message) override {
    sent_.push_back(std::move(message));
  }
  ranks::Message receive(int, ranks::Tag) override {
    if (next_ == received_.size()) throw ProtocolError("nothing comes any more");
    return received_[next_++];
  }
  void check() override {}
  void fail(int, const std::string&) override {}
  void close() override {}

  const std::vector<ranks::Message>& sent() const { return sent_; }

 private:
  int rank_;
  std::vector<ranks::Message> received_, sent_;
  size_t next_ = 0;
};

// Messages as the text of a file: the length of each in four bytes, then its bytes.
inline std::string joined(const std::vector<ranks::Message>& messages) {
  std::string text;
  for (const ranks::Message& m : messages) {
    for (int k = 0; k < 4; ++k) text += static_cast<char>(m.size() >> (8 * k));
    text.append(m.begin(), m.end());
  }
  return text;
}

// Whatever the text is; a length that is too much is what is left.
inline std::vector<ranks::Message> messages_of(const std::string& text) {
  std::vector<ranks::Message> messages;
  for (size_t at = 0; at + 4 <= text.size();) {
    uint32_t size = 0;
    for (size_t k = 0; k < 4; ++k) {
      size |= static_cast<uint32_t>(static_cast<uint8_t>(text[at + k])) << (8 * k);
    }
    at += 4;
    const std::string part = text.substr(at, size);
    messages.emplace_back(part.begin(), part.end());
    at += part.size();
  }
  return messages;
}

// What a rank must not do with what another one sends is a protocol error; the files that run()
// makes know bad input.
template <typename Work>
void take(const std::string& path, const Work& work) {
  const std::string text = read_text(path);
  try {
    work(messages_of(text));
  } catch (const ProtocolError& error) {
    throw BadInput(error.what());
  }
}

}  // namespace ow

#endif  // OW_TB_SW_FUZZ_WIRE_H_
