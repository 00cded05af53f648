#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a Windows test program under Wine: no display, no chatter, a prefix of its own.
WINEPREFIX="${WINEPREFIX:-${XDG_CACHE_HOME:-$HOME/.cache}/plumb/wine}"
WINEDEBUG="${WINEDEBUG:--all}"
WINEDLLOVERRIDES="${WINEDLLOVERRIDES:-mscoree,mshtml=}"
LC_ALL=C.UTF-8 # without it Wine cannot see files whose names are not ASCII
export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES LC_ALL
mkdir -p "$WINEPREFIX"
unset DISPLAY
# Debian keeps the 64-bit loader out of PATH; its /usr/bin/wine would ask for the 32-bit one on every start.
for wine in /usr/lib/wine/wine64 wine64 wine64-stable wine wine-stable; do
  if command -v "$wine" >/dev/null 2>&1; then exec "$wine" "$@"; fi
done
echo "wine.sh: no wine found" >&2
exit 127
