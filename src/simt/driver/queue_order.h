// What the operations of a stream happen after in other streams, for the race check of the
// executor: the waits that were put into it, and what the streams that it waits for wait for in
// turn.
//
// Nothing is noted unless GANTRY_SIMT_CHECK has race. All functions may be called from any thread.
#pragma once

#include "simt/driver/stream_operation.h"

#include <cstdint>

namespace gantry::simt::driver {

/// What is put into the stream from now on waits for a position of another one. Waits that were put
/// into that one behind the position count, too.
void note_wait(std::uint64_t stream, const Position& awaited);
/// Whether what is put into the stream now happens after a place of another one.
[[nodiscard]] bool is_after(std::uint64_t stream, std::uint64_t other, std::uint64_t sequence);
void forget_stream(std::uint64_t stream);

} // namespace gantry::simt::driver
