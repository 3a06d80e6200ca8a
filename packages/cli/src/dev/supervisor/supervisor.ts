import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { plain } from '../../print.ts';
import type { ServiceStatus, SupervisorEvent } from './events.ts';
import { describeExit, type Exit } from './restart.ts';
import { Runner } from './runner.ts';
import type { ServiceSpec } from './spec.ts';

export interface SupervisorTiming {
  /** What services have, all together, to end by themselves. */
  readonly stopWithinMs: number;
  /** From when on a service that is not ready is told of, with its reason. */
  readonly tellAfterMs: number;
}

const TIMING: SupervisorTiming = { stopWithinMs: 2_500, tellAfterMs: 5_000 };

/**
 * Starts services, keeps them running, stops them. Prints nothing and reads no files: what happens is told to
 * listeners.
 */
export interface Supervisor {
  /** Starts every service whose conditions are met; the others follow. */
  start(): void;
  /**
   * Resolves when every service is ready (or has done its work).
   *
   * @throws {Failure} when a service has failed for good; the others go on.
   */
  ready(signal?: AbortSignal): Promise<void>;
  /** Why a service has failed for good, if one has. */
  failure(): Failure | undefined;
  /** Ends one service, waits until it is gone, and starts it. */
  restart(name: string): Promise<void>;
  /** Ends all services, the last started first; what has not ended after 2.5 s is killed. May be called twice. */
  stop(): Promise<void>;
  status(): ServiceStatus[];
  /** @returns A function that ends the subscription. */
  on(listener: (event: SupervisorEvent) => void): () => void;
}

export function createSupervisor(specs: readonly ServiceSpec[], timing: Partial<SupervisorTiming> = {}): Supervisor {
  const { stopWithinMs, tellAfterMs } = { ...TIMING, ...timing };
  const listeners = new Set<(event: SupervisorEvent) => void>();
  const lastExits = new Map<string, { exit: Exit; lines: readonly string[] }>();
  let stopping: Promise<void> | undefined;

  const emit = (event: SupervisorEvent) => {
    if (event.kind === 'exited') lastExits.set(event.service, { exit: event.exit, lines: event.lastLines });
    for (const listener of listeners) listener(event);
    if (event.kind === 'ready' || event.kind === 'finished') startWhatCan();
  };
  const runners = specs.map((spec) => new Runner(spec, emit, tellAfterMs));
  const settled = ({ status }: Runner) => status.state === 'ready' || status.state === 'finished';

  function startWhatCan(): void {
    if (stopping) return;
    const done = new Set(runners.filter(settled).map(({ spec }) => spec.name));
    for (const runner of runners) {
      if (runner.status.state === 'waiting' && runner.spec.after.every((name) => done.has(name))) runner.start();
    }
  }

  async function stopAll(): Promise<void> {
    const deadline = performance.now() + stopWithinMs;
    const left = runners.toReversed();
    const ends: Promise<void>[] = [];
    for (const [index, runner] of left.entries()) {
      const end = runner.terminate();
      ends.push(end);
      // Each gets its share of the time; what one does not use is there for the next.
      await within(end, (deadline - performance.now()) / (left.length - index));
    }
    await within(Promise.all(ends), deadline - performance.now());
    await Promise.all(left.map((runner) => runner.kill()));
  }

  function failure(): Failure | undefined {
    const failed = runners.find(({ status }) => status.state === 'failed');
    if (failed === undefined) return undefined;
    const { name } = failed.spec;
    const last = lastExits.get(name);
    const how = last === undefined ? '' : ` (${describeExit(last.exit)})`;
    const said = last?.lines.at(-1);
    return new Failure(
      `service ${name} does not run${how}: ${failed.status.reason}${said === undefined ? '' : `; it said: ${plain(said)}`}`,
    );
  }

  return {
    start: startWhatCan,

    ready: (signal) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const failed = failure();
          if (failed === undefined && !runners.every(settled)) return;
          listeners.delete(check);
          if (failed === undefined) resolve();
          else reject(failed);
        };
        signal?.addEventListener('abort', () => {
          listeners.delete(check);
          reject(signal.reason);
        });
        listeners.add(check);
        check();
      }),

    failure,

    async restart(name) {
      const runner = runners.find(({ spec }) => spec.name === name);
      if (runner === undefined)
        throw new Failure(`no service ${name}, there is ${specs.map((s) => s.name).join(', ')}`);
      await within(runner.terminate(), stopWithinMs);
      await runner.kill();
      if (stopping === undefined) runner.start();
    },

    stop: () => {
      stopping ??= stopAll();
      return stopping;
    },

    status: () => runners.map(({ status }) => status),

    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Waits for `work`, but no longer than `ms`. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const abort = new AbortController();
  const pause = sleep(Math.max(ms, 0), undefined, { signal: abort.signal }).catch(() => undefined);
  await Promise.race([work, pause]);
  abort.abort();
}
