// Phis of a warp: variables, which each edge writes for its lanes.
#include "simt/lower/warp_function.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace gantry::simt::lower {

void WarpFunction::emit_phis(llvm::BasicBlock& block) {
  for (const llvm::PHINode& phi : block.phis()) {
    const Slots& slots = phi_slots_[&phi];
    WarpValue value;
    const auto load = [&](llvm::AllocaInst* slot) -> Value* {
      return slot == nullptr ? nullptr : builder_.CreateLoad(slot->getAllocatedType(), slot);
    };
    value.scalar = load(slots.scalar);
    value.row_stride = load(slots.row_stride);
    value.guard = load(slots.guard);
    value.correction = load(slots.correction);
    value.vector = load(slots.vector);
    if (value.vector != nullptr && divergence_.is_divergent(&block)) {
      // What was collected is taken: the next pass collects anew.
      builder_.CreateStore(llvm::PoisonValue::get(value.vector->getType()), slots.vector);
    }
    if (value.scalar == nullptr && value.vector == nullptr) {
      // No edge has been emitted yet that gives it a value: made now, filled later.
      Slots& made = phi_slots_[&phi];
      const Shape of = shape(&phi);
      if (!of.is_varying()) {
        made.scalar = variable(scalar_type(phi.getType()), "phi");
        value.scalar = builder_.CreateLoad(made.scalar->getAllocatedType(), made.scalar);
      }
      if (of.has_row_stride) {
        made.row_stride = variable(scalar_type(phi.getType()), "phi.row_stride");
        value.row_stride =
            builder_.CreateLoad(made.row_stride->getAllocatedType(), made.row_stride);
      }
      if (of.is_affine() && of.guarded) {
        made.guard = variable(builder_.getInt1Ty(), "phi.guard");
        value.guard = builder_.CreateLoad(builder_.getInt1Ty(), made.guard);
        made.correction = variable(vector_type(phi.getType()), "phi.correction");
        value.correction =
            builder_.CreateLoad(made.correction->getAllocatedType(), made.correction);
      }
      if (of.is_varying()) {
        made.vector = variable(vector_type(phi.getType()), "phi.lanes");
        value.vector = builder_.CreateLoad(made.vector->getAllocatedType(), made.vector);
      }
    }
    define(phi, value);
  }
}

// Gives the phis of the targets their values. `edges` are the targets with the lanes that go there,
// as a mask; with `all_taken` the one target is taken by all.
void WarpFunction::pass_phi_values(llvm::BasicBlock& from,
                                   llvm::ArrayRef<std::pair<llvm::BasicBlock*, Value*>> edges,
                                   bool all_taken) {
  struct Assignment {
    llvm::AllocaInst* slot;
    Value* value;
  };
  llvm::SmallVector<Assignment> assignments; // all read before any is written
  for (const auto& [target, lanes] : edges) {
    const llvm::Loop* loop = divergence_.loops().getLoopFor(target);
    const bool enters_pass = loop != nullptr && loop->getHeader() == target;
    for (const llvm::PHINode& phi : target->phis()) {
      const Value* incoming = phi.getIncomingValueForBlock(&from);
      Slots& slots = phi_slots_[&phi];
      const Shape of = shape(&phi);
      const auto assign = [&](llvm::AllocaInst*& slot, Value* value, const char* name) {
        if (slot == nullptr) {
          slot = variable(value->getType(), name);
        }
        if (!all_taken) {
          // An edge that no lane takes must leave alone what another edge has given.
          Value* old = builder_.CreateLoad(value->getType(), slot);
          value = builder_.CreateSelect(builder_.CreateIsNotNull(lanes), value, old);
        }
        assignments.push_back({slot, value});
      };
      if (of.is_affine() && of.guarded) {
        const WarpValue value = as_guarded(incoming, of);
        assign(slots.scalar, value.scalar, "phi");
        assign(slots.guard, value.guard, "phi.guard");
        assign(slots.correction, value.correction, "phi.correction");
      } else if (!of.is_varying()) {
        assign(slots.scalar, scalar(incoming), "phi");
      }
      if (of.has_row_stride) {
        assign(slots.row_stride, row_stride_of_operand(incoming), "phi.row_stride");
      }
      if (of.is_varying()) {
        if (slots.vector == nullptr) {
          slots.vector = variable(vector_type(phi.getType()), "phi.lanes");
        }
        Value* value = vector(incoming);
        // Lanes outside of this loop do not use its phis.
        if (divergence_.is_divergent(&from) || !all_taken) {
          if (!enters_pass) {
            Value* old = builder_.CreateLoad(value->getType(), slots.vector);
            Value* taken = lanes_of(lanes);
            if (auto* type = llvm::dyn_cast<llvm::StructType>(value->getType())) {
              Value* merged = llvm::PoisonValue::get(type);
              for (unsigned i = 0; i < type->getNumElements(); ++i) {
                merged = builder_.CreateInsertValue(
                    merged,
                    builder_.CreateSelect(taken, builder_.CreateExtractValue(value, i),
                                          builder_.CreateExtractValue(old, i)),
                    i);
              }
              value = merged;
            } else {
              value = builder_.CreateSelect(taken, value, old);
            }
          }
        }
        assignments.push_back({slots.vector, value});
      }
    }
  }
  for (const Assignment& assignment : assignments) {
    builder_.CreateStore(assignment.value, assignment.slot);
  }
}

} // namespace gantry::simt::lower
