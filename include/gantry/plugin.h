/* The contract between Gantry's runtime and a device plugin, version 2.
 *
 * A plugin drives one kind of device. It is a shared object, libgantry-plugin-NAME.so, that exports
 * one function, gantry_get_plugin(), which returns a table of functions. The runtime owns
 * everything OpenMP: mapping rules, reference counts, policies, messages. A plugin owns devices,
 * their memory, their images and launches, and knows nothing of OpenMP's rules.
 *
 * Rules for every function of the table:
 *  - Errors. A function that can fail returns a gantry_status. After any status but GANTRY_SUCCESS,
 *    error_message() gives the calling thread's message: one sentence without a line break. A
 *    plugin never prints but for what device code does, and never ends the process (a driver below
 *    it may report a fault itself, or what is wrong with an image).
 *  - Threads. Any number of threads may call any function at once, on the same device too, unless
 *    the function says otherwise.
 *  - Locks. The runtime calls a plugin with no lock of its own held. A plugin may therefore call
 *    the dynamic loader, except in the functions that say "no dynamic loader": a thread inside
 *    dlopen() may be waiting for their caller.
 *  - Exceptions. No exception leaves a function (in C++ all are noexcept).
 *  - fork(). A device belongs to the process that opened it. In a child of fork() a plugin either
 *    serves the device as well, or fails every call with a message that says why.
 *  - Structures begin with `size`, which whoever allocates the structure sets to sizeof. The other
 *    side reads and writes only the members that lie within it, so structures can grow. A plugin
 *    that fills in a structure sets all members that it knows, to 0 where it has no answer.
 *    Elements of arrays have no size: their layout is fixed.
 *  - Optional functions may be null. What the runtime does instead is said at each.
 *  - A "device address" means something to code on the device only.
 *
 * `gantry plugin-check` tests a plugin; docs/plugins.md is the guide, and says what is not tested.
 */
#ifndef GANTRY_PLUGIN_H
#define GANTRY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define GANTRY_NOEXCEPT noexcept
extern "C" {
#else
#define GANTRY_NOEXCEPT
#endif

/** The version of this contract. The runtime refuses a plugin whose table names another. */
#define GANTRY_PLUGIN_VERSION 2

/** What a call came to. */
typedef int32_t gantry_status;
enum {
  GANTRY_SUCCESS = 0,
  GANTRY_FAILURE = 1,        /**< the device or the system refused; the message says why */
  GANTRY_OUT_OF_MEMORY = 2,  /**< device memory is exhausted */
  GANTRY_NOT_FOUND = 3,      /**< there is no device (count_devices), symbol or fault */
  GANTRY_INVALID_OPTION = 4, /**< a device option is not understood */
  /** The device has failed for good: code on it did something that ends it, or it was ended from
      outside. From then on every call that needs the device returns this. Calls that free
      something still free the host's side of it. */
  GANTRY_DEVICE_LOST = 5,
};

/** What a device can do, as bits. */
enum {
  /** Code on the device can dereference host addresses. */
  GANTRY_CAPABILITY_HOST_ACCESSIBLE = 1u << 0,
  /** Corresponding storage may be the original storage itself: mapping needs no copy. Implies
      HOST_ACCESSIBLE. */
  GANTRY_CAPABILITY_SHARES_MEMORY = 1u << 1,
  /** The device has queues: copies and launches need not be done when the call returns. */
  GANTRY_CAPABILITY_QUEUES = 1u << 2,
  /** On a device with queues: one launch(), copy_to_device() or copy_to_host() takes less of the
      host's time than the same operation in a queue that is waited for. */
  GANTRY_CAPABILITY_DIRECT = 1u << 3,
  /** allocate() honours `alignment` and `offset` of its request. */
  GANTRY_CAPABILITY_PLACED_MEMORY = 1u << 4,
  /** allocate() honours `address` of its request. */
  GANTRY_CAPABILITY_CHOSEN_ADDRESS = 1u << 5,
  /** The device, or what runs it, notices accesses outside of what allocate() gave: memory is not
      to be divided further. */
  GANTRY_CAPABILITY_CHECKED_MEMORY = 1u << 6,
  /** A word with the device takes long, compared with a copy of some bytes. A copy_to_device() of
     at most GANTRY_POSTED_BYTES returns at once, with the bytes taken; whatever is asked of the
     device afterwards comes behind the copy; if that fails, a later call fails. */
  GANTRY_CAPABILITY_POSTED_COPIES = 1u << 7,
};

/** See GANTRY_CAPABILITY_POSTED_COPIES. */
#define GANTRY_POSTED_BYTES 65536

/* Handles. The plugin defines these types; each belongs to the device that it was made for. */

typedef struct gantry_device gantry_device; /**< from open_device() to close_device() */
typedef struct gantry_image gantry_image;   /**< from create_image() to destroy_image() */
typedef struct gantry_kernel gantry_kernel; /**< from find_symbols(); lives as long as its image */
typedef struct gantry_queue gantry_queue;   /**< from create_queue() to destroy_queue() */

/* Devices. */

/** A call, in device code, through a pointer that no declare target indirect function has. */
typedef struct gantry_unknown_function {
  size_t size;
  const void* pointer;
  const void* image; /**< the bytes of the image that makes the call; null if that is not known */
  size_t image_size;
  uint64_t call; /**< the call's address, as the image's symbol table counts */
} gantry_unknown_function;

/** `device` is the device's OpenMP number, or -1 if that is not known. */
typedef void gantry_function_check(int32_t device, const gantry_unknown_function* unknown);

/** What the runtime wants of a device. Valid during the call of open_device(). */
typedef struct gantry_device_settings {
  size_t size;
  int32_t openmp_number; /**< what omp_get_device_num() returns on the device */
  /** What followed the device's name in GANTRY_DEVICES, options separated by '+', without the
      first '+'; "" if nothing did. */
  const char* options;
  /** Milliseconds after which a kernel that has not ended is a fault; 0: none. For plugins that can
      stop a kernel; others ignore it. */
  uint64_t time_limit;
  /** Not 0: memory is made such that mistakes show. What is allocated has values that nobody wrote,
      and what is freed is not given out again for long. Others ignore it. */
  int32_t check_memory;
  /** The processors that the program was given at its start, as sched_setaffinity() takes them:
      for plugins whose devices are processes. */
  const unsigned long* processors;
  size_t processor_words;
  /** Null, or asked, on the thread that makes it, before every call in device code through a
      pointer that the function table does not have. It returns if the pointer may be the device's
      own. For devices that can call the host; others ignore it. */
  gantry_function_check* function_check;
} gantry_device_settings;

/** What a device is. Strings live as long as the device. */
typedef struct gantry_device_properties {
  size_t size;
  uint32_t capabilities;   /**< bits of GANTRY_CAPABILITY_* */
  const char* description; /**< for people, such as "x86-64, 16 cores" */
  /** The clock of read_times(): "CLOCK_MONOTONIC" if its values are those of the system's clock of
      that name, otherwise any name. Null if the device has no times. */
  const char* clock;
  /** What messages call the device, and its uid, in place of the plugin's name and the device's
      index: null if that will do. Without a ' ' it is unique among the plugin's devices. */
  const char* name;
} gantry_device_properties;

/* Launches. */

/** Whether the construct has teams. */
enum {
  GANTRY_LAUNCH_TARGET = 0, /**< it has none: one team, num_teams is {1, 0, 0} */
  GANTRY_LAUNCH_TEAMS = 1,  /**< it has a league */
};

/** One launch of a kernel. Valid during the call.
 *
 * A league has num_teams[0] * [1] * [2] teams of at most thread_limit[0] * [1] * [2] threads, where
 * 0 in [1] and [2] counts as 1. Only bare kernels (`ompx_bare`: every thread of every team executes
 * the kernel from its first instruction) have more than one dimension; that a kernel is bare is
 * said in its image.
 *  - A GPU launches a bare kernel as a grid of exactly these dimensions. Of another kernel,
 *    num_teams[0] is the grid's size, and thread_limit[0] the largest size of a block.
 *  - A device that calls kernels as functions, and leaves threads to the code in them, gives the
 *    numbers to that code or leaves them to it, and refuses a launch with more than 1 in [1] or [2]
 *    with GANTRY_FAILURE. */
typedef struct gantry_launch {
  size_t size;
  uint32_t kind;            /**< GANTRY_LAUNCH_* */
  uint32_t argument_count;  /**< constructs of thousands of variables exist; a plugin that has a
                                 limit refuses more with GANTRY_FAILURE */
  void* const* arguments;   /**< argument_count values of pointer size */
  uint32_t num_teams[3];    /**< [0] 0: the device's choice; of GANTRY_LAUNCH_TARGET: 1 */
  uint32_t thread_limit[3]; /**< [0] 0: the device's choice */
  uint64_t trip_count;      /**< iterations of the loop of the distribute construct, all collapsed
                                 loops together; 0: unknown */
  uint32_t dynamic_memory;  /**< bytes of dynamic group-private memory asked for in each team (CUDA:
                                 dynamic shared memory) */
} gantry_launch;

/* Images. */

enum {
  GANTRY_SYMBOL_KERNEL = 0,
  GANTRY_SYMBOL_VARIABLE = 1,
};

/** A symbol that find_symbols() looks up. */
typedef struct gantry_symbol {
  const char* name;      /**< in */
  int32_t kind;          /**< in: GANTRY_SYMBOL_* */
  gantry_status status;  /**< out: GANTRY_SUCCESS, or GANTRY_NOT_FOUND if the image has none */
  gantry_kernel* kernel; /**< out, of a kernel */
  void* address;         /**< out, of a variable: its device address */
  uint64_t bytes;        /**< out, of a variable: its size; 0 if that is not known */
} gantry_symbol;

/* Memory. */

/** Device memory that is asked for. `alignment` and `offset` are other than 64 and 0 only on a
 * device with GANTRY_CAPABILITY_PLACED_MEMORY, `address` is other than 0 only on one with
 * GANTRY_CAPABILITY_CHOSEN_ADDRESS. */
typedef struct gantry_allocation {
  size_t size;
  uint64_t bytes;     /**< more than 0 */
  uint64_t alignment; /**< a power of two from 64 to 4096 */
  uint64_t offset; /**< less than `alignment`: the address is `offset` more than a multiple of it */
  /** Not 0: the memory begins here, or the call fails; `alignment` and `offset` do not count. It is
      where allocate() placed memory before, of this device or of its like in another process. */
  uint64_t address;
} gantry_allocation;

/* Queues. */

/** When one operation began and ended, in nanoseconds of the device's clock. */
typedef struct gantry_interval {
  uint64_t begin;
  uint64_t end;
} gantry_interval;

/* Faults. */

/** What ended a device. */
enum {
  GANTRY_FAULT_OTHER = 0,       /**< the message of the failed call says all there is */
  GANTRY_FAULT_ACCESS = 1,      /**< of memory that the device cannot access */
  GANTRY_FAULT_ARITHMETIC = 2,  /**< an integer division by zero */
  GANTRY_FAULT_INSTRUCTION = 3, /**< one that the processor does not have */
  GANTRY_FAULT_ABORT = 4,       /**< abort() was called */
  GANTRY_FAULT_STACK = 5,       /**< a thread's stack is exhausted */
  GANTRY_FAULT_EXIT = 6,        /**< exit() was called, with `value` */
  GANTRY_FAULT_TIME = 7,        /**< a kernel took longer than the time limit */
  GANTRY_FAULT_DESCRIBED = 8, /**< `what` says it; `address`, if it is known, is what it is about */
};

enum {
  GANTRY_FAULT_ACCESS_UNKNOWN = 0,
  GANTRY_FAULT_ACCESS_READ = 1,
  GANTRY_FAULT_ACCESS_WRITE = 2,
  GANTRY_FAULT_ACCESS_CALL = 3, /**< for an instruction */
};

/** The first cause, if there were several. What it points to lives as long as the images of the
    device. Members that the plugin does not know are 0. */
typedef struct gantry_fault {
  size_t size;
  int32_t kind;                /**< GANTRY_FAULT_* */
  int32_t value;               /**< of GANTRY_FAULT_EXIT */
  int32_t access;              /**< GANTRY_FAULT_ACCESS_*, what for */
  int32_t address_known;       /**< 1: the system knows what address was accessed */
  uint64_t address;            /**< that was accessed */
  const gantry_kernel* kernel; /**< the kernel at work; null if none was, or it is not known */
  const char* kernel_name;     /**< its name in the image, which may be known without `kernel` */
  const void* image;           /**< the bytes of the image whose code was at work, or null */
  size_t image_size;
  uint64_t code;        /**< where in it, as the image's symbol table counts */
  const char* position; /**< of that, "app.cpp:12", if the plugin knows it; null otherwise */
  const char* what;     /**< of GANTRY_FAULT_DESCRIBED: "race in global memory: …" */
} gantry_fault;

/* Functions called by pointer (OpenMP 5.2, section 7.8, the indirect clause). */

/** A function, or a place in a virtual table, on the host and on a device. */
struct __omp_offloading_fptr_map_ty {
  int64_t host_ptr;
  int64_t tgt_ptr;
};

/** The table of a plugin: constant, and there until the process ends. Every function is required
    unless it says that it is optional. */
typedef struct gantry_plugin {
  size_t size;      /**< of this structure as the plugin knows it */
  uint32_t version; /**< GANTRY_PLUGIN_VERSION */

  /* Plugin. */

  /** The calling thread's last message; never null. Valid until its next failing call. */
  const char* (*error_message)(void)GANTRY_NOEXCEPT;

  /** The number of devices that this machine offers, found without touching them more than
      counting needs. GANTRY_NOT_FOUND, with the reason, if there is none. A plugin of virtual
      devices gives the number that it opens by default; more can be asked for. */
  gantry_status (*count_devices)(int32_t* count) GANTRY_NOEXCEPT;

  /** 1 if devices of this plugin could run the image at `bytes`, otherwise 0. Looks at headers
      only. No dynamic loader. */
  int32_t (*accepts_image)(const void* bytes, size_t size) GANTRY_NOEXCEPT;

  /* Devices. */

  /** Opens device number `index` of the plugin's, counted from 0. Several threads may open one
      device at once, and each success is paired with a close_device(), unless the process ends
      first; whether they get one handle or several is the plugin's business. GANTRY_FAILURE says
      that the machine does not have the device, and a program may go on without it;
      GANTRY_INVALID_OPTION says that what the user asked for makes no sense: an option, or an index
      beyond what a plugin of real devices counts. No lock of the plugin may be held here while the
      dynamic loader is waited for, because a thread inside dlopen() may come here too. */
  gantry_status (*open_device)(int32_t index, const gantry_device_settings* settings,
                               gantry_device** device) GANTRY_NOEXCEPT;

  /** Frees the device. Its images and queues are destroyed before and its memory is released,
     nothing is at work on it, and no other thread uses it. If it fails, the host's side is freed
     all the same. */
  gantry_status (*close_device)(gantry_device* device) GANTRY_NOEXCEPT;

  /** Fills in what the device is. */
  gantry_status (*get_properties)(gantry_device* device,
                                  gantry_device_properties* properties) GANTRY_NOEXCEPT;

  /** Optional. A program that requires unified shared memory (OpenMP 5.2, section 8.2) is about to
      be used: from now on code on the device may access host memory, and the device's
      capabilities have GANTRY_CAPABILITY_HOST_ACCESSIBLE. GANTRY_FAILURE if the device cannot do
      that. For devices that otherwise treat such an access as a fault. */
  gantry_status (*use_host_memory)(gantry_device* device) GANTRY_NOEXCEPT;

  /** Optional. What ended the device; GANTRY_NOT_FOUND if it is not lost, or why is not known. */
  gantry_status (*get_fault)(gantry_device* device, gantry_fault* fault) GANTRY_NOEXCEPT;

  /** Optional, for devices with functions called by pointer. From now on device code that calls
      through a `host_ptr` of the table calls `tgt_ptr`. The table replaces the one before; it is
      sorted by host_ptr, each of which occurs once, and is copied. Called when images are loaded
      or unloaded, while kernels may run; by one thread at a time for a device. No dynamic loader.
      A device that has no place for the table refuses launches until it has.
      A plugin without this function may export __tgt_rtl_set_function_ptr_map (below) instead. */
  gantry_status (*set_function_map)(gantry_device* device,
                                    const struct __omp_offloading_fptr_map_ty* table,
                                    uint64_t count) GANTRY_NOEXCEPT;

  /* Images. */

  /** Optional. How well an image that accepts_image() accepts suits the device: 0 if it does not
      run there, otherwise the larger the better. Looks at headers only. Without it, all are equal.
      No dynamic loader. */
  uint32_t (*rank_image)(gantry_device* device, const void* bytes, size_t size) GANTRY_NOEXCEPT;

  /** Makes an image of `bytes`, which it copies: they may vanish after the call. `file` is null or
      the path of a file that the copy is to be kept in and left behind for debuggers; an older
      file of that name is replaced. No dynamic loader. */
  gantry_status (*create_image)(gantry_device* device, const void* bytes, size_t size,
                                const char* file, gantry_image** image) GANTRY_NOEXCEPT;

  /** Loads the image onto its device, once, and runs the constructors of its global variables.
      When several threads call at once, each returns after the image is loaded. If it fails, the
      next call begins anew. */
  gantry_status (*load_image)(gantry_image* image) GANTRY_NOEXCEPT;

  /** Unloads the image if it was loaded (its destructors run) and frees it. No kernel of it runs,
      and no other thread uses it. If it fails, the host's side is freed all the same. */
  gantry_status (*destroy_image)(gantry_image* image) GANTRY_NOEXCEPT;

  /** Finds symbols of a loaded image: fills in each of the `count` elements. If any is not there,
      the result is the `status` of the first such element, GANTRY_NOT_FOUND, and the message is
      about that one; the others are filled in all the same. An element of a kind that the plugin
      does not know is not found. */
  gantry_status (*find_symbols)(gantry_image* image, gantry_symbol* symbols,
                                size_t count) GANTRY_NOEXCEPT;

  /* Memory. */

  /** Allocates device memory. */
  gantry_status (*allocate)(gantry_device* device, const gantry_allocation* request,
                            void** device_address) GANTRY_NOEXCEPT;

  /** Frees what allocate() gave. */
  gantry_status (*release)(gantry_device* device, void* device_address) GANTRY_NOEXCEPT;

  /** Copies host memory to the device; done on return, but see GANTRY_CAPABILITY_POSTED_COPIES. */
  gantry_status (*copy_to_device)(gantry_device* device, void* device_address, const void* host,
                                  uint64_t bytes) GANTRY_NOEXCEPT;

  /** Copies device memory to the host; done on return. */
  gantry_status (*copy_to_host)(gantry_device* device, void* host, const void* device_address,
                                uint64_t bytes) GANTRY_NOEXCEPT;

  /** Optional. Copies memory of one device to another of the same plugin, or within one, where the
      two ranges do not overlap; done on return. Without it, copies go by way of the host. */
  gantry_status (*copy_between)(gantry_device* from_device, const void* from,
                                gantry_device* to_device, void* to, uint64_t bytes) GANTRY_NOEXCEPT;

  /* Launches. */

  /** Runs a kernel; done on return. If the launch is refused, nothing has run. If the kernel fails,
      memory of the device, and of the host where it is accessible, is as the kernel left it. */
  gantry_status (*launch)(gantry_device* device, gantry_kernel* kernel,
                          const gantry_launch* launch) GANTRY_NOEXCEPT;

  /** Optional. What a program should know of a launch that gives it less than the construct names:
      a sentence for its user, or null. Asked once for a kernel, before a launch; valid until the
      thread's next call. */
  const char* (*launch_hint)(gantry_device* device, gantry_kernel* kernel,
                             const gantry_launch* launch)GANTRY_NOEXCEPT;

  /* Queues: called on devices with GANTRY_CAPABILITY_QUEUES alone. A plugin that has such devices
   * has all of these functions but the optional ones.
   *
   * Operations of one queue (CUDA: a stream) happen in the order in which they were put in;
   * operations of different queues happen at once, as far as the device can. One thread at a time
   * uses a queue. A queue is synchronised when synchronize_queue() has returned, or query_queue()
   * has said that it is done: not every queue that is queried is waited for as well.
   *
   * The first failure in a queue is the result of the next synchronize_queue() or query_queue().
   * What was behind it in the queue by then does not happen; it may be refused with the same
   * status when it is put in. After that the queue is as new, unless the device is lost. */

  gantry_status (*create_queue)(gantry_device* device, gantry_queue** queue) GANTRY_NOEXCEPT;

  /** Frees a queue in which nothing is left to be done. If it fails, the host's side is freed all
      the same. */
  gantry_status (*destroy_queue)(gantry_queue* queue) GANTRY_NOEXCEPT;

  /** Copies host memory to the device. The bytes at `host` do not change until the queue is
      synchronised. */
  gantry_status (*queue_copy_to_device)(gantry_queue* queue, void* device_address, const void* host,
                                        uint64_t bytes) GANTRY_NOEXCEPT;

  /** Copies device memory to the host: the bytes are there when the queue is synchronised. */
  gantry_status (*queue_copy_to_host)(gantry_queue* queue, void* host, const void* device_address,
                                      uint64_t bytes) GANTRY_NOEXCEPT;

  /** Runs a kernel. `launch` and its arguments are copied before the call returns. */
  gantry_status (*queue_launch)(gantry_queue* queue, gantry_kernel* kernel,
                                const gantry_launch* launch) GANTRY_NOEXCEPT;

  /** Returns when everything in the queue is done. */
  gantry_status (*synchronize_queue)(gantry_queue* queue) GANTRY_NOEXCEPT;

  /** Sets `done` to 1 if everything in the queue is done, otherwise to 0, and returns at once. */
  gantry_status (*query_queue)(gantry_queue* queue, int32_t* done) GANTRY_NOEXCEPT;

  /** Optional. `bytes` > 0 bytes of memory for the next launch in the queue alone: the kernel finds
      at `*device_address`, aligned to 64 bytes at least, what the caller wrote to `*host` before
      that launch. Both are valid until the queue is synchronised or asked again. Without it, what
      launches use is allocated, copied and released like anything else. */
  gantry_status (*queue_launch_data)(gantry_queue* queue, uint64_t bytes, void** host,
                                     void** device_address) GANTRY_NOEXCEPT;

  /** Optional, for devices whose properties name a clock. `on` other than 0: from now on the queue
      notes when each copy and each launch that is put in begins and ends on the device; 0: no
      more. Nothing is in the queue. */
  gantry_status (*record_times)(gantry_queue* queue, int32_t on) GANTRY_NOEXCEPT;

  /** Optional, with record_times. What the queue has noted, in the order in which operations were
      put in, and forgets then: writes as many as `capacity` elements and sets `*count` to how many
      there were. Called when the queue was synchronised and nothing was put in since. An operation
      that did not happen has begun and ended at 0. */
  gantry_status (*read_times)(gantry_queue* queue, gantry_interval* times, size_t capacity,
                              size_t* count) GANTRY_NOEXCEPT;

  /** Optional. Sets `host` to where this process can read and write `bytes` bytes of device memory,
      as long as they are allocated and nothing on the device uses them; what it writes there is as
      copied. GANTRY_NOT_FOUND if it cannot, of some memory or of all. */
  gantry_status (*find_host_view)(gantry_device* device, void* device_address, uint64_t bytes,
                                  void** host) GANTRY_NOEXCEPT;

  /* Plugins of devices elsewhere. */

  /** Optional. Called once, when the program starts, of a plugin of the installation that has to
      work from then on, as the processes of a job do that wait for each other, if GANTRY_DEVICES
      names it. What fails is told where devices are asked for; where it would wait for others
      without end, it may end the process, with a message. */
  void (*start_with_program)(void) GANTRY_NOEXCEPT;

  /** Optional, with start_with_program. The program has come to its end in a regular way: no other
      function is called any more, or what is called has no effect. */
  void (*end_with_program)(void) GANTRY_NOEXCEPT;

  /** Optional, for plugins whose devices are those of other plugins: adds devices, with the numbers
      behind those that were added before, and sets `added` to how many. `kind` is a plugin's name,
      or "" for those that are offered by themselves; `count` is how many of each place, 0: as many
      as are offered there. GANTRY_NOT_FOUND, with the reason, if there is none. Where a plugin has
      this, the runtime calls it in place of count_devices(), for each item of GANTRY_DEVICES. */
  gantry_status (*add_devices)(const char* kind, int32_t count, int32_t* added) GANTRY_NOEXCEPT;

  /** Optional, with copy_between. Puts such a copy into a queue of the device that it is from, and
      is done when the queue is; what it comes to is that queue's. Work in queues of the other
      device is not ordered by it, but the two may be one device. GANTRY_DEVICE_LOST if either is
      lost. */
  gantry_status (*queue_copy_between)(gantry_queue* queue, const void* from,
                                      gantry_device* to_device, void* to,
                                      uint64_t bytes) GANTRY_NOEXCEPT;
} gantry_plugin;

/** The one function that a plugin exports. `version` is the runtime's GANTRY_PLUGIN_VERSION: a
    plugin that serves several versions returns the table for this one, any other the one that it
    has, which the runtime refuses if its version differs. Never null. */
const gantry_plugin* gantry_get_plugin(uint32_t version) GANTRY_NOEXCEPT;

/** The entry that Clang's design of `declare target indirect` names. A plugin that is written to
    that design exports it, and leaves set_function_map null: the runtime then calls this one, with
    the plugin's own number of the device, under the rules of set_function_map. It cannot fail. */
void __tgt_rtl_set_function_ptr_map(int32_t device_id, uint64_t table_size,
                                    struct __omp_offloading_fptr_map_ty* table_host_ptr)
    GANTRY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
