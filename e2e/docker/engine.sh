#!/usr/bin/env bash
# A Docker engine for tests: e2e/docker/engine.sh DIRECTORY. It runs in namespaces of its own, takes no port, network or file of the
# machine but that directory, in which its socket and its data are, and ends with whatever ends this.
set -euo pipefail
if [ "${2:-}" != inside ]; then
	# pdeathsig, then kill-child: nothing outlives the test that started it.
	exec setpriv --pdeathsig KILL unshare --net --mount --pid --uts --ipc --fork --kill-child --mount-proc bash "$0" "$1" inside
fi
ip link set lo up
# The engine gets a /run of its own: that of the machine may have another engine's state.
mount -t tmpfs tmpfs /run
exec dockerd --host "unix://$1/docker.sock" --data-root "$1/data" --exec-root /run/docker --pidfile /run/docker.pid \
	--cgroup-parent "/$(basename "$1")" --log-level warn
