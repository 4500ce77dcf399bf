# What an installation consists of: `cmake --install` copies it, scripts/demo builds this target.
add_custom_target(installation)

# gantry_install(TARGET FOLDER): TARGET's file is installed in FOLDER.
function(gantry_install target folder)
  install(TARGETS ${target}
    RUNTIME DESTINATION ${folder} LIBRARY DESTINATION ${folder} ARCHIVE DESTINATION ${folder})
  add_dependencies(installation ${target})
endfunction()

# Headers that most files include are parsed once: those of the C++ library and of fmt, in llvm/ also
# LLVM's and in test/ GoogleTest's. A set serves targets with the same language options.
file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
set(GANTRY_STANDARD_HEADERS <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cstddef> <cstdint>
  <cstdio> <cstdlib> <cstring> <deque> <filesystem> <functional> <map> <memory> <mutex> <optional> <set>
  <span> <string> <string_view> <thread> <unordered_map> <utility> <vector> <fmt/format.h>
  <tl/expected.hpp>)
function(gantry_precompiled_headers set)
  add_library(gantry_${set}_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_precompile_headers(gantry_${set}_headers PRIVATE ${GANTRY_STANDARD_HEADERS} ${ARGN})
endfunction()
# Without the time of its making, which would make every compilation new to ccache.
add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
gantry_precompiled_headers(standard)
gantry_precompiled_headers(fuzzed) # for gantry_guide_fuzzers()
target_compile_options(gantry_fuzzed_headers PRIVATE -fsanitize=fuzzer-no-link)
gantry_precompiled_headers(program) # the same where no position-independent code is made
set_target_properties(gantry_program_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
set(GANTRY_LLVM_HEADERS <llvm/IR/Constants.h> <llvm/IR/IRBuilder.h> <llvm/IR/InstIterator.h> <llvm/IR/Instructions.h>
  <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h> <llvm/IR/Verifier.h>)
gantry_precompiled_headers(llvm ${GANTRY_LLVM_HEADERS})
gantry_precompiled_headers(llvm_test ${GANTRY_LLVM_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
foreach(set llvm llvm_test)
  target_include_directories(gantry_${set}_headers SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_options(gantry_${set}_headers PRIVATE -fno-rtti)
endforeach()
gantry_precompiled_headers(test <gmock/gmock.h> <gtest/gtest.h>)
gantry_precompiled_headers(long_test <gmock/gmock.h> <gtest/gtest.h>) # for tests that compute much, and are optimised
foreach(set test llvm_test long_test)
  target_link_libraries(gantry_${set}_headers PRIVATE GTest::gtest GTest::gmock)
  set_target_properties(gantry_${set}_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF) # a program's
endforeach()
target_compile_options(gantry_test_headers PRIVATE -O0)
target_compile_options(gantry_llvm_test_headers PRIVATE -O0)

# gantry_library(NAME SOURCES... [DEPENDS targets...] [HEADERS set]): one room of src/ as a static
# library that others include as "room/file.h".
function(gantry_library name)
  cmake_parse_arguments(ARG "" "HEADERS" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS standard)
  endif()
  target_precompile_headers(${name} REUSE_FROM gantry_${ARG_HEADERS}_headers)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# gantry_unit_test(NAME SOURCES... [DEPENDS targets...] [WITH_LLVM] [ONE_THREAD]): a GoogleTest program, one ctest
# entry; with ONE_THREAD not for ThreadSanitizer.
function(gantry_unit_test name)
  cmake_parse_arguments(ARG "WITH_LLVM;ONE_THREAD" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unit)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main GTest::gmock)
  # What is tested is optimised, the tests and their links are not: they take longer to build than to run.
  target_compile_options(${name} PRIVATE -O0)
  target_link_options(${name} PRIVATE -Wl,--lto-O0)
  if(ARG_WITH_LLVM)
    target_precompile_headers(${name} REUSE_FROM gantry_llvm_test_headers)
  else()
    target_precompile_headers(${name} REUSE_FROM gantry_test_headers)
  endif()
  if(ARG_ONE_THREAD AND GANTRY_SANITIZE MATCHES thread)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  add_test(NAME unit.${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 600)
endfunction()

# gantry_guide_fuzzers(TARGET): a fuzzer sees which of its code runs.
function(gantry_guide_fuzzers target)
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  get_target_property(headers ${target} PRECOMPILE_HEADERS_REUSE_FROM)
  if(headers) # with the same option
    set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM gantry_fuzzed_headers)
    add_dependencies(${target} gantry_fuzzed_headers)
  endif()
endfunction()

# gantry_fuzzer(NAME SOURCES... [DEPENDS targets...] [SEEDS folders...] [SECONDS n]): a libFuzzer target,
# where the sanitizers that it relies on are: in the asan preset. ctest runs it for 5 seconds or n,
# from the seeds and what earlier runs found (fuzz/NAME of the build tree; inputs that fail are beside
# it).
function(gantry_fuzzer name)
  cmake_parse_arguments(ARG "" "SECONDS" "SOURCES;DEPENDS;SEEDS" ${ARGN})
  if(NOT GANTRY_SANITIZE MATCHES address)
    return()
  endif()
  if(NOT ARG_SECONDS)
    set(ARG_SECONDS 5)
  endif()
  add_executable(${name}_fuzzer ${ARG_SOURCES})
  set_target_properties(${name}_fuzzer PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  gantry_guide_fuzzers(${name}_fuzzer)
  target_link_options(${name}_fuzzer PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name}_fuzzer PRIVATE ${ARG_DEPENDS})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz/${name})
  add_test(NAME fuzz.${name} COMMAND ${name}_fuzzer -max_total_time=${ARG_SECONDS} -timeout=10 -max_len=8192
    -artifact_prefix=${CMAKE_BINARY_DIR}/fuzz/ -print_final_stats=1
    ${CMAKE_BINARY_DIR}/fuzz/${name} ${ARG_SEEDS})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 240)
endfunction()
