// An MPI library, opened at run time: the few functions that moving bytes takes, whichever MPI it
// is. Open MPI's and MPICH's binary interfaces are known, and that of MPI 5.0 (chapter 20).
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gantry::mpi {

/// A communicator of the library's: its handle, which is a number or a pointer.
struct Communicator {
  std::uintptr_t handle = 0;
};

/// A transfer that was begun and is not known to be done.
struct Request {
  std::uintptr_t handle = 0;
};

/// MPI 5.0, section 11.6.
enum class ThreadLevel : std::uint8_t { kSingle, kFunneled, kSerialized, kMultiple };

/// An open library. It is never closed: MPI cannot be started twice in a process, and has threads
/// and handlers of its own. One thread at a time may call it, unless the level is kMultiple. Errors
/// are texts of the library's with the function's name in front. None ends the process, unless the
/// program has initialised MPI itself and left its handlers such that they do.
class Library {
public:
  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  virtual ~Library() = default;

  /// What it says of itself, one line: "Open MPI v4.1.4".
  [[nodiscard]] virtual const std::string& name() const = 0;

  [[nodiscard]] virtual bool is_initialised() const = 0;
  [[nodiscard]] virtual bool is_finalised() const = 0;
  /// Asks for kMultiple, and returns what there is. Of a process that has initialised MPI itself:
  /// the level that it has.
  [[nodiscard]] virtual Result<ThreadLevel> initialise() = 0;
  /// The last that the process does with it; nothing is under way.
  [[nodiscard]] virtual Status finalise() = 0;

  /// All processes that were started together. After initialise(), as what follows.
  [[nodiscard]] virtual Communicator world() const = 0;
  /// Another communicator of the same processes, whose messages are told from `of`'s; each of them
  /// calls it. Failures of what uses it are returned.
  [[nodiscard]] virtual Result<Communicator> duplicate(Communicator of) = 0;
  /// Of duplicate(); each of the processes calls it, with nothing under way.
  [[nodiscard]] virtual Status free(Communicator of) = 0;
  [[nodiscard]] virtual int rank(Communicator of) const = 0;
  [[nodiscard]] virtual int size(Communicator of) const = 0;
  /// Tags are from 0 to this.
  [[nodiscard]] virtual int largest_tag() const = 0;

  /// Each process gives its own bytes, as many as the others, and gets those of all, in order.
  [[nodiscard]] virtual Status gather(Communicator in, std::span<const std::byte> own,
                                      std::span<std::byte> all) = 0;

  /// The most bytes of one transfer.
  static constexpr std::size_t kMost = std::size_t{1} << 30;

  /// Begin transfers of bytes, kMost at most, which stay as they are until test() says that it is
  /// done. A receiver may have room for more than what comes.
  [[nodiscard]] virtual Result<Request> send(Communicator in, int to, int tag,
                                             std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Result<Request> receive(Communicator in, int from, int tag,
                                                std::span<std::byte> bytes) = 0;
  /// From whoever sends first.
  [[nodiscard]] virtual Result<Request> receive_of_any(Communicator in, int tag,
                                                       std::span<std::byte> bytes) = 0;

  struct Done {
    bool is_done = false;
    int from = 0;          ///< of a receiver: the sender's rank
    std::size_t bytes = 0; ///< of a receiver: that came
  };
  /// Goes on with all transfers for a while, and says whether this one is done; then, and after an
  /// error, the request is no more.
  [[nodiscard]] virtual Result<Done> test(Request& request) = 0;
  /// Ends a receiver that nothing has come to, if the request is one still.
  [[nodiscard]] virtual Status cancel(Request& request) = 0;
};

/// Opens the library: what the process has already; else `named`, if it is not empty; else that of
/// the launcher that started the process; else one of MPI 5.0's interface. An error says what was
/// looked for and what to do.
[[nodiscard]] Result<std::unique_ptr<Library>> open_library(const char* named);

/// The file of an MPI library that the process has already, as programs that use MPI do; empty: it
/// has none.
[[nodiscard]] std::string present_library();

/// Whether the environment says that a launcher of MPI's has started the process.
[[nodiscard]] bool is_launched();

} // namespace gantry::mpi
