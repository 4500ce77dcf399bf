#!/usr/bin/env bash
# gpu_compare_test.sh GPU_COMPARE LIBRARY KERNELS: of the cases the one fails whose kernel traps, and
# those behind it do not.
set -euo pipefail
program=$1 library=$2 kernels=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/kernels"
cp "$kernels"/*.ptx "$folder/kernels/"
sed -i 's/barrier\.arrive %r2, 64;/trap;/' "$folder/kernels/named_barriers.ptx"
grep -q 'trap;' "$folder/kernels/named_barriers.ptx"
status=0
GANTRY_SIMT_KERNELS=$folder/kernels "$program" --run "$library" "$folder/results" >"$folder/output" || status=$?
cat "$folder/output"
[ $status -eq 1 ] || { echo "the exit status is $status" && exit 1; }
grep -Eq '^gpu_compare: [0-9]+ cases passed, 1 failed$' "$folder/output"
[ "$(grep ' fail$' "$folder/results/results.txt")" = "named_barriers_arrive_at_two bytes 0 - fail" ]
# The two names are the first behind it and the last of all.
grep -q '^named_barriers_open_barrier/.* pass$' "$folder/results/results.txt"
grep -q '^warp_.* pass$' "$folder/results/results.txt"
