// What the pieces of ld and st have in common: where the records are, how a lane finds its own,
// what keeps lanes from the access, and the PTX around it.
#pragma once

#include "batch.h"
#include "instance.h"
#include "memory_piece.h"

#include <string>

namespace gantry::simt::instructions {

enum class Place { kGlobal, kShared, kLocal, kConst, kKernelParameter, kFunctionParameter };
enum class Guard { kNone, kPredicate, kBranch };

/// What ld and st pieces have in common.
class AccessPiece {
public:
  AccessPiece(const Instance& instance, Addressing addressing);

protected:
  [[nodiscard]] Place place_of() const;
  [[nodiscard]] bool is_generic() const;

  /// The lane whose record a lane accesses.
  [[nodiscard]] unsigned other(unsigned lane, unsigned block) const;
  [[nodiscard]] std::string other_code() const;

  [[nodiscard]] bool executes(unsigned thread) const;
  [[nodiscard]] std::string guard_code(const std::string& address) const;
  [[nodiscard]] const char* guard_text() const;

  /// The cache policy, whatever it is, of an instruction that has one.
  [[nodiscard]] const char* policy_text() const;

  /// %p: the address `base`, of the space or a generic one, plus %j records.
  [[nodiscard]] std::string address_code(const char* space, const std::string& base) const;
  [[nodiscard]] std::string address() const;
  /// The same in global memory, where the records are cells of the inputs ("in") or outputs ("out")
  /// from `first` bytes on.
  [[nodiscard]] std::string global_code(const char* cells, unsigned first) const;

  /// Stores the record of input 0 to this lane's place in a window, with plain stores.
  [[nodiscard]] std::string fill_code(const Places& places, const char* space) const;

  [[nodiscard]] std::string register_text(unsigned element) const;
  [[nodiscard]] std::string registers_code() const;
  [[nodiscard]] std::string moved_text() const;

  Instance instance_;
  Word seed_;
  Addressing addressing_;
  unsigned size_, elements_, bytes_;
  Place place_ = Place::kGlobal;
  Guard guard_ = Guard::kNone;
  bool as_vector_ = false;
  unsigned register_bits_ = 0;
  std::string label_;
};

} // namespace gantry::simt::instructions
