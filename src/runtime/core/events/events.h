// What happens in the runtime: a structure for each kind of thing, and who is told of it.
//
// A listener names the kinds of events that it wants, and is told of each by the thread in which
// it happens, when it has happened. A construct asks once, when it begins, what is wanted
// (Construct::watched); where nobody listens that is one load, and a branch for each thing that
// could be told.
//
// Addresses are numbers, because they may be of a device. Times are nanoseconds of the system's
// CLOCK_MONOTONIC, but for those of a device's own clock (Completion). What an event refers to is
// good while it is told.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <gantry/plugin.h>

namespace gantry::core {

/// The kinds of events; a bit each.
enum class Event : std::uint32_t {
  kConstruct = 1u << 0,  ///< ConstructBegin, ConstructEnd
  kPresence = 1u << 1,   ///< PresenceChange
  kCopy = 1u << 2,       ///< Copied
  kLaunch = 1u << 3,     ///< Launched
  kCompletion = 1u << 4, ///< Completion
  kWait = 1u << 5,       ///< Waited
  kProgram = 1u << 6,    ///< ProgramChange
  kDevice = 1u << 7,     ///< DeviceOpened, DeviceMissing, DeviceLost, ImageLoaded
  kFailure = 1u << 8,    ///< ConstructFailed
  kDifference = 1u << 9, ///< Difference
  kOperation = 1u << 10, ///< Operation
};

/// The kinds that some listener wants: bits of Event.
extern std::atomic<std::uint32_t> wanted_events;

/// One relaxed load.
[[nodiscard]] inline bool is_wanted(Event kind) {
  return (wanted_events.load(std::memory_order_relaxed) & static_cast<std::uint32_t>(kind)) != 0;
}

/// Numbers constructs and operations in a process; 0 is none's.
using EventId = std::uint64_t;
[[nodiscard]] EventId next_event_id();

/// The time now; see event_clock.cpp.
[[nodiscard]] std::int64_t event_time();

/// What a construct is for the tools of OpenMP 5.2 (section 19.4.4.16).
enum class ConstructKind : std::uint8_t { kOther, kTarget, kEnterData, kExitData, kUpdate };
/// What the map, to or from clause of a list item says; bits of `clause` in events.
enum ClauseBits : std::uint16_t {
  kClauseTo = 1u << 0,
  kClauseFrom = 1u << 1,
  kClauseAlways = 1u << 2,
  kClauseDelete = 1u << 3,
  kClausePresent = 1u << 4,
  kClauseImplicit = 1u << 5, ///< by the standard's rules for variables without a clause
  kClauseKnown = 1u << 6,    ///< there is one
};

/// A construct or routine at work. It lives as long as its events and messages are about it.
struct Construct {
  Construct(std::string_view called, const char* at = nullptr, const void* caller = nullptr)
      : name(called), location(at), code(caller),
        watched(wanted_events.load(std::memory_order_relaxed)) {}

  /// What the standard calls it: "target", "target enter data", "omp_target_alloc".
  std::string_view name;
  /// Where it is, as its compiler says it, or null: see position(). It lives as long as the module
  /// that holds it.
  const char* location;
  /// The address in compiled code that the runtime returns to; null if it is not known.
  const void* code;
  /// What is wanted of it, bits of Event.
  std::uint32_t watched;
  ConstructKind kind = ConstructKind::kOther;
  bool nowait = false;
  /// Its number once ConstructBegin was told; 0 if it was not.
  EventId id = 0;
  /// Of the listener that serves tools, from ConstructBegin to ConstructEnd; null before.
  mutable void* of_tool = nullptr;

  [[nodiscard]] bool tells(Event event) const {
    return (watched & static_cast<std::uint32_t>(event)) != 0;
  }
  /// True if one of the two is told.
  [[nodiscard]] bool tells(Event event, Event other) const {
    return (watched & (static_cast<std::uint32_t>(event) | static_cast<std::uint32_t>(other))) != 0;
  }
};

/// An OpenMP device, as events name it.
struct DeviceName {
  int number = 0;
  std::string label; ///< "device 0 (cpu)"
};

/// What events of a construct have: which it is, and on which device.
struct OfConstruct {
  const Construct& construct;
  const DeviceName& device;
};

struct ConstructBegin : OfConstruct {
  static constexpr Event kKind = Event::kConstruct;
  std::int64_t time;
};

struct ConstructEnd : OfConstruct {
  static constexpr Event kKind = Event::kConstruct;
  std::int64_t time;
};

/// Storage has become present on a device, was present when a construct mapped it, or has gone.
struct PresenceChange : OfConstruct {
  static constexpr Event kKind = Event::kPresence;
  enum class What : std::uint8_t { kMapped, kWasPresent, kUnmapped };
  What what;
  std::string name; ///< the compiler's map name; see variable_name()
  std::uintptr_t host;
  std::uint64_t size;
  std::uintptr_t device_address; ///< of the corresponding storage
  std::uint64_t references;      ///< afterwards; kInfinite: for ever
  static constexpr std::uint64_t kInfinite = ~std::uint64_t{0};
  std::uint16_t clause = 0; ///< ClauseBits of what mapped it; 0 of kUnmapped
};

/// Bytes are on their way between host and device, or between devices.
struct Copied : OfConstruct {
  static constexpr Event kKind = Event::kCopy;
  enum class What : std::uint8_t {
    kItem,    ///< of a list item
    kPrivate, ///< the first value of a private copy
    kPointer, ///< the value of an attached pointer
    kRoutine, ///< by a device memory routine
  };
  EventId id;
  What what;
  bool to_device;      ///< from the host; else to it
  const char* name;    ///< of kItem: the compiler's map name, or null
  std::uintptr_t host; ///< of kPointer: the pointer's new value
  std::uintptr_t device_address;
  std::uint64_t size;
  std::int64_t time;
  std::uint16_t clause = 0;     ///< ClauseBits of kItem
  bool between_devices = false; ///< of kRoutine: `host` is an address of another device
};

/// A kernel is under way.
struct Launched : OfConstruct {
  static constexpr Event kKind = Event::kLaunch;
  EventId id;
  const char* kernel;       ///< the compiler's name of it
  const void* host_address; ///< by which compiled code names it
  const gantry_launch& shape;
  std::int64_t time;
};

/// A copy or kernel is known to be done. Of a copy between devices the device is that whose queue
/// it was in.
struct Completion : OfConstruct {
  static constexpr Event kKind = Event::kCompletion;
  EventId id; ///< of Copied or Launched
  /// The device's queue that it was in, as in Waited; null if it was in none.
  const void* queue;
  std::int64_t time;
  /// By the device's clock (DeviceOpened); both 0 if it was not in a queue, or has no clock.
  gantry_interval on_device;
};

/// The host has waited for a queue.
struct Waited : OfConstruct {
  static constexpr Event kKind = Event::kWait;
  const void* queue;
  std::int64_t begin;
  std::int64_t end;
};

/// A construct or routine does something with a device's memory, or launches: told before and
/// after. A copy to the device and a launch have ended when they are in the device's queue, a copy
/// to the host when the bytes are there. Those of one construct do not overlap.
struct Operation : OfConstruct {
  static constexpr Event kKind = Event::kOperation;
  enum class What : std::uint8_t {
    kAllocate, ///< `to_address` is 0 at the begin, and at the end if it failed
    kCopy,
    kRelease,
    kAssociate,
    kDisassociate,
    kLaunch,
  };
  static constexpr int kHost = -1;
  static constexpr int kNowhere = -2;

  What what;
  bool begins; ///< else it has ended
  EventId id;  ///< that of Copied or Launched, for what these tell of
  std::int64_t began;
  std::int64_t time; ///< now
  /// The original storage or the source of a copy, and device memory or where the copy goes:
  /// numbers of devices, and addresses, 0 where there are none.
  int from = kNowhere;
  int to = kNowhere;
  std::uintptr_t from_address = 0;
  std::uintptr_t to_address = 0;
  std::uint64_t size = 0;
  std::uint32_t teams = 0; ///< that kLaunch asks for; 0: it does not say
  std::uint64_t& note;     ///< the listener's, 0 at the begin, with its value at the end
};

struct ProgramChange {
  static constexpr Event kKind = Event::kProgram;
  bool registered; ///< else unregistered
  std::string_view path;
};

struct DeviceOpened {
  static constexpr Event kKind = Event::kDevice;
  const DeviceName& device;
  std::string_view description;
  const char* clock; ///< its name in gantry/plugin.h; null if the device has no times
  std::int64_t begin;
  std::int64_t end;
};

/// The environment names a device that there is none of.
struct DeviceMissing {
  static constexpr Event kKind = Event::kDevice;
  std::string_view reason;
};

struct DeviceLost {
  static constexpr Event kKind = Event::kDevice;
  const DeviceName& device;
  std::string_view cause;
  std::int64_t time;
};

struct ImageLoaded {
  static constexpr Event kKind = Event::kDevice;
  const DeviceName& device;
  std::uint64_t kernels;
  std::uint64_t variables;
  std::uint64_t functions; ///< that are called by pointer
  std::int64_t begin;
  std::int64_t end;
  /// The image in the program's memory, which is there while this is told.
  std::span<const std::byte> image;
};

/// An image is about to leave a device.
struct ImageUnloaded {
  static constexpr Event kKind = Event::kDevice;
  const DeviceName& device;
  const std::byte* image; ///< where it was in the program's memory
};

/// A construct has failed, and the process is about to end.
struct ConstructFailed : OfConstruct {
  static constexpr Event kKind = Event::kFailure;
  std::string_view error;
  std::string_view mapped; ///< the table of all that is mapped
};

/// Under GANTRY_CHECK=map: a region has made storage and its original differ.
struct Difference : OfConstruct {
  static constexpr Event kKind = Event::kDifference;
  std::string name; ///< the compiler's map name
  std::uintptr_t host;
  std::uint64_t size;
  std::uint64_t bytes; ///< that differ
  std::uint64_t first; ///< the offset of the first of them
  std::string copied_by;
};

/// Is told of events, of all kinds that it wants: by any thread, by several at once, without a lock
/// of the core. It uses no device, because what is told may be a step of making that one usable.
class EventListener {
public:
  virtual void on(const ConstructBegin& /*event*/) {}
  virtual void on(const ConstructEnd& /*event*/) {}
  virtual void on(const PresenceChange& /*event*/) {}
  virtual void on(const Copied& /*event*/) {}
  virtual void on(const Launched& /*event*/) {}
  virtual void on(const Completion& /*event*/) {}
  virtual void on(const Waited& /*event*/) {}
  virtual void on(const Operation& /*event*/) {}
  virtual void on(const ProgramChange& /*event*/) {}
  virtual void on(const DeviceOpened& /*event*/) {}
  virtual void on(const DeviceMissing& /*event*/) {}
  virtual void on(const DeviceLost& /*event*/) {}
  virtual void on(const ImageLoaded& /*event*/) {}
  virtual void on(const ImageUnloaded& /*event*/) {}
  virtual void on(const ConstructFailed& /*event*/) {}
  virtual void on(const Difference& /*event*/) {}

protected:
  ~EventListener() = default;
};

/// From now on `listener`, which stays for the rest of the process, is told of `kinds`, bits of
/// Event; of no others, if it was known before. Any thread.
void listen(EventListener& listener, std::uint32_t kinds);

/// Calls `visit` with each listener that wants `kind`, in the order in which they came.
void for_each_listener(Event kind, const std::function<void(EventListener&)>& visit);

template <typename Happened>
void tell(const Happened& event) {
  for_each_listener(Happened::kKind, [&](EventListener& listener) { listener.on(event); });
}

/// Tells of the begin and the end of a construct, if its events are wanted.
class ConstructScope {
public:
  /// Both outlive the scope.
  ConstructScope(Construct& construct, const DeviceName& device)
      : construct_(construct), device_(device) {
    if (construct.watched != 0) [[unlikely]] {
      begin();
    }
  }
  ConstructScope(const ConstructScope&) = delete;
  ConstructScope& operator=(const ConstructScope&) = delete;
  ~ConstructScope() {
    if (construct_.watched != 0) [[unlikely]] {
      end();
    }
  }

private:
  void begin();
  void end() const;

  Construct& construct_;
  const DeviceName& device_;
};

/// Tells of an operation: of its begin in begin(), if that is called, and of its end when the
/// object goes.
class OperationScope {
public:
  OperationScope() = default;
  OperationScope(const OperationScope&) = delete;
  OperationScope& operator=(const OperationScope&) = delete;
  ~OperationScope() {
    if (construct_ != nullptr) [[unlikely]] {
      end();
    }
  }

  /// What Operation says of it.
  struct Facts {
    Operation::What what = Operation::What::kCopy;
    int from = Operation::kNowhere;
    int to = Operation::kNowhere;
    std::uintptr_t from_address = 0;
    std::uintptr_t to_address = 0;
    std::uint64_t size = 0;
    std::uint32_t teams = 0;
  };
  /// Once, if operations of the construct are told. `id` 0: it gets a number.
  void begin(const Construct& construct, const DeviceName& device, const Facts& facts,
             EventId id = 0);

  [[nodiscard]] bool begun() const { return construct_ != nullptr; }
  /// The address of what kAllocate has allocated.
  void set_allocated(std::uintptr_t address) { facts_.to_address = address; }

private:
  void end();
  void tell_of(bool begins, std::int64_t now);

  const Construct* construct_ = nullptr; ///< null: nothing is told
  const DeviceName* device_;
  Facts facts_;
  EventId id_;
  std::int64_t began_;
  std::uint64_t note_;
};

} // namespace gantry::core
