// A node: does for a program what that asks of the devices here.
//
// One thread at a time is in it, the leader, which never waits: what another plugin may take long
// for is done by Workers. Where a device has queues, each strand has one, and is asked whether it
// is done; where it has none, operations are done by Workers.
#pragma once

#include "plugins/mpi/node/far_device.h"
#include "plugins/mpi/node/far_plugins.h"
#include "plugins/mpi/node/lazy_memory.h"
#include "plugins/mpi/protocol.h"
#include "plugins/mpi/transport.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace gantry::mpi {

/// Runs what may take long.
class Workers {
public:
  virtual ~Workers() = default;
  /// Runs `work`, perhaps before it returns. True if the caller is the leader still; if not it
  /// leaves the node at once.
  virtual bool run(std::function<void()> work) = 0;
};

class Node {
public:
  /// All outlive the node. `program` is the process that it works for.
  Node(Transport& transport, int program, PluginSource& plugins, Workers& workers)
      : transport_(transport), program_(program), plugins_(plugins), workers_(workers) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() { close(); }

  enum class Step : std::uint8_t {
    kIdle,    ///< nothing has changed
    kBusy,    ///< something has
    kLeft,    ///< the caller is the leader no more
    kFinished ///< the program has said its last word
  };
  /// Takes what has come and goes on with what is under way. An error ends the node's work: the
  /// program has been told, if it can be.
  [[nodiscard]] Result<Step> step();

  /// Bytes are under way, which go on while the node is called.
  [[nodiscard]] bool has_transfers() const;

  /// Behind kFinished: all processes of the job finalise MPI.
  [[nodiscard]] bool finalises() const { return finalises_.value_or(false); }

  /// When the program was heard of last, and how long it waits for a node, in nanoseconds; 0: not
  /// known, or without end.
  [[nodiscard]] std::uint64_t heard() const { return heard_; }
  [[nodiscard]] std::uint64_t patience() const { return patience_; }

  /// Tells the program that this process is there.
  [[nodiscard]] Status tell_alive();

private:
  struct Operation {
    Kind kind = {};
    bool tell = false;
    bool is_timed = false;
    CopyFacts copy = {}; ///< address and size of kWrite and kRead too
    LaunchFacts launch = {};
    std::vector<std::byte> bytes; ///< of kWrite; kLaunch's arguments
  };
  /// A part of a copy that is under way.
  struct Piece {
    std::span<std::byte> memory;   ///< the device's, or one of these
    std::vector<std::byte> staged; ///< if the device's cannot be accessed
    LazyMemory unwanted;           ///< if the copy has failed
    std::uint64_t offset = 0;
    std::uint32_t number = 0;           ///< of the transfer
    std::unique_ptr<Transfer> transfer; ///< null: it is not begun, or done
    bool is_queued = false;             ///< it is being copied from or to the device
    bool is_done = false;               ///< the first of both
  };
  struct Strand {
    std::uint32_t number = 0;
    FarDevice* device = nullptr;
    gantry_queue* queue = nullptr; ///< null if the device has none
    std::deque<Operation> operations;
    std::uint64_t done = 0; ///< operations
    enum class State : std::uint8_t {
      kReady,
      kRunning,     ///< a worker runs the first operation
      kQueued,      ///< it is in the device's queue
      kTransferring ///< bytes are under way
    };
    State state = State::kReady;
    bool is_preparing = false;   ///< a worker makes the queue, or has it note times or none
    bool is_queue_timed = false; ///< it notes times
    bool is_over = false;
    bool has_failed = false;               ///< what comes before the next kReset does not happen
    std::byte* view = nullptr;             ///< of its memory in the device, if there is one
    std::deque<Piece> pieces;              ///< of a copy that is transferred
    std::uint64_t begun = 0;               ///< how many of them there were
    bool is_unwanted = false;              ///< it has failed, which the other end does not know
    std::vector<std::byte> staged;         ///< what kWrite and kRead copy
    gantry_status status = GANTRY_SUCCESS; ///< of what a worker has run
    std::string message;
    gantry_interval interval = {};      ///< of the first operation, as far as it is known
    std::vector<gantry_interval> times; ///< of operations that are done; the program is not told
  };
  struct Request {
    Head head;
    std::vector<std::byte> body;
  };
  struct Image {
    ImageName name = {};
    std::vector<std::byte> bytes;
    int from = 0;                       ///< the process that sends it
    std::unique_ptr<Transfer> transfer; ///< of the bytes, until they are there
    std::uint32_t onward = 0;           ///< the number of the transfers to the others
    std::vector<std::int32_t> others;   ///< which get it from here
    struct HandedOn {
      int to;
      std::unique_ptr<Transfer> transfer;
    };
    std::vector<HandedOn> handed_on;
  };
  /// What a request comes to. A worker fills in the first members, `then` is the leader's.
  struct Answer {
    std::uint32_t request = 0;
    gantry_status status = GANTRY_SUCCESS;
    std::string message;
    std::vector<std::byte> values;
    std::function<void()> then;
  };
  using Work = std::function<void(Answer&)>;
  /// A transfer with a process that is lost: it may be under way for ever.
  struct Abandoned {
    std::vector<std::byte> bytes;
    LazyMemory unwanted;
    std::unique_ptr<Transfer> transfer;
  };

  void close();
  Status say_that_it_has_ended();
  Status take_message(int from, Bytes message);
  Status take_record(int from, const Head& head, Reader body);
  Status take_operation(const Head& head, Reader body);
  Status take_image(int from, Reader body);
  Status hand_on(Image& image);
  Status take_peer_lost(Reader body);
  [[nodiscard]] bool is_lost(int process) const;
  Result<Strand*> strand_of(const Head& head);
  Status go_on_with_transfers(bool& changed);
  Status take_what_workers_did(bool& changed);
  Status flush();
  /// The next message, with room for a record of about as many bytes.
  Result<std::vector<std::byte>*> room(std::size_t bytes);

  // requests.cpp:
  /// Begins the first request, if it can be. False: the caller leaves.
  Result<bool> begin_request(bool& changed);
  Result<Work> work_of(const Head& head, Reader body);
  Result<Work> add_devices(Reader body);
  Result<Work> open_device(Reader body);
  Result<Work> close_device(Reader body);
  /// The device that is to be closed has a strand that is about to be destroyed.
  [[nodiscard]] bool has_ending_strand(Reader body) const;
  Result<Work> rank_image(Reader body);
  Result<Work> load_image(Reader body);
  Result<Work> find_symbols(Reader body);
  Result<Work> unload_image(Reader body);
  Result<Work> allocate(Reader body);
  Result<Work> release(Reader body);
  Result<Work> set_function_map(Reader body);
  Result<Work> get_fault(Reader body);
  Result<Work> get_hint(Reader body);
  Status give_back(const Head& head, Reader body);
  Status take_posted(const Head& head, Reader body);
  Result<FarDevice*> open_device_of(const Head& head);
  Status tell_damage(const Head& head, std::string_view message);
  /// The image, if all of its bytes are there.
  [[nodiscard]] const Image* find_image(const ImageName& name) const;
  Result<FarDevice*> device_of(Reader& body);
  Status finish_request(Answer& answer);

  // strands.cpp:
  /// Goes as far as it can be gone. kLeft: the caller leaves.
  Result<Step> advance(Strand& strand, bool& changed);
  /// Begins the first operation.
  Result<Step> begin(Strand& strand);
  /// The device's queue has done it.
  Result<Step> end_queued(Strand& strand);
  Result<Step> begin_launch(Strand& strand, Operation& operation);
  /// Lets a worker call a plugin; what that returns ends the first operation, or the preparing of
  /// the queue.
  Result<Step> by_worker(Strand& strand, std::function<gantry_status()> call);
  Status end_worker(Strand& strand);
  Status begin_small_copy(Strand& strand, Operation& operation, std::byte* view);
  Status end_small_copy(Strand& strand);

  // copies.cpp, of copies in transfers:
  /// Goes on with the first operation; true: something has changed.
  Result<bool> go_on_with_copy(Strand& strand);
  Status begin_pieces(Strand& strand, std::byte* view);
  /// Of the first operation.
  static Result<Piece> next_piece(Strand& strand);
  Status begin_transfer(Strand& strand, Piece& piece);
  gantry_status queue_piece(Strand& strand, Piece& piece);
  /// Whether a piece has gone its way.
  Result<bool> go_on_with_piece(Strand& strand, Piece& piece, bool& is_queue_used, bool& changed);
  /// The first operation has failed: what the other end sends is taken all the same, and what it
  /// waits for is sent.
  Status go_on_unwanted(Strand& strand);
  /// The first operation's are with a process that is lost.
  void abandon_transfers(Strand& strand);
  /// The first operation is done.
  Status finish(Strand& strand);
  Status fail_first(Strand& strand, gantry_status status, std::string_view message);
  /// The first operation does not happen.
  Status skip(Strand& strand);

  // times.cpp, of operations with kTimed:
  /// Answers kGetClock.
  Status tell_clock(const Head& head, Reader body);
  /// The device's queue is to note when the operation begins and ends.
  [[nodiscard]] static bool is_timed_by_queue(const Strand& strand, const Operation& operation);
  /// Makes the device's queue, if there is none, and has it note times or none. A worker's.
  static gantry_status prepare_queue(Strand& strand, bool is_timed);
  /// Takes what the queue has noted of the first operation, which the queue has done. A worker's.
  static gantry_status take_queue_times(Strand& strand);
  /// The first operation is over.
  void note_times(Strand& strand) const;
  Status tell_times(Strand& strand);

  Transport& transport_;
  const int program_;
  PluginSource& plugins_;
  Workers& workers_;

  std::vector<std::byte> out_;                      ///< of the next message
  static constexpr std::size_t kMostDevices = 1024; ///< so that an answer can name them
  std::deque<FarDevice> devices_;
  std::unordered_map<std::uint32_t, FarImage> images_;
  std::deque<Image> image_bytes_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Strand>> strands_;
  std::vector<Strand*> active_; ///< with operations
  static constexpr int kMostRunning = 32;
  int running_ = 0; ///< operations that workers run
  std::deque<Request> requests_;
  bool is_request_running_ = false;
  std::vector<int> lost_; ///< processes
  std::vector<Abandoned> abandoned_;
  bool has_ended_ = false;        ///< the program
  bool said_end_ = false;         ///< so has all that was done here
  std::optional<bool> finalises_; ///< what kLeave says
  std::uint64_t heard_ = 0;
  std::uint64_t patience_ = 0;

  std::mutex mutex_; ///< of what workers hand back
  std::vector<Strand*> finished_;
  std::unique_ptr<Answer> answer_;
};

} // namespace gantry::mpi
