#include "runtime/abi/gcc/decode.h"

#include <algorithm>
#include <cstring>

namespace gantry::abi::gcc {

namespace {

using core::MapItem;
using core::MapKind;

std::byte* bytes(void* address) {
  return static_cast<std::byte*>(address);
}

/// One construct's elements on the way to items.
class Decoder {
public:
  Decoder(const MapArrays& arrays, Purpose purpose, core::MapItems& items)
      : arrays_(arrays), purpose_(purpose), items_(items) {}

  Status decode();

private:
  Status decode(std::size_t i);
  /// Appends the item of an element with storage.
  MapItem& add_storage(std::size_t i);
  Status add_struct(std::size_t i);
  /// A pointer that is mapped itself and attached to what it points to.
  void add_pointer(std::size_t i, bool always);
  void add_attachment(std::size_t i, bool always, bool argument);
  /// An item that asks for the corresponding address alone.
  void add_translation(std::size_t i, void** returned);
  void add_value(std::size_t i);

  [[nodiscard]] bool target() const { return purpose_ == Purpose::kTarget; }

  const MapArrays& arrays_;
  Purpose purpose_;
  core::MapItems& items_;
  std::size_t members_left_ = 0; ///< of the struct before
  /// The Fortran descriptor before, of which a pointer may follow.
  std::byte* descriptor_ = nullptr;
  std::size_t descriptor_size_ = 0;
};

MapItem& Decoder::add_storage(std::size_t i) {
  const std::uint8_t kind = arrays_.kinds[i] & 0xff;
  MapItem& item = items_.emplace_back();
  item.base = item.begin = bytes(arrays_.addresses[i]);
  item.size = arrays_.sizes[i];
  item.argument = target();
  item.member = members_left_ > 0;
  item.once = true;
  item.implicit = (kind & kImplicitMask) == kImplicit;
  item.to = (kind & kTo) != 0;
  item.from = (kind & kFrom) != 0;
  return item;
}

Status Decoder::add_struct(std::size_t i) {
  const std::size_t members = arrays_.sizes[i];
  if (members == 0 || members > arrays_.count - i - 1) {
    return fail("list item {} is a structure of {} members, of which {} follow", i, members,
                arrays_.count - i - 1);
  }
  // Since GCC 14 their order may be any.
  std::byte* begin = bytes(arrays_.addresses[i + 1]);
  std::byte* end = begin;
  for (std::size_t k = i + 1; k <= i + members; ++k) {
    begin = std::min(begin, bytes(arrays_.addresses[k]));
    end = std::max(end, bytes(arrays_.addresses[k]) + arrays_.sizes[k]);
  }
  MapItem& item = add_storage(i);
  item.begin = begin;
  item.size = static_cast<std::uint64_t>(end - begin);
  item.to = item.from = item.implicit = false;
  item.remove = (arrays_.kinds[i + 1] & 0xff) == kDelete;
  members_left_ = members + 1; // with this element
  return {};
}

void Decoder::add_attachment(std::size_t i, bool always, bool argument) {
  MapItem item;
  item.kind = MapKind::kAttachment;
  item.base = bytes(arrays_.addresses[i]);
  item.size = sizeof(void*);
  item.always = always;
  item.if_unattached = true;
  item.argument = argument;
  // The element's size is what the pointee's address has more than the pointer.
  std::uintptr_t value = 0;
  std::memcpy(&value, item.base, sizeof value);
  item.begin = value == 0 ? nullptr : reinterpret_cast<std::byte*>(value + arrays_.sizes[i]);
  // The section in front begins there, and where its variable begins is known nowhere else. A
  // kernel has to be given the section's begin.
  if (!target() && !items_.empty() && items_.back().kind == MapKind::kStorage &&
      items_.back().begin == item.begin && value != 0) {
    items_.back().base = reinterpret_cast<std::byte*>(value);
  }
  items_.push_back(item);
}

void Decoder::add_pointer(std::size_t i, bool always) {
  MapItem& item = add_storage(i);
  item.size = sizeof(void*);
  item.to = true; // null stays null
  item.from = item.implicit = false;
  item.member = descriptor_ != nullptr && item.begin >= descriptor_ &&
                item.begin < descriptor_ + descriptor_size_;
  if (item.member || always) {
    // In storage that is mapped already, with the pointer's value on the device.
    item.to = false;
    item.member = true;
  }
  const bool of_descriptor = descriptor_ != nullptr && item.begin == descriptor_;
  add_attachment(i, always, false);
  if (of_descriptor) {
    // The extents behind the pointer change with it, whether or not anything here is new.
    items_.back().size = descriptor_size_;
    items_.back().always = true;
  }
}

void Decoder::add_translation(std::size_t i, void** returned) {
  MapItem item;
  item.base = item.begin = bytes(arrays_.addresses[i]);
  item.implicit = true;
  item.argument = target();
  item.returned_base = returned;
  items_.push_back(item);
}

void Decoder::add_value(std::size_t i) {
  MapItem item;
  item.kind = MapKind::kValue;
  item.base = bytes(arrays_.addresses[i]);
  item.argument = target();
  items_.push_back(item);
}

Status Decoder::decode(std::size_t i) {
  const std::uint8_t kind = arrays_.kinds[i] & 0xff;
  void*& address = arrays_.addresses[i];
  if (address == nullptr) {
    if (target()) {
      add_value(i); // an optional argument of Fortran that is absent
    }
    return {};
  }
  if (kind <= kToFrom) {
    add_storage(i); // alloc, to, from, tofrom
    return {};
  }
  // What is no storage of its own, or not that alone.
  switch (kind) {
  case kFirstPrivateValue:
    add_value(i);
    return {};
  case kStruct:
  case kStructUnordered:
    return add_struct(i);
  case kPointer:
  case kPointerToZeroLength:
  case kAlwaysPointer:
    if (purpose_ != Purpose::kUpdate && purpose_ != Purpose::kExitData) {
      add_pointer(i, kind == kAlwaysPointer);
    }
    return {};
  case kAttach:
  case kAttachZeroLength:
    if (purpose_ != Purpose::kUpdate && purpose_ != Purpose::kExitData) {
      add_attachment(i, false, target());
    }
    return {};
  case kDetach:
    return {}; // what is taken off the device needs no pointer to it
  case kZeroLength:
  case kIfPresent:
    if (purpose_ == Purpose::kTarget) {
      add_translation(i, nullptr);
      return {};
    }
    break;
  case kUseDevicePointer:
  case kUseDevicePointerIfPresent:
    // libgomp ends the program if the first is not present; OpenMP 5.1 has it keep its value.
    add_translation(i, &address);
    return {};
  default:
    break;
  }
  MapItem& item = add_storage(i);
  switch (kind) {
  case kImplicit | kAlloc:
  case kImplicit | kTo:
  case kImplicit | kFrom:
  case kImplicit | kToFrom:
    break;
  case kRelease:
  case kDelete:
    item.remove = kind == kDelete;
    item.to = item.from = false;
    break;
  case kAlwaysTo:
  case kAlwaysFrom:
  case kAlwaysToFrom:
    item.always = true;
    break;
  case kPresentTo:
  case kPresentFrom:
  case kPresentToFrom:
    item.always = item.present = true;
    break;
  case kForcePresent:
    item.to = item.from = false;
    item.present = true;
    break;
  case kDescriptor:
    item.to = true;
    item.from = false;
    descriptor_ = item.begin;
    descriptor_size_ = item.size;
    break;
  case kFirstPrivate:
    item.kind = MapKind::kPrivate;
    item.to = true;
    item.from = false;
    break;
  case kZeroLength:
  case kIfPresent:
  case kDeleteZeroLength:
    item.size = 0; // counted, if it is present
    item.to = item.from = false;
    item.remove = kind == kDeleteZeroLength;
    break;
  default:
    return refuse(
        "list item {} is of kind {:#x}, which this runtime does not know; the program was "
        "built by a GCC newer than those that Gantry supports, or for OpenACC",
        i, kind);
  }
  return {};
}

Status Decoder::decode() {
  for (std::size_t i = 0; i < arrays_.count; ++i) {
    GANTRY_TRY(decode(i));
    members_left_ -= members_left_ > 0 ? 1 : 0;
  }
  return {};
}

} // namespace

Status decode_maps(const MapArrays& arrays, Purpose purpose, core::MapItems& items) {
  return Decoder(arrays, purpose, items).decode();
}

gantry_launch decode_launch(void* const* arguments) {
  gantry_launch launch{};
  launch.size = sizeof launch;
  launch.kind = GANTRY_LAUNCH_TARGET;
  launch.num_teams[0] = 1;
  while (arguments != nullptr && *arguments != nullptr) {
    const auto word = reinterpret_cast<std::uintptr_t>(*arguments++);
    std::int64_t value = static_cast<std::int64_t>(word) >> kLaunchValueShift;
    if ((word & kLaunchValueFollows) != 0) {
      value = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(*arguments++));
    }
    if ((word & kLaunchDeviceMask) != 0) {
      continue; // of one kind of device
    }
    if ((word & kLaunchNameMask) == kLaunchTeams) {
      // 1 from GCC 12 and older, and -2 from later ones: no teams construct. -1: its number is not
      // known here, 0: there is none.
      const bool has_teams = value != 1 && value != -2;
      launch.kind = has_teams ? GANTRY_LAUNCH_TEAMS : GANTRY_LAUNCH_TARGET;
      launch.num_teams[0] = !has_teams ? 1 : value < 0 ? 0 : static_cast<std::uint32_t>(value);
    } else if ((word & kLaunchNameMask) == kLaunchThreadLimit) {
      launch.thread_limit[0] = value < 0 ? 0 : static_cast<std::uint32_t>(value);
    }
  }
  return launch;
}

} // namespace gantry::abi::gcc
