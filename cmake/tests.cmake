# SPDX-License-Identifier: Apache-2.0
# Unit tests lie beside the code (x_test.cc), one program a folder, found by glob so that none is forgotten.
# Whole-tool cases are text files below tests/cases, run by tests/run_cases.py against the built program.
if(WIN32)
  # Debian has no GoogleTest for MinGW: it is built from the distribution's sources.
  add_library(plumb_gtest STATIC /usr/src/googletest/googletest/src/gtest-all.cc /usr/src/googletest/googletest/src/gtest_main.cc)
  target_include_directories(plumb_gtest SYSTEM PUBLIC /usr/src/googletest/googletest/include
    PRIVATE /usr/src/googletest/googletest)
  target_link_libraries(plumb_gtest PUBLIC Threads::Threads)
else()
  find_package(GTest REQUIRED)
  add_library(plumb_gtest INTERFACE)
  target_link_libraries(plumb_gtest INTERFACE GTest::gtest GTest::gtest_main)
endif()

file(GLOB support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cc")
if(support)
  add_library(plumb_test_support STATIC ${support})
  target_include_directories(plumb_test_support PUBLIC "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(plumb_test_support PUBLIC plumb_options plumb_headers plumb_base plumb_binary plumb_loader)
endif()

# What tests start: a program that behaves as told, and doubles of the driver's libraries, which answer as a text file
# says (tests/doubles/script.h). They are libraries that are loaded by path, so they stay apart from the program.
add_executable(child_program "${PROJECT_SOURCE_DIR}/tests/tools/child_program.cc")
target_link_libraries(child_program PRIVATE plumb_os plumb_options)
if(WIN32)
  target_link_options(child_program PRIVATE -static)
endif()
enable_language(C)
function(plumb_double name source)
  set(target double_${name})
  add_library(${target} MODULE "${PROJECT_SOURCE_DIR}/tests/doubles/${source}")
  target_compile_options(${target} PRIVATE -std=c11 -Wall -Wextra -fvisibility=hidden $<$<BOOL:${PLUMB_WERROR}>:-Werror>)
  target_compile_definitions(${target} PRIVATE ${ARGN})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/doubles")
  if(WIN32)
    target_link_options(${target} PRIVATE -static)
  endif()
endfunction()
plumb_double(nvml scripted_nvml.c)
plumb_double(nvml_oldest scripted_nvml.c OLDEST_CALLS_ONLY)
plumb_double(cuda scripted_cuda_driver.c)

foreach(folder base os binary facts catalog loader judge observe report cli)
  file(GLOB tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*_test.cc")
  if(WIN32)
    list(FILTER tests EXCLUDE REGEX "_(posix|linux)_test\\.cc$")
  else()
    list(FILTER tests EXCLUDE REGEX "_win32_test\\.cc$")
  endif()
  if(tests)
    add_executable(${folder}_test ${tests})
    target_link_libraries(${folder}_test PRIVATE plumb_${folder} plumb_gtest)
    if(support)
      target_link_libraries(${folder}_test PRIVATE plumb_test_support)
    endif()
    target_compile_definitions(${folder}_test PRIVATE PLUMB_TESTS_DIR="${PROJECT_SOURCE_DIR}/tests"
      PLUMB_CHILD_PROGRAM="$<TARGET_FILE:child_program>" PLUMB_PROGRAM="$<TARGET_FILE:plumb>"
      PLUMB_DOUBLES="${CMAKE_BINARY_DIR}/doubles" PLUMB_DOUBLE_SUFFIX="${CMAKE_SHARED_MODULE_SUFFIX}")
    if(WIN32)
      target_link_options(${folder}_test PRIVATE -static)
    endif()
    if(folder STREQUAL "os" OR folder STREQUAL "observe")
      add_dependencies(${folder}_test child_program plumb double_nvml double_nvml_oldest double_cuda)
    endif()
    add_test(NAME ${folder} COMMAND ${folder}_test)
    set_tests_properties(${folder} PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endforeach()

find_package(Python3 COMPONENTS Interpreter REQUIRED)
add_test(NAME cases COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/run_cases.py"
  --plumb "$<TARGET_FILE:plumb>" --launcher "$<IF:$<BOOL:${WIN32}>,${CMAKE_CROSSCOMPILING_EMULATOR},>" "${PROJECT_SOURCE_DIR}/tests/cases")
set_tests_properties(cases PROPERTIES LABELS cases TIMEOUT 900)
# What a real card (H200, tests/real/verdicts/results.jsonl) did with the corpus is what plumb must have foretold.
add_test(NAME verdicts COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/real/verdicts/check.py"
  --plumb "$<TARGET_FILE:plumb>" --launcher "$<IF:$<BOOL:${WIN32}>,${CMAKE_CROSSCOMPILING_EMULATOR},>")
set_tests_properties(verdicts PROPERTIES LABELS "cases;real" TIMEOUT 600)
if(NOT WIN32)
  add_test(NAME run_cases COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/run_cases_test.py")
  add_test(NAME layers COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/check_layers.py")
  add_test(NAME docs COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/check_docs.py")
  add_test(NAME format COMMAND "${PROJECT_SOURCE_DIR}/tools/format.sh" --check)
  add_test(NAME trace COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/trace_test.py" --plumb "$<TARGET_FILE:plumb>")
  set_tests_properties(trace PROPERTIES LABELS cases SKIP_RETURN_CODE 77)
  add_test(NAME schema COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/schema_test.py" --plumb "$<TARGET_FILE:plumb>")
  set_tests_properties(run_cases layers docs format schema PROPERTIES LABELS hygiene)
endif()

# The replay of ld.so is held against the real one: tests/loader has the cases, tools/compare_loader.py random ones.
if(NOT WIN32)
  add_executable(loader_replay "${PROJECT_SOURCE_DIR}/tests/tools/loader_replay.cc")
  target_link_libraries(loader_replay PRIVATE plumb_test_support plumb_observe plumb_options plumb_headers)
  if(NOT PLUMB_SANITIZE AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    add_test(NAME loader_real COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/compare_loader.py"
      --replay "$<TARGET_FILE:loader_replay>" --random 150 "${PROJECT_SOURCE_DIR}/tests/loader")
    set_tests_properties(loader_real PROPERTIES LABELS "cases;real" TIMEOUT 120)
  endif()
endif()

# The replay of Windows' loader is held against Wine's: tools/windows_layouts.py has the layouts.
add_executable(windows_loader_replay "${PROJECT_SOURCE_DIR}/tests/tools/windows_loader_replay.cc")
target_link_libraries(windows_loader_replay PRIVATE plumb_observe plumb_loader plumb_options plumb_headers)
if(WIN32)
  target_link_options(windows_loader_replay PRIVATE -static)
  add_test(NAME windows_loader_real COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/compare_loader_windows.py"
    --replay "$<TARGET_FILE:windows_loader_replay>" --random 10 --dlls 5)
  set_tests_properties(windows_loader_real PROPERTIES LABELS "cases;real" TIMEOUT 300)
endif()

add_test(NAME redaction COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/redaction_test.py"
  --plumb "$<TARGET_FILE:plumb>" --launcher "$<IF:$<BOOL:${WIN32}>,${CMAKE_CROSSCOMPILING_EMULATOR},>")
set_tests_properties(redaction PROPERTIES LABELS cases TIMEOUT 300)
