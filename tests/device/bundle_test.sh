#!/usr/bin/env bash
# bundle_test.sh SOURCE BUILD nvidia|amd: makes a bundle of the build's programs and runs it on the
# executor (of PTX the evaluator).
set -euo pipefail
source=$1 build=$2
bundle=$build/tests/device/gpu-bundle-$3
case $3 in
nvidia) device=simt options=() ;;
amd) device=simt-amd options=(--amd) ;;
esac
readonly most=60 # MiB, all that a bundle may be
rm -rf "$bundle"
"$source/scripts/gpu-bundle" --no-build --build "$build" "${options[@]}" "$bundle"
size=$(du -sm "$bundle" | cut -f1)
[ "$size" -le $most ] || { echo "the bundle has $size MiB and may have $most" && exit 1; }
cd /
# Each fifth program: that they pass on this device, other tests have seen.
sed -i -n '1~5p' "$bundle/programs.txt"
"$bundle/run" --device="$device" --jobs 2
grep -q "^$(grep -c . "$bundle/programs.txt") of " "$bundle/results.md"
grep -q '^| empty target region' "$bundle/results.md"
# What fails is said to fail.
echo "array_sections there_is_no_such_case" >"$bundle/programs.txt"
if "$bundle/run" --device="$device" >"$bundle/failures.txt"; then
  echo "a run that failed went unseen" && exit 1
fi
grep -q '^\[1/1\] FAIL array_sections there_is_no_such_case.*there is no case' "$bundle/failures.txt"
# What needs the host's memory, and has it not, is skipped: neither passed nor failed.
cat >"$bundle/programs/unshared" <<'END'
#!/bin/sh
echo "gantry: error: the program requires unified_shared_memory, and this device cannot access the host's memory"
exit 1
END
chmod +x "$bundle/programs/unshared"
echo "unshared" >"$bundle/programs.txt"
"$bundle/run" --device="$device" >"$bundle/skipped.txt"
grep -q "^\[1/1\] SKIPPED unshared .*cannot access the host's memory" "$bundle/skipped.txt"
grep -q '^0 passed, 0 failed, 1 skipped' "$bundle/skipped.txt"
grep -q "^- SKIPPED: .unshared .*cannot access the host's memory" "$bundle/results.md"
# Devices of the other vendor's are none of the folder's.
other=simt
[ "$device" != simt ] || other=simt-amd
if "$bundle/run" --device="$other" >"$bundle/refused.txt"; then
  echo "a device that the folder has no programs for was taken" && exit 1
fi
grep -q '^Runs what is in this folder' "$bundle/refused.txt"
