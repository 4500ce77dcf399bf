// An MPI library with MPI 5.0's binary interface, of one process, which sends to itself. It takes
// no handle, level or key but those of the standard (section 20.3).
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using Handle = void*;
struct Status {
  int source, tag, error, internal[5];
};

Handle handle(std::uintptr_t number) noexcept {
  return reinterpret_cast<Handle>(number);
}
const Handle kWorld = handle(257);
const Handle kCopy = handle(0x10001);
const Handle kNoRequest = handle(384);
constexpr int kWrong = 13;

struct Transfer {
  const void* sent = nullptr;
  void* room = nullptr;
  int bytes = 0, tag = 0, came = 0;
  bool is_done = false;
};
std::vector<Transfer*> under_way;
int level = -1;
bool is_ended = false;

bool is_communicator(Handle in) {
  return in == kWorld || in == kCopy;
}
int begin(Transfer transfer, Handle type, Handle in, Handle* request) {
  if (type != handle(583) || !is_communicator(in)) {
    return kWrong;
  }
  auto* const made = new Transfer(transfer);
  under_way.push_back(made);
  *request = made;
  return 0;
}

} // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): names of the standard's

int MPI_Abi_get_version(int* major, int* minor) {
  *major = 1;
  *minor = 0;
  return 0;
}
int MPI_Get_version(int* major, int* minor) {
  *major = 5;
  *minor = 0;
  return 0;
}
int MPI_Get_library_version(char* text, int* length) {
  std::strcpy(text, "Test MPI 5\t1.0\nand more");
  *length = static_cast<int>(std::strlen(text));
  return 0;
}
int MPI_Initialized(int* answer) {
  *answer = level >= 0 ? 1 : 0;
  return 0;
}
int MPI_Finalized(int* answer) {
  *answer = is_ended ? 1 : 0;
  return 0;
}
int MPI_Init_thread(int* /*count*/, char*** /*words*/, int wanted, int* given) {
  if (wanted != 4096) {
    return kWrong;
  }
  *given = level = 2048;
  return 0;
}
int MPI_Query_thread(int* given) {
  *given = level;
  return 0;
}
int MPI_Finalize() {
  is_ended = true;
  return 0;
}
int MPI_Error_string(int error, char* text, int* length) {
  std::strcpy(text, error == kWrong ? "wrong argument" : "?");
  *length = static_cast<int>(std::strlen(text));
  return 0;
}
int MPI_Comm_rank(Handle in, int* rank) {
  *rank = 0;
  return is_communicator(in) ? 0 : kWrong;
}
int MPI_Comm_size(Handle in, int* size) {
  *size = 1;
  return is_communicator(in) ? 0 : kWrong;
}
int MPI_Comm_dup(Handle of, Handle* made) {
  *made = kCopy;
  return of == kWorld ? 0 : kWrong;
}
int MPI_Allgather(const void* own, int count, Handle type, void* all, int room, Handle same,
                  Handle in) {
  std::memcpy(all, own, static_cast<std::size_t>(count));
  return type == handle(583) && same == type && count == room && is_communicator(in) ? 0 : kWrong;
}
int MPI_Comm_set_errhandler(Handle of, Handle handler) {
  const bool is_one = is_communicator(of) || of == handle(258);
  return is_one && handler == handle(323) ? 0 : kWrong;
}
int MPI_Comm_free(Handle* of) {
  return *of == kCopy ? 0 : kWrong;
}
int MPI_Comm_get_attr(Handle of, int key, void* value, int* is_there) {
  static int largest = 123456;
  *is_there = of == kWorld && key == 501 ? 1 : 0;
  *static_cast<int**>(value) = &largest;
  return 0;
}
int MPI_Isend(const void* bytes, int count, Handle type, int to, int tag, Handle in,
              Handle* request) {
  return to != 0 ? kWrong : begin({.sent = bytes, .bytes = count, .tag = tag}, type, in, request);
}
int MPI_Irecv(void* room, int count, Handle type, int from, int tag, Handle in, Handle* request) {
  return from != 0 && from != -1
             ? kWrong
             : begin({.room = room, .bytes = count, .tag = tag}, type, in, request);
}
int MPI_Test(Handle* request, int* is_done, Status* status) {
  for (Transfer* sent : under_way) {
    for (Transfer* room : under_way) {
      if (sent->sent != nullptr && room->room != nullptr && sent->tag == room->tag &&
          !sent->is_done && !room->is_done && sent->bytes <= room->bytes) {
        std::memcpy(room->room, sent->sent, static_cast<std::size_t>(sent->bytes));
        room->came = sent->bytes;
        sent->is_done = room->is_done = true;
      }
    }
  }
  auto* const transfer = static_cast<Transfer*>(*request);
  *is_done = transfer->is_done ? 1 : 0;
  if (transfer->is_done) {
    *status = {.source = 0, .tag = transfer->tag, .error = 0, .internal = {transfer->came}};
    std::erase(under_way, transfer);
    delete transfer;
    *request = kNoRequest;
  }
  return 0;
}
int MPI_Cancel(Handle* request) {
  static_cast<Transfer*>(*request)->is_done = true;
  return 0;
}
int MPI_Wait(Handle* request, Status* status) {
  int is_done = 0;
  return MPI_Test(request, &is_done, status);
}
int MPI_Get_count(const Status* status, Handle type, int* count) {
  *count = status->internal[0];
  return type == handle(583) ? 0 : kWrong;
}

// NOLINTEND(readability-identifier-naming)
}
