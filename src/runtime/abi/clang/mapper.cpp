// User-defined mappers (OpenMP 5.2, section 5.8.8). Clang emits a function for each; the runtime
// calls it with an entry, and it pushes the entries that stand for it.
#include "runtime/abi/clang/decode.h"
#include "runtime/abi/export.h"

#include <vector>

namespace gantry::abi::clang {

namespace {

struct Component {
  void* base;
  void* begin;
  std::int64_t size;
  std::uint64_t type;
  void* name;
};

/// What the handle of the emitted code points to.
using Components = std::vector<Component>;

/// What a map clause says of everything that its items' mappers map; Clang's functions hand on the
/// map type alone, to and from.
constexpr std::uint64_t kInherited = kAlways | kDelete | kClose | kPresent | kHold;

} // namespace

Status expand_mapper(MapperFunction mapper, void* base, void* begin, std::int64_t size,
                     std::uint64_t type, void* name, MapItems& items) {
  Components components;
  mapper(&components, base, begin, size, static_cast<std::int64_t>(type), name);
  const std::size_t list_begin = items.size();
  for (const Component& component : components) {
    // Whether the compiler hands the parameter bit on to its components differs; one has it.
    const std::uint64_t own =
        (component.type & ~std::uint64_t{kTargetParameter}) | (type & kInherited);
    GANTRY_TRY(decode_entry(component.base, component.begin, component.size, own, component.name,
                            list_begin, items));
  }
  // The entry's own parameter is the whole object's: the first component's. It stands for the
  // entry's base; a component's is the object itself, which a section's lower bound sets apart.
  if ((type & (kTargetParameter | kReturnParameter)) != 0 && items.size() > list_begin) {
    core::MapItem& whole = items[list_begin];
    whole.argument = (type & kTargetParameter) != 0;
    if (whole.kind == core::MapKind::kStorage) {
      whole.base = static_cast<std::byte*>(base);
    }
  }
  return {};
}

} // namespace gantry::abi::clang

using namespace gantry::abi::clang;

GANTRY_EXPORT void __tgt_push_mapper_component(void* handle, void* base, void* begin,
                                               std::int64_t size, std::int64_t type, void* name) {
  static_cast<Components*>(handle)->push_back(
      {base, begin, size, static_cast<std::uint64_t>(type), name});
}

GANTRY_EXPORT std::int64_t __tgt_mapper_num_components(void* handle) {
  return static_cast<std::int64_t>(static_cast<Components*>(handle)->size());
}
