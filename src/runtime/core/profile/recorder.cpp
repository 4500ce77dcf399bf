#include "runtime/core/profile/recorder.h"

#include "runtime/core/events/events.h"
#include "runtime/core/host/settings.h"
#include "runtime/core/profile/profile_file.h"
#include "runtime/core/profile/writer.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/reports/text.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gantry::core {

namespace {

using namespace gantry::profile; // the records

static_assert(std::uint16_t{gantry::profile::kClauseTo} == core::kClauseTo &&
              std::uint16_t{gantry::profile::kClauseFrom} == core::kClauseFrom &&
              std::uint16_t{gantry::profile::kClauseAlways} == core::kClauseAlways &&
              std::uint16_t{gantry::profile::kClauseDelete} == core::kClauseDelete &&
              std::uint16_t{gantry::profile::kClausePresent} == core::kClausePresent &&
              std::uint16_t{gantry::profile::kClauseImplicit} == core::kClauseImplicit &&
              std::uint16_t{gantry::profile::kClauseKnown} == core::kClauseKnown);

/// What is longer is cut.
constexpr std::size_t kLongestText = 4096;

/// What a key of WrittenTexts is about; equal values of different kinds have different keys.
enum Kind : std::uint64_t { kOfText = 1, kOfName, kOfNamePointer, kOfPlace };

std::uint64_t hash(const void* bytes, std::size_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, size, seed);
}

std::uint64_t key_of(Kind kind, std::string_view text) {
  return hash(text.data(), text.size(), kind);
}

template <typename... Words>
std::uint64_t key_of_words(Kind kind, Words... words) {
  std::uint64_t key = kind;
  ((key = (key ^ static_cast<std::uint64_t>(words)) * 0x9e37'79b9'7f4a'7c15u, key ^= key >> 29u),
   ...);
  return key;
}

RecordHead head(RecordType type, std::int32_t device = kNoDevice, unsigned what = 0,
                std::uint16_t clause = 0) {
  return {type, static_cast<std::uint8_t>(what), clause, device};
}

/// A module as the dynamic loader lists it.
struct LoadedModule {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::uintptr_t bias;
  std::string path;

  [[nodiscard]] auto operator<=>(const LoadedModule&) const = default;
};

int add_module(dl_phdr_info* info, std::size_t, void* list) {
  LoadedModule module{~std::uintptr_t{0}, 0, info->dlpi_addr, info->dlpi_name};
  for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (segment.p_type == PT_LOAD) {
      module.begin = std::min<std::uintptr_t>(module.begin, info->dlpi_addr + segment.p_vaddr);
      module.end =
          std::max<std::uintptr_t>(module.end, info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
    }
  }
  static_cast<std::vector<LoadedModule>*>(list)->push_back(std::move(module));
  return 0;
}

/// Which file writers write to; another number after a fork. 0: none yet.
constinit std::atomic<std::uint64_t> current_file{0};
/// Counts changes of what is loaded: pointers to names may mean something else then.
constinit std::atomic<std::uint64_t> loaded_changes{0};
constinit std::atomic<std::uint32_t> last_text{0};

constinit thread_local Writer* writer_of_thread = nullptr;

class Recorder final : public EventListener {
public:
  void start(const ProfileSettings& settings) {
    options_ = {settings.folder, settings.limit, settings.data};
    if (!open_file()) {
      return;
    }
    made_key_ = pthread_key_create(&thread_end_, give_back) == 0;
    pthread_atfork(before_fork, after_fork, in_child);
    constexpr auto kAll = std::uint32_t{(1u << 9) - 1}; // but Difference
    static_assert(kAll + 1 == static_cast<std::uint32_t>(Event::kDifference));
    listen(*this, kAll);
  }

  void note_end() {
    if (ProfileFile* const file = file_.load(std::memory_order_acquire); file != nullptr) {
      file->note_end(event_time());
    }
  }

  void on(const ConstructBegin& event) override {
    Writer& writer = this->writer();
    writer.last_time = event.time;
    put(writer, ConstructBeginRecord{.head = head(RecordType::kConstructBegin, event.device.number),
                                     .construct = event.construct.id,
                                     .time = event.time,
                                     .place = place(writer, event.construct)});
  }

  void on(const ConstructEnd& event) override {
    Writer& writer = this->writer();
    writer.last_time = event.time;
    put(writer, ConstructEndRecord{.head = head(RecordType::kConstructEnd, event.device.number),
                                   .construct = event.construct.id,
                                   .time = event.time});
  }

  void on(const PresenceChange& event) override {
    static_assert(kMapped == static_cast<int>(PresenceChange::What::kMapped) &&
                  kWasPresent == static_cast<int>(PresenceChange::What::kWasPresent) &&
                  kUnmapped == static_cast<int>(PresenceChange::What::kUnmapped));
    Writer& writer = this->writer();
    put(writer, PresenceRecord{.head = head(RecordType::kPresence, event.device.number,
                                            static_cast<unsigned>(event.what), event.clause),
                               .construct = event.construct.id,
                               .host = event.host,
                               .size = event.size,
                               .time = writer.last_time,
                               .name = name(writer, event.name)});
  }

  void on(const Copied& event) override {
    static_assert(kItem == static_cast<int>(Copied::What::kItem) &&
                  kPrivate == static_cast<int>(Copied::What::kPrivate) &&
                  kPointer == static_cast<int>(Copied::What::kPointer) &&
                  kRoutine == static_cast<int>(Copied::What::kRoutine));
    Writer& writer = this->writer();
    writer.last_time = event.time;
    if (options_.content) {
      note_content(writer, event);
      writer.last_time = event_time(); // hashing is no part of the copy
    }
    const unsigned direction = event.to_device ? kToDevice : 0u;
    put(writer,
        CopyRecord{.head = head(RecordType::kCopy, event.device.number,
                                static_cast<unsigned>(event.what) | direction, event.clause),
                   .construct = event.construct.id,
                   .copy = event.id,
                   .host = event.host,
                   .device_address = event.device_address,
                   .size = event.size,
                   .time = writer.last_time,
                   .name = name_at(writer, event.name)});
  }

  void on(const Launched& event) override {
    Writer& writer = this->writer();
    writer.last_time = event.time;
    put(writer, LaunchRecord{.head = head(RecordType::kLaunch, event.device.number,
                                          event.shape.kind == GANTRY_LAUNCH_TEAMS),
                             .construct = event.construct.id,
                             .launch = event.id,
                             .time = event.time,
                             .trip_count = event.shape.trip_count,
                             .teams = event.shape.num_teams[0],
                             .threads = event.shape.thread_limit[0],
                             .kernel = text_at(writer, event.kernel)});
  }

  void on(const Completion& event) override {
    Writer& writer = this->writer();
    writer.last_time = event.time;
    if (event.queue == nullptr) {
      put(writer, DoneRecord{.head = head(RecordType::kDone, event.device.number),
                             .operation = event.id,
                             .time = event.time});
    } else {
      put(writer, CompletionRecord{.head = head(RecordType::kCompletion, event.device.number),
                                   .operation = event.id,
                                   .queue = address(event.queue),
                                   .time = event.time,
                                   .begin = static_cast<std::int64_t>(event.on_device.begin),
                                   .end = static_cast<std::int64_t>(event.on_device.end)});
    }
    if (options_.content) {
      write_content_of(writer, event);
    }
  }

  void on(const Waited& event) override {
    Writer& writer = this->writer();
    writer.last_time = event.end;
    put(writer, WaitRecord{.head = head(RecordType::kWait, event.device.number),
                           .construct = event.construct.id,
                           .queue = address(event.queue),
                           .begin = event.begin,
                           .end = event.end});
  }

  void on(const ProgramChange& event) override {
    loaded_changes.fetch_add(1, std::memory_order_relaxed);
    Writer& writer = this->writer();
    put(writer, ProgramRecord{.head = head(RecordType::kProgram, kNoDevice, event.registered),
                              .time = event_time(),
                              .path = text(writer, event.path)});
  }

  void on(const DeviceOpened& event) override {
    Writer& writer = this->writer();
    put(writer, DeviceRecord{.head = head(RecordType::kDeviceOpened, event.device.number),
                             .begin = event.begin,
                             .end = event.end,
                             .label = text(writer, event.device.label),
                             .text = text(writer, event.description),
                             .clock = text(writer, event.clock == nullptr ? "" : event.clock)});
  }

  void on(const DeviceMissing& event) override {
    Writer& writer = this->writer();
    const std::int64_t now = event_time();
    put(writer, DeviceRecord{.head = head(RecordType::kDeviceMissing),
                             .begin = now,
                             .end = now,
                             .text = text(writer, event.reason)});
  }

  void on(const DeviceLost& event) override {
    Writer& writer = this->writer();
    put(writer, DeviceRecord{.head = head(RecordType::kDeviceLost, event.device.number),
                             .begin = event.time,
                             .end = event.time,
                             .label = text(writer, event.device.label),
                             .text = text(writer, event.cause)});
  }

  void on(const ImageLoaded& event) override {
    put(writer(), ImageRecord{.head = head(RecordType::kImage, event.device.number),
                              .begin = event.begin,
                              .end = event.end,
                              .kernels = event.kernels,
                              .variables = event.variables,
                              .functions = event.functions});
  }

  void on(const ConstructFailed& event) override {
    Writer& writer = this->writer();
    const std::int64_t now = event_time();
    const std::string message = fmt::format("{}: {}", core::label(event.construct), event.error);
    put(writer, DeviceRecord{.head = head(RecordType::kFailure, event.device.number),
                             .construct = event.construct.id,
                             .begin = now,
                             .end = now,
                             .label = text(writer, event.device.label),
                             .text = text(writer, message)});
  }

private:
  // Writers.

  [[nodiscard]] Writer& writer() {
    Writer* const writer = writer_of_thread;
    if (writer == nullptr || writer->file != current_file.load(std::memory_order_acquire))
        [[unlikely]] {
      return begin_writing();
    }
    if (writer->loaded != loaded_changes.load(std::memory_order_relaxed)) [[unlikely]] {
      forget_texts(*writer);
    }
    return *writer;
  }

  /// The calling thread has no writer for the file there is now.
  Writer& begin_writing() {
    if (file_.load(std::memory_order_acquire) == nullptr) {
      (void)open_file(); // of a forked process
    }
    Writer* writer = writer_of_thread;
    if (writer == nullptr) {
      const std::lock_guard lock(mutex_);
      writer = idle_;
      if (writer != nullptr) {
        idle_ = writer->next_idle;
      } else {
        writer = new Writer;
        writer->number = ++writers_;
      }
    }
    if (const std::uint64_t file = current_file.load(std::memory_order_acquire);
        writer->file != file) {
      writer->file = file;
      writer->next = writer->end = nullptr;
    }
    forget_texts(*writer);
    writer_of_thread = writer;
    if (made_key_) {
      pthread_setspecific(thread_end_, writer);
    }
    ThreadRecord thread{.head = head(RecordType::kThread),
                        .thread = static_cast<std::uint64_t>(syscall(SYS_gettid))};
    (void)pthread_getname_np(pthread_self(), thread.name, sizeof thread.name);
    put(*writer, thread);
    return *writer;
  }

  static void forget_texts(Writer& writer) {
    writer.loaded = loaded_changes.load(std::memory_order_relaxed);
    writer.texts.clear();
  }

  /// The thread ends: another one goes on with its block.
  static void give_back(void* ending) {
    auto* const writer = static_cast<Writer*>(ending);
    writer_of_thread = nullptr;
    Recorder& recorder = instance();
    const std::lock_guard lock(recorder.mutex_);
    writer->next_idle = recorder.idle_;
    recorder.idle_ = writer;
  }

  template <typename Record>
  void put(Writer& writer, const Record& record) {
    if (!writer.has_room(sizeof record) && !get_block(writer)) [[unlikely]] {
      return;
    }
    writer.put(record);
  }

  /// False, and the event is counted as lost, if there is no room.
  bool get_block(Writer& writer) {
    ProfileFile* const file = file_.load(std::memory_order_acquire);
    if (file == nullptr) {
      return false;
    }
    std::byte* const block = file->next_block(writer.number);
    if (block == nullptr) {
      file->count_dropped();
      return false;
    }
    writer.next = block + sizeof(BlockRecord);
    writer.end = block + kBlockSize;
    return true;
  }

  // Files.

  bool open_file() {
    const std::lock_guard lock(mutex_);
    if (file_.load(std::memory_order_relaxed) != nullptr || refused_) {
      return !refused_;
    }
    auto made = ProfileFile::make(options_);
    if (!made) {
      refused_ = true;
      write_warning(fmt::format("GANTRY_PROFILE: {}; nothing is recorded", made.error().message));
      return false;
    }
    modules_.clear();
    file_.store(made->release(), std::memory_order_release);
    current_file.fetch_add(1, std::memory_order_release);
    return true;
  }

  static void before_fork() { instance().mutex_.lock(); }
  static void after_fork() { instance().mutex_.unlock(); }
  /// The parent's file is the parent's; the child makes one of its own when something happens.
  static void in_child() {
    Recorder& recorder = instance();
    recorder.file_.store(nullptr, std::memory_order_relaxed);
    recorder.idle_ = nullptr;
    current_file.fetch_add(1, std::memory_order_relaxed);
    recorder.mutex_.unlock();
  }

  // Texts. Each answers the number of what it is given, which is written if it was not.

  std::uint32_t text(Writer& writer, std::string_view text) {
    if (text.empty()) {
      return 0;
    }
    text = text.substr(0, kLongestText);
    const std::uint64_t key = key_of(kOfText, text);
    if (const std::uint32_t known = writer.texts.find(key); known != 0) {
      return known;
    }
    const std::uint32_t number = last_text.fetch_add(1, std::memory_order_relaxed) + 1;
    for (std::size_t offset = 0; offset < text.size(); offset += sizeof(TextRecord::bytes)) {
      TextRecord piece{.head = head(RecordType::kText),
                       .text = number,
                       .length = static_cast<std::uint32_t>(text.size()),
                       .offset = static_cast<std::uint32_t>(offset)};
      const std::string_view bytes = text.substr(offset, sizeof piece.bytes);
      std::memcpy(piece.bytes, bytes.data(), bytes.size());
      put_text(writer, piece);
    }
    writer.texts.insert(key, number);
    return number;
  }

  void put_text(Writer& writer, const TextRecord& piece) {
    if (!writer.has_room(sizeof piece) && !get_block(writer)) {
      return;
    }
    writer.put(piece);
  }

  /// Of a string that stays while the module is loaded.
  std::uint32_t text_at(Writer& writer, const char* string) {
    if (string == nullptr) {
      return 0;
    }
    const std::uint64_t key = key_of_words(kOfText, address(string));
    std::uint32_t number = writer.texts.find(key);
    if (number == 0) {
      number = text(writer, string);
      writer.texts.insert(key, number);
    }
    return number;
  }

  /// Of a list item's map name.
  std::uint32_t name(Writer& writer, const std::string& map_name) {
    if (map_name.empty()) {
      return 0;
    }
    const std::uint64_t key = key_of(kOfName, map_name);
    if (const std::uint32_t known = writer.texts.find(key); known != 0) {
      return known;
    }
    const std::uint32_t number = last_text.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::uint32_t variable = text(writer, variable_name(map_name.c_str()));
    const std::uint32_t position = text(writer, item_position(map_name.c_str()));
    put(writer, NameRecord{.head = head(RecordType::kName),
                           .name = number,
                           .variable = variable,
                           .position = position});
    writer.texts.insert(key, number);
    return number;
  }

  std::uint32_t name_at(Writer& writer, const char* map_name) {
    if (map_name == nullptr) {
      return 0;
    }
    const std::uint64_t key = key_of_words(kOfNamePointer, address(map_name));
    std::uint32_t number = writer.texts.find(key);
    if (number == 0) {
      number = name(writer, map_name);
      writer.texts.insert(key, number);
    }
    return number;
  }

  std::uint32_t place(Writer& writer, const Construct& construct) {
    const std::uint64_t key =
        key_of_words(kOfPlace, address(construct.location), address(construct.code),
                     address(construct.name.data()), construct.nowait);
    if (const std::uint32_t known = writer.texts.find(key); known != 0) {
      return known;
    }
    write_modules(writer);
    const std::uint32_t number = last_text.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::uint32_t called = text(writer, construct.name);
    const std::uint32_t at = text(writer, position(construct.location));
    const std::uint32_t function = text(writer, function_name(construct.location));
    put(writer, PlaceRecord{.head = head(RecordType::kPlace, kNoDevice, construct.nowait),
                            .place = number,
                            .construct = called,
                            .position = at,
                            .function = function,
                            .code = address(construct.code)});
    writer.texts.insert(key, number);
    return number;
  }

  /// The modules that came since the last time.
  void write_modules(Writer& writer) {
    std::vector<LoadedModule> modules;
    dl_iterate_phdr(add_module, &modules);
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(modules,
                    [&](const LoadedModule& module) { return !modules_.insert(module).second; });
    }
    for (const LoadedModule& module : modules) {
      const std::uint32_t path = text(writer, module.path);
      put(writer, ModuleRecord{.head = head(RecordType::kModule),
                               .begin = module.begin,
                               .end = module.end,
                               .bias = module.bias,
                               .path = path});
    }
  }

  // Contents. What is copied to the host is there when the copy is complete.

  void note_content(Writer& writer, const Copied& event) {
    const bool is_data = event.what == Copied::What::kItem || event.what == Copied::What::kRoutine;
    if (!is_data || event.between_devices) {
      return;
    }
    if (event.to_device) {
      put_content(writer, event.device.number, event.id, event.host, event.size);
      return;
    }
    const std::lock_guard lock(content_mutex_);
    under_way_[event.id] = {event.host, event.size};
  }

  void write_content_of(Writer& writer, const Completion& event) {
    Bytes bytes;
    {
      const std::lock_guard lock(content_mutex_);
      const auto found = under_way_.find(event.id);
      if (found == under_way_.end()) {
        return;
      }
      bytes = found->second;
      under_way_.erase(found);
    }
    put_content(writer, event.device.number, event.id, bytes.host, bytes.size);
  }

  void put_content(Writer& writer, std::int32_t device, EventId copy, std::uintptr_t host,
                   std::uint64_t size) {
    put(writer, ContentRecord{.head = head(RecordType::kContent, device),
                              .copy = copy,
                              .hash = hash(reinterpret_cast<const void*>(host), size, 0)});
  }

  static Recorder& instance();

  ProfileFile::Options options_;
  std::atomic<ProfileFile*> file_{nullptr}; ///< stays; null in a forked process at first
  bool made_key_ = false;
  pthread_key_t thread_end_{};

  std::mutex mutex_; ///< for what follows; a leaf: nothing else is called with it but the system
  bool refused_ = false;
  Writer* idle_ = nullptr;
  std::uint64_t writers_ = 0;
  std::set<LoadedModule> modules_;

  struct Bytes {
    std::uintptr_t host = 0;
    std::uint64_t size = 0;
  };
  std::mutex content_mutex_; ///< a leaf too
  std::unordered_map<EventId, Bytes> under_way_;
};

/// Stays for the rest of the process; null while nothing is recorded.
constinit std::atomic<Recorder*> recorder{nullptr};

Recorder& Recorder::instance() {
  return *recorder.load(std::memory_order_acquire);
}

[[gnu::destructor]] void note_end_of_process() {
  if (Recorder* const recording = recorder.load(std::memory_order_acquire); recording != nullptr) {
    recording->note_end();
  }
}

} // namespace

void record_if_asked() {
  const auto settings = read_profile_settings([](const char* name) { return secure_getenv(name); });
  if (!settings || settings->folder.empty()) {
    return; // what is not understood is said when the settings are read
  }
  auto* const made = new Recorder;
  recorder.store(made, std::memory_order_release);
  made->start(*settings);
}

} // namespace gantry::core
