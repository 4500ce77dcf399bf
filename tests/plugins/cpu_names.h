/* Included before everything else where the cpu plugin is compiled for the `queued` one, which
 * calls it: gives its functions names of their own. */
#define __tgt_rtl_api_version cpu_api_version
#define __tgt_rtl_error_message cpu_error_message
#define __tgt_rtl_number_of_devices cpu_number_of_devices
#define __tgt_rtl_init_device cpu_init_device
#define __tgt_rtl_capabilities cpu_capabilities
#define __tgt_rtl_device_description cpu_device_description
#define __tgt_rtl_is_valid_binary cpu_is_valid_binary
#define __tgt_rtl_create_image cpu_create_image
#define __tgt_rtl_load_image cpu_load_image
#define __tgt_rtl_destroy_image cpu_destroy_image
#define __tgt_rtl_find_kernel cpu_find_kernel
#define __tgt_rtl_find_variable cpu_find_variable
#define __tgt_rtl_data_alloc cpu_data_alloc
#define __tgt_rtl_data_delete cpu_data_delete
#define __tgt_rtl_data_submit cpu_data_submit
#define __tgt_rtl_data_retrieve cpu_data_retrieve
#define __tgt_rtl_launch_kernel cpu_launch_kernel
#define __tgt_rtl_launch_hint cpu_launch_hint
#define __tgt_rtl_set_function_ptr_map cpu_set_function_ptr_map
#define __tgt_rtl_set_function_ptr_check cpu_set_function_ptr_check
