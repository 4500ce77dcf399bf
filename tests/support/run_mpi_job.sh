#!/bin/sh
# run_mpi_job.sh PROGRAM LAUNCHER [OPTION]…: runs a job of two processes. Exits with 77, and the reason, where the
# launcher is not there or cannot start any job on this machine.
program=$1
shift
command -v "$1" >/dev/null || {
  echo "SKIPPED: $1 is not installed"
  exit 77
}
why=$("$@" -n 2 true 2>&1) || {
  echo "SKIPPED: $1 cannot start a job here: $why"
  exit 77
}
exec "$@" -n 2 "$program" --gtest_brief=1
