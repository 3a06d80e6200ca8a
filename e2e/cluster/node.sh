#!/usr/bin/env bash
# One node: the first process of its namespaces, started by cluster.sh with the names and addresses in its environment. The first
# node runs the control plane too.
set -euo pipefail
# The supervisor's is stricter; users without rights must reach the roots of containers.
umask 022

i=$1 d=$DIR/node$1 ip=$NET.1$1 name=$NAME-node$1

serve() { # serve NAME COMMAND...: run it, and start it again when it ends
	local name=$1
	shift
	while :; do
		"$@" >>"/var/log/$name.log" 2>&1 || true
		echo "$name ended; again in 1 s" >>"/var/log/$name.log"
		sleep 1
	done &
}
load() { # load FILE: import an image that is not there yet; containerd may still be starting
	local mark try
	mark=/var/lib/containerd/loaded-$(basename "$1")
	[ ! -e "$mark" ] || return 0
	for try in $(seq 300); do
		if ctr -a /run/containerd/containerd.sock -n k8s.io images import --no-unpack "$1" >>/var/log/images.log 2>&1; then
			touch "$mark"
			return
		fi
		sleep 0.2
	done
	echo "cannot import $1 in $try tries"
}

cd /
mount --make-rshared / # kubelet needs shared propagation; only in this mount namespace
mount -t tmpfs tmpfs /run # sockets of containerd, namespaces of CNI
mkdir -p "$d"/{lib,log} /run/{netns,cni/net.d,sysctl,lock}
mount --bind "$d/lib" /var/lib
mount --bind "$d/log" /var/log
mkdir -p /var/lib/{etcd,kubelet,containerd,cni}
hostname "$name"

# kubelet wants these values and would set them for the whole machine, so it is shown files that have them.
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
	kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
	file=/run/sysctl/$(basename "${setting%=*}")
	echo "${setting#*=}" >"$file"
	mount --bind "$file" "/proc/sys/${setting%=*}"
done
# Of this network namespace only. Without the second one a pod cannot reach a service of its own node.
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables

# One cgroup for all pods of the node, below which kubelet makes its own.
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
	mkdir -p "/sys/fs/cgroup/$name"
	echo '+cpu +cpuset +memory +pids' >"/sys/fs/cgroup/$name/cgroup.subtree_control"
else
	for hierarchy in /sys/fs/cgroup/*/; do mkdir -p "$hierarchy$name"; done
	# Unlike the others, these do not inherit.
	for file in cpuset.cpus cpuset.mems; do cat "/sys/fs/cgroup/cpuset/$file" >"/sys/fs/cgroup/cpuset/$name/$file"; done
fi
# No upstream name server: pods resolve only what is in the cluster.
: >/run/resolv.conf
mount --bind /run/resolv.conf /etc/resolv.conf

cat >/run/cni/net.d/10-pods.conflist <<-END
	{"cniVersion": "1.0.0", "name": "pods", "plugins": [
	  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
	   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$PODS.$i.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}], "dataDir": "/run/cni/ipam"}},
	  {"type": "portmap", "capabilities": {"portMappings": true}}]}
END
# restrict_oom_score_adj: where root has no CAP_SYS_RESOURCE, no process can lower its oom_score_adj and no pod would start.
cat >/run/containerd.toml <<-END
	version = 2
	disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp"]
	[grpc]
	  address = "/run/containerd/containerd.sock"
	[plugins."io.containerd.grpc.v1.cri"]
	  sandbox_image = "localhost/pause:1"
	  restrict_oom_score_adj = true
	  [plugins."io.containerd.grpc.v1.cri".cni]
	    bin_dir = "/usr/lib/cni"
	    conf_dir = "/run/cni/net.d"
	  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
	    runtime_type = "io.containerd.runc.v2"
	    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
	      SystemdCgroup = false
END
# failCgroupV1: kubelet refuses cgroup v1 otherwise, from 1.35 on. cgroupDriver: there is no systemd.
# imagePullCredentialsVerificationPolicy: else an image that was loaded is pulled again under its second name, and fails.
# imageGC: a collected image could not be pulled again. evictionHard: the defaults evict where 15 % of the disk are not free.
cat >/run/kubelet.yaml <<-END
	apiVersion: kubelet.config.k8s.io/v1beta1
	kind: KubeletConfiguration
	failCgroupV1: false
	cgroupDriver: cgroupfs
	cgroupRoot: /$name
	containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
	authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $DIR/pki/ca.crt}}
	authorization: {mode: Webhook}
	clusterDomain: $DOMAIN
	clusterDNS: [$DNS]
	resolvConf: /run/resolv.conf
	oomScoreAdj: 0
	failSwapOn: false
	imagePullCredentialsVerificationPolicy: NeverVerify
	imageGCHighThresholdPercent: 100
	imageGCLowThresholdPercent: 99
	evictionHard: {memory.available: 200Mi, nodefs.available: 1Gi, nodefs.inodesFree: 1%, imagefs.available: 1Gi, imagefs.inodesFree: 1%}
	serializeImagePulls: false
	shutdownGracePeriod: 0s
END
# conntrack: nf_conntrack_max is read-only outside of the first network namespace, where kube-proxy ends if it wants more.
# nftables: some kernels have no ip_vs, and iptables are slow to write.
cat >/run/kube-proxy.yaml <<-END
	apiVersion: kubeproxy.config.k8s.io/v1alpha1
	kind: KubeProxyConfiguration
	mode: nftables
	clusterCIDR: $PODS.0.0/16
	hostnameOverride: $name
	clientConnection: {kubeconfig: $DIR/pki/kube-proxy.conf}
	conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
	oomScoreAdj: 0
END

if [ "$i" = 1 ]; then
	# unsafe-no-fsync: the state survives a kill, and need not survive a power cut
	serve etcd "$BIN/etcd" --name="$name" --data-dir=/var/lib/etcd --unsafe-no-fsync --log-level=warn \
		--listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
		--listen-peer-urls=http://127.0.0.1:2380
	serve kube-apiserver "$BIN/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 \
		--advertise-address="$ip" --secure-port=6443 --allow-privileged=true \
		--service-cluster-ip-range="$SERVICES.0.0/16" \
		--kubelet-preferred-address-types=InternalIP \
		--authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
		--client-ca-file="$DIR/pki/ca.crt" \
		--tls-cert-file="$DIR/pki/apiserver.crt" --tls-private-key-file="$DIR/pki/apiserver.key" \
		--kubelet-client-certificate="$DIR/pki/apiserver-kubelet.crt" --kubelet-client-key="$DIR/pki/apiserver-kubelet.key" \
		--service-account-issuer="https://kubernetes.default.svc.$DOMAIN" \
		--service-account-key-file="$DIR/pki/sa.key" --service-account-signing-key-file="$DIR/pki/sa.key"
	serve kube-controller-manager "$BIN/kube-controller-manager" --kubeconfig="$DIR/pki/kube-controller-manager.conf" \
		--leader-elect=false --use-service-account-credentials=true \
		--service-account-private-key-file="$DIR/pki/sa.key" --root-ca-file="$DIR/pki/ca.crt" \
		--cluster-signing-cert-file="$DIR/pki/ca.crt" --cluster-signing-key-file="$DIR/pki/ca.key"
	serve kube-scheduler "$BIN/kube-scheduler" --kubeconfig="$DIR/pki/kube-scheduler.conf" --leader-elect=false
fi
serve containerd containerd --config /run/containerd.toml
for file in "$IMAGES"/*.tar; do load "$file"; done
serve kubelet "$BIN/kubelet" --config=/run/kubelet.yaml --kubeconfig="$DIR/pki/kubelet$i.conf" \
	--hostname-override="$name" --node-ip="$ip"
serve kube-proxy "$BIN/kube-proxy" --config=/run/kube-proxy.yaml
# The first process of a pid namespace is the parent of orphans.
while :; do
	wait -n || true
	sleep 1
done
