/* What a thread of a kernel did wrong, as the executors of GPU code tell it: the PTX executor by
 * gantry_simt_get_fault (simt_driver.h), that of AMD's code by gantry_simt_hsa_get_fault
 * (simt_hsa.h).
 */
#ifndef GANTRY_SIMT_FAULT_H
#define GANTRY_SIMT_FAULT_H

enum {
  GANTRY_SIMT_FAULT_NO_ADDRESS = 0,
  GANTRY_SIMT_FAULT_READ = 1,
  GANTRY_SIMT_FAULT_WRITE = 2,
  GANTRY_SIMT_FAULT_CALL = 3,
};

/** For runtimes that know what the program has at an address. How long the strings live says who
   gives it. */
typedef struct gantry_simt_fault {
  const char* kernel;         /**< its name; empty if it did not begin */
  const char* position;       /**< "sum.cu:12"; empty if the code does not say */
  const char* what;           /**< the headline of the report on standard error */
  int access;                 /**< GANTRY_SIMT_FAULT_*: what was done at `address` */
  int is_invalid;             /**< 1: that this may not be accessed is the fault */
  unsigned long long address; /**< of global memory */
} gantry_simt_fault;

#endif
