#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a Windows test program under Wine: no display, no chatter, a prefix of its own.
WINEPREFIX="${WINEPREFIX:-${XDG_CACHE_HOME:-$HOME/.cache}/plumb/wine}"
WINEDEBUG="${WINEDEBUG:--all}"
WINEDLLOVERRIDES="${WINEDLLOVERRIDES:-mscoree,mshtml=}"
export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES
mkdir -p "$WINEPREFIX"
unset DISPLAY
for wine in wine64 wine64-stable wine wine-stable /usr/lib/wine/wine64; do
  if command -v "$wine" >/dev/null 2>&1; then exec "$wine" "$@"; fi
done
echo "wine.sh: no wine found" >&2
exit 127
