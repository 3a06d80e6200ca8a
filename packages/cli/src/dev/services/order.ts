import { Failure } from '../../failure.ts';
import { didYouMean } from '../../nearest.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { BUILTIN_OF_LABEL, BUILTINS, type Builtin, type Builtins } from './builtin.ts';
import type { PlannedService } from './services.ts';

interface Planned {
  readonly entry: ServiceEntry;
  readonly service: PlannedService;
  readonly role: Builtin | undefined;
}

/** What a service is for the others: which of ours it is, or stands for by its label. */
export function roleOf({ label }: ServiceEntry, builtin: Builtin | undefined): Builtin | undefined {
  return builtin ?? BUILTIN_OF_LABEL[label];
}

/**
 * The services with what each waits for, those that others wait for first.
 *
 * @param extraFirst Services that stand for none of ours start before them, unless they name what they depend on.
 * @throws {Failure}
 */
export function inStartOrder(
  planned: readonly Planned[],
  instance: Instance,
  builtins: Builtins,
  extraFirst = false,
): PlannedService[] {
  const usual = (role: Builtin | undefined) => (role === undefined ? 10 : Object.keys(BUILTINS).indexOf(role));
  const services = planned
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((one): PlannedService => {
      return {
        ...one.service,
        after:
          one.entry.dependsOn !== undefined
            ? named(one, planned, instance)
            : isEarly(one)
              ? []
              : usualAfter(one, planned),
        needs: needsOf(one, planned, builtins),
      };
    });
  return sorted(services, instance);

  function isEarly({ role }: Pick<Planned, 'role'>): boolean {
    return extraFirst && role === undefined;
  }

  /** Ours in their order, then the programs of the user. */
  function placeOf({ service, role }: Planned): number {
    if (isEarly({ role })) return -1;
    return service.builtin === undefined ? 10 + usual(role) : usual(role);
  }
}

/**
 * A program of the user's may connect once, when it starts, and give up: it comes after sequencer and composer, unless
 * it is one of them. Ours wait for each other by themselves, which is faster.
 */
function usualAfter({ service, role }: Planned, planned: readonly Planned[]): string[] {
  if (service.builtin !== undefined) return [];
  const first: readonly Builtin[] =
    role === 'sequencer' ? [] : role === 'composer' ? ['sequencer'] : ['sequencer', 'composer'];
  return planned
    .filter((other) => other.role !== undefined && first.includes(other.role))
    .toSorted((a, b) => first.indexOf(a.role ?? 'sequencer') - first.indexOf(b.role ?? 'sequencer'))
    .map((other) => other.service.name);
}

/** Of several rollups a conductor needs the one that it feeds, and a faucet only the chain on which it gives. */
function needsOf({ service }: Planned, planned: readonly Planned[], builtins: Builtins): string[] {
  const { builtin, env } = service;
  if (builtin === undefined) return [];
  const kind = env.SVC_FAUCET_KIND ?? 'evm';
  const roles = builtins[builtin].needs.filter((role) => builtin !== 'faucet' || (role === 'evm') === (kind === 'evm'));
  const found = planned.filter(({ role }) => role !== undefined && roles.includes(role));
  const called = builtin === 'conductor' ? portIn(env.SVC_CONDUCTOR_EXECUTION_RPC_URL) : undefined;
  const isFed = ({ service: { ports } }: Planned) => ports.some(({ port }) => port !== 0 && port === called);
  const isRollup = ({ role }: Planned) => role === 'messenger' || role === 'evm';
  const anyFed = found.some((one) => isRollup(one) && isFed(one));
  return found.filter((one) => !anyFed || !isRollup(one) || isFed(one)).map((one) => one.service.name);
}

function portIn(url: string | undefined): number | undefined {
  return url !== undefined && URL.canParse(url) ? Number(new URL(url).port) : undefined;
}

function named({ entry }: Planned, planned: readonly Planned[], { paths, network }: Instance): string[] {
  return (entry.dependsOn ?? []).map((label) => {
    const found =
      planned.find((other) => other.entry.label === label) ?? planned.find(({ service }) => service.name === label);
    if (found !== undefined) return found.service.name;
    const labels = planned.map((other) => other.entry.label);
    throw new Failure(
      `${paths.networks}: networks.${network.name}.services.${entry.label}.depends_on: no service ${label}, there is ${labels.join(', ')}${didYouMean(label, labels)}`,
    );
  });
}

function sorted(services: readonly PlannedService[], { paths, network }: Instance): PlannedService[] {
  const done: PlannedService[] = [];
  const left = [...services];
  while (left.length > 0) {
    const names = new Set(done.map(({ name }) => name));
    const next = left.findIndex(({ after }) => after.every((name) => names.has(name)));
    const [service] = left.splice(next, next === -1 ? 0 : 1);
    if (service === undefined) {
      throw new Failure(
        `${paths.networks}: networks.${network.name}.services: these wait for each other by depends_on, so none could start: ${left.map(({ label }) => label).join(', ')}`,
      );
    }
    done.push(service);
  }
  return done;
}
