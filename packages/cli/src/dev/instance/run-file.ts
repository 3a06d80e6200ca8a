import { randomUUID } from 'node:crypto';
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  findMark,
  findVariable,
  isRunning,
  processesWith,
  signalGroup,
  signalProcess,
} from '@switchyard/network/supervisor/processes';
import { wallDate } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { bool as flag, type Input, object, optional, text, validItems } from '@switchyard/service/input';
import { readJsonFile } from '@switchyard/service/lenient';
import { systemReason } from '../files/files.ts';
import { type InstancePaths, instanceArguments, instanceNames } from './home.ts';

/** Contents of `run.json` while an instance runs. */
export type RunFile = Readonly<ReturnType<typeof runFile>>;
type More = Partial<Pick<RunFile, 'control' | 'programs'>>;
export type RunningService = RunFile['services'][number];

/** Marks every process of a run, so that processes that left their group are found too. */
export const RUN_VARIABLE = 'SWITCHYARD_RUN';

/** Holds the directory of the instance, in the environment of started processes. */
export const INSTANCE_VARIABLE = 'SWITCHYARD_INSTANCE';

/** Time in which left-over processes may end on their own. */
const GRACE_MS = 2_500;

/** The hold that one `dev run` has on its instance. */
export type Hold = Readonly<Awaited<ReturnType<typeof holdInstance>>>;

/**
 * Takes an instance for this process. What a killed tool left behind is ended first.
 *
 * @throws {Failure} when a living process holds it.
 */
export async function holdInstance(paths: InstancePaths, network: string, { graceMs = GRACE_MS } = {}) {
  const tool = findMark(process.pid);
  if (tool === undefined) throw new Error('this system does not show when a process started');
  const startedAt = wallDate().toISOString();
  const id = randomUUID();
  const text = (services: readonly RunningService[], more: More = {}) => {
    const run: RunFile = { tool, network, startedAt, id, programs: {}, ...more, services };
    return `${JSON.stringify(run, null, 2)}\n`;
  };
  const temporary = `${paths.run}.${process.pid}`;
  try {
    // A link appears whole or not at all, and only one of several processes succeeds.
    writeFileSync(temporary, text([]));
    for (let attempt = 0; !tryLink(temporary, paths.run); attempt += 1) {
      if (attempt === 3) throw new Failure(`${paths.run}: other tools keep taking this instance: try again`);
      await clearStale(paths, graceMs);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${paths.run}: cannot be written: ${systemReason(error)}`, error);
  } finally {
    rmSync(temporary, { force: true });
  }
  return {
    /** See {@link RunFile.id}. */
    id,
    /**
     * Notes which processes would be left behind if the tool were killed, and facts about the run for other commands.
     *
     * @throws when the file cannot be written, as on a full disk.
     */
    note(services: readonly RunningService[], more?: More) {
      writeFileSync(temporary, text(services, more));
      renameSync(temporary, paths.run);
    },
    release() {
      try {
        rmSync(paths.run, { force: true });
      } catch {
        // A file that names a process that is gone holds nothing.
      }
    },
  };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the run file of a tool that is gone, after its services. */
async function clearStale(paths: InstancePaths, graceMs: number): Promise<void> {
  const found = readRunFile(paths);
  if (found !== undefined && isRunning(found.tool)) {
    throw new Failure(
      `instance ${paths.name} already runs (process ${found.tool.pid}): stop it with \`switchyard dev stop${instanceArguments(paths)}\``,
    );
  }
  if (found !== undefined) await endLeftovers(found, graceMs);
  forgetRun(paths, found);
}

/** Removes the file of a run that is over. Another tool may have taken the instance in the meantime; its file stays. */
export function forgetRun(paths: InstancePaths, over: RunFile | undefined): void {
  if (over === undefined || readRunFile(paths)?.id === over.id) rmSync(paths.run, { force: true });
}

/** Ends the processes of a run whose tool is gone. Ours get a moment, since they are ending on their own. */
export async function endLeftovers({ services, id }: RunFile, graceMs = GRACE_MS): Promise<void> {
  // A tool that its watcher has started again has the id of that.
  const left = () => services.filter((each) => each.pid !== process.pid && isRunning(each));
  for (const { pid, own } of left()) if (!own) signalGroup(pid, 'SIGTERM');
  await untilNone(left, graceMs);
  for (const { pid } of left()) signalGroup(pid, 'SIGKILL');
  await untilNone(left, 1_000);
  await endStrays(id);
}

/** Ends processes of a run that have left their group, when all groups are gone. */
export async function endStrays(id: string): Promise<void> {
  const strays = processesWith(RUN_VARIABLE, id);
  for (const stray of strays) signalProcess(stray, 'SIGTERM');
  await untilNone(() => strays.filter(isRunning), 500);
  for (const stray of strays) signalProcess(stray, 'SIGKILL');
}

/** Polls: only the parent is notified when a process ends. */
export async function untilNone(left: () => readonly unknown[], ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (left().length > 0) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/** @returns `undefined` when there is none, or a malformed one, which holds nothing. */
export function readRunFile(paths: Pick<InstancePaths, 'run'>): RunFile | undefined {
  return readJsonFile(paths.run, runFile);
}

const mark = {
  pid: (input: Input) => {
    const pid = input.integer();
    return pid > 1 ? pid : input.fail('the id of a process');
  },
  started: text,
};

const runFile = object({
  tool: object(mark),
  network: text,
  startedAt: text,
  /** Value of `RUN_VARIABLE` in the environment of started processes. */
  id: text,
  /** Path of the control socket; absent if it could not be made. */
  control: optional(text),
  /** Paths of the programs that are not ours, by label: options and variables of `dev run` may have named them. */
  programs: (input: Input) => Object.fromEntries(input.members().map(([label, path]) => [label, path.text()])),
  /** Services; our own ones end on their own when the tool does. */
  services: validItems(object({ ...mark, name: text, own: flag })),
});

/** The running instance that a process belongs to. */
export type Owner = Pick<InstancePaths, 'name' | 'home'>;

/** Finds the instance of a process: one of this home, or of the home that the environment of the process names. */
export function getOwner(home: string): (pid: number) => Owner | undefined {
  return (pid) => {
    const belongsTo = (owner: Owner) => {
      const run = currentRun(toRunFile(owner));
      return run !== undefined && [run.tool, ...run.services].some((each) => each.pid === pid);
    };
    const found = instanceNames(home)
      .map((name): Owner => ({ name, home }))
      .find(belongsTo);
    const named = findVariable(pid, INSTANCE_VARIABLE);
    if (found !== undefined || named === undefined) return found;
    const owner = { name: basename(named), home: dirname(named) };
    return currentRun(toRunFile(owner)) === undefined ? undefined : owner;
  };
}

const toRunFile = ({ home, name }: Owner) => ({ run: join(home, name, 'run.json') });

/** The run of an instance, if it runs now. */
export function currentRun(paths: Pick<InstancePaths, 'run'>): RunFile | undefined {
  const found = readRunFile(paths);
  return found !== undefined && isRunning(found.tool) ? found : undefined;
}
