# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh and test.sh: the system packages that plumb needs, the same names on Debian 12 and Ubuntu 24.04.
# shellcheck shell=bash
build_packages=(g++ cmake ninja-build zlib1g-dev libisal-dev libssl-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  libtomlplusplus-dev)
test_packages=(python3 libgtest-dev googletest libbenchmark-dev clang-format-19 strace
  g++-mingw-w64-x86-64-posix libz-mingw-w64-dev wine64)

# install_missing PACKAGE... - asks apt only if one is missing, and says so on stderr.
install_missing() {
  local missing=() package log
  for package in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} = 0 ]; then
    return 0
  fi
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "these packages are missing; install them as root: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "installing ${missing[*]} ..." >&2
  log=$(mktemp)
  # A broken entry among the machine's own sources need not concern plumb: only the second command decides.
  if ! { "${as_root[@]}" apt-get update || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1 </dev/null; then
    tail -n 30 "$log" >&2
    echo "could not install the packages above" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}
