import { type Heights, readHeights } from './heights.ts';
import type { Network } from './instance.ts';
import type { PlannedService } from './services.ts';
import type { RunningInstance } from './start.ts';
import type { ServiceStatus } from './supervisor/events.ts';
import type { PortUse } from './supervisor/spec.ts';

/** What runs where: the banner for people, and the `ready` line for programs, are both made from this. */
export interface Overview {
  readonly instance: string;
  readonly directory: string;
  readonly network: string;
  readonly pid: number;
  readonly sequencer: {
    readonly chainId: string;
    readonly rpc: string;
    readonly grpc: string;
    readonly height?: number;
  };
  readonly rollup: { readonly name: string; readonly url?: string; readonly height?: number };
  readonly services: readonly ServiceOverview[];
}

export interface ServiceOverview {
  readonly name: string;
  readonly version: string;
  readonly pid?: number;
  readonly state: string;
  readonly listens: readonly { readonly use: string; readonly url: string; readonly port: number }[];
}

export async function overviewOf({ instance, services, supervisor }: RunningInstance): Promise<Overview> {
  const { network, paths } = instance;
  const rollupUrl = rollupUrlOf(services);
  const heights: Heights = await readHeights({ rpcs: rpcUrlsOf(instance.network, services), rollup: rollupUrl });
  const statuses = new Map(supervisor.status().map((status) => [status.name, status]));
  return {
    instance: paths.name,
    directory: paths.directory,
    network: network.name,
    pid: process.pid,
    sequencer: {
      chainId: network.sequencerChainId,
      rpc: network.sequencerRpc,
      grpc: network.sequencerGrpc,
      ...(heights.sequencer === undefined ? {} : { height: heights.sequencer }),
    },
    rollup: {
      name: heights.rollup?.name ?? network.rollupName,
      ...(rollupUrl === undefined ? {} : { url: rollupUrl }),
      ...(heights.rollup?.height === undefined ? {} : { height: heights.rollup.height }),
    },
    services: services.map((service) => serviceOverview(service, statuses.get(service.name))),
  };
}

function serviceOverview({ name, version, ports }: PlannedService, status: ServiceStatus | undefined): ServiceOverview {
  return {
    name,
    version,
    ...(status?.pid === undefined ? {} : { pid: status.pid }),
    state: status?.state ?? 'stopped',
    listens: ports.map((use) => ({ use: use.use, url: urlOf(use), port: use.port })),
  };
}

/** Where the sequencer is asked; of several nodes, one may be stopped. */
export function rpcUrlsOf({ sequencerRpc }: Network, services: readonly PlannedService[]): string[] {
  const nodes = services.flatMap(({ comet, ports }) =>
    comet === undefined ? [] : ports.filter(({ setting, port }) => setting === 'rpc.laddr' && port !== 0).map(urlOf),
  );
  return [...new Set([sequencerRpc, ...nodes])];
}

/** Where the network's messenger answers; a rollup of the user's own may answer anywhere. */
export function rollupUrlOf(services: readonly PlannedService[]): string | undefined {
  const rollup = services.find(({ builtin }) => builtin === 'messenger');
  const use = rollup?.ports.find(({ setting }) => setting === 'REST_ADDR');
  return use === undefined || use.port === 0 ? undefined : urlOf(use);
}

/** An address that this machine can open: one that means "all interfaces" is not. */
export function urlOf({ host, port }: PortUse): string {
  const reachable = host === '0.0.0.0' || host === '' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
