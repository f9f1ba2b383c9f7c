// SPDX-License-Identifier: Apache-2.0
// Tokens that are looked for in a text before anything else: the part "added_tokens" of the file.
#ifndef OW_TEXT_ADDED_TOKENS_H_
#define OW_TEXT_ADDED_TOKENS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ow::text {

struct AddedToken {
  int id;
  std::string content;
  bool takes_left;   // the white space before it is part of it
  bool takes_right;  // that after it
  bool normalized;   // looked for in the text after the normalizer, in its own normalized form
  bool special;
};

// A token in a text: [begin, end), with the white space that it takes.
struct Found {
  size_t begin;
  size_t end;
  int id;
};

// Finds tokens of which none contains another one's end: from left to right, the longest first.
class AddedTokens {
 public:
  AddedTokens() : nodes_(1) {}
  // `form`: what it looks like in the text; not empty. False if another token has the form already.
  bool add(const std::string& form, const AddedToken& token);
  // `special`: those that are special are found, too.
  std::vector<Found> find(std::string_view text, bool special) const;

 private:
  struct Node {
    std::map<uint8_t, size_t> next;
    int token = -1;  // the one that ends here, of tokens_
  };
  std::vector<Node> nodes_;
  std::vector<AddedToken> tokens_;
};

}  // namespace ow::text

#endif  // OW_TEXT_ADDED_TOKENS_H_
