import { didYouMean } from '@switchyard/service/settings';
import { PROGRAM_NAMES, type ProgramName } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import { Failure } from '../../failure.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { startPositionOf } from '../instance/start-position.ts';
import { BUILTIN_OF_LABEL } from './builtin.ts';
import type { PlannedService } from './planned.ts';

interface Planned {
  readonly entry: ServiceEntry;
  readonly service: PlannedService;
  readonly role: ProgramName | undefined;
}

/** Role of a service for the others: which of ours it is, or stands for by its label. */
export function roleOf({ label }: ServiceEntry, builtin: ProgramName | undefined): ProgramName | undefined {
  return builtin ?? BUILTIN_OF_LABEL[label];
}

/** The services with what each waits for, those that others wait for first. @throws {Failure} */
export function inStartOrder(planned: readonly Planned[], instance: Instance): PlannedService[] {
  const genericFirst = startPositionOf(instance) === 'before';
  const services = planned
    .toSorted((a, b) => rankOf(a, genericFirst) - rankOf(b, genericFirst))
    .map((one): PlannedService => {
      const after =
        one.entry.dependsOn !== undefined
          ? named(one, planned, instance)
          : genericFirst && isGeneric(one)
            ? []
            : usualAfter(one, planned);
      return { ...one.service, after, needs: needsOf(one, planned) };
    });
  return sorted(services, instance);
}

/** It neither is one of ours nor stands for one. */
const isGeneric = ({ role }: Planned) => role === undefined;

const ORDER: readonly string[] = PROGRAM_NAMES;

/** Ours in their order, then the user's programs; those that stand for none of ours last, or before all others. */
function rankOf({ service, role }: Planned, genericFirst: boolean): number {
  if (role === undefined) return genericFirst ? -1 : 2 * ORDER.length;
  return ORDER.indexOf(role) + (service.builtin === undefined ? ORDER.length : 0);
}

/**
 * A program of the user's may connect once, when it starts, and give up: it comes after sequencer and composer, unless
 * it is one of them. Ours wait for each other by themselves, which is faster.
 */
function usualAfter({ service, role }: Planned, planned: readonly Planned[]): string[] {
  if (service.builtin !== undefined) return [];
  const first: readonly ProgramName[] =
    role === 'sequencer' ? [] : role === 'composer' ? ['sequencer'] : ['sequencer', 'composer'];
  return planned
    .filter((other) => other.role !== undefined && first.includes(other.role))
    .toSorted((a, b) => first.indexOf(a.role ?? 'sequencer') - first.indexOf(b.role ?? 'sequencer'))
    .map((other) => other.service.name);
}

/** Needed services, by name: of the rollups, a conductor needs the one that it feeds, a faucet the one it gives on. */
function needsOf({ service }: Planned, planned: readonly Planned[]): string[] {
  const { builtin, env } = service;
  if (builtin === undefined) return [];
  const kind = env[PROGRAMS.faucet.fields.kind.names[0]] ?? 'evm';
  const needs: readonly ProgramName[] = PROGRAMS[builtin].needs;
  const roles = needs.filter((role) => builtin !== 'faucet' || role === kind);
  const found = planned.filter(({ role }) => role !== undefined && roles.includes(role));
  const called = builtin === 'conductor' ? portIn(env[PROGRAMS.conductor.fields.executionRpcUrl.names[0]]) : undefined;
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
