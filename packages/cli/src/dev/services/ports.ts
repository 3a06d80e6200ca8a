import type { PortUse, Readiness } from '@switchyard/network/supervisor/spec';
import { Failure, type Problems } from '@switchyard/service/failure';
import type { ProgramName } from '@switchyard/stack/network';
import type { Listener, Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import { getSettings } from '../config/settings.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { TOOL } from '../logs/names.ts';
import type { PlannedService } from './planned.ts';

/** Listeners of one of our services, by its settings. @throws {Failure} */
export function getListeners(
  builtin: ProgramName,
  env: Readonly<Record<string, string>>,
  entry: ServiceEntry,
  instance: Instance,
): PortUse[] {
  const { engine: engineField } = PROGRAMS.sequencer.fields;
  const runsBy = env[engineField.names[0]]?.toLowerCase() === 'cometbft' ? 'cometbft' : 'solo';
  const { fields, listeners } = PROGRAMS[builtin];
  const hasMetrics = !/^(1|true|on|yes)$/i.test(env[fields.noMetrics.names[0]] ?? '');
  const all: readonly Listener[] = [
    ...Object.values<Listener>(listeners),
    ...(hasMetrics ? [{ field: fields.metricsHttpListenerAddr, use: 'metrics' }] : []),
  ];
  return all.flatMap(({ field, use, engine = runsBy }) => {
    if (engine !== runsBy) return [];
    const [setting] = field.names;
    const where = whereIs(setting, entry, instance);
    const value = (env[setting] ?? field.fallback ?? '').replace(/^tcp:\/\//, '');
    if (value.startsWith('unix:')) return [];
    const [, host, port] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(value) ?? [];
    if (host === undefined || Number(port) > 65_535) {
      throw new Failure(`${where}: expected host:port, got ${JSON.stringify(value)}`);
    }
    return [{ service: entry.name, setting, where, use, host, port: Number(port) }];
  });
}

function whereIs(setting: string, entry: ServiceEntry, instance: Instance): string {
  const { paths, network } = instance;
  const stated = getSettings(instance, entry).get(setting);
  if (stated?.kind === 'service') {
    return `${setting} in [networks.${network.name}.services.${entry.label}.env] of ${paths.networks}`;
  }
  const { key, file } = stated?.from ?? { key: setting.toLowerCase(), file: paths.base };
  return `${key} in ${file}`;
}

/** Parses the `ready` of a service. @throws {Failure} */
export function findReadiness({ ready }: ServiceEntry, where: string): Readiness | undefined {
  if (ready === '') return undefined;
  if (ready.startsWith('log:')) {
    const pattern = ready.slice('log:'.length);
    try {
      new RegExp(pattern);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Failure(`${where}.ready: ${reason}`, error);
    }
    return { kind: 'log', pattern };
  }
  const url = URL.canParse(ready) ? new URL(ready) : undefined;
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (url?.protocol === 'http:' && host !== '') return { kind: 'http', url: ready, port: Number(url.port || 80) };
  if (url?.protocol === 'tcp:' && host !== '' && url.port !== '') return { kind: 'tcp', host, port: Number(url.port) };
  throw new Failure(
    `${where}.ready: expected "http://host:port/path", "tcp://host:port" or "log:expression", got ${JSON.stringify(ready)}`,
  );
}

/** A program of the user's listens at its address of readiness; of its other ports we know nothing. */
export function portOfReadiness(
  ready: Readiness | undefined,
  entry: ServiceEntry,
  { paths, network }: Instance,
): PortUse[] {
  if (ready === undefined || ready.kind === 'log') return [];
  const host = ready.kind === 'tcp' ? ready.host : new URL(ready.url).hostname.replace(/^\[|\]$/g, '');
  const where = `ready in [networks.${network.name}.services.${entry.label}] of ${paths.networks}`;
  const use = ready.kind === 'tcp' ? 'TCP' : 'HTTP';
  return [{ service: entry.name, setting: 'ready', where, use, host, port: ready.port }];
}

/** Services must not share a name, a port, or a place for their state. */
export function checkApart(services: readonly PlannedService[], { network }: Instance, problems: Problems): void {
  const names = new Set<string>();
  const ports = new Map<number, { use: PortUse; service: PlannedService }>();
  const stores = new Map<string, PlannedService>();
  const ownTable = ({ label }: PlannedService) => `[networks.${network.name}.services.${label}.env]`;
  for (const service of services) {
    if (service.name === TOOL) problems.add(`service ${TOOL}`, "this name is the tool's own: choose another");
    if (names.has(service.name)) problems.add(`service ${service.name}`, 'two services have this name');
    names.add(service.name);
    for (const use of service.ports) {
      const other = use.port === 0 ? undefined : ports.get(use.port);
      if (other === undefined) {
        ports.set(use.port, { use, service });
        continue;
      }
      const hint =
        other.use.where === use.where ? `: give ${service.name} its own ${use.setting} in ${ownTable(service)}` : '';
      problems.add(
        `port ${use.port}`,
        `given to ${other.use.service} (${other.use.where}) and to ${use.service} (${use.where})${hint}`,
      );
    }
    const setting = service.builtin === undefined ? undefined : getStore(PROGRAMS[service.builtin]);
    const store = setting === undefined ? undefined : service.env[setting];
    const other = store === undefined ? undefined : stores.get(store);
    if (store !== undefined) stores.set(store, other ?? service);
    if (other === undefined) continue;
    problems.add(
      `state in ${store}`,
      `given to ${other.name} and to ${service.name}: give ${service.name} its own ${setting} in ${ownTable(service)}`,
    );
  }
}

const getStore = ({ store }: Program) => store?.names[0];
