#include "pass/clang/declarations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>

namespace gantry::pass {

namespace {

/// indirect, or indirect(true), which Clang records without effect.
bool is_indirect(const clang::OMPDeclareTargetDeclAttr& attribute,
                 const clang::ASTContext& context) {
  const clang::Expr* condition = attribute.getIndirectExpr();
  bool value = false;
  return condition == nullptr ? attribute.getIndirect()
                              : !condition->isValueDependent() &&
                                    condition->EvaluateAsBooleanCondition(value, context) && value;
}

/// Takes the clause off every declaration of the function and tells whether there was one.
bool take_clause(clang::FunctionDecl* function) {
  clang::ASTContext& context = function->getASTContext();
  bool found = false;
  for (clang::FunctionDecl* declaration : function->redecls()) {
    llvm::SmallVector<clang::OMPDeclareTargetDeclAttr*, 1> without_clause;
    bool changes = false;
    for (const auto* attribute : declaration->specific_attrs<clang::OMPDeclareTargetDeclAttr>()) {
      found |= is_indirect(*attribute, context);
      changes |= attribute->getIndirect() || attribute->getIndirectExpr() != nullptr;
      without_clause.push_back(clang::OMPDeclareTargetDeclAttr::CreateImplicit(
          context, attribute->getMapType(), attribute->getDevType(), nullptr, false,
          attribute->getLevel(), attribute->getRange()));
    }
    if (changes) {
      declaration->dropAttr<clang::OMPDeclareTargetDeclAttr>();
      for (auto* attribute : without_clause) {
        declaration->addAttr(attribute);
      }
    }
  }
  return found;
}

} // namespace

llvm::SetVector<const clang::CXXRecordDecl*> hierarchy_of(const clang::CXXRecordDecl& definition) {
  llvm::SetVector<const clang::CXXRecordDecl*> records;
  records.insert(&definition);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const clang::CXXBaseSpecifier& base : records[i]->bases()) {
      const clang::CXXRecordDecl* record = base.getType()->getAsCXXRecordDecl();
      if (record != nullptr && record->hasDefinition() && record->isDynamicClass()) {
        records.insert(record->getDefinition());
      }
    }
  }
  return records;
}

void IndirectDeclarations::add_function(clang::FunctionDecl* function) {
  // A template keeps the clause for its instantiations.
  if (!function->isDependentContext() && take_clause(function)) {
    functions_.insert(function->getCanonicalDecl());
  }
}

void IndirectDeclarations::add(clang::Decl* declaration) {
  if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    add_function(function);
  } else if (auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declaration)) {
    if (record->isThisDeclarationADefinition() && !record->isDependentType() &&
        record->isDynamicClass()) {
      classes_.insert(record);
    }
  } else if (auto* function_template = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
    for (clang::FunctionDecl* instance : function_template->specializations()) {
      add(instance);
    }
  } else if (auto* class_template = llvm::dyn_cast<clang::ClassTemplateDecl>(declaration)) {
    for (clang::ClassTemplateSpecializationDecl* instance : class_template->specializations()) {
      add(instance);
    }
  }
  if (auto* context = llvm::dyn_cast<clang::DeclContext>(declaration)) {
    for (clang::Decl* inside : context->decls()) {
      add(inside);
    }
  }
}

bool IndirectDeclarations::contains(const clang::FunctionDecl* function) const {
  return functions_.contains(const_cast<clang::FunctionDecl*>(function->getCanonicalDecl()));
}

bool IndirectDeclarations::declares_indirect_member(const clang::CXXRecordDecl* definition) const {
  return llvm::any_of(definition->methods(), [&](const clang::CXXMethodDecl* method) {
    return method->isVirtual() && contains(method);
  });
}

bool IndirectDeclarations::has_indirect_member(const clang::CXXRecordDecl* definition) const {
  return llvm::any_of(hierarchy_of(*definition), [&](const clang::CXXRecordDecl* record) {
    return declares_indirect_member(record);
  });
}

} // namespace gantry::pass
