// The tool of OpenMP 5.2, chapter 19, that is at work in the process: what it has registered, and
// calls of that.
//
// A tool is there between begin() and end(). What happens on devices is then told by listener.cpp,
// and what a device records by trace.cpp. No callback runs after end().
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include <omp-tools.h>

namespace gantry::abi::ompt {

/// The callbacks that a tool may register for devices; null: it has not. Of two forms of one event
/// a tool that has registered both is told by the one with _emi.
struct Callbacks {
  std::atomic<ompt_callback_device_initialize_t> device_initialize{nullptr};
  std::atomic<ompt_callback_device_finalize_t> device_finalize{nullptr};
  std::atomic<ompt_callback_device_load_t> device_load{nullptr};
  std::atomic<ompt_callback_device_unload_t> device_unload{nullptr};
  std::atomic<ompt_callback_target_t> target{nullptr};
  std::atomic<ompt_callback_target_emi_t> target_emi{nullptr};
  std::atomic<ompt_callback_target_data_op_t> data_op{nullptr};
  std::atomic<ompt_callback_target_data_op_emi_t> data_op_emi{nullptr};
  std::atomic<ompt_callback_target_submit_t> submit{nullptr};
  std::atomic<ompt_callback_target_submit_emi_t> submit_emi{nullptr};
};

/// What the OpenMP runtime that has started the tool is asked.
struct Host {
  ompt_get_callback_t get_callback = nullptr;
  /// The data of the task that the calling thread is in.
  ompt_data_t* (*task_data)() = nullptr;
  /// Tool::take_callbacks() is called when the tool registers something, or no longer. libomp does
  /// not call it.
  bool tells_changes = false;
  /// What it has answered to a tool that registers device_unload: libomp 19 and 22 say never.
  bool tells_unload = false;
};

/// Any thread.
class Tool {
public:
  static Tool& instance() { return the_tool; }
  constexpr Tool() = default;

  /// A tool may turn out to be there before the first construct is told: constructs that begin from
  /// now on are watched.
  void expect();
  /// There is none.
  void give_up();
  /// There is one, and `host` has started it.
  void begin(const Host& host);
  /// Takes what is registered now from the host again.
  void take_callbacks();
  /// Likewise if something has changed that the host does not tell of: at the begin of a construct.
  void look_for_changes();
  /// A device is traced: what is done on devices, and when, is wanted from now on. Until the tool
  /// has been told of a device, in which it mostly begins its traces, that is wanted in any case:
  /// constructs of other threads may have begun then.
  void want_records();
  /// The tool has been told of a device.
  void told_of_device();

  enum class Last : std::uint8_t {
    kNothing, ///< nothing is told any more
    kDevices, ///< that the devices are finished is told
  };
  /// Ends the tool; waits for callbacks that are under way in other threads, for two seconds at
  /// most. More than once is as once.
  void end(Last last);

  /// In a child of fork(): nothing is told any more.
  void forget() { active_.store(false); }

  [[nodiscard]] bool active() const { return active_.load(); }
  [[nodiscard]] const Callbacks& callbacks() const { return callbacks_; }
  /// Whether anything of constructs is told or recorded.
  [[nodiscard]] bool is_told() const { return is_told_.load(std::memory_order_relaxed); }
  /// Of the task that the calling thread is in; null if that is not known.
  [[nodiscard]] ompt_data_t* task_data() const {
    return host_.task_data == nullptr ? nullptr : host_.task_data();
  }
  /// A number of a region, an operation or a thread; never 0.
  [[nodiscard]] static ompt_id_t unique_id();

  /// A callback of the tool's at work in the calling thread.
  class Call {
  public:
    Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();
    /// False: the tool has ended, and nothing is called.
    explicit operator bool() const { return permitted_; }
    /// Whether the calling thread is in one.
    [[nodiscard]] static bool under_way() { return depth > 0; }

  private:
    bool permitted_;
    static constinit thread_local int depth;
    friend class Tool;
  };

private:
  static constinit Tool the_tool;
  template <typename Visit>
  void visit_callbacks(Visit visit);
  /// With the mutex, as what it decides by does not change meanwhile.
  void listen();

  std::atomic<bool> active_{false};
  enum class Records : std::uint8_t { kNotDecided, kNotWanted, kWanted };
  std::atomic<Records> records_{Records::kNotDecided};
  std::atomic<bool> is_told_{false};
  std::atomic<int> calls_{0};
  std::mutex mutex_; ///< of what is listened to; no callback is called with it
  Host host_;
  Callbacks callbacks_;
};

} // namespace gantry::abi::ompt
