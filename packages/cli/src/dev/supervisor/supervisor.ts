import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { didYouMean } from '../../nearest.ts';
import { plain } from '../../print.ts';
import type { ServiceState, ServiceStatus, SupervisorEvent } from './events.ts';
import { describeExit, type Exit } from './restart.ts';
import { Runner } from './runner.ts';
import type { ServiceSpec } from './spec.ts';

export interface SupervisorOptions {
  /** What services have, all together, to end by themselves. */
  readonly stopWithinMs: number;
  /** From when on a service that is not ready is told of, with its reason. */
  readonly tellAfterMs: number;
  /** Describes a service anew before it is started by hand; its files may have been edited. @throws {Failure} */
  readonly describe: (name: string) => ServiceSpec | undefined;
  /** Whether a service can be started now, such as whether its ports are free. @throws {Failure} */
  readonly check: (spec: ServiceSpec) => Promise<void>;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

const DEFAULTS: SupervisorOptions = {
  stopWithinMs: 2_500,
  tellAfterMs: 5_000,
  describe: () => undefined,
  check: async () => {},
  random: Math.random,
};

/**
 * Starts services, keeps them running, stops them. Prints nothing and reads no files: what happens is told to
 * listeners.
 */
export interface Supervisor {
  /** Starts every service whose conditions are met; the others follow. */
  start(): void;
  /**
   * Resolves when every service is ready, has done its work, or was stopped by hand.
   *
   * @throws {Failure} when a service has failed for good; the others go on.
   */
  ready(signal?: AbortSignal): Promise<void>;
  /** Why a service has failed for good, if one has. */
  failure(): Failure | undefined;
  /** Ends one service, waits until it is gone, and starts it. @throws {Failure} */
  restart(name: string): Promise<void>;
  /** Ends one service and leaves it down until it is started by hand; the others go on. @throws {Failure} */
  stopService(name: string): Promise<void>;
  /** Starts one service that does not run. Resolves when it has been, or waits for others. @throws {Failure} */
  startService(name: string): Promise<void>;
  /** Ends all services until `resume`. Repeating it does nothing. */
  pause(): Promise<void>;
  /** Describes all services anew, while they are paused. @throws {Failure} */
  renew(): void;
  /** Starts again what `pause` has ended. @throws {Failure} when something cannot be started; nothing is then. */
  resume(): Promise<void>;
  readonly paused: boolean;
  /** Ends all services, the last started first; what has not ended after 2.5 s is killed. May be called twice. */
  stop(): Promise<void>;
  status(): ServiceStatus[];
  /** @returns A function that ends the subscription. */
  on(listener: (event: SupervisorEvent) => void): () => void;
}

export function createSupervisor(specs: readonly ServiceSpec[], options: Partial<SupervisorOptions> = {}): Supervisor {
  const { stopWithinMs, tellAfterMs, describe, check, random } = { ...DEFAULTS, ...options };
  const listeners = new Set<(event: SupervisorEvent) => void>();
  const lastExits = new Map<string, { exit: Exit; lines: readonly string[] }>();
  /** Stopped by hand. */
  const down = new Set<Runner>();
  /** What was running when all were paused. */
  let paused: Set<Runner> | undefined;
  let pausing = Promise.resolve();
  let stopping: Promise<void> | undefined;

  const emit = (event: SupervisorEvent) => {
    if (event.kind === 'exited') lastExits.set(event.service, { exit: event.exit, lines: event.lastLines });
    const told = event.kind === 'failed' ? { ...event, waiting: waitingFor(event.service) } : event;
    for (const listener of listeners) listener(told);
    if (event.kind === 'ready' || event.kind === 'finished') startWhatCan();
  };
  const runners = specs.map((spec) => new Runner(spec, emit, { tellAfterMs, random }));
  const settled = ({ status }: Runner) => status.state === 'ready' || status.state === 'finished';
  const halted = () => stopping !== undefined || paused !== undefined;
  const inTurn = turns<Runner>();

  const runnerOf = (name: string): Runner => {
    const runner = runners.find(({ spec }) => spec.name === name);
    if (runner === undefined) {
      const names = specs.map((spec) => spec.name);
      throw new Failure(`no service ${name}, there is ${names.join(', ')}${didYouMean(name, names)}`);
    }
    if (stopping !== undefined) throw new Failure('all services are being stopped');
    if (paused !== undefined)
      throw new Failure('all services are paused, as while a snapshot is taken: try again later');
    return runner;
  };

  /** Which services that do not work yet never will without this one. */
  function waitingFor(name: string): string[] {
    const found = new Set<string>();
    const visit = (needed: string) => {
      for (const { spec, status } of runners) {
        const waits = status.state === 'waiting' || status.state === 'starting' || status.state === 'restarting';
        if (!waits || found.has(spec.name) || spec.name === name) continue;
        if (![...spec.after, ...(spec.needs ?? [])].includes(needed)) continue;
        found.add(spec.name);
        visit(spec.name);
      }
    };
    visit(name);
    return [...found];
  }

  function missing({ spec }: Runner): string[] {
    const done = new Set(runners.filter(settled).map((runner) => runner.spec.name));
    return spec.after.filter((name) => !done.has(name));
  }

  function startWhatCan(): void {
    if (halted()) return;
    for (const runner of runners) {
      if (runner.status.state === 'waiting' && missing(runner).length === 0) runner.start();
    }
  }

  async function end(runner: Runner): Promise<void> {
    await within(runner.terminate(), stopWithinMs);
    await runner.kill();
  }

  /** Starts a service that has no process. */
  async function begin(runner: Runner): Promise<void> {
    if (!halted()) {
      try {
        await check(runner.spec);
      } catch (error) {
        if (error instanceof Failure && !halted()) runner.giveUp(error.message);
        throw error;
      }
    }
    // It is started with the others then.
    paused?.add(runner);
    if (halted()) return;
    down.delete(runner);
    runner.await();
    startWhatCan();
  }

  function renew(runner: Runner): void {
    const spec = describe(runner.spec.name);
    if (spec !== undefined) runner.describeAs(spec);
  }

  async function endAll(): Promise<void> {
    const deadline = performance.now() + stopWithinMs;
    const left = runners.toReversed();
    const ends: Promise<void>[] = [];
    for (const [index, runner] of left.entries()) {
      const ended = runner.terminate();
      ends.push(ended);
      // Each gets its share of the time; what one does not use is there for the next.
      await within(ended, (deadline - performance.now()) / (left.length - index));
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
    const waiting = waitingFor(name);
    return new Failure(
      `service ${name} does not run${how}: ${failed.status.reason}${said === undefined ? '' : `; it said: ${plain(said)}`}${waiting.length === 0 ? '' : `; waiting for it: ${waiting.join(', ')}`}`,
    );
  }

  return {
    start: startWhatCan,

    ready: (signal) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const failed = failure();
          if (failed === undefined && !runners.every((runner) => settled(runner) || down.has(runner))) return;
          listeners.delete(look);
          if (failed === undefined) resolve();
          else reject(failed);
        };
        signal?.addEventListener('abort', () => {
          listeners.delete(look);
          reject(signal.reason);
        });
        listeners.add(look);
        look();
      }),

    failure,

    restart: async (name) => {
      const runner = runnerOf(name);
      await inTurn(runner, async () => {
        renew(runner);
        await end(runner);
        await begin(runner);
      });
    },

    stopService: async (name) => {
      const runner = runnerOf(name);
      await inTurn(runner, async () => {
        down.add(runner);
        await end(runner);
      });
    },

    startService: async (name) => {
      const runner = runnerOf(name);
      await inTurn(runner, async () => {
        const { state, pid } = runner.status;
        if (pid !== undefined || state === 'waiting') return;
        renew(runner);
        // One that waits for its next try has a timer, which would start it a second time.
        await end(runner);
        await begin(runner);
      });
    },

    pause() {
      if (halted()) return pausing;
      paused = new Set(runners.filter(({ status }) => status.pid !== undefined || WILL_RUN.has(status.state)));
      pausing = endAll();
      return pausing;
    },

    renew() {
      for (const runner of runners) renew(runner);
    },

    async resume() {
      await pausing;
      if (paused === undefined || stopping !== undefined) return;
      for (const { spec } of paused) await check(spec);
      const again = paused;
      paused = undefined;
      for (const runner of again) runner.await();
      startWhatCan();
    },

    get paused() {
      return paused !== undefined;
    },

    stop: () => {
      stopping ??= endAll();
      return stopping;
    },

    status: () =>
      runners.map((runner) => {
        const { status } = runner;
        const others = status.state === 'waiting' ? missing(runner) : [];
        return others.length === 0 ? status : { ...status, reason: `waits for ${others.join(', ')}` };
      }),

    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const WILL_RUN: ReadonlySet<ServiceState> = new Set(['waiting', 'restarting']);

/** Work on one thing is done in the order in which it was asked for, never two at once. */
function turns<T>(): (thing: T, work: () => Promise<void>) => Promise<void> {
  const last = new Map<T, Promise<void>>();
  return (thing, work) => {
    const turn = (last.get(thing) ?? Promise.resolve()).then(work);
    last.set(
      thing,
      turn.catch(() => {}),
    );
    return turn;
  };
}

/** Waits for `work`, but no longer than `ms`. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const abort = new AbortController();
  const pause = sleep(Math.max(ms, 0), undefined, { signal: abort.signal }).catch(() => undefined);
  await Promise.race([work, pause]);
  abort.abort();
}
