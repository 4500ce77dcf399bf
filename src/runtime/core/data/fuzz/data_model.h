// What a device data environment must do, byte by byte, for constructs over one arena of host
// memory: a model of OpenMP 5.2, sections 5.8.3, 5.8.6, 13.6 and 13.9, that shares nothing with the
// runtime but the names of what a construct asks for. It is made to be plain and not to be fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace gantry::core::fuzz {

/// An address in the arena, counted from its first byte.
using Offset = std::uint32_t;

/// A list item: bytes of the arena, or the attachment of a pointer that lies in it.
struct ModelItem {
  Offset begin = 0;
  Offset size = 0;
  bool to = false;
  bool from = false;
  bool always = false;
  bool present = false;
  bool hold = false;
  bool remove = false;
  bool attachment = false; ///< of the pointer at `slot`, which points to `begin`
  Offset slot = 0;
  std::uint32_t pieces = 1; ///< of target update: so many of `size` bytes
  Offset stride = 0;
};

class DataModel {
public:
  /// A byte of which nobody may know the value has none.
  using Byte = std::optional<std::uint8_t>;

  struct Pointer {
    Offset pointee = 0;           ///< what the host's points to
    std::uint64_t generation = 0; ///< of the object that this is in
  };
  struct Object {
    Offset end = 0;
    std::uint64_t references = 0;
    std::uint64_t holds = 0;
    bool infinite = false;
    /// Numbers objects in the order in which they became present.
    std::uint64_t generation = 0;
    std::vector<Byte> device;
    /// Attached pointers, by address.
    std::map<Offset, Pointer> attached;
  };
  using Objects = std::map<Offset, Object>;

  static constexpr Offset kPointer = sizeof(void*);

  explicit DataModel(Offset size) : host(size) {}

  /// The values of the original storage; the caller changes them as the program would.
  std::vector<Byte> host;

  [[nodiscard]] const Objects& objects() const { return objects_; }
  /// The object that all of [begin, begin + size) lies in, or end().
  [[nodiscard]] Objects::iterator holding(Offset begin, Offset size);

  // Each answers whether the construct is without error. One that is not leaves things as they
  // were, but exit(), which does what it can, and update(), after which nothing is said.

  bool enter(std::span<const ModelItem> items);
  bool exit(std::span<const ModelItem> items);
  bool update(std::span<const ModelItem> items);
  /// `device` holds the first values of the corresponding storage.
  bool associate(Offset begin, Offset size);
  bool disassociate(Offset begin);

private:
  [[nodiscard]] bool overlaps(Offset begin, Offset size) const;
  void copy(Object& object, Offset object_begin, Offset begin, Offset size, bool to_device);

  Objects objects_;
  std::uint64_t generation_ = 0;
};

} // namespace gantry::core::fuzz
