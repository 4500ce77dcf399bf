// Copies whose bytes are transfers. Where the device's memory cannot be accessed, pieces are in the
// process's memory in between: some are on the wire while one is on its way from or to the device.
#include "plugins/mpi/node/node.h"

namespace gantry::mpi {

namespace {

constexpr std::size_t kPiecesUnderWay = 4; // that are not in the device's memory

} // namespace

Status Node::begin_pieces(Strand& strand, std::byte* view) {
  const Operation& operation = strand.operations.front();
  if (operation.kind == Kind::kSend && operation.copy.other == program_) {
    Record(*GANTRY_TRY(room(0)), Kind::kReady, strand.number).put(strand.done + 1);
    GANTRY_TRY(flush());
  }
  strand.view = view;
  strand.state = Strand::State::kTransferring;
  return {};
}

Result<Node::Piece> Node::next_piece(Strand& strand) {
  const auto [number, offset, size] = strand.operations.front().copy.piece_at(strand.begun++);
  Piece piece;
  piece.number = number;
  piece.offset = offset;
  if (strand.is_unwanted) {
    piece.unwanted = GANTRY_TRY(LazyMemory::of(size));
    piece.memory = piece.unwanted.bytes();
  } else if (strand.view != nullptr) {
    piece.memory = {strand.view + offset, size};
  } else {
    piece.staged.resize(size);
    piece.memory = piece.staged;
  }
  return piece;
}

Status Node::begin_transfer(Strand& strand, Piece& piece) {
  const Operation& operation = strand.operations.front();
  const int other = operation.copy.other;
  piece.transfer = GANTRY_TRY(operation.kind == Kind::kReceive
                                  ? transport_.receive_bytes(other, piece.number, piece.memory)
                                  : transport_.send_bytes(other, piece.number, piece.memory));
  return {};
}

gantry_status Node::queue_piece(Strand& strand, Piece& piece) {
  const Operation& operation = strand.operations.front();
  const gantry_plugin& plugin = *strand.device->plugin;
  auto* const address = reinterpret_cast<void*>(operation.copy.address + piece.offset);
  piece.is_queued = true;
  return operation.kind == Kind::kReceive
             ? plugin.queue_copy_to_device(strand.queue, address, piece.memory.data(),
                                           piece.memory.size())
             : plugin.queue_copy_to_host(strand.queue, piece.memory.data(), address,
                                         piece.memory.size());
}

Result<bool> Node::go_on_with_copy(Strand& strand) {
  const Operation& operation = strand.operations.front();
  const CopyFacts& copy = operation.copy;
  bool changed = false;
  const std::size_t most = strand.view != nullptr ? copy.pieces() : kPiecesUnderWay;
  const bool is_transfer_all = strand.view != nullptr || strand.is_unwanted;
  while (strand.begun < copy.pieces() && strand.pieces.size() < most) {
    Piece& piece = strand.pieces.emplace_back(GANTRY_TRY(next_piece(strand)));
    if (is_transfer_all || operation.kind == Kind::kReceive) {
      GANTRY_TRY(begin_transfer(strand, piece));
      piece.is_done = is_transfer_all;
    }
    changed = true;
  }
  // The device's queue has one piece at a time: the first that is ready for it.
  bool is_queue_used = false;
  const bool had_failed = strand.has_failed;
  for (std::size_t i = 0; i < strand.pieces.size();) {
    Piece& piece = strand.pieces[i];
    if (GANTRY_TRY(go_on_with_piece(strand, piece, is_queue_used, changed))) {
      strand.pieces.erase(strand.pieces.begin() + static_cast<std::ptrdiff_t>(i));
      changed = true;
    } else if (strand.has_failed != had_failed) {
      return true;
    } else {
      ++i;
    }
  }
  if (strand.pieces.empty() && strand.begun == copy.pieces()) {
    strand.begun = 0;
    strand.is_unwanted = false;
    strand.state = Strand::State::kReady;
    GANTRY_TRY(finish(strand));
    return true;
  }
  return changed;
}

Result<bool> Node::go_on_with_piece(Strand& strand, Piece& piece, bool& is_queue_used,
                                    bool& changed) {
  const gantry_plugin& plugin = *strand.device->plugin;
  const bool is_receive = strand.operations.front().kind == Kind::kReceive;
  const auto failed = [&](gantry_status status) -> Result<bool> {
    strand.state = Strand::State::kReady;
    GANTRY_TRY(fail_first(strand, status, plugin.error_message()));
    return false;
  };
  if (piece.transfer != nullptr) {
    if (!GANTRY_TRY(transport_.is_done(*piece.transfer))) {
      return false;
    }
    piece.transfer.reset();
    changed = true;
    if (piece.is_done) {
      return true;
    }
  }
  if (is_queue_used) {
    return false;
  }
  is_queue_used = true;
  if (!piece.is_queued) {
    changed = true;
    if (const gantry_status status = queue_piece(strand, piece); status != GANTRY_SUCCESS) {
      return failed(status);
    }
  }
  std::int32_t done = 0;
  if (const gantry_status status = plugin.query_queue(strand.queue, &done);
      status != GANTRY_SUCCESS) {
    return failed(status);
  }
  if (done == 0) {
    return false;
  }
  is_queue_used = false;
  changed = true;
  if (is_receive) {
    return true;
  }
  piece.is_done = true;
  GANTRY_TRY(begin_transfer(strand, piece));
  return false;
}

void Node::abandon_transfers(Strand& strand) {
  for (Piece& piece : strand.pieces) {
    abandoned_.push_back(
        {std::move(piece.staged), std::move(piece.unwanted), std::move(piece.transfer)});
  }
  strand.pieces.clear();
  strand.view = nullptr;
  strand.begun = 0;
  strand.is_unwanted = false;
}

Status Node::go_on_unwanted(Strand& strand) {
  const bool is_receive = strand.operations.front().kind == Kind::kReceive;
  std::erase_if(strand.pieces, [&](const Piece& piece) {
    return is_receive && piece.is_queued && piece.transfer == nullptr; // it has come
  });
  for (Piece& piece : strand.pieces) {
    if (piece.transfer == nullptr) {
      GANTRY_TRY(begin_transfer(strand, piece));
    }
    piece.is_done = true;
  }
  strand.view = nullptr;
  strand.is_unwanted = true;
  strand.state = Strand::State::kTransferring;
  return {};
}

} // namespace gantry::mpi
