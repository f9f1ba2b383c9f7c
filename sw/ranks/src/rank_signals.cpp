// SPDX-License-Identifier: Apache-2.0
#include "rank_signals.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ow::ranks {
namespace {

// A handler reaches nothing else.
constexpr size_t kMostLine = 512;
char term_line[kMostLine], failure_line[kMostLine];
int failure_status = 0;
enum class Known { Nothing, Failure, BeingSaid };
std::atomic<Known> known{Known::Nothing};
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kResumed{2};  // mpirun ends a rank at once after it has resumed it
std::atomic<Clock::rep> given_up{Clock::duration::max().count()};  // the time at which others do it
std::atomic<Clock::rep> quiet_until{0};                            // after it was suspended
static_assert(std::atomic<Known>::is_always_lock_free &&
                  std::atomic<Clock::rep>::is_always_lock_free,
              "handlers of signals read them");

void end_with(const char* line, int status) {
  if (write(STDERR_FILENO, line, strnlen(line, kMostLine)) < 0) _exit(1);
  _exit(status);
}

void on_continue(int) {
  Known failure = Known::Failure;
  if (known.compare_exchange_strong(failure, Known::BeingSaid))
    end_with(failure_line, failure_status);
}

bool others_report() {
  const Clock::rep now = Clock::now().time_since_epoch().count();
  return now > given_up || now < quiet_until;
}

void on_term(int) {
  on_continue(0);
  if (known.exchange(Known::BeingSaid) == Known::Nothing)
    end_with(others_report() ? "" : term_line, 3);
}

void handle(int signal, void (*handler)(int), int flags, struct sigaction* before) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, before);
}

void keep_line(const std::string& text, char* line) {
  const std::string cut = text.empty() ? "" : text.substr(0, kMostLine - 2) + "\n";
  std::copy(cut.begin(), cut.end(), line);
  line[cut.size()] = '\0';
}

}  // namespace

RankSignals::RankSignals(bool handled, std::chrono::milliseconds silence)
    : handled_(handled), silence_(silence) {
  if (!handled_) return;
  keep_line("ow: device fault: ended from outside (SIGTERM), as mpirun does when a rank has died",
            term_line);
  handle(SIGTERM, on_term, 0, &term_before_);
  handle(SIGCONT, on_continue, SA_RESTART, &continue_before_);
}

void RankSignals::alive(Clock::time_point now) {
  if (now.time_since_epoch().count() > given_up) {
    quiet_until = (now + kResumed).time_since_epoch().count();
  }
  given_up = (now + silence_).time_since_epoch().count();
}

void RankSignals::hush() { keep_line("", term_line); }

void RankSignals::know(int status, const std::string& line) {
  if (known != Known::Nothing) return;
  keep_line(line, failure_line);
  failure_status = status;
  known = Known::Failure;
  if (handled_) handle(SIGTERM, on_term, 0, nullptr);
}

void RankSignals::report() { known = Known::BeingSaid; }

void RankSignals::restore() {
  if (!handled_) return;
  sigaction(SIGTERM, &term_before_, nullptr);
  sigaction(SIGCONT, &continue_before_, nullptr);
}

void end_process(int status, const std::string& line) {
  if (!line.empty()) std::fprintf(stderr, "%s\n", line.c_str());
  std::_Exit(status);
}

}  // namespace ow::ranks
