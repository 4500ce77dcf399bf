// The declare target link variables of the images on a device (OpenMP 5.2, section 7.8.4): present
// while a construct maps them. An image uses one through a pointer of its own, or has storage for
// it.
#pragma once

#include <cstdint>
#include <vector>

namespace gantry::core {

/// How the code of an image uses a link variable, for compilers that leave this to the runtime.
struct LinkTarget {
  /// Of the device: a pointer, which is to point to the corresponding storage while there is any.
  void* pointer = nullptr;
  /// Else the storage itself, which is the corresponding storage whenever the variable is mapped.
  void* storage = nullptr;
  bool operator==(const LinkTarget&) const = default;
};

/// Not thread-safe: its user holds the lock of the device data environment.
class LinkVariables {
public:
  void add(std::uintptr_t host, std::uint64_t size, const LinkTarget& target);
  /// Ends add() if it was made with this target.
  void remove(std::uintptr_t host, const LinkTarget& target);

  [[nodiscard]] bool empty() const { return links_.empty(); }

  /// Where an image has the storage of a variable that [begin, begin + size) lies in; else 0.
  [[nodiscard]] std::uintptr_t storage_of(std::uintptr_t begin, std::uint64_t size) const;

  /// Calls `visit` with the host address of each variable that has a byte in [begin, end), a part
  /// of which stands for the whole, and the device's pointer to it.
  template <typename Visitor>
  void for_each_pointer(std::uintptr_t begin, std::uintptr_t end, Visitor visit) const {
    for (auto link = first(begin); link != links_.end() && link->host < end; ++link) {
      if (link->target.pointer != nullptr) {
        visit(link->host, link->target.pointer);
      }
    }
  }

private:
  struct Link {
    std::uintptr_t host;
    std::uint64_t size;
    LinkTarget target;
  };
  using Links = std::vector<Link>;
  /// The first variable that does not end before `begin`.
  [[nodiscard]] Links::const_iterator first(std::uintptr_t begin) const;

  Links links_; ///< sorted by host address
};

} // namespace gantry::core
