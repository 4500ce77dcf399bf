// Collects what a translation unit declares to be called by pointer on a device: functions with the
// indirect clause of declare target (OpenMP 5.2, section 7.8), and classes with such virtual
// members.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/SetVector.h>

namespace gantry::pass {

/// The polymorphic classes that a class has as bases, direct and others, and before them itself;
/// each once.
[[nodiscard]] llvm::SetVector<const clang::CXXRecordDecl*>
hierarchy_of(const clang::CXXRecordDecl& definition);

class IndirectDeclarations {
public:
  /// Looks at `declaration` and what is declared inside. Where Clang would write an entry of its
  /// own for a function, it is told not to: its entries have one name for all instantiations of a
  /// template, clash between objects that include one header, and are errors where a function is
  /// not emitted.
  void add(clang::Decl* declaration);

  /// Canonical declarations, in the order in which they were met.
  [[nodiscard]] llvm::ArrayRef<clang::FunctionDecl*> functions() const {
    return functions_.getArrayRef();
  }
  /// Definitions of classes that are polymorphic; see has_indirect_member().
  [[nodiscard]] llvm::ArrayRef<clang::CXXRecordDecl*> polymorphic_classes() const {
    return classes_.getArrayRef();
  }

  [[nodiscard]] bool contains(const clang::FunctionDecl* function) const;

  /// True if a virtual member that the class declares itself is to be called on a device.
  [[nodiscard]] bool declares_indirect_member(const clang::CXXRecordDecl* definition) const;
  /// The same of its own and inherited ones.
  [[nodiscard]] bool has_indirect_member(const clang::CXXRecordDecl* definition) const;

private:
  void add_function(clang::FunctionDecl* function);

  llvm::SetVector<clang::FunctionDecl*> functions_;
  llvm::SetVector<clang::CXXRecordDecl*> classes_;
};

} // namespace gantry::pass
