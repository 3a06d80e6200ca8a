import { isCometLabel } from '../dev/comet/layout.ts';
import { logPath } from '../dev/logs/names.ts';
import type { RunningInstance } from '../dev/run/running.ts';
import { BUILTIN_OF_LABEL } from '../dev/services/builtin.ts';
import type { PlannedService } from '../dev/services/planned.ts';
import { evmUrlOf, rpcUrlsOf, urlOf } from '../dev/status/overview.ts';
import type { PortUse } from '../dev/supervisor/spec.ts';
import type { ModelSource, PaneSource } from './model.ts';
import type { Urls } from './poll.ts';
import type { Folding, TuiSettings } from './settings.ts';

type Described = Pick<RunningInstance, 'instance' | 'services'>;

/** The part of a running instance that the UI shows. */
export function sourceOf({ instance, services }: Described, settings: TuiSettings): Omit<ModelSource, 'size'> {
  return {
    instance: instance.paths.name,
    network: instance.network.name,
    endpoints: endpointsOf({ instance, services }),
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
export function urlsOf({ instance, services }: Described): Urls {
  return {
    rpcs: rpcUrlsOf(instance.network, services),
    rollup: portUrl(services, 'REST_ADDR'),
    evm: evmUrlOf(services),
    composer: portUrl(services, 'SVC_COMPOSER_API_LISTEN_ADDR'),
    conductors: usesOf(services, 'SVC_CONDUCTOR_API_LISTEN_ADDR').map(urlOf),
  };
}

function roleOf({ builtin, label }: PlannedService): Folding {
  // A user's program that replaces one of ours has its role.
  const stands = builtin ?? BUILTIN_OF_LABEL[label];
  if (stands === 'messenger' || stands === 'evm') return 'rollup';
  if (stands === 'faucet' || stands === 'explorer') return 'generic';
  return stands ?? (isCometLabel(label) ? 'cometbft' : 'generic');
}

/** What people connect to, most wanted first. */
function endpointsOf({ instance, services }: Described): ModelSource['endpoints'] {
  const { sequencerRpc, sequencerGrpc } = instance.network;
  const rollup = portUrl(services, 'REST_ADDR');
  const composer = portUrl(services, 'SVC_COMPOSER_GRPC_ADDR');
  const [evm, faucet] = [evmUrlOf(services), portUrl(services, 'SVC_FAUCET_LISTEN_ADDR')];
  const explorer = portUrl(services, 'SVC_EXPLORER_LISTEN_ADDR');
  // gRPC clients take a host and a port, not a URL.
  const bare = (url: string) => url.replace(/^http:\/\//, '');
  return [
    ...(rollup === undefined ? [] : [{ name: 'rollup', url: rollup }]),
    ...(evm === undefined ? [] : [{ name: 'EVM', url: evm }]),
    ...(faucet === undefined ? [] : [{ name: 'faucet', url: faucet }]),
    ...(explorer === undefined ? [] : [{ name: 'explorer', url: explorer }]),
    { name: 'RPC', url: sequencerRpc },
    { name: 'gRPC', url: bare(sequencerGrpc) },
    ...(composer === undefined ? [] : [{ name: 'composer gRPC', url: bare(composer) }]),
  ];
}

function usesOf(services: readonly PlannedService[], setting: string): PortUse[] {
  return services.flatMap(({ ports }) => ports.filter((use) => use.setting === setting && use.port !== 0));
}

function portUrl(services: readonly PlannedService[], setting: string): string | undefined {
  const [use] = usesOf(services, setting);
  return use === undefined ? undefined : urlOf(use);
}
