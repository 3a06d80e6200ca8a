import { isCometLabel } from '../dev/comet/layout.ts';
import { FIELDS } from '../dev/config/known-settings.ts';
import { logPath } from '../dev/logs/names.ts';
import type { RunningInstance } from '../dev/run/running.ts';
import type { PlannedService } from '../dev/services/planned.ts';
import { listenerUrls, rollupUrl, toUrl } from '../dev/status/urls.ts';
import type { ModelSource, PaneSource } from './model.ts';
import type { Folding, TuiSettings } from './settings.ts';

type Described = Pick<RunningInstance, 'instance' | 'services' | 'startPage'>;

/** The part of a running instance that the UI shows. */
export function toSource(running: Described, settings: TuiSettings): Omit<ModelSource, 'size'> {
  const { instance, services } = running;
  return {
    instance: instance.paths.name,
    network: instance.network.name,
    endpoints: getEndpoints(running),
    services: services.map(
      (service): PaneSource => ({
        name: service.name,
        role: getRole(service),
        version: service.version,
        program:
          service.builtin === undefined ? [service.command, ...service.args].join(' ') : `builtin:${service.builtin}`,
        logFile: logPath(instance.paths, service.name),
        listens: service.ports
          .filter(({ port }) => port !== 0)
          .map((use) => ({ use: use.use, url: toUrl(use), port: use.port })),
      }),
    ),
    settings,
  };
}

function getRole({ role, label }: PlannedService): Folding {
  if (role === 'messenger' || role === 'evm') return 'rollup';
  if (role === 'faucet' || role === 'explorer' || role === 'da' || role === 'relayer' || role === 'withdrawer')
    return 'generic';
  return role ?? (isCometLabel(label) ? 'cometbft' : 'generic');
}

/** Addresses that people connect to, most wanted first. */
function getEndpoints({ instance, services, startPage }: Described): ModelSource['endpoints'] {
  const { sequencerRpc, sequencerGrpc } = instance.network;
  const named = (name: string, url: string | undefined) => (url === undefined ? [] : [{ name, url }]);
  const portUrl = (field: Parameters<typeof listenerUrls>[1]) => listenerUrls(services, field)[0]?.url;
  // gRPC clients take a host and a port, not a URL.
  const bare = (url: string | undefined) => url?.replace(/^http:\/\//, '');
  return [
    ...named('start page', startPage),
    ...services.flatMap((service) => named(service.name, rollupUrl(service)?.url)),
    ...named('faucet', portUrl(FIELDS.faucet.listenAddr)),
    ...named('explorer', portUrl(FIELDS.explorer.listenAddr)),
    ...named('RPC', sequencerRpc),
    ...named('gRPC', bare(sequencerGrpc)),
    ...named('composer gRPC', bare(portUrl(FIELDS.composer.grpcAddr))),
  ];
}
