#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formats our C++ files in place; with --check only says which ones are not formatted.
set -eu
cd "$(dirname "$0")/.."
if ! command -v clang-format-19 >/dev/null; then
  echo "format.sh: clang-format-19 is needed (./test.sh installs it)" >&2
  exit 2
fi
files=$(find src tests fuzz bench -name '*.cc' -o -name '*.h' | sort)
if [ "${1:-}" = --check ]; then
  echo "$files" | xargs clang-format-19 --dry-run --Werror
else
  echo "$files" | xargs clang-format-19 -i
fi
