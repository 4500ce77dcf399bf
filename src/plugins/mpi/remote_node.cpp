#include "plugins/mpi/remote_node.h"

#include "plugins/mpi/device.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gantry::mpi {

std::string RemoteNode::why_lost() {
  const std::lock_guard lock(mutex_);
  return why_lost_;
}

void RemoteNode::lose(std::string why) {
  const std::lock_guard lock(mutex_);
  if (!is_lost_.load()) {
    why_lost_ = std::move(why);
    is_lost_.store(true, std::memory_order_release);
  }
}

void RemoteNode::leave_transport() {
  lose("the program has come to its end");
  const std::scoped_lock those_that_send(out_mutex_, mutex_);
}

void RemoteNode::make_room(std::size_t bytes) {
  constexpr std::size_t kFixed = 128; // of any record
  if (!out_.empty() && out_.size() + bytes + kFixed > Transport::kUsualMessage) {
    send_out();
  }
}

void RemoteNode::send_out() {
  if (!out_.empty() && !is_lost()) {
    if (const Status sent = transport_.send(process_, out_); !sent) {
      lose(sent.error().message);
    }
  }
  out_.clear();
  ++message_;
  has_records_.store(false, std::memory_order_relaxed);
}

void RemoteNode::flush() {
  if (has_records_.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(out_mutex_);
    send_out();
  }
}

void RemoteNode::ask_for(Strand& strand) {
  if (strand.asked == strand.posted) {
    return;
  }
  bool is_told = false;
  {
    const std::lock_guard lock(out_mutex_);
    is_told = strand.last_message == message_;
    if (is_told) {
      std::byte* const at = out_.data() + strand.last_record + offsetof(Head, flags);
      std::uint16_t flags = 0;
      std::memcpy(&flags, at, sizeof flags);
      flags |= kTell;
      std::memcpy(at, &flags, sizeof flags);
    }
  }
  if (!is_told) {
    put_operation(strand, Kind::kNothing, 0, [](Record&) {});
    ask_for(strand);
    return;
  }
  strand.asked = strand.posted;
}

std::optional<Answer> RemoteNode::take_answer(std::uint32_t request) {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(request);
  if (found == requests_.end() || !found->second) {
    return std::nullopt;
  }
  std::optional<Answer> answer = std::move(found->second);
  requests_.erase(found);
  return answer;
}

void RemoteNode::expect(Strand& strand, const Strand::Retrieval& retrieval) {
  const std::lock_guard lock(mutex_);
  strand.retrievals.push_back(retrieval);
}

std::pair<gantry_status, std::string> RemoteNode::take_failure(Strand& strand) {
  const std::lock_guard lock(mutex_);
  strand.has_failed.store(false, std::memory_order_relaxed);
  return {std::exchange(strand.status, GANTRY_SUCCESS), std::move(strand.message)};
}

RemoteNode::Times RemoteNode::take_times(Strand& strand) {
  const std::lock_guard lock(mutex_);
  strand.timed.store(0);
  return {.intervals = std::exchange(strand.times, {}),
          .put_in = strand.timed_since,
          .told = strand.times_told};
}

bool RemoteNode::has_image(const ImageName& name) {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(images_, name) != images_.end();
}

void RemoteNode::watch(std::uint32_t far, gantry_device* device) {
  const std::lock_guard lock(mutex_);
  if (device == nullptr) {
    devices_.erase(far);
  } else {
    devices_[far] = device;
  }
}

void RemoteNode::add(Strand& strand) {
  const std::lock_guard lock(mutex_);
  strand.number = next_strand_++;
  strands_.emplace(strand.number, &strand);
}

void RemoteNode::remove(Strand& strand) {
  const std::lock_guard lock(mutex_);
  strands_.erase(strand.number);
  for (Moving& moving : transfers_) {
    moving.strand = moving.strand == &strand ? nullptr : moving.strand; // of a node that is lost
  }
}

void RemoteNode::send_bytes(Strand& strand, const CopyFacts& copy,
                            std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  for (std::uint64_t i = 0; i < copy.pieces() && !is_lost(); ++i) {
    const auto [transfer, offset, size] = copy.piece_at(i);
    add_transfer(strand, transport_.send_bytes(process_, transfer, bytes.subspan(offset, size)));
  }
}

void RemoteNode::add_transfer(Strand& strand, Result<std::unique_ptr<Transfer>> begun) {
  if (begun) {
    strand.transfers.fetch_add(1, std::memory_order_relaxed);
    transfers_.push_back({&strand, std::move(*begun)});
    transfer_count_.store(transfers_.size(), std::memory_order_relaxed);
  } else if (!is_lost_.load()) {
    why_lost_ = begun.error().message;
    is_lost_.store(true, std::memory_order_release);
  }
}

Result<bool> RemoteNode::go_on_with_transfers() {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (std::size_t i = 0; i < transfers_.size();) {
    if (!GANTRY_TRY(transport_.is_done(*transfers_[i].transfer))) {
      ++i;
      continue;
    }
    any = true;
    Strand* const strand = transfers_[i].strand;
    transfers_[i] = std::move(transfers_.back());
    transfers_.pop_back();
    transfer_count_.store(transfers_.size(), std::memory_order_relaxed);
    if (strand != nullptr) {
      strand->transfers.fetch_sub(1, std::memory_order_release);
    }
  }
  return any;
}

Status RemoteNode::take(Bytes message) {
  return for_each_record(message,
                         [&](const Head& head, Reader body) { return take_record(head, body); });
}

Status RemoteNode::take_record(const Head& head, Reader body) {
  switch (head.kind) {
  case Kind::kAlive:
    return {};
  case Kind::kEnded:
    has_ended_.store(true, std::memory_order_release);
    return {};
  case Kind::kBroken:
    return fail("{}", body.get_text());
  case Kind::kHasImage: {
    const std::lock_guard lock(mutex_);
    images_.push_back(body.get<ImageName>());
    return body.is_at_end() ? Status() : fail("what it has told of an image is damaged");
  }
  case Kind::kAnswer: {
    Answer answer;
    answer.status = body.get<gantry_status>();
    answer.message = body.get_text();
    const Bytes values = body.rest();
    answer.values.assign(values.begin(), values.end());
    const std::lock_guard lock(mutex_);
    const auto request = requests_.find(head.id);
    if (!body.is_good() || request == requests_.end() || request->second) {
      return fail("it has answered a request that was not made");
    }
    request->second = std::move(answer);
    return {};
  }
  case Kind::kGranted:
  case Kind::kDamaged:
    return take_of_device(head, body);
  default:
    return take_of_strand(head, body);
  }
}

Status RemoteNode::take_of_device(const Head& head, Reader body) {
  const std::lock_guard lock(mutex_);
  const auto device = devices_.find(head.id);
  if (device == devices_.end()) {
    return {}; // it is closed by now
  }
  if (head.kind == Kind::kDamaged) {
    note_damage(*device->second, body.get_text());
    return {};
  }
  const auto bytes = body.get<std::uint64_t>();
  const auto address = body.get<std::uint64_t>();
  return body.is_at_end() && device->second->leased.granted(bytes, address)
             ? Status()
             : fail("it has granted memory that was not asked for");
}

Status RemoteNode::take_of_strand(const Head& head, Reader body) {
  const std::lock_guard lock(mutex_);
  const auto found = strands_.find(head.id);
  if (found != strands_.end() && head.kind == Kind::kTimes) {
    return take_times(*found->second, body);
  }
  const auto operation = body.get<std::uint64_t>();
  if (found == strands_.end() || !body.is_good()) {
    return fail("it has told of a strand that there is not");
  }
  Strand& strand = *found->second;
  auto& retrievals = strand.retrievals;
  switch (head.kind) {
  case Kind::kDone:
    // What was left out because something before it failed.
    while (!retrievals.empty() && retrievals.front().operation <= operation) {
      retrievals.pop_front();
    }
    strand.done.store(operation, std::memory_order_release);
    return {};
  case Kind::kFailed:
    strand.status = body.get<gantry_status>();
    strand.message = body.get_text();
    strand.has_failed.store(true, std::memory_order_release);
    return body.is_at_end() && strand.status != GANTRY_SUCCESS
               ? Status()
               : fail("what it has told of a failure is damaged");
  case Kind::kData:
  case Kind::kReady:
    break;
  default:
    return fail("it has sent a record of kind {}", static_cast<unsigned>(head.kind));
  }
  while (!retrievals.empty() && retrievals.front().operation < operation) {
    retrievals.pop_front();
  }
  if (retrievals.empty() || retrievals.front().operation != operation) {
    return fail("it has sent bytes that nobody has asked for");
  }
  const Strand::Retrieval retrieval = retrievals.front();
  retrievals.pop_front();
  if (head.kind == Kind::kReady) {
    for (std::uint64_t i = 0; i < retrieval.facts.pieces(); ++i) {
      const auto [transfer, offset, size] = retrieval.facts.piece_at(i);
      add_transfer(strand, transport_.receive_bytes(process_, transfer,
                                                    retrieval.host.subspan(offset, size)));
    }
    return {};
  }
  const Bytes bytes = body.rest();
  if (bytes.size() != retrieval.host.size()) {
    return fail("it has sent {} bytes of {}", bytes.size(), retrieval.host.size());
  }
  std::ranges::copy(bytes, retrieval.host.data());
  return {};
}

Status RemoteNode::take_times(Strand& strand, Reader body) {
  const std::size_t count = body.left() / sizeof(gantry_interval);
  if (count > strand.timed.load() - strand.times.size()) {
    return fail("it has told times of operations that there were not");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto times = body.get<gantry_interval>();
    if (times.begin > times.end || times.end > kLastTime) {
      return fail("it has told of an operation that began at {} and ended at {}", times.begin,
                  times.end);
    }
    strand.times.push_back(times);
  }
  strand.times_told = now();
  return body.is_at_end() ? Status() : fail("what it has told of times is damaged");
}

} // namespace gantry::mpi
