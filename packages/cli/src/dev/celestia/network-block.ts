import { envTable } from '../init/network-text.ts';
import { CELESTIA_PORTS } from '../instance/ports.ts';
import { CELESTIA_CHAIN, type CelestiaLabel } from './layout.ts';
import { PEER_ADDRESS } from './service.ts';
import { APP_VERSION, NODE_VERSION } from './versions.ts';

const text = JSON.stringify;

type PortName = keyof typeof CELESTIA_PORTS;

/** Time between blocks of the network. On Celestia itself it is three to six seconds. */
const BLOCK_MS = 1_000;

/** Alone on a machine, a node would state all the time that others cannot reach it and that it finds no more of them. */
const QUIET = ['--log.level', 'WARN', '--log.level.module', 'module/p2p:FATAL,share/discovery:FATAL'];

interface Node {
  readonly version: string;
  readonly args: readonly string[];
  readonly after: readonly string[];
  /** URL that answers once the node does. */
  readonly ready: string;
  readonly env: readonly (readonly [string, string])[];
}

/** Tables of the nodes of the Celestia network of an instance, by label. @param bridgeId Id of the bridge node among its peers. */
export function celestiaTables(network: string, offset: number, bridgeId: string): ReadonlyMap<string, string> {
  const port = (name: PortName) => String(CELESTIA_PORTS[name] + offset);
  const address = (name: PortName) => `127.0.0.1:${port(name)}`;
  const at = (name: PortName) => `tcp://${address(name)}`;
  const store = (name: string) => `$SWITCHYARD_INSTANCE/data/celestia/${name}`;
  const peerAddress = `/ip4/127.0.0.1/tcp/${port('bridgeP2p')}`;
  const node = (kind: 'bridge' | 'light', rpc: PortName, core: readonly string[]) => [
    ...[kind, 'start', '--node.store', store(kind), '--p2p.network', CELESTIA_CHAIN, ...core],
    ...['--rpc.addr', '127.0.0.1', '--rpc.port', port(rpc), ...QUIET],
  ];
  const nodes: Readonly<Record<CelestiaLabel, Node>> = {
    'celestia-app': {
      version: APP_VERSION,
      args: [
        ...['start', '--home', store('app'), '--rpc.laddr', at('appRpc'), '--p2p.laddr', at('appP2p')],
        ...['--grpc.enable', '--grpc.address', address('appGrpc')],
        ...['--rpc.grpc_laddr', at('coreGrpc'), '--rpc.pprof_laddr=', '--api.enable=false'],
        // Only flags set the time of a block. BBR congestion control is not everywhere.
        ...['--delayed-precommit-timeout', `${BLOCK_MS}ms`, '--timeout-commit', '1ms', '--force-no-bbr'],
        ...['--minimum-gas-prices', '0.004utia', '--log_level', 'error'],
      ],
      after: [],
      // An error until there is a block: a bridge node that starts before it waits for ever.
      ready: `http://${address('appRpc')}/blockchain?minHeight=1&maxHeight=0`,
      env: [],
    },
    'celestia-bridge': {
      version: NODE_VERSION,
      args: node('bridge', 'bridgeRpc', ['--core.ip', '127.0.0.1', '--core.port', port('appGrpc')]),
      after: ['celestia-app'],
      ready: at('bridgeRpc'),
      env: [
        [PEER_ADDRESS, peerAddress],
        ['CELESTIA_CUSTOM', `${CELESTIA_CHAIN}:`],
        ['CELESTIA_BOOTSTRAPPER', 'true'],
      ],
    },
    'celestia-light': {
      version: NODE_VERSION,
      args: node('light', 'lightRpc', []),
      after: ['celestia-bridge'],
      ready: at('lightRpc'),
      env: [['CELESTIA_CUSTOM', `${CELESTIA_CHAIN}::${peerAddress}/p2p/${bridgeId}`]],
    },
  };
  const tables = Object.entries(nodes).map(
    ([label, { version, args, after, ready, env }]) =>
      [
        label,
        `${label === 'celestia-app' ? HEADING : ''}
[networks.${network}.services.${label}]
name = ${text(label)}
version = ${text(version)}
local_path = ""
args = [${args.map((each) => text(each)).join(', ')}]
depends_on = [${after.map((each) => text(each)).join(', ')}]
ready = ${text(ready)}
${envTable(network, label, env)}`,
      ] as const,
  );
  return new Map(tables);
}

const HEADING = `
# A Celestia network of this instance's own, on this machine: a validator, the bridge node that serves its blocks, and the light
# node that conductors read from. An empty local_path means celestia-appd or celestia from PATH, or from bin/.`;
