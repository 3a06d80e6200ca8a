import type { Supervisor } from '@switchyard/network/supervisor';
import type { ServiceStatus } from '@switchyard/network/supervisor/events';
import { ETHER } from '@switchyard/protocol/values';
import { FIELDS } from '../config/known-settings.ts';
import type { Instance } from '../instance/instance.ts';
import type { PlannedService } from '../services/planned.ts';
import { type Facts, type RollupFacts, readFacts } from './facts.ts';
import type { EvmOverview, Overview, RollupHeights, ServiceOverview } from './network.ts';
import { listenerUrls, toUrl, toUrls } from './urls.ts';

/** Parts of a running instance from which an overview is made. */
export interface Running {
  readonly instance: Instance;
  readonly services: readonly PlannedService[];
  readonly supervisor: Pick<Supervisor, 'status'>;
  readonly startPage?: string | undefined;
}

/** Asks the services, and makes an overview of their answers. */
export async function readOverview(running: Running): Promise<Overview> {
  return toOverview(running, await readFacts(toUrls(running.instance.network, running.services)));
}

export function toOverview({ instance, services, supervisor, startPage }: Running, facts: Facts): Overview {
  const { network, paths } = instance;
  const { sequencerHeight: height, halt, layer, withdrawals, rollups } = facts;
  const [messenger, found] = ['messenger', 'evm'].map((wanted) => rollups.find(({ kind }) => kind === wanted));
  const evm = found && evmOverview(found, services);
  const main = messenger ?? evm;
  const name = (messenger ? reportedName(messenger) : evm?.name) ?? network.rollupName;
  return {
    instance: paths.name,
    directory: paths.directory,
    network: network.name,
    pid: process.pid,
    startPage,
    sequencer: {
      ...{ chainId: network.sequencerChainId, rpc: network.sequencerRpc, grpc: network.sequencerGrpc },
      ...{ height, halt },
    },
    rollup: { name, url: main?.url, ...heightsIn(main) },
    layer: layer && { postedHeight: layer.postedHeight, height: layer.height, lag: layer.lag },
    ...{ evm, withdrawals },
    services: servicesNow({ services, supervisor }),
  };
}

/** The services with their states and processes of this moment. */
export function servicesNow({ services, supervisor }: Pick<Running, 'services' | 'supervisor'>): ServiceOverview[] {
  const statuses = new Map(supervisor.status().map((status) => [status.name, status]));
  return services.map((service) => serviceOverview(service, statuses.get(service.name)));
}

/** Heights of a rollup that are known. */
export function heightsIn({ height, firm, layerHeight }: RollupHeights = {}): Omit<RollupHeights, 'name'> {
  return { height, firm, layerHeight };
}

const reportedName = ({ id, name }: RollupFacts) => (id === undefined ? undefined : name);

function serviceOverview({ name, version, ports }: PlannedService, status: ServiceStatus | undefined): ServiceOverview {
  return {
    ...{ name, version, pid: status?.pid, state: status?.state ?? 'stopped', reason: status?.reason },
    listens: ports.map((use) => ({ use: use.use, url: toUrl(use), port: use.port })),
  };
}

function evmOverview(facts: RollupFacts, services: readonly PlannedService[]): EvmOverview {
  const { url = '', chainId } = facts;
  const [ws] = listenerUrls(services, FIELDS.evm.wsAddr);
  const faucets = services.filter(({ env }) => (env[FIELDS.faucet.kind.names[0]] ?? 'evm') === 'evm');
  const [faucet] = listenerUrls(faucets, FIELDS.faucet.listenAddr);
  const places = { ws: ws?.url.replace(/^http/, 'ws'), faucet: faucet?.url };
  return { name: reportedName(facts) ?? 'evm', url, symbol: ETHER.symbol, chainId, ...places, ...heightsIn(facts) };
}
