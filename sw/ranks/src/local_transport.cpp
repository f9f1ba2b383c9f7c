// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process, and the choice between them and MPI's.
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <utility>

#include "mpi_transport.h"
#include "ow/base/error.h"
#include "ow/ranks/mailbox.h"

namespace ow::ranks {
namespace {

struct Group {
  std::vector<std::unique_ptr<Mailbox>> boxes;  // by rank
  std::chrono::seconds patience;
};

class LocalTransport : public Transport {
 public:
  LocalTransport(std::shared_ptr<Group> group, int rank) : group_(std::move(group)), rank_(rank) {}
  ~LocalTransport() override {
    if (!closed_) fail(3, "it has not said why");
  }

  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(group_->boxes.size()); }
  std::chrono::seconds patience() const override { return group_->patience; }

  void send(int to, Tag tag, Message message) override {
    check();
    box(to).put_message(rank_, tag, std::move(message));
  }
  Message receive(int from, Tag tag) override { return box(rank_).take_message(from, tag); }
  void check() override { box(rank_).check(); }

  void fail(int status, const std::string& what) override {
    closed_ = true;
    for (auto& box : group_->boxes) box->fail(status, ended_text(rank_, what));
  }
  void close() override { closed_ = true; }

 private:
  Mailbox& box(int rank) const { return *group_->boxes[static_cast<size_t>(rank)]; }

  std::shared_ptr<Group> group_;
  int rank_;
  std::atomic<bool> closed_{false};
};

// Whether to ask MPI: a launcher says that there are other ranks, or does not say how many.
// `tasks`: how many it has started, 0 if it does not say.
bool launched(int* tasks) {
  *tasks = 0;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr) continue;
    *tasks = std::atoi(value);
    return *tasks > 1;
  }
  return std::getenv("PMIX_RANK") != nullptr;
}

}  // namespace

std::string ended_text(int rank, const std::string& what) {
  return fmt::format("rank {} has ended: {}", rank, what);
}

std::string line_of(int rank, const Mailbox::Failure& failure) {
  if (failure.status != 2) return "ow: device fault: " + failure.what;
  return rank == 0 ? "ow: bad input: " + failure.what : "";
}

std::vector<std::unique_ptr<Transport>> local_transports(int ranks,
                                                         const TransportOptions& options) {
  auto group = std::make_shared<Group>();
  group->patience = options.patience;
  std::vector<std::unique_ptr<Transport>> all;
  for (int r = 0; r < ranks; ++r) {
    group->boxes.push_back(std::make_unique<Mailbox>(ranks, options.patience));
  }
  for (int r = 0; r < ranks; ++r) all.push_back(std::make_unique<LocalTransport>(group, r));
  return all;
}

std::unique_ptr<Transport> open_transport(const TransportOptions& options) {
  int tasks = 0;
  if (!launched(&tasks)) return std::move(local_transports(1, options).front());
#ifdef OW_MPI
  auto transport = open_mpi(options);
  if (transport->ranks() >= tasks) return transport;
  const int ranks = transport->ranks();
  transport->close();
  throw BadInput(
      fmt::format("started as one of {} processes, of which MPI finds {}: start them by mpirun, or "
                  "by srun with "
                  "the --mpi that this MPI has",
                  tasks, ranks));
#else
  throw BadInput(fmt::format(
      "started as one of {} ranks, but built without MPI (scripts/bootstrap installs Open MPI)",
      tasks > 0 ? std::to_string(tasks) : "several"));
#endif
}

bool has_mpi() {
#ifdef OW_MPI
  return true;
#else
  return false;
#endif
}

}  // namespace ow::ranks
