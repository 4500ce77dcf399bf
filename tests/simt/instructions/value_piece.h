// Pieces that check one instance of an instruction of values against its reference: with operands
// that differ anyhow over a warp, that are the same in all its lanes, that grow by a step, and that
// are literals; for all lanes, under a predicate and in a divergent branch; in registers of the
// operands' types and in others.
#pragma once

#include "batch.h"
#include "instance.h"

#include <vector>

namespace gantry::simt::instructions {

/// Whether results depend on operands alone, so that pieces can be made of the form.
[[nodiscard]] bool is_of_values(const exec::verifier::Form& form);

/// How many of the variants of an instance are made. Which, where not all are, differs by its name.
enum class Share { kAll, kSome, kOne };
[[nodiscard]] std::vector<Piece> pieces_of(const Instance& instance, Share share);

/// Whether the ISA has that conversion: which round, and how, depends on both types.
[[nodiscard]] bool is_conversion(const Instance& instance);

} // namespace gantry::simt::instructions
