#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs the whole corpus on this machine's first card.
#
#   sh run.sh RESULTS [PROGRAMS]
#
# RESULTS   the file to write, for example results.jsonl
# PROGRAMS  the folder that `build.py --programs` filled; without it only bin/ is run
set -u
here=$(cd "$(dirname "$0")" && pwd)
results=$1
programs=${2:-}
export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_CACHE_DISABLE=1
unset CUDA_MODULE_LOADING CUDA_DISABLE_PTX_JIT CUDA_FORCE_PTX_JIT CUDA_MODULE_DATA_LOADING
if [ -z "${CUDA_VISIBLE_DEVICES:-}" ]; then
  export CUDA_VISIBLE_DEVICES=0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
runner=$scratch/run_on_gpu
if ! gcc -std=c11 -O1 -Wall -o "$runner" "$here/run_on_gpu.c" -ldl; then
  runner=$programs/run_on_gpu
fi

"$runner" "$here"/bin/* > "$results" || exit
if [ -n "$programs" ]; then
  for loading in LAZY EAGER; do
    for program in "$programs"/prog_*; do
      CUDA_MODULE_LOADING=$loading timeout 60 "$program" >> "$results"
      status=$?
      if [ $status -ne 0 ]; then
        printf '{"program":"%s","kernel":null,"loading":"%s","exit":%d}\n' \
          "$(basename "$program")" $loading $status >> "$results"
      fi
    done
  done
fi
"$runner" --no-jit "$here"/bin/* >> "$results" || exit
echo "$(wc -l < "$results") lines in $results"
