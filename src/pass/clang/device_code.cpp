#include "pass/clang/device_code.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>

namespace gantry::pass {

namespace {

void report(clang::DiagnosticsEngine& diagnostics, clang::SourceLocation location,
            llvm::StringRef construct) {
  const unsigned id = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Error,
      "'%0' is not supported in code for a device; call a virtual function of the object instead");
  diagnostics.Report(location, id) << construct;
}

void check(const clang::Stmt* statement, bool on_device, clang::DiagnosticsEngine& diagnostics);

void check_children(const clang::Stmt& statement, bool on_device,
                    clang::DiagnosticsEngine& diagnostics) {
  for (const clang::Stmt* child : statement.children()) {
    check(child, on_device, diagnostics);
  }
}

void check(const clang::Stmt* statement, bool on_device, clang::DiagnosticsEngine& diagnostics) {
  if (statement == nullptr ||
      llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(statement)) {
    return; // their operands are not evaluated
  }
  if (const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(statement)) {
    on_device |= clang::isOpenMPTargetExecutionDirective(directive->getDirectiveKind());
  } else if (const auto* captured = llvm::dyn_cast<clang::CapturedStmt>(statement)) {
    check(captured->getCapturedStmt(), on_device, diagnostics);
  } else if (const auto* cast = llvm::dyn_cast<clang::CXXDynamicCastExpr>(statement)) {
    if (on_device && cast->getCastKind() == clang::CK_Dynamic) {
      report(diagnostics, cast->getBeginLoc(), "dynamic_cast");
    }
  } else if (const auto* type = llvm::dyn_cast<clang::CXXTypeidExpr>(statement)) {
    if (!type->isPotentiallyEvaluated()) {
      return;
    }
    if (on_device) {
      report(diagnostics, type->getBeginLoc(), "typeid");
    }
  } else if (llvm::isa<clang::LambdaExpr>(statement) && !on_device) {
    return; // its function is looked at by itself
  }
  check_children(*statement, on_device, diagnostics);
}

bool is_device_function(const clang::FunctionDecl& function) {
  const auto device = clang::OMPDeclareTargetDeclAttr::getDeviceType(&function);
  return device && *device != clang::OMPDeclareTargetDeclAttr::DT_Host;
}

void check_function(const clang::FunctionDecl& function, clang::DiagnosticsEngine& diagnostics) {
  const bool is_written_by_user =
      !function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation());
  if (is_written_by_user && function.doesThisDeclarationHaveABody() &&
      !function.isDependentContext()) {
    check(function.getBody(), is_device_function(function), diagnostics);
  }
}

} // namespace

void check_device_code(const clang::Decl* declaration, clang::DiagnosticsEngine& diagnostics) {
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    check_function(*function, diagnostics);
  } else if (const auto* function_template =
                 llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
    for (const clang::FunctionDecl* instance : function_template->specializations()) {
      check_device_code(instance, diagnostics);
    }
  } else if (const auto* class_template = llvm::dyn_cast<clang::ClassTemplateDecl>(declaration)) {
    for (const clang::Decl* instance : class_template->specializations()) {
      check_device_code(instance, diagnostics);
    }
  }
  if (const auto* context = llvm::dyn_cast<clang::DeclContext>(declaration)) {
    for (const clang::Decl* inside : context->decls()) {
      check_device_code(inside, diagnostics);
    }
  }
}

} // namespace gantry::pass
