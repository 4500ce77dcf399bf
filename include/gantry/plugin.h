/* The contract between Gantry's runtime and a device plugin.
 *
 * A plugin drives one kind of device. It is a set of C functions named __tgt_rtl_*, found by name:
 * the `cpu` plugin is linked into libgantry, any other is lib/gantry/libgantry-plugin-NAME.so. The
 * runtime owns everything OpenMP (mapping rules, reference counts, policies, messages); a plugin
 * owns devices, their memory, their images and launches, and knows nothing of OpenMP's rules.
 *
 * Common to all functions:
 *  - A function that can fail returns GANTRY_SUCCESS or an error code; __tgt_rtl_error_message()
 *    then gives the calling thread's message: a sentence without a line break. A plugin never
 *    prints and never ends the process.
 *  - No exception leaves a function, because the frames of its callers need not be made for that.
 *  - `device` counts a plugin's own devices from 0; the runtime opens them with
 *    __tgt_rtl_init_device and uses no other.
 *  - Every function may be called by any number of threads at once, unless it says otherwise.
 *  - Pointers called "device address" mean something to the device alone.
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

/** The version of this contract; a plugin that answers another one is refused. */
#define GANTRY_PLUGIN_API_VERSION 1

enum {
  GANTRY_SUCCESS = 0,
  GANTRY_FAILURE = 1,        /**< the device or the system refused; the message says why */
  GANTRY_OUT_OF_MEMORY = 2,  /**< device memory is exhausted */
  GANTRY_NOT_FOUND = 3,      /**< no such symbol in the image */
  GANTRY_INVALID_OPTION = 4, /**< a device option is not understood */
  /** The device has failed and does nothing any more: code on it did what ends it, or it was ended
      from outside. Every later call that needs it answers this too. */
  GANTRY_DEVICE_LOST = 5,
};

/** What a device can do; shapes what the runtime asks of it. */
enum {
  /** Code on the device can dereference host addresses. */
  GANTRY_CAPABILITY_HOST_ACCESSIBLE = 1u << 0,
  /** Corresponding storage may be the original storage itself: mapping needs no copy. Implies
      HOST_ACCESSIBLE. */
  GANTRY_CAPABILITY_SHARES_MEMORY = 1u << 1,
  /** Copies and launches need not be done when the call returns: the plugin has the functions of
      queues. */
  GANTRY_CAPABILITY_QUEUES = 1u << 2,
  /** On a device with queues: one launch by __tgt_rtl_launch_kernel, or one copy by
     __tgt_rtl_data_submit or _retrieve, takes less of the host's time than one in a queue that is
     waited for. */
  GANTRY_CAPABILITY_DIRECT = 1u << 3,
};

/** An image on one device. Owned by the plugin from create to destroy. */
typedef struct gantry_image gantry_image;

/** A kernel of a loaded image; lives as long as the image. */
typedef struct gantry_kernel gantry_kernel;

/** One launch of a kernel. Valid for the duration of the call.
 *
 * [0] of num_teams and thread_limit is what the construct's clauses say. [1] and [2] are further
 * dimensions of the league and of each team, 0 or 1 if there is none; only bare kernels
 * (`ompx_bare`) have them, and num_teams[0] * [1] * [2] teams of thread_limit[0] * [1] * [2]
 * threads each execute such a kernel from its first instruction. A GPU launches it as a grid of
 * these dimensions. A device that calls a kernel as a function, and leaves threads to the code in
 * it, has no such grid: it refuses a launch with a further dimension larger than 1
 * (GANTRY_FAILURE). */
typedef struct gantry_launch {
  void* const* arguments; /**< argument_count values of pointer size */
  uint32_t argument_count;
  uint32_t num_teams[3];    /**< size of the league; 0: the device's choice, 0xFFFFFFFF in [0]: the
                                 construct has no teams, one team runs */
  uint32_t thread_limit[3]; /**< threads a team at most; 0: the device's choice */
  uint64_t trip_count;      /**< iterations of the distributed loop; 0: unknown */
  uint32_t dynamic_memory;  /**< bytes of dynamic group-private memory asked for */
} gantry_launch;

/** The version the plugin was written for: GANTRY_PLUGIN_API_VERSION. */
int32_t __tgt_rtl_api_version(void) GANTRY_NOEXCEPT;

/** The calling thread's last error; never null. Valid until its next failing call. */
const char* __tgt_rtl_error_message(void) GANTRY_NOEXCEPT;

/** The number of devices this machine offers, without touching them more than needed to count. When
    it is 0, the error message says why. A plugin of virtual devices answers how many it opens by
    default; more can be asked for. */
int32_t __tgt_rtl_number_of_devices(void) GANTRY_NOEXCEPT;

/** Opens device number `device`. `openmp_number` is what omp_get_device_num() answers on it.
    `options` is what followed the device's name in GANTRY_DEVICES, without the first '+' ("" when
    nothing did), options separated by '+'. Called before any other use. Several threads may call it
    for one device at once, with the same arguments: the first to be done counts, and the others
    answer success too. No lock may be held here while the dynamic loader is waited for, because a
    thread that is inside dlopen may come here too. */
int32_t __tgt_rtl_init_device(int32_t device, int32_t openmp_number,
                              const char* options) GANTRY_NOEXCEPT;

/** The bits GANTRY_CAPABILITY_* of an open device. */
uint32_t __tgt_rtl_capabilities(int32_t device) GANTRY_NOEXCEPT;

/** A program that requires unified shared memory (OpenMP 5.2, section 8.2) is about to be used:
    from now on code on the device may access host memory, and __tgt_rtl_capabilities has
    GANTRY_CAPABILITY_HOST_ACCESSIBLE. GANTRY_FAILURE if the device cannot do that. For plugins
    whose devices otherwise treat such an access as a fault; others need not have it. */
int32_t __tgt_rtl_use_host_memory(int32_t device) GANTRY_NOEXCEPT;

/** A description for people, such as "x86-64, 16 cores"; lives as long as the plugin. */
const char* __tgt_rtl_device_description(int32_t device) GANTRY_NOEXCEPT;

/** 1 if the devices of this plugin could run the image at `bytes`, else 0. Looks at headers only.
    Must not take the dynamic loader's lock, as __tgt_rtl_create_image must not. */
int32_t __tgt_rtl_is_valid_binary(const void* bytes, size_t size) GANTRY_NOEXCEPT;

/** How well an image that __tgt_rtl_is_valid_binary accepts suits `device`: 0 if it does not run
   there, else the larger the better. Looks at headers only. A plugin whose devices run all that it
    accepts, equally well, need not have it. */
uint32_t __tgt_rtl_rank_image(int32_t device, const void* bytes, size_t size) GANTRY_NOEXCEPT;

/** Makes an image for `device` from `bytes`, of which it keeps a copy: they may vanish after the
    call. `file` is null or the path of a file that does not exist yet, in which the copy is kept
   and left behind for debuggers. Must not take the dynamic loader's lock, because threads that load
   and unload libraries wait for the caller. */
int32_t __tgt_rtl_create_image(int32_t device, const void* bytes, size_t size, const char* file,
                               gantry_image** image) GANTRY_NOEXCEPT;

/** Loads the image onto its device, once: runs the constructors of its global variables. When
    several threads call at once, each returns after the image is loaded. */
int32_t __tgt_rtl_load_image(gantry_image* image) GANTRY_NOEXCEPT;

/** Unloads the image if it was loaded (its destructors run) and frees it. No kernel of it runs. */
void __tgt_rtl_destroy_image(gantry_image* image) GANTRY_NOEXCEPT;

/** Finds a kernel of a loaded image. */
int32_t __tgt_rtl_find_kernel(gantry_image* image, const char* name,
                              gantry_kernel** kernel) GANTRY_NOEXCEPT;

/** Finds a global variable of a loaded image: its device address and size in bytes (0: unknown). */
int32_t __tgt_rtl_find_variable(gantry_image* image, const char* name, void** device_address,
                                uint64_t* size) GANTRY_NOEXCEPT;

/** Allocates `size` > 0 bytes of device memory, aligned to 64 bytes at least. */
int32_t __tgt_rtl_data_alloc(int32_t device, uint64_t size, void** device_address) GANTRY_NOEXCEPT;

/** The same at an address that is `offset` more than a multiple of `alignment`, a power of two from
    64 to 4096. For plugins that watch where a block ends; others need not have it, and are asked
   for as much more as that may take. */
int32_t __tgt_rtl_data_place(int32_t device, uint64_t size, uint64_t alignment, uint64_t offset,
                             void** device_address) GANTRY_NOEXCEPT;

/** Frees what __tgt_rtl_data_alloc or __tgt_rtl_data_place gave. */
int32_t __tgt_rtl_data_delete(int32_t device, void* device_address) GANTRY_NOEXCEPT;

/** Copies host memory to the device; done on return. */
int32_t __tgt_rtl_data_submit(int32_t device, void* device_address, const void* host,
                              uint64_t size) GANTRY_NOEXCEPT;

/** Copies device memory to the host; done on return. */
int32_t __tgt_rtl_data_retrieve(int32_t device, void* host, const void* device_address,
                                uint64_t size) GANTRY_NOEXCEPT;

/** Runs a kernel; done on return. If it fails, nothing that the host can see has changed. */
int32_t __tgt_rtl_launch_kernel(int32_t device, gantry_kernel* kernel,
                                const gantry_launch* launch) GANTRY_NOEXCEPT;

/** What a program should know of a launch that gives it less than the construct names, a sentence
    for its user, or null. Asked once for a kernel, before a launch; valid until the thread's next
    call. A plugin that has nothing to say need not have it. */
const char* __tgt_rtl_launch_hint(int32_t device, gantry_kernel* kernel,
                                  const gantry_launch* launch) GANTRY_NOEXCEPT;

/** Copies memory of one device to another of the same plugin, or within one, where the two do not
    overlap; done on return. A plugin that cannot need not have it: its memory then goes by way of
    the host. */
int32_t __tgt_rtl_data_exchange(int32_t from_device, const void* from, int32_t to_device, void* to,
                                uint64_t size) GANTRY_NOEXCEPT;

/* Queues, for devices with GANTRY_CAPABILITY_QUEUES; other plugins need not have these functions.
 *
 * What is put into a queue happens in order, what is in different queues at once as far as the
 * device can. A queue is used by one thread at a time. The first failure in a queue is the answer
 * of the next call that synchronises or queries it; what was behind it in the queue by then does
 * not happen. After the answer the queue is as new. */

/** Owned by the plugin from create to destroy. */
typedef struct gantry_queue gantry_queue;

int32_t __tgt_rtl_create_queue(int32_t device, gantry_queue** queue) GANTRY_NOEXCEPT;

/** Frees a queue in which nothing is left to be done. */
void __tgt_rtl_destroy_queue(gantry_queue* queue) GANTRY_NOEXCEPT;

/** Copies host memory to the device. The bytes at `host` stay as they are until the queue is
    synchronised. */
int32_t __tgt_rtl_data_submit_async(gantry_queue* queue, void* device_address, const void* host,
                                    uint64_t size) GANTRY_NOEXCEPT;

/** Copies device memory to the host: the bytes are there when the queue is synchronised. */
int32_t __tgt_rtl_data_retrieve_async(gantry_queue* queue, void* host, const void* device_address,
                                      uint64_t size) GANTRY_NOEXCEPT;

/** Room for `size` > 0 bytes of which the next launch in the queue alone makes use: the kernel
    finds at `*device_address`, aligned to 64 bytes at least, what the caller has written to `*host`
    before that launch. Both are good until the queue is waited for or asked for room again. A
    plugin need not have this function: what launches use is then allocated, copied to and freed
    like anything else. */
int32_t __tgt_rtl_launch_data(gantry_queue* queue, uint64_t size, void** host,
                              void** device_address) GANTRY_NOEXCEPT;

/** Runs a kernel. `launch` and its arguments are copied before the call returns. */
int32_t __tgt_rtl_launch_kernel_async(gantry_queue* queue, gantry_kernel* kernel,
                                      const gantry_launch* launch) GANTRY_NOEXCEPT;

/** Returns when everything in the queue is done. */
int32_t __tgt_rtl_synchronize_queue(gantry_queue* queue) GANTRY_NOEXCEPT;

/** Sets `done` to 1 if everything in the queue is done, else to 0, and returns at once. */
int32_t __tgt_rtl_query_queue(gantry_queue* queue, int32_t* done) GANTRY_NOEXCEPT;

/* Faults, for devices that can be lost (GANTRY_DEVICE_LOST) and whose plugins know why; others need
 * not have these functions. */

/** What ended a device. */
enum {
  GANTRY_FAULT_OTHER = 0,       /**< the message of the failed call says all there is */
  GANTRY_FAULT_ACCESS = 1,      /**< of memory that the device cannot access */
  GANTRY_FAULT_ARITHMETIC = 2,  /**< an integer division by zero */
  GANTRY_FAULT_INSTRUCTION = 3, /**< one that the processor does not have */
  GANTRY_FAULT_ABORT = 4,       /**< abort() was called */
  GANTRY_FAULT_STACK = 5,       /**< a thread's stack is exhausted */
  GANTRY_FAULT_EXIT = 6,        /**< exit() was called, with `value` */
  GANTRY_FAULT_TIME = 7,        /**< a kernel took longer than __tgt_rtl_set_time_limit allows */
  GANTRY_FAULT_DESCRIBED = 8, /**< `what` says it; `address`, if it is known, is what it is about */
};

enum {
  GANTRY_FAULT_ACCESS_READ = 0, /**< or it is not known */
  GANTRY_FAULT_ACCESS_WRITE = 1,
  GANTRY_FAULT_ACCESS_CALL = 2, /**< for an instruction */
};

typedef struct gantry_fault {
  int32_t kind;                /**< GANTRY_FAULT_* */
  int32_t value;               /**< of GANTRY_FAULT_EXIT */
  int32_t access;              /**< GANTRY_FAULT_ACCESS_*, what for */
  int32_t address_known;       /**< 1: the system knows what address was accessed */
  uint64_t address;            /**< that was accessed */
  const gantry_kernel* kernel; /**< that was at work; null if none was, or it is not known */
  const char* kernel_name;     /**< its name in the image, which may be known without `kernel` */
  const void* image;           /**< the bytes of the image whose code was at work, or null */
  size_t image_size;
  uint64_t code;        /**< where in it, as the image's symbol table counts */
  const char* position; /**< of that, "app.cpp:12", if the plugin knows it; null otherwise */
  const char* what;     /**< of GANTRY_FAULT_DESCRIBED: "race in global memory: …" */
} gantry_fault;

/** What ended the device, the first cause if there were several; GANTRY_NOT_FOUND if it is not
    lost. What `fault` points to lives as long as the images of the device. The members that the
    plugin does not set are zero. */
int32_t __tgt_rtl_device_fault(int32_t device, gantry_fault* fault) GANTRY_NOEXCEPT;

/** From now on a kernel that takes longer is a fault. Called before any image of the device, if at
    all; by several threads, with the same value, where several open the device. */
void __tgt_rtl_set_time_limit(int32_t device, uint64_t milliseconds) GANTRY_NOEXCEPT;

/** From now on device memory is made such that mistakes show: what is allocated has values that are
    nobody's, and what is freed stays out of use for long. Called as __tgt_rtl_set_time_limit is. */
void __tgt_rtl_set_memory_check(int32_t device) GANTRY_NOEXCEPT;

/** The processors that the program was given at its start, as sched_setaffinity takes them: for
    plugins whose devices are processes. Called as __tgt_rtl_set_time_limit is. */
void __tgt_rtl_set_processors(int32_t device, const unsigned long* mask,
                              uint64_t words) GANTRY_NOEXCEPT;

/* Functions called by pointer (OpenMP 5.2, section 7.8, the indirect clause): a plugin whose
 * devices have none need not have these. */

/** A function, or a place in a virtual table, on the host and on a device. */
struct __omp_offloading_fptr_map_ty {
  int64_t host_ptr;
  int64_t tgt_ptr;
};

/** From now on device code that calls through a `host_ptr` of the table calls `tgt_ptr`. The table,
    which replaces the one before, has `table_size` elements, sorted by host_ptr, each of which is
    in it once; it is copied. Called whenever images are loaded or unloaded, while kernels may run;
    one call at a time for a device. Must not take the dynamic loader's lock, as
    __tgt_rtl_create_image must not. It cannot fail: a device that has no place for the table
    refuses launches as long as that is so. */
void __tgt_rtl_set_function_ptr_map(int32_t device_id, uint64_t table_size,
                                    struct __omp_offloading_fptr_map_ty* table_host_ptr)
    GANTRY_NOEXCEPT;

/** A call, in device code, through a pointer that the table does not have. */
typedef struct gantry_unknown_function {
  const void* pointer;
  const void* image; /**< the bytes of the image that makes the call; null if that is not known */
  size_t image_size;
  uint64_t call; /**< the call's address, as the image's symbol table counts */
} gantry_unknown_function;

/** `device` is the device's OpenMP number, or -1 if that is not known. */
typedef void gantry_function_check(int32_t device, const gantry_unknown_function* unknown);

/** `check` is asked, on the thread that makes it, before every call through such a pointer: it
    returns if the pointer may be the device's own. Called as
    __tgt_rtl_set_time_limit is. */
void __tgt_rtl_set_function_ptr_check(int32_t device, gantry_function_check* check) GANTRY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
