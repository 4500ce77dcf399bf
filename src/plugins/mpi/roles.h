// Who is who in a job: each process says at the start what it is, and all know of all.
#pragma once

#include "base/result.h"
#include "plugins/mpi/library.h"
#include "plugins/mpi/protocol.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

namespace gantry::mpi {

struct Role {
  enum class What : std::uint32_t { kProgram, kNode };

  std::array<char, 8> mark = {'g', 'a', 'n', 't', 'r', 'y', 0, 0};
  std::uint32_t version = kProtocolVersion;
  What what = What::kProgram;
  std::uint32_t is_little_endian = std::endian::native == std::endian::little ? 1 : 0;
  std::uint32_t pointer_size = sizeof(void*);
  std::array<char, 64> host = {}; ///< the machine's name, with a 0 at the end
  std::array<char, 64> mpi = {};  ///< what its MPI library calls itself

  [[nodiscard]] bool is_ours() const { return mark == Role().mark; }
  [[nodiscard]] std::string host_name() const { return text(host); }

  template <std::size_t Size>
  static std::string text(const std::array<char, Size>& of) {
    return {of.data(), strnlen(of.data(), of.size())};
  }
};

/// This process's.
[[nodiscard]] inline Role own_role(Role::What what, std::string_view mpi) {
  Role role;
  role.what = what;
  gethostname(role.host.data(), role.host.size() - 1);
  mpi.copy(role.mpi.data(), role.mpi.size() - 1);
  return role;
}

/// What keeps two processes from working together, about the other one; empty: nothing does.
[[nodiscard]] inline std::string why_not_together(const Role& own, const Role& other) {
  if (other.version != own.version) {
    return fmt::format("it speaks version {} of the protocol and this process version {}; install "
                       "the same Gantry on all machines",
                       other.version, own.version);
  }
  if (other.is_little_endian != own.is_little_endian || other.pointer_size != own.pointer_size) {
    return "its processor keeps numbers in memory otherwise than this one's; start it on a machine "
           "that is little endian and has 64 bits";
  }
  if (other.mpi != own.mpi) {
    return fmt::format("its MPI is '{}' and this process's '{}'; start both with the same",
                       Role::text(other.mpi), Role::text(own.mpi));
  }
  return "";
}

/// Every process of the communicator calls it, and gets what all are.
[[nodiscard]] inline Result<std::vector<Role>> gather_roles(Library& library, Communicator among,
                                                            Role::What what) {
  const Role own = own_role(what, library.name());
  std::vector<Role> roles(static_cast<std::size_t>(library.size(among)));
  GANTRY_TRY(library.gather(among, std::as_bytes(std::span(&own, 1)),
                            std::as_writable_bytes(std::span(roles))));
  return roles;
}

/// The processes of a job by what they are. The nodes are dealt out among the programs in turn.
struct Parts {
  std::vector<int> programs, nodes;

  /// The program that a node works for. There is one at least.
  [[nodiscard]] int program_of(int node) const {
    const auto place = std::ranges::lower_bound(nodes, node) - nodes.begin();
    return programs[static_cast<std::size_t>(place) % programs.size()];
  }
};

/// `self` is this process. An error if it cannot work with another one.
[[nodiscard]] inline Result<Parts> parts_of(std::span<const Role> roles, int self) {
  Parts parts;
  for (int i = 0; i < static_cast<int>(roles.size()); ++i) {
    const Role& role = roles[static_cast<std::size_t>(i)];
    if (!role.is_ours()) {
      return fail("process {} of the job is none of Gantry's; start the program with "
                  "GANTRY_DEVICES=mpi in its environment",
                  i);
    }
    const Role& own = roles[static_cast<std::size_t>(self)];
    if (const std::string why = why_not_together(own, role); !why.empty()) {
      return fail("process {} of the job, on {}, cannot be worked with: {}", i, role.host_name(),
                  why);
    }
    (role.what == Role::What::kProgram ? parts.programs : parts.nodes).push_back(i);
  }
  return parts;
}

} // namespace gantry::mpi
