// The start of a job, for which each process waits for all: one that was killed, or that does not
// start MPI, would let the others wait for ever.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace gantry::mpi {

/// While it exists, the job is starting: ends the process, with a message, if that takes longer
/// than patience_of_start() (silence.h).
class StartWatch {
public:
  /// `who` is what the message begins with, `mpi` the library's name.
  StartWatch(std::string who, std::string mpi, std::uint64_t patience);
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;
  ~StartWatch();

private:
  void wait() const;

  const std::string who_, mpi_;
  const std::uint64_t patience_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool has_started_ = false;
  std::thread thread_;
};

} // namespace gantry::mpi
