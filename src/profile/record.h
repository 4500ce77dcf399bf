// The file that a profiled process writes and `gantry profile` reads.
//
// The file is shared memory: what a process has written is there however it ends. It is a sequence
// of blocks. The first begins with a FileHeader; each of the others belongs to one writer, which is
// one thread at a time, and is a sequence of records, each as long as its type says. The first
// record of a block is a BlockRecord; a record of type kEnd (0), or less room than for a head, ends
// it. A record's first word is written last, so that a process that is killed leaves whole records
// only. Blocks of one writer are in the order of time.
//
// Texts (names, positions, files) are written once for each writer and referred to by number; 0 is
// no text. All numbers are little-endian. Times are nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gantry::profile {

inline constexpr std::uint64_t kMagic = 0x3146'4f52'5059'4e47; // "GNYPROF1"
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kBlockSize = 65536;

/// In the first block.
struct FileHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t block_size;
  std::uint64_t has_content; ///< 1: copies have ContentRecords
  std::uint64_t process;
  std::uint64_t parent; ///< the process that it was started or forked by
  std::int64_t begin;
  std::int64_t end;      ///< when exit handlers ran; 0: they did not
  std::uint64_t dropped; ///< events for which the limit left no room
  std::uint64_t limit;   ///< bytes of the file at most
  char program[256];     ///< the executable's path, cut if it is longer, with a 0 behind it
};
static_assert(sizeof(FileHeader) <= kBlockSize);

enum class RecordType : std::uint8_t {
  kEnd = 0,
  kBlock,
  kThread,
  kText,
  kName,
  kPlace,
  kModule,
  kConstructBegin,
  kConstructEnd,
  kPresence,
  kCopy,
  kContent,
  kLaunch,
  kDone,
  kCompletion,
  kWait,
  kProgram,
  kDeviceOpened,
  kDeviceMissing,
  kDeviceLost,
  kImage,
  kFailure,
};

/// What a map clause says of a list item: bits of `clause`.
enum Clause : std::uint16_t {
  kClauseTo = 1u << 0,
  kClauseFrom = 1u << 1,
  kClauseAlways = 1u << 2,
  kClauseDelete = 1u << 3,
  kClausePresent = 1u << 4,
  kClauseImplicit = 1u << 5, ///< by the rules for variables without a clause
  kClauseKnown = 1u << 6,    ///< there is one
};

/// The first word of every record.
struct RecordHead {
  RecordType type;
  std::uint8_t what; ///< what it means depends on the type
  std::uint16_t clause;
  std::int32_t device; ///< OpenMP's number; kNoDevice
};
inline constexpr std::int32_t kNoDevice = -1;

/// The first of every block but the first.
struct BlockRecord {
  RecordHead head;
  std::uint64_t writer;
};

/// From here on the writer is this thread.
struct ThreadRecord {
  RecordHead head;
  std::uint64_t thread; ///< the system's number of it
  char name[16];
};

/// A piece of a text.
struct TextRecord {
  RecordHead head;
  std::uint32_t text;   ///< its number
  std::uint32_t length; ///< of all of it
  std::uint32_t offset; ///< of the piece
  char bytes[44];       ///< as many as there are
};

/// What a list item is called.
struct NameRecord {
  RecordHead head;
  std::uint32_t name;     ///< its number
  std::uint32_t variable; ///< text: "x[0:N]"
  std::uint32_t position; ///< text: "app.cpp:12", of the item itself
  std::uint32_t unused32;
};

/// A construct in the source.
struct PlaceRecord {
  RecordHead head; ///< `what`: 1 with nowait
  std::uint32_t place;
  std::uint32_t construct; ///< text: "target enter data"
  std::uint32_t position;  ///< text: "app.cpp:31"; 0 if the compiler does not say it
  std::uint32_t function;  ///< text; 0 if the compiler does not say it
  std::uint64_t code;      ///< where the runtime returns to; 0 if that is not known
};

/// An executable or library in memory, from now on.
struct ModuleRecord {
  RecordHead head;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t bias; ///< what the loader has added to the addresses of its file
  std::uint32_t path; ///< text
  std::uint32_t unused32;
};

struct ConstructBeginRecord {
  RecordHead head;
  std::uint64_t construct; ///< its number in the process
  std::int64_t time;
  std::uint32_t place;
  std::uint32_t unused32;
};

struct ConstructEndRecord {
  RecordHead head;
  std::uint64_t construct;
  std::int64_t time;
};

struct PresenceRecord {
  RecordHead head; ///< `what`: a Presence
  std::uint64_t construct;
  std::uint64_t host;
  std::uint64_t size;
  std::int64_t time; ///< of what the thread was told before
  std::uint32_t name;
  std::uint32_t unused32;
};
enum Presence : std::uint8_t { kMapped, kWasPresent, kUnmapped };

struct CopyRecord {
  RecordHead head; ///< `what`: a CopyKind, and kToDevice
  std::uint64_t construct;
  std::uint64_t copy; ///< its number in the process
  std::uint64_t host;
  std::uint64_t device_address;
  std::uint64_t size;
  std::int64_t time;
  std::uint32_t name;
  std::uint32_t unused32;
};
enum CopyKind : std::uint8_t { kItem, kPrivate, kPointer, kRoutine };
inline constexpr std::uint8_t kToDevice = 0x80;

/// The bytes of a copy.
struct ContentRecord {
  RecordHead head;
  std::uint64_t copy;
  std::uint64_t hash;
};

struct LaunchRecord {
  RecordHead head; ///< `what`: 1 for a teams region
  std::uint64_t construct;
  std::uint64_t launch; ///< its number in the process
  std::int64_t time;
  std::uint64_t trip_count;
  std::uint32_t teams;   ///< as the construct asks for them; 0: it does not
  std::uint32_t threads; ///< the limit that it names; 0: none
  std::uint32_t kernel;  ///< text
  std::uint32_t unused32;
};

/// Of what was in no queue.
struct DoneRecord {
  RecordHead head;
  std::uint64_t operation; ///< a copy's or launch's number
  std::int64_t time;
};

struct CompletionRecord {
  RecordHead head;
  std::uint64_t operation;
  std::uint64_t queue;
  std::int64_t time;
  std::int64_t begin; ///< by the device's clock; both 0: it has none
  std::int64_t end;
};

struct WaitRecord {
  RecordHead head;
  std::uint64_t construct;
  std::uint64_t queue;
  std::int64_t begin;
  std::int64_t end;
};

/// A program (executable or library with device images) comes or goes.
struct ProgramRecord {
  RecordHead head; ///< `what`: 1 if it comes
  std::int64_t time;
  std::uint32_t path; ///< text
  std::uint32_t unused32;
};

/// Of kDeviceOpened, kDeviceMissing (text: why), kDeviceLost (text: why) and kFailure (text: the
/// message).
struct DeviceRecord {
  RecordHead head;
  std::uint64_t construct; ///< of kFailure
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t label; ///< text: "device 0 (cpu)"
  std::uint32_t text;  ///< of kDeviceOpened: what the device is
  std::uint32_t clock; ///< text; 0: it has none
  std::uint32_t unused32;
};

struct ImageRecord {
  RecordHead head;
  std::int64_t begin;
  std::int64_t end;
  std::uint64_t kernels;
  std::uint64_t variables;
  std::uint64_t functions;
};

/// The bytes of a record of a type; 0 for what is no type.
constexpr std::size_t size_of(RecordType type) {
  switch (type) {
  case RecordType::kEnd:
    return 0;
  case RecordType::kBlock:
    return sizeof(BlockRecord);
  case RecordType::kThread:
    return sizeof(ThreadRecord);
  case RecordType::kText:
    return sizeof(TextRecord);
  case RecordType::kName:
    return sizeof(NameRecord);
  case RecordType::kPlace:
    return sizeof(PlaceRecord);
  case RecordType::kModule:
    return sizeof(ModuleRecord);
  case RecordType::kConstructBegin:
    return sizeof(ConstructBeginRecord);
  case RecordType::kConstructEnd:
    return sizeof(ConstructEndRecord);
  case RecordType::kPresence:
    return sizeof(PresenceRecord);
  case RecordType::kCopy:
    return sizeof(CopyRecord);
  case RecordType::kContent:
    return sizeof(ContentRecord);
  case RecordType::kLaunch:
    return sizeof(LaunchRecord);
  case RecordType::kDone:
    return sizeof(DoneRecord);
  case RecordType::kCompletion:
    return sizeof(CompletionRecord);
  case RecordType::kWait:
    return sizeof(WaitRecord);
  case RecordType::kProgram:
    return sizeof(ProgramRecord);
  case RecordType::kDeviceOpened:
  case RecordType::kDeviceMissing:
  case RecordType::kDeviceLost:
  case RecordType::kFailure:
    return sizeof(DeviceRecord);
  case RecordType::kImage:
    return sizeof(ImageRecord);
  }
  return 0;
}

} // namespace gantry::profile
