import type { NodePorts } from '@switchyard/stack/ports';

/** Values for a node's `config.toml`; every other setting keeps the default of CometBFT. */
export interface CometSettings {
  readonly moniker: string;
  readonly ports: NodePorts;
  /** Where the RPC and the metrics are served. */
  readonly listen: string;
  readonly metricsListen: string;
  /** `host:port` that others reach this node under; empty: found by the node itself. */
  readonly external: string;
  /** `id@host:port` */
  readonly peers: readonly string[];
  /** All nodes are on one machine. */
  readonly local: boolean;
  readonly timeoutCommitMs: number;
  readonly emptyBlockIntervalMs: number;
  /** Paths of the genesis and of the data directory, from the home of the node. */
  readonly genesis: string;
  readonly data: string;
}

const text = JSON.stringify;

/** The text of a `config.toml` for CometBFT 0.38. Paths in it begin at the home of the node. */
export function cometConfigFile(settings: CometSettings): string {
  const { moniker, ports, listen, metricsListen, external, peers, local, genesis, data } = settings;
  return `# Settings of CometBFT 0.38 for this node. Missing settings have CometBFT's own defaults.
# Paths begin at the home of the node, the directory above this one's.
proxy_app = ${text(`tcp://127.0.0.1:${ports.abci}`)}
abci = "socket"
moniker = ${text(moniker)}
db_backend = "goleveldb"
db_dir = ${text(data)}
log_level = "main:info,state:info,*:error"
log_format = "plain"
genesis_file = ${text(genesis)}
priv_validator_key_file = "config/priv_validator_key.json"
priv_validator_state_file = ${text(`${data}/priv_validator_state.json`)}
node_key_file = "config/node_key.json"

[rpc]
laddr = ${text(`tcp://${listen}:${ports.rpc}`)}
# A transaction of a million bytes, in base64.
max_body_bytes = 4000000
pprof_laddr = ""

[p2p]
laddr = ${text(`tcp://${local ? '127.0.0.1' : '0.0.0.0'}:${ports.p2p}`)}
external_address = ${text(external)}
persistent_peers = ${text(peers.join(','))}
addr_book_file = ${text(`${data}/addrbook.json`)}
# Machines of a private network are peers too.
addr_book_strict = false
allow_duplicate_ip = ${local}
# A peer that comes back is found within this time.
persistent_peers_max_dial_period = "10s"
flush_throttle_timeout = "10ms"
send_rate = 20480000
recv_rate = 20480000

[mempool]
max_tx_bytes = 1048576

[consensus]
wal_file = ${text(`${data}/cs.wal/wal`)}
timeout_propose = ${text(local ? '1s' : '3s')}
timeout_commit = ${text(`${settings.timeoutCommitMs}ms`)}
create_empty_blocks = true
create_empty_blocks_interval = ${text(`${settings.emptyBlockIntervalMs}ms`)}

[instrumentation]
prometheus = ${!local}
prometheus_listen_addr = ${text(`${metricsListen}:${ports.cometMetrics}`)}
`;
}

/** Record of the last signature before anything was signed; CometBFT does not start without the file. */
export const FIRST_SIGN_STATE = `${JSON.stringify({ height: '0', round: 0, step: 0 }, null, 2)}\n`;
