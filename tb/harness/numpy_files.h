// SPDX-License-Identifier: Apache-2.0
// NumPy's files as its documentation describes them, byte by byte.
#ifndef OW_TB_NUMPY_FILES_H_
#define OW_TB_NUMPY_FILES_H_

#include <zlib.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ow {

inline std::string little(uint64_t value, size_t bytes) {
  std::string out;
  for (; bytes > 0; --bytes, value >>= 8) out += static_cast<char>(value);
  return out;
}

// A .npy file with this header, padded as NumPy does.
inline std::string npy_with(const std::string& header, const std::string& data, int version = 1) {
  const size_t length_bytes = version == 1 ? 2 : 4;
  std::string text = header;
  while ((6 + 2 + length_bytes + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  return "\x93NUMPY" + little(static_cast<uint64_t>(version), 2) +
         little(text.size(), length_bytes) + text + data;
}

inline std::string npy_of(const std::string& descr, const std::string& shape,
                          const std::string& data, bool fortran = false, int version = 1) {
  return npy_with("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                      ", 'shape': " + shape + ", }",
                  data, version);
}

inline std::string deflated(const std::string& bytes) {
  z_stream s{};
  deflateInit2(&s, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(bytes.size() + 1000, '\0');
  s.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  s.avail_in = static_cast<uInt>(bytes.size());
  s.next_out = reinterpret_cast<Bytef*>(out.data());
  s.avail_out = static_cast<uInt>(out.size());
  deflate(&s, Z_FINISH);
  out.resize(s.total_out);
  deflateEnd(&s);
  return out;
}

// A ZIP archive of these files. numpy.savez writes ZIP64 sizes into the local headers and the real
// ones into the directory.
inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files,
                          bool packed, const std::string& comment = "") {
  std::string archive, directory;
  for (const auto& [name, bytes] : files) {
    const std::string data = packed ? deflated(bytes) : bytes;
    const uint64_t sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const std::string middle =
        little(45, 2) + little(0, 2) + little(packed ? 8 : 0, 2) + little(0, 4) + little(sum, 4);
    const std::string extra =
        little(1, 2) + little(16, 2) + little(bytes.size(), 8) + little(data.size(), 8);
    directory += little(0x02014B50, 4) + little(45, 2) + middle + little(data.size(), 4) +
                 little(bytes.size(), 4) + little(name.size(), 2) + little(0, 12) +
                 little(archive.size(), 4) + name;
    archive += little(0x04034B50, 4) + middle + little(0xFFFFFFFF, 4) + little(0xFFFFFFFF, 4) +
               little(name.size(), 2) + little(extra.size(), 2) + name + extra + data;
  }
  const std::string end = little(0x06054B50, 4) + little(0, 4) + little(files.size(), 2) +
                          little(files.size(), 2) + little(directory.size(), 4) +
                          little(archive.size(), 4) + little(comment.size(), 2) + comment;
  return archive + directory + end;
}

}  // namespace ow

#endif  // OW_TB_NUMPY_FILES_H_
