#include "plugins/mpi/relay_transport.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gantry::mpi {

/// A transfer; it is over when its bytes have been written, or read.
struct RelayTransport::Move final : Transfer {
  int process = 0;
  std::uint32_t number = 0;
  std::span<std::byte> room; ///< of a receiver
  bool is_done = false;
};

RelayTransport::~RelayTransport() {
  constexpr int kPatience = 5'000; // ms
  std::unique_lock lock(mutex_);
  put({.kind = FrameKind::kClose, .process = 0, .number = 0, .size = 0}, {}, {}, nullptr);
  while (!failure_ && write_out() && !outgoing_.empty()) {
    pollfd watched = {.fd = socket_, .events = POLLOUT, .revents = 0};
    if (poll(&watched, 1, kPatience) == 0) {
      break;
    }
  }
  shutdown(socket_, SHUT_WR);
  close(socket_);
}

Status RelayTransport::fail_for_ever(std::string why) {
  if (!failure_) {
    failure_ = Error{std::move(why)};
  }
  return tl::unexpected(*failure_);
}

void RelayTransport::put(const Frame& frame, std::span<const std::byte> kept,
                         std::span<const std::byte> lent, Move* move) {
  Outgoing& made = outgoing_.emplace_back();
  const auto head = std::as_bytes(std::span(&frame, 1));
  made.kept.reserve(head.size() + kept.size());
  made.kept.assign(head.begin(), head.end());
  made.kept.insert(made.kept.end(), kept.begin(), kept.end());
  made.lent = lent;
  made.move = move;
}

Status RelayTransport::write_out() {
  while (!outgoing_.empty()) {
    Outgoing& first = outgoing_.front();
    const std::size_t kept = first.kept.size();
    const std::span<const std::byte> left =
        written_ < kept ? std::span<const std::byte>(first.kept).subspan(written_)
                        : first.lent.subspan(written_ - kept);
    if (left.empty()) {
      if (first.move != nullptr) {
        first.move->is_done = true;
      }
      outgoing_.pop_front();
      written_ = 0;
      continue;
    }
    const ssize_t count = ::send(socket_, left.data(), left.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) {
      return errno == EAGAIN || errno == EINTR
                 ? Status()
                 : fail_for_ever(fmt::format("the job's first process, the relay, is gone: {}",
                                             std::strerror(errno)));
    }
    written_ += static_cast<std::size_t>(count);
  }
  return {};
}

Status RelayTransport::begin(const Frame& frame) {
  if (frame.process < 0 || frame.process >= processes_) {
    return fail_for_ever("what the relay says is damaged");
  }
  switch (frame.kind) {
  case FrameKind::kMessage:
    if (frame.size > kLongestMessage) {
      return fail_for_ever("a message that the relay hands on is too long");
    }
    message_.resize(frame.size);
    body_ = message_;
    return {};
  case FrameKind::kReceived: {
    const auto found = std::ranges::find_if(expected_, [&](const Move* move) {
      return move->process == frame.process && move->number == frame.number;
    });
    if (found == expected_.end() || (*found)->room.size() != frame.size) {
      return fail_for_ever("the relay has bytes that nobody has asked for");
    }
    received_ = *found;
    expected_.erase(found);
    body_ = received_->room;
    return {};
  }
  case FrameKind::kRefused:
    return fail_for_ever("the job's first process, the relay, has ended");
  default:
    return fail_for_ever("what the relay says is damaged");
  }
}

void RelayTransport::end() {
  if (received_ != nullptr) {
    std::exchange(received_, nullptr)->is_done = true;
  } else {
    messages_.push_back({frame_.process, std::move(message_)});
    message_ = {};
  }
  head_read_ = 0;
}

Status RelayTransport::read_in() {
  const auto head = std::as_writable_bytes(std::span(&frame_, 1));
  for (;;) {
    const bool is_head = head_read_ < head.size();
    const std::span<std::byte> room = is_head ? head.subspan(head_read_) : body_;
    if (!room.empty()) {
      const ssize_t count = recv(socket_, room.data(), room.size(), MSG_DONTWAIT);
      if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return {};
      }
      if (count <= 0) {
        return fail_for_ever("the job's first process, the relay, has ended");
      }
      if (!is_head) {
        body_ = body_.subspan(static_cast<std::size_t>(count));
      } else {
        head_read_ += static_cast<std::size_t>(count);
        if (head_read_ == head.size()) {
          GANTRY_TRY(begin(frame_));
        }
      }
    }
    if (head_read_ == head.size() && body_.empty()) {
      end();
    }
  }
}

Status RelayTransport::go_on() {
  if (failure_) {
    return tl::unexpected(*failure_);
  }
  GANTRY_TRY(write_out());
  return read_in();
}

Status RelayTransport::send(int to, std::span<const std::byte> message) {
  const std::lock_guard lock(mutex_);
  put({.kind = FrameKind::kMessage, .process = to, .number = 0, .size = message.size()}, message,
      {}, nullptr);
  return failure_ ? Status(tl::unexpected(*failure_)) : write_out();
}

Result<bool> RelayTransport::receive(const Receiver& receiver) {
  std::deque<Message> come;
  {
    const std::lock_guard lock(mutex_);
    const Status status = go_on();
    come.swap(messages_);
    if (!status && come.empty()) {
      return tl::unexpected(status.error());
    }
  }
  for (const Message& message : come) {
    receiver(message.from, message.bytes);
  }
  return !come.empty();
}

Result<std::unique_ptr<Transfer>> RelayTransport::send_bytes(int to, std::uint32_t number,
                                                             std::span<const std::byte> bytes) {
  auto made = std::make_unique<Move>();
  const std::lock_guard lock(mutex_);
  put({.kind = FrameKind::kSend, .process = to, .number = number, .size = bytes.size()}, {}, bytes,
      made.get());
  GANTRY_TRY(go_on());
  return made;
}

Result<std::unique_ptr<Transfer>> RelayTransport::receive_bytes(int from, std::uint32_t number,
                                                                std::span<std::byte> bytes) {
  auto made = std::make_unique<Move>();
  made->process = from;
  made->number = number;
  made->room = bytes;
  const std::lock_guard lock(mutex_);
  if (failure_) {
    return tl::unexpected(*failure_);
  }
  put({.kind = FrameKind::kReceive, .process = from, .number = number, .size = bytes.size()}, {},
      {}, nullptr);
  expected_.push_back(made.get());
  GANTRY_TRY(write_out());
  return made;
}

Result<bool> RelayTransport::is_done(Transfer& transfer) {
  const Move& move = static_cast<Move&>(transfer);
  const std::lock_guard lock(mutex_);
  if (!move.is_done) {
    GANTRY_TRY(go_on());
  }
  return move.is_done;
}

} // namespace gantry::mpi
