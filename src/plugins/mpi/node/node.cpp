#include "plugins/mpi/node/node.h"

#include "base/monotonic.h"

#include <algorithm>
#include <new>
#include <utility>

namespace gantry::mpi {

void Node::close() {
  for (const auto& [number, strand] : strands_) {
    if (strand->queue != nullptr) {
      (void)strand->device->plugin->destroy_queue(strand->queue);
    }
  }
  strands_.clear();
  for (const auto& [number, image] : images_) {
    (void)image.device->plugin->destroy_image(image.handle);
  }
  images_.clear();
  for (FarDevice& device : devices_) {
    if (device.handle != nullptr) {
      device.release_blocks();
      (void)device.plugin->close_device(std::exchange(device.handle, nullptr));
    }
  }
}

Status Node::say_that_it_has_ended() {
  close();
  {
    const Record record(out_, Kind::kEnded, 0);
  }
  return flush();
}

Result<Node::Step> Node::step() {
  bool changed = false;
  const auto work = [&]() -> Result<Step> {
    GANTRY_TRY(take_what_workers_did(changed));
    Status taken;
    changed |= GANTRY_TRY(transport_.receive([&](int from, Bytes message) {
      if (from == program_) {
        heard_ = monotonic_now();
      }
      if (taken) {
        taken = take_message(from, message);
      }
    }));
    GANTRY_TRY(std::move(taken));
    GANTRY_TRY(go_on_with_transfers(changed));
    if (!GANTRY_TRY(begin_request(changed))) {
      return Step::kLeft;
    }
    for (std::size_t i = 0; i < active_.size();) {
      Strand& strand = *active_[i];
      if (GANTRY_TRY(advance(strand, changed)) == Step::kLeft) {
        return Step::kLeft;
      }
      if (strand.operations.empty()) {
        active_[i] = active_.back();
        active_.pop_back();
        if (strand.is_over) {
          strands_.erase(strand.number);
        }
      } else {
        ++i;
      }
    }
    GANTRY_TRY(flush());
    const bool hands_on = std::ranges::any_of(
        image_bytes_, [](const Image& image) { return !image.handed_on.empty(); });
    const bool is_done =
        has_ended_ && !hands_on && active_.empty() && requests_.empty() && !is_request_running_;
    if (is_done && !std::exchange(said_end_, true)) {
      GANTRY_TRY(say_that_it_has_ended());
    }
    return finalises_ ? Step::kFinished : changed ? Step::kBusy : Step::kIdle;
  };
  Result<Step> outcome = Step::kIdle;
  try {
    outcome = work();
  } catch (const std::bad_alloc&) {
    outcome = fail("there is not as much memory as what the program sends needs");
  }
  if (!outcome) {
    out_.clear();
    Record(out_, Kind::kBroken, 0).put_text(outcome.error().message);
    (void)flush();
  }
  return outcome;
}

bool Node::has_transfers() const {
  const auto moves = [](const Image& image) {
    return image.transfer != nullptr || !image.handed_on.empty();
  };
  const auto copies = [](const Strand* strand) {
    return strand->state == Strand::State::kTransferring;
  };
  return std::ranges::any_of(active_, copies) || std::ranges::any_of(image_bytes_, moves);
}

Status Node::tell_alive() {
  {
    const Record record(*GANTRY_TRY(room(0)), Kind::kAlive, 0);
  }
  return flush();
}

Status Node::flush() {
  if (out_.empty()) {
    return {};
  }
  const Status sent = transport_.send(program_, out_);
  out_.clear();
  return sent;
}

Result<std::vector<std::byte>*> Node::room(std::size_t bytes) {
  constexpr std::size_t kFixed = 128; // of any record
  if (!out_.empty() && out_.size() + bytes + kFixed > Transport::kUsualMessage) {
    GANTRY_TRY(flush());
  }
  return &out_;
}

Status Node::take_message(int from, Bytes message) {
  return for_each_record(
      message, [&](const Head& head, Reader body) { return take_record(from, head, body); });
}

Status Node::take_record(int from, const Head& head, Reader body) {
  if (said_end_ && head.kind != Kind::kLeave && head.kind != Kind::kAlive) {
    return {}; // of threads that go on while the program ends
  }
  if (head.kind == Kind::kImage) {
    return take_image(from, body);
  }
  if (from != program_) {
    return fail("process {} sends a record of kind {}, and {} is the program", from,
                static_cast<unsigned>(head.kind), program_);
  }
  if (head.kind == Kind::kGetClock) {
    return tell_clock(head, body);
  }
  if (head.kind < Kind::kImage) {
    const Bytes values = body.rest();
    requests_.push_back({head, {values.begin(), values.end()}});
    return {};
  }
  switch (head.kind) {
  case Kind::kEnd:
    has_ended_ = true;
    return {};
  case Kind::kLeave:
    finalises_ = body.get<std::uint32_t>() != 0;
    return body.is_at_end() ? Status() : fail("the program's last word is damaged");
  case Kind::kAlive:
    patience_ = body.get<std::uint64_t>();
    return body.is_at_end() ? Status() : fail("the program's patience is damaged");
  case Kind::kPeerLost:
    return take_peer_lost(body);
  case Kind::kPosted:
    return take_posted(head, body);
  case Kind::kGiveBack:
    return give_back(head, body);
  default:
    return take_operation(head, body);
  }
}

Status Node::take_image(int from, Reader body) {
  const auto name = body.get<ImageName>();
  const auto transfer = body.get<std::uint32_t>();
  const auto onward = body.get<std::uint32_t>();
  std::vector<std::int32_t> others;
  while (body.left() >= sizeof(std::int32_t)) {
    others.push_back(body.get<std::int32_t>());
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30; // of all
  std::uint64_t all = 0;
  for (const Image& image : image_bytes_) {
    all += image.bytes.size();
  }
  const auto is_process = [&](std::int32_t other) {
    return other >= 0 && other < transport_.processes() && other != transport_.self();
  };
  if (!body.is_at_end() || name.size > kMost - all || !std::ranges::all_of(others, is_process)) {
    return fail("what is told of an image is damaged");
  }
  Image& image = image_bytes_.emplace_back();
  image.from = from;
  image.name = name;
  image.bytes.resize(name.size);
  image.onward = onward;
  image.others = std::move(others);
  image.transfer = GANTRY_TRY(transport_.receive_bytes(from, transfer, image.bytes));
  return {};
}

Status Node::hand_on(Image& image) {
  Record(*GANTRY_TRY(room(sizeof(ImageName))), Kind::kHasImage, 0).put(image.name);
  for (std::span<const std::int32_t> left = image.others; !left.empty();) {
    const std::size_t half = (left.size() + 1) / 2;
    std::vector<std::byte> message;
    {
      Record record(message, Kind::kImage, 0);
      record.put(image.name).put(image.onward).put(image.onward);
      for (const std::int32_t other : left.first(half).subspan(1)) {
        record.put(other);
      }
    }
    GANTRY_TRY(transport_.send(left.front(), message));
    image.handed_on.push_back(
        {left.front(), GANTRY_TRY(transport_.send_bytes(left.front(), image.onward, image.bytes))});
    left = left.subspan(half);
  }
  return {};
}

bool Node::is_lost(int process) const {
  return std::ranges::find(lost_, process) != lost_.end();
}

Status Node::take_peer_lost(Reader body) {
  const auto process = body.get<std::int32_t>();
  if (!body.is_at_end() || process == program_) {
    return fail("what is told of a lost process is damaged");
  }
  lost_.push_back(process);
  for (Image& image : image_bytes_) {
    if (image.transfer != nullptr && image.from == process) {
      abandoned_.push_back({std::exchange(image.bytes, {}), {}, std::move(image.transfer)});
      image.name = {}; // the program sends it again
    }
    for (Image::HandedOn& handed_on : image.handed_on) {
      if (handed_on.to == process) {
        abandoned_.push_back({{}, {}, std::move(handed_on.transfer)});
      }
    }
    std::erase_if(image.handed_on, [](const auto& one) { return one.transfer == nullptr; });
  }
  for (Strand* const strand : active_) {
    const Operation& operation = strand->operations.front();
    if (strand->state == Strand::State::kTransferring && operation.copy.other == process) {
      abandon_transfers(*strand);
      strand->state = Strand::State::kReady; // where it fails
    }
  }
  return {};
}

Status Node::go_on_with_transfers(bool& changed) {
  for (Image& image : image_bytes_) {
    if (image.transfer != nullptr && GANTRY_TRY(transport_.is_done(*image.transfer))) {
      image.transfer.reset();
      GANTRY_TRY(hand_on(image));
      changed = true;
    }
    while (!image.handed_on.empty() &&
           GANTRY_TRY(transport_.is_done(*image.handed_on.back().transfer))) {
      image.handed_on.pop_back();
    }
  }
  return {};
}

Status Node::take_what_workers_did(bool& changed) {
  std::vector<Strand*> finished;
  std::unique_ptr<Answer> answer;
  {
    const std::lock_guard lock(mutex_);
    finished.swap(finished_);
    answer.swap(answer_);
  }
  changed |= !finished.empty() || answer != nullptr;
  for (Strand* const strand : finished) {
    GANTRY_TRY(end_worker(*strand));
  }
  return answer == nullptr ? Status() : finish_request(*answer);
}

} // namespace gantry::mpi
