// SPDX-License-Identifier: Apache-2.0
// Doors to programs and to answers in files.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/conform/door.h"
#include "ow/conform/suite.h"

namespace ow::conform {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLongestAnswer = size_t{1} << 24;

class LineDoor : public Door {
 public:
  LineDoor(std::string command, double seconds) : command_(std::move(command)), seconds_(seconds) {
    start();
  }
  ~LineDoor() override { stop(); }

  std::string ask(const std::string& line) override {
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(seconds_));
    if (input_ < 0) throw Silent("the device has ended");
    put(line + "\n");
    return take_line();
  }

  void restart() override {
    stop();
    start();
  }

 private:
  // Non-blocking, because neither a device that does not read nor one that does not write may hold
  // us.
  void start() {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
      throw BadInput(command_ + ": " + std::strerror(errno));
    }
    child_ = fork();
    if (child_ < 0) throw BadInput(command_ + ": " + std::strerror(errno));
    if (child_ == 0) {
      setpgid(0, 0);
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      execl("/bin/sh", "sh", "-c", command_.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    setpgid(child_, child_);
    close(to[0]);
    close(from[1]);
    input_ = to[1];
    output_ = from[0];
    fcntl(input_, F_SETFL, O_NONBLOCK);
    fcntl(output_, F_SETFL, O_NONBLOCK);
    read_.clear();
  }

  void stop() {
    if (input_ >= 0) close(input_);
    if (output_ >= 0) close(output_);
    input_ = output_ = -1;
    if (child_ <= 0) return;
    kill(-child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }

  void wait_for(int file, short event) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
    pollfd one{file, event, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&one, 1, static_cast<int>(left.count()));
    if (ready == 0) silent("no answer in time");
    if (ready < 0 && errno != EINTR) silent(std::strerror(errno));
  }

  [[noreturn]] void silent(const std::string& why) {
    stop();
    throw Silent(why);
  }

  void put(const std::string& text) {
    for (size_t done = 0; done < text.size();) {
      const ssize_t n = write(input_, text.data() + done, text.size() - done);
      if (n > 0) {
        done += static_cast<size_t>(n);
      } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
        silent("the device has ended");
      } else {
        wait_for(input_, POLLOUT);
      }
    }
  }

  std::string take_line() {
    char buffer[65536];
    for (size_t from = 0;;) {
      const size_t end = read_.find('\n', from);
      if (end != std::string::npos) {
        std::string line = read_.substr(0, end);
        read_.erase(0, end + 1);
        if (!line.empty() && line.back() == '\r') line.pop_back();
        return line;
      }
      from = read_.size();
      if (from > kLongestAnswer) silent("an answer without an end");
      const ssize_t n = read(output_, buffer, sizeof buffer);
      if (n > 0) {
        read_.append(buffer, static_cast<size_t>(n));
      } else if (n == 0) {
        silent("the device has ended");
      } else if (errno == EAGAIN || errno == EINTR) {
        wait_for(output_, POLLIN);
      } else {
        silent(std::strerror(errno));
      }
    }
  }

  std::string command_;
  double seconds_;
  Clock::time_point deadline_;
  pid_t child_ = -1;
  int input_ = -1, output_ = -1;
  std::string read_;
};

class ResultsDoor : public Door {
 public:
  explicit ResultsDoor(std::string directory) : directory_(std::move(directory)) {}

  std::string ask(const std::string& line) override {
    const std::vector<std::string> words = words_of(line);
    if (words[0] == "hello" || words[0] == "bye") return "ok";
    if (words[0] == "test") {
      const std::string path = directory_ + "/" + words.at(1) + ".txt";
      answers_ = {};
      if (access(path.c_str(), R_OK) != 0) throw Silent(path + " is not there");
      answers_.str(read_text(path, kLongestAnswer));
      return "ok";
    }
    std::string answer;
    if (!std::getline(answers_, answer)) throw Silent("the file has no more answers");
    if (!answer.empty() && answer.back() == '\r') answer.pop_back();
    return answer;
  }

 private:
  std::string directory_;
  std::istringstream answers_;
};

}  // namespace

std::unique_ptr<Door> make_line_door(const std::string& command, double seconds) {
  signal(SIGPIPE, SIG_IGN);
  return std::make_unique<LineDoor>(command, seconds);
}

std::unique_ptr<Door> make_results_door(const std::string& directory) {
  if (access((directory + "/.").c_str(), R_OK) != 0)
    throw BadInput(directory + ": " + std::strerror(errno));
  return std::make_unique<ResultsDoor>(directory);
}

}  // namespace ow::conform
