// C's <string.h>, and what POSIX adds to it, in the C locale.
#include "device/gpu/heap.h"
#include "device/gpu/standard_library.h"

namespace gantry::device {

namespace {

int difference(char left, char right) {
  return static_cast<unsigned char>(left) - static_cast<unsigned char>(right);
}

bool is_one_of(char character, const char* set) {
  for (; *set != '\0'; ++set) {
    if (*set == character) {
      return true;
    }
  }
  return false;
}

/// The characters at the beginning of `text` that are in `set`, or that are not.
size_t span(const char* text, const char* set, bool in_set) {
  size_t length = 0;
  while (text[length] != '\0' && is_one_of(text[length], set) == in_set) {
    ++length;
  }
  return length;
}

/// Where strtok continues: one place for all threads, as on the host.
char* rest_of_strtok = nullptr;

} // namespace

extern "C" {

GANTRY_WEAK void* memcpy(void* to, const void* from, size_t count) {
  __builtin_memcpy(to, from, count);
  return to;
}

GANTRY_WEAK void* memmove(void* to, const void* from, size_t count) {
  __builtin_memmove(to, from, count);
  return to;
}

GANTRY_WEAK void* memset(void* to, int value, size_t count) {
  __builtin_memset(to, value, count);
  return to;
}

GANTRY_WEAK size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') {
    ++length;
  }
  return length;
}

GANTRY_WEAK int strcmp(const char* left, const char* right) {
  while (*left != '\0' && *left == *right) {
    ++left;
    ++right;
  }
  return difference(*left, *right);
}

GANTRY_WEAK int strncmp(const char* left, const char* right, size_t count) {
  while (count != 0 && *left != '\0' && *left == *right) {
    ++left;
    ++right;
    --count;
  }
  return count == 0 ? 0 : difference(*left, *right);
}

GANTRY_WEAK char* strcpy(char* to, const char* from) {
  for (size_t i = 0;; ++i) {
    to[i] = from[i];
    if (from[i] == '\0') {
      return to;
    }
  }
}

GANTRY_WEAK char* strncpy(char* to, const char* from, size_t count) {
  size_t i = 0;
  for (; i < count && from[i] != '\0'; ++i) {
    to[i] = from[i];
  }
  for (; i < count; ++i) {
    to[i] = '\0';
  }
  return to;
}

GANTRY_WEAK char* strcat(char* to, const char* from) {
  strcpy(to + strlen(to), from);
  return to;
}

GANTRY_WEAK char* strchr(const char* text, int character) {
  for (;; ++text) {
    if (*text == static_cast<char>(character)) {
      return const_cast<char*>(text);
    }
    if (*text == '\0') {
      return nullptr;
    }
  }
}

GANTRY_WEAK char* strrchr(const char* text, int character) {
  const char* found = nullptr;
  for (;; ++text) {
    if (*text == static_cast<char>(character)) {
      found = text;
    }
    if (*text == '\0') {
      return const_cast<char*>(found);
    }
  }
}

GANTRY_WEAK int memcmp(const void* left, const void* right, size_t count) {
  const auto* a = static_cast<const unsigned char*>(left);
  const auto* b = static_cast<const unsigned char*>(right);
  for (size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) {
      return a[i] - b[i];
    }
  }
  return 0;
}

GANTRY_WEAK void* memchr(const void* place, int value, size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(place);
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] == static_cast<unsigned char>(value)) {
      return const_cast<unsigned char*>(bytes + i);
    }
  }
  return nullptr;
}

GANTRY_WEAK int bcmp(const void* left, const void* right, size_t count) {
  return memcmp(left, right, count);
}

GANTRY_WEAK void* mempcpy(void* to, const void* from, size_t count) {
  __builtin_memcpy(to, from, count);
  return static_cast<char*>(to) + count;
}

GANTRY_WEAK void* memccpy(void* to, const void* from, int last, size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(from);
  for (size_t i = 0; i < count; ++i) {
    static_cast<unsigned char*>(to)[i] = bytes[i];
    if (bytes[i] == static_cast<unsigned char>(last)) {
      return static_cast<char*>(to) + i + 1;
    }
  }
  return nullptr;
}

GANTRY_WEAK void* memrchr(const void* place, int value, size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(place);
  while (count != 0) {
    --count;
    if (bytes[count] == static_cast<unsigned char>(value)) {
      return const_cast<unsigned char*>(bytes + count);
    }
  }
  return nullptr;
}

GANTRY_WEAK size_t strnlen(const char* text, size_t count) {
  size_t length = 0;
  while (length < count && text[length] != '\0') {
    ++length;
  }
  return length;
}

GANTRY_WEAK char* stpcpy(char* to, const char* from) {
  const size_t length = strlen(from);
  __builtin_memcpy(to, from, length + 1);
  return to + length;
}

GANTRY_WEAK char* stpncpy(char* to, const char* from, size_t count) {
  const size_t length = strnlen(from, count);
  strncpy(to, from, count);
  return to + length;
}

GANTRY_WEAK char* strncat(char* to, const char* from, size_t count) {
  char* const end = to + strlen(to);
  const size_t length = strnlen(from, count);
  __builtin_memcpy(end, from, length);
  end[length] = '\0';
  return to;
}

GANTRY_WEAK int strcoll(const char* left, const char* right) {
  return strcmp(left, right);
}

GANTRY_WEAK size_t strxfrm(char* to, const char* from, size_t count) {
  const size_t length = strlen(from);
  if (count != 0) {
    __builtin_memcpy(to, from, length < count ? length + 1 : count);
  }
  return length;
}

GANTRY_WEAK int strncasecmp(const char* left, const char* right, size_t count) {
  for (; count != 0; ++left, ++right, --count) {
    const int distance =
        tolower(static_cast<unsigned char>(*left)) - tolower(static_cast<unsigned char>(*right));
    if (distance != 0 || *left == '\0') {
      return distance;
    }
  }
  return 0;
}

GANTRY_WEAK int strcasecmp(const char* left, const char* right) {
  return strncasecmp(left, right, ~size_t{0});
}

GANTRY_WEAK char* strchrnul(const char* text, int character) {
  char* const found = strchr(text, character);
  return found != nullptr ? found : const_cast<char*>(text) + strlen(text);
}

GANTRY_WEAK size_t strspn(const char* text, const char* set) {
  return span(text, set, true);
}

GANTRY_WEAK size_t strcspn(const char* text, const char* set) {
  return span(text, set, false);
}

GANTRY_WEAK char* strpbrk(const char* text, const char* set) {
  text += span(text, set, false);
  return *text == '\0' ? nullptr : const_cast<char*>(text);
}

GANTRY_WEAK char* strstr(const char* text, const char* wanted) {
  const size_t length = strlen(wanted);
  for (;; ++text) {
    if (strncmp(text, wanted, length) == 0) {
      return const_cast<char*>(text);
    }
    if (*text == '\0') {
      return nullptr;
    }
  }
}

GANTRY_WEAK void* memmem(const void* place, size_t count, const void* wanted, size_t length) {
  const auto* bytes = static_cast<const char*>(place);
  for (; count >= length; ++bytes, --count) {
    if (memcmp(bytes, wanted, length) == 0) {
      return const_cast<char*>(bytes);
    }
  }
  return nullptr;
}

GANTRY_WEAK char* strtok_r(char* text, const char* delimiters, char** rest) {
  char* begin = text != nullptr ? text : *rest;
  if (begin == nullptr) {
    return nullptr;
  }
  begin += strspn(begin, delimiters);
  if (*begin == '\0') {
    *rest = begin;
    return nullptr;
  }
  char* const end = begin + strcspn(begin, delimiters);
  *rest = *end == '\0' ? end : end + 1;
  *end = '\0';
  return begin;
}

GANTRY_WEAK char* strtok(char* text, const char* delimiters) {
  return strtok_r(text, delimiters, &rest_of_strtok);
}

GANTRY_WEAK char* strsep(char** text, const char* delimiters) {
  char* const begin = *text;
  if (begin == nullptr) {
    return nullptr;
  }
  char* const end = begin + strcspn(begin, delimiters);
  *text = *end == '\0' ? nullptr : end + 1;
  *end = '\0';
  return begin;
}

GANTRY_WEAK char* strndup(const char* text, size_t count) {
  const size_t length = strnlen(text, count);
  auto* const copy = static_cast<char*>(malloc(length + 1));
  if (copy != nullptr) {
    __builtin_memcpy(copy, text, length);
    copy[length] = '\0';
  }
  return copy;
}

GANTRY_WEAK char* strdup(const char* text) {
  return strndup(text, ~size_t{0});
}

} // extern "C"

} // namespace gantry::device
