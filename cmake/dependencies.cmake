# SPDX-License-Identifier: Apache-2.0
# Dependencies come from the system's packages. The header-only ones are the same for Linux and Windows, so the
# Windows cross build takes them from /usr/include too, but through a folder of links: /usr/include itself on the
# include path would mix glibc's headers with MinGW's.
set(shim "${CMAKE_BINARY_DIR}/system-headers")
file(MAKE_DIRECTORY "${shim}")
foreach(package CLI fmt nlohmann)
  if(NOT EXISTS "/usr/include/${package}")
    message(FATAL_ERROR "/usr/include/${package} is missing: install libcli11-dev libfmt-dev nlohmann-json3-dev (./run.sh does)")
  endif()
  file(CREATE_LINK "/usr/include/${package}" "${shim}/${package}" SYMBOLIC)
endforeach()
if(EXISTS /usr/include/toml++)  # libtomlplusplus-dev: uv's settings are read only with it
  file(CREATE_LINK /usr/include/toml++ "${shim}/toml++" SYMBOLIC)
endif()
add_library(plumb_headers INTERFACE)
target_include_directories(plumb_headers SYSTEM INTERFACE "${shim}")
target_compile_definitions(plumb_headers INTERFACE FMT_HEADER_ONLY)

add_library(plumb_inflate INTERFACE)  # zlib everywhere; ISA-L where it is: half the time, measured
add_library(plumb_hash INTERFACE)     # SHA-256: libcrypto, or Windows' own CNG
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
if(WIN32)
  target_link_libraries(plumb_inflate INTERFACE /usr/x86_64-w64-mingw32/lib/libz.a)
  target_include_directories(plumb_inflate SYSTEM INTERFACE "${ZLIB_INCLUDE_DIRS}")
  target_link_libraries(plumb_hash INTERFACE bcrypt)
else()
  target_link_libraries(plumb_inflate INTERFACE ZLIB::ZLIB)
  find_library(ISAL_LIBRARY NAMES libisal.a isal)
  find_path(ISAL_INCLUDE NAMES isa-l/igzip_lib.h isa-l.h)
  if(ISAL_LIBRARY AND ISAL_INCLUDE)
    target_link_libraries(plumb_inflate INTERFACE "${ISAL_LIBRARY}")
    set(PLUMB_HAVE_ISAL ON)
  endif()
  find_library(CRYPTO_LIBRARY NAMES libcrypto.a crypto REQUIRED)
  target_link_libraries(plumb_hash INTERFACE "${CRYPTO_LIBRARY}" ${CMAKE_DL_LIBS})
endif()
