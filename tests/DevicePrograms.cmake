# Programs that the tests compile with `gantry clang++` and `gantry g++`, in tests/runtime and
# tests/conformance.

# A sanitizer is for the host's half only: device images run under the host's. They say what they
# find by failing; libomp, which is not built with a sanitizer, has a list of exceptions.
set(device_program_sanitizer)
# What is set in the environment of tests that run such a program.
set(GANTRY_SANITIZER_ENVIRONMENT)
if(GANTRY_SANITIZE)
  # The sanitizer is a shared library here: of an archive the device link would take it into the
  # images, and there may be one in a process.
  # UndefinedBehaviorSanitizer makes Clang 22 crash on offloading programs. The runtime library has
  # it all the same: its functions are among AddressSanitizer's.
  string(REGEX REPLACE ",?undefined" "" in_programs "${GANTRY_SANITIZE}")
  set(device_program_sanitizer -Xarch_host -fsanitize=${in_programs} -shared-libsan
    -Wl,-rpath,${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}/lib/linux)
  set(GANTRY_SANITIZER_ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1"
    "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp:halt_on_error=1:detect_deadlocks=1:second_deadlock_stack=1")
  # Archer tells ThreadSanitizer what libomp's barriers, tasks and dependences order.
  if(GANTRY_SANITIZE MATCHES thread)
    list(APPEND GANTRY_SANITIZER_ENVIRONMENT OMP_TOOL_LIBRARIES=${LLVM_LIBRARY_DIR}/libarcher.so)
  endif()
endif()

# gantry_first_lines(VARIABLE SOURCE KEY): the words behind `// KEY: ` (in Fortran `! KEY: `) in a program's first
# lines; empty if it has none.
function(gantry_first_lines variable source key)
  file(STRINGS ${source} words LIMIT_COUNT 1 REGEX "^(//|!) ${key}: ")
  string(REGEX REPLACE "^(//|!) ${key}: " "" words "${words}")
  separate_arguments(words)
  set(${variable} ${words} PARENT_SCOPE)
endfunction()

# gantry_device_program(OUTPUT SOURCE clang-version [GPU arch] [FOREIGN cpus...] [DEPENDS files...]
#                       [FLAGS flags...])
# With GPU for that kind of GPU, where the macro GANTRY_FOR_GPU leaves out what none can have; without
# for the CPU; with FOREIGN for those CPUs, where the macro GANTRY_FOR_FOREIGN leaves out types that the
# host's has alone.
function(gantry_device_program output source clang)
  cmake_parse_arguments(PARSE_ARGV 3 program "" "GPU" "FOREIGN;DEPENDS;FLAGS")
  if(program_GPU)
    list(APPEND program_FLAGS -Wno-pass-failed -Wno-openmp-target-exception) # GPUs have neither vectors nor exceptions
    gantry_for_gpu(${program_GPU} program_FLAGS program_DEPENDS)
  endif()
  if(program_FOREIGN)
    list(TRANSFORM program_FOREIGN APPEND -linux-gnu OUTPUT_VARIABLE triples)
    list(JOIN triples , triples)
    list(APPEND program_FLAGS -fopenmp-targets=${triples} -DGANTRY_FOR_FOREIGN)
    list(TRANSFORM program_FOREIGN PREPEND gantry_device_)
    list(APPEND program_DEPENDS ${program_FOREIGN})
  endif()
  get_filename_component(name ${output} NAME)
  get_property(plugins GLOBAL PROPERTY GANTRY_CLANG_PLUGINS)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_BINARY_DIR}/bin/gantry clang++ --clang=${clang} -O1 -g -Wall -Werror
      -I${CMAKE_SOURCE_DIR}/tests/support ${device_program_sanitizer} ${source} -o ${output}
      ${program_FLAGS}
    DEPENDS ${source} ${CMAKE_SOURCE_DIR}/tests/support/check.h ${program_DEPENDS}
      gantry libgantry clang-linker-wrapper gantry_device_cpu ${plugins}
    COMMENT "Compiling ${name} with Clang ${clang}"
    VERBATIM)
endfunction()

# gantry_for_gpu(ARCH FLAGS DEPENDS): appends to lists what a program for a GPU is compiled with, and from.
function(gantry_for_gpu arch flags depends)
  set(kind nvptx64)
  list(APPEND ${flags} --offload-arch=${arch} -DGANTRY_FOR_GPU)
  if(arch MATCHES "^gfx")
    set(kind amdgcn)
    list(APPEND ${flags} -DGANTRY_FOR_AMD)
  endif()
  list(APPEND ${depends} gantry_device_${kind}
    ${CMAKE_BINARY_DIR}/lib/gantry/gantry-device-${kind}.bc
    ${CMAKE_BINARY_DIR}/lib/gantry/gantry-mathematics-${kind}.bc)
  set(${flags} ${${flags}} PARENT_SCOPE)
  set(${depends} ${${depends}} PARENT_SCOPE)
endfunction()

# gantry_fortran_program(OUTPUT SOURCE flang22|gfortran12 [GPU arch] [DEPENDS files...] [FLAGS flags...])
# As the two functions for C++; the flags are Flang's. Modules go into a folder of the program's own.
function(gantry_fortran_program output source compiler)
  cmake_parse_arguments(PARSE_ARGV 3 program "" "GPU" "DEPENDS;FLAGS")
  get_filename_component(name ${output} NAME)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/modules/${name})
  file(MAKE_DIRECTORY ${modules})
  if(compiler STREQUAL flang22)
    set(command flang -fopenmp-version=52 -w -module-dir ${modules})
    if(program_GPU)
      gantry_for_gpu(${program_GPU} command program_DEPENDS)
    endif()
    list(APPEND program_DEPENDS clang-linker-wrapper gantry_passes_22 gantry_device_flang)
  else()
    gantry_gcc_targets(command " -lgfortran")
    set(command gfortran ${command} -J${modules})
    list(APPEND program_DEPENDS gantry-mkoffload)
  endif()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_BINARY_DIR}/bin/gantry ${command} -cpp -O1 -g ${program_FLAGS} ${source} -o ${output}
    DEPENDS ${source} ${program_DEPENDS} gantry libgantry gantry_device_cpu
    COMMENT "Compiling ${name} with ${compiler}"
    VERBATIM)
endfunction()

# gantry_gcc_has(TARGET VARIABLE): true if GCC 12 is installed with its compiler for nvptx-none, NVIDIA's GPUs, or
# amdgcn-amdhsa, AMD's.
function(gantry_gcc_has target variable)
  set(mkoffload)
  if(GANTRY_GXX)
    execute_process(COMMAND ${GANTRY_GXX} -print-prog-name=accel/${target}/mkoffload
      OUTPUT_VARIABLE mkoffload OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(EXISTS "${mkoffload}")
    set(${variable} TRUE PARENT_SCOPE)
  else()
    set(${variable} FALSE PARENT_SCOPE)
  endif()
endfunction()

# gantry_gcc_targets(VARIABLE LIBRARIES): GCC's options for devices of the CPU and for the GPUs that it has a compiler
# for, whose code is linked with its mathematics and these libraries.
function(gantry_gcc_targets variable libraries)
  set(targets -foffload=cpu,nvptx-none)
  set(options "-foffload-options=nvptx-none=-latomic -lm${libraries}")
  gantry_gcc_has(amdgcn-amdhsa for_amd)
  if(for_amd)
    string(APPEND targets ,amdgcn-amdhsa)
    list(APPEND options "-foffload-options=amdgcn-amdhsa=-lm${libraries}")
  endif()
  set(${variable} ${targets} ${options} PARENT_SCOPE)
endfunction()

# gantry_gcc_program(OUTPUT SOURCE [DEPENDS files...] [FLAGS flags...])
# For devices of the CPU and for GPUs, with an image for each in the program.
function(gantry_gcc_program output source)
  cmake_parse_arguments(PARSE_ARGV 2 program "" "" "DEPENDS;FLAGS")
  get_filename_component(name ${output} NAME)
  gantry_gcc_targets(targets "")
  # GCC 12's warnings do not count what clauses say of a variable among its uses.
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_BINARY_DIR}/bin/gantry g++ ${targets} -std=c++17 -O1 -g -Wall -Werror
      -Wno-unused-variable -Wno-unused-but-set-variable -Wno-uninitialized
      -I${CMAKE_SOURCE_DIR}/tests/support ${source} -o ${output} ${program_FLAGS}
    DEPENDS ${source} ${CMAKE_SOURCE_DIR}/tests/support/check.h
      ${CMAKE_SOURCE_DIR}/tests/support/check_macros.h ${program_DEPENDS}
      gantry libgantry gantry-mkoffload gantry_device_cpu
    COMMENT "Compiling ${name} with GCC 12"
    VERBATIM)
endfunction()
