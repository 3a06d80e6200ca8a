import { isRunning } from '@switchyard/network/supervisor/processes';
import { Failure } from '@switchyard/service/failure';
import { type InstancePaths, instanceArguments } from './home.ts';
import { requireInstance } from './instance.ts';
import { currentRun, endLeftovers, forgetRun, readRunFile, untilNone } from './run-file.ts';

/** The tool itself takes up to 2.5 s for its services. */
const TOOL_MS = 5_000;

export type Stopped = 'stopped' | 'killed' | 'leftovers' | 'not-running';

/** Ends the `dev run` of an instance, and the left-overs of earlier ones. Returns when all is gone. */
export async function stopInstance(paths: InstancePaths): Promise<Stopped> {
  requireInstance(paths);
  const running = currentRun(paths);
  if (running === undefined) {
    const stale = readRunFile(paths);
    if (stale === undefined) return 'not-running';
    const left = stale.services.some(isRunning);
    await endLeftovers(stale);
    forgetRun(paths, stale);
    return left ? 'leftovers' : 'not-running';
  }
  signal(running.tool.pid, 'SIGTERM');
  const alive = () => [running.tool].filter(isRunning);
  if (await untilNone(alive, TOOL_MS)) return 'stopped';
  signal(running.tool.pid, 'SIGKILL');
  const last = readRunFile(paths) ?? running;
  await endLeftovers(last);
  forgetRun(paths, last);
  return 'killed';
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPERM') {
      throw new Failure(`process ${pid} runs the instance and belongs to another user: it cannot be stopped from here`);
    }
  }
}

/** @throws {Failure} while the instance runs: its files are in use. */
export function requireStopped(paths: InstancePaths, what: string): void {
  const running = currentRun(paths);
  if (running === undefined) return;
  throw new Failure(
    `instance ${paths.name} runs (process ${running.tool.pid}): ${what} after \`switchyard dev stop${instanceArguments(paths)}\``,
  );
}
