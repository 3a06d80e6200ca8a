#!/usr/bin/env bash
# A Celestia network of one validator, one bridge node and one light node on loopback, of the programs that `node scripts/celestia.mjs`
# builds. For tests and for work on what reads from such a network; its keys are known to everyone.
#
#   devnet.sh up DIRECTORY       start what does not run, wait for the head of the light node, and print what `env` prints
#   devnet.sh run DIRECTORY      the same, then stay until interrupted or stdin ends, and stop all
#   devnet.sh down DIRECTORY     stop all; `up` resumes
#   devnet.sh status DIRECTORY   what runs, and the light node's head; status 1 when something does not run
#   devnet.sh env DIRECTORY      addresses, tokens and a funded key, as variables
#   devnet.sh genesis DIRECTORY  write the validator's home alone, DIRECTORY/app
#
# DIRECTORY gets everything that the network writes. CELESTIA_CHAIN_ID (celestia-dev), CELESTIA_BLOCK_MS (1000) and CELESTIA_PORT (27650, the
# first of eight ports in a row) count when a network is made.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

die() {
	echo "devnet: $*" >&2
	exit 1
}
usage() {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | head -n -1 >&2
	exit 2
}
[ $# = 2 ] || usage
mkdir -p "$2"
HOME_DIR=$(realpath "$2")
APP=$HOME_DIR/app BRIDGE=$HOME_DIR/bridge LIGHT=$HOME_DIR/light

# Of a network that is there, what it was made with.
settings=$HOME_DIR/settings
[ -f "$settings" ] || printf '%s\n' "${CELESTIA_CHAIN_ID:-celestia-dev}" "${CELESTIA_BLOCK_MS:-1000}" "${CELESTIA_PORT:-27650}" >"$settings"
{ read -r CHAIN && read -r BLOCK_MS && read -r PORT; } <"$settings"
APP_RPC=$PORT APP_P2P=$((PORT + 1)) APP_GRPC=$((PORT + 2)) CORE_GRPC=$((PORT + 3))
BRIDGE_RPC=$((PORT + 4)) BRIDGE_P2P=$((PORT + 5)) LIGHT_RPC=$((PORT + 6)) LIGHT_P2P=$((PORT + 7))

built=$(node "$HERE/../../scripts/celestia.mjs" --built) || exit 1
{ read -r NODE && read -r APPD; } <<<"$built"

# --- processes ---------------------------------------------------------------
say() { printf '%s %s\n' "$(date +%H:%M:%S)" "$*" >&2; }
rpc() { # rpc PORT REQUEST [TOKEN]
	curl -sf --max-time 5 -H 'content-type: application/json' ${3:+-H "authorization: Bearer $3"} -d "$2" "http://127.0.0.1:$1"
}
wait_for() { # wait_for WHAT PROCESS COMMAND...
	local what=$1 process=$2 end=$((SECONDS + 120))
	shift 2
	until "$@" >/dev/null 2>&1; do
		running "$process" || die "$process ended: $(tail -n 1 "$HOME_DIR/log/$process.log")"
		[ $SECONDS -lt $end ] || die "no $what within 120 s: see $HOME_DIR/log/$process.log"
		sleep 0.2
	done
}
launch() { # launch NAME COMMAND...
	local name=$1
	shift
	setsid nohup "$@" >>"$HOME_DIR/log/$name.log" 2>&1 </dev/null &
	echo "$! $(born $!)" >"$HOME_DIR/pid/$name"
}
# A number is ours only with the time it was born at: after a start of the machine it may be anybody's.
born() { awk '$3 != "Z" { print $22 }' "/proc/$1/stat" 2>/dev/null; }
running() {
	local pid time
	read -r pid time 2>/dev/null <"$HOME_DIR/pid/$1" && [ -n "$time" ] && [ "$(born "$pid")" = "$time" ]
}
stop() {
	local pid _
	running "$1" || return 0
	read -r pid _ <"$HOME_DIR/pid/$1"
	kill -TERM "$pid" 2>/dev/null || true
	for _ in $(seq 100); do
		running "$1" || break
		sleep 0.1
	done
	! running "$1" || kill -KILL "$pid" 2>/dev/null || true
	rm -f "$HOME_DIR/pid/$1"
}

# --- validator ---------------------------------------------------------------
# Development keys: SHA-256 of a name, so that each network has the same accounts.
key() { printf 'celestia devnet %s' "$1" | sha256sum | cut -d' ' -f1; }
appd() { "$APPD" "$@" --home "$APP" 2>>"$HOME_DIR/log/genesis.log"; }
import_key() { # import_key NAME DIRECTORY OWNER
	appd keys import-hex "$1" "$(key "$3")" --keyring-backend test --keyring-dir "$2" >/dev/null
}
genesis() {
	[ ! -f "$APP/config/genesis.json" ] || return 0
	say 'genesis'
	local name
	rm -rf "$APP"
	appd init devnet --chain-id "$CHAIN" >/dev/null
	for name in validator relayer light bridge; do
		import_key "$name" "$APP" "$name"
		appd genesis add-genesis-account "$(appd keys show "$name" -a --keyring-backend test)" 1000000000000utia >/dev/null
	done
	appd genesis gentx validator 500000000000utia --chain-id "$CHAIN" --keyring-backend test --fees 500utia \
		--commission-rate 0.2 --commission-max-rate 1.0 --commission-max-change-rate 1.0 >/dev/null
	appd genesis collect-gentxs >/dev/null
	# The index is for queries of transactions by hash; TxStatus does without.
	sed -i -e 's#^indexer = .*#indexer = "kv"#' -e 's#^addr_book_strict = .*#addr_book_strict = false#' \
		-e "s#^grpc_laddr = .*#grpc_laddr = \"tcp://127.0.0.1:$CORE_GRPC\"#" -e 's#^pprof_laddr = .*#pprof_laddr = ""#' \
		-e 's#^log_level = .*#log_level = "error"#' "$APP/config/config.toml"
}
start_app() {
	genesis
	running app && return
	say 'validator'
	# Block time is set by flags alone, and BBR congestion control is not everywhere.
	launch app "$APPD" start --home "$APP" --force-no-bbr \
		--delayed-precommit-timeout "${BLOCK_MS}ms" --timeout-commit 1ms \
		--rpc.laddr "tcp://127.0.0.1:$APP_RPC" --p2p.laddr "tcp://127.0.0.1:$APP_P2P" \
		--grpc.enable --grpc.address "127.0.0.1:$APP_GRPC" --api.enable=false --minimum-gas-prices 0.004utia
	wait_for 'first block' app first_block
}
first_block() {
	rpc "$APP_RPC" '{"jsonrpc":"2.0","id":1,"method":"block","params":{"height":"1"}}' |
		grep -o '"block_id":{"hash":"[0-9A-F]\{64\}"' | grep -o '[0-9A-F]\{64\}'
}

# --- bridge and light node -----------------------------------------------------
init_node() { # init_node TYPE DIRECTORY P2P-PORT
	[ ! -f "$2/config.toml" ] || return 0
	mkdir -p "$2/keys"
	# The name under which a node looks for its account; without one it makes a key, and prints it.
	import_key my_celes_key "$2/keys" "$1"
	"$NODE" "$1" init --node.store "$2" --p2p.network "$CHAIN" >/dev/null 2>>"$HOME_DIR/log/$1.log"
	sed -i -e '/^ *ListenAddresses = /c\    ListenAddresses = ["/ip4/127.0.0.1/tcp/'"$3"'"]' \
		-e 's/^ *StartupTimeout = .*/  StartupTimeout = "2m0s"/' -e '/^ *NoAnnounceAddresses = /c\    NoAnnounceAddresses = []' "$2/config.toml"
}
token() { # token TYPE LEVEL DIRECTORY: the first one makes the secret, before the node does
	(
		umask 077
		"$NODE" "$1" auth "$2" --node.store "$3" --p2p.network "$CHAIN" 2>/dev/null | grep -o 'ey[^ ]*$' >"$HOME_DIR/$1.$2.token"
	)
}
start_bridge() {
	running bridge && return
	export CELESTIA_CUSTOM
	CELESTIA_CUSTOM=$CHAIN:$(first_block)
	init_node bridge "$BRIDGE" "$BRIDGE_P2P"
	token bridge admin "$BRIDGE"
	say 'bridge node'
	CELESTIA_BOOTSTRAPPER=true launch bridge "$NODE" bridge start --node.store "$BRIDGE" --p2p.network "$CHAIN" \
		--core.ip 127.0.0.1 --core.port "$APP_GRPC" --rpc.addr 127.0.0.1 --rpc.port "$BRIDGE_RPC" --log.level WARN
	wait_for 'bridge node' bridge bridge_id
}
bridge_id() {
	rpc "$BRIDGE_RPC" '{"jsonrpc":"2.0","id":1,"method":"p2p.Info","params":[]}' "$(cat "$HOME_DIR/bridge.admin.token")" |
		grep -o '12D3Koo[A-Za-z0-9]*' | head -n1 | grep .
}
start_light() {
	running light && return
	export CELESTIA_CUSTOM
	CELESTIA_CUSTOM=$CHAIN:$(first_block):/ip4/127.0.0.1/tcp/$BRIDGE_P2P/p2p/$(bridge_id)
	init_node light "$LIGHT" "$LIGHT_P2P"
	token light read "$LIGHT"
	token light write "$LIGHT"
	say 'light node'
	launch light "$NODE" light start --node.store "$LIGHT" --p2p.network "$CHAIN" \
		--core.ip 127.0.0.1 --core.port "$APP_GRPC" --rpc.addr 127.0.0.1 --rpc.port "$LIGHT_RPC" --log.level WARN
	wait_for 'head of the light node' light light_head
}
light_head() { # asked in this way, it looks for a bridge node that was away
	rpc "$LIGHT_RPC" '{"jsonrpc":"2.0","id":1,"method":"header.NetworkHead","params":[]}' "$(cat "$HOME_DIR/light.read.token")" |
		grep -o '"height":"[0-9]*"' | head -n1 | grep -o '[0-9]*'
}

# --- commands --------------------------------------------------------------------
up() {
	start_app
	start_bridge
	start_light
	show
}
stop_all() {
	local name
	for name in light bridge app; do stop $name; done
}
show() {
	cat <<-END
		CELESTIA_CHAIN_ID=$CHAIN
		CELESTIA_APP_RPC_URL=http://127.0.0.1:$APP_RPC
		CELESTIA_APP_GRPC_URL=http://127.0.0.1:$APP_GRPC
		CELESTIA_BRIDGE_RPC_URL=http://127.0.0.1:$BRIDGE_RPC
		CELESTIA_LIGHT_RPC_URL=http://127.0.0.1:$LIGHT_RPC
		CELESTIA_LIGHT_READ_TOKEN=$(cat "$HOME_DIR/light.read.token" 2>/dev/null || true)
		CELESTIA_LIGHT_WRITE_TOKEN=$(cat "$HOME_DIR/light.write.token" 2>/dev/null || true)
		CELESTIA_RELAYER_KEY=$(key relayer)
	END
}
status() {
	local name all=0
	for name in app bridge light; do
		if running $name; then echo "$name runs"; else
			echo "$name does not run"
			all=1
		fi
	done
	[ $all != 0 ] || echo "head of the light node: $(light_head)"
	return $all
}

mkdir -p "$HOME_DIR/log" "$HOME_DIR/pid"
case $1 in
up) up ;;
run)
	trap stop_all EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	up
	while read -r _; do :; done
	;;
down) stop_all ;;
status) status ;;
env) show ;;
genesis) genesis ;;
*) usage ;;
esac
