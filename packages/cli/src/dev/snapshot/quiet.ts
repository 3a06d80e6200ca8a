import { Failure } from '../../failure.ts';
import type { InstancePaths } from '../home.ts';
import { currentRun, holdInstance } from '../run-file.ts';

/** What is needed of the tool that runs an instance. */
export interface Pausable {
  /** Stops all services and keeps them down; resolves when they are gone. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): void;
}

export type ConnectTool = (paths: InstancePaths) => Promise<Pausable | undefined>;

/** The services did not come back after the work was done. */
export class ResumeFailed extends Failure {}

/**
 * Does something while no service of the instance runs, and nobody can start one: a running network is paused and
 * resumed, a stopped one is held.
 *
 * @returns what `work` returns, and how long the services were down.
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
      `instance ${paths.name} runs (process ${run.tool.pid}) and takes no orders: stop it with \`switchyard dev stop --instance ${paths.name}\` and repeat`,
    );
  }
  const began = performance.now();
  try {
    return { value: await paused(tool, work), pausedMs: Math.round(performance.now() - began) };
  } finally {
    tool.close();
  }
}

async function paused<T>(tool: Pausable, work: () => T | Promise<T>): Promise<T> {
  let value: T;
  try {
    await tool.pause();
    value = await work();
  } catch (error) {
    // What went wrong first is what the user has to hear; that resuming fails too would follow from it.
    await tool.resume().catch(() => undefined);
    throw error;
  }
  try {
    await tool.resume();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ResumeFailed(`the services did not start again: ${reason}`, undefined, { cause: error });
  }
  return value;
}
