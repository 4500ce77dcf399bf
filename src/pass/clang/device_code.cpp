#include "pass/clang/device_code.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>

namespace gantry::pass {

namespace {

/// Looks at functions of one translation unit.
class Checker {
public:
  Checker(clang::DiagnosticsEngine& diagnostics, bool for_gpu)
      : diagnostics_(diagnostics), for_gpu_(for_gpu) {}

  void check_declaration(const clang::Decl* declaration);

private:
  void report_type_information(clang::SourceLocation location, llvm::StringRef construct) {
    const unsigned id = diagnostics_.getCustomDiagID(
        clang::DiagnosticsEngine::Error,
        "'%0' is not supported in code for a device; call a virtual function of the object "
        "instead");
    diagnostics_.Report(location, id) << construct;
  }

  void check_scan(const clang::OMPExecutableDirective& directive);
  void check(const clang::Stmt* statement, bool on_device);
  void check_children(const clang::Stmt& statement, bool on_device) {
    for (const clang::Stmt* child : statement.children()) {
      check(child, on_device);
    }
  }
  void check_function(const clang::FunctionDecl& function);

  clang::DiagnosticsEngine& diagnostics_;
  bool for_gpu_;
};

/// Clang 19 to 22 give each thread of a GPU a buffer of its own for what a scan hands from thread
/// to thread. A loop that one thread executes has no such buffer.
void Checker::check_scan(const clang::OMPExecutableDirective& directive) {
  if (!clang::isOpenMPWorksharingDirective(directive.getDirectiveKind())) {
    return;
  }
  for (const auto* clause : directive.getClausesOfKind<clang::OMPReductionClause>()) {
    if (clause->getModifier() == clang::OMPC_REDUCTION_inscan) {
      const unsigned id = diagnostics_.getCustomDiagID(
          clang::DiagnosticsEngine::Warning,
          "a scan among the threads of a GPU has wrong results, because the compiler gives each "
          "thread a buffer of its own; compute prefix sums without 'inscan' in code for GPUs");
      diagnostics_.Report(clause->getBeginLoc(), id);
      return;
    }
  }
}

void Checker::check(const clang::Stmt* statement, bool on_device) {
  if (statement == nullptr ||
      llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(statement)) {
    return; // their operands are not evaluated
  }
  if (const auto* directive = llvm::dyn_cast<clang::OMPExecutableDirective>(statement)) {
    on_device |= clang::isOpenMPTargetExecutionDirective(directive->getDirectiveKind());
    if (on_device && for_gpu_) {
      check_scan(*directive);
    }
  } else if (const auto* captured = llvm::dyn_cast<clang::CapturedStmt>(statement)) {
    check(captured->getCapturedStmt(), on_device);
  } else if (const auto* cast = llvm::dyn_cast<clang::CXXDynamicCastExpr>(statement)) {
    if (on_device && cast->getCastKind() == clang::CK_Dynamic) {
      report_type_information(cast->getBeginLoc(), "dynamic_cast");
    }
  } else if (const auto* type = llvm::dyn_cast<clang::CXXTypeidExpr>(statement)) {
    if (!type->isPotentiallyEvaluated()) {
      return;
    }
    if (on_device) {
      report_type_information(type->getBeginLoc(), "typeid");
    }
  } else if (llvm::isa<clang::LambdaExpr>(statement) && !on_device) {
    return; // its function is looked at by itself
  }
  check_children(*statement, on_device);
}

bool is_device_function(const clang::FunctionDecl& function) {
  const auto device = clang::OMPDeclareTargetDeclAttr::getDeviceType(&function);
  return device && *device != clang::OMPDeclareTargetDeclAttr::DT_Host;
}

void Checker::check_function(const clang::FunctionDecl& function) {
  const bool is_written_by_user =
      !function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation());
  if (is_written_by_user && function.doesThisDeclarationHaveABody() &&
      !function.isDependentContext()) {
    check(function.getBody(), is_device_function(function));
  }
}

void Checker::check_declaration(const clang::Decl* declaration) {
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
    check_function(*function);
  } else if (const auto* function_template =
                 llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
    for (const clang::FunctionDecl* instance : function_template->specializations()) {
      check_declaration(instance);
    }
  } else if (const auto* class_template = llvm::dyn_cast<clang::ClassTemplateDecl>(declaration)) {
    for (const clang::Decl* instance : class_template->specializations()) {
      check_declaration(instance);
    }
  }
  if (const auto* context = llvm::dyn_cast<clang::DeclContext>(declaration)) {
    for (const clang::Decl* inside : context->decls()) {
      check_declaration(inside);
    }
  }
}

} // namespace

void check_device_code(const clang::ASTContext& context, clang::DiagnosticsEngine& diagnostics) {
  const llvm::Triple& triple = context.getTargetInfo().getTriple();
  Checker(diagnostics, triple.isNVPTX() || triple.isAMDGCN())
      .check_declaration(context.getTranslationUnitDecl());
}

} // namespace gantry::pass
