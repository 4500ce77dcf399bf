#include "cli/profile/process_profile.h"

#include "cli/profile/in_order.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace gantry::cli::profile {

namespace {

using namespace gantry::profile; // the records

/// Times and durations beyond this are damage; sums of a few cannot overflow.
constexpr Time kLatest = Time{1} << 60;
constexpr std::uint32_t kLongestText = 1u << 16;
constexpr std::int32_t kMostDevices = 4096;

Time sound(Time time) {
  return std::clamp<Time>(time, 0, kLatest);
}

Interval sound(Time begin, Time end) {
  begin = sound(begin);
  return {begin, std::max(begin, sound(end))};
}

class Reader {
public:
  Reader(Bytes bytes, KnownEnd end) : bytes_(bytes), known_end_(end) {}

  Status read() {
    GANTRY_TRY(read_header());
    profile_.names.emplace_back();
    profile_.texts.emplace_back();
    sort_blocks();
    for_each_record([&](const std::byte* record) { note_text(record); });
    for_each_record([&](const std::byte* record) { note_name(record); });
    for_each_record([&](const std::byte* record) { note_event(record); });
    finish();
    return {};
  }

  ProcessProfile take() { return std::move(profile_); }

private:
  template <typename Record>
  static Record as(const std::byte* record) {
    Record copy;
    std::memcpy(&copy, record, sizeof copy);
    return copy;
  }

  Status read_header() {
    if (bytes_.size() < sizeof(FileHeader)) {
      return fail("the file has {} bytes, and a profile has at least {}", bytes_.size(),
                  sizeof(FileHeader));
    }
    const auto header = as<FileHeader>(bytes_.data());
    if (header.magic != kMagic) {
      return fail("the file does not begin as a profile does");
    }
    if (header.version != kVersion || header.block_size != kBlockSize) {
      return fail("the profile has version {}, and this gantry reads version {}", header.version,
                  kVersion);
    }
    profile_.process = header.process;
    profile_.parent = header.parent;
    profile_.program.assign(header.program, strnlen(header.program, sizeof header.program));
    profile_.has_content = header.has_content != 0;
    profile_.dropped = header.dropped;
    profile_.limit = header.limit;
    profile_.exited = header.end != 0;
    profile_.time = sound(header.begin, header.end == 0 ? header.begin : header.end);
    return {};
  }

  /// Blocks of one writer together, in the order in which it got them.
  void sort_blocks() {
    for (std::size_t at = kBlockSize; at + sizeof(BlockRecord) <= bytes_.size(); at += kBlockSize) {
      const auto first = as<BlockRecord>(bytes_.data() + at);
      if (first.head.type == RecordType::kBlock) {
        blocks_.emplace_back(first.writer, at);
      }
    }
    std::ranges::sort(blocks_);
  }

  template <typename Visitor>
  void for_each_record(Visitor visit) {
    std::uint64_t writer = 0;
    for (const auto& [of_writer, at] : blocks_) {
      if (of_writer != writer) {
        writer = of_writer;
        thread_ = kNone;
      }
      const std::size_t end = std::min(at + kBlockSize, bytes_.size());
      for (std::size_t record = at + sizeof(BlockRecord); record < end;) {
        const std::size_t size = size_of(static_cast<RecordType>(bytes_[record]));
        if (size == 0 || size > end - record) {
          break; // the end, or damage: what is behind it cannot be told
        }
        visit(bytes_.data() + record);
        record += size;
      }
    }
  }

  // First texts, then what refers to them, then what refers to that.

  void note_text(const std::byte* bytes) {
    if (static_cast<RecordType>(*bytes) != RecordType::kText) {
      return;
    }
    const auto piece = as<TextRecord>(bytes);
    if (piece.length > kLongestText || piece.offset >= piece.length) {
      ++profile_.damaged;
      return;
    }
    const auto [found, is_new] =
        texts_.try_emplace(piece.text, static_cast<Index>(profile_.texts.size()));
    if (is_new) {
      profile_.texts.emplace_back();
    }
    std::string& text = profile_.texts[found->second];
    const std::size_t size = std::min<std::size_t>(piece.length - piece.offset, sizeof piece.bytes);
    // Pieces come in order; of what is damaged only as much is kept as there is.
    if (text.size() == piece.offset) {
      text.append(piece.bytes, size);
    }
  }

  [[nodiscard]] Index text_index(std::uint32_t number) const {
    const auto found = texts_.find(number);
    return found == texts_.end() ? 0 : found->second;
  }
  [[nodiscard]] const std::string& text(std::uint32_t number) const {
    return profile_.texts[text_index(number)];
  }

  void note_name(const std::byte* bytes) {
    switch (static_cast<RecordType>(*bytes)) {
    case RecordType::kName: {
      const auto record = as<NameRecord>(bytes);
      names_[record.name] = static_cast<Index>(profile_.names.size());
      profile_.names.push_back({text(record.variable), text(record.position)});
      break;
    }
    case RecordType::kPlace: {
      const auto record = as<PlaceRecord>(bytes);
      places_[record.place] = static_cast<Index>(profile_.places.size());
      profile_.places.push_back({.construct = text(record.construct),
                                 .position = text(record.position),
                                 .function = text(record.function),
                                 .code = record.code,
                                 .nowait = record.head.what != 0});
      break;
    }
    case RecordType::kModule: {
      const auto record = as<ModuleRecord>(bytes);
      if (record.begin < record.end) {
        const std::string& path = text(record.path);
        profile_.modules.push_back(
            {record.begin, record.end, record.bias, path.empty() ? profile_.program : path});
      }
      break;
    }
    default:
      break;
    }
  }

  [[nodiscard]] Index name(std::uint32_t number) const {
    const auto found = names_.find(number);
    return found == names_.end() ? 0 : found->second;
  }

  Index place(std::uint32_t number) {
    const auto found = places_.find(number);
    if (found != places_.end()) {
      return found->second;
    }
    if (unknown_place_ == kNone) { // its record was dropped, or is damaged
      unknown_place_ = static_cast<Index>(profile_.places.size());
      profile_.places.push_back({.construct = "construct"});
    }
    return unknown_place_;
  }

  Device& device(std::int32_t number) {
    number = std::clamp(number, 0, kMostDevices);
    auto& devices = profile_.devices;
    auto found = std::ranges::lower_bound(devices, number, {}, &Device::number);
    if (found == devices.end() || found->number != number) {
      found = devices.emplace(found);
      found->number = number;
      found->label = fmt::format("device {}", number);
    }
    return *found;
  }

  Index thread() {
    if (thread_ == kNone) {
      thread_ = static_cast<Index>(profile_.threads.size());
      profile_.threads.emplace_back();
    }
    return thread_;
  }

  void note_time(Time time) { last_ = std::max(last_, sound(time)); }

  void note_event(const std::byte* bytes);

  /// Joins what refers to each other by number, and sorts.
  void finish();

  Bytes bytes_;
  KnownEnd known_end_;
  ProcessProfile profile_;
  std::vector<std::pair<std::uint64_t, std::size_t>> blocks_; ///< writer and place
  std::unordered_map<std::uint32_t, Index> texts_;
  std::unordered_map<std::uint32_t, Index> names_;
  std::unordered_map<std::uint32_t, Index> places_;
  Index unknown_place_ = kNone;
  Index thread_ = kNone;
  Time last_ = 0;

  struct End {
    std::uint64_t construct;
    Time time;
    Index thread;
  };
  std::vector<End> ends_;
  std::vector<CompletionRecord> completions_;
  std::unordered_map<std::uint64_t, std::uint64_t> hashes_;
  // Which construct presences, copies, launches and waits are of.
  std::vector<std::uint64_t> of_presences_;
  std::vector<std::uint64_t> of_waits_;
  std::vector<std::uint64_t> of_copies_;
  std::vector<std::uint64_t> of_launches_;
};

void Reader::note_event(const std::byte* bytes) {
  const auto head = as<RecordHead>(bytes);
  ++profile_.events;
  switch (head.type) {
  case RecordType::kThread: {
    const auto record = as<ThreadRecord>(bytes);
    const auto known = std::ranges::find(profile_.threads, record.thread, &Thread::number);
    thread_ = static_cast<Index>(known - profile_.threads.begin());
    if (known == profile_.threads.end()) {
      profile_.threads.push_back(
          {record.thread, std::string(record.name, strnlen(record.name, sizeof record.name))});
    }
    break;
  }
  case RecordType::kConstructBegin: {
    const auto record = as<ConstructBeginRecord>(bytes);
    note_time(record.time);
    Construct construct;
    construct.id = record.construct;
    construct.place = place(record.place);
    construct.device = head.device;
    construct.thread = construct.end_thread = thread();
    construct.time = sound(record.time, record.time);
    profile_.constructs.push_back(construct);
    break;
  }
  case RecordType::kConstructEnd: {
    const auto record = as<ConstructEndRecord>(bytes);
    note_time(record.time);
    ends_.push_back({record.construct, record.time, thread()});
    break;
  }
  case RecordType::kPresence: {
    const auto record = as<PresenceRecord>(bytes);
    if (head.what > kUnmapped) {
      ++profile_.damaged;
      break;
    }
    of_presences_.push_back(record.construct);
    profile_.presences.push_back(
        {kNone, head.device, static_cast<gantry::profile::Presence>(head.what), head.clause,
         record.host, record.size, sound(record.time), name(record.name), thread()});
    break;
  }
  case RecordType::kCopy: {
    const auto record = as<CopyRecord>(bytes);
    const unsigned kind = head.what & ~unsigned{kToDevice};
    if (kind > kRoutine) {
      ++profile_.damaged;
      break;
    }
    note_time(record.time);
    Copy copy;
    copy.id = record.copy;
    copy.device = head.device;
    copy.thread = thread();
    copy.told = sound(record.time);
    copy.kind = static_cast<CopyKind>(kind);
    copy.to_device = (head.what & kToDevice) != 0;
    copy.clause = head.clause;
    copy.name = name(record.name);
    copy.host = record.host;
    copy.device_address = record.device_address;
    copy.size = record.size;
    of_copies_.push_back(record.construct);
    profile_.copies.push_back(copy);
    break;
  }
  case RecordType::kContent: {
    const auto record = as<ContentRecord>(bytes);
    hashes_[record.copy] = record.hash;
    break;
  }
  case RecordType::kLaunch: {
    const auto record = as<LaunchRecord>(bytes);
    note_time(record.time);
    Launch launch;
    launch.id = record.launch;
    launch.device = head.device;
    launch.thread = thread();
    launch.told = sound(record.time);
    launch.has_teams = head.what != 0;
    launch.teams = record.teams;
    launch.threads = record.threads;
    launch.trip_count = record.trip_count;
    launch.kernel = text_index(record.kernel);
    of_launches_.push_back(record.construct);
    profile_.launches.push_back(launch);
    break;
  }
  case RecordType::kCompletion: {
    const auto record = as<CompletionRecord>(bytes);
    note_time(record.time);
    completions_.push_back(record);
    break;
  }
  case RecordType::kDone: {
    const auto record = as<DoneRecord>(bytes);
    note_time(record.time);
    completions_.push_back({.operation = record.operation, .time = record.time});
    break;
  }
  case RecordType::kWait: {
    const auto record = as<WaitRecord>(bytes);
    note_time(record.end);
    of_waits_.push_back(record.construct);
    profile_.waits.push_back({kNone, head.device, thread(), sound(record.begin, record.end)});
    break;
  }
  case RecordType::kDeviceOpened: {
    const auto record = as<DeviceRecord>(bytes);
    note_time(record.end);
    Device& opened = device(head.device);
    if (const std::string& label = text(record.label); !label.empty()) {
      opened.label = label;
    }
    opened.description = text(record.text);
    opened.clock = text(record.clock);
    opened.opened = sound(record.begin, record.end);
    break;
  }
  case RecordType::kDeviceMissing:
    profile_.missing_devices.push_back(text(as<DeviceRecord>(bytes).text));
    break;
  case RecordType::kDeviceLost: {
    const auto record = as<DeviceRecord>(bytes);
    note_time(record.begin);
    Device& lost = device(head.device);
    lost.lost = text(record.text);
    lost.lost_at = sound(record.begin);
    break;
  }
  case RecordType::kImage: {
    const auto record = as<ImageRecord>(bytes);
    note_time(record.end);
    profile_.images.push_back({head.device, thread(), sound(record.begin, record.end)});
    break;
  }
  case RecordType::kFailure:
    note_time(as<DeviceRecord>(bytes).begin);
    profile_.failures.push_back(text(as<DeviceRecord>(bytes).text));
    break;
  case RecordType::kProgram:
    note_time(as<ProgramRecord>(bytes).time);
    break;
  case RecordType::kText:
  case RecordType::kName:
  case RecordType::kPlace:
  case RecordType::kModule:
    break;
  case RecordType::kEnd:
  case RecordType::kBlock:
  default:
    ++profile_.damaged;
    break;
  }
}

template <typename Record>
std::unordered_map<std::uint64_t, Index> by_number(const std::vector<Record>& records) {
  std::unordered_map<std::uint64_t, Index> indices;
  indices.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    indices.try_emplace(records[i].id, static_cast<Index>(i));
  }
  return indices;
}

template <typename Operations>
void complete(Operations& operations, const std::vector<CompletionRecord>& completions) {
  const auto indices = by_number(operations);
  for (const CompletionRecord& completion : completions) {
    const auto found = indices.find(completion.operation);
    if (found == indices.end()) {
      continue;
    }
    Operation& operation = operations[found->second];
    operation.done = true;
    operation.queue = completion.queue;
    operation.known = std::max(operation.told, sound(completion.time));
    const bool has_clock = completion.begin != 0 && completion.end >= completion.begin;
    operation.time = has_clock ? sound(completion.begin, completion.end)
                               : Interval{operation.told, operation.known};
  }
}

void Reader::finish() {
  put_in_order(profile_.constructs,
               [](const Construct& construct) { return construct.time.begin; });
  const auto constructs = by_number(profile_.constructs);
  const auto construct_of = [&](std::uint64_t id) {
    const auto found = constructs.find(id);
    return found == constructs.end() ? kNone : found->second;
  };
  profile_.time.end = std::max(profile_.time.end, last_);
  if (!profile_.exited && profile_.process == known_end_.process) {
    profile_.time.end = std::max(profile_.time.end, sound(known_end_.time));
  }
  for (const End& end : ends_) {
    if (const Index index = construct_of(end.construct); index != kNone) {
      Construct& construct = profile_.constructs[index];
      construct.time.end = std::max(construct.time.begin, sound(end.time));
      construct.end_thread = end.thread;
      construct.ended = true;
    }
  }
  // Where events are missing, ends are: what is known of such constructs is what they have begun.
  const bool lacks_ends = profile_.dropped > 0;
  for (Construct& construct : profile_.constructs) {
    if (!construct.ended) {
      construct.time.end =
          lacks_ends ? construct.time.begin : std::max(construct.time.begin, profile_.time.end);
    }
  }
  for (std::size_t i = 0; i < profile_.presences.size(); ++i) {
    profile_.presences[i].construct = construct_of(of_presences_[i]);
  }
  for (std::size_t i = 0; i < profile_.waits.size(); ++i) {
    profile_.waits[i].construct = construct_of(of_waits_[i]);
  }
  complete(profile_.copies, completions_);
  complete(profile_.launches, completions_);
  const auto finish_operation = [&](Operation& operation, std::uint64_t construct) {
    operation.construct = construct_of(construct);
    if (!operation.done) { // it has failed, or the process ended
      operation.known = operation.told;
      operation.time = {operation.told, operation.told};
    }
    if (lacks_ends && operation.construct != kNone) {
      Construct& of = profile_.constructs[operation.construct];
      if (!of.ended) {
        of.time.end = std::max(of.time.end, operation.known);
      }
    }
  };
  for (std::size_t i = 0; i < profile_.copies.size(); ++i) {
    Copy& copy = profile_.copies[i];
    finish_operation(copy, of_copies_[i]);
    if (const auto hash = hashes_.find(copy.id); hash != hashes_.end()) {
      copy.has_hash = true;
      copy.hash = hash->second;
    }
  }
  for (std::size_t i = 0; i < profile_.launches.size(); ++i) {
    finish_operation(profile_.launches[i], of_launches_[i]);
  }
  const auto by_told = [](const Operation& operation) { return operation.told; };
  put_in_order(profile_.presences, &Presence::time);
  put_in_order(profile_.copies, by_told);
  put_in_order(profile_.launches, by_told);
  put_in_order(profile_.waits, [](const Wait& wait) { return wait.time.begin; });
  // Every device that something is about is in the list.
  for (const Construct& construct : profile_.constructs) {
    if (construct.device >= 0) {
      (void)device(construct.device);
    }
  }
}

} // namespace

Result<ProcessProfile> read_profile(Bytes bytes, KnownEnd end) {
  Reader reader(bytes, end);
  GANTRY_TRY(reader.read());
  return reader.take();
}

} // namespace gantry::cli::profile
