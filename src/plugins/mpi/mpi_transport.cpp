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
  made->messages_ = GANTRY_TRY(library.duplicate(among));
  made->transfers_ = GANTRY_TRY(library.duplicate(among));
  made->self_ = library.rank(among);
  made->processes_ = library.size(among);
  made->largest_tag_ = library.largest_tag();
  for (std::size_t i = 0; i < kRooms; ++i) {
    GANTRY_TRY(made->post(std::make_unique<std::byte[]>(kLongestMessage)));
  }
  return made;
}

MpiTransport::~MpiTransport() {
  for (Room& room : rooms_) {
    (void)library_.cancel(room.request);
  }
}

Status MpiTransport::post(Buffer buffer) {
  const std::span<std::byte> bytes(buffer.get(), kLongestMessage);
  const Request request = GANTRY_TRY(library_.receive_of_any(messages_, kMessageTag, bytes));
  rooms_.push_back({std::move(buffer), request});
  return {};
}

Status MpiTransport::collect_sent() {
  while (!sent_.empty() && GANTRY_TRY(library_.test(sent_.front().request)).is_done) {
    free_.push_back(std::move(sent_.front().bytes));
    sent_.pop_front();
  }
  return {};
}

Status MpiTransport::send(int to, std::span<const std::byte> message) {
  if (message.size() > kLongestMessage) {
    return fail("a message has {} bytes, and {} can be sent", message.size(), kLongestMessage);
  }
  const std::scoped_lock lock(mutex_);
  GANTRY_TRY(collect_sent());
  Buffer buffer;
  if (free_.empty()) {
    buffer = std::make_unique<std::byte[]>(kLongestMessage);
  } else {
    buffer = std::move(free_.back());
    free_.pop_back();
  }
  std::ranges::copy(message, buffer.get());
  const Request request =
      GANTRY_TRY(library_.send(messages_, to, kMessageTag, {buffer.get(), message.size()}));
  sent_.push_back({std::move(buffer), request});
  return collect_sent();
}

Result<bool> MpiTransport::receive(const Receiver& receiver) {
  for (bool has_received = false;; has_received = true) {
    std::unique_lock lock(mutex_);
    const Library::Done done = GANTRY_TRY(library_.test(rooms_.front().request));
    if (!done.is_done) {
      GANTRY_TRY(collect_sent());
      return has_received;
    }
    Buffer buffer = std::move(rooms_.front().bytes);
    rooms_.pop_front();
    lock.unlock();
    receiver(done.from, {buffer.get(), done.bytes});
    lock.lock();
    GANTRY_TRY(post(std::move(buffer)));
  }
}

template <typename Byte, typename Begin>
Result<std::unique_ptr<Transfer>> MpiTransport::in_pieces(std::span<Byte> bytes, Begin begin) {
  auto made = std::make_unique<Pieces>();
  const std::scoped_lock lock(mutex_);
  do {
    const std::span<Byte> piece = bytes.first(std::min(bytes.size(), largest_piece_));
    made->requests.push_back(GANTRY_TRY(begin(piece)));
    bytes = bytes.subspan(piece.size());
  } while (!bytes.empty());
  return made;
}

Result<std::unique_ptr<Transfer>> MpiTransport::send_bytes(int to, std::uint32_t number,
                                                           std::span<const std::byte> bytes) {
  return in_pieces(bytes, [&](std::span<const std::byte> piece) {
    return library_.send(transfers_, to, tag_of(number), piece);
  });
}

Result<std::unique_ptr<Transfer>> MpiTransport::receive_bytes(int from, std::uint32_t number,
                                                              std::span<std::byte> bytes) {
  return in_pieces(bytes, [&](std::span<std::byte> piece) {
    return library_.receive(transfers_, from, tag_of(number), piece);
  });
}

Result<bool> MpiTransport::is_done(Transfer& transfer) {
  std::vector<Request>& requests = static_cast<Pieces&>(transfer).requests;
  const std::scoped_lock lock(mutex_);
  while (!requests.empty()) {
    if (!GANTRY_TRY(library_.test(requests.back())).is_done) {
      return false;
    }
    requests.pop_back();
  }
  return true;
}

} // namespace gantry::mpi
