"""How much thread-local memory libraries have of their own: thread_local_memory_test.py LIBRARY…"""

import struct
import sys
import unittest

PT_TLS = 7
MOST = 256  # of the 512 bytes that glibc has for all libraries that come late


def thread_local_bytes(path):
    """The size of the segment of type PT_TLS of a 64-bit ELF file."""
    with open(path, "rb") as file:
        header = struct.unpack("<16sHHIQQQIHHHHHH", file.read(64))
        offset, size, count = header[5], header[9], header[10]
        file.seek(offset)
        headers = [struct.unpack_from("<IIQQQQQQ", file.read(size)) for _ in range(count)]
    return sum(fields[6] for fields in headers if fields[0] == PT_TLS)


class ThreadLocalMemory(unittest.TestCase):
    def test_there_is_little(self):
        for library in sys.argv[1:]:
            with self.subTest(library):
                self.assertLessEqual(thread_local_bytes(library), MOST)


unittest.main(argv=sys.argv[:1])
