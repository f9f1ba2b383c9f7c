// SPDX-License-Identifier: Apache-2.0
// Tokens of texts by byte-pair encoding (Sennrich et al., 2016), with merges as Hugging Face's
// tokenizers library has them, or with scores as SentencePiece has them. docs/models.md lists what
// their files may hold.
#ifndef OW_TEXT_TOKENIZER_H_
#define OW_TEXT_TOKENIZER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ow {

// What the name of a special token in a text is, such as "<eos>".
enum class SpecialNames {
  AsText,    // text like other text: for what users write
  AsTokens,  // the token: for templates of chats
};

// The tokenizer's file in a model's folder: tokenizer.json, or tokenizer.model if only that is
// there.
std::string tokenizer_file(const std::string& folder);

// Texts are UTF-8. A tokenizer does not change, so several threads may use it.
class Tokenizer {
 public:
  // Reads tokenizer.json, or SentencePiece's model if the name ends with ".model". BadInput in one
  // line: a part of another kind than those that are known (Unigram or WordPiece, say), ids that
  // stand twice or are out of range, merges whose parts or whose whole are not in the vocabulary, a
  // pattern that is no regular expression, a broken file.
  explicit Tokenizer(const std::string& path);
  ~Tokenizer();
  Tokenizer(Tokenizer&& from) noexcept;

  // The ids of a text, without those of before() and after(). It takes time in proportion to
  // n log n. BadInput: a text that is not UTF-8, a character that the vocabulary lacks if there is
  // no token for such, a pattern that needs too many steps.
  std::vector<int> encode(const std::string& text, SpecialNames names = SpecialNames::AsText) const;
  // What the file puts before and after the ids of a text: the token of the beginning, say.
  const std::vector<int>& before() const;
  const std::vector<int>& after() const;

  // The text of ids. Special tokens are left out. Bytes that are not UTF-8 become U+FFFD, one for
  // each maximal part of a character (Unicode 15, section 3.9). BadInput for an id that is not in
  // the vocabulary.
  std::string decode(const std::vector<int>& ids) const;

  // One more than the greatest id.
  int size() const;
  // Of a token by its name in the file, special ones too.
  std::optional<int> find(const std::string& name) const;
  // The name of an id, "" if the vocabulary lacks it.
  const std::string& name(int id) const;
  bool special(int id) const;

 private:
  friend class TextStream;
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

// Text from ids that come one by one. All that it returns together is what decode() returns for the
// ids. The tokenizer must outlive it.
class TextStream {
 public:
  explicit TextStream(const Tokenizer& tokenizer);
  // The characters that are whole with this id. BadInput as decode().
  std::string add(int id);
  // The rest: U+FFFD if the ids end within a character. The stream is then at its beginning.
  std::string finish();

 private:
  std::string take(bool end);

  const Tokenizer& tokenizer_;
  std::string bytes_;  // of a character that is not whole
  bool first_ = true;  // no token has come
  int strip_;          // so many characters are left out if they are the decoder's
};

}  // namespace ow

#endif  // OW_TEXT_TOKENIZER_H_
