# What a build with a sanitizer takes from another build, GANTRY_TOOLS, instead of making it again: what runs in stock
# compilers, which no sanitizer may get into, and, with ThreadSanitizer, programs that have one thread. CMakePresets.json
# names the release build.
set(GANTRY_TOOLS "" CACHE PATH "A build of the same sources, whose passes and, with ThreadSanitizer, programs are taken")

# gantry_take(NAME patterns...): the target NAME copies files that match, relative to the build's folder.
function(gantry_take name)
  list(TRANSFORM ARGN PREPEND ${GANTRY_TOOLS}/ OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${GANTRY_TOOLS} ${patterns})
  list(FILTER files EXCLUDE REGEX "gantry-worker") # which has threads
  if(NOT files)
    message(FATAL_ERROR "'${GANTRY_TOOLS}' has not been built: scripts/build release installation")
  endif()
  foreach(file ${files})
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${file}
      COMMAND ${CMAKE_COMMAND} -E copy ${GANTRY_TOOLS}/${file} ${CMAKE_BINARY_DIR}/${file}
      DEPENDS ${GANTRY_TOOLS}/${file} VERBATIM)
  endforeach()
  list(TRANSFORM files PREPEND ${CMAKE_BINARY_DIR}/)
  add_custom_target(${name} ALL DEPENDS ${files})
endfunction()
