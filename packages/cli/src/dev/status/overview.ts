import { FIELDS } from '../config/known-settings.ts';
import type { Instance } from '../instance/instance.ts';
import type { PlannedService } from '../services/planned.ts';
import type { ServiceStatus } from '../supervisor/events.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { type Ask, type RollupReport, readHeights, rollupOf } from './heights.ts';
import type { EvmOverview, Overview, RollupHeights, ServiceOverview } from './network.ts';
import { listenerUrls, urlOf, urlsOf } from './urls.ts';

/** Parts of a running instance from which an overview is made. */
export interface Running {
  readonly instance: Instance;
  readonly services: readonly PlannedService[];
  readonly supervisor: Pick<Supervisor, 'status'>;
  readonly startPage?: string | undefined;
}

/** @param ask Asks the services for their heights. */
export async function overviewOf({ instance, services, supervisor, startPage }: Running, ask?: Ask): Promise<Overview> {
  const { network, paths } = instance;
  const urls = urlsOf(network, services);
  const { sequencerHeight: height, halt, layer, withdrawals, rollups } = await readHeights(urls, ask);
  const [messenger, found] = [rollupOf('messenger', rollups), rollupOf('evm', rollups)];
  const evm = found && evmOverview(found, services);
  const main = messenger ?? evm;
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
    rollup: { name: main?.name ?? network.rollupName, url: main?.url, ...heightsIn(main) },
    ...{ evm, layer, withdrawals },
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

function serviceOverview({ name, version, ports }: PlannedService, status: ServiceStatus | undefined): ServiceOverview {
  return {
    ...{ name, version, pid: status?.pid, state: status?.state ?? 'stopped', reason: status?.reason },
    listens: ports.map((use) => ({ use: use.use, url: urlOf(use), port: use.port })),
  };
}

function evmOverview(report: RollupReport, services: readonly PlannedService[]): EvmOverview {
  const { name = 'evm', url, chainId } = report;
  const [ws] = listenerUrls(services, FIELDS.evm.wsAddr);
  const faucets = services.filter(({ env }) => (env[FIELDS.faucet.kind.names[0]] ?? 'evm') === 'evm');
  const [faucet] = listenerUrls(faucets, FIELDS.faucet.listenAddr);
  const symbol = faucets.find(({ builtin }) => builtin === 'faucet')?.env[FIELDS.faucet.symbol.names[0]] || 'ETH';
  const places = { ws: ws?.url.replace(/^http/, 'ws'), faucet: faucet?.url };
  return { name, url, symbol, chainId, ...places, ...heightsIn(report) };
}
