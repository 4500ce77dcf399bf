/* What libgantry tells about itself. For tools; programs need nothing of this. */
#ifndef GANTRY_GANTRY_H
#define GANTRY_GANTRY_H

#include <gantry/plugin.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A kind of device that GANTRY_DEVICES could name here. Strings live until the visitor returns. */
typedef struct gantry_device_offer {
  const char* name;
  int32_t devices;         /**< how many this machine has */
  const char* description; /**< of the first one; "" when it is not usable */
  const char* reason;      /**< why it is not usable, or null if it is */
} gantry_device_offer;

typedef void (*gantry_device_visitor)(const gantry_device_offer* offer, void* data);

/** Calls `visit` for every kind of device, usable or not. Opens the usable ones. */
void gantry_visit_devices(gantry_device_visitor visit, void* data) GANTRY_NOEXCEPT;

/** The table of a plugin that this runtime would use: `name` is a name that GANTRY_DEVICES could
   hold, or the path of a library, with a '/'. Null if there is none, and `reason`, valid until the
    thread's next call, says why. The table is as long as the runtime's, with null for functions
    that the plugin does not have; it stays until the process ends. */
const gantry_plugin* gantry_find_plugin(const char* name, const char** reason) GANTRY_NOEXCEPT;

/** Has `called` called when the process's first thread ends the process, by exit() or at the end of
    main(): by that thread, before any exit handler. For libraries that devices bring along, which
    other threads may have loaded. Not where another thread calls exit(). As many as eight; any
    thread. */
void gantry_before_exit(void (*called)(void)) GANTRY_NOEXCEPT;

/** An environment variable that the runtime reads. */
typedef struct gantry_environment_variable {
  const char* name;
  const char* default_value; /**< "" for none */
  const char* meaning;
} gantry_environment_variable;

typedef void (*gantry_environment_visitor)(const gantry_environment_variable* variable, void* data);

/** Calls `visit` for every variable, in the order to be shown. */
void gantry_visit_environment(gantry_environment_visitor visit, void* data) GANTRY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
