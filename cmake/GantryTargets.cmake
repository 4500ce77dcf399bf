# gantry_library(NAME SOURCES... [DEPENDS targets...]): one room of src/ as a static library that
# others include as "room/file.h".
function(gantry_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# gantry_unit_test(NAME SOURCES... [DEPENDS targets...]): a GoogleTest program, one ctest entry.
function(gantry_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unit)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main GTest::gmock)
  # What is tested is optimised, the tests and their links are not: they take longer to build than to run.
  target_compile_options(${name} PRIVATE -O0)
  target_link_options(${name} PRIVATE -Wl,--lto-O0)
  add_test(NAME unit.${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

# gantry_fuzzer(NAME SOURCES... [DEPENDS targets...] [SEEDS folder] [SECONDS n]): a libFuzzer target,
# where the sanitizers that it relies on are: in the asan preset. ctest runs it for 15 seconds or n,
# from the seeds and what earlier runs found (fuzz/NAME of the build tree; inputs that fail are beside
# it).
function(gantry_fuzzer name)
  cmake_parse_arguments(ARG "" "SEEDS;SECONDS" "SOURCES;DEPENDS" ${ARGN})
  if(NOT GANTRY_SANITIZE MATCHES address)
    return()
  endif()
  if(NOT ARG_SECONDS)
    set(ARG_SECONDS 15)
  endif()
  add_executable(${name}_fuzzer ${ARG_SOURCES})
  set_target_properties(${name}_fuzzer PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_compile_options(${name}_fuzzer PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(${name}_fuzzer PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name}_fuzzer PRIVATE ${ARG_DEPENDS})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz/${name})
  add_test(NAME fuzz.${name} COMMAND ${name}_fuzzer -max_total_time=${ARG_SECONDS} -timeout=10 -max_len=8192
    -artifact_prefix=${CMAKE_BINARY_DIR}/fuzz/ -print_final_stats=1
    ${CMAKE_BINARY_DIR}/fuzz/${name} ${ARG_SEEDS})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 240)
endfunction()
