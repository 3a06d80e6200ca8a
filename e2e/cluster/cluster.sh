#!/usr/bin/env bash
# A Kubernetes cluster of 1 to 9 nodes on this machine, without systemd, Docker or a registry. Needs root on Linux, the Debian
# packages that `check` names, and the programs that `node scripts/kubernetes.mjs` builds.
#
#   cluster.sh up [--nodes N] [--attached]  start, print where it is as one line of JSON, and stay until interrupted; then nothing
#                                           is left. With --attached it also ends with its stdin.
#   cluster.sh check                        whether this machine can run one; the reason if not
#   cluster.sh list                         the directories of those that run
#   cluster.sh load DIRECTORY FILE...       put images (docker-archive) on every node
#   cluster.sh in DIRECTORY NODE CMD...     run a program inside a node, for example `ctr` or `nft`
#   cluster.sh reboot DIRECTORY NODE        kill everything on a node; it starts again with its disk
#   cluster.sh clean                        remove what is left of clusters that were killed; `up` does that too
#
# A node is a process tree in network, mount, pid, uts and ipc namespaces of its own, so it takes no port of the host and writes
# nothing into its /run, /var/lib and /etc. The host reaches node i of the cluster in slot k at 10.201.k.(10 + i).
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
SLOTS=/run/switchyard-clusters
LAST_SLOT=39
MAX_NODES=9
TRAEFIK=localhost/traefik:3.7.13
READY_SECONDS=${SWITCHYARD_CLUSTER_READY_SECONDS:-300}
PACKAGES='containerd runc containernetworking-plugins iptables nftables conntrack iproute2 openssl curl util-linux'
export SERVICES=10.96 DNS=10.96.0.10 DOMAIN=cluster.local

die() {
	echo "cluster: $*" >&2
	exit 1
}

# --- whether it can run here ------------------------------------------------
check() {
	local program missing=() built
	[ "$(uname -s)" = Linux ] || die "needs Linux, got $(uname -s)"
	[ "$(id -u)" = 0 ] || die "needs root for namespaces and cgroups, got user $(id -un)"
	for program in containerd ctr runc iptables nft conntrack ip openssl curl nsenter unshare setpriv flock; do
		command -v "$program" >/dev/null || missing+=("$program")
	done
	[ -x /usr/lib/cni/bridge ] || missing+=(/usr/lib/cni/bridge)
	[ ${#missing[@]} = 0 ] || die "missing ${missing[*]}: install the Debian packages $PACKAGES"
	unshare --net --mount --pid --uts --ipc --fork true 2>/dev/null || die "cannot make namespaces: the container or kernel does not allow it"
	unshare --net ip link add probe type bridge 2>/dev/null || die "cannot make a network bridge: the kernel has no bridge module, or does not allow it"
	[ -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || modprobe br_netfilter 2>/dev/null ||
		die "the kernel module br_netfilter is not loaded: run modprobe br_netfilter"
	cgroups
	built=$(node "$ROOT/scripts/kubernetes.mjs" --built) || exit 1
	{ read -r BIN && read -r IMAGES; } <<<"$built"
	export BIN IMAGES
}
cgroups() {
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		local all=/sys/fs/cgroup/cgroup.subtree_control
		{ echo '+cpu +cpuset +memory +pids' >"$all"; } 2>/dev/null ||
			die "cannot give cgroup controllers to the cluster: $all is read-only or this is not the machine's first cgroup"
	else
		[ -w /sys/fs/cgroup/memory ] && [ -w /sys/fs/cgroup/cpuset ] || die "no writable cgroups below /sys/fs/cgroup"
	fi
}

# --- slots: names and subnets that no other cluster has ----------------------
# The lock is held by the supervisor for its life, so a slot whose lock is free is unused, or its supervisor was killed.
slot_of() { # slot_of NUMBER: sets its names and addresses
	SLOT=$1
	export NAME=sy$1 NET=10.201.$1 PODS=10.$((128 + $1))
}
is_unused() { # is_unused SUBNET: no route of the host but the default one leads there
	[ -z "$(ip -4 route show root "$1")" ] && ! ip -4 route show match "$1" | grep -qv '^default'
}
clean() { # clean [SLOT]
	local number
	mkdir -p "$SLOTS"
	for number in $(seq 0 $LAST_SLOT); do
		[ -e "$SLOTS/$number.directory" ] || continue
		(
			exec 9>"$SLOTS/$number.lock"
			flock --nonblock 9 || exit 0
			slot_of "$number"
			DIR=$(cat "$SLOTS/$number.directory")
			remove
		)
	done
}
take_slot() {
	local number
	for number in $(seq 0 $LAST_SLOT); do
		exec 9>"$SLOTS/$number.lock"
		flock --nonblock 9 || continue
		slot_of "$number"
		is_unused "$NET.0/24" && is_unused "$PODS.0.0/16" && return
	done
	die "no free subnet among 10.201.0.0/24 to 10.201.$LAST_SLOT.0/24 and their pods' 10.128.0.0/16 to 10.$((128 + LAST_SLOT)).0.0/16"
}
running() { # prints the directories of running clusters
	local file number
	for file in "$SLOTS"/*.directory; do
		[ -e "$file" ] || continue
		number=$(basename "$file" .directory)
		flock --nonblock "$SLOTS/$number.lock" true || cat "$file"
	done
}
open() { # open DIRECTORY: of a running cluster
	[ -f "${1:-}/slot" ] || die "no cluster in ${1:-the directory that was not given}: cluster.sh list shows those that run"
	DIR=$(realpath "$1")
	slot_of "$(cat "$DIR/slot")"
}
node_numbers() { seq "$(cat "$DIR/nodes")"; }
node_pid() { cat "$DIR/node$1/pid" 2>/dev/null; }
# The recorded process must still live in the node's network namespace: its number may be another process's by now.
is_alive() {
	local pid
	pid=$(node_pid "$1") && [ -n "$pid" ] && [ "/proc/$pid/ns/net" -ef "/run/netns/$NAME-$1" ]
}
inside() { # inside NODE CMD...
	local pid
	is_alive "$1" || die "node $1 of $DIR does not run"
	pid=$(node_pid "$1")
	shift
	nsenter -t "$pid" -m -n -p -u -i -- "$@"
}

# --- certificates ------------------------------------------------------------
certificate() { # certificate FILE SUBJECT [NAMES]
	local p=$DIR/pki
	openssl ecparam -name prime256v1 -genkey -noout -out "$p/$1.key"
	openssl req -new -key "$p/$1.key" -subj "$2" -out "$p/$1.csr"
	openssl x509 -req -in "$p/$1.csr" -CA "$p/ca.crt" -CAkey "$p/ca.key" -CAcreateserial -days 365 \
		-extfile <(
			echo 'extendedKeyUsage=clientAuth,serverAuth'
			[ -z "${3:-}" ] || echo "subjectAltName=$3"
		) -out "$p/$1.crt" 2>/dev/null
}
kubeconfig() { # kubeconfig FILE CERTIFICATE
	local p=$DIR/pki
	cat >"$1" <<-END
		apiVersion: v1
		kind: Config
		clusters: [{name: $NAME, cluster: {server: "https://$NET.11:6443", certificate-authority-data: $(base64 -w0 "$p/ca.crt")}}]
		users: [{name: $2, user: {client-certificate-data: $(base64 -w0 "$p/$2.crt"), client-key-data: $(base64 -w0 "$p/$2.key")}}]
		contexts: [{name: $NAME, context: {cluster: $NAME, user: $2}}]
		current-context: $NAME
	END
}
pki() {
	local p=$DIR/pki i part
	mkdir "$p"
	openssl ecparam -name prime256v1 -genkey -noout -out "$p/ca.key"
	openssl req -x509 -new -key "$p/ca.key" -subj /CN=kubernetes-ca -days 365 -out "$p/ca.crt"
	openssl ecparam -name prime256v1 -genkey -noout -out "$p/sa.key"
	certificate apiserver /CN=kube-apiserver \
		"DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.$DOMAIN,DNS:localhost,IP:127.0.0.1,IP:$NET.11,IP:$SERVICES.0.1"
	certificate apiserver-kubelet /O=system:masters/CN=kube-apiserver-kubelet-client
	certificate admin /O=system:masters/CN=admin
	kubeconfig "$DIR/admin.conf" admin
	for part in kube-controller-manager kube-scheduler kube-proxy; do
		certificate $part /CN=system:$part
		kubeconfig "$p/$part.conf" $part
	done
	for i in $(node_numbers); do
		certificate "kubelet$i" "/O=system:nodes/CN=system:node:$NAME-node$i"
		kubeconfig "$p/kubelet$i.conf" "kubelet$i"
	done
}

# --- network -----------------------------------------------------------------
host_network() {
	# Where the bridge is gone, these addresses must not leave the machine by its default route.
	ip route replace blackhole "$NET.0/24" metric 4000
	ip route replace blackhole "$PODS.0.0/16" metric 4000
	ip link add "$NAME-br" type bridge
	ip addr add "$NET.1/24" dev "$NAME-br"
	ip link set "$NAME-br" up
}
node_network() { # node_network NODE: an empty one, as after a start of the machine
	local i=$1 j space=$NAME-$1
	remove_node_network "$i"
	ip netns add "$space"
	ip link add "$NAME-v$i" type veth peer name eth0 netns "$space"
	ip link set "$NAME-v$i" master "$NAME-br" up
	ip -n "$space" link set lo up
	ip -n "$space" addr add "$NET.1$i/24" dev eth0
	# The load balancer's address.
	[ "$i" != 1 ] || ip -n "$space" addr add "$NET.200/32" dev eth0
	ip -n "$space" link set eth0 up
	ip -n "$space" route add default via "$NET.1"
	# Pods are routed, not tunnelled: the pod network of a node by way of that node.
	ip route replace "$PODS.$i.0/24" via "$NET.1$i" dev "$NAME-br"
	for j in $(node_numbers); do
		[ "$i" = "$j" ] || ip -n "$space" route replace "$PODS.$j.0/24" via "$NET.1$j"
	done
}
remove_node_network() {
	# The namespace's own clean-up comes too late for a start right after.
	ip link del "$NAME-v$1" 2>/dev/null || true
	ip netns del "$NAME-$1" 2>/dev/null || true
}

# --- nodes -------------------------------------------------------------------
declare -A NODE_OF=() STARTED=()
start_node() {
	local i=$1 pid='' tries
	node_network "$i"
	mkdir -p "$DIR/node$i"
	rm -f "$DIR/node$i/pid"
	# pdeathsig, then kill-child: a supervisor that is killed takes its nodes along. nsenter and not `ip netns exec`, which mounts a
	# new /sys without the cgroups. The lock stays with the supervisor alone.
	DIR=$DIR setsid setpriv --pdeathsig KILL nsenter --net="/run/netns/$NAME-$i" \
		unshare --mount --pid --uts --ipc --fork --kill-child --mount-proc \
		bash "$HERE/node.sh" "$i" >>"$DIR/node$i/node.log" 2>&1 </dev/null 9>&- &
	NODE_OF[$!]=$i
	STARTED[$i]=$SECONDS
	for tries in $(seq 200); do
		read -r pid _ <"/proc/$!/task/$!/children" 2>/dev/null || true
		[ -z "$pid" ] || break
		sleep 0.05
	done
	echo "$pid" >"$DIR/node$i/pid"
}
remove_cgroups() { # remove_cgroups NODE
	local top
	for top in /sys/fs/cgroup/{,*/}"$NAME-node$1"; do
		[ ! -d "$top" ] || find "$top" -depth -type d -exec rmdir {} + 2>/dev/null || true
	done
}
kill_node() {
	local pid
	is_alive "$1" || return 0
	pid=$(node_pid "$1")
	# The first process of its namespace: the kernel ends all others, and it is gone only after them.
	kill -9 "$pid" 2>/dev/null || true
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}
remove() { # everything of the cluster in DIR and SLOT
	local i
	for i in $(seq $MAX_NODES); do
		kill_node "$i"
		remove_node_network "$i"
		remove_cgroups "$i"
	done
	ip link del "$NAME-br" 2>/dev/null || true
	ip route del blackhole "$NET.0/24" metric 4000 2>/dev/null || true
	ip route del blackhole "$PODS.0.0/16" metric 4000 2>/dev/null || true
	rm -rf --one-file-system "$DIR"
	rm -f "$SLOTS/$SLOT.directory"
}
end() { # of `up`, however it ends
	trap '' INT TERM HUP
	[ -z "${WATCHER:-}" ] || kill "$WATCHER" 2>/dev/null || true
	remove
}

# --- commands ------------------------------------------------------------------
kubectl() { KUBECONFIG=$DIR/admin.conf "$BIN/kubectl" "$@"; }
log_of() { # the last lines, which show why node 1 does not serve
	tail -n 3 "$DIR"/node1/node.log "$DIR"/node1/log/{etcd,kube-apiserver,containerd,kubelet}.log 2>/dev/null | cut -c1-300 || true
}
wait_for() { # wait_for WHAT COMMAND...: until it succeeds
	local what=$1
	shift
	until "$@" >/dev/null 2>&1; do
		keep_nodes
		if ((SECONDS > READY_SECONDS)); then
			log_of >&2
			die "$what: not within $READY_SECONDS s"
		fi
		sleep 0.2
	done
}
keep_nodes() { # starts nodes that have ended again
	local pid i
	for pid in "${!NODE_OF[@]}"; do
		kill -0 "$pid" 2>/dev/null && continue
		i=${NODE_OF[$pid]}
		unset "NODE_OF[$pid]"
		if ((SECONDS - STARTED[$i] < 3)); then
			tail -n 5 "$DIR/node$i/node.log" >&2
			die "node $i ended at its start"
		fi
		remove_cgroups "$i"
		start_node "$i"
	done
}
all_ready() {
	[ "$(kubectl get nodes -o 'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' | grep -c True)" = "$NODES" ] &&
		kubectl -n kube-system rollout status deployment --timeout=1s &&
		kubectl -n local-path-storage rollout status deployment --timeout=1s &&
		kubectl -n switchyard-ingress rollout status deployment --timeout=1s
}
answers() { [ "$(curl -s -o /dev/null -m 2 -w '%{http_code}' "http://$NET.200/")" = 404 ]; }
addons() {
	sed -e "s/@DNS@/$DNS/g; s/@DOMAIN@/$DOMAIN/g" "$HERE"/manifests/*.yaml | kubectl apply --server-side -f - &&
		kubectl apply --server-side --field-manager switchyard -f "$DIR/ingress.yaml"
}
# The objects that the command line installs, with the image that is built here.
ingress_objects() {
	node "$ROOT/packages/cli/bin/switchyard.mjs" cluster deploy-ingress-controller --dry-run --image "$TRAEFIK" >"$DIR/ingress.yaml"
}

up() {
	local attached=no filesystem i
	NODES=1
	while (($#)); do
		case $1 in
		--nodes) NODES=${2:-} && shift 2 || die "--nodes needs a number" ;;
		--attached) attached=yes && shift ;;
		*) die "unknown option $1: expected --nodes or --attached" ;;
		esac
	done
	[[ $NODES =~ ^[1-$MAX_NODES]$ ]] || die "--nodes: expected 1 to $MAX_NODES, got $NODES"
	check
	clean
	take_slot
	umask 077
	DIR=$(mktemp -d "${TMPDIR:-/tmp}/switchyard-cluster-XXXXXX")
	case $(realpath "$DIR") in /run/* | /var/lib/* | /var/log/*) rmdir "$DIR" && die "TMPDIR is below /run, /var/lib or /var/log, which nodes have of their own: set it to another directory" ;; esac
	filesystem=$(stat -f -c %T "$DIR")
	[ "$filesystem" != overlayfs ] || { rmdir "$DIR" && die "TMPDIR is on overlayfs, where containers have no file systems: set it to a directory on a volume"; }
	echo "$DIR" >"$SLOTS/$SLOT.directory"
	# Ctrl+C and the end of stdin come while the cluster is made, too.
	trap end EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	if [ "$attached" = yes ]; then
		# The redirection: bash gives what runs in the background no stdin.
		(
			while read -r; do :; done
			kill -TERM $$
		) <&0 >/dev/null 2>&1 9>&- &
		WATCHER=$!
	fi
	echo "$SLOT" >"$DIR/slot"
	echo "$NODES" >"$DIR/nodes"
	pki
	host_network
	for i in $(node_numbers); do start_node "$i"; done
	wait_for 'the API server' kubectl get --raw /readyz
	for i in $(node_numbers); do wait_for "node $i" kubectl get "node/$NAME-node$i"; done
	ingress_objects
	wait_for 'the add-ons' addons
	# No controller gives out addresses: only the ingress controller's service has one, which kube-proxy serves on node 1.
	kubectl -n switchyard-ingress patch service traefik --subresource=status --type=merge \
		-p "{\"status\":{\"loadBalancer\":{\"ingress\":[{\"ip\":\"$NET.200\"}]}}}" >/dev/null
	wait_for 'nodes and add-ons' all_ready
	# kube-proxy writes its rules a moment after the pods are ready.
	wait_for 'the ingress controller' answers
	printf '{"directory":"%s","kubeconfig":"%s","kubectl":"%s","ingress":"%s","nodes":%s,"seconds":%s}\n' \
		"$DIR" "$DIR/admin.conf" "$BIN/kubectl" "$NET.200" "$NODES" "$SECONDS"
	while :; do
		sleep 0.5 &
		wait $! || true
		keep_nodes
	done
}
load() {
	local i file
	for file in "$@"; do [ -f "$file" ] || die "no image in $file: expected a file made by scripts/image.mjs or docker save"; done
	for i in $(node_numbers); do
		for file in "$@"; do
			inside "$i" ctr -a /run/containerd/containerd.sock -n k8s.io images import --no-unpack "$(realpath "$file")" >/dev/null ||
				die "node $i cannot import $file"
		done
	done
}

command=${1:-}
shift || true
case $command in
up) up "$@" ;;
check) check ;;
list) running ;;
load) open "${1:-}" && load "${@:2}" ;;
in) open "${1:-}" && inside "${@:2}" ;;
reboot) open "${1:-}" && kill_node "${2:-1}" ;;
clean) clean ;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | head -n -1 >&2
	exit 2
	;;
esac
