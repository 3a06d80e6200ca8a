import { join } from 'node:path';
import type { PortUse } from '@switchyard/network/supervisor/spec';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { type CelestiaPort, celestiaPorts } from '../instance/ports.ts';
import { CELESTIA_CHAIN, type CelestiaLabel, celestiaPaths, isCelestiaLabel } from './layout.ts';
import { peerIdIn } from './stored-key.ts';

/** A node of the Celestia network of an instance. The network file states that there is one; the rest follows from the instance. */
export interface CelestiaService {
  readonly label: CelestiaLabel;
  /** Everything that it writes. */
  readonly home: string;
  /** Its address for peers, in the form of libp2p; absent: any. */
  readonly peerAddress?: string;
  readonly ports: readonly PortUse[];
  /** Arguments, variables and conditions of its start, unless the file states others. */
  readonly start: Pick<ServiceEntry, 'args' | 'env' | 'dependsOn' | 'ready'>;
}

/** Time between blocks of the network. On Celestia itself it is three to six seconds. */
const BLOCK_MS = 1_000;

/** Alone on a machine, a node would state all the time that others cannot reach it and that it finds no more of them. */
const QUIET = ['--log.level', 'WARN', '--log.level.module', 'module/p2p:FATAL,share/discovery:FATAL'];

const USES: Readonly<Record<CelestiaPort, string>> = {
  appRpc: 'CometBFT RPC of Celestia',
  appP2p: 'peers',
  appGrpc: 'gRPC of Celestia',
  coreGrpc: 'blocks of Celestia, gRPC',
  bridgeRpc: 'JSON-RPC of Celestia',
  bridgeP2p: 'peers',
  lightRpc: 'JSON-RPC of Celestia',
};

/** @returns `undefined` for a service that is none. @throws {Failure} when the key of the bridge node cannot be read. */
export function celestiaService(instance: Instance, { label, name }: ServiceEntry): CelestiaService | undefined {
  if (!isCelestiaLabel(label)) return undefined;
  const { network, paths } = instance;
  const { data, bridgeKey } = celestiaPaths(paths);
  const ports = celestiaPorts(network.sequencerRpc);
  const address = (port: CelestiaPort) => `127.0.0.1:${ports[port]}`;
  const at = (port: CelestiaPort) => `tcp://${address(port)}`;
  const peerAddress = `/ip4/127.0.0.1/tcp/${ports.bridgeP2p}`;
  const listens = (...names: readonly CelestiaPort[]) =>
    names.map((port): PortUse => {
      const where = `sequencer_rpc of networks.${network.name} in ${paths.networks}, whose offset it has`;
      return { service: name, setting: port, where, use: USES[port], host: '127.0.0.1', port: ports[port] };
    });
  const node = (kind: 'bridge' | 'light', rpc: CelestiaPort, core: readonly string[]) => [
    ...[kind, 'start', '--node.store', join(data, kind), '--p2p.network', CELESTIA_CHAIN, ...core],
    ...['--rpc.addr', '127.0.0.1', '--rpc.port', String(ports[rpc]), ...QUIET],
  ];
  switch (label) {
    case 'celestia-app': {
      const args = [
        ...['start', '--home', join(data, 'app'), '--rpc.laddr', at('appRpc'), '--p2p.laddr', at('appP2p')],
        ...['--grpc.enable', '--grpc.address', address('appGrpc')],
        ...['--rpc.grpc_laddr', at('coreGrpc'), '--rpc.pprof_laddr=', '--api.enable=false'],
        // Only flags set the time of a block. BBR congestion control is not everywhere.
        ...['--delayed-precommit-timeout', `${BLOCK_MS}ms`, '--timeout-commit', '1ms', '--force-no-bbr'],
        ...['--minimum-gas-prices', '0.004utia', '--log_level', 'error'],
      ];
      // An error until there is a block: a bridge node that starts before it waits for ever.
      const ready = `http://${address('appRpc')}/blockchain?minHeight=1&maxHeight=0`;
      return {
        ...{ label, home: join(data, 'app'), ports: listens('appRpc', 'appP2p', 'appGrpc', 'coreGrpc') },
        start: { args, env: {}, dependsOn: [], ready },
      };
    }
    case 'celestia-bridge': {
      const args = node('bridge', 'bridgeRpc', ['--core.ip', '127.0.0.1', '--core.port', String(ports.appGrpc)]);
      const env = { CELESTIA_CUSTOM: `${CELESTIA_CHAIN}:`, CELESTIA_BOOTSTRAPPER: 'true' };
      return {
        ...{ label, home: join(data, 'bridge'), peerAddress, ports: listens('bridgeRpc', 'bridgeP2p') },
        start: { args, env, dependsOn: ['celestia-app'], ready: at('bridgeRpc') },
      };
    }
    case 'celestia-light': {
      const env = { CELESTIA_CUSTOM: `${CELESTIA_CHAIN}::${peerAddress}/p2p/${peerIdIn(bridgeKey)}` };
      return {
        ...{ label, home: join(data, 'light'), ports: listens('lightRpc') },
        start: { args: node('light', 'lightRpc', []), env, dependsOn: ['celestia-bridge'], ready: at('lightRpc') },
      };
    }
  }
}

/** A service with what follows for a node of Celestia where the file states nothing. @throws {Failure} */
export function completeEntry(instance: Instance, entry: ServiceEntry): ServiceEntry {
  const start = celestiaService(instance, entry)?.start;
  if (start === undefined) return entry;
  return {
    ...entry,
    args: entry.args.length > 0 ? entry.args : start.args,
    env: { ...start.env, ...entry.env },
    dependsOn: entry.dependsOn ?? start.dependsOn,
    ready: entry.ready || start.ready,
  };
}
