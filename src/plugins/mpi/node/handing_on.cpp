#include "plugins/mpi/node/handing_on.h"

#include "base/monotonic.h"
#include "plugins/mpi/node/guardian.h"
#include "plugins/mpi/pause.h"
#include "plugins/mpi/silence.h"

#include <cerrno>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include <sys/socket.h>

namespace gantry::mpi {

Status ProgramSocket::write(const Frame& frame, std::span<const std::byte> bytes) const {
  GANTRY_TRY(write_all(std::as_bytes(std::span(&frame, 1))));
  return write_all(bytes);
}

Result<bool> ProgramSocket::read(std::span<std::byte> room) const {
  const std::size_t all = room.size();
  while (!room.empty()) {
    const ssize_t count = recv(descriptor_, room.data(), room.size(), 0);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count == 0 && room.size() == all) {
      return false;
    }
    if (count <= 0) {
      return fail("the program is gone");
    }
    room = room.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

void ProgramSocket::stop_reading() const {
  shutdown(descriptor_, SHUT_RD);
}

Status ProgramSocket::write_all(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return fail("the program is gone");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<bool> HandingOn::work() {
  Result<bool> outcome = false;
  std::thread reader([&] {
    try {
      outcome = read();
    } catch (const std::bad_alloc&) {
      outcome = fail("there is not as much memory as what the program copies");
    }
    is_over_.store(true);
  });
  const Status handed_on = write();
  if (!handed_on) {
    socket_.stop_reading();
  }
  reader.join();
  return handed_on ? outcome : tl::unexpected(handed_on.error());
}

Result<bool> HandingOn::read() {
  for (;;) {
    Frame frame = {};
    if (!GANTRY_TRY(socket_.read(std::as_writable_bytes(std::span(&frame, 1))))) {
      return false;
    }
    if (frame.kind == FrameKind::kClose) {
      return true;
    }
    if (frame.process < 0 || frame.process >= transport_.processes() ||
        frame.process == transport_.self()) {
      return fail("the program has something for process {}, and there are {}", frame.process,
                  transport_.processes());
    }
    if (!GANTRY_TRY(frame.kind == FrameKind::kMessage ? read_message(frame)
                                                      : read_transfer(frame))) {
      return false;
    }
  }
}

Result<bool> HandingOn::read_message(const Frame& frame) {
  if (frame.size > Transport::kLongestMessage) {
    return fail("the program's message of {} bytes is too long", frame.size);
  }
  std::vector<std::byte> bytes(frame.size);
  if (!GANTRY_TRY(socket_.read(bytes))) {
    return false;
  }
  GANTRY_TRY(transport_.send(frame.process, bytes));
  return true;
}

Result<bool> HandingOn::read_transfer(const Frame& frame) {
  const bool is_receiver = frame.kind == FrameKind::kReceive;
  if (!is_receiver && frame.kind != FrameKind::kSend) {
    return fail("what the program says is damaged");
  }
  LazyMemory memory = GANTRY_TRY(LazyMemory::of(frame.size));
  if (!is_receiver && !GANTRY_TRY(socket_.read(memory.bytes()))) {
    return false;
  }
  auto transfer =
      GANTRY_TRY(is_receiver ? transport_.receive_bytes(frame.process, frame.number, memory.bytes())
                             : transport_.send_bytes(frame.process, frame.number, memory.bytes()));
  const std::lock_guard lock(mutex_);
  moves_.push_back(
      {frame.process, frame.number, std::move(memory), std::move(transfer), is_receiver});
  moved_ = monotonic_now();
  return true;
}

Status HandingOn::write() {
  constexpr std::chrono::milliseconds kLongestPause{1};
  for (Pause pause(kLongestPause); !is_over_.load();) {
    show_life(monotonic_now(), patience_of_node(patience_));
    Status written;
    bool changed = GANTRY_TRY(transport_.receive([&](int from, std::span<const std::byte> message) {
      if (written) {
        written = socket_.write(
            {.kind = FrameKind::kMessage, .process = from, .number = 0, .size = message.size()},
            message);
      }
    }));
    GANTRY_TRY(std::move(written));
    GANTRY_TRY(go_on(changed));
    if (changed) {
      pause.begin_again();
    } else {
      pause.once();
    }
  }
  return {};
}

Status HandingOn::go_on(bool& changed) {
  std::vector<Move> done;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < moves_.size();) {
      if (!GANTRY_TRY(transport_.is_done(*moves_[i].transfer))) {
        ++i;
        continue;
      }
      done.push_back(std::move(moves_[i]));
      moves_[i] = std::move(moves_.back());
      moves_.pop_back();
    }
    const std::uint64_t now = monotonic_now();
    moved_ = done.empty() ? moved_ : now;
    // They go on while the transport is called; those with a node that is lost do not.
    const bool may_move = patience_ == 0 || now < moved_ + patience_;
    changed |= !done.empty() || (!moves_.empty() && may_move);
  }
  for (const Move& move : done) {
    if (move.is_receiver) {
      GANTRY_TRY(socket_.write({.kind = FrameKind::kReceived,
                                .process = move.process,
                                .number = move.number,
                                .size = move.memory.bytes().size()},
                               move.memory.bytes()));
    }
  }
  return {};
}

} // namespace gantry::mpi
