import type { PortUse } from '@switchyard/network/supervisor/spec';
import { FIELDS, type SettingField } from '../config/known-settings.ts';
import type { Instance } from '../instance/instance.ts';
import type { PlannedService } from '../services/planned.ts';

/** Address of a service. */
export interface ServiceUrl {
  readonly service: string;
  readonly url: string;
}

/** A rollup of ours, which answers over HTTP. */
export interface RollupUrl extends ServiceUrl {
  readonly kind: 'messenger' | 'evm';
}

/** The status endpoints of a network; those of services that it does not have are absent. */
export interface Urls {
  /** URLs of the nodes of the sequencer; of several, one may be stopped. */
  readonly rpcs: readonly string[];
  readonly rollups: readonly RollupUrl[];
  readonly composer?: string | undefined;
  readonly relayer?: ServiceUrl | undefined;
  readonly conductors: readonly ServiceUrl[];
  readonly withdrawers: readonly ServiceUrl[];
  /** Name of a rollup that only its conductor reports. */
  readonly rollupName: string;
}

/** The status endpoints of an instance's services. */
export function toUrls(network: Instance['network'], services: readonly PlannedService[]): Urls {
  const nodes = services.flatMap(({ comet, ports }) =>
    comet === undefined ? [] : ports.filter(({ setting, port }) => setting === 'rpc.laddr' && port !== 0).map(toUrl),
  );
  return {
    rpcs: [...new Set([network.sequencerRpc, ...nodes])],
    rollups: services.flatMap((service) => rollupUrl(service) ?? []),
    composer: listenerUrls(services, FIELDS.composer.apiListenAddr)[0]?.url,
    conductors: listenerUrls(services, FIELDS.conductor.apiListenAddr),
    relayer: listenerUrls(services, FIELDS.relayer.apiListenAddr)[0],
    withdrawers: listenerUrls(services, FIELDS.withdrawer.apiListenAddr),
    rollupName: network.rollupName,
  };
}

/** Address of a rollup of ours; one of the user's may answer anywhere. */
export function rollupUrl(service: PlannedService): RollupUrl | undefined {
  const { builtin: kind } = service;
  if (kind !== 'messenger' && kind !== 'evm') return undefined;
  const [found] = listenerUrls([service], kind === 'evm' ? FIELDS.evm.httpAddr : FIELDS.messenger.restAddr);
  return found && { ...found, kind };
}

/** Addresses of the services that have a setting. */
export function listenerUrls(services: readonly PlannedService[], { names: [setting] }: SettingField): ServiceUrl[] {
  const uses = services.flatMap(({ ports }) => ports.filter((use) => use.setting === setting && use.port !== 0));
  return uses.map((use) => ({ service: use.service, url: toUrl(use) }));
}

/** An address that this machine can open: a wildcard is none. */
export function toUrl({ host, port }: Pick<PortUse, 'host' | 'port'>): string {
  const reachable = host === '0.0.0.0' || host === '' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
