import { isAbsolute } from 'node:path';
import { Failure } from '../../failure.ts';
import type { ServiceEntry } from '../instance/instance.ts';
import type { PortUse } from '../supervisor/spec.ts';
import { type CelestiaLabel, isCelestiaLabel } from './layout.ts';

/** Properties of a service of the Celestia network, beyond those of a user's program; read from its arguments. */
export interface CelestiaService {
  readonly label: CelestiaLabel;
  /** Everything that it writes. */
  readonly home: string;
  /** Its address for peers, in the form of libp2p; absent: any. */
  readonly peerAddress?: string;
  readonly ports: readonly PortUse[];
}

/** The variable of the bridge node with the address at which the light node finds it. */
export const PEER_ADDRESS = 'CELESTIA_PEER_ADDRESS';

/** @returns `undefined` for other services. @throws {Failure} */
export function celestiaService(entry: ServiceEntry, where: string): CelestiaService | undefined {
  const { label, args, env } = entry;
  if (!isCelestiaLabel(label)) return undefined;
  const homeFlag = label === 'celestia-app' ? '--home' : '--node.store';
  const home = findArgument(args, homeFlag);
  if (home === undefined || !isAbsolute(home))
    throw new Failure(`${where}.args: expected ${homeFlag} with an absolute path, got ${home ?? 'nothing'}`);
  const peerAddress = env[PEER_ADDRESS];
  return {
    label,
    home,
    ...(peerAddress === undefined ? {} : { peerAddress }),
    ports: [...listeners(entry), [PEER_ADDRESS, 'peers', findTcp(peerAddress)] as const].flatMap(
      ([setting, use, at]) => {
        const [, host, port] = /^(?:tcp:\/\/)?([^/:]+):(\d{1,5})$/.exec(at ?? '') ?? [];
        const kind = setting === PEER_ADDRESS ? 'env' : 'args';
        return host === undefined
          ? []
          : [{ service: entry.name, setting, where: `${setting} in ${where}.${kind}`, use, host, port: Number(port) }];
      },
    ),
  };
}

type Listens = readonly [flag: string, use: string, at: string | undefined];

function listeners({ label, args }: ServiceEntry): Listens[] {
  const flag = (name: string, use: string): Listens => [name, use, findArgument(args, name)];
  if (label === 'celestia-app')
    return [
      flag('--rpc.laddr', 'CometBFT RPC of Celestia'),
      flag('--p2p.laddr', 'peers'),
      flag('--grpc.address', 'gRPC of Celestia'),
      flag('--rpc.grpc_laddr', 'blocks of Celestia, gRPC'),
    ];
  const port = findArgument(args, '--rpc.port');
  return [['--rpc.port', 'JSON-RPC of Celestia', port && `${findArgument(args, '--rpc.addr') ?? '127.0.0.1'}:${port}`]];
}

/** The value of a flag, written as one argument or as two. */
export function findArgument(args: readonly string[], flag: string): string | undefined {
  const index = args.indexOf(flag);
  return index >= 0 ? args[index + 1] : args.find((each) => each.startsWith(`${flag}=`))?.slice(flag.length + 1);
}

/** `host:port` of `/ip4/host/tcp/port`. */
function findTcp(address: string | undefined): string | undefined {
  const [, host, port] = /^\/ip4\/([\d.]+)\/tcp\/(\d+)$/.exec(address ?? '') ?? [];
  return host && `${host}:${port}`;
}
