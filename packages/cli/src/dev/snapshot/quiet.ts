import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceStatus } from '@switchyard/network/supervisor/events';
import { Failure } from '@switchyard/service/failure';
import type { ControlClient } from '../control/client.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import { currentRun, holdInstance } from '../instance/run-file.ts';

/** Time in which services have to become ready again. */
const READY_MS = 30_000;
const POLL_MS = 50;

/** Operations of the tool that runs an instance. */
export type Pausable = Pick<ControlClient, 'pause' | 'resume'> & {
  status(): Promise<{ readonly services: readonly ServiceState[] }>;
};

type ServiceState = Pick<ServiceStatus, 'name' | 'state' | 'reason'>;

export type ConnectTool = (paths: InstancePaths) => Promise<Pausable | undefined>;

/** The services did not come back after the work was done. */
export class ResumeFailed extends Failure {}

/**
 * Does something while no service of the instance runs, and none can be started: a running network is paused and
 * resumed, a stopped one is held.
 *
 * @returns the result of `work`, and how long it took until all that had been ready was so again.
 * @throws {ResumeFailed} when the work was done and the services did not start again.
 */
export async function whileQuiet<T>(
  paths: InstancePaths,
  network: string,
  connect: ConnectTool,
  work: () => T | Promise<T>,
): Promise<{ readonly value: T; readonly pausedMs: number }> {
  const run = currentRun(paths);
  if (run === undefined) {
    const hold = await holdInstance(paths, network);
    try {
      return { value: await work(), pausedMs: 0 };
    } finally {
      hold.release();
    }
  }
  const tool = await connect(paths);
  if (tool === undefined) {
    throw new Failure(
      `instance ${paths.name} runs (process ${run.tool.pid}) and accepts no commands: stop it with \`switchyard dev stop${instanceArguments(paths)}\` and repeat`,
    );
  }
  const began = performance.now();
  return { value: await paused(tool, work), pausedMs: Math.round(performance.now() - began) };
}

async function paused<T>(tool: Pausable, work: () => T | Promise<T>): Promise<T> {
  const { services } = await tool.status();
  const ready = services.filter(({ state }) => state === 'ready').map(({ name }) => name);
  let value: T;
  try {
    await tool.pause();
    value = await work();
  } catch (error) {
    // The first error is reported; a failure to resume would follow from it.
    await tool.resume().catch(() => undefined);
    throw error;
  }
  try {
    await tool.resume();
    await untilReady(tool, ready);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ResumeFailed(`the services did not start again: ${reason}`, error);
  }
  return value;
}

/** @throws {Failure} when one of these services fails, or takes too long. */
async function untilReady(tool: Pausable, names: readonly string[]): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const { services } = await tool.status();
    const waiting = services.filter(({ name, state }) => names.includes(name) && state !== 'ready');
    const failed = waiting.find(({ state }) => state === 'failed');
    if (failed !== undefined) throw new Failure(`${failed.name} failed: ${failed.reason ?? 'see its log'}`);
    if (waiting.length === 0) return;
    if (performance.now() > deadline) {
      const why = waiting.map(({ name, reason }) => `${name} (${reason ?? 'no reason given'})`).join(', ');
      throw new Failure(`not ready after ${READY_MS / 1_000} s: ${why}`);
    }
    await sleep(POLL_MS);
  }
}
