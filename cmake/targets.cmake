# SPDX-License-Identifier: Apache-2.0
# plumb_library(NAME DEPS...): every .cc of src/NAME except tests, main.cc and the other system's half of a pair
# (x_posix.cc / x_win32.cc) becomes the static library plumb_NAME.
function(plumb_library name)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cc")
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  if(WIN32)
    list(FILTER sources EXCLUDE REGEX "_(posix|linux)\\.cc$")
  else()
    list(FILTER sources EXCLUDE REGEX "_win32\\.cc$")
  endif()
  set(kind STATIC)
  set(scope PUBLIC)
  if(NOT sources) # a folder of plain values has headers only
    set(kind INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(plumb_${name} ${kind} ${sources})
  target_link_libraries(plumb_${name} ${scope} plumb_options plumb_headers)
  foreach(dependency IN LISTS ARGN)
    target_link_libraries(plumb_${name} ${scope} plumb_${dependency})
  endforeach()
  if(COMMAND plumb_${name}_extras)
    cmake_language(CALL plumb_${name}_extras)
  endif()
endfunction()

# os: threads, hashes; on Windows the configuration manager, the registry and version resources.
function(plumb_os_extras)
  target_link_libraries(plumb_os PUBLIC Threads::Threads PRIVATE plumb_hash)
  if(WIN32)
    target_link_libraries(plumb_os PUBLIC cfgmgr32 setupapi advapi32 shell32)
    target_compile_definitions(plumb_os PRIVATE UNICODE _UNICODE _WIN32_WINNT=0x0A00 NOMINMAX WIN32_LEAN_AND_MEAN)
  endif()
endfunction()

# binary: of inflate_isal.cc and inflate_zlib.cc one is built (-DISAL_LIBRARY=OFF tries zlib where ISA-L is installed).
function(plumb_binary_extras)
  target_link_libraries(plumb_binary PUBLIC plumb_inflate)
  get_target_property(sources plumb_binary SOURCES)
  if(PLUMB_HAVE_ISAL)
    list(FILTER sources EXCLUDE REGEX "_zlib\\.cc$")
  else()
    list(FILTER sources EXCLUDE REGEX "_isal\\.cc$")
  endif()
  set_target_properties(plumb_binary PROPERTIES SOURCES "${sources}")
endfunction()

# catalog: data/*.json is compiled in, so the program needs no files beside it.
function(plumb_catalog_extras)
  file(GLOB data CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/data/*.json")
  set(out "${CMAKE_BINARY_DIR}/generated/embedded_data.cc")
  add_custom_command(OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DFILES=${data}" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${data} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
  target_sources(plumb_catalog PRIVATE "${out}")
endfunction()

# The Linux release keeps glibc dynamic (drivers come by dlopen) and libstdc++ static; Windows is all static and
# carries the manifest that switches it to UTF-8 and long paths.
function(plumb_link_like_a_release target)
  if(WIN32)
    enable_language(RC)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src/cli/plumb.rc")
    target_link_options(${target} PRIVATE -static)
  elseif(NOT PLUMB_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()
