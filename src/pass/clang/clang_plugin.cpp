// The plugin for stock Clang: what the passes cannot know or make themselves.
//
// In every translation unit that is compiled for offloading, on the host and for a device, it notes
// which functions and classes are to be called by pointer on a device, and leaves a marker in the
// module (see pass/entries.h). For a device it also has emitted what Clang leaves out, because no
// device code of the translation unit uses it: inline and static functions, and the virtual tables
// of classes whose objects the host makes.
#include "pass/clang/declarations.h"
#include "pass/clang/device_code.h"
#include "pass/entries.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/xxhash.h>

namespace gantry::pass {

namespace {

class Consumer : public clang::SemaConsumer {
public:
  explicit Consumer(clang::CompilerInstance& compiler) : compiler_(compiler) {}

  void InitializeSema(clang::Sema& sema) override { sema_ = &sema; }
  void ForgetSema() override { sema_ = nullptr; }

  // Runs before Clang's own consumer, which may emit a declaration as soon as it gets it.

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group) {
      declarations_.add(declaration);
    }
    return true;
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl* function) override {
    declarations_.add(function);
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (compiler_.getDiagnostics().hasErrorOccurred() || sema_ == nullptr) {
      return;
    }
    // Again for what was declared indirect after its definition.
    for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
      declarations_.add(declaration);
    }
    const bool for_device = context.getLangOpts().OpenMPIsTargetDevice;
    if (for_device) {
      emit_for_device();
      check_device_code(context, compiler_.getDiagnostics());
    }
    if (const std::string text = marker_text(context); !text.empty()) {
      leave_marker(context, text, for_device);
    }
  }

private:
  [[nodiscard]] static bool is_for_devices(const clang::CXXMethodDecl& method) {
    return clang::OMPDeclareTargetDeclAttr::isDeclareTargetDeclaration(&method).has_value();
  }

  /// The virtual members in the class's table that are not for the device. Implicit members and an
  /// inline destructor are for the device if the base classes' are.
  [[nodiscard]] static bool stays_on_host(const clang::CXXMethodDecl& method) {
    if (is_for_devices(method) || method.isPureVirtual()) {
      return false;
    }
    if (!llvm::isa<clang::CXXDestructorDecl>(method)) {
      return method.isUserProvided();
    }
    return llvm::any_of(hierarchy_of(*method.getParent()), [](const clang::CXXRecordDecl* record) {
      const clang::CXXDestructorDecl* destructor = record->getDestructor();
      return destructor != nullptr && !is_for_devices(*destructor) &&
             destructor->isUserProvided() && !destructor->isInlined();
    });
  }

  /// True if this translation unit is to emit the virtual table: each one that sees the class, or
  /// the one that defines its key function or instantiates it explicitly.
  [[nodiscard]] static bool has_table_here(clang::ASTContext& context,
                                           const clang::CXXRecordDecl& record) {
    switch (record.getTemplateSpecializationKind()) {
    case clang::TSK_ExplicitInstantiationDeclaration:
      return false;
    case clang::TSK_ExplicitInstantiationDefinition:
    case clang::TSK_ImplicitInstantiation:
      return true;
    case clang::TSK_Undeclared:
    case clang::TSK_ExplicitSpecialization:
      break;
    }
    const clang::CXXMethodDecl* key = context.getCurrentKeyFunction(&record);
    return key == nullptr || key->hasBody();
  }

  /// True if objects of the class may be made here: then something uses a constructor, or the class
  /// is where its virtual table is for all.
  [[nodiscard]] static bool is_made_here(clang::ASTContext& context,
                                         const clang::CXXRecordDecl& record) {
    return context.getCurrentKeyFunction(&record) != nullptr ||
           record.getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDefinition ||
           llvm::any_of(record.ctors(), [](const clang::CXXConstructorDecl* constructor) {
             return constructor->isUsed() || constructor->isReferenced();
           });
  }

  /// A class that only inherits what is for devices gets a table if nothing in it is defined
  /// elsewhere: that may be in a library, which has an image of its own.
  [[nodiscard]] static bool inherits_only_what_is_here(const clang::CXXRecordDecl& record) {
    return llvm::all_of(hierarchy_of(record), [&](const clang::CXXRecordDecl* each) {
      return each == &record ||
             llvm::all_of(each->methods(), [](const clang::CXXMethodDecl* method) {
               return !method->isVirtual() || method->isPureVirtual() ||
                      !method->isUserProvided() || method->hasBody();
             });
    });
  }

  /// True if the class has a virtual table for devices that this translation unit is to emit. The
  /// compilations for host and device agree on it.
  [[nodiscard]] bool has_device_table(clang::ASTContext& context,
                                      const clang::CXXRecordDecl& record) const {
    return declarations_.has_indirect_member(&record) && has_table_here(context, record) &&
           is_made_here(context, record) &&
           (declarations_.declares_indirect_member(&record) || inherits_only_what_is_here(record));
  }

  void emit_for_device() {
    clang::ASTContext& context = compiler_.getASTContext();
    llvm::SmallVector<clang::CXXRecordDecl*> tables;
    for (clang::CXXRecordDecl* record : declarations_.polymorphic_classes()) {
      if (has_device_table(context, *record)) {
        tables.push_back(record);
        sema_->MarkVirtualMembersReferenced(record->getLocation(), record, true);
      }
    }
    sema_->PerformPendingInstantiations();
    // Iterates by index, because the list may grow meanwhile.
    for (std::size_t i = 0; i < declarations_.functions().size(); ++i) {
      emit(declarations_.functions()[i]);
    }
    for (clang::CXXRecordDecl* record : tables) {
      compiler_.getASTConsumer().HandleVTable(record);
    }
  }

  /// Clang emits a function that is static or inline only if device code uses it. What nothing in
  /// this translation unit refers to has no address here.
  void emit(clang::FunctionDecl* function) {
    const clang::FunctionDecl* definition = nullptr;
    if (!function->hasBody(definition) || !(function->isUsed() || function->isReferenced())) {
      return;
    }
    auto* emitted = const_cast<clang::FunctionDecl*>(definition);
    emitted->addAttr(clang::UsedAttr::CreateImplicit(compiler_.getASTContext()));
    compiler_.getASTConsumer().HandleTopLevelDecl(clang::DeclGroupRef(emitted));
  }

  /// Begins the names of the translation unit's entries: as Clang's own, with numbers of the source
  /// file, which the compilations for host and device have in common. Macros they need not have.
  static std::string entry_prefix(clang::ASTContext& context) {
    const clang::SourceManager& sources = context.getSourceManager();
    // Where the file ends, because preprocessed source says only after its start where it is from.
    const clang::PresumedLoc end =
        sources.getPresumedLoc(sources.getLocForEndOfFile(sources.getMainFileID()));
    const llvm::StringRef file = end.isValid() ? end.getFilename() : "";
    llvm::sys::fs::UniqueID id;
    if (llvm::sys::fs::getUniqueID(file, id)) {
      id = {0, llvm::xxh3_64bits(file)}; // there is no such file: the name has to do
    }
    return llvm::formatv("__omp_offloading_indirect_{0:x-}_{1:x-}_", id.getDevice(), id.getFile());
  }

  std::string marker_text(clang::ASTContext& context) {
    const std::string prefix = entry_prefix(context);
    clang::ASTNameGenerator names(context);
    const std::unique_ptr<clang::MangleContext> mangling(context.createMangleContext());
    std::string text;
    const auto add_line = [&](char kind, const std::string& symbol) {
      text += llvm::formatv("{0} {1} {2}{1}\n", kind, symbol, prefix);
    };
    for (const clang::FunctionDecl* function : declarations_.functions()) {
      // Skips constructors and destructors, because their address cannot be taken.
      if (!llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(function)) {
        add_line(kMarkedFunction, names.getName(function));
      }
    }
    llvm::SetVector<const clang::CXXMethodDecl*> on_host;
    for (const clang::CXXRecordDecl* record : declarations_.polymorphic_classes()) {
      if (!has_device_table(context, *record)) {
        continue;
      }
      std::string table;
      llvm::raw_string_ostream stream(table);
      mangling->mangleCXXVTable(record, stream);
      add_line(kMarkedTable, table);
      for (const clang::CXXRecordDecl* each : hierarchy_of(*record)) {
        for (const clang::CXXMethodDecl* method : each->methods()) {
          if (method->isVirtual() && stays_on_host(*method)) {
            on_host.insert(method);
          }
        }
      }
    }
    for (const clang::CXXMethodDecl* method : on_host) {
      for (const std::string& symbol : names.getAllManglings(method)) {
        add_line(kMarkedHostMember, symbol);
      }
    }
    return text;
  }

  /// A constant that the optimiser must not remove.
  void leave_marker(clang::ASTContext& context, const std::string& text, bool for_device) {
    const clang::QualType type =
        context.getConstantArrayType(context.CharTy.withConst(), llvm::APInt(64, text.size() + 1),
                                     nullptr, clang::ArraySizeModifier::Normal, 0);
    clang::TranslationUnitDecl* unit = context.getTranslationUnitDecl();
    const clang::SourceManager& sources = context.getSourceManager();
    const clang::SourceLocation start = sources.getLocForStartOfFile(sources.getMainFileID());
    auto* marker =
        clang::VarDecl::Create(context, unit, start, start, &context.Idents.get(kMarker), type,
                               context.getTrivialTypeSourceInfo(type), clang::SC_Static);
    marker->setInit(clang::StringLiteral::Create(context, text, clang::StringLiteralKind::Ordinary,
                                                 false, type, clang::SourceLocation()));
    marker->addAttr(clang::UsedAttr::CreateImplicit(context));
    if (for_device) {
      // With nohost it has no entry of its own.
      marker->addAttr(clang::OMPDeclareTargetDeclAttr::CreateImplicit(
          context, clang::OMPDeclareTargetDeclAttr::MT_To,
          clang::OMPDeclareTargetDeclAttr::DT_NoHost, nullptr, false, 1));
    }
    compiler_.getASTConsumer().HandleTopLevelDecl(clang::DeclGroupRef(marker));
  }

  clang::CompilerInstance& compiler_;
  clang::Sema* sema_ = nullptr;
  IndirectDeclarations declarations_;
};

class Action : public clang::PluginASTAction {
public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef /*file*/) override {
    const clang::LangOptions& language = compiler.getLangOpts();
    const bool offloads = language.OpenMPIsTargetDevice || !language.OMPTargetTriples.empty();
    if (!offloads || !emits_code(compiler.getFrontendOpts().ProgramAction)) {
      return std::make_unique<clang::ASTConsumer>();
    }
    return std::make_unique<Consumer>(compiler);
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

protected:
  bool ParseArgs(const clang::CompilerInstance& /*compiler*/,
                 const std::vector<std::string>& /*arguments*/) override {
    return true;
  }

private:
  static bool emits_code(clang::frontend::ActionKind action) {
    switch (action) {
    case clang::frontend::EmitAssembly:
    case clang::frontend::EmitBC:
    case clang::frontend::EmitLLVM:
    case clang::frontend::EmitLLVMOnly:
    case clang::frontend::EmitCodeGenOnly:
    case clang::frontend::EmitObj:
      return true;
    default:
      return false;
    }
  }
};

// How plugins are made known to Clang. NOLINTNEXTLINE(bugprone-throwing-static-initialization)
const clang::FrontendPluginRegistry::Add<Action> kRegistration("gantry-indirect",
                                                               "indirect functions on devices");

} // namespace

} // namespace gantry::pass
