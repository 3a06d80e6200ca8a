import { isCometLabel } from '../dev/comet/layout.ts';
import { FIELDS, type SettingField } from '../dev/config/known-settings.ts';
import { logPath } from '../dev/logs/names.ts';
import type { RunningInstance } from '../dev/run/running.ts';
import { BUILTIN_OF_LABEL } from '../dev/services/builtin.ts';
import type { PlannedService } from '../dev/services/planned.ts';
import { rpcUrlsOf, urlOf, withdrawersOf } from '../dev/status/overview.ts';
import type { PortUse } from '../dev/supervisor/spec.ts';
import type { ModelSource, PaneSource } from './model.ts';
import type { Urls } from './poll.ts';
import type { RollupUrl } from './rollups.ts';
import type { Folding, TuiSettings } from './settings.ts';

type Described = Pick<RunningInstance, 'instance' | 'services' | 'startPage'>;

/** The part of a running instance that the UI shows. */
export function sourceOf(running: Described, settings: TuiSettings): Omit<ModelSource, 'size'> {
  const { instance, services } = running;
  return {
    instance: instance.paths.name,
    network: instance.network.name,
    endpoints: endpointsOf(running),
    services: services.map(
      (service): PaneSource => ({
        name: service.name,
        role: roleOf(service),
        version: service.version,
        program:
          service.builtin === undefined ? [service.command, ...service.args].join(' ') : `builtin:${service.builtin}`,
        logFile: logPath(instance.paths, service.name),
        listens: service.ports
          .filter(({ port }) => port !== 0)
          .map((use) => ({ use: use.use, url: urlOf(use), port: use.port })),
      }),
    ),
    settings,
  };
}

/** The status endpoints of an instance's services. */
export function urlsOf({ instance, services }: Pick<Described, 'instance' | 'services'>): Urls {
  return {
    rpcs: rpcUrlsOf(instance.network, services),
    rollups: services.flatMap((service) => rollupUrl(service) ?? []),
    composer: portUrl(services, FIELDS.composer.apiListenAddr),
    conductors: statusesOf(services, FIELDS.conductor.apiListenAddr),
    relayer: statusesOf(services, FIELDS.relayer.apiListenAddr)[0],
    withdrawers: withdrawersOf(services),
    rollupName: instance.network.rollupName,
  };
}

function rollupUrl({ name, builtin, ports }: PlannedService): RollupUrl | undefined {
  if (builtin !== 'messenger' && builtin !== 'evm') return undefined;
  const setting = builtin === 'evm' ? FIELDS.evm.httpAddr : FIELDS.messenger.restAddr;
  const use = ports.find((port) => port.setting === setting.names[0] && port.port !== 0);
  return use === undefined ? undefined : { service: name, kind: builtin, url: urlOf(use) };
}

function roleOf({ builtin, label }: PlannedService): Folding {
  // A user's program that replaces one of ours has its role.
  const stands = builtin ?? BUILTIN_OF_LABEL[label];
  if (stands === 'messenger' || stands === 'evm') return 'rollup';
  if (
    stands === 'faucet' ||
    stands === 'explorer' ||
    stands === 'da' ||
    stands === 'relayer' ||
    stands === 'withdrawer'
  )
    return 'generic';
  return stands ?? (isCometLabel(label) ? 'cometbft' : 'generic');
}

/** Addresses that people connect to, most wanted first. */
function endpointsOf({ instance, services, startPage }: Described): ModelSource['endpoints'] {
  const { sequencerRpc, sequencerGrpc } = instance.network;
  const named = (name: string, url: string | undefined) => (url === undefined ? [] : [{ name, url }]);
  const composer = portUrl(services, FIELDS.composer.grpcAddr);
  // gRPC clients take a host and a port, not a URL.
  const bare = (url: string | undefined) => url?.replace(/^http:\/\//, '');
  return [
    ...named('start page', startPage),
    ...services.flatMap((service) => named(service.name, rollupUrl(service)?.url)),
    ...named('faucet', portUrl(services, FIELDS.faucet.listenAddr)),
    ...named('explorer', portUrl(services, FIELDS.explorer.listenAddr)),
    ...named('RPC', sequencerRpc),
    ...named('gRPC', bare(sequencerGrpc)),
    ...named('composer gRPC', bare(composer)),
  ];
}

function usesOf(services: readonly PlannedService[], { names: [setting] }: SettingField): PortUse[] {
  return services.flatMap(({ ports }) => ports.filter((use) => use.setting === setting && use.port !== 0));
}

const statusesOf = (services: readonly PlannedService[], setting: SettingField) =>
  usesOf(services, setting).map((use) => ({ service: use.service, url: urlOf(use) }));

function portUrl(services: readonly PlannedService[], setting: SettingField): string | undefined {
  const [use] = usesOf(services, setting);
  return use === undefined ? undefined : urlOf(use);
}
