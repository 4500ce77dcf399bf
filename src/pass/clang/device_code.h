// Finds what does not work in device code. Objects' type information is an error, because an object
// that the host made points to the host's, which means nothing on a device; a scan on GPUs is a
// warning.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>

namespace gantry::pass {

/// Reports dynamic_cast and typeid of polymorphic objects in the device code of a translation unit
/// that is compiled for a device, and, for GPUs, worksharing loops with `reduction(inscan, ...)`.
void check_device_code(const clang::ASTContext& context, clang::DiagnosticsEngine& diagnostics);

} // namespace gantry::pass
