// Whether the body of a parallel region is a worksharing loop and nothing else.
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace gantry::link {

/// Whether the threads that execute the body do nothing that others can notice but the iterations
/// of its worksharing loops, and what the runtime does for loops and reductions. In the program
/// without the runtime.
[[nodiscard]] bool has_only_loops(const llvm::Function& body);

/// Whether the function itself may wait for another thread, or tell one that waits: by an atomic
/// operation whose result it uses, an atomic or volatile access, a flush, a lock.
[[nodiscard]] bool may_wait_for_threads(const llvm::Function& function);

} // namespace gantry::link
