/* A program without OpenMP code, and without libomp in its process: it drives devices by the
   runtime's routines alone, which do at once what a task would do later. */
#include "check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gantry/gantry.h>

int __tgt_get_num_devices(void);
void __tgt_init_all_rtls(void);
void __tgt_rtl_init(void);
void __tgt_rtl_deinit(void);
void __tgt_set_info_flag(uint32_t bits);
int __tgt_print_device_info(int64_t device);

/* What OpenMP 6.0 code calls for interop; the arguments that matter here are null. */
void* __tgt_interop_get(void* location, int32_t type, int64_t device, int32_t preferences,
                        void* preferred, void* context, void* dependences);
int __tgt_interop_use60(void* location, void* object, void* context, void* dependences);
int __tgt_interop_release(void* location, void* object, void* context, void* dependences);
void __tgt_target_sync(void* location, int thread, void* task, void* event);
int ompx_interop_add_completion_callback(void* object, void (*callback)(void*, void*), void* data);

static int ends = 0;

static void note_end(void) {
  ++ends;
}

/* An exit handler: registered last, it is the first. */
static void look_at_end(void) {
  if (ends != 1) {
    static const char text[] = "gantry_before_exit() did not call once before exit handlers\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
  }
}

static void count_offer(const gantry_device_offer* offer, void* data) {
  (void)offer;
  ++*(int*)data;
}

static void find_devices_variable(const gantry_environment_variable* variable, void* data) {
  *(int*)data |= strcmp(variable->name, "GANTRY_DEVICES") == 0;
}

static void unexpected(void* object, void* data) {
  (void)object;
  *(int*)data = 1;
}

static void check_interop(void) {
  int called = 0;
  void* object = __tgt_interop_get(NULL, 2, -1, 0, NULL, NULL, NULL);
  CHECK(object == omp_interop_none);
  CHECK_EQUAL(__tgt_interop_use60(NULL, object, NULL, NULL), 0);
  __tgt_target_sync(NULL, 0, NULL, NULL);
  CHECK(ompx_interop_add_completion_callback(object, unexpected, &called) != 0);
  CHECK_EQUAL(__tgt_interop_release(NULL, object, NULL, NULL), 0);
  CHECK(!called);
}

static void check_routines(int device) {
  const int host = omp_get_initial_device();
  int values[16] = {1, 2, 3};
  int* memory = omp_target_alloc(sizeof values, device);
  CHECK(memory != NULL);
  CHECK_EQUAL(omp_target_memcpy_async(memory, values, sizeof values, 0, 0, device, host, 0, NULL),
              0);
  CHECK(omp_target_memset_async(memory, 0, 4, device, 0, NULL) == memory);
  const size_t volume[] = {3}, zero[] = {0}, extents[] = {16};
  CHECK_EQUAL(omp_target_memcpy_rect_async(values, memory, 4, 1, volume, zero, zero, extents,
                                           extents, host, device, 0, NULL),
              0);
  CHECK(values[0] == 0 && values[1] == 2 && values[2] == 3);
  CHECK_EQUAL(omp_target_associate_ptr(values, memory, sizeof values, 0, device), 0);
  ompx_dump_mapping_tables();
  CHECK_EQUAL(omp_target_disassociate_ptr(values, device), 0);
  omp_target_free(memory, device);
  CHECK_EQUAL(__tgt_print_device_info(device), 1);
}

int main(void) {
  CHECK(dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num") == NULL);
  CHECK_EQUAL(__tgt_get_num_devices(), 0); /* no image wants one */
  __tgt_rtl_init();
  __tgt_init_all_rtls();
  CHECK_EQUAL(__tgt_get_num_devices(), 2);
  CHECK_EQUAL(omp_get_num_devices(), 2);
  CHECK_EQUAL(omp_get_initial_device(), 2);
  CHECK_EQUAL(omp_get_device_num(), 2);
  CHECK(omp_is_initial_device());
  __tgt_set_info_flag(0);
  for (int device = 0; device < 2; ++device) {
    check_routines(device);
  }
  CHECK_EQUAL(__tgt_print_device_info(2), 0);
  check_interop();
  int offers = 0, has_devices_variable = 0;
  gantry_visit_devices(count_offer, &offers);
  gantry_visit_environment(find_devices_variable, &has_devices_variable);
  CHECK(offers >= 1 && has_devices_variable);
  const char* reason = NULL;
  CHECK(gantry_find_plugin("cpu", &reason) != NULL && reason == NULL);
  CHECK(gantry_find_plugin("no-such-kind", &reason) == NULL && reason != NULL);
  __tgt_rtl_deinit();
  gantry_before_exit(note_end);
  atexit(look_at_end);
  return 0;
}
