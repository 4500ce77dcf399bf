# What is compiled for CPUs other than the host's, with the same Clang and Debian's cross packages
# (scripts/setup foreign). Where these are missing it is left out; a program that needs it ends with a message.

# GANTRY_KNOWN_FOREIGN_CPUS: as in src/base/foreign_cpu.h; GANTRY_FOREIGN_CPUS: those for which this
# build has something.
set(GANTRY_KNOWN_FOREIGN_CPUS aarch64 powerpc64le)
set(GANTRY_FOREIGN_CPUS)
if(NOT GANTRY_SANITIZE)
  foreach(cpu ${GANTRY_KNOWN_FOREIGN_CPUS})
    file(GLOB libraries /usr/lib/gcc-cross/${cpu}-linux-gnu/*/libstdc++.a)
    if(libraries AND EXISTS /usr/${cpu}-linux-gnu/include/stdio.h)
      list(APPEND GANTRY_FOREIGN_CPUS ${cpu})
    else()
      message(STATUS "No devices of ${cpu}: run scripts/setup foreign, and configure again")
    endif()
  endforeach()
endif()

# gantry_foreign_objects(VARIABLE CPU SOURCES... [FLAGS flags...]): compiles sources; the variable gets
# the objects.
function(gantry_foreign_objects variable cpu)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "SOURCES;FLAGS")
  set(objects)
  foreach(source ${ARG_SOURCES})
    cmake_path(ABSOLUTE_PATH source)
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/src ${source})
    set(object ${CMAKE_BINARY_DIR}/foreign/${cpu}/${name}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} --target=${cpu}-linux-gnu -std=c++20
        -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -O2 -Wall -Wextra -Wno-unused-parameter
        -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR}/include ${ARG_FLAGS}
        -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "Compiling ${name} for ${cpu}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()
