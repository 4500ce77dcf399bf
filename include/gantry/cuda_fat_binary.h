/* NVIDIA's container of code for several architectures, as fatbinary makes it and cuModuleLoadData
   takes it: a header, and entries one after the other, each a header and its content. Found by
   experiment; see docs/simt.md. */
#ifndef GANTRY_CUDA_FAT_BINARY_H
#define GANTRY_CUDA_FAT_BINARY_H

#include <stdint.h>

#define GANTRY_FAT_BINARY_MAGIC 0xBA55ED50u

struct gantry_fat_binary {
  uint32_t magic;
  uint16_t version;
  uint16_t header_bytes;
  uint64_t bytes; /**< of the entries, behind the header */
};

enum gantry_fat_binary_kind { GANTRY_FAT_BINARY_PTX = 1, GANTRY_FAT_BINARY_ELF = 2 };

struct gantry_fat_binary_entry {
  uint16_t kind;
  uint16_t unused;
  uint32_t header_bytes;
  uint64_t bytes; /**< of the content, behind the header */
  uint32_t compressed_bytes;
  uint32_t unused_too;
  uint16_t minor;
  uint16_t major;
  uint32_t capability; /**< 90 for sm_90 */
  uint32_t name_offset;
  uint32_t name_bytes;
  uint64_t flags;
};

/** Of an entry whose content is compressed: an LZ4 block, or a Zstandard frame, of
 * compressed_bytes. */
#define GANTRY_FAT_BINARY_LZ4 (UINT64_C(1) << 13)
#define GANTRY_FAT_BINARY_ZSTD (UINT64_C(1) << 15)
/** Where such an entry has the bytes of its content before that, as a uint64_t. */
#define GANTRY_FAT_BINARY_ORIGINAL_BYTES 56

#endif
