// What a construct asks of a device data environment, in the words of the standard and of no
// compiler: the front doors in abi/ decode their arguments into a list of these.
#pragma once

#include "runtime/core/events/events.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include <absl/container/inlined_vector.h>

namespace gantry::core {

enum class MapKind : std::uint8_t {
  /// A list item with storage: a map, to or from clause, or an implicit map.
  kStorage,
  /// A pointer and what it points to: `base` is the address of the pointer, the storage mapped is
  /// the pointee, and the corresponding pointer is attached to it.
  kPointee,
  /// Attachment alone: `base` is the address of the pointer, `begin` the pointee's, `size` the
  /// pointer's bytes. No storage is mapped.
  kAttachment,
  /// A copy of the device's own, made for the construct (private; firstprivate when `to` is set).
  kPrivate,
  /// A pointer inside the object of item `parent`, a lambda that is mapped or has a private copy.
  /// The device's is made to point to the corresponding storage of `begin`; `base` is the address
  /// of
  /// the original pointer.
  kCapture,
  /// A value, `base` itself: firstprivate scalars, is_device_ptr.
  kValue,
};

/// One list item. Pointers are host addresses; nothing is owned.
struct MapItem {
  /// Where the variable that the item is part of begins: what a kernel's parameter stands for.
  std::byte* base = nullptr;
  /// The first byte to be mapped.
  std::byte* begin = nullptr;
  /// Bytes to be mapped; 0 for an array section without length.
  std::uint64_t size = 0;
  /// More than 1 for a non-contiguous section of target update: that many pieces of `size` bytes,
  /// one every `stride` bytes.
  std::uint64_t pieces = 1;
  std::uint64_t stride = 0;
  /// use_device_ptr, use_device_addr: where the construct wants the corresponding base to be
  /// written, if there is one; else null.
  void** returned_base = nullptr;
  /// The compiler's name string for messages, or null; see variable_name().
  const char* name = nullptr;
  /// The index of another item, for kCapture.
  std::uint32_t parent = 0;

  MapKind kind = MapKind::kStorage;
  bool to : 1 = false;
  bool from : 1 = false;
  bool always : 1 = false;
  /// Map type delete: the reference count becomes zero.
  bool remove : 1 = false;
  bool present : 1 = false;
  /// Under unified_shared_memory: storage of the device's own all the same.
  bool close : 1 = false;
  /// ompx_hold: counted apart, so that delete does not remove the storage.
  bool hold : 1 = false;
  /// Not written by the user.
  bool implicit : 1 = false;
  /// Lies in storage that another item of the same list maps, which does the counting.
  bool member : 1 = false;
  /// Counted, with others like it in the same storage, once a construct.
  bool once : 1 = false;
  /// A pointer that is to be attached, though neither it nor its pointee is new, if it is not
  /// attached to that yet.
  bool if_unattached : 1 = false;
  /// Yields a parameter of the kernel.
  bool argument : 1 = false;

  /// The bytes from the first piece's begin to the last one's end; the most there is if that passes
  /// the last address.
  [[nodiscard]] std::uint64_t span() const {
    std::uint64_t bytes = size;
    if (pieces > 1 && (__builtin_mul_overflow(pieces - 1, stride, &bytes) ||
                       __builtin_add_overflow(bytes, size, &bytes))) {
      return ~std::uint64_t{0};
    }
    return bytes;
  }

  /// As events say it.
  [[nodiscard]] std::uint16_t clause() const {
    const auto bit = [](bool is_set, ClauseBits value) { return is_set ? value : 0u; };
    return static_cast<std::uint16_t>(
        kClauseKnown | bit(to, kClauseTo) | bit(from, kClauseFrom) | bit(always, kClauseAlways) |
        bit(remove, kClauseDelete) | bit(present, kClausePresent) | bit(implicit, kClauseImplicit));
  }

  /// Whether it maps storage.
  [[nodiscard]] bool has_storage() const {
    return kind == MapKind::kStorage || kind == MapKind::kPointee;
  }
};

/// Those of a construct, in its order.
using Items = std::span<const MapItem>;

/// The number of items that a construct may have without an allocation.
inline constexpr std::size_t kInlineItems = 64;

using MapItems = absl::InlinedVector<MapItem, kInlineItems>;

} // namespace gantry::core
