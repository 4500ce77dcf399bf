#include "plugins/mpi/mpi_transport.h"

#include <algorithm>
#include <utility>

namespace gantry::mpi {

namespace {

constexpr int kMessageTag = 0;
/// Rooms that wait for messages: a library keeps what comes while there is none.
constexpr std::size_t kRooms = 16;

} // namespace

/// A transfer as the library's requests, of a piece each.
struct MpiTransport::Pieces final : Transfer {
  std::vector<Request> requests;
};

Result<std::unique_ptr<MpiTransport>> MpiTransport::make(Library& library, Communicator among,
                                                         std::size_t largest_piece) {
  std::unique_ptr<MpiTransport> made(new MpiTransport(library, largest_piece));
  made->self_ = library.rank(among);
  made->processes_ = library.size(among);
  made->largest_tag_ = library.largest_tag();
  made->sent_.resize(static_cast<std::size_t>(made->processes_));
  made->messages_ = GANTRY_TRY(library.duplicate(among));
  made->transfers_ = GANTRY_TRY(library.duplicate(among));
  for (std::size_t i = 0; i < kRooms; ++i) {
    GANTRY_TRY(made->post(std::make_unique_for_overwrite<std::byte[]>(kLongestMessage)));
  }
  return made;
}

MpiTransport::~MpiTransport() {
  const std::scoped_lock lock(mutex_);
  const auto is_sent = [](const std::deque<Buffer>& sent) { return sent.empty(); };
  while (!failure_ && !std::ranges::all_of(sent_, is_sent)) {
    (void)unless_failed([&] { return collect_all(); });
  }
  for (Buffer& room : rooms_) {
    if (!library_.cancel(room.request)) {
      (void)room.bytes.release(); // the library may write there still
    }
  }
  for (std::deque<Buffer>& sent : sent_) {
    for (Buffer& message : sent) {
      (void)message.bytes.release();
    }
  }
  for (const auto& communicator : {messages_, transfers_}) {
    if (communicator && !failure_) {
      (void)library_.free(*communicator);
    }
  }
}

template <typename Work>
auto MpiTransport::unless_failed(Work work) -> decltype(work()) {
  if (failure_) {
    return tl::unexpected(*failure_);
  }
  auto result = work();
  if (!result) {
    failure_ = result.error();
  }
  return result;
}

Status MpiTransport::post(std::unique_ptr<std::byte[]> bytes) {
  const std::span<std::byte> room(bytes.get(), kLongestMessage);
  const Request request = GANTRY_TRY(library_.receive_of_any(*messages_, kMessageTag, room));
  rooms_.push_back({std::move(bytes), request});
  return {};
}

Status MpiTransport::collect(std::deque<Buffer>& sent) {
  while (!sent.empty() && GANTRY_TRY(library_.test(sent.front().request)).is_done) {
    sent.pop_front();
  }
  return {};
}

Status MpiTransport::collect_all() {
  for (std::deque<Buffer>& sent : sent_) {
    GANTRY_TRY(collect(sent));
  }
  return {};
}

Status MpiTransport::send(int to, std::span<const std::byte> message) {
  if (message.size() > kLongestMessage) {
    return fail("a message has {} bytes, and {} can be sent", message.size(), kLongestMessage);
  }
  if (to < 0 || to >= processes_) {
    return fail("a message is for process {} of {}", to, processes_);
  }
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(message.size());
  std::ranges::copy(message, bytes.get());
  const std::scoped_lock lock(mutex_);
  return unless_failed([&]() -> Status {
    std::deque<Buffer>& sent = sent_[static_cast<std::size_t>(to)];
    const Request request =
        GANTRY_TRY(library_.send(*messages_, to, kMessageTag, {bytes.get(), message.size()}));
    sent.push_back({std::move(bytes), request});
    return collect(sent);
  });
}

Result<bool> MpiTransport::receive(const Receiver& receiver) {
  for (std::size_t count = 0;; ++count) {
    std::unique_lock lock(mutex_);
    Library::Done done;
    GANTRY_TRY(unless_failed([&]() -> Status {
      if (count < kRooms) {
        done = GANTRY_TRY(library_.test(rooms_.front().request));
      }
      return done.is_done ? Status() : collect_all();
    }));
    if (!done.is_done) {
      return count > 0;
    }
    auto bytes = std::move(rooms_.front().bytes);
    rooms_.pop_front();
    lock.unlock();
    receiver(done.from, {bytes.get(), done.bytes});
    lock.lock();
    GANTRY_TRY(unless_failed([&] { return post(std::move(bytes)); }));
  }
}

template <typename Byte, typename Begin>
Result<std::unique_ptr<Transfer>> MpiTransport::in_pieces(std::span<Byte> bytes, Begin begin) {
  auto made = std::make_unique<Pieces>();
  const std::scoped_lock lock(mutex_);
  GANTRY_TRY(unless_failed([&]() -> Status {
    do {
      const std::span<Byte> piece = bytes.first(std::min(bytes.size(), largest_piece_));
      made->requests.push_back(GANTRY_TRY(begin(piece)));
      bytes = bytes.subspan(piece.size());
    } while (!bytes.empty());
    return {};
  }));
  return made;
}

Result<std::unique_ptr<Transfer>> MpiTransport::send_bytes(int to, std::uint32_t number,
                                                           std::span<const std::byte> bytes) {
  return in_pieces(bytes, [&](std::span<const std::byte> piece) {
    return library_.send(*transfers_, to, tag_of(number), piece);
  });
}

Result<std::unique_ptr<Transfer>> MpiTransport::receive_bytes(int from, std::uint32_t number,
                                                              std::span<std::byte> bytes) {
  return in_pieces(bytes, [&](std::span<std::byte> piece) {
    return library_.receive(*transfers_, from, tag_of(number), piece);
  });
}

Result<bool> MpiTransport::is_done(Transfer& transfer) {
  std::vector<Request>& requests = static_cast<Pieces&>(transfer).requests;
  const std::scoped_lock lock(mutex_);
  return unless_failed([&]() -> Result<bool> {
    while (!requests.empty()) {
      if (!GANTRY_TRY(library_.test(requests.back())).is_done) {
        return false;
      }
      requests.pop_back();
    }
    return true;
  });
}

} // namespace gantry::mpi
