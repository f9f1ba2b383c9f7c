// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files. Every failure is a BadInput that names the file and the reason.
#ifndef OW_BASE_FILE_H_
#define OW_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace ow {

// The file's contents, unchanged. A directory is an error. `limit`: the most bytes to read.
std::string read_text(const std::string& path, size_t limit = size_t{1} << 30);

// The file's contents, unpacked if it begins with gzip's 1f 8b. `limit`: the most bytes that may
// come out. `line_limit`: the longest line of a file that is not compressed, so that binary data is
// refused early. A compressed file is refused if it is damaged, cut short, or followed by other
// bytes than zeros. So is one that another program than gzip has packed.
std::string read_bytes(const std::string& path, size_t limit, size_t line_limit = SIZE_MAX);

// The same contents in pieces. Nothing is kept in memory.
class FileReader {
 public:
  // BadInput if it cannot be read, or another program than gzip has packed it.
  explicit FileReader(std::string path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  // Takes so many bytes; fewer only where the contents end. BadInput if the file is damaged: only
  // who reads to the end knows that it is not.
  size_t read(void* to, size_t bytes);
  // Takes a line and its end, which is left out. False if none ends within `most` bytes.
  bool read_line(std::string* line, size_t most);
  bool is_packed() const { return packed_ != nullptr; }

 private:
  struct Inflater;
  void fill();
  size_t copy(char* to, size_t bytes);
  size_t unpack(char* to, size_t bytes);
  void next_member();

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string in_;  // of the file; `at_` bytes of it are taken
  size_t at_ = 0;
  bool file_ends_ = false, ends_ = false;  // the file behind `in_`; the contents
  uint64_t given_ = 0;                     // bytes of contents
  std::unique_ptr<Inflater> packed_;
};

// Writes to a temporary file and renames it, so a reader finds the old file or the whole new one.
// The new file has the mode of the old one. If `path` is a symbolic link, the file it points to is
// replaced. Something that is not a regular file, such as /dev/stdout, is written directly.
void write_file(const std::string& path, const std::string& contents);

// The same for contents that come in pieces, packed by gzip if wanted. Nothing is kept in memory.
// close() gives the file its name; without close() the temporary file is removed.
class FileWriter {
 public:
  enum class Packing { None, Gzip };

  // BadInput if it cannot be written.
  explicit FileWriter(std::string path, Packing packing = Packing::None);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Errors here are reported by close().
  void append(const void* data, size_t bytes);
  void close();

 private:
  struct Deflater;
  void write_bytes(const void* data, size_t bytes);
  void pack(const void* data, size_t bytes, bool end);

  std::string path_;
  std::string target_;     // the file that `path_` names
  std::string temporary_;  // becomes `target_`; empty if that is written directly
  std::FILE* file_ = nullptr;
  std::unique_ptr<Deflater> packed_;
  int error_ = 0;  // the first error
};

// Throws as write_file would, but before the work that produces the contents. An empty path is not
// checked.
void check_writable(const std::string& path);

// The file that `path` names: symbolic links are followed. The last one may point to nothing.
std::string file_itself(const std::string& path);

// Whether both names are of one regular file, which need not be there yet.
bool same_file(const std::string& a, const std::string& b);

// A path found in a file, relative to that file's directory. If the file has no place of its own (a
// pipe, /dev/stdin), the path is relative to the current directory.
std::string beside(const std::string& file, const std::string& path);

}  // namespace ow

#endif  // OW_BASE_FILE_H_
