#!/usr/bin/env bash
# Runs a command as on the first of two machines, which are network namespaces with a cable between them, so that jobs of
# MPICH's have their first two processes here and a third on the other one. Ends with 77 where they are not to be had.
#
#   two_machines.sh [--cut-behind FILE] COMMAND…     the cable is cut when the file is there
set -euo pipefail

if [ -n "${TWO_MACHINES:-}" ]; then
  # As the remote shell of hydra: [OPTION…] HOST COMMAND…
  while [[ $1 == -* ]]; do shift; done
  machine=$TWO_MACHINES-${1##*.}
  shift
  # It has a host name of its own.
  exec ip netns exec "$machine" unshare --uts bash -c "hostname $machine; $*"
fi

cut=
if [ "$1" = --cut-behind ]; then
  cut=$2
  shift 2
fi
if [ "$(id -u)" != 0 ] || ! command -v ip >/dev/null; then
  echo "SKIPPED: network namespaces are root's to make, with the program ip"
  exit 77
fi
machines=gantry-$$
hosts=$(mktemp)
finish() {
  rm -f "$hosts"
  ip netns del "$machines-1" 2>/dev/null || true
  ip netns del "$machines-2" 2>/dev/null || true
}
trap finish EXIT
if ! { ip netns add "$machines-1" && ip netns add "$machines-2"; } 2>/dev/null ||
  ! ip link add cable netns "$machines-1" type veth peer name cable netns "$machines-2" 2>/dev/null; then
  echo "SKIPPED: network namespaces cannot be made here"
  exit 77
fi
for i in 1 2; do
  ip -n "$machines-$i" address add "10.9.0.$i/24" dev cable
  ip -n "$machines-$i" link set cable up
  ip -n "$machines-$i" link set lo up
done
for i in 1 2; do
  for _ in {1..50}; do # until the kernel has noticed that there is a cable
    ip -n "$machines-$i" link show cable | grep -q 'state UP' && break
    sleep 0.1
  done
done
printf '10.9.0.1:2\n10.9.0.2:1\n' >"$hosts"
if [ -n "$cut" ]; then
  (
    until [ -e "$cut" ]; do
      kill -0 $$ 2>/dev/null || exit
      sleep 0.1
    done
    ip -n "$machines-2" link set cable down
  ) &
fi
status=0
TWO_MACHINES=$machines UCX_TLS=tcp,self HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC=$(realpath "$0") HYDRA_HOST_FILE=$hosts \
  ip netns exec "$machines-1" "$@" || status=$?
exit $status
