// Rejects uses of objects' type information in device code, because an object that the host made
// points to the host's, which means nothing on a device.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/Basic/Diagnostic.h>

namespace gantry::pass {

/// Reports dynamic_cast and typeid of polymorphic objects in the device code of `declaration` and
/// of what is declared inside, as errors.
void check_device_code(const clang::Decl* declaration, clang::DiagnosticsEngine& diagnostics);

} // namespace gantry::pass
