#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds plumb for Linux and for Windows with all tests, runs both (Windows under Wine) and
# ends with one line: N passed, N failed. Arguments are passed to ctest (./test.sh -R os).
set -u
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" || exit 2
. tools/packages.sh
install_missing "${build_packages[@]}" "${test_packages[@]}" || exit 2

export WINEPREFIX=${WINEPREFIX:-$PWD/build/wine}
failed=0

# build_and_test PRESET CTEST_ARGUMENT...
build_and_test() {
  local preset=$1
  shift
  rm -f "build/$preset/Testing/Temporary/LastTest.log"
  echo "== $preset"
  if ! { cmake --preset "$preset" -DBUILD_TESTING=ON "-DPLUMB_WERROR=${PLUMB_WERROR:-OFF}" && cmake --build "build/$preset"; } >"build/$preset.log" 2>&1; then
    tail -n 60 "build/$preset.log"
    failed=1
    return
  fi
  if [ "$preset" = windows ]; then # Wine's first start takes seconds and would count as the first test's time
    cmake/wine.sh wineboot --init >>"build/$preset.log" 2>&1
  fi
  ctest --test-dir "build/$preset" --output-on-failure -j "$(nproc)" "$@" || failed=1
}

mkdir -p build
build_and_test release "$@"
build_and_test windows "$@"
python3 tools/sum_tests.py build/release build/windows || failed=1
exit $failed
