import { type ReplayReport, type ReplayStep, type ReplayTransaction, replayReport } from '@switchyard/client';
import { parseInput } from '@switchyard/service/input';
import { startChild } from '../rebuild/child.ts';

export interface ReplayPlan {
  /** Name of the rollup. */
  readonly name: string;
  /** Program of the replay. */
  readonly entry: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Whether Node waits for a debugger before the first line. */
  readonly inspects: boolean;
}

interface ReplayDeps {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Takes Node's output for a debugger. */
  note(line: string): void;
}

/** Runs the program of a replay. @returns the reports, one for each block, as they come. @throws {Failure} with its line if it fails. */
export async function* iterateReports(
  { name, entry, settings, inspects }: ReplayPlan,
  { env, signal, note }: ReplayDeps,
): AsyncGenerator<ReplayReport> {
  const reports: string[] = [];
  let arrived = (): void => undefined;
  let isOver = false;
  const child = startChild(name, entry, settings, env, {
    node: inspects ? ['--inspect-brk'] : [],
    onLine(line) {
      if (inspects && /debugger/i.test(line)) note(line);
    },
    onMessage({ report, done }) {
      if (typeof report === 'string') reports.push(report);
      isOver ||= done === 'done';
      arrived();
    },
  });
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  stopped.catch(() => undefined);
  try {
    for (;;) {
      const next = reports.shift();
      if (next !== undefined) yield replayReport.read(parseInput(next, 'the report of a block'));
      else if (isOver) return;
      else {
        const more = new Promise<void>((resolve) => {
          arrived = resolve;
        });
        if (reports.length === 0 && !isOver) await Promise.race([more, child.ended, stopped]);
      }
    }
  } finally {
    await child.stop();
  }
}

/** The first difference of two executions of a block, in one line; undefined if there is none. */
export function findDifference(one: ReplayReport, other: ReplayReport): string | undefined {
  if (one.hash === other.hash && one.stateRoot === other.stateRoot && sameSteps(one, other)) return undefined;
  const where = `block ${one.number}`;
  for (const [index, deposit] of longer(one.deposits, other.deposits).entries()) {
    const [first, second] = [one.deposits[index], other.deposits[index]];
    if (!isSame(first, second)) return `${where}, deposit ${index}: ${contrast(first, second, deposit)}`;
  }
  for (const [index, { hash }] of longer(one.transactions, other.transactions).entries()) {
    const [first, second] = [one.transactions[index], other.transactions[index]];
    if (isSame(first, second)) continue;
    return `${where}, transaction ${index} (${hash}), ${transactionDifference(first, second)}`;
  }
  return `${where}: the state root is ${other.stateRoot}, and was ${one.stateRoot}: nothing that an action did differs`;
}

/** The first place in which an execution differs from the database. */
export function differenceFromStored({
  number,
  hash,
  stateRoot,
  transactions,
  stored,
  inputs,
}: ReplayReport): string | undefined {
  const where = `block ${number}`;
  if (stored === undefined) return undefined;
  if (inputs === 'other') return `${where}: the sequencer has other data than the block was made from`;
  for (const [index, { hash: transaction, code, refused, actions }] of transactions.entries()) {
    const kept = stored.codes[index];
    if (kept === code) continue;
    const action = refused === undefined ? '' : `, action ${Math.max(0, actions.length - 1)}`;
    return `${where}, transaction ${index} (${transaction})${action}: ${outcome(code, refused)}, and was ${outcome(kept, undefined)}`;
  }
  if (stateRoot !== stored.stateRoot) return `${where}: the state root is ${stateRoot}, and was ${stored.stateRoot}`;
  return hash === stored.hash ? undefined : `${where}: the hash is ${hash}, and was ${stored.hash}`;
}

const outcome = (code: string | undefined, refused: string | undefined): string =>
  code === undefined
    ? 'absent'
    : code === '0'
      ? 'executed'
      : `refused (code ${code}${refused === undefined ? '' : `: ${refused}`})`;

function transactionDifference(one: ReplayTransaction | undefined, other: ReplayTransaction | undefined): string {
  if (one === undefined || other === undefined)
    return `it is ${outcome(other?.code, undefined)}, and was ${outcome(one?.code, undefined)}`;
  for (const [index, step] of longer(one.actions, other.actions).entries()) {
    const [first, second] = [one.actions[index], other.actions[index]];
    if (!isSame(first, second)) return `action ${index} (${step.kind}): ${contrast(first, second, step)}`;
  }
  return `before its actions: ${outcome(other.code, other.refused)}, and was ${outcome(one.code, one.refused)}`;
}

function contrast(one: ReplayStep | undefined, other: ReplayStep | undefined, { kind }: ReplayStep): string {
  if (one === undefined || other === undefined)
    return other === undefined ? `${kind} is not executed` : `${kind} is executed, and was not`;
  if (one.kind !== other.kind) return `it is ${other.kind}, and was ${one.kind}`;
  if (one.refused !== other.refused) return `${state(other)}, and was ${state(one)}`;
  for (const [index, write] of longer(one.writes, other.writes).entries()) {
    const [first, second] = [one.writes[index], other.writes[index]];
    if (first?.key === second?.key && first?.value === second?.value) continue;
    if (first !== undefined && second !== undefined && first.key !== second.key) {
      return `write ${index} is to ${second.key}, and was to ${first.key}`;
    }
    return `write ${index}, to ${write.key}, is ${written(second)}, and was ${written(first)}`;
  }
  const index = longer(one.events, other.events).findIndex((_, at) => one.events[at] !== other.events[at]);
  return `event ${index} is ${other.events[index] ?? 'absent'}, and was ${one.events[index] ?? 'absent'}`;
}

const state = ({ refused }: ReplayStep): string => (refused === undefined ? 'executed' : `refused (${refused})`);

const written = (write: ReplayStep['writes'][number] | undefined): string =>
  write === undefined ? 'absent' : (write.value ?? 'deleted');

const longer = <T>(one: readonly T[], other: readonly T[]): readonly T[] => (other.length > one.length ? other : one);
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const sameSteps = (one: ReplayReport, other: ReplayReport): boolean =>
  isSame(one.transactions, other.transactions) && isSame(one.deposits, other.deposits);
