// SPDX-License-Identifier: Apache-2.0
// SentencePiece's models as its description of the format has them, byte by byte.
#ifndef OW_TB_SW_TEXT_PIECE_FILE_H_
#define OW_TB_SW_TEXT_PIECE_FILE_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ow {

// Fields of Protocol Buffers.
inline std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
inline std::string whole_field(unsigned field, uint64_t value) {
  return varint(field << 3) + varint(value);
}
inline std::string part_field(unsigned field, const std::string& part) {
  return varint(field << 3 | 2) + varint(part.size()) + part;
}

struct FilePiece {
  std::string text;
  float score = 0;
  int kind = 1;  // 1 normal, 2 unknown, 3 control, 4 of users, 5 unused, 6 a byte
};

struct PieceFile {
  std::vector<FilePiece> pieces;
  int type = 2;            // BPE
  std::string trainer;     // more fields
  std::string normalizer;  // the same

  std::string bytes() const {
    std::string out;
    for (const FilePiece& piece : pieces) {
      uint32_t score;
      std::memcpy(&score, &piece.score, 4);
      std::string fields = part_field(1, piece.text) + varint(2 << 3 | 5);
      for (int k = 0; k < 4; ++k) fields += static_cast<char>(score >> (8 * k));
      if (piece.kind != 1) fields += whole_field(3, static_cast<uint64_t>(piece.kind));
      out += part_field(1, fields);
    }
    return out + part_field(2, whole_field(3, static_cast<uint64_t>(type)) + trainer) +
           part_field(3, normalizer);
  }
};

// All that such a file may hold: joins by scores, a piece that is not used, one of users, bytes.
inline PieceFile small_pieces() {
  PieceFile file;
  file.pieces = {{"<unk>", 0, 2}, {"<s>", 0, 3}, {"</s>", 0, 3}};
  file.pieces.push_back({"<0xC3>", 0, 6});  // 3
  file.pieces.push_back({"<0xA4>", 0, 6});
  file.pieces.push_back({"ab", -1});            // 5
  file.pieces.push_back({"bc", 0});             // joined before ab
  file.pieces.push_back({"abc", -2, 5});        // not used
  file.pieces.push_back({"\xE2\x96\x81", -9});  // 8
  file.pieces.push_back({"a", -10});
  file.pieces.push_back({"b", -11});  // 10
  file.pieces.push_back({"c", -12});
  file.pieces.push_back({"b b", 0, 4});  // 12
  file.pieces.push_back(
      {"\xE2\x96\x81"
       "a",
       -3});                          // 13
  file.pieces.push_back({"aa", -4});  // 14
  file.trainer = whole_field(35, 1);
  file.normalizer = whole_field(4, 0);
  return file;
}

}  // namespace ow

#endif  // OW_TB_SW_TEXT_PIECE_FILE_H_
