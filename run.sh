#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs plumb from a clone: ./run.sh check. Installs what is missing and builds it first if it is not built or a source
# is newer; otherwise the only cost is one `find`. What is done is told on stderr; stdout is plumb's alone.
set -eu
self=${BASH_SOURCE[0]}
if [ -L "$self" ]; then
  self=$(readlink -f -- "$self")
fi
case $self in
  */*) root=${self%/*} ;;
  *) root=. ;;
esac
folder=$root/build/release
plumb=$folder/plumb
stamp=$folder/run.stamp # as old as the sources that were built

is_current() {
  [ -x "$plumb" ] && [ -e "$stamp" ] && [ -z "$(find "$root/src" "$root/cmake" "$root/data" \
    "$root/CMakeLists.txt" "$root/CMakePresets.json" -newer "$stamp" -print -quit)" ]
}

build() {
  local root=$PWD log=build/release/run.log first=()
  # shellcheck source=tools/packages.sh
  . tools/packages.sh
  install_missing "${build_packages[@]}" || return 1
  mkdir -p build/release
  exec 9>build/release/run.lock
  flock 9 # somebody else may be building the same
  if folder=build/release plumb=build/release/plumb stamp=build/release/run.stamp is_current; then
    return 0
  fi
  if [ ! -e build/release/build.ninja ]; then
    first=(-DBUILD_TESTING=OFF)
    echo "building plumb, a few minutes the first time ..." >&2
  fi
  touch build/release/run.stamp.new
  if ! cmake --preset release "${first[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
  if [ -t 2 ]; then # ninja shows one line that rewrites itself
    cmake --build build/release --target plumb >&2
  elif ! cmake --build build/release --target plumb >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    return 1
  fi
  mv build/release/run.stamp.new build/release/run.stamp
}

if ! is_current; then
  if ! (cd -- "$root" && build); then
    echo "run.sh: plumb could not be built" >&2
    exit 2
  fi
fi
exec "$plumb" "$@"
