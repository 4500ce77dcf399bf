// Pieces that check one instance of ld or st: in its space, at addresses that grow with the lane,
// that jump about and that are the same in all lanes, in registers of the type's width and wider
// ones, one by one and as vector registers.
#pragma once

#include "batch.h"
#include "instance.h"

namespace gantry::simt::instructions {

/// How the lanes of a warp find their records.
enum class Addressing { kOwn, kOther, kUniform };

/// Whether an instance's vector is one that there is.
[[nodiscard]] bool is_access(const Instance& instance);
[[nodiscard]] Piece load_piece(const Instance& instance, Addressing addressing);
[[nodiscard]] Piece store_piece(const Instance& instance, Addressing addressing);

} // namespace gantry::simt::instructions
