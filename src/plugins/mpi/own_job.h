// A job of the program's own, whose nodes it reaches by a relay (relay.h).
#pragma once

#include "base/result.h"
#include "plugins/mpi/relay_transport.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gantry::mpi {

/// A launcher of MPI's that was started, and what it has come to. One thread at a time.
class OwnJob {
public:
  /// Starts the launcher that GANTRY_MPI_LAUNCHER names, for the relay and as many nodes as
  /// GANTRY_MPI_NODES says (1), on the machines of GANTRY_MPI_HOSTS, which the ranks of the
  /// program's own job take in turn, or where the launcher puts them. It does not wait.
  [[nodiscard]] static Result<std::unique_ptr<OwnJob>> start(const char* launcher,
                                                             std::uint64_t patience);
  OwnJob(const OwnJob&) = delete;
  OwnJob& operator=(const OwnJob&) = delete;
  ~OwnJob();

  struct FoundNode {
    int process;
    std::string host;
  };
  struct Met {
    std::unique_ptr<RelayTransport> transport;
    std::vector<FoundNode> nodes;
  };
  /// Waits until the relay has told of the nodes. Once.
  [[nodiscard]] Result<Met> meet();
  /// What a relay tells over the socket, which goes to the transport, or is closed.
  [[nodiscard]] static Result<Met> meet_over(int connection);

  /// Waits until the launcher and its processes have ended, for some seconds.
  void wait_for_end() const;

private:
  OwnJob(std::string launcher, std::uint64_t patience)
      : launcher_(std::move(launcher)), patience_(patience) {}
  Status listen(std::string& name);
  Status launch(std::vector<std::string> line, const std::string& socket);
  [[nodiscard]] Result<int> accepted() const;

  const std::string launcher_;
  const std::uint64_t patience_;
  int listener_ = -1;
  int alive_ = -1; ///< a pipe that has an end as long as the launcher and its processes are there
};

} // namespace gantry::mpi
